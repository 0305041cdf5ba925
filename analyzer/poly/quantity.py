"""A count together with what is known about its truth: an interval, an estimate, and how exact they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from ..ir.index import Number
from .quasi import NOTHING, Count, total


class Exactness(Enum):
    """How far a number can be trusted; combining takes the weakest."""

    EXACT = "exact"
    LOWER = "lower"
    UPPER = "upper"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class Quantity:
    """``lower <= truth <= upper``; all three are the same object where the truth is known exactly."""

    estimate: Count
    lower: Count
    upper: Count
    exactness: Exactness = Exactness.EXACT

    def __add__(self, other: Quantity) -> Quantity:
        """Sum; exactness is the weakest of both."""
        return add((self, other))

    def __mul__(self, factor: Number) -> Quantity:
        """Multiple by a factor that is not negative."""
        return Quantity(self.estimate * factor, self.lower * factor, self.upper * factor, self.exactness)

    @property
    def is_exact(self) -> bool:
        """True where lower, estimate and upper are the same."""
        return self.exactness is Exactness.EXACT


ZERO = Quantity(NOTHING, NOTHING, NOTHING)


def exact(count: Count) -> Quantity:
    """A quantity that is known exactly."""
    return Quantity(count, count, count)


def add(quantities: Iterable[Quantity]) -> Quantity:
    """Sum of many quantities."""
    parts = list(quantities)
    estimate = total(part.estimate for part in parts)
    weakest = _weakest(part.exactness for part in parts if not part.upper.is_zero)
    if weakest is Exactness.EXACT:
        return exact(estimate)
    return Quantity(estimate, total(part.lower for part in parts), total(part.upper for part in parts), weakest)


def _weakest(kinds: Iterable[Exactness]) -> Exactness:
    """Exact only if all are; a bound only if all inexact parts are bounds of the same side."""
    inexact = {kind for kind in kinds if kind is not Exactness.EXACT}
    if not inexact:
        return Exactness.EXACT
    return inexact.pop() if len(inexact) == 1 else Exactness.ESTIMATE
