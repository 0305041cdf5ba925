"""A count together with what is known about its truth: an interval, an estimate, and how exact they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import NamedTuple

from msgspec import Struct

from ..ir.index import Number
from .quasipolynomial import NOTHING, Count, weighted


class Exactness(Enum):
    """How far a number can be trusted; combining takes the weakest."""

    EXACT = "exact"
    LOWER = "lower"
    UPPER = "upper"
    ESTIMATE = "estimate"


class Quantity(Struct, frozen=True):
    """``lower <= truth <= upper``; all three are the same object where the truth is known exactly.

    They are also the same where the quantity is a lower bound without an upper one: something is not counted.
    """

    estimate: Count
    lower: Count
    upper: Count
    exactness: Exactness = Exactness.EXACT

    def __add__(self, other: Quantity) -> Quantity:
        """Sum; exactness is the weakest of both."""
        return add((self, other))

    def __mul__(self, factor: Number) -> Quantity:
        """Multiple by a factor that is not negative."""
        return combined(((self, factor),))

    @property
    def is_number(self) -> bool:
        """True where lower, estimate and upper are the same: the truth, or what is known of it."""
        return self.exactness in (Exactness.EXACT, Exactness.LOWER)

    @property
    def is_exact(self) -> bool:
        """True where lower, estimate and upper are the same."""
        return self.exactness is Exactness.EXACT

    def bind(self, values: Mapping[str, Number]) -> Quantity:
        """Return the same with numbers for some symbols."""
        estimate = self.estimate.bind(values)
        if self.lower is self.estimate and self.upper is self.estimate:
            return Quantity(estimate, estimate, estimate, self.exactness)
        return Quantity(estimate, self.lower.bind(values), self.upper.bind(values), self.exactness)

    def at_least(self) -> Quantity:
        """Return the same where something that is not in it comes on top."""
        kind = Exactness.LOWER if self.is_exact else Exactness.ESTIMATE
        return Quantity(self.estimate, self.lower, self.upper, kind)


ZERO = Quantity(NOTHING, NOTHING, NOTHING)


def exact(count: Count) -> Quantity:
    """Return a quantity that is known exactly."""
    return Quantity(count, count, count)


def add(quantities: Iterable[Quantity]) -> Quantity:
    """Return the sum of many quantities."""
    return combined((quantity, 1) for quantity in quantities)


def combined(parts: Iterable[tuple[Quantity, Number]]) -> Quantity:
    """Return the sum of multiples of quantities, by factors that are not negative."""
    return combined_between((part, Factor(factor, factor, factor)) for part, factor in parts)


class Factor(NamedTuple):
    """A number that is not negative, between two others."""

    least: Number
    likely: Number
    most: Number


def combined_between(parts: Iterable[tuple[Quantity, Factor]]) -> Quantity:
    """Return the sum of multiples of quantities by factors of which only bounds may be known."""
    found = [(part, factor) for part, factor in parts if factor.most and part is not ZERO]
    if len(found) == 1 and found[0][1].least == found[0][1].most == 1:
        return found[0][0]
    estimate = weighted([(part.estimate, factor.likely) for part, factor in found])
    inexact = {_exactness(part, factor) for part, factor in found if not part.upper.is_zero} - {Exactness.EXACT}
    if not inexact:
        return exact(estimate)
    least = weighted([(part.lower, factor.least) for part, factor in found])
    most = weighted([(part.upper, factor.most) for part, factor in found])
    return Quantity(estimate, least, most, inexact.pop() if len(inexact) == 1 else Exactness.ESTIMATE)


def _exactness(part: Quantity, factor: Factor) -> Exactness:
    return part.exactness if factor.least == factor.most else Exactness.ESTIMATE
