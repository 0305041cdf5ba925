"""Our own CSV: a header of column names, one kernel on each row, base units; empty cells are not known.

==================================  =================================================================
``name``                            kernel, function, region or ``triad.c:12``; or ``file`` and ``line`` of the source;
                                    ``kernel``, ``region``, ``loop``, ``function``, ``location``, ``where``, ``source``,
                                    ``position`` are other names of it; any column with ``file:line`` in every row
                                    locates the kernel
``grid``, ``block``                 of a CUDA kernel: ``1024x1x1``
``executions``                      how many executions the other numbers are of (default: 1)
``time_s``                          seconds
``flops``, ``flops_fp64``, ...      FLOPs, of all or of one precision
``flop_per_s``                      FLOP/s, in place of ``flops`` and ``time_s``
``L1_bytes``, ``L2_bytes``,         bytes that a level serves (``DRAM`` is main memory); with ``_read_`` or ``_write_``
``DRAM_read_bytes``, ...            only those of one direction
``intensity_L1``, ...               FLOP/byte at a level, where bytes are not known
``scalar_share``, ``local_bytes``   share of scalar FP instructions; bytes of local memory (spills)
==================================  =================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from analyzer.data_files.numbers import whole
from analyzer.python.regex import regex

from ..errors import MeasurementError
from ..importers import KernelImporter
from ..ncu_metrics import extents
from ..numbers import number, style_of
from ..results import Fact, LevelBytes, Location, Reading, Sample
from ..table import Row, Table, header_of, read_table

NAME = "csv"
_NAMES = ("kernel", "region", "loop", "function", "location", "where", "source", "position")
_PLACE = regex(r"(?P<file>[^\s:,;]+\.\w+):(?P<line>\d{1,9})$")
_TEXT = ("name", "file", "line", "grid", "block")
_WHOLE = ("executions", "time_s", "flops", "flop_per_s", "scalar_share", "local_bytes", "threads")
_LEVEL = regex(r"(?:(?P<level>L\d|DRAM)_(?:(?P<side>read|write)_)?bytes|intensity_(?P<at>L\d|DRAM))$", re.IGNORECASE)
_PRECISION = regex(r"flops_(fp64|fp32|fp16|bf16|tf32|fp8)$", re.IGNORECASE)


def is_header(cells: list[str]) -> bool:
    """Return whether this is the header: a name or a source location, and at least one quantity."""
    plain = list(_columns(cells))
    named = "name" in plain or {"file", "line"} <= set(plain)
    return named and any(_is_quantity(cell) for cell in plain)


def _columns(cells: Sequence[str]) -> Iterator[str]:
    """Yield the names of the columns in lower case; the first of several with names of kernels is ``name``."""
    plain = [cell.lower() for cell in cells]
    first = None if "name" in plain else next((cell for cell in plain if cell in _NAMES), None)
    for cell in plain:
        yield "name" if cell == first else cell


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return header_of(text, is_header) is not None


def read(text: str, path: str) -> Reading:
    """Return the samples of all rows; raises ``MeasurementError``."""
    table = read_table(text, path, is_header, "our own CSV (name,time_s,flops,DRAM_bytes,...)")
    columns = dict(zip(table.columns, _columns(table.columns), strict=True))
    located = _located(table, columns)
    unknown = [c for c, name in columns.items() if name not in (*_TEXT, *_NAMES, located) and not _is_quantity(name)]
    if unknown:
        raise MeasurementError(
            f"the column {unknown[0]!r} is not known",
            path=path,
            line=table.line,
            hint="name, file, line, grid, block, executions, time_s, flops, flops_fp64, flop_per_s, L1_bytes, "
            "DRAM_read_bytes, intensity_DRAM, scalar_share, local_bytes",
        )
    rows = [Row(row.line, {columns[key]: cell for key, cell in row.cells.items()}) for row in table.rows]
    style = style_of(((row.line, row[name]) for row in rows for name in row.cells if _is_quantity(name)), path)
    samples = []
    for row in rows:
        numbers: dict[str, float] = {}
        for column, cell in row.cells.items():
            value = number(cell, style) if _is_quantity(column) else None
            if _is_quantity(column) and cell and value is None:
                raise MeasurementError(f"{column}: {cell!r} is not a number", path=path, line=row.line)
            if value is not None:
                numbers[column] = value
        samples.append(_sample(row, numbers, path, located))
    if not samples:
        raise MeasurementError("has no row below its header", path=path, line=table.line)
    return Reading(path, NAME, tuple(samples))


def _located(table: Table, columns: Mapping[str, str]) -> str:
    """Return the column, other than that of names and quantities, with a file and a line in every row; "" for none."""
    for key, name in columns.items():
        cells = [row[key] for row in table.rows]
        if name not in _TEXT and not _is_quantity(name) and cells and all(map(_PLACE.match, cells)):
            return name
    return ""


def _is_quantity(column: str) -> bool:
    return column in _WHOLE or bool(_LEVEL.match(column) or _PRECISION.match(column))


def _sample(row: Row, numbers: Mapping[str, float], path: str, located: str) -> Sample:
    line, place = whole(row["line"]), _PLACE.match(row[located]) if located else None
    location = Location(row["file"], line) if row["file"] and line is not None and line >= 0 else None
    if location is None and place is not None:
        location = Location(place["file"], int(place["line"]))
    if not row["name"] and location is None:
        raise MeasurementError("the row has neither a name nor a file and a line", path=path, line=row.line)
    times = numbers.get("executions") or 1.0

    def of_one(column: str) -> float | None:
        value = numbers.get(column)
        return None if value is None else value / times

    precisions = {m[1]: value / times for column, value in numbers.items() if (m := _PRECISION.match(column))}
    flops = of_one("flops")
    facts = {Fact.SCALAR_SHARE: numbers.get("scalar_share"), Fact.LOCAL_BYTES: of_one("local_bytes")}
    return Sample(
        name=row["name"],
        line=row.line,
        executions=int(times),
        seconds=of_one("time_s"),
        flops=sum(precisions.values()) if flops is None and precisions else flops,
        flops_source="flops",
        flops_by_precision=precisions,
        flop_per_s=numbers.get("flop_per_s"),
        levels=tuple(_levels(numbers, times)),
        intensities={m["at"].upper(): n for column, n in numbers.items() if (m := _LEVEL.match(column)) and m["at"]},
        location=location,
        grid=extents(row["grid"]),
        block=extents(row["block"]),
        facts={fact: value for fact, value in facts.items() if value is not None},
    )


def _levels(numbers: Mapping[str, float], times: float) -> Iterator[LevelBytes]:
    sides: dict[str, dict[str, float]] = {}
    for column, value in numbers.items():
        found = _LEVEL.match(column)
        if found is not None and found["level"]:
            sides.setdefault(found["level"].upper(), {})[found["side"] or "total"] = value / times
    for level, known in sides.items():
        read, write = known.get("read"), known.get("write")
        total = known.get("total")
        if total is None and read is not None and write is not None:
            total = read + write
        if total is not None:
            yield LevelBytes(level, total, f"{level}_bytes", read, write)


IMPORTERS = (
    KernelImporter(
        name=NAME,
        made_by="ai-estimate's own CSV: name,time_s,flops,DRAM_bytes",
        recognises=recognises,
        read=read,
        rank=1,
    ),
)
