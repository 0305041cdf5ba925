"""``nsys stats``: the time of every kernel, as CSV or as the columns that it prints without ``--format csv``.

=========================  ===========================================================================
``cuda_gpu_kern_sum``      ``Instances``, ``Avg (ns)``, ``Med (ns)``, ``Name``: of one launch, the median where stated
``cuda_gpu_kern_gb_sum``   the same by ``GridXYZ`` and ``BlockXYZ``
``cuda_gpu_trace``         every launch: ``Duration (ns)``, ``GrdX`` to ``BlkZ``, ``Name``; copies have no grid
=========================  ===========================================================================

A report holds several tables, which blank lines separate; the first one of kernels is read.  Source: NVIDIA, Nsight
Systems, Post-Collection Analysis Guide (Statistical Reports).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzer.python.regex import regex

from ..errors import MeasurementError
from ..importers import KernelImporter
from ..ncu_metrics import extents
from ..numbers import Style, number, scale_of, style_of
from ..results import Reading, Sample
from ..table import Row, Table, header_of, read_table

NAME = "nsys"
_WITH_UNIT = regex(r"(?P<name>Avg|Med|Duration) \((?P<unit>[a-z]+)\)$")
_DASHES = regex(r"\s*-+(?:\s+-+)+\s*$")
_DASH = regex(r"-+")
_GRID, _BLOCK = ("GrdX", "GrdY", "GrdZ"), ("BlkX", "BlkY", "BlkZ")


def is_header(cells: list[str]) -> bool:
    """Return whether this is the header of a summary of kernels or of a trace."""
    has_time = any(_WITH_UNIT.match(cell) for cell in cells) or "Average" in cells
    return "Name" in cells and has_time and ("Instances" in cells or set(_GRID) < set(cells))


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return header_of(text, is_header) is not None or _printed(text) is not None


def read(text: str, path: str) -> Reading:
    """Return the samples of all kernels; raises ``MeasurementError``."""
    found = header_of(text, is_header)
    printed = _printed(text) if found is None else None
    if printed is not None:
        table = _columns(text, path, printed)
    else:
        line = 0 if found is None else found[0] - 1
        expected = 'nsys stats ("Instances", "Avg (ns)", "Name")'
        table = read_table(_until_blank(text, line), path, is_header, expected)
    times = _time_columns(table)
    style = style_of(((row.line, row[column]) for row in table.rows for column, _ in times), path)
    samples = [_sample(row, times, style, path) for row in table.rows if "GrdX" not in table.columns or row["GrdX"]]
    if not samples:
        raise MeasurementError("has no kernel below its header", path=path, line=table.line)
    return Reading(path, NAME, tuple(samples))


def _sample(row: Row, times: Sequence[tuple[str, float]], style: Style, path: str) -> Sample:
    known = ((number(row[column], style), scale) for column, scale in times)
    seconds = next((value * scale for value, scale in known if value is not None), None)
    if seconds is None or not row["Name"]:
        raise MeasurementError("the row has no name or no time", path=path, line=row.line)
    instances = number(row["Instances"], style)
    return Sample(
        name=row["Name"],
        line=row.line,
        executions=int(instances) if instances else 1,
        seconds=seconds,
        grid=_extents(row, "GridXYZ", _GRID),
        block=_extents(row, "BlockXYZ", _BLOCK),
        device=row["Device"] or None,
    )


def _extents(row: Row, together: str, apart: Sequence[str]) -> tuple[int, ...] | None:
    joined = " ".join(row[column] for column in apart)
    return extents(row[together] or (joined if joined.strip() else ""))


def _time_columns(table: Table) -> list[tuple[str, float]]:
    """Return the columns with the time of one launch and their units in seconds, the best first; raises for a unit."""
    found: dict[str, tuple[str, float]] = {}
    for column in table.columns:
        match = _WITH_UNIT.match(column)
        scale = 1e-9 if column == "Average" else scale_of(match["unit"]) if match else None
        if match and scale is None:
            raise MeasurementError(f"the unit of {column!r} is not known", path=table.path, line=table.line)
        if scale is not None:
            found[match["name"] if match else column] = (column, scale)
    return [found[name] for name in ("Duration", "Med", "Avg", "Average") if name in found]


def _until_blank(text: str, start: int) -> str:
    """Return the text up to the first blank line after a line (from 0)."""
    lines = text.split("\n")
    end = next((at for at in range(start, len(lines)) if not lines[at].strip()), len(lines))
    return "\n".join(lines[:end])


def _printed(text: str) -> int | None:
    """Return the line (from 0) of the dashes below the header of a printed table of kernels."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if at and _DASHES.match(line) and is_header(list(_cells(lines[at - 1], line))):
            return at
    return None


def _columns(text: str, path: str, dashes: int) -> Table:
    lines = _until_blank(text, dashes).split("\n")
    columns = tuple(_cells(lines[dashes - 1], lines[dashes]))
    rows = (
        Row(at + 1, dict(zip(columns, _cells(lines[at], lines[dashes]), strict=True)))
        for at in range(dashes + 1, len(lines))
    )
    return Table(path, dashes, columns, tuple(rows))


def _cells(line: str, dashes: str) -> Iterator[str]:
    """Yield the cells of a printed line; the last one has what is left."""
    spans = [(found.start(), found.end()) for found in _DASH.finditer(dashes)]
    for index, (start, end) in enumerate(spans):
        yield line[start : None if index == len(spans) - 1 else end].strip()


IMPORTERS = (
    KernelImporter(name=NAME, made_by="nsys stats", recognises=recognises, read=read, counts_machine_code=True),
)
