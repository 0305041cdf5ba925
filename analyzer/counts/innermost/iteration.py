"""One iteration of the dominant innermost loop, at register level: the line of the pen-and-paper table.

The dominant loop is the innermost one whose statements do the most FLOPs (then the most references) for large symbols;
a nest may have more of them.  Numbers per iteration are totals divided by iterations: exact where the body has no
condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from fractions import Fraction
from typing import Any

from msgspec import Struct

from ...domains.domain import Domain, StatementDomain
from ...ir.conditions import leaves
from ...ir.index import Number, Poly, TooManyTerms
from ...ir.nodes import Compare, Exit, Guard, Loop, Strided
from ...ir.passes.substitute import is_left
from ...ir.traverse import all_nodes, bounds_of
from ...ir.types import ScalarType
from ...ir.values import SUMS, Access, Apply, Load, Operation, Register, Value, walk_values
from ...python.cached_property import cached_property
from ...quantities.growth import growth
from ...quantities.quantity import TYPICAL_SIZE, Quantity, exact
from ...quantities.quasipolynomial import Count, fixed
from ..instructions import Executed, executed
from ..operations import lanes_at, operations_at
from ..policy import FlopPolicy
from ..references import Direction, RegisterReference
from ..results import InnerLoop, OperationKey, PerIteration, Repeated, Vectorization
from ..tally import Key, Measure, executions, tally_each
from ..work import ALL, FUSED, measures_of
from .computed_once import without_repeated
from .dependence import vectorization_of
from .repeats import depends_on
from .steps import steps_of

_SMALLER = (100, 10)  # sizes in place of the typical one, where a sum has too many terms at that


def inner_loops(
    statements: Sequence[StatementDomain],
    bodies: Mapping[str, Domain],
    references: Sequence[RegisterReference],
    policy: FlopPolicy,
    values: Mapping[str, int],
    *,
    averages: Mapping[str, Fraction],
    contract: bool,
    every: bool = True,
) -> tuple[InnerLoop, ...]:
    """Return the innermost loops, the dominant one first; it alone unless ``every`` one is wanted.

    ``bodies`` has the iterations of each loop, by iterator; ``averages`` are trip counts that are not whole.
    """
    inner = _innermost(statements)
    ran: dict[str, list[tuple[StatementDomain, Executed]]] = {}
    for statement, execution in executed(statements, policy, contract=contract):
        if statement.loops and not statement.is_header:
            ran.setdefault(statement.loops_of_source[-1].iterator, []).append((statement, execution))
    local: dict[StatementDomain, list[RegisterReference]] = {}
    for reference in references:
        local.setdefault(reference.statement, []).append(reference)
    loops = sorted(inner, key=lambda chosen: _importance(ran[chosen[0].iterator], values), reverse=True)
    return tuple(
        _inner_loop(
            _Members(
                loop,
                members,
                bodies[loop.iterator],
                [reference for statement in members for reference in local.get(statement, ())],
                ran[loop.iterator],
                _handed_over(members, statements),
                averages,
            ),
            bodies,
            policy,
            values,
            contract=contract,
        )
        for loop, members in (loops if every else loops[:1])
    )


class _Members(Struct, frozen=True):
    """An innermost loop with its statements, iterations, references, and what one execution of each executes.

    Of the names that ``others`` write, outside of the loop, it takes up another value whenever it is entered.
    ``averages`` are those trip counts, of conditions on given arrays too, that are not whole.
    """

    loop: Loop
    statements: Sequence[StatementDomain]
    body: Domain
    references: Sequence[RegisterReference]
    ran: Sequence[tuple[StatementDomain, Executed]]
    others: frozenset[str]
    averages: Mapping[str, Fraction]


def _handed_over(members: Sequence[StatementDomain], every: Sequence[StatementDomain]) -> frozenset[str]:
    """Return registers and arrays that statements outside of the loop write."""
    own = set(members)
    targets = (statement.node.target for statement in every if statement not in own)
    return frozenset(target.name if isinstance(target, Register) else target.array for target in targets if target)


def _inner_loop(
    members: _Members, bodies: Mapping[str, Domain], policy: FlopPolicy, values: Mapping[str, int], *, contract: bool
) -> InnerLoop:
    outer = members.statements[0].loops_of_source[:-1]
    starts = executions(bodies[outer[-1].iterator]) if outer else exact(fixed(1))
    totals = _totals_of(members, policy, contract=contract)
    found = vectorization_of(
        members.loop,
        members.statements,
        members.body,
        members.references,
        members.others,
        lambda domain: _share_within(domain, members.body, values, may_end=_is_decided((*outer, members.loop))),
        contract=contract,
    )
    iteration = _one_iteration(members, totals, found, values)
    least = iteration if iteration.exact else _one_iteration(members, totals, found, values, certain=True)
    return InnerLoop(iteration, executions(members.body), least, starts, _is_steady(members.loop, outer))


def _share_within(domain: Domain, body: Domain, values: Mapping[str, int], *, may_end: bool) -> Fraction:
    """Return the part of a loop's iterations that is surely in a domain; loops around it ``may_end`` early."""
    shares = []
    for upper in (True,) if may_end else (True, False):
        part, whole = (each.count(upper=upper).bind(values) for each in (domain, body))
        found = growth(part, whole)
        shares.append(found.factor if found is not None and found.power == 0 else Fraction(0))
    return max(Fraction(0), min(shares))


