"""Iteration domains: a statement with its loops, the set of iterations in which it runs, and its place in time.

A domain is bracketed: ``upper`` takes every data-dependent condition for true and no early exit, ``lower`` the
opposite; both are the same object where the domain is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Union

from msgspec import Struct
from msgspec.structs import replace

from ..ir.index import var
from ..ir.nodes import Condition, Loop, Statement, loops_of_source
from ..python.cached_property import cached_property
from ..quantities.quasipolynomial import NOTHING, Count, polynomial
from ..source import Span
from .formula import Formula, Names
from .isl.sets import Points, points
from .limits import OverBudget
from .series.nest import count_of, enclosing_counts, path_to
from .series.path import Step
from .singled_out import Bounds, Single, bounds_of


class Iteration(Struct, frozen=True):
    """The iterator's position in a schedule; a loop that counts down runs through its values backwards."""

    iterator: str
    downwards: bool


Schedule = tuple[Union[int, Iteration], ...]
BRANCHES = 2
"""How many numbers a conditional has for its branches; those of one that jumps start from this times its ``Jumps``."""


class Summed(Struct, frozen=True, eq=False):
    """The number of iterations at least and at most, as sums over what ``path`` encloses (:mod:`.series`).

    Both are the same object where they are equal.
    """

    path: tuple[Step, ...]
    lower: Count
    upper: Count


class Domain(Struct, frozen=True, eq=False, dict=True):
    """The iterations that some statements share; each bracket is counted at most once, when it is first asked for.

    ``weight`` is the estimated share of ``upper - lower`` that runs; ``unguarded`` is isl's text of the domain without
    its conditions, a superset that is easy to count.  ``known`` is the number of iterations where it is not that of
    the points of ``upper``; ``is_given_up`` says that finding ``lower`` took too long.  ``averaged`` is the depth of
    the outermost loop around with an average trip count (:mod:`.average_trips`), which may run not at all in some
    iterations where the domain is ``skippable``.  Where ``is_of_averages`` the brackets are those of averages, and the
    number of iterations is one of ``limit`` at most (None: not known).  With ``summed`` the sets are not what is
    counted, but around it (:mod:`.series.hull`).  Of ``upper`` only those run that ``singles`` admit; ``sure`` is
    ``lower`` without these (:mod:`.singled_out`).
    """

    iterators: tuple[str, ...]
    strided: tuple[int, ...]
    upper: Points
    lower: Points
    weight: Fraction
    unguarded: str
    names: Names
    known: Count | None = None
    is_given_up: bool = False
    averaged: int | None = None
    skippable: bool = False
    is_of_averages: bool = False
    limit: Points | None = None
    summed: Summed | None = None
    singles: tuple[Single, ...] = ()
    sure: Points | None = None

    @property
    def is_exact(self) -> bool:
        """Return whether no data-dependent condition or exit is involved, and counting stayed within its budget."""
        return self.is_one_set if self.summed is None else self.summed.lower is self.summed.upper

    @property
    def is_one_set(self) -> bool:
        """Return whether the iterations are known to be those of one set."""
        return self.upper is self.lower and not self.is_over_budget

    @property
    def is_over_budget(self) -> bool:
        """Return whether exact counting took too long: ``count`` is then that of the bare loops, and 0 from below."""
        return self.summed is None and (self.is_given_up or self._upper_count is None)

    def count(self, *, upper: bool = True) -> Count:
        """Return the exact number of iterations of one bracket, or a bound of it where that would take too long."""
        if self.summed is not None:
            return self.summed.upper if upper else self.summed.lower
        if self.singled is not None:
            return self.singled.most if upper else self.singled.least
        if upper:
            return self._bare_count if self._upper_count is None else self._upper_count
        if self.is_over_budget:
            return NOTHING
        exact = self._upper_count if self.upper is self.lower else self._lower_count
        return NOTHING if exact is None else exact

    def summed_around(self, depth: int) -> Summed:
        """Return how many iterations of the outer loops reach something inside; raises ``ValueError`` without sums."""
        if self.summed is None:
            raise ValueError("a domain without sums")
        path = self.summed.path
        around = path_to(path, depth)
        found = enclosing_counts(path, depth, self.names)
        if found is None:
            most = count_of(around, self.names, optimistic=True)
            found = NOTHING, self.summed.upper if most is None else most
        return Summed(around, *found)

    @cached_property
    def singled(self) -> Bounds | None:
        """Return how often it runs where equalities single out iterations; None elsewhere."""
        if not self.singles or self.summed is not None or self.is_given_up:
            return None
        sure = self.lower if self.sure is None else self.sure
        return bounds_of(self.upper, sure, self.singles, self.weight, self._counted)

    @cached_property
    def limit_count(self) -> Count | None:
        """Return the number of iterations in ``limit``; None where there is none, or counting it takes too long."""
        return None if self.limit is None else self._counted(self.limit)

    @cached_property
    def _upper_count(self) -> Count | None:
        return self._counted(self.upper) if self.known is None else self.known

    @cached_property
    def _lower_count(self) -> Count | None:
        return self._counted(self.lower)

    def _counted(self, iterations: Points) -> Count | None:
        """Return the number of points; None where counting takes too long."""
        try:
            return iterations.without_determined(self.strided).count(self.names.meaning)
        except OverBudget:
            return None

    @cached_property
    def _bare_count(self) -> Count:
        """Return the iterations of the bare loops, or a symbol for them where even these take too long."""
        try:
            return points(self.unguarded).count(self.names.meaning)
        except OverBudget:
            return polynomial(var(f"iterations({', '.join(self.iterators)})"))


