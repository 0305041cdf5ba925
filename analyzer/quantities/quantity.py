"""A count together with what is known about its truth: an interval, an estimate, and how exact they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from ..ir.index import Number
from .means import at_means
from .quasipolynomial import NOTHING, Count, weighted

Found = TypeVar("Found")

TYPICAL_SIZE = 1000
"""What stands for a symbol without a value where loops, alternatives or conditions are compared; no count has it."""


class Exactness(Enum):
    """What is known of a number: itself, bounds, or nothing.

    ``LOWER`` has no upper bound: something that is not counted comes on top.  ``UPPER`` has the bound that is reached
    unless the code ends early, and a lower one.  ``INTERVAL`` has both, and an estimate between them.  ``UNKNOWN`` is
    bounded by zero alone.
    """

    EXACT = "exact"
    INTERVAL = "interval"
    LOWER = "lower"
    UPPER = "upper"
    UNKNOWN = "unknown"


class Quantity(Struct, frozen=True):
    """``lower <= truth <= upper``; all three are the same object where the truth is known exactly.

    ``upper`` is None where there is no bound: then the estimate is that of the part which is counted.
    """

    estimate: Count
    lower: Count
    upper: Count | None
    exactness: Exactness = Exactness.EXACT

    def __add__(self, other: Quantity) -> Quantity:
        """Return the sum; exactness is the weakest of both."""
        return add((self, other))

    def __mul__(self, factor: Number) -> Quantity:
        """Return the multiple by a factor that is not negative."""
        return combined(((self, factor),))

    @property
    def is_exact(self) -> bool:
        """Return true where lower, estimate and upper are the same."""
        return self.exactness is Exactness.EXACT

    @property
    def is_single(self) -> bool:
        """Return true where the estimate is the truth, or all that is known of it: a lower bound."""
        return self.lower is self.estimate

    @property
    def is_zero(self) -> bool:
        """Return true where there is nothing for certain, whatever the sizes."""
        return self.upper is not None and self.upper.is_zero

    @property
    def most(self) -> Count:
        """Return the upper bound; raises ``ValueError`` where there is none."""
        if self.upper is None:
            raise ValueError("a quantity without an upper bound")
        return self.upper

    def bind(self, values: Mapping[str, Number]) -> Quantity:
        """Return the same with numbers for some symbols."""
        estimate = self.estimate.bind(values)
        lower = estimate if self.lower is self.estimate else self.lower.bind(values)
        if self.upper is None:
            return unbounded(estimate, lower)
        upper = estimate if self.upper is self.estimate else self.upper.bind(values)
        return Quantity(estimate, lower, upper, self.exactness)

    def at_means(self, means: Mapping[str, Fraction]) -> Quantity:
        """Return the same with means for some symbols; at least that where the estimate is not affine in each."""
        estimate, is_affine = at_means(self.estimate, means)
        lower = estimate if self.lower is self.estimate else at_means(self.lower, means)[0]
        if self.upper is None or not is_affine:
            return unbounded(estimate, lower)
        upper = estimate if self.upper is self.estimate else at_means(self.upper, means)[0]
        return Quantity(estimate, lower, upper, self.exactness)

    def at_least(self) -> Quantity:
        """Return the same where something that is not counted comes on top."""
        return self if self.upper is None else unbounded(self.estimate, self.lower)


def unbounded(estimate: Count, lower: Count) -> Quantity:
    """Return a quantity without an upper bound, of which the estimate is what is counted."""
    kind = Exactness.UNKNOWN if lower.is_zero else Exactness.LOWER
    return Quantity(estimate, lower, None, kind)


ZERO = Quantity(NOTHING, NOTHING, NOTHING)


def exact(count: Count) -> Quantity:
    """Return a quantity that is known exactly."""
    return Quantity(count, count, count)


def bounded(estimate: Count, most: Count | None) -> Quantity:
    """Return an estimate of which only the upper bound is known, or (None) not even that."""
    if most is None:
        return Quantity(estimate, NOTHING, None, Exactness.UNKNOWN)
    return Quantity(estimate, NOTHING, most, Exactness.INTERVAL)


def add(quantities: Iterable[Quantity]) -> Quantity:
    """Return the sum of many quantities."""
    return combined((quantity, 1) for quantity in quantities)


def combined(parts: Iterable[tuple[Quantity, Number]]) -> Quantity:
    """Return the sum of multiples of quantities, by factors that are not negative."""
    found = [(part, factor) for part, factor in parts if factor and part is not ZERO]
    if len(found) == 1 and found[0][1] == 1:
        return found[0][0]
    if all(part.exactness is Exactness.EXACT for part, _ in found):
        return exact(weighted([(part.estimate, factor) for part, factor in found]))
    return combined_between([(part, Factor(factor, factor, factor)) for part, factor in found])


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
    kinds = {
        part.exactness if factor.least == factor.most else Exactness.INTERVAL
        for part, factor in found
        if not (part.is_exact and factor.least == factor.most) and not part.is_zero
    }
    if not kinds:
        return exact(estimate)
    single = all(part.is_single and factor.least == factor.likely for part, factor in found)
    least = estimate if single else weighted([(part.lower, factor.least) for part, factor in found])
    if any(part.upper is None for part, _ in found):
        return unbounded(estimate, least)
    most = weighted([(part.upper, factor.most) for part, factor in found if part.upper is not None])
    return Quantity(estimate, least, most, kinds.pop() if len(kinds) == 1 else Exactness.INTERVAL)


def between(least: Quantity, most: Quantity) -> Quantity:
    """Return what is one of two readings of the same code; the estimate is that of the first, which is not more."""
    if least == most:
        return least
    if most.upper is None:
        return unbounded(least.estimate, least.lower)
    return Quantity(least.estimate, least.lower, most.upper, Exactness.INTERVAL)


def map_quantities(value: Found, change: Callable[[Quantity], Quantity]) -> Found:
    """Return a tree of structures with other quantities; parts without any stay the same objects."""
    found: Any = value
    match value:
        case Quantity():
            found = change(value)
        case Struct():
            fields = {name: getattr(value, name) for name in value.__struct_fields__}
            changed = {name: map_quantities(field, change) for name, field in fields.items()}
            differing = {name: field for name, field in changed.items() if field is not fields[name]}
            found = replace(value, **differing) if differing else value
        case tuple():
            items = tuple(map_quantities(item, change) for item in value)
            found = value if all(new is old for new, old in zip(items, value, strict=True)) else items
        case dict():
            found = {key: map_quantities(item, change) for key, item in value.items()}
    return cast("Found", found)
