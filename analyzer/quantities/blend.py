"""Sums over many things of which some were looked at: exact where all were, else interpolated between those.

Between two that were looked at a quantity is taken to be linear in a ``weight`` that is known for all: for the bytes of
launches of a kernel, in what their references ask for.  Where the weights of both are the same, and beyond them, it is
in proportion to the weight.  The interval has the smaller and the larger quotient of quantity and weight throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from msgspec import Struct

from ..ir.index import Number
from .quantity import Exactness, Factor, Quantity, combined_between, exact
from .quasipolynomial import Count, fixed


class Segment(Struct, frozen=True):
    """What lies between two that were looked at, from ``first`` on: how often it counts as either, its weight."""

    first: int
    as_first: Fraction
    as_next: Fraction
    weight: Fraction


class Blend(Struct, frozen=True):
    """How quantities of what was looked at add up.

    ``least`` and ``most`` are how often each of those counts, ``weights`` are theirs, ``segments`` are for those
    between; where it ``is_complete`` there are none.  ``is_certain`` is False where what lies between may not be there.
    """

    least: tuple[Number, ...]
    most: tuple[Number, ...]
    weights: tuple[Fraction, ...]
    segments: tuple[Segment, ...] = ()
    is_complete: bool = True
    is_certain: bool = True

    def number(self, values: Sequence[float]) -> float:
        """Return the sum of numbers that are not negative."""
        whole = sum(float(most) * value for most, value in zip(self.most, values, strict=True))
        for part in self.segments:
            whole += float(part.as_first) * values[part.first] + float(part.as_next) * values[part.first + 1]
        return whole

    def total(self, quantities: Sequence[Quantity]) -> Quantity:
        """Return the sum of quantities: an estimate where not all were looked at."""
        factors = (Factor(least, most, most) for least, most in zip(self.least, self.most, strict=True))
        own = combined_between(zip(quantities, factors, strict=True))
        if not self.segments:
            return own
        if own.upper is None:
            return self.total([_counted(quantity) for quantity in quantities]).at_least()
        ends = [[getattr(quantity, end) for quantity in quantities] for end in ("lower", "estimate", "most")]
        known = [_constants(counts) for counts in ends]
        if any(numbers is None for numbers in known):
            return self._by_shares(quantities)
        least, likely, most = (numbers or () for numbers in known)
        between = [Fraction(0)] * 3
        for part in self.segments:
            pair = (part.first, part.first + 1)
            between[0] += part.weight * self.is_certain * min(least[at] / self.weights[at] for at in pair)
            between[1] += part.as_first * likely[part.first] + part.as_next * likely[part.first + 1]
            between[2] += part.weight * max(most[at] / self.weights[at] for at in pair)
        sums = (own.lower, own.estimate, own.most)
        lower, estimate, upper = (_rounded(count, extra) for count, extra in zip(sums, between, strict=True))
        return Quantity(estimate, lower, upper, Exactness.INTERVAL)

    def _by_shares(self, quantities: Sequence[Quantity]) -> Quantity:
        """Return the same with symbols: no interval but what those that were looked at have."""
        shares = [Fraction(most) for most in self.most]
        for part in self.segments:
            shares[part.first] += part.as_first
            shares[part.first + 1] += part.as_next
        factors = (Factor(least, share, share) for least, share in zip(self.least, shares, strict=True))
        found = combined_between(zip(quantities, factors, strict=True))
        return Quantity(found.estimate, found.lower, found.most, Exactness.INTERVAL)


def blend_of(counts: Sequence[tuple[int, int]], weights: Sequence[Fraction], looked_at: Sequence[int]) -> Blend:
    """Return how to add up: ``counts`` are least and most of each position, ``looked_at`` are ordered positions.

    >>> whole = blend_of([(1, 1)] * 5, [Fraction(n) for n in (1, 2, 3, 4, 5)], (0, 4))
    >>> whole.number([2, 10])
    30.0
    """
    least, most = (tuple(counts[at][end] for at in looked_at) for end in (0, 1))
    kept = tuple(weights[at] or Fraction(1) for at in looked_at)
    if len(looked_at) == len(counts):
        return Blend(least, most, kept)
    if len(looked_at) == 1:
        share = sum(weight * most for weight, (_, most) in zip(weights, counts, strict=True)) / kept[0]
        return Blend(least, (share,), kept, is_complete=False)
    segments: list[Segment] = []
    ends = [0, *looked_at[1:-1], len(counts)]
    for first, (start, end) in enumerate(pairwise(ends)):
        near = (looked_at[first], looked_at[first + 1])
        found = [Fraction(0)] * 3
        for at in range(start, end):
            if at not in near:
                along = Fraction(min(max(at, near[0]), near[1]) - near[0], near[1] - near[0])
                shares = _shares(weights[at], kept[first], kept[first + 1], along)
                parts = (*shares, weights[at])
                found = [whole + counts[at][1] * part for whole, part in zip(found, parts, strict=True)]
        segments.append(Segment(first, *found))
    is_certain = all(least == most for least, most in counts)
    return Blend(least, most, kept, tuple(segments), is_complete=False, is_certain=is_certain)


def _shares(weight: Fraction, one: Fraction, other: Fraction, along: Fraction) -> tuple[Fraction, Fraction]:
    """Return how often something of this weight counts as what is before it and as what is after it."""
    if one == other:
        return weight / one * (1 - along), weight / other * along
    part = (weight - one) / (other - one)
    if part < 0:
        return weight / one, Fraction(0)
    return (1 - part, part) if part <= 1 else (Fraction(0), weight / other)


def _constants(counts: Sequence[Count]) -> list[Fraction] | None:
    numbers = [count.constant for count in counts]
    found = [Fraction(number) for number in numbers if number is not None]
    return found if len(found) == len(numbers) else None


def _counted(quantity: Quantity) -> Quantity:
    """Return the part of a quantity that is counted, which is bounded."""
    return exact(quantity.estimate) if quantity.upper is None else quantity


def _rounded(count: Count, extra: Fraction) -> Count:
    return fixed(round(Fraction(count.constant or 0) + extra))
