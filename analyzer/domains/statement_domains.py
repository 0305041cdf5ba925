"""From the loop tree to the iteration domain of each statement.

Affine early exits are exact: the iterations after the first one that leaves are subtracted, and so is what follows the
exit in its own iteration.  Loop headers run once more than the body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec.structs import replace

from ..ir.conditions import is_of_data, share_of
from ..ir.index import ZERO, Poly
from ..ir.nodes import (
    Exit,
    Guard,
    Loop,
    Node,
    Region,
    Statement,
    Strided,
    Uncounted,
)
from ..quantities.quasipolynomial import Count
from .average_trips import average_of, is_product
from .branch_probability import Shares
from .domain import BRANCHES, Choice, Domain, Iteration, StatementDomain, StatementDomains, Summed
from .formula import FALSE, TRUE, Formula, Names, NotAffine
from .isl.budget import Budget
from .isl.sets import Points
from .iteration_sets import IterationSets
from .limits import OverBudget
from .ranges import extended, range_of
from .scope import (
    Leaving,
    Scope,
    counts_down,
    doubted,
    is_certain,
    later,
    left_nodes,
    narrowed,
    under,
    under_data,
    under_single,
)
from .series.hull import Hull, hull_of
from .series.nest import PathCounts, without_formulas
from .series.path import Step
from .singled_out import Single, among
from .trip_symbols import TripSymbols

Wanted = Callable[[Exit], bool]

_EXITS_BUDGET = 100_000  # in isl's operations, of which an ordinary exit takes a few hundred


def _is_exit(_: Exit) -> bool:
    """Return True: every exit is wanted."""
    return True


def statement_domains_of(
    region: Region, probability: Fraction = Fraction(1, 2), given: Mapping[str, Fraction] | None = None
) -> StatementDomains:
    """Return all statements of a region in textual order with their domains.

    ``given`` are probabilities of branches by name (:mod:`..ir.branches`), ``probability`` is that of all others.
    """
    builder = _Builder(region, probability, given or {})
    scope = Scope((), (), (), (), (), True, Fraction(1), Formula(builder.names, frozenset()))
    return StatementDomains(
        tuple(builder.visit(region.body, scope)),
        builder.names,
        tuple(builder.trips.uncertain),
        builder.bodies,
        builder.trips.closed,
        is_open=builder.is_open,
    )


class _Builder:
    """Walks the tree once; keeps the names, the domains made so far, and the loops without a known trip count.

    ``is_open`` once the iterations of a statement had no sum in the sizes.
    """

    def __init__(self, region: Region, probability: Fraction, given: Mapping[str, Fraction]) -> None:
        series = () if region.part is None else region.part.series.launches
        self._left = left_nodes(region.body)
        self.names = Names(launches=[dict(item.values) for item in series])
        self.bodies: dict[str, Domain] = {}
        self.trips = TripSymbols(region)
        self._is_counted = region.counted
        self._shares = Shares(region, probability, given)
        self._domains: dict[tuple[object, ...], Domain] = {}
        self.is_open = False
        self._hulls: dict[Domain, Hull] = {}
        self._sets = IterationSets(self.names)
        self._counts = PathCounts(self.names)

    def visit(self, nodes: Sequence[Node], scope: Scope) -> Iterator[StatementDomain]:
        for index, node in enumerate(nodes):
            yield from self._node(node, replace(scope, schedule=(*scope.schedule, index)))
            scope = self._after(node, scope)

    def _after(self, node: Node, scope: Scope) -> Scope:
        """Return the scope of what follows a node in the same list.

        It is no longer reached in iterations that leave in it.
        """
        if not scope.loops:
            doubtful = self._is_left(node)
        elif not self._is_left(node):
            doubtful = False
        else:
            leaving, doubtful = self.exits((node,), scope)
            if leaving is not None:
                scope = replace(scope, leaving=(*scope.leaving, Leaving(len(scope.loops), leaving, "=")))
        return doubted(scope, FALSE) if doubtful else scope

    def _node(self, node: Node, scope: Scope) -> Iterator[StatementDomain]:
        match node:
            case Statement():
                yield self._placed(node, scope, self._domain(scope), choice=self._choice(scope))
            case Guard():
                yield from self._guard(node, scope)
            case Loop():
                yield from self._loop(node, scope)
            case Exit():
                pass

    def _placed(
        self, node: Statement, scope: Scope, domain: Domain, *, choice: Choice | None = None, is_header: bool = False
    ) -> StatementDomain:
        formula = self._hulls[domain].formula if domain in self._hulls else scope.formula
        around = (scope.loops, scope.schedule, domain, formula)
        return StatementDomain(node, *around, is_header, choice, path=scope.path, bodies=scope.bodies)

    def _guard(self, guard: Guard, scope: Scope) -> Iterator[StatementDomain]:
        for index, (inner, body) in enumerate(self._branches(guard, scope), BRANCHES * guard.jumps):
            leaves = inner.data is not scope.data and bool(scope.loops and body) and isinstance(body[-1], Exit)
            yield from self.visit(body, replace(inner, schedule=(*scope.schedule, index), leaves=leaves))

    def _branches(self, guard: Guard, scope: Scope) -> list[tuple[Scope, tuple[Node, ...]]]:
        """Return the two branches of a conditional, each with its scope; an empty one has nothing to visit."""
        found = []
        for parts, body in self._shares.branches(guard, scope.loops):
            inner = scope
            for part, share in parts:
                if isinstance(part, Single):
                    inner = under_single(inner, part)
                else:
                    inner = under_data(inner, part, share) if is_of_data(part) else under(inner, part, share)
            found.append((inner, body))
        return found

    def _choice(self, scope: Scope) -> Choice | None:
        data = scope.data
        if data is None or scope.leaves:
            return None
        path = tuple(step for step in scope.path if not any(step is each for each in data.path))
        bare = replace(scope, lower=data.lower, exact=data.exact, weight=data.weight, data=None, path=path)
        is_counted = self._is_counted and all(share_of(condition) is not None for condition in data.path)
        return Choice(self._domain(bare), data.path, data.share, is_counted)

    def _loop(self, loop: Loop, scope: Scope) -> Iterator[StatementDomain]:
        self.names.enter(loop.iterator, len(scope.loops))
        formula = extended(scope.formula, loop)
        body, header = self._range(loop, scope, formula)
        is_summed = self.trips.is_summed(loop)
        iteration = Iteration(loop.iterator, counts_down(loop))
        inner = replace(
            scope,
            leaves=False,
            loops=(*scope.loops, loop),
            formula=formula,
            schedule=(*scope.schedule, iteration),
            averages=(*scope.averages, *average_of(loop, scope.loops, formula, len(scope.upper), len(scope.leaving))),
            path=(*scope.path, loop),
            is_summed=scope.is_summed or is_summed,
        )
        running = narrowed(inner, body)
        exits = _Exits(self, loop, running)
        testing = narrowed(inner, header)
        for index, test in enumerate(loop.header, -len(loop.header)):
            position = exits.before(index, testing)
            domain = self._domain(position, is_header=True)
            around = replace(position, bodies=(*scope.bodies, domain))
            yield self._placed(test, around, domain, is_header=True)
        for index, node in enumerate(loop.body):
            position = exits.before(index, running)
            if index == 0:
                self.bodies[loop.iterator] = self._domain(position)
            yield from self._node(node, replace(position, bodies=(*scope.bodies, self.bodies[loop.iterator])))

    def _is_left(self, node: Node) -> bool:
        """Return whether an exit in or below a node leaves more than the node itself."""
        return id(node) in self._left

    def exits(self, nodes: Sequence[Node], scope: Scope, wanted: Wanted = _is_exit) -> tuple[Points | None, bool]:
        """Return the iterations that leave the enclosing loop from these nodes, and whether others may leave too."""
        leaving: Points | None = None
        doubtful = False
        for node in filter(self._is_left, nodes):
            found: Points | None = None
            if isinstance(node, Exit) and wanted(node):
                try:
                    found = self._sets.points(scope, scope.upper)
                except OverBudget:  # its conditions are too many for isl: it may leave at any of them
                    doubtful = True
            elif isinstance(node, Loop):
                found, unsure = self._escaping(node, scope, wanted)
                doubtful |= unsure
            elif isinstance(node, Guard):
                for inner, body in self._branches(node, scope):
                    here, unsure = self.exits(body, inner, wanted)
                    doubtful |= unsure or (here is not None and not is_certain(inner))
                    if here is not None and is_certain(inner):
                        found = here if found is None else found | here
            if found is not None:
                leaving = found if leaving is None else leaving | found
        return leaving, doubtful

    def _escaping(self, loop: Loop, scope: Scope, wanted: Wanted) -> tuple[Points | None, bool]:
        """Return the iterations around a loop in which one of its own leaves more than the loop, as :meth:`exits`.

        That is one that no exit before it keeps from being reached.
        """
        try:
            with Budget(_EXITS_BUDGET):
                return self._reached_exits(loop, scope, wanted)
        except (NotAffine, OverBudget):
            return None, True

    def _reached_exits(self, loop: Loop, scope: Scope, wanted: Wanted) -> tuple[Points | None, bool]:
        if not scope.loops or not isinstance(loop.range, Strided):
            return None, True
        self.names.enter(loop.iterator, len(scope.loops))
        formula = extended(scope.formula, loop)
        body, _ = range_of(loop, self.names.iterator(loop.iterator), formula)
        within = replace(scope, loops=(*scope.loops, loop), formula=formula, path=(*scope.path, loop))
        running, depth = narrowed(within, body), len(within.loops)
        order = "<" if counts_down(loop) else ">"
        leaving: Points | None = None
        parts: list[tuple[int, Points | None, Points | None]] = []
        for index, node in enumerate(loop.body):
            own, one = self.exits((node,), running, lambda exit_: exit_.loop == loop.iterator)
            beyond, other = self.exits((node,), running, lambda exit_: exit_.loop != loop.iterator and wanted(exit_))
            every, _ = self.exits((node,), running)
            if one or other or (own is not None and beyond is not None):
                return None, True
            parts.append((index, every, beyond))
        for index, _, beyond in parts:
            if beyond is None:
                continue
            before = [
                Leaving(depth, every, order + ("=" if position < index else ""))
                for position, every, _ in parts
                if every is not None
            ]
            for left in before:
                beyond = beyond - later(left, depth).image(left.iterations)
            found = beyond.without_last()
            leaving = found if leaving is None else leaving | found
        return leaving, False

    def first_iteration(self, loop: Loop, formula: Formula) -> str:
        """Return the constraint of the loop's first iteration."""
        start = ZERO if isinstance(loop.range, Uncounted) else loop.range.start
        try:
            return f"{self.names.iterator(loop.iterator)} = {formula.affine(start)}"
        except NotAffine:
            return FALSE

    def _range(self, loop: Loop, scope: Scope, formula: Formula) -> tuple[str, str]:
        """Return constraints of the iterator in the body, and in the header, which sees the last value too."""
        name = self.names.iterator(loop.iterator)
        if isinstance(loop.range, Uncounted):
            if loop.range.calls is not None and self._is_summed((*scope.path, loop)):
                self.trips.sum_up(loop, loop.range.trip)
            return self._uncounted(name, loop.range.trip)
        try:
            return range_of(loop, name, formula)
        except NotAffine:
            trip = self.trips.symbol_of(loop)
            if self._is_summed((*scope.path, loop)):
                self.trips.sum_up(loop, trip)
            elif isinstance(loop.range, Strided):
                self.trips.report(trip, loop.span)
            return self._uncounted(name, trip)

    def _uncounted(self, name: str, trip: str) -> tuple[str, str]:
        parameter = self.names.parameter(Poly({(trip,): 1}))
        return f"0 <= {name} < {parameter}", f"0 <= {name} <= {parameter}"

    def _is_summed(self, path: tuple[Step, ...]) -> bool:
        """Return whether the iterations of the loop at the end of a path can be summed up."""
        return self._counts.of(path, optimistic=True) is not None

    def _domain(self, scope: Scope, *, is_header: bool = False) -> Domain:
        constraints = tuple(text for text in scope.upper if text != TRUE)
        path = scope.path if scope.is_summed else ()
        quotients = tuple(scope.formula.auxiliaries.values())  # constraints have their names only
        nest = (len(scope.loops), is_header, scope.averages, scope.singles)
        key = (constraints, quotients, scope.lower, scope.weight, scope.leaving, scope.leaves, nest, path)
        if key not in self._domains:
            known: Count | None = None
            is_given_up = False
            try:
                upper = self._sets.points(scope, scope.upper)
                try:
                    with Budget(_EXITS_BUDGET):
                        upper = self._sets.reached(upper, scope)
                    lower = upper if scope.exact else self._sets.certain(scope, upper)
                    if scope.leaves:
                        known = upper.without_last().count(self.names.meaning)
                except OverBudget:
                    lower = self._sets.points(scope, (FALSE,))
                    is_given_up = True
            except OverBudget:  # the conditions alone are too many for isl
                upper, lower = self._sets.points(scope, scope.ranges), self._sets.points(scope, (FALSE,))
                is_given_up = True
            strided = tuple(
                index
                for index, loop in enumerate(scope.loops)
                if isinstance(loop.range, Strided) and abs(loop.range.step) > 1
            )
            iterators = tuple(loop.iterator for loop in scope.loops)
            bare = self._sets.text(scope, scope.ranges)
            found = Domain(iterators, strided, upper, lower, scope.weight, bare, self.names, known, is_given_up)
            if scope.singles and not is_given_up and known is None:
                found = replace(found, singles=among(scope.singles, scope.averages), sure=self._sets.sure(scope, upper))
            summed = self._summed(scope, is_header=is_header) if scope.is_summed else None
            if summed is not None:
                found = replace(found, upper=summed[1].upper, lower=summed[1].lower, summed=summed[0])
                self._hulls[found] = summed[1]
            elif scope.averages:
                found = self._averaged(found, scope, is_header=is_header)
            self._domains[key] = found
        return self._domains[key]

    def _summed(self, scope: Scope, *, is_header: bool) -> tuple[Summed, Hull] | None:
        """Return the number of iterations as a sum, and sets around them.

        None where there is no sum, and trip counts are symbols.
        """
        count = self._counts.of_header if is_header else self._counts.of
        for change in (tuple, without_formulas) if not scope.leaving and not scope.leaves else ():
            path: tuple[Step, ...] = change(scope.path)
            upper = count(path, optimistic=True)
            lower = None if upper is None else count(path, optimistic=False)
            if upper is not None and lower is not None:
                summed = Summed(path, upper if (upper - lower).is_zero else lower, upper)
                return summed, hull_of(scope.path, self.names)
            self.is_open = True
        self.trips.leave_open(scope.loops)
        return None

    def _averaged(self, domain: Domain, scope: Scope, *, is_header: bool) -> Domain:
        """Return a domain below loops with average trip counts: bracketed where products of them are not the truth."""
        depths = [average.depth for average in scope.averages]
        may_skip = not is_header or depths[0] < len(scope.loops) - 1
        found = replace(domain, averaged=depths[0], skippable=may_skip)
        most, least = (
            all(is_product(average, side, len(scope.leaving)) for average in scope.averages)
            for side in (scope.upper, scope.lower)
        )
        if (most and least) or self._is_counted:
            return found
        never = self._sets.points(scope, (FALSE,))
        if most:
            return found if domain.is_exact else replace(found, lower=never)
        return replace(found, lower=never, is_of_averages=True, limit=self._sets.limit(scope))


class _Exits:
    """The early exits of one loop, by the child of its body that holds them."""

    def __init__(self, builder: _Builder, loop: Loop, scope: Scope) -> None:
        found = [builder.exits((node,), scope) for node in loop.body]
        self._depth = len(scope.loops)
        self._later = "<" if counts_down(loop) else ">"
        self._certain = [(index, points_) for index, (points_, _) in enumerate(found) if points_ is not None]
        self._doubtful = next((index for index, (_, doubtful) in enumerate(found) if doubtful), None)
        self._first = builder.first_iteration(loop, scope.formula)

    def before(self, index: int, scope: Scope) -> Scope:
        """Return the scope of a child (negative: of the header): an exit ends what follows it, and later iterations."""
        leaving = tuple(
            Leaving(self._depth, points_, self._later + ("=" if index > position else ""))
            for position, points_ in self._certain
        )
        inner = replace(scope, leaving=(*scope.leaving, *leaving), schedule=(*scope.schedule, index))
        if self._doubtful is None:
            return inner
        sure = FALSE if index > self._doubtful else self._first
        return doubted(inner, sure)
