"""``<machine>_roofline.csv`` of the CARM tool: two header rows, then one measurement on each row, GB/s and GFLOP/s.

The first header names the levels over their columns (``L1,L1,L2,L2,...,FP,FP,FP FMA,FP_FMA``), the second the columns
(``GB/s,I/Cycle,...``).  Of several rows the best counts, level by level and precision by precision.
"""

from __future__ import annotations

from ..errors import MeasurementError
from ..importers import RoofImporter
from ..numbers import number, style_of
from ..roofs import MeasuredBandwidth, MeasuredPeak, MeasuredRoofs, level_named
from ..table import split_line
from .carm_csv import PRECISIONS

NAME = "carm-roofline"
_GIGA = 1e9
_MODES = {"FP": "no_fma", "FP FMA": "fma", "FP_FMA": "fma"}
_FIELDS = ("Date", "ISA", "Precision", "Threads")


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return text.startswith("Name:,") and "L1 Size:" in text.split("\n", 1)[0]


def read(text: str, path: str) -> MeasuredRoofs:
    """Return the roofs; raises ``MeasurementError``."""
    lines = [split_line(line) or [] for line in text.split("\n") if line.strip()]
    if len(lines) < 3 or tuple(lines[1][:4]) != _FIELDS:
        raise MeasurementError("lacks its two header rows or a row below them", path=path, line=len(lines))
    groups, columns = lines[0], lines[1]
    bandwidths: dict[tuple[str, int], MeasuredBandwidth] = {}
    peaks: dict[tuple[str, str, int], MeasuredPeak] = {}
    style = style_of(((line, cell) for line, cells in enumerate(lines[2:], start=3) for cell in cells[4:]), path)
    for line, cells in enumerate(lines[2:], start=3):
        row = dict(zip(columns, cells, strict=False))
        threads = number(row.get("Threads", ""), style)
        if len(cells) < len(columns) or not threads:
            raise MeasurementError(
                f"the row has {len(cells)} cells, its header {len(columns)}",
                path=path,
                line=line,
                hint="is it cut off?",
            )
        pattern = f"{row.get('Loads', '')} loads, {row.get('Stores', '')} stores"
        for at, (group, column) in enumerate(zip(_padded(groups, len(columns)), columns, strict=True)):
            value = number(cells[at], style)
            if column not in ("GB/s", "Gflop/s") or not value:
                continue
            count = int(threads)
            level, mode = level_named(group), _MODES.get(group)
            precision = PRECISIONS.get(row["Precision"].lower(), "")
            if column == "GB/s" and level is not None:
                new = MeasuredBandwidth(level, value * _GIGA, pattern, count)
                old = bandwidths.get((level, count))
                bandwidths[level, count] = max(old or new, new, key=lambda found: found.value)
            elif column == "Gflop/s" and mode is not None:
                best = MeasuredPeak(precision, mode, value * _GIGA, count)
                known = peaks.get((precision, mode, count))
                peaks[precision, mode, count] = max(known or best, best, key=lambda found: found.value)
    if not bandwidths or not peaks:
        raise MeasurementError("has no bandwidth or no peak", path=path, line=2)
    return MeasuredRoofs("CARM", "CARM tool", tuple(bandwidths.values()), tuple(peaks.values()))


def _padded(groups: list[str], length: int) -> list[str]:
    """Return the first header aligned with the second: its level names end both rows."""
    return ["" for _ in range(length - len(groups))] + groups[-length:] if groups else [""] * length


IMPORTERS = (RoofImporter(name=NAME, what="a roofline.csv of CARM", recognises=recognises, read=read),)
