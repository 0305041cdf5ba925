"""Sets of elements between a lower and an upper one, and how many they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from ..counts.references import Direction
from ..counts.tally import executions
from ..domains.domain import Domain, StatementDomain
from ..domains.isl.sets import Points, Relation, union
from ..domains.limits import OverBudget
from ..ir.values import Access
from ..quantities.quantity import ZERO, Exactness, Quantity, add, bounded
from ..quantities.quasipolynomial import Count


class Touch(Struct, frozen=True):
    """One affine reference: its statement, and the elements that it touches in both brackets of ``domain``.

    That is the statement's, or without the conditions on data that do not decide whether the element is used.  Each
    execution touches ``width`` of them.
    """

    statement: StatementDomain
    domain: Domain
    direction: Direction
    access: Access
    relation: Relation
    width: int = 1

    @property
    def uses(self) -> Quantity:
        """Return how many elements it touches, each as often as it does."""
        return executions(self.domain) * self.width

    def touched(self, *, upper: bool) -> Points:
        """Return the elements of one bracket."""
        return self.relation.image(self.domain.upper if upper else self.domain.lower)


class Spread(Struct, frozen=True):
    """Uses of elements below loops with average trip counts: ``uses`` are how many at most, distinct or not.

    ``is_distinct``: each of them is of another element, so that their number is that of the elements.
    """

    uses: Quantity
    is_distinct: bool

    @property
    def most(self) -> Count | None:
        """Return the upper bound; None where there is none."""
        return self.uses.upper


class Bracket(Struct, frozen=True):
    """A set of elements between ``lower`` and ``upper``; None is the empty set.

    With a ``spread`` the sets are those of average trip counts, and their sizes an estimate.
    """

    upper: Points | None
    lower: Points | None
    weight: Fraction
    spread: Spread | None = None

    def measure(self, count: Callable[[Points], Quantity], *, whole: bool = True) -> Quantity:
        """Count both brackets into one quantity; not the ``whole`` elements, but the lines that hold them."""
        most = count(self.upper) if self.upper is not None else ZERO
        if self.spread is not None and not (self.spread.is_distinct and whole):
            return bounded(most.estimate, self.spread.most)
        if self.lower is self.upper:
            return most
        least = count(self.lower) if self.lower is not None else ZERO
        if most.upper is None:
            return bounded(most.estimate, None)
        if self.weight == 1:
            return Quantity(most.most, least.lower, most.most, Exactness.UPPER)
        likely = least.estimate * (1 - self.weight) + most.estimate * self.weight
        return Quantity(likely, least.lower, most.upper, Exactness.INTERVAL)

    def fixed(self, numbers: Mapping[str, int]) -> Bracket:
        """Return both sets for these values of the parameters."""
        upper = self.upper.fixed(numbers) if self.upper is not None else None
        if self.lower is self.upper:
            return Bracket(upper, upper, self.weight, self.spread)
        return Bracket(upper, self.lower.fixed(numbers) if self.lower is not None else None, self.weight, self.spread)


def bracket_of(touches: Sequence[Touch]) -> Bracket:
    """Return the elements that some references touch."""
    upper = union_of([touch.touched(upper=True) for touch in touches])
    if all(touch.domain.is_one_set for touch in touches):
        return Bracket(upper, upper, Fraction(1))
    lower = union_of([touch.touched(upper=False) for touch in touches])
    weight = max(touch.domain.weight for touch in touches if not touch.domain.is_one_set)
    if lower is not None and upper is not None and any(touch.domain.summed is not None for touch in touches):
        lower = upper if upper.is_within(lower) else lower
    return Bracket(upper, lower, weight)


def union_of(points: Iterable[Points]) -> Points | None:
    """Return the union of some sets; None of none."""
    found = tuple(dict.fromkeys(points))
    return union(found) if found else None


def spread_of(touches: Sequence[Touch], *, known: bool = True) -> Spread | None:
    """Return the uses of elements where some are below loops with average trip counts; None where none is.

    They are ``known`` to be distinct where all are the same elements, each of which one iteration uses.
    """
    if not any(_is_averaged(touch) for touch in touches):
        return None
    first = touches[0]
    alike = known and all(
        touch.relation is first.relation and touch.domain is first.domain and not touch.domain.is_of_averages
        for touch in touches
    )
    try:
        is_distinct = alike and first.relation.is_injective_on(first.domain.upper)
    except OverBudget:
        is_distinct = False
    return Spread(add(touch.uses for touch in touches), is_distinct)


def _is_averaged(touch: Touch) -> bool:
    """Return whether the elements depend on how often loops with average trip counts run."""
    depth = touch.domain.averaged
    if depth is None:
        return False
    inner = {loop.iterator for loop in touch.statement.loops[depth:]}
    return touch.domain.skippable or any(not inner.isdisjoint(index.names()) for index in touch.access.subscripts)
