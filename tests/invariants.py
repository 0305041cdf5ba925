"""What holds of every report, whatever was analyzed: the rows of a region and their sum, signs, bounds, rates.

A report -> the sentences that it violates.  Counts are compared exactly, at sizes drawn once for symbols without a
value; bytes between caches to a byte for each part and direction, as each is rounded; rates and times to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from analyzer.ir.index import TooManyTerms
from analyzer.ir.nodes import RegionKind
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity, add
from roofline.model.level_bytes import MovedBytes
from roofline.model.projection import Bound, Projection
from roofline.report.report import RegionReport, Report

_ROUNDED = 1e-9
_BYTES_FOR_EACH_PART = 3
_SIZES = (1_009, 2_003)
_OTHER_STATEMENTS = 0.15
"""Share of the bytes that statements beside the innermost loop may have, in rates of its iterations."""


def check_report(report: Report) -> None:
    """Raise ``AssertionError`` with every violation."""
    found = [text for file in report.files for region in file.regions for text in violations(region)]
    assert not found, "\n".join(found)


def violations(region: RegionReport) -> Iterator[str]:
    """Yield what is wrong with a region, with its nests and theirs, and with what they are together."""
    rows = _rows(region)
    for text in _alone(region):
        yield f"{region.profile.name}: {text}"
    for row in rows:
        yield from violations(row)
    if rows:
        for text in _together(region, rows):
            yield f"{region.profile.name} and its parts: {text}"


def _rows(region: RegionReport) -> tuple[RegionReport, ...]:
    return region.nests if region.outside is None else (*region.nests, region.outside)


def _alone(row: RegionReport) -> Iterator[str]:
    for name, quantity in _quantities(row.profile, row.moved, row.served):
        yield from _in_order(name, quantity, row.profile.values)
    for projection in row.projections:
        for text in _speed(row.profile, projection):
            yield f"{projection.machine.id}: {text}"


def _quantities(
    profile: RegionProfile, moved: MovedBytes, served: Sequence[tuple[str, MovedBytes]]
) -> Iterator[tuple[str, Quantity]]:
    yield from _counts(profile)
    yield from _bytes("bytes", moved)
    for level, bytes_of in served:
        yield from _bytes(f"bytes of {level}", bytes_of)
    if profile.distinct is None:  # several nests on a first screen
        return
    footprint = profile.footprint
    for name, extent in (("read", footprint.read), ("written", footprint.written), ("touched", footprint.touched)):
        yield f"elements {name}", extent.elements
        yield f"lines {name}", extent.lines


def _counts(profile: RegionProfile) -> Iterator[tuple[str, Quantity]]:
    """Yield what adds up exactly over the parts of a region."""
    work = profile.work
    yield "FLOPs", work.flops
    for precision, quantity in work.flops_by_precision.items():
        yield f"FLOPs of {precision.value}", quantity
    for key, quantity in work.operations.items():
        yield f"{key.operation.value} {key.function} of {key.precision.value}", quantity
    yield "integer operations", work.integer_operations
    yield "index operations", work.index_operations
    yield "floating-point instructions", work.flop_instructions
    yield "FMA instructions", work.fma_instructions
    for name, references in (("loads", profile.loads), ("stores", profile.stores)):
        yield name, references.elements
        yield f"bytes of {name}", references.bytes
    yield "bytes read into registers", profile.register_traffic.read_bytes
    yield "bytes written from registers", profile.register_traffic.write_bytes


def _bytes(name: str, moved: MovedBytes) -> Iterator[tuple[str, Quantity]]:
    yield f"{name}, read", moved.read
    yield f"{name}, write-allocate", moved.write_allocate
    yield f"{name}, written", moved.write


def _in_order(name: str, quantity: Quantity, values: Mapping[str, int]) -> Iterator[str]:
    """Yield whether a quantity is negative, or outside of its own bounds, at the known sizes."""
    numbers = [
        Fraction(count.evaluate(values)) if count.symbols <= values.keys() else None
        for count in (quantity.lower, quantity.estimate, quantity.upper)
        if count is not None
    ]
    if any(number is not None and number < 0 for number in numbers):
        yield f"{name} negative: {[None if number is None else float(number) for number in numbers]}"
    known = [number for number in numbers if number is not None]
    if any(inner > outer for inner, outer in pairwise(known)):
        yield f"{name} not between its bounds: {[float(number) for number in known]}"


def _speed(profile: RegionProfile, projection: Projection) -> Iterator[str]:
    """Yield contradictions between time, rates, FLOPs, bytes and iterations of one row on one machine."""
    rates = {
        "attainable": projection.attainable,
        "bandwidth": projection.bandwidth_rate,
        "time": projection.time,
    }
    for name, rate in rates.items():
        if rate is not None and not (rate.value > 0 or (name == "time" and rate.value == 0)):
            yield f"{name} is {rate.value}"
    if projection.attainable_range is not None and projection.attainable is not None:
        low, high = (rate.value for rate in projection.attainable_range)
        if not low * (1 - _ROUNDED) <= projection.attainable.value <= high * (1 + _ROUNDED):
            yield f"attainable {projection.attainable.value} outside of {low} to {high}"
    if (projection.bound is Bound.MEMORY) is (projection.level is None):
        yield f"bound by {projection.bound.value}, level {projection.level}"
    if projection.machine.gpu is None:
        yield from _time(profile, projection)


def _time(profile: RegionProfile, projection: Projection) -> Iterator[str]:
    """Yield where the time of a processor is more than its rates make of it, or less than what is certain."""
    time, values = projection.time, profile.values
    if time is None:
        return
    flops = _number(profile.work.flops, values)
    if flops and projection.attainable is not None and not _at_most(time.value, flops / projection.attainable.value):
        yield f"{time.value} s for {flops} FLOPs at {projection.attainable.value}"
    binding = [level for level in projection.levels if level.level == projection.level]
    if not projection.in_sequence and projection.bandwidth_rate is not None and binding:
        size = _number(binding[0].bytes, values)
        if size is not None and not _at_most(time.value, size / projection.bandwidth_rate.value):
            yield f"{time.value} s for {size} bytes at {projection.bandwidth_rate.value}"
    kept = projection.options.warm or (profile.finds_data and not projection.served)  # any line may be there already
    for level in () if projection.in_sequence or kept else projection.levels[1:]:
        size = _number(level.bytes, values, lower=True)
        fastest = projection.machine.greatest_bandwidth(level.level, projection.options.cores)
        if size is not None and fastest is not None and time.value < size / fastest.rate.value * (1 - 1e-6):
            yield f"{time.value} s, {level.level} alone takes {size / fastest.rate.value}"
    iterations = _iterations(profile)
    if iterations is not None and projection.iterations_per_s is not None:
        found = projection.iterations_per_s * time.value
        if not _at_most(found, iterations, _OTHER_STATEMENTS):
            yield f"{projection.iterations_per_s} iterations/s for {time.value} s are {found}, not {iterations}"


def _iterations(profile: RegionProfile) -> float | None:
    """Return the iterations of a row of one innermost loop of one statement; None where that is not so."""
    innermost = [loop for loop in profile.loops if loop.innermost]
    per_iteration = profile.per_iteration
    if len(innermost) != 1 or per_iteration is None or not per_iteration.exact:
        return None
    lines = [line for line in profile.lines if innermost[0].line <= line.line <= innermost[0].end_line]
    runs = {_number(line.executions, profile.values) for line in lines}
    whole = _number(profile.stores.elements, profile.values) if per_iteration.stores == 1 else None
    return whole if len(lines) == len(profile.lines) and runs == {whole} else None


def _together(region: RegionReport, rows: Sequence[RegionReport]) -> Iterator[str]:
    whole = region.profile
    if any(row.profile.assumed != whole.assumed for row in rows):
        yield from _alternatives(region, rows)
        return
    yield from _counts_add_up(whole, [row.profile for row in rows])
    if whole.kind is RegionKind.KERNEL:
        return
    values = whole.values
    if all(row.served for row in rows):
        for number, (level, moved) in enumerate(region.served):
            parts = [row.served[number][1] for row in rows]
            yield from _bytes_add_up(level, moved, parts, values)
    if region.served or (region.projections and region.projections[0].options.convention is None):
        yield from _bytes_add_up("moved", region.moved, [row.moved for row in rows], values)
    for number, projection in enumerate(region.projections):
        times = [row.projections[number].time for row in rows]
        unknown = [
            row.profile.name
            for row in rows
            if row.projections[number].time is None and row.projections[number].bound is not Bound.NOTHING
        ]
        if projection.time is None or unknown:
            continue
        total = sum(time.value for time in times if time is not None)
        if not _close(projection.time.value, total, 1e-6):
            yield f"{projection.machine.id}: {projection.time.value} s, parts {total}"


_OF_ALTERNATIVES: Mapping[str, Callable[[RegionReport], Quantity]] = {
    "FLOPs": lambda row: row.profile.work.flops,
    "loads": lambda row: row.profile.loads.elements,
    "stores": lambda row: row.profile.stores.elements,
    "bytes": lambda row: row.moved.total,
}


def _alternatives(region: RegionReport, rows: Sequence[RegionReport]) -> Iterator[str]:
    """Yield where a region of alternatives has more than all of its rows together."""
    values = region.profile.values
    for name, of in _OF_ALTERNATIVES.items():
        numbers = [_number(of(row), row.profile.values) for row in (region, *rows)]
        known = [number for number in numbers if number is not None]
        if len(known) == len(numbers) and not _at_most(known[0], sum(known[1:]) + _BYTES_FOR_EACH_PART * len(rows)):
            yield f"{name}: {known[0]}, all alternatives {sum(known[1:])}"
    for number, (level, moved) in enumerate(region.served if all(row.served for row in rows) else ()):
        whole = _number(moved.total, values)
        parts = [_number(row.served[number][1].total, row.profile.values) for row in rows]
        most = sum(part for part in parts if part is not None) + _BYTES_FOR_EACH_PART * len(rows)
        if whole is not None and None not in parts and not _at_most(whole, most):
            yield f"bytes of {level}: {whole}, all alternatives {most}"
    for number, projection in enumerate(region.projections):
        times = [row.projections[number].time for row in rows]
        total = sum(time.value for time in times if time is not None)
        if projection.time is not None and projection.time.value > total * (1 + _ROUNDED):
            yield f"{projection.machine.id}: {projection.time.value} s, all alternatives {total}"


def _counts_add_up(whole: RegionProfile, parts: Sequence[RegionProfile]) -> Iterator[str]:
    wanted, found = dict(_counts(whole)), [dict(_counts(part)) for part in parts]
    names = wanted.keys() | {name for part in found for name in part}
    for name in sorted(names):
        mine = wanted.get(name)
        theirs = add(part[name] for part in found if name in part)
        symbols = theirs.estimate.symbols | (mine.estimate.symbols if mine else frozenset())
        for size in _SIZES:
            values = {symbol: size + 7 * place for place, symbol in enumerate(sorted(symbols))} | dict(whole.values)
            try:
                left = 0 if mine is None else mine.estimate.evaluate(values)
                right = theirs.estimate.evaluate(values)
            except TooManyTerms:
                break
            if left != right:
                yield f"{name}: {left}, parts {right}"
                break


def _bytes_add_up(
    name: str, whole: MovedBytes, parts: Sequence[MovedBytes], values: Mapping[str, int]
) -> Iterator[str]:
    for kind, quantity in _bytes(name, whole):
        sums = [dict(_bytes(name, part))[kind] for part in parts]
        numbers = [_number(each, values) for each in (quantity, *sums)]
        if any(number is None for number in numbers):
            continue
        left, *rest = (number or 0.0 for number in numbers)
        if abs(left - sum(rest)) > _BYTES_FOR_EACH_PART * len(rest) + _ROUNDED * left:
            yield f"{kind}: {left}, parts {sum(rest)}"


def _number(quantity: Quantity, values: Mapping[str, int], *, lower: bool = False) -> float | None:
    count = quantity.lower if lower else quantity.estimate
    return float(count.evaluate(values)) if count.symbols <= values.keys() else None


def _at_most(left: float, right: float, relative: float = _ROUNDED) -> bool:
    return left <= right * (1 + relative)


def _close(left: float, right: float, relative: float = _ROUNDED) -> bool:
    return abs(left - right) <= relative * max(abs(left), abs(right))
