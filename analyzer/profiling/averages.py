"""Trip counts that are averages: a region as a mix of the regions with the whole numbers next to the averages.

An average of 2.5 is half of 2 and half of 3 iterations.  Counts take one average after the other, which is exact where
they are affine in each: of nested loops they are the products of the averages.  Others are lower bounds: most counts
are convex in a trip count, so that one that varies more gives more.  The traffic of caches is that of a few members,
one more than there are averages: from all of them rounded down, the one with the largest fraction is rounded up first
(Freudenthal's triangulation of the cube).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from math import floor
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..profile import RegionProfile
from ..quantities.quantity import Exactness, Quantity, combined, map_quantities, unbounded
from ..quantities.quasipolynomial import NOTHING, Count
from ..traffic.results import RegionTraffic

_OF_FIRST = ("hierarchy", "conditions", "reuses")


class Member(Struct, frozen=True):
    """One member of a mix: its share, and a whole number for each average."""

    share: Fraction
    values: Mapping[str, int]


def members_of(averages: Mapping[str, Fraction]) -> tuple[Member, ...]:
    """Return the members of the mix with a share.

    >>> [(str(member.share), dict(member.values)) for member in members_of({"t": Fraction(9, 4)})]
    [('3/4', {'t': 2}), ('1/4', {'t': 3})]
    """
    values = {name: floor(average) for name, average in averages.items()}
    rest = {name: average - values[name] for name, average in averages.items()}
    found: list[Member] = []
    before = Fraction(1)
    for name in [*sorted(rest, key=lambda each: (-rest[each], each)), None]:
        after = Fraction(0) if name is None else rest[name]
        if before > after:
            found.append(Member(before - after, dict(values)))
        before = after
        if name is not None:
            values[name] += 1
    return tuple(found)


def with_averages(
    profile: RegionProfile, averages: Mapping[str, Fraction], most: Set[str] = frozenset()
) -> RegionProfile:
    """Return the profile with numbers for its trip counts that are averages, in all its nests.

    Those in ``most`` are not certain: there may be fewer iterations, down to none.
    """
    found: dict[Quantity, Quantity] = {}  # many figures of the nests are those of the whole

    def mixed(quantity: Quantity) -> Quantity:
        if quantity not in found:
            found[quantity] = _mixed(quantity, averages, most)
        return found[quantity]

    return _named(map_quantities(profile, mixed), averages)


def _named(profile: RegionProfile, averages: Mapping[str, Fraction]) -> RegionProfile:
    """Return a profile and its parts with the averages as such, and no longer as symbols."""
    return replace(
        profile,
        symbols=tuple(name for name in profile.symbols if name not in averages),
        averages=dict(averages),
        nests=tuple(_named(nest, averages) for nest in profile.nests),
        outside=None if profile.outside is None else _named(profile.outside, averages),
    )


def at_most(traffic: RegionTraffic) -> RegionTraffic:
    """Return traffic of which nothing is certain but that it is not more."""
    return map_quantities(traffic, lambda quantity: _down_to(quantity, NOTHING))


def _down_to(quantity: Quantity, lower: Count) -> Quantity:
    """Return a quantity with another lower bound."""
    if quantity.estimate.is_zero or quantity.upper is None:
        return quantity if quantity.estimate.is_zero else unbounded(quantity.estimate, lower)
    return Quantity(quantity.estimate, lower, quantity.upper, Exactness.INTERVAL)


def mixed_traffic(members: Sequence[Member], traffics: Sequence[RegionTraffic]) -> RegionTraffic | None:
    """Return the mix of the traffic of each member; None where they are not alike."""
    try:
        found = _blended(traffics, members)
    except _Unlike:
        return None
    assert isinstance(found, RegionTraffic)
    return found


class _Unlike(Exception):
    """Members of which one has a nest, a level or a request that another one lacks."""


def _mixed(quantity: Quantity, averages: Mapping[str, Fraction], most: Set[str] = frozenset()) -> Quantity:
    """Return a quantity with the averages put in for its symbols; the least of it has 0 for those in ``most``."""
    ends = (quantity.estimate, quantity.lower, quantity.upper)
    symbols = frozenset[str]().union(*(end.symbols for end in ends if end is not None))
    own = {name: averages[name] for name in sorted(symbols & averages.keys())}
    if not own:
        return quantity
    found = quantity.at_means(own)
    if own.keys().isdisjoint(most):
        return found
    fewest = {name: Fraction(0) if name in most else mean for name, mean in own.items()}
    return _down_to(found, quantity.at_means(fewest).lower)


def _field(name: str, parts: Sequence[Any], members: Sequence[Member]) -> Any:
    values = [getattr(part, name) for part in parts]
    if name == "notes":
        return tuple(dict.fromkeys(note for notes in values for note in notes))
    return values[0] if name in _OF_FIRST else _blended(values, members)


def _blended(parts: Sequence[Any], members: Sequence[Member]) -> Any:
    """Return one tree of structures from several of the same shape."""
    first = parts[0]
    if any(type(part) is not type(first) for part in parts):
        raise _Unlike
    match first:
        case Quantity() if not members[0].values.keys().isdisjoint(first.estimate.symbols):
            names = members[0].values
            return _mixed(
                first, {name: sum((m.share * m.values[name] for m in members), Fraction(0)) for name in names}
            )
        case Quantity():
            pairs = zip(parts, members, strict=True)
            return combined((part.bind(member.values), member.share) for part, member in pairs)
        case Struct():
            return replace(first, **{name: _field(name, parts, members) for name in first.__struct_fields__})
        case tuple():
            if any(len(part) != len(first) for part in parts):
                raise _Unlike
            return tuple(_blended(items, members) for items in zip(*parts, strict=True))
        case float() if any(part != first for part in parts):
            return float(sum(part * member.share for part, member in zip(parts, members, strict=True)))
        case _:
            return first
