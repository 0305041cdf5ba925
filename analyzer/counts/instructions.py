"""What executes: for each statement, or where its operations have moved to, FLOPs and instructions under a policy.

``statements x policy -> (statement, Executed)``.  Policies that count the *source* take every statement by itself.
Those that count *machine code* take the :mod:`value graph <analyzer.counts.dataflow.graph>` of the region:

* An addition or subtraction takes in one product of the same type: FMA (:mod:`.contraction`).  A product is computed by
  itself only if something else needs it.
* A function that scales its argument where it is denormal does so always where something needs the argument after it
  (``x * logf(x)``): the policy has what that takes.
* Negations and magnitudes are modifiers of operands, and an instruction only where the result is stored; a clamp to
  [0, 1] is a modifier of the sum or product that it clamps.  nvcc takes another
  instruction for the negative of a product that something else than a sum needs, unless a literal takes the sign.
* What only one branch of a conditional uses is computed there.
* An operation that moved out of loops runs once per iteration of the loops that are left around it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from ..domains.domain import Choice, Domain, StatementDomain
from ..ir.index import Number
from ..ir.nodes import DataDependent
from ..ir.nodes import Mapping as Mapped
from ..ir.types import ScalarType
from ..ir.values import Apply, Constant, Opaque, Operation, Register, walk_values
from .contention import LOOPED, ONE, Attempts, attempts_of
from .contraction import carried_products, is_real, product_of, taken_products
from .dataflow.folding import Node, is_scaled_truth, number_of
from .dataflow.graph import Chosen, ValueGraph, value_graph
from .dataflow.unswitching import Ahead, Unswitching, moved_ahead
from .dataflow.uses import Users, is_negated, sunk, users_first, users_of
from .operations import ARITHMETIC, REMEMBERED, instructions_at, not_located_at, operations_at, single_operations
from .policy import LITERAL, OF_LITERAL, PAIR, RECIPROCAL, Compiler, FlopPolicy
from .signs import (
    MODIFIERS,
    has_literal,
    is_modifier_of_result,
    is_negated_alone,
    is_stored_modifier,
    signs_of_chosen,
    without_sign,
)

_SCALES = frozenset({0.125, 0.25, 0.5, 2.0, 4.0, 8.0})  # of a product at no cost: FMUL.D8 to FMUL.M8 (tests.bench.sass)


class Executed(Struct, frozen=True):
    """One execution: FLOPs by precision; floating add, mul and fma instructions, of which ``fused`` are FMA."""

    flops: Mapping[ScalarType, Number]
    fused: int
    total: int


_Location = tuple[StatementDomain, int, bool]
"""A statement, how many of its loops are left around it, and whether nothing but arithmetic has left the others."""
Ran = tuple[tuple[StatementDomain, Executed], ...]
"""What each statement executes, and further ones with what has moved out of loops, or out of a conditional."""


def executed(statements: Sequence[StatementDomain], policy: FlopPolicy, *, contract: bool) -> Ran:
    """Return what each statement executes; of conditionals that may be selections, each thread its own branch."""
    if not policy.counts_machine_code:
        return tuple((statement, _as_written(statement, policy, contract=contract)) for statement in statements)
    return _compiled(statements, policy, contract=contract)[0]


def readings(statements: Sequence[StatementDomain], policy: FlopPolicy, *, contract: bool) -> tuple[Ran, ...]:
    """Return what each statement executes, and a second time with the most where a compiler may have either code."""
    if not policy.counts_machine_code:
        return (executed(statements, policy, contract=contract),)
    ran, is_open = _compiled(statements, policy, contract=contract)
    return (ran, _compiled(statements, policy, contract=contract, is_most=True)[0]) if is_open else (ran,)


@lru_cache(maxsize=REMEMBERED)
def _as_written(statement: StatementDomain, policy: FlopPolicy, *, contract: bool) -> Executed:
    flops: Counter[ScalarType] = Counter()
    for key, number in operations_at(statement).items():
        for precision, weight in policy.flops(key).items():
            flops[precision] += weight * number
    found = instructions_at(statement, contract=contract)
    return Executed(+flops, found.fused, found.total)


def _compiled(
    statements: Sequence[StatementDomain], policy: FlopPolicy, *, contract: bool, is_most: bool = False
) -> tuple[Ran, bool]:
    """Return what runs, the least or the most of what is open, and whether anything is."""
    pure = frozenset(policy.costs)
    graph = value_graph(statements, pure, policy.prologues, policy.compiler, selects_most=is_most)
    users = users_of(graph)
    moved, may_move = sunk(graph, users, frozenset(policy.prologues), statements, policy.compiler, is_most=is_most)
    order = users_first(graph)
    fused = taken_products(order, users, moved, policy.compiler) if contract else {}
    fused = {total: product for total, product in fused.items() if not policy.multiplies_by_fma(product.value.type)}
    selected = _selected(graph, fused)
    sums_by_product: dict[Node, list[Node]] = {}
    for one, product in fused.items():
        sums_by_product.setdefault(product, []).append(one)

    moved |= {
        product: moved.get(node, node.statement)
        for node in users
        if (product := without_sign(node, users)) is not node and len(users[product]) == 1 and has_literal(product)
    }
    predicated = [
        replace(each, last=without_sign(each.last, users)) for each in graph.chosen if _is_predicated(each, users)
    ]
    is_open = {each.last: each.is_open or _may_run_always(each, graph, policy.compiler) for each in predicated}
    moved |= {each.last: each.needed_at for each in predicated if not (is_most and is_open[each.last])}
    totals: dict[_Location, _Total] = {(statement, len(statement.loops), True): _Total() for statement in statements}

    ahead = moved_ahead(order, policy.compiler)

    def total_of(node: Node) -> _Total:
        statement = moved.get(node, node.statement)
        kind = ahead.get(node, Ahead.ARITHMETIC)
        depth = len(statement.loops) if is_most and kind is Ahead.BRANCHES else node.depth
        return totals.setdefault((statement, depth, kind is Ahead.ARITHMETIC), _Total())

    assigned = {target.name for each in statements if isinstance(target := each.node.target, Register)}
    for node, taken in selected.items():
        if policy.compiler is Compiler.NVCC and taken is None and _is_scaled(node, users):
            continue
        if isinstance(node.value, Apply) and not is_modifier_of_result(node, users):
            total = total_of(node)
            total.add(node, node.value, policy, is_fused=taken is not None)
            more = policy.flops_of_kept(node.value)
            if more:
                total.add_more(node.value, more * _kept_operands(node, users, sums_by_product, assigned))
    signed = [node for node in users if is_negated_alone(node, users)] if policy.compiler is Compiler.NVCC else []
    chosen = signs_of_chosen(graph, users) if policy.compiler is Compiler.NVCC else []
    for node in dict.fromkeys((*graph.stored, *signed, *chosen)):
        if without_sign(node, users) is not node:
            continue
        if isinstance(node.value, Apply) and (is_stored_modifier(node) or node in signed):
            total_of(node).add_flops(node.value, policy)
    if policy.compiler is Compiler.CLANG and contract:
        for node, share in carried_products(graph, users, fused, statements):
            total_of(node).add_copy(node, share)
    located = _located(totals, Unswitching(statements, policy.compiler), graph.branches)
    ran = (*located, *_counted_apart(statements, policy, contract=contract))
    return ran, graph.is_open or may_move or any(is_open.values()) or Ahead.BRANCHES in ahead.values()


def _counted_apart(
    statements: Sequence[StatementDomain], policy: FlopPolicy, *, contract: bool
) -> Iterator[tuple[StatementDomain, Executed]]:
    """Yield what is counted of constructs of which no order is known: as it is written, once more for its statement."""
    for statement in statements:
        if not_located_at(statement):
            alone = tuple(each for each in walk_values(statement.node.value) if isinstance(each, Opaque))
            value = Opaque(alone[0].what, alone[0].type, tuple(replace(each, operands=()) for each in alone))
            apart = replace(statement, node=replace(statement.node, value=value))
            yield apart, _as_written(apart, policy, contract=contract)


def _located(
    totals: Mapping[_Location, _Total],
    unswitching: Unswitching,
    branches: Mapping[StatementDomain, StatementDomain],
) -> Iterator[tuple[StatementDomain, Executed]]:
    """Yield what statements execute, in the loops that are left around it, and apart what arguments decide.

    Those of ``branches`` that are selections are given as they are written.
    """
    domains: dict[tuple[Domain, Domain, int, bool], Domain] = {}
    for position, ((statement, depth, is_certain), total) in enumerate(totals.items()):
        if depth == len(statement.loops):
            yield statement, total.result()
        elif total.flops or total.instructions:
            written = branches.get(statement, statement)
            key = statement.domain, written.domain, depth, is_certain
            if key not in domains:
                domains[key] = unswitching.ahead(statement, depth, written, is_arithmetic=is_certain)
            statement = replace(statement, loops=statement.loops[:depth], domain=domains[key], choice=None)
            yield statement, total.result()
        for precision, (extra, share) in total.undecided().items():
            around = statement.choice or Choice(statement.domain, (), Fraction(1))
            condition = DataDependent(f"arguments {position} {precision.value}")
            choice = Choice(around.domain, (*around.path, condition), around.share * share)
            yield replace(statement, choice=choice), Executed({precision: extra}, 0, 0)


_POWER = "pow"
_KEEPS_SIGN = frozenset({Operation.ADD, Operation.MUL, Operation.DIV})


def _asks_no_parity(base: Node, scalar: ScalarType, policy: FlopPolicy) -> bool:
    """Return whether LLVM sees that a base is not negative, so that its power does not ask for an odd exponent.

    What that costs is left out, as where the exponent is a literal; of doubles by nvcc (nvcc 13.0, clang 22; sm_86,
    19 bases).
    """
    if _POWER + LITERAL not in policy.costs or (scalar is ScalarType.FP64 and policy.compiler is not Compiler.NVCC):
        return False
    if base.operation is Operation.CALL and base.operands:  # the beginning that powers of one base share
        base = base.operands[0]
    return _is_of_squares(base)


def _is_of_squares(node: Node) -> bool:
    """Return whether a number is a square, or a sum, a product or a quotient of such and of literals above 0."""
    number = number_of(node)
    if number is not None:
        return number >= 0
    if node.operation is Operation.MUL and node.operands[0] is node.operands[1]:
        return True
    return node.operation in _KEEPS_SIGN and all(map(_is_of_squares, node.operands))


_NOT_COMMUTATIVE = frozenset({Operation.SUB, Operation.DIV})
_LEFT_OF_NUMBERS = dict.fromkeys(("log", "log2", "log10", "log1p", "cbrt", "pow"), Fraction(1, 2))
"""Of the FLOPs of a function of numbers in an unrolled loop (``logf(2.0f)``) what is left: nvcc computes the rest, but
nothing behind an approximation of the hardware.  Of 14 functions on sm_80 these leave 0.5 to 0.6, others 0.7 to 1."""


class _Total:
    """Sums up what one location executes; of functions whose arguments decide the least, and apart the rest."""

    def __init__(self) -> None:
        self.flops: dict[ScalarType, Number] = {}
        self.fused = 0
        self.instructions = 0
        self._extra: dict[ScalarType, Number] = {}
        self._likely: dict[ScalarType, Number] = {}

    def add(self, node: Node, value: Apply, policy: FlopPolicy, *, is_fused: bool) -> None:
        if value.operation in MODIFIERS or (is_scaled_truth(node) and not is_fused):
            return
        if is_fused:
            value = replace(value, operation=Operation.FMA)
        elif value.type.lanes > 1 and value.operation.value + PAIR in policy.costs:
            value = replace(value, function=value.operation.value + PAIR)
        elif value.operation is Operation.DIV and number_of(node.operands[0]) == 1:
            value = replace(value, function=RECIPROCAL)
        elif value.operation is Operation.DIV and number_of(node.operands[0]) is not None:
            value = replace(value, function=OF_LITERAL)
        elif node.operands and number_of(node.operands[-1]) is not None:
            literal = (value.function or value.operation.value) + LITERAL
            value = replace(value, function=literal) if literal in policy.costs else value
        elif value.function == _POWER and _asks_no_parity(node.operands[0], value.type.scalar, policy):
            value = replace(value, function=_POWER + LITERAL)
        is_of_numbers = bool(node.operands) and all(number_of(each) is not None for each in node.operands)
        likely = None
        if value.function and is_of_numbers and policy.compiler is Compiler.NVCC:
            likely = _LEFT_OF_NUMBERS.get(value.function.removesuffix(LITERAL), Fraction(1))
        self.add_flops(value, policy, attempts_of(node.statement) if value.function.endswith(LOOPED) else ONE, likely)
        for key, number in single_operations(value).items():
            if key.operation in ARITHMETIC and key.precision.is_float:
                self.instructions += number
                self.fused += number if key.operation is Operation.FMA else 0

    def add_flops(
        self, value: Apply, policy: FlopPolicy, attempts: Attempts = ONE, part: Fraction | None = None
    ) -> None:
        """Add a value; where the compiler computes a ``part`` of it and the rest runs, neither is certain."""
        for key, number in single_operations(value).items():
            ranges = policy.range_of(key)
            for precision, whole in policy.flops(key).items():
                weight: Number = whole
                low, high = ranges.get(precision, (whole, whole))
                if part is not None:
                    low, weight = 0, whole * part
                least, extra = low * attempts.least, high * attempts.most - low * attempts.least
                likely = weight * attempts.likely - least
                for sums, each in ((self.flops, least), (self._extra, extra), (self._likely, likely)):
                    sums[precision] = sums.get(precision, 0) + each * number
            beginning = policy.prologues.get(key.function.removesuffix(LITERAL))
            if beginning is not None:  # counted by itself
                for precision, weight in policy.flops(replace(key, function=beginning)).items():
                    self.flops[precision] = self.flops.get(precision, 0) - weight * number

    def add_more(self, value: Apply, flops: int) -> None:
        """Add FLOPs in the precision of a value."""
        self.flops[value.type.scalar] = self.flops.get(value.type.scalar, 0) + flops

    def add_copy(self, node: Node, share: Fraction) -> None:
        """Add the product that a sum may compute again, and the share of iterations in which it does."""
        precision = node.value.type.scalar
        self._extra[precision] = self._extra.get(precision, 0) + 1
        self._likely[precision] = self._likely.get(precision, 0) + share

    def undecided(self) -> Mapping[ScalarType, tuple[Number, Fraction]]:
        """Return the FLOPs that arguments may add, and which share of them is likely."""
        return {
            precision: (extra, Fraction(self._likely[precision]) / extra)
            for precision, extra in self._extra.items()
            if extra
        }

    def result(self) -> Executed:
        flops = {precision: number for precision, number in self.flops.items() if number > 0}
        return Executed(flops, self.fused, self.instructions)


def _is_scaled(node: Node, users: Users) -> bool:
    """Return whether a product of floats takes a factor of 1/8 to 8 as its modifier (``FMUL.D4``), none below 0."""
    if node.operation is not Operation.MUL or node.value.type.scalar is not ScalarType.FP32:
        return False
    if is_negated(node, users):
        return False
    inner = [operand for operand in node.operands if number_of(operand) not in _SCALES]
    return len(inner) == 1 and product_of(inner[0]) is inner[0] and len(users[inner[0]]) == 1


def _is_predicated(chosen: Chosen, users: Users) -> bool:
    """Return whether the last of two values is computed only where it is chosen, in the register of the other one.

    That is a float, whose register nothing needs any more, and the last one has no other use.
    """
    last, other = without_sign(chosen.last, users), chosen.other
    if last.operation not in ARITHMETIC or not is_real(last) or last.value.type.scalar is not ScalarType.FP32:
        return False
    is_in_register = not isinstance(other.value, Constant) and other.operation not in MODIFIERS
    return (
        is_in_register
        and len(users.get(last, ())) == 1
        and all(user is not None and user.number <= chosen.selection.number for user in users.get(other, ()))
    )


def _may_run_always(chosen: Chosen, graph: ValueGraph, compiler: Compiler) -> bool:
    """Return whether what is computed last may be in all threads, where clang's code has it predicated.

    So it is where a branch or a loop follows the selection, and up to LLVM 18 of ``if (c) v = v op x``, which
    InstCombine makes ``v = v op (c ? x : 1)`` unless x is a literal (``foldSelectIntoOp``); LLVM 19 keeps NaNs.
    """
    if compiler is Compiler.NVCC:
        return False
    is_operand = chosen.other in chosen.last.operands
    if chosen.last.operation in _NOT_COMMUTATIVE:
        is_operand = chosen.other is chosen.last.operands[0]
    has_literal = any(number_of(each) is not None for each in chosen.last.operands)
    return chosen.selection in graph.merged or (is_operand and not has_literal)


def _selected(graph: ValueGraph, fused: Mapping[Node, Node]) -> dict[Node, Node | None]:
    """Return nodes that are instructions by themselves, each with the product that it takes in."""
    found: dict[Node, Node | None] = {}
    pending = [*graph.stored, *graph.needed]
    while pending:
        node = pending.pop()
        if node in found:
            continue
        taken = fused.get(node)
        found[node] = taken
        if taken is None:
            pending.extend(node.operands)
        elif node.operation is Operation.MUL:  # doubled, which stays
            pending += [taken]
        else:
            rest = list(node.operands)
            rest.remove(next(operand for operand in rest if product_of(operand) is taken))
            pending.extend((*rest, *taken.operands))
    return found


def _kept_operands(node: Node, users: Users, sums_by_product: Mapping[Node, Sequence[Node]], assigned: Set[str]) -> int:
    """Return the number of operands of a function that something needs after it, in the order of the program.

    A product is used where the sum is that takes it in; modifiers of operands use nothing by themselves.  Parameters,
    which are never ``assigned``, are not in registers; what is scaled of them leaves loops.
    """

    def last_use(value: Node) -> int:
        found = -1
        for user in users.get(value, ()):
            if user is None or user is node:
                continue
            if user.operation in MODIFIERS:
                found = max(found, last_use(user))
            else:
                found = max(found, user.number, *(each.number for each in sums_by_product.get(user, ())))
        return found

    def held(operand: Node) -> Node:
        return held(operand.operands[0]) if operand.operation in MODIFIERS else operand

    def is_kept(value: Node) -> bool:
        if isinstance(value.value, Register) and value.value.name not in assigned:
            return all(loop.mapping is not Mapped.SEQUENTIAL for loop in node.statement.loops[: node.depth])
        return value.depth >= node.depth and last_use(value) > node.number

    values = (each for each in map(held, node.operands) if not isinstance(each.value, Constant))
    return sum(map(is_kept, values))
