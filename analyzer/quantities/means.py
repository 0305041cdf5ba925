"""Counts at means: what a count is on average where the average of some of its symbols is known.

A mean of whole numbers is a mix of the two next to it.  A count is interpolated between these, for one symbol after
the other: that is its mean where it is affine from each to the next, and an estimate elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from ..ir.index import Poly, const
from .chambers import Chamber, Constraint
from .quasipolynomial import Count, total, weighted

_REMEMBERED = 8192  # chambers at means: figures of nests and of the whole are sums of the same ones

_Means = tuple[tuple[str, Fraction], ...]
"""Means of the symbols of a chamber."""


def at_means(count: Count, means: Mapping[str, Fraction]) -> tuple[Count, bool]:
    """Return the count at means of whole numbers, and whether it is affine in each of them from one to the next."""
    parts, is_affine = [], True
    for chamber in count.chambers:
        own = tuple((name, mean) for name, mean in means.items() if name in chamber.symbols)
        at_once = _at_once(chamber, own)
        parts.append(_interpolated(chamber, own) if at_once is None else at_once)
        is_affine = is_affine and (at_once is not None or _grows_evenly(chamber, own))
    return total(parts).settled, is_affine


@lru_cache(maxsize=_REMEMBERED)
def _interpolated(chamber: Chamber, own: _Means) -> Count:
    """Return what a chamber counts at means, from what it counts at the whole numbers next to them."""
    means = dict(own)
    corners = _corners(chamber, means)
    if chamber.symbols <= means.keys():
        alone = Count((chamber,))
        number = sum(alone.evaluate(corner) * share for corner, share in corners)
        return Count((Chamber((), const(number), chamber.families),) if number else ())
    return weighted((_bound(chamber, corner), share) for corner, share in corners)


def _corners(chamber: Chamber, means: Mapping[str, Fraction]) -> Iterator[tuple[dict[str, int], Fraction]]:
    """Yield whole numbers next to the means, all combinations in which the chamber may hold, with their shares."""
    low, high = _floors(means), _ceilings(means)
    open_ones = [
        item
        for item in chamber.guard
        if not (item.expression.names() <= means.keys() and _is_of_one(item) and item.holds(low) and item.holds(high))
    ]
    of_means = [item for item in open_ones if frozenset() < item.expression.names() <= means.keys()]
    uses = Counter(name for item in of_means for name in item.expression.names())
    needed = means.keys() & chamber.value.names().union(*(item.expression.names() for item in open_ones))
    names = sorted(needed, key=lambda name: (-uses[name], name))  # what decides most first: few combinations are tried
    deciding: list[list[Constraint]] = [[] for _ in names]
    for item in of_means:
        deciding[max(map(names.index, item.expression.names()))].append(item)

    def visit(values: dict[str, int], share: Fraction) -> Iterator[tuple[dict[str, int], Fraction]]:
        position = len(values)
        if position == len(names):
            yield {**low, **values}, share
            return
        mean = means[names[position]]
        rest = mean - floor(mean)
        for value, part in ((floor(mean), 1 - rest), (ceil(mean), rest)):
            further = {**values, names[position]: value}
            if part and all(constraint.holds(further) for constraint in deciding[position]):
                yield from visit(further, share * part)

    return visit({}, Fraction(1))


def _bound(chamber: Chamber, values: Mapping[str, int]) -> Count:
    """Return what a chamber counts with numbers for some of its symbols."""
    return Count((chamber,)).bind(values)


@lru_cache(maxsize=_REMEMBERED)
def _at_once(chamber: Chamber, of: _Means) -> Count | None:
    """Return a chamber at means, if it is affine in each from the whole number below to the one above; else None."""
    means = dict(of)
    if _is_empty(chamber, means):
        return Count(())
    if not means:
        return Count((chamber,))
    names = frozenset(means)
    points = (_floors(means), means, _ceilings(means))
    guard = []
    for constraint in chamber.guard:
        own = constraint.expression.names()
        if names.isdisjoint(own):
            guard.append(constraint)
        elif len(own) > 1 or not all(constraint.holds(point) for point in points):
            return None
    if not _is_affine_in_each(chamber.value, names):
        return None
    return Count((Chamber(tuple(guard), chamber.value.substitute(means), chamber.families),))


def _is_empty(chamber: Chamber, means: Mapping[str, Fraction]) -> bool:
    """Return whether a condition on one of the means alone holds at neither of the whole numbers next to it."""
    points = (_floors(means), _ceilings(means))
    return any(
        constraint.expression.names() <= means.keys()
        and _is_of_one(constraint)
        and not any(constraint.holds(point) for point in points)
        for constraint in chamber.guard
    )


def _is_of_one(constraint: Constraint) -> bool:
    return len(constraint.expression.names()) == 1


def _floors(means: Mapping[str, Fraction]) -> dict[str, int]:
    return {name: floor(mean) for name, mean in means.items()}


def _ceilings(means: Mapping[str, Fraction]) -> dict[str, int]:
    return {name: ceil(mean) for name, mean in means.items()}


@lru_cache(maxsize=_REMEMBERED)
def _grows_evenly(chamber: Chamber, own: _Means) -> bool:
    """Return whether a count grows by as much from the whole number below each mean to the next as to the one after."""
    others = _floors(dict(own))
    is_number = chamber.symbols <= others.keys()
    for name in others:
        points = [{**others, name: others[name] + more} for more in range(3)]
        if is_number:
            first, second, third = (Count((chamber,)).evaluate(point) for point in points)
            is_even = first + third == 2 * second
        else:
            is_even = weighted(zip((_bound(chamber, point) for point in points), (1, -2, 1), strict=True)).is_zero
        if not is_even:
            return False
    return True


def _is_affine_in_each(value: Poly, names: frozenset[str]) -> bool:
    """Return whether each of the names is in a monomial at most once, and not within a division or an extremum."""
    for monomial in value.terms:
        plain = [atom for atom in monomial if isinstance(atom, str) and atom in names]
        if len(set(plain)) < len(plain) or any(
            not isinstance(atom, str) and not names.isdisjoint(Poly({(atom,): 1}).names()) for atom in monomial
        ):
            return False
    return True
