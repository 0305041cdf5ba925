"""The report as CSV: one row for each region and nest on each machine (one without machine where none is given).

Columns, in this order; a cell is empty where nothing is known, numbers are in base units:

========================  ============================================================================
path, region, kind        file, name, and ``function``, ``loop`` or ``kernel``
function, line, end_line  where it is
parameter, value          the swept size of this row (empty without a range)
flops, flops_formula      FLOPs at the known sizes, and as a formula
flops_lower, flops_upper  the interval where the count is one
convention                which bytes are counted
bytes, bytes_formula      bytes under it
intensity                 FLOP/byte, at the known sizes or as the limit for large ones
intensity_fraction        the same as an exact fraction
loads, stores             per-iteration references of the dominant innermost loop (elements)
machine, bound, level     machine id, ``memory`` or ``compute``, and the level that binds
ridge                     FLOP/byte of the ceiling in force
attainable_flop_per_s     the bound on speed
bytes_per_s               the bound of a region without FLOPs
time_s                    least time at the known sizes
too_close_to_call         ``true`` where the figures of the machine leave it open
reason                    one sentence
level_bytes               bytes that each level serves: ``L1=3200 L2=400 DRAM=80`` (with a model of caches)
saturation_cores          cores from which on more of them do not help
ecm                       ECM model of one core: ``{T_OL || T_nOL | T_L1L2 | ...} cy/CL``
========================  ============================================================================
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from fractions import Fraction

from analyzer.quantities.quasipolynomial import Count
from roofline.model.intensity import number
from roofline.model.projection import Projection
from roofline.report.report import FileReport, RegionReport, Report
from roofline.report.sentences import reason_text
from roofline.report.sweep import Sweep

from .cells import plain

COLUMNS = (
    *("path", "region", "kind", "function", "line", "end_line", "parameter", "value"),
    *("flops", "flops_formula", "flops_lower", "flops_upper", "convention", "bytes", "bytes_formula"),
    *("intensity", "intensity_fraction", "loads", "stores", "machine", "bound", "level", "ridge"),
    *("attainable_flop_per_s", "bytes_per_s", "time_s", "too_close_to_call", "reason"),
    *("level_bytes", "saturation_cores", "ecm"),
)

Cell = str | int | float | bool | None


def csv_lines(report: Report, sweep: Sweep | None = None) -> Iterator[str]:
    """Yield a header and rows: the text of many files need not be in memory as a whole.

    A range gives the rows of each of its values in turn.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    yield stream.getvalue()
    for row in _all_rows(report, sweep):
        stream.seek(0)
        stream.truncate()
        writer.writerow([_text(cell) for cell in row])
        yield stream.getvalue()


def _all_rows(report: Report, sweep: Sweep | None) -> Iterator[list[Cell]]:
    if sweep is None:
        yield from _rows(report.files, None, None)
    else:
        for point in sweep.points:
            yield from _rows(point.files, sweep.parameter, point.value)


def _rows(files: Sequence[FileReport], parameter: str | None, value: int | None) -> Iterator[list[Cell]]:
    for file in files:
        for region in file.regions:
            for part in (region, *region.all_nests):
                for projection in part.projections or (None,):
                    yield [
                        plain(file.profile.path),
                        *_location(part),
                        parameter,
                        value,
                        *_counts(part, projection),
                        *_speed(projection),
                        *_levels(part, projection),
                    ]


def _location(region: RegionReport) -> list[Cell]:
    profile = region.profile
    return [plain(profile.name), profile.kind.value, plain(profile.function), profile.span.line, profile.span.end_line]


def _counts(region: RegionReport, projection: Projection | None) -> list[Cell]:
    """Return the counts; bytes and intensity are those that the machine's convention gives."""
    profile = region.profile
    moved = region.moved if projection is None else projection.moved
    intensity = (region.intensity if projection is None else projection.intensity).number
    iteration = profile.per_iteration

    def value(count: Count) -> Cell:
        return number(count, profile.values)

    flops, size = profile.work.flops, moved.total
    return [
        value(flops.estimate),
        str(flops.estimate),
        None if flops.is_exact else value(flops.lower),
        None if flops.is_exact or flops.upper is None else value(flops.upper),
        moved.convention.value,
        value(size.estimate),
        str(size.estimate),
        None if intensity is None else float(intensity),
        None if intensity is None else str(intensity),
        None if iteration is None else _number(iteration.loads),
        None if iteration is None else _number(iteration.stores),
    ]


def _speed(projection: Projection | None) -> list[Cell]:
    if projection is None:
        return [None] * 9
    ceiling = projection.ceiling
    return [
        projection.machine.id,
        projection.bound.value,
        projection.level,
        None if ceiling is None or ceiling.ridge is None else ceiling.ridge.value,
        None if projection.attainable is None else projection.attainable.value,
        None if projection.bandwidth_rate is None else projection.bandwidth_rate.value,
        None if projection.time is None else projection.time.value,
        projection.close_call,
        reason_text(projection.reason),
    ]


def _levels(region: RegionReport, projection: Projection | None) -> list[Cell]:
    profile = region.profile
    served = region.served if projection is None else projection.served
    levels = " ".join(f"{name}={_text(number(moved.total.estimate, profile.values))}" for name, moved in served)
    if projection is None:
        return [levels, None, None]
    scaling, ecm = projection.scaling, projection.ecm
    return [levels, None if scaling is None else scaling.saturation_cores, None if ecm is None else ecm.notation]


def _number(value: int | Fraction) -> Cell:
    return float(value) if isinstance(value, Fraction) and value.denominator != 1 else int(value)


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