def _is_decided(loops: Sequence[Loop]) -> bool:
    """Return whether affine expressions decide all conditions in the last of some loops, which nothing leaves.

    Those of the loops around that data end decide neither these conditions nor how often a loop inside of them runs.
    """
    *around, loop = loops
    counted = {each.iterator for each in around if isinstance(each.range, Strided) and not each.ends_early}
    ended = {each.iterator for each in around if each.iterator not in counted or is_left(each)}
    if any(isinstance(node, Exit) for each in (*around[1:], loop) for node in all_nodes((*each.header, *each.body))):
        return False
    if any(not ended.isdisjoint(bound.names()) for each in loops for bound in bounds_of(each.range)):
        return False
    inside = list(all_nodes(loop.body))
    tests = [leaf for node in inside if isinstance(node, Guard) for leaf in leaves(node.condition)]
    affine = (isinstance(leaf, Compare) and _is_affine(leaf.left - leaf.right, ended) for leaf in tests)
    return all(affine)


def _is_affine(poly: Poly, but_in: Set[str]) -> bool:
    """Return whether an expression is affine, and without some names."""
    return but_in.isdisjoint(poly.names()) and all(
        len(monomial) <= 1 and all(isinstance(atom, str) for atom in monomial) for monomial in poly.terms
    )


def _is_steady(loop: Loop, outer: Sequence[Loop]) -> bool:
    """Return whether a loop has as many iterations whenever it is entered: no data, no outer iterator ends it."""
    if not isinstance(loop.range, Strided) or loop.ends_early or is_left(loop):
        return False
    names = (loop.range.stop - loop.range.start).names()
    return names.isdisjoint(around.iterator for around in outer)


class _Totals(Struct, frozen=True):
    """What the statements of a loop do in total, or (plain numbers) in each of its iterations, by key.

    ``left``, ``needed`` and ``varying`` are operations, FLOPs and instructions without those computed before,
    ``divided`` the operations left where reciprocals may be taken, ``pure`` those left where functions do nothing but
    return a value, and ``counted`` those that are FLOPs.
    """

    operations: Mapping[OperationKey, Quantity | Number]
    lanes: Mapping[bool, Quantity | Number]
    flops: Mapping[ScalarType, Quantity | Number]
    instructions: Mapping[str, Quantity | Number]
    left: Mapping[OperationKey, Quantity | Number]
    needed: Mapping[ScalarType, Quantity | Number]
    varying: Mapping[str, Quantity | Number]
    counted: frozenset[OperationKey]
    divided: Mapping[OperationKey, Quantity | Number]
    pure: Mapping[OperationKey, Quantity | Number]


