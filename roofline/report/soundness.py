"""Inconsistent figures: found before a region is reported, and left unknown.

A profile and its traffic -> the same, without what contradicts itself, and a finding for each region that lost figures.
A count is not negative and lies within its bounds, wherever its value is known. Work of parts is that of their sum. A
cache asks the next one for no more lines than it misses, and each level at least for what is read first; it writes
back at least what is written. Bytes of nests are those of the function, and what a kernel asks for has moved. A rate
is more than nothing, a time not less. What fails is a defect of this program: it costs the figures that it is about,
and what follows from them, but not the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from analyzer.counts.results import NotCounted, References, Work
from analyzer.diagnostics import Diagnostic
from analyzer.ir.nodes import MemorySpace, RegionKind
from analyzer.profile import DistinctData, RegionProfile
from analyzer.quantities.quantity import ZERO, Quantity, add, map_quantities, unbounded
from analyzer.quantities.quasipolynomial import NOTHING, Count
from analyzer.traffic.hierarchy import Inclusion
from analyzer.traffic.results import ArrayFootprint, CacheTraffic, Extent, Footprint, LevelTraffic, RegionTraffic

from ..model.projection import Bound, Projection
from ..model.verdicts.reasons import NotSound

UNKNOWN = unbounded(NOTHING, NOTHING)
"""What an inconsistent figure is replaced by."""
_ROUNDED = Fraction(1, 1000)
_LINES = 64
_MOVED = (MemorySpace.GLOBAL, MemorySpace.TEXTURE)
_WITH_QUANTITIES = {
    kind: kind.__struct_fields__
    for kind in (Work, NotCounted, References, DistinctData, Footprint, ArrayFootprint, Extent, LevelTraffic)
}

Values = Mapping[str, int]


class Sound(Struct, frozen=True):
    """A region without its inconsistent figures, and the names of these."""

    profile: RegionProfile
    traffic: RegionTraffic
    diagnostics: tuple[Diagnostic, ...] = ()


def sound(profile: RegionProfile, traffic: RegionTraffic) -> Sound:
    """Return a region in which every inconsistent figure is unknown; the same objects where there is none."""
    lost: dict[tuple[str, str], RegionProfile] = {}

    def lose(owner: RegionProfile, figure: str) -> None:
        lost.setdefault((owner.name, figure), owner)

    kept = _profile(profile, lose, {})
    moved = _traffic(profile, traffic, lose, first=not (profile.parts or profile.assumed or profile.choices))
    found = tuple(unsound(owner, figure) for (_, figure), owner in lost.items())
    return Sound(kept, moved, found)


def unsound(owner: RegionProfile, figure: str) -> Diagnostic:
    """Return the finding that a figure of a region is inconsistent."""
    return Diagnostic.of("AI216", owner.span, "figure", name=owner.name, figure=figure)


# --- counts --------------------------------------------------------------------------------------------------------

_COUNTS = ("work", "loads", "stores", "distinct", "register_traffic")
Lose = Callable[[RegionProfile, str], None]


def _profile(profile: RegionProfile, lose: Lose, possible: dict[int, Quantity | Count]) -> RegionProfile:
    """Return a profile without inconsistent counts; ``possible`` are the others, at the values of the region."""
    changes: dict[str, Any] = {}
    values = profile.values
    for name in () if _all_possible(profile, _COUNTS, possible) else _COUNTS:
        part = getattr(profile, name)
        impossible = [*_impossible(part, values, name)]
        for figure in impossible:
            lose(profile, figure)
        if impossible:
            changes[name] = map_quantities(part, lambda each: each if _is_possible(each, values) else UNKNOWN)
    nests = tuple(_profile(nest, lose, possible if nest.values == values else {}) for nest in profile.nests)
    if any(new is not old for new, old in zip(nests, profile.nests, strict=True)):
        changes["nests"] = nests
    if profile.outside is not None:
        outside = _profile(profile.outside, lose, possible if profile.outside.values == values else {})
        if outside is not profile.outside:
            changes["outside"] = outside
    for name in _unequal(profile):
        lose(profile, name)
        changes[name] = map_quantities(getattr(profile, name), lambda _: UNKNOWN)
    return replace(profile, **changes) if changes else profile


def _all_possible(profile: RegionProfile, names: Iterable[str], possible: dict[int, Quantity | Count]) -> bool:
    """Return whether every quantity of some parts of a profile is possible: nearly always, so that none is named.

    ``possible`` gets those that can, by their identity: many figures are one object.
    """
    waiting: list[Any] = [getattr(profile, name) for name in names]
    while waiting:
        part = waiting.pop()
        kind = type(part)
        if kind is Quantity:
            one = part.estimate if part.estimate is part.lower and part.estimate is part.upper else part
            if id(one) not in possible:
                if not _is_possible(part, profile.values):
                    return False
                possible[id(one)] = one
        elif kind in _WITH_QUANTITIES:
            waiting += [getattr(part, field) for field in _WITH_QUANTITIES[kind]]
        elif kind is tuple:
            waiting += part
        elif isinstance(part, Mapping):
            waiting += part.values()
    return True


def _impossible(part: Any, values: Values, name: str) -> Iterator[str]:
    """Yield the names of the inconsistent quantities of a part of a profile."""
    kind = type(part)
    if kind is Quantity:
        if part is not ZERO and not _is_possible(part, values):
            yield name
    elif kind is tuple:
        for item in part:
            yield from _impossible(item, values, name)
    elif kind in _WITH_QUANTITIES:
        for field in _WITH_QUANTITIES[kind]:
            yield from _impossible(getattr(part, field), values, f"{name}.{field}")
    elif isinstance(part, Mapping):
        for item in part.values():
            yield from _impossible(item, values, name)


def _is_possible(quantity: Quantity, values: Values) -> bool:
    """Return whether a quantity is not negative, and between its bounds, where these have a value."""
    last: Fraction | int = 0
    before = None
    for count in (quantity.lower, quantity.estimate, quantity.upper):  # one object where it is exact
        if count is None or count is before or not count.symbols <= values.keys():
            continue
        before = count
        number = count.evaluate(values)
        if number < last:
            return False
        last = number
    return True


def _unequal(profile: RegionProfile) -> Iterator[str]:
    """Yield what of a region is not the sum over its parts."""
    parts = profile.parts
    if not parts or profile.assumed or any(part.assumed for part in parts) or profile.kind is RegionKind.KERNEL:
        return
    for name, of in _SUMS.items():
        whole, found = _value(of(profile), profile.values), [_value(of(part), profile.values) for part in parts]
        if whole is not None and None not in found and whole != sum(each for each in found if each is not None):
            yield name


_SUMS: Mapping[str, Callable[[RegionProfile], Quantity]] = {
    "work": lambda profile: profile.work.flops,
    "loads": lambda profile: profile.loads.elements,
    "stores": lambda profile: profile.stores.elements,
}


def _value(quantity: Quantity, values: Values) -> Fraction | int | None:
    count = quantity.estimate
    return count.evaluate(values) if count.symbols <= values.keys() else None


# --- bytes ---------------------------------------------------------------------------------------------------------


def _traffic(profile: RegionProfile, traffic: RegionTraffic, lose: Lose, *, first: bool) -> RegionTraffic:
    """Return the bytes of a region, if they are possible; where it touches its data ``first``, caches hold none."""
    models = tuple(_caches(profile, caches, lose, first=first) for caches in traffic.models)
    if not all(_adds_up(profile, traffic, caches) for caches in models):
        lose(profile, "bytes")
        models = tuple(map(_unknown, models))
    nests = tuple(
        _traffic(nest, moved, lose, first=not (nest.finds_data or nest.assumed or nest.repetitions > 1))
        for nest, moved in zip(profile.nests, traffic.nests, strict=False)
    )
    outside = traffic.outside
    if profile.outside is not None and outside is not None:
        outside = _traffic(profile.outside, outside, lose, first=False)
    same = all(new is old for new, old in zip((*models, *nests), (*traffic.models, *traffic.nests), strict=False))
    if same and outside is traffic.outside:
        return traffic
    return replace(traffic, models=models, nests=(*nests, *traffic.nests[len(nests) :]), outside=outside)


def _caches(profile: RegionProfile, caches: CacheTraffic, lose: Lose, *, first: bool) -> CacheTraffic:
    """Return the bytes of the levels of a hierarchy; none is known where one of them is inconsistent."""
    possible = not [*_impossible(caches.levels, profile.values, "bytes")] and _shrinks(caches, profile.values)
    if possible and (not first or _moves_what_it_must(profile, caches)) and _moves_what_it_asks_for(caches):
        return caches
    lose(profile, "bytes")
    return _unknown(caches)


def _unknown(caches: CacheTraffic) -> CacheTraffic:
    return replace(caches, levels=tuple(map(_without_bytes, caches.levels)))


def _without_bytes(level: LevelTraffic) -> LevelTraffic:
    return replace(level, read_bytes=UNKNOWN, write_allocate_bytes=UNKNOWN, write_bytes=UNKNOWN)


def _shrinks(caches: CacheTraffic, values: Values) -> bool:
    """Return whether each cache asks for no more lines than the one before; the first has elements, and no lines."""
    hierarchy = caches.hierarchy
    levels = hierarchy.levels
    if hierarchy.gpu is not None or any(level.inclusion is Inclusion.VICTIM for level in levels):
        return True
    if len({level.line_bytes for level in levels}) > 1:
        return True
    asked = [_value(add((level.read_bytes, level.write_allocate_bytes)), values) for level in caches.levels[1:]]
    known = [number for number in asked if number is not None]
    return all(outer <= inner * (1 + _ROUNDED) + _LINES for inner, outer in pairwise(known))


def _moves_what_it_must(profile: RegionProfile, caches: CacheTraffic) -> bool:
    """Return whether each level sends at least the distinct bytes that are read first, and gets what is written.

    Of warm caches, kernels and rows of average lengths that is not known; nor of several nests together, as these may
    see one array by elements of different types.
    """
    if caches.warm or caches.hierarchy.gpu is not None or profile.kind is RegionKind.KERNEL or profile.averages:
        return True
    must, values = profile.compulsory_traffic, profile.values
    streams = not profile.register_traffic.past_caches.is_zero  # only the memory sees what is stored past the caches
    for level in caches.levels[-1:] if streams else caches.levels[1:]:
        for least, most in (
            (must.read_bytes, add((level.read_bytes, level.write_allocate_bytes))),
            (must.write_bytes, level.write_bytes),
        ):
            if most.upper is None or not (least.lower.symbols | most.upper.symbols) <= values.keys():
                continue
            if most.upper.evaluate(values) < least.lower.evaluate(values) * (1 - _ROUNDED) - _LINES:
                return False
    return True


def _moves_what_it_asks_for(caches: CacheTraffic) -> bool:
    """Return whether each level moves bytes of a kernel that loads what it does not store, and of one that stores.

    The last cache may hold all of it when it is warm.
    """
    asked = [each for each in caches.requests if each.space in _MOVED and each.sectors >= 1]
    stored = {each.array for each in asked if each.write}
    loads = any(each.array not in stored for each in asked)
    for level in caches.levels[1:-1] if caches.warm else caches.levels[1:]:
        if (loads and _is_nothing(level.read_bytes)) or (stored and _is_nothing(level.write_bytes)):
            return False
    return True


def _is_nothing(size: Quantity) -> bool:
    return size.upper is not None and not size.upper.symbols and size.upper.evaluate({}) == 0


def _adds_up(profile: RegionProfile, traffic: RegionTraffic, caches: CacheTraffic) -> bool:
    """Return whether the bytes of a function that each level reads and writes are those of all its parts."""
    if not profile.parts or profile.assumed or any(part.assumed for part in profile.parts):
        return True
    parts = [part.on(caches.hierarchy) for part in traffic.parts]
    if len(traffic.models) > 1 or len(parts) < len(profile.parts):
        return True
    for number, level in enumerate(caches.levels[1:], 1):
        for name in ("read_bytes", "write_allocate_bytes", "write_bytes"):
            whole = _value(getattr(level, name), profile.values)
            found = [
                None if part is None else _value(getattr(part.levels[number], name), profile.values) for part in parts
            ]
            known = [each for each in found if each is not None]
            if whole is None or len(known) < len(found):
                continue
            rounded = whole * _ROUNDED + _LINES
            if not -rounded <= whole - sum(known) <= rounded:
                return False
    return True


# --- rates ---------------------------------------------------------------------------------------------------------


def with_sound_rates(projection: Projection) -> Projection:
    """Return a projection; without rates and times where one of them is inconsistent."""
    rates = (projection.attainable, projection.bandwidth_rate)
    possible = all(rate is None or rate.value > 0 for rate in rates)
    possible &= projection.time is None or projection.time.value >= 0
    if projection.attainable is not None and projection.attainable_range is not None:
        low, high = (rate.value for rate in projection.attainable_range)
        rounded = float(_ROUNDED)
        possible &= low * (1 - rounded) <= projection.attainable.value <= high * (1 + rounded)
    if possible:
        return projection
    return replace(
        projection,
        bound=Bound.UNKNOWN,
        level=None,
        attainable=None,
        attainable_range=None,
        bandwidth_rate=None,
        iterations_per_s=None,
        time=None,
        reason=NotSound(),
    )
