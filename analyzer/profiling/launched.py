"""A kernel that is launched many times: the sum over its launches, from the profiles of some of them.

Input: the profiles of all launches, or of some and one with symbols for what varies (the formula).  Output: one profile
with sums in place of all counts and bytes; properties that do not add up (loops, occupancy) are those of the largest
launch.

Counts of operations and references come from the formula, evaluated for every launch, where it agrees with each of
the analyzed launches.  Bytes of caches, and counts without a formula, are interpolated between launches
(:mod:`..quantities.blend`): their weight is the bytes of their references, else the number of threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import gcd, lcm, prod
from typing import TypeVar

from msgspec.structs import replace

from ..counts.results import LineWork, NotCounted, References, Work
from ..ir.index import Number
from ..ir.launches import LaunchSeries, RepeatedLaunch
from ..ir.nodes import RegionKind
from ..profile import DistinctData, RegionProfile, RepeatedLaunches
from ..quantities.blend import Blend, blend_of
from ..quantities.quantity import ZERO, Exactness, Quantity, add, exact, unbounded
from ..quantities.quasipolynomial import Count, fixed, weighted
from ..traffic.results import ArrayFootprint, CacheTraffic, Extent, Footprint, LevelTraffic, RegionTraffic, Request

Sum = Callable[[Sequence[Quantity]], Quantity]
Key = TypeVar("Key", bound=Hashable)


Analyzed = tuple[RegionProfile, RegionTraffic]


def over_launches(series: LaunchSeries, analyzed: Mapping[int, Analyzed], formula: RegionProfile | None) -> Analyzed:
    """Return the sum over the launches of a series; ``analyzed`` are some of them by position, at least one."""
    analyzed = _modelled(analyzed)
    positions = tuple(sorted(analyzed))
    profiles = [analyzed[position][0] for position in positions]
    traffics = [analyzed[position][1] for position in positions]
    found = None if formula is None else _Formula(series, formula)
    is_exact = found is not None and all(map(found.agrees, positions, profiles))
    sums = found if is_exact else None
    weights = [_weight(item, sums, position) for position, item in enumerate(series.launches)]
    counts = [(item.least, item.most) for item in series.launches]
    blend = blend_of([(1, 1)] if series.most == 1 else counts, weights, positions)
    largest = max(range(len(positions)), key=lambda number: weights[positions[number]])
    numbers = [_varying(series, profile) for profile in profiles]
    add_up: Sum = partial(_bound_total, blend, numbers)
    add_counts: Sum = add_up if sums is None else sums.total
    if series.is_open and series.most > 1:
        add_up, add_counts = _at_least(add_up), _at_least(add_counts)
    whole = _with_bytes(profiles[largest], profiles, add_up)
    traffic = _traffic(traffics[largest], traffics, add_up, blend)
    whole = _with_counts(whole, profiles if sums is None else [sums.profile], add_counts)
    symbols = tuple(name for name in whole.symbols if name not in numbers[0])
    values = {name: value for name, value in whole.values.items() if name not in numbers[0]}
    whole = replace(whole, symbols=symbols, values=values)
    launches = RepeatedLaunches(series, tuple(zip(positions, profiles, strict=True)), blend)
    return replace(whole, launches=launches, is_bound=bool(values)), traffic


def _modelled(analyzed: Mapping[int, Analyzed]) -> Mapping[int, Analyzed]:
    """Return the launches whose caches are modelled, where not all are: what took too long is as its neighbours."""
    found = {position: one for position, one in analyzed.items() if one[1].models}
    return found or analyzed


def _varying(series: LaunchSeries, profile: RegionProfile) -> dict[str, int]:
    """Return the values in one launch of the symbols that vary from launch to launch."""
    names = {name for item in series.launches for name, _ in item.values}
    return {name: value for name, value in profile.values.items() if name in names}


def _bound_total(blend: Blend, numbers: Sequence[Mapping[str, int]], quantities: Sequence[Quantity]) -> Quantity:
    return blend.total([quantity.bind(known) for quantity, known in zip(quantities, numbers, strict=True)])


def _weight(item: RepeatedLaunch, sums: _Formula | None, position: int) -> Fraction:
    if sums is not None:
        return sums.references(position)
    return Fraction(prod(extent or 1 for extent in (*item.launch.grid, *item.launch.block)))


class _Formula:
    """The counts of every launch, from those with symbols for what varies."""

    def __init__(self, series: LaunchSeries, profile: RegionProfile) -> None:
        self.profile = profile
        self._series = series
        self._varying = [dict(item.values) for item in series.launches]
        names = {name for values in self._varying for name in values}
        self._same = {name: value for name, value in profile.values.items() if name not in names}
        self._numbers: dict[Hashable, list[Number]] = {}
        traffic = profile.register_traffic
        self._references = self._each(add((traffic.read_bytes, traffic.write_bytes)).estimate)

    def agrees(self, position: int, profile: RegionProfile) -> bool:
        """Return whether the counts of one launch follow from the formula."""
        known = {**self._same, **self._varying[position]}
        if not set(self.profile.symbols) <= {*known, *profile.symbols}:
            return False
        pairs = (
            (self.profile.work.flops, profile.work.flops),
            (self.profile.register_traffic.read_bytes, profile.register_traffic.read_bytes),
            (self.profile.register_traffic.write_bytes, profile.register_traffic.write_bytes),
        )
        ends = [(one, other) for quantities in pairs for one, other in zip(*map(_ends, quantities), strict=False)]
        return all((one.bind(known) - other.bind(profile.values)).is_zero for one, other in ends)

    def references(self, position: int) -> Fraction:
        """Return the bytes that the references of one launch ask for; 1 where sizes are not known."""
        return Fraction(1) if self._references is None else Fraction(self._references[position])

    def total(self, quantities: Sequence[Quantity]) -> Quantity:
        """Return the sum of one quantity over all launches."""
        (quantity,) = quantities
        is_certain = all(item.least == item.most for item in self._series.launches)
        estimate = self._over(quantity.estimate, "most")
        if quantity.is_exact and is_certain:
            return exact(estimate)
        lower = self._over(quantity.lower, "least")
        if quantity.upper is None:
            return unbounded(estimate, lower)
        kind = quantity.exactness if is_certain else Exactness.INTERVAL
        return Quantity(estimate, lower, self._over(quantity.upper, "most"), kind)

    def _over(self, count: Count, times: str) -> Count:
        often = [getattr(item, times) for item in self._series.launches]
        numbers = self._each(count)
        if numbers is not None:
            return fixed(sum(number * made for number, made in zip(numbers, often, strict=True)))
        bound = (count.bind({**self._same, **values}) for values in self._varying)
        return weighted(zip(bound, often, strict=True))

    def _each(self, count: Count) -> list[Number] | None:
        """Return the count in every launch; None where it has another symbol.

        Multiples of one count are evaluated once.
        """
        bound = count.bind(self._same)
        if not all(bound.symbols <= values.keys() for values in self._varying):
            return None
        factor = _common_factor(bound)
        unit = bound * (1 / factor)
        key = tuple((chamber.guard, frozenset(chamber.value.terms.items())) for chamber in unit.chambers)
        if key not in self._numbers:
            self._numbers[key] = [unit.evaluate(values) for values in self._varying]
        return [_whole(number * factor) for number in self._numbers[key]]


def _ends(quantity: Quantity) -> tuple[Count, ...]:
    """Return the bounds of a quantity and its estimate."""
    return tuple(count for count in (quantity.lower, quantity.estimate, quantity.upper) if count is not None)


def _common_factor(count: Count) -> Fraction:
    """Return the greatest common divisor of all coefficients: divided by it they are integers, which are fast."""
    numbers = [Fraction(number) for chamber in count.chambers for number in chamber.value.terms.values() if number]
    if not numbers:
        return Fraction(1)
    return Fraction(gcd(*(number.numerator for number in numbers)), lcm(*(number.denominator for number in numbers)))


def _whole(number: Number) -> Number:
    return int(number) if number.denominator == 1 else number


def _at_least(add_up: Sum) -> Sum:
    return lambda quantities: add_up(quantities).at_least()


def _with_counts(whole: RegionProfile, profiles: Sequence[RegionProfile], add_up: Sum) -> RegionProfile:
    """Return the profile with the sums of operations and references."""
    return replace(
        whole,
        work=_work([profile.work for profile in profiles], add_up),
        loads=_references([profile.loads for profile in profiles], add_up),
        stores=_references([profile.stores for profile in profiles], add_up),
        register_traffic=_level([profile.register_traffic for profile in profiles], add_up),
        lines=_lines([profile.lines for profile in profiles], add_up),
    )


def _with_bytes(whole: RegionProfile, profiles: Sequence[RegionProfile], add_up: Sum) -> RegionProfile:
    """Return the profile with the sums of distinct data; it is one row, without nests."""
    return replace(
        whole,
        kind=RegionKind.KERNEL,
        distinct=_distinct([profile.distinct for profile in profiles if profile.distinct is not None], add_up),
        assumptions=tuple(dict.fromkeys(note for one in (whole, *profiles) for note in one.assumptions)),
        nests=(),
        access_patterns=whole.nests[0].access_patterns if len(whole.nests) == 1 else whole.access_patterns,
    )


def _distinct(found: Sequence[DistinctData], add_up: Sum) -> DistinctData:
    """Return the sums of distinct data, with those of lines where all have these."""
    lines = [one.line_traffic for one in found if one.line_traffic is not None]
    return DistinctData(
        _footprint([one.footprint for one in found], add_up),
        _level([one.traffic for one in found], add_up),
        _level(lines, add_up) if len(lines) == len(found) else None,
    )


def _traffic(largest: RegionTraffic, traffics: Sequence[RegionTraffic], add_up: Sum, blend: Blend) -> RegionTraffic:
    """Return the bytes of all launches: those of the analyzed ones, interpolated for the others."""
    notes = tuple(dict.fromkeys(note for one in (largest, *traffics) for note in one.notes))
    return RegionTraffic(tuple(_caches(largest, traffics, add_up, blend)), notes=notes, launches=tuple(traffics))


def _work(parts: Sequence[Work], add_up: Sum) -> Work:
    return Work(
        operations=_by_key([part.operations for part in parts], add_up),
        flops=add_up([part.flops for part in parts]),
        flops_by_precision=_by_key([part.flops_by_precision for part in parts], add_up),
        fma_instructions=add_up([part.fma_instructions for part in parts]),
        flop_instructions=add_up([part.flop_instructions for part in parts]),
        integer_operations=add_up([part.integer_operations for part in parts]),
        index_operations=add_up([part.index_operations for part in parts]),
        not_counted=_left_out([part.not_counted for part in parts], add_up),
        not_located=_left_out([part.not_located for part in parts], add_up),
        without_cost=_left_out([part.without_cost for part in parts], add_up),
    )


def _left_out(parts: Sequence[Sequence[NotCounted]], add_up: Sum) -> tuple[NotCounted, ...]:
    """Return what parts leave out, each thing once, with how often it runs in all of them."""
    found = {(item.what, item.span): item for part in parts for item in part}
    runs = _by_key([{(item.what, item.span): item.runs for item in part} for part in parts], add_up)
    return tuple(replace(item, runs=runs[key]) for key, item in found.items())


def _references(parts: Sequence[References], add_up: Sum) -> References:
    return References(add_up([part.elements for part in parts]), add_up([part.bytes for part in parts]))


def _lines(parts: Sequence[tuple[LineWork, ...]], add_up: Sum) -> tuple[LineWork, ...]:
    by_line = [{(item.line, item.path): item for item in part} for part in parts]

    def each(name: str) -> dict[tuple[int, str], Quantity]:
        return _by_key([{line: getattr(item, name) for line, item in part.items()} for part in by_line], add_up)

    flops, loads, stores, runs = (each(name) for name in ("flops", "load_bytes", "store_bytes", "executions"))
    return tuple(LineWork(at[0], flops[at], loads[at], stores[at], runs[at], at[1]) for at in sorted(flops))


def _footprint(parts: Sequence[Footprint], add_up: Sum) -> Footprint:
    arrays = [{array.array: array for array in part.arrays} for part in parts]
    names = dict.fromkeys(name for part in arrays for name in part)
    nothing = Extent(ZERO, ZERO, ZERO)
    none = ArrayFootprint("", nothing, nothing, nothing)
    found = {name: [part.get(name, none) for part in arrays] for name in names}
    return Footprint(
        parts[0].line_bytes,
        _extent([part.read for part in parts], add_up),
        _extent([part.written for part in parts], add_up),
        _extent([part.touched for part in parts], add_up),
        tuple(_array(name, items, add_up) for name, items in found.items()),
    )


def _array(name: str, parts: Sequence[ArrayFootprint], add_up: Sum) -> ArrayFootprint:
    return ArrayFootprint(
        name,
        _extent([part.read for part in parts], add_up),
        _extent([part.written for part in parts], add_up),
        _extent([part.touched for part in parts], add_up),
    )


def _extent(parts: Sequence[Extent], add_up: Sum) -> Extent:
    return Extent(
        add_up([part.elements for part in parts]),
        add_up([part.bytes for part in parts]),
        add_up([part.lines for part in parts]),
    )


def _level(parts: Sequence[LevelTraffic], add_up: Sum) -> LevelTraffic:
    return replace(
        parts[0],
        read_bytes=add_up([part.read_bytes for part in parts]),
        write_allocate_bytes=add_up([part.write_allocate_bytes for part in parts]),
        write_bytes=add_up([part.write_bytes for part in parts]),
    )


def _caches(
    largest: RegionTraffic, traffics: Sequence[RegionTraffic], add_up: Sum, blend: Blend
) -> Iterator[CacheTraffic]:
    """Yield the traffic of the hierarchies that are modelled for every analyzed launch."""
    for own in largest.models:
        found = [traffic for one in traffics if (traffic := one.on(own.hierarchy)) is not None]
        if len(found) == len(traffics):
            levels = tuple(_level(parts, add_up) for parts in zip(*(item.levels for item in found), strict=True))
            requests = _requests([item.requests for item in found], blend)
            yield replace(own, levels=levels, requests=requests)


def _requests(parts: Sequence[tuple[Request, ...]], blend: Blend) -> tuple[Request, ...]:
    """Return the requests of all launches; within a launch those with the same text are matched by their order."""
    numbered = [dict(_numbered(part)) for part in parts]
    keys = dict.fromkeys(key for part in numbered for key in part)

    return tuple(_request([part.get(key) for part in numbered], blend) for key in keys)


def _request(parts: Sequence[Request | None], blend: Blend) -> Request:
    def each(number: Callable[[Request], float]) -> float:
        return blend.number([0.0 if part is None else number(part) for part in parts])

    is_sum = blend.is_complete and blend.least == blend.most
    return replace(
        next(part for part in parts if part is not None),
        accesses=each(lambda part: part.accesses),
        requests=each(lambda part: part.requests),
        sectors=each(lambda part: part.sectors),
        useful_bytes=each(lambda part: part.useful_bytes),
        passes=each(lambda part: part.passes),
        least_passes=each(lambda part: part.least_passes),
        sectors_error=max(part.sectors_error for part in parts if part is not None),
        is_scaled=not is_sum or any(part.is_scaled for part in parts if part is not None),
    )


def _numbered(requests: Sequence[Request]) -> Iterator[tuple[tuple[Hashable, ...], Request]]:
    seen: Counter[tuple[Hashable, ...]] = Counter()
    for request in requests:
        key = (request.text, request.line, request.write, request.space, request.is_certain)
        seen[key] += 1
        yield (*key, seen[key]), request


def _by_key(parts: Sequence[Mapping[Key, Quantity]], add_up: Sum) -> dict[Key, Quantity]:
    keys = dict.fromkeys(key for part in parts for key in part)
    return {key: add_up([part.get(key, ZERO) for part in parts]) for key in keys}