def points_at(statement: StatementDomain, numbers: Mapping[str, int]) -> Domain:
    """Return the domain of a statement with only those points where its iterators have some numbers; counts stay.

    A domain may be that of other loops too, which name their iterators otherwise.
    """
    domain = statement.domain
    at = {k: numbers[loop.iterator] for k, loop in enumerate(statement.loops) if loop.iterator in numbers}
    if not at:
        return domain
    upper = domain.upper.at(at)
    return replace(domain, upper=upper, lower=upper if domain.lower is domain.upper else domain.lower.at(at))


class Choice(Struct, frozen=True, eq=False):
    """That a statement runs where conditions on data hold, in ``domain`` but for them.

    ``share`` is the estimated probability that all of the ``path`` holds, the true one where a run ``is_counted``.
    """

    domain: Domain
    path: tuple[Condition, ...]
    share: Fraction
    is_counted: bool = False


class StatementDomain(Struct, frozen=True, eq=False):
    """A statement in its place: its loops from the outside, its domain, and its order of execution.

    ``schedule`` orders executions lexicographically: indices among siblings, and an :class:`Iteration` of each loop.
    ``path`` is what encloses it, from the outside, and ``bodies`` are the iterations of each of its loops.
    """

    node: Statement
    loops: tuple[Loop, ...]
    schedule: Schedule
    domain: Domain
    formula: Formula
    is_header: bool = False
    choice: Choice | None = None
    path: tuple[Step, ...] = ()
    bodies: tuple[Domain, ...] = ()

    @property
    def loops_of_source(self) -> tuple[Loop, ...]:
        """Return the loops without the conditions that stand as loops."""
        return loops_of_source(self.loops)


class Uncertain(Struct, frozen=True):
    """A loop whose trip count could not be expressed; ``symbol`` stands for it."""

    symbol: str
    span: Span


class StatementDomains(Struct, frozen=True):
    """All statements of a region with their domains; ``bodies`` has the iterations of each loop, by iterator.

    ``closed`` are symbols for trip counts that nothing depends on: the bounds tell how often these loops run.
    Where it ``is_open``, some iterations are decided by values but have no formula in the sizes.
    """

    statements: tuple[StatementDomain, ...]
    names: Names
    uncertain: tuple[Uncertain, ...]
    bodies: Mapping[str, Domain]
    closed: frozenset[str] = frozenset()
    is_open: bool = False
