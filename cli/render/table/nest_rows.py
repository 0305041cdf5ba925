"""The rows of the terminal's table as text, at the level of detail that its width allows.

Input: one file of the report and a :class:`Detail`. Output: one :class:`Row` for each nest (a function of several nests
comes first, its nests below it) and, where there are several machines, one below it for each machine. Functions that
only fill or only read memory come last.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from analyzer.quantities.quantity import Quantity
from roofline.model.intensity import Ratio, number
from roofline.model.projection import Bound, MovedBytes, Projection
from roofline.report.report import FileReport, RegionReport

from ..typesetting.shortened import cut_formula, cut_label, cut_text
from ..words.names import label_of, lines_of, shown_whole, when_text
from ..words.numbers import (
    fraction_text,
    intensity_text,
    mark_of,
    quantity_text,
    ratio_mark,
    short_intensity,
)
from ..words.rates import pace_text, part_text, rate_text, short_rate, time_text
from ..words.work import iteration_short

_ROUNDED = 10**6
_LEAST_FORMULA = 24


class Detail(Struct, frozen=True):
    """How much a table shows: the longest label and formula, significant digits of rates, which columns there are.

    ``full`` has intervals and iterations/s; ``rounded`` cuts large numbers to ``digits``; ``gap`` is the number of
    blanks between columns.
    """

    label: int
    formula: int
    digits: int = 4
    full: bool = False
    rounded: bool = False
    fraction: bool = True
    gap: int = 2
    directions: bool = False
    iteration: bool = False
    flops: bool = True
    bytes: bool = True
    time: bool = True


DETAILS = (
    Detail(48, 44, full=True, directions=True, iteration=True),
    Detail(48, 44, full=True, directions=True),
    Detail(40, 32, directions=True),
    Detail(40, 32, full=True, iteration=True),
    Detail(40, 32, full=True),
    Detail(32, 22),
    Detail(26, 14, rounded=True),
    Detail(26, 14, 3, rounded=True),
    Detail(22, 12, 3, rounded=True, gap=1),
    Detail(19, 11, 3, rounded=True, gap=1),
    Detail(16, 9, 3, rounded=True, gap=1),
    Detail(16, 9, 3, rounded=True, gap=1, fraction=False),
    Detail(14, 9, 3, rounded=True, gap=1, fraction=False, time=False),
    Detail(12, 8, 3, rounded=True, gap=1, fraction=False, time=False, bytes=False),
    Detail(10, 8, 3, rounded=True, gap=1, fraction=False, time=False, bytes=False, flops=False),
)


class Row(Struct, frozen=True):
    """Cells as text; ``kind`` is the bound for colouring, ``faint`` marks what hardly matters."""

    label: str
    flops: str = ""
    bytes: str = ""
    read: str = ""
    write_allocate: str = ""
    written: str = ""
    intensity: str = ""
    iteration: str = ""
    bound: str = ""
    rate: str = ""
    time: str = ""
    kind: Bound | None = None
    faint: bool = False


def rows_of(file: FileReport, detail: Detail) -> tuple[Row, ...]:
    """Return all rows of a file, in the order of the source except for what sinks."""
    regions = sorted(file.regions, key=_is_housekeeping)
    faint = [_is_housekeeping(region) for region in regions]
    dim = any(faint) and not all(faint)
    return tuple(
        replace(row, faint=True) if dim and sunk else row
        for region, sunk in zip(regions, faint, strict=True)
        for row in _region(region, detail)
    )


def _is_housekeeping(region: RegionReport) -> bool:
    """Return whether a function has no FLOPs and only fills or only reads memory: it initialises or prints."""
    profile = region.profile
    traffic = profile.compulsory_traffic
    copies = not (traffic.read_bytes.is_zero or traffic.write_bytes.is_zero)
    return profile.work.flops.is_zero and not copies


def _region(region: RegionReport, detail: Detail) -> Iterator[Row]:
    whole = shown_whole(region)
    if not whole.nests:
        yield from _part(whole, cut_label(label_of(whole, region), detail.label), detail)
        return
    name = region.profile.function
    location = f"{name}:{lines_of(whole)}" if name else f"lines {lines_of(whole)}"
    location += when_text(whole)
    yield from _part(whole, cut_label(location, detail.label), detail)
    yield from _nests(whole, detail, 1)


def _nests(region: RegionReport, detail: Detail, depth: int) -> Iterator[Row]:
    for nest in region.nests:
        lines, times = lines_of(nest), nest.profile.repetitions
        label = f"{'  ' * depth}{'lines' if '-' in lines else 'line'} {lines}"
        runs = f", {times} times" if times > 1 else when_text(nest)
        yield from _part(nest, label + runs if len(label + runs) <= detail.label else label, detail, depth=depth)
        yield from _nests(nest, detail, depth + 1)


def _part(region: RegionReport, label: str, detail: Detail, *, depth: int = 0) -> Iterator[Row]:
    counted = _counted(region, label, detail)
    projections = region.projections
    if not projections:
        yield _with_bytes(counted, region, region.moved, region.intensity, detail)
        return
    if len(projections) == 1:
        yield _projected(counted, region, projections[0], detail)
        return
    same = len({_quantity(projection.moved.total, region, detail) for projection in projections}) == 1
    yield _with_bytes(counted, region, region.moved, region.intensity, detail) if same else counted
    for projection in projections:
        row = Row(cut_text(f"{'  ' * (depth + 1)}{projection.machine.id}", detail.label))
        yield _with_bound(row, projection, detail) if same else _projected(row, region, projection, detail)


def _counted(region: RegionReport, label: str, detail: Detail) -> Row:
    profile = region.profile
    iteration = "" if profile.per_iteration is None else iteration_short(profile.per_iteration)
    return Row(label, flops=_quantity(profile.work.flops, region, detail), iteration=iteration)


def _projected(row: Row, region: RegionReport, projection: Projection, detail: Detail) -> Row:
    counted = _with_bytes(row, region, projection.moved, projection.intensity, detail)
    return _with_bound(counted, projection, detail)


def _with_bytes(row: Row, region: RegionReport, moved: MovedBytes, intensity: Ratio, detail: Detail) -> Row:
    return replace(
        row,
        bytes=_quantity(moved.total, region, detail),
        read=_quantity(moved.read, region, detail),
        write_allocate=_quantity(moved.write_allocate, region, detail),
        written=_quantity(moved.write, region, detail),
        intensity=_intensity(intensity, detail),
    )


def _quantity(quantity: Quantity, region: RegionReport, detail: Detail) -> str:
    if quantity.is_zero:
        return f"{mark_of(quantity)}0"
    values = region.profile.values
    value = number(quantity.estimate, values)
    if not detail.rounded or value is None or abs(value) < _ROUNDED:
        return cut_formula(quantity_text(quantity, values, short=True), detail.formula)
    return f"{mark_of(quantity, values)}{float(value):.{detail.digits}g}".replace("e+0", "e").replace("e+", "e")


def _intensity(ratio: Ratio, detail: Detail) -> str:
    value = ratio.number
    if detail.full:
        return intensity_text(ratio)
    if value is None:
        text = intensity_text(ratio)
        return text if len(text) <= max(detail.formula, _LEAST_FORMULA) else short_intensity(ratio, detail.formula)
    return ratio_mark(ratio) + fraction_text(value) if detail.fraction else short_intensity(ratio, detail.formula)


def _with_bound(row: Row, projection: Projection, detail: Detail) -> Row:
    kind, level = projection.bound, part_text(projection)
    if detail.rounded:
        bound = (level or kind.value) + ("?" if projection.close_call else "")
    else:
        bound = kind.value + (f" ({level})" if level else "") + ("?" if projection.close_call else "")
    time = time_text(projection, detail.digits)
    return replace(row, bound=bound, rate=_rate(projection, detail), time=time, kind=kind)


def _rate(projection: Projection, detail: Detail) -> str:
    if detail.full:
        pace = pace_text(projection)
        return rate_text(projection) + (f" = {pace}" if pace else "")
    return short_rate(projection, detail.digits)