def _totals_of(chosen: _Members, policy: FlopPolicy, *, contract: bool) -> _Totals:
    body, local = chosen.body, chosen.references
    operations, lanes = _in_total(body, chosen.statements, operations_at, lanes_at)
    flops, instructions = _in_total(body, dict(chosen.ran), *measures_of(chosen.ran))
    same = {r.access for r in local if r.hoisted and r.direction is Direction.LOAD}
    moving = list(without_repeated(chosen.loop, body, chosen.statements, same, contract=contract))
    (left,) = (divided,) = (pure,) = _in_total(body, moving, operations_at)
    if any(map(_is_division, left)):
        products = without_repeated(chosen.loop, body, chosen.statements, same, contract=contract, reciprocals=True)
        (divided,) = _in_total(body, products, operations_at)
    if any(key.operation is Operation.CALL and key.function for key in left):
        others = without_repeated(chosen.loop, body, chosen.statements, same, contract=contract, pure=True)
        (pure,) = _in_total(body, others, operations_at)
    needed, varying = flops, instructions
    if not policy.counts_machine_code:
        ran = executed(moving, policy, contract=contract)
        needed, varying = _in_total(body, dict(ran), *measures_of(ran))
    counted = frozenset(key for key in operations if policy.flops(key))
    return _Totals(operations, lanes, flops, instructions, left, needed, varying, counted, divided, pure)


def _is_division(key: OperationKey) -> bool:
    return key.operation is Operation.DIV and key.precision.is_float


def _in_total(
    body: Domain, statements: Iterable[StatementDomain], *measures: Measure[Any]
) -> Sequence[Mapping[Any, Quantity | Number]]:
    """Return what statements of a loop do, by measure and key; what all iterations do needs no total."""
    chosen = list(statements)
    if any(statement.choice is not None or statement.domain is not body for statement in chosen):
        return tally_each(chosen, *measures)
    found: list[dict[Any, Number]] = [{} for _ in measures]
    for numbers, measure in zip(found, measures, strict=True):
        for statement in chosen:
            for key, number in measure(statement).items():
                numbers[key] = numbers.get(key, 0) + number
    return found


def _one_iteration(
    chosen: _Members,
    totals: _Totals,
    vectorization: Vectorization,
    values: Mapping[str, int],
    *,
    certain: bool = False,
) -> PerIteration:
    """Return one iteration of a loop: as estimated, or what no condition can skip."""
    loop, body = chosen.loop, chosen.body
    shares = _Shares(body, values, chosen.averages, certain=certain)
    remaining = [r for r in chosen.references if not r.hoisted]
    runs = {domain: shares.of_total(executions(domain)) for domain in {r.domain for r in remaining}}

    def moved(direction: Direction, *, size: bool) -> Fraction:
        found = (r for r in remaining if r.direction is direction)
        parts = (runs[r.domain] * (r.access.type.size_bytes if size else 1) for r in found)
        return sum(parts, Fraction(0))

    operations, flops, wide = shares.of(totals.operations), shares.of(totals.flops), shares.of(totals.lanes)
    left, ran, varying = shares.of(totals.left), shares.of(totals.instructions), shares.of(totals.varying)
    needed, divided, pure = shares.of(totals.needed), shares.of(totals.divided), shares.of(totals.pure)
    none = Fraction(0)
    around = depends_on((r.access for r in chosen.references), chosen.statements[0].loops_of_source)
    steps = steps_of(remaining, loop, _step(loop), values, runs.__getitem__, around)
    reused = {r.access for r, step in zip(remaining, steps, strict=True) if step.is_reused}
    added = (runs[s.domain] * _added(s.node.value, reused) for s in chosen.statements if s.domain in runs)
    return PerIteration(
        line=loop.span.line,
        iterator=loop.iterator,
        flops=sum(flops.values(), none),
        operations=operations,
        loads=moved(Direction.LOAD, size=False),
        stores=moved(Direction.STORE, size=False),
        load_bytes=moved(Direction.LOAD, size=True),
        store_bytes=moved(Direction.STORE, size=True),
        fma_instructions=ran.get(FUSED, none),
        flop_instructions=ran.get(ALL, none),
        repeated=Repeated(
            {key: less for key in operations | left if (less := operations.get(key, none) - left.get(key, none))},
            {key: share - needed.get(key, none) for key, share in flops.items() if share != needed.get(key)},
            ran.get(FUSED, none) - varying.get(FUSED, none),
            ran.get(ALL, none) - varying.get(ALL, none),
            sum((share - divided.get(key, none) for key, share in left.items() if _is_division(key)), none),
            sum(added, none),
            {key: share - pure.get(key, none) for key, share in left.items() if share != pure.get(key, none)},
        ),
        precision=max(flops, key=lambda precision: flops[precision], default=ScalarType.FP64),
        exact=all(statement.domain is body for statement in chosen.statements),
        vectorization=vectorization,
        lanes=wide[True] / wide[False] if wide.get(False) else Fraction(1),
        steps=steps,
        counted=totals.counted,
    )


