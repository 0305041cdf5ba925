"""Sums over a series of which a sample was computed: exact where all members were, else interpolated between these.

Members of a series are, for example, the launches of a kernel; a quantity of a sampled member is known.  Between two
samples it is interpolated linearly, in a ``weight`` that is known for every member (the bytes that the references of a
launch ask for; outside of the range of both weights the quantity is in proportion to it), or in the position.  The way
is chosen that predicts each sample better from its two neighbours (leave-one-out cross-validation: Stone, J. R. Stat.
Soc. B 36, 1974); the error of these predictions, which reach over twice the distance, is the width of the interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import sqrt

from msgspec import Struct

from ..ir.index import Number
from .quantity import Exactness, Factor, Quantity, combined_between, exact
from .quasipolynomial import Count, fixed


class Segment(Struct, frozen=True):
    """The members between two samples, the ``first`` and the next: how many times each of these stands for them."""

    first: int
    as_first: Fraction
    as_next: Fraction


class Line(Struct, frozen=True):
    """One way to interpolate: the segments between samples, and the weights of both neighbours of each inner sample."""

    segments: tuple[Segment, ...]
    neighbours: tuple[tuple[Fraction, Fraction], ...]

    def between(self, values: Sequence[Fraction]) -> Fraction:
        """Return the sum over the members between samples, from the ``values`` of the samples."""
        found = Fraction(0)
        for part in self.segments:
            found += part.as_first * values[part.first] + part.as_next * values[part.first + 1]
        return found

    def doubt(self, values: Sequence[Fraction]) -> Fraction:
        """Return the error of predicting samples from their neighbours over their root mean square, at most 1."""
        inner = values[1:-1]
        whole = sum(float(value) ** 2 for value in inner)
        apart = 0.0
        for at, (before, after) in enumerate(self.neighbours):
            apart += float(inner[at] - before * values[at] - after * values[at + 2]) ** 2
        return Fraction(min(sqrt(apart / whole), 1.0)) if whole else Fraction(0)


class Blend(Struct, frozen=True):
    """How quantities of samples add up to that of the series.

    ``least`` and ``most`` are how many equal members each sample stands for; ``by_weight`` and ``by_position`` are for
    the members between samples, of which there are none where it ``is_complete``.  ``is_certain`` is False where the
    members between may not exist.
    """

    least: tuple[Number, ...]
    most: tuple[Number, ...]
    by_weight: Line | None = None
    by_position: Line | None = None
    is_complete: bool = True
    is_certain: bool = True

    def number(self, values: Sequence[float]) -> float:
        """Return the sum of numbers that are not negative."""
        whole = sum(float(most) * value for most, value in zip(self.most, values, strict=True))
        numbers = [Fraction(value) for value in values]
        line = self._line(numbers)
        return whole if line is None else whole + float(line.between(numbers))

    def total(self, quantities: Sequence[Quantity]) -> Quantity:
        """Return the sum of quantities: an estimate where not all members are sampled."""
        factors = (Factor(least, most, most) for least, most in zip(self.least, self.most, strict=True))
        own = combined_between(zip(quantities, factors, strict=True))
        if self.by_weight is None:
            return own
        if own.upper is None:
            return self.total([_counted(quantity) for quantity in quantities]).at_least()
        ends = [[getattr(quantity, end) for quantity in quantities] for end in ("lower", "estimate", "most")]
        known = [_constants(counts) for counts in ends]
        if any(numbers is None for numbers in known):
            return self._by_shares(quantities, self.by_weight)
        least, likely, most = (numbers or [] for numbers in known)
        line = self._line(likely) or self.by_weight
        between = line.between(likely)
        apart = line.doubt(likely) * between
        lowest = max(line.between(least) - apart, Fraction(0)) * self.is_certain
        sums = ((own.lower, lowest), (own.estimate, between), (own.most, line.between(most) + apart))
        lower, estimate, upper = (_rounded(count, extra) for count, extra in sums)
        return Quantity(estimate, lower, upper, Exactness.INTERVAL)

    def _line(self, values: Sequence[Fraction]) -> Line | None:
        """Return the way to interpolate that predicts the samples better."""
        if self.by_weight is None or self.by_position is None:
            return self.by_weight
        return min(self.by_weight, self.by_position, key=lambda line: line.doubt(values))

    def _by_shares(self, quantities: Sequence[Quantity], line: Line) -> Quantity:
        """Return the same with symbols: no interval but those of the samples."""
        shares = [Fraction(most) for most in self.most]
        for part in line.segments:
            shares[part.first] += part.as_first
            shares[part.first + 1] += part.as_next
        factors = (Factor(least, share, share) for least, share in zip(self.least, shares, strict=True))
        found = combined_between(zip(quantities, factors, strict=True))
        return Quantity(found.estimate, found.lower, found.most, Exactness.INTERVAL)


def blend_of(counts: Sequence[tuple[int, int]], weights: Sequence[Fraction], sampled: Sequence[int]) -> Blend:
    """Return how to add up: ``counts`` are the least and most members at each position, ``sampled`` positions in order.

    >>> whole = blend_of([(1, 1)] * 5, [Fraction(n) for n in (1, 2, 3, 4, 5)], (0, 4))
    >>> whole.number([2, 10])
    30.0
    """
    least, most = (tuple(counts[at][end] for at in sampled) for end in (0, 1))
    if len(sampled) == len(counts):
        return Blend(least, most)
    if len(sampled) == 1:
        whole = sum((weight * most for weight, (_, most) in zip(weights, counts, strict=True)), Fraction(0))
        return Blend(least, (whole / (weights[sampled[0]] or 1),), is_complete=False)
    return Blend(
        least,
        most,
        _line(counts, [weight or Fraction(1) for weight in weights], sampled),
        _line(counts, None, sampled),
        is_complete=False,
        is_certain=all(least == most for least, most in counts),
    )


def _line(counts: Sequence[tuple[int, int]], weights: Sequence[Fraction] | None, sampled: Sequence[int]) -> Line:
    """Return the interpolation that is linear in weights, or in positions."""

    def shares(at: int, one: int, other: int) -> tuple[Fraction, Fraction]:
        along = Fraction(min(max(at, one), other) - one, other - one)
        return (1 - along, along) if weights is None else _shares(weights[at], weights[one], weights[other], along)

    segments: list[Segment] = []
    ends = [0, *sampled[1:-1], len(counts)]
    for first, (start, end) in enumerate(pairwise(ends)):
        one, other = sampled[first], sampled[first + 1]
        before = after = Fraction(0)
        for at in range(start, end):
            if at not in (one, other):
                parts = shares(at, one, other)
                before, after = before + counts[at][1] * parts[0], after + counts[at][1] * parts[1]
        segments.append(Segment(first, before, after))
    threes = zip(sampled, sampled[1:], sampled[2:], strict=False)
    return Line(tuple(segments), tuple(shares(at, one, other) for one, at, other in threes))


def _shares(weight: Fraction, one: Fraction, other: Fraction, along: Fraction) -> tuple[Fraction, Fraction]:
    """Return the weights of the samples before and after a member of this weight."""
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
