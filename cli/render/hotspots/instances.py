"""One hotspot for several runs of a nest: which of them is shown, and what adds up.

Runs in one function add up, unless a flag chooses of them; of those in several functions, the one with most known sizes
is shown, and of equal ones that of a caller, where arguments that are one array are known; instances of a
template that no function calls are one where their figures are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from msgspec.structs import replace

from analyzer.given_values import is_trip
from analyzer.quantities.quantity import Quantity, add
from analyzer.quantities.quasipolynomial import Count
from roofline.model.intensity import ratio

from .hotspots import Hotspot


def hotspots_at(several: Sequence[Hotspot], names: Sequence[str]) -> Iterator[Hotspot]:
    """Yield the hotspot of a location; of a template that no function calls, one for instances with equal figures."""
    several = _without_equal(several, names)
    spot = reduce(_preferred, several)
    if len(names) < 2 or spot.caller not in names:
        yield replace(spot, within=name_of_all(names), instances=max(1, len(names)))
        return
    alike: list[list[Hotspot]] = []
    for name in dict.fromkeys(spot.caller for spot in several if spot.caller in names):
        one = reduce(_preferred, [each for each in several if each.caller == name])
        group = next((group for group in alike if _figures(group[0]) == _figures(one)), None)
        if group is None:
            alike.append([one])
        else:
            group.append(one)
    for group in alike:
        yield replace(group[0], within=name_of_all([spot.caller for spot in group]), instances=len(group))


def name_of_all(names: Sequence[str]) -> str:
    """Return the name of the instances of a template: of several the one without their arguments.

    >>> name_of_all(["scale<8>", "scale<16>"]), name_of_all(["S<int>::add"]), name_of_all([])
    ('scale<...>', 'S<int>::add', '')
    >>> name_of_all(["S<int>::add", "S<float>::add"])
    'S<...>::add'
    """
    if len(names) < 2:
        return next(iter(names), "")
    first, last = names[0].partition("<")[0], names[0].rpartition(">")[2]
    is_common = all(name.startswith(f"{first}<") and name.endswith(f">{last}") for name in names)
    return f"{first}<...>{last}" if is_common else names[0]


def _without_equal(several: Sequence[Hotspot], names: Sequence[str]) -> Sequence[Hotspot]:
    """Return runs without those of a function by itself where a caller's run has the same work on other data."""
    called = [spot for spot in several if spot.caller not in names and spot.time is not None]
    if not called:
        return several
    done = [(_work_of(spot), _data_of(spot)) for spot in reversed(called)]
    return [spot for spot in several if spot.caller not in names or _is_as_called(spot, done)]


def _is_as_called(spot: Hotspot, done: Sequence[tuple[Count, Count]]) -> bool:
    """Return whether no caller's run has the same work, or the last one that has it has the same data."""
    work = _work_of(spot)
    data = next((data for other, data in done if other.equals(work)), None)
    return data is None or data.equals(_data_of(spot))


def _work_of(spot: Hotspot) -> Count:
    return spot.work.estimate.bind(spot.profile.values)


def _data_of(spot: Hotspot) -> Count:
    traffic = spot.profile.compulsory_traffic
    return add((traffic.read_bytes, traffic.write_bytes)).estimate.bind(spot.profile.values)


def _figures(spot: Hotspot) -> tuple[Quantity, Quantity, tuple[float | None, ...]]:
    return spot.flops, spot.first.moved, tuple(each.time for each in spot.machines)


def together_in_function(one: Hotspot, other: Hotspot) -> Hotspot:
    """Return two runs of one nest in one function: both together, or the heavier one where a flag chooses of them."""
    mine, its = one.profile.assumed, other.profile.assumed
    flags = {flag.name for flag in (*one.profile.flags, *other.profile.flags)}
    if all(mine.get(name) == its.get(name) for name in flags & mine.keys() & its.keys()):
        return _together(one, other)
    heavy, light = (one, other) if one.weight >= other.weight else (other, one)
    weight = heavy.weight + (light.weight if heavy.is_conditional else 0)
    return replace(heavy, weight=weight, is_alternative=True)


def _together(one: Hotspot, other: Hotspot) -> Hotspot:
    """Return two runs of one nest in one function as the heavier one, with the work and times of both."""
    heavy, light = (one, other) if one.weight >= other.weight else (other, one)
    values, others = heavy.profile.values, light.profile.values
    flops = add((heavy.flops.bind(values), light.flops.bind(others)))
    machines = [
        replace(
            mine,
            moved=(moved := add((mine.moved.bind(values), its.moved.bind(others)))),
            intensity=ratio(heavy.profile, flops, moved),
            seconds=_sum(mine.seconds, its.seconds),
            at_roof=_sum(mine.at_roof, its.at_roof),
            expected=_sum(mine.expected, its.expected),
        )
        for mine, its in zip(heavy.machines, light.machines, strict=True)
    ]
    weight, runs = one.weight + other.weight, one.runs + other.runs
    return replace(heavy, runs=runs, flops=flops, machines=tuple(machines), weight=weight)


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def _preferred(one: Hotspot, other: Hotspot) -> Hotspot:
    """Return which of two functions' runs of a nest is shown: the one with known times or work, then the heavier one.

    One with sizes that the other leaves open is preferred to it, and so is one whose sizes the source names to one
    with unknown trip counts.  All launches of a kernel happen: they add up.
    """
    if one.is_launched and other.is_launched:
        return _together(one, other)
    timed = [spot for spot in (one, other) if spot.time is not None]
    known = timed or [spot for spot in (one, other) if not _open_symbols(spot)]
    if not known and _open_symbols(one) != _open_symbols(other):
        known = [spot for spot in (one, other) if _open_symbols(spot) <= _open_symbols(one) & _open_symbols(other)]
    known = known or [spot for spot in (one, other) if not any(is_trip(name) for name in _open_symbols(spot))]
    return max(known or (one, other), key=lambda spot: spot.weight)


def _open_symbols(spot: Hotspot) -> frozenset[str]:
    return spot.work.estimate.symbols - spot.profile.values.keys()