class _Shares:
    """What happens in one iteration of a loop, for large sizes, of what happens in total."""

    def __init__(
        self, body: Domain, values: Mapping[str, int], averages: Mapping[str, Fraction], *, certain: bool
    ) -> None:
        """Start with the iterations of the ``body`` and values of symbols; ``certain``: of what no condition skips."""
        self._body = body
        self._values = values
        self._averages = averages
        self._certain = certain
        self._iterations = body.count().bind(values)
        self._known: dict[Quantity, Fraction] = {}

    def of_total(self, total: Quantity) -> Fraction:
        """Return the share of a total; 0 where it grows less than the iterations do, or has no limit."""
        if total not in self._known:  # many totals are one object
            self._known[total] = self._share(total)
        return self._known[total]

    @cached_property
    def _always(self) -> Fraction:
        return self.of_total(executions(self._body))

    def _share(self, total: Quantity) -> Fraction:
        own = self._averages.keys() & total.estimate.symbols - self._iterations.symbols
        total = total.at_means({name: self._averages[name] for name in sorted(own)}) if own else total
        count = (total.lower if self._certain else total.estimate).bind(self._values)
        share = self._limit(count)
        if share < 0:  # where all sizes grow alike it does not happen at all: ``w - 2*r`` times
            small = dict.fromkeys(count.symbols - self._iterations.symbols, 1)
            share = max(Fraction(0), self._limit(count.bind(small)))
        return share

    def _limit(self, count: Count) -> Fraction:
        found = growth(count, self._iterations)
        return found.factor if found is not None and found.power == 0 else Fraction(0)

    def of(self, totals: Mapping[Key, Quantity | Number]) -> dict[Key, Fraction]:
        """Return the shares of totals, and of what all iterations do, by key."""
        return {
            key: self.of_total(total) if isinstance(total, Quantity) else self._always * total
            for key, total in totals.items()
        }


def _added(value: Value, reused: Set[Access]) -> int:
    """Return how many elements that other iterations meet again a value adds as they are."""
    sums = (node for node in walk_values(value) if isinstance(node, Apply) and node.operation in SUMS)
    parts = (part for node in sums for part in node.operands if node.type.scalar.is_float)
    return sum(isinstance(part, Load) and part.access in reused for part in parts)


def _step(loop: Loop) -> int:
    return loop.range.step if isinstance(loop.range, Strided) else 1


def _innermost(statements: Sequence[StatementDomain]) -> Iterable[tuple[Loop, list[StatementDomain]]]:
    """Return the loops that have no loop inside, each with its statements."""
    enclosing = {outer.iterator for statement in statements for outer in statement.loops_of_source[:-1]}
    found: dict[str, tuple[Loop, list[StatementDomain]]] = {}
    for statement in statements:
        loops = statement.loops_of_source
        if loops and not statement.is_header and (loop := loops[-1]).iterator not in enclosing:
            found.setdefault(loop.iterator, (loop, []))[1].append(statement)
    return found.values()


def _importance(ran: Sequence[tuple[StatementDomain, Executed]], values: Mapping[str, int]) -> tuple[Number, Number]:
    runs = [_size(statement.domain.count(), values) for statement, _ in ran]
    flops = sum(run * sum(each.flops.values()) for run, (_, each) in zip(runs, ran, strict=True))
    return (flops, sum(runs))


def _size(count: Count, values: Mapping[str, int]) -> Number:
    """Return a count at sizes that are typical where they are not known; at smaller ones where it takes too long."""
    for typical in (TYPICAL_SIZE, *_SMALLER):
        with suppress(TooManyTerms):
            return count.evaluate({name: values.get(name, typical) for name in count.symbols})
    return 0
