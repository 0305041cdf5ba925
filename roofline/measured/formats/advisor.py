"""``advisor --report=survey --format=csv --show-all-columns``: one row for each loop and function.

Advisor's bytes are those of all loads and stores (cache-aware roofline), and so are compared with L1.  Figures are
``Self``: of the loop without loops inside it, over the whole run (call counts are of one loop, not of its nest, and so
do not part the run into executions).  GFLOP is GFLOPS times elapsed time, AI is GFLOP over
GB; what is missing follows from the others.
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.data_files.numbers import whole
from analyzer.python.regex import regex

from ..errors import MeasurementError
from ..importers import KernelImporter
from ..numbers import Style, number, style_of
from ..results import Fact, LevelBytes, Location, Reading, Remark, Sample
from ..table import Row, header_of, read_table

NAME = "advisor"
_HINT = "use advisor --report=survey --format=csv --show-all-columns"
_COLUMNS = {
    "name": "function call sites and loops",
    "location": "source location",
    "gflop": "self gflop",
    "gflops": "self gflops",
    "ai": "self ai",
    "memory": "self memory gb",
    "elapsed": "self elapsed time",
    "time": "self time",
    "type": "type",
    "isa": "vector isa",
}
_NAME = regex(r"[^\s:][^:]*\.\w+")
_ALIKE = 0.05  # figures of one row are rounded to two or three digits
_GIGA = 1e9


def is_header(cells: list[str]) -> bool:
    """Return whether this is the header."""
    return {_COLUMNS["name"], _COLUMNS["location"]} <= {_plain(cell) for cell in cells}


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return header_of(text, is_header) is not None


def read(text: str, path: str) -> Reading:
    """Return the samples of all loops with FLOPs or bytes; raises ``MeasurementError``."""
    table = read_table(text, path, is_header, 'Intel Advisor ("Function Call Sites and Loops", "Source Location")')
    columns = {_plain(column): column for column in table.columns}
    found = {key: columns[name] for key, name in _COLUMNS.items() if name in columns}
    if not {"gflop", "gflops"} & found.keys():
        raise MeasurementError("the header lacks 'Self GFLOP'", path=path, line=table.line, hint=_HINT)
    numeric = [found[key] for key in ("gflop", "gflops", "ai", "memory", "elapsed", "time") if key in found]
    style = style_of(((row.line, _value_text(row[column])) for row in table.rows for column in numeric), path)
    remarks: list[Remark] = []
    samples = [sample for row in table.rows if (sample := _sample(row, found, style, remarks)) is not None]
    if not samples:
        raise MeasurementError("has no loop with FLOPs or bytes", path=path, line=table.line, hint=_HINT)
    return Reading(path, NAME, tuple(samples), tuple(remarks))


def _plain(column: str) -> str:
    return " ".join(column.replace("_", " ").lower().split())


def _value_text(cell: str) -> str:
    """Return ``0.490`` for ``0.490s``, ``0.001`` for ``< 0.001``."""
    return cell.strip().lstrip("<~").rstrip("s").strip()


def _sample(row: Row, found: Mapping[str, str], style: Style, remarks: list[Remark]) -> Sample | None:
    def value(key: str) -> float | None:
        return number(_value_text(row[found[key]]), style) if key in found else None

    seconds = value("elapsed") or value("time")
    gflop, rate, gigabytes, intensity = value("gflop"), value("gflops"), value("memory"), value("ai")
    if gflop is None and rate is not None and seconds is not None:
        gflop = rate * seconds
    if gigabytes is None and gflop is not None and intensity:
        gigabytes = gflop / intensity
    if gflop is None and gigabytes is None:
        return None
    if gflop and gigabytes and intensity and abs(gflop / gigabytes - intensity) > _ALIKE * intensity:
        remarks.append(Remark(row.line, f"Self AI is {intensity:g}, but GFLOP over GB is {gflop / gigabytes:.4g}"))
    return Sample(
        name=row[found["name"]],
        line=row.line,
        seconds=seconds,
        flops=None if gflop is None else gflop * _GIGA,
        flops_source="Self GFLOP",
        levels=() if gigabytes is None else (LevelBytes("L1", gigabytes * _GIGA, "Self Memory GB"),),
        intensities={} if intensity is None else {"L1": intensity},
        location=_location(row[found["location"]]),
        facts=_facts(row, found),
        additive=True,
    )


def _location(cell: str) -> Location | None:
    """Return the position that a cell ends with: ``file.c:12``."""
    before, _, line = cell.rpartition(":")
    name, number = before.rpartition(":")[2].strip(), whole(line)
    return Location(name, number) if number is not None and _NAME.fullmatch(name) else None


def _facts(row: Row, found: Mapping[str, str]) -> dict[Fact, float]:
    kind = row[found["type"]].lower() if "type" in found else ""
    if "vectorized" in kind:
        return {Fact.SCALAR_SHARE: 0.0}
    return {Fact.SCALAR_SHARE: 1.0} if "scalar" in kind else {}


IMPORTERS = (
    KernelImporter(name=NAME, made_by="advisor --report=survey --format=csv", recognises=recognises, read=read),
)
