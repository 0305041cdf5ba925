"""What executes: for each statement, or where its operations have moved to, FLOPs and instructions under a policy.

``statements x policy -> (statement, Executed)``.  Policies that count the *source* take every statement by itself.
Those that count *machine code* take the :mod:`value graph <analyzer.counts.dataflow.graph>` of the region:

* An addition or subtraction takes in one product of the same type, through negations: FMA.  Of two it takes the one
  with fewer users.  One from outside its loop is taken only if all that use it do, so that it is gone there.
* A product is computed by itself only if something else needs it, so that several sums each take a copy (LLVM's
  ``enableAggressiveFMAFusion``, which NVPTX sets).
* Negations and magnitudes are modifiers of operands, and an instruction only where the result is stored; a clamp to
  [0, 1] is a modifier of the sum or product that it clamps.
* What only one branch of a conditional uses is computed there.
* An operation that moved out of loops runs once per iteration of the loops that are left around it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..domains.domain import Domain, StatementDomain
from ..ir.types import ScalarType, TypeClass
from ..ir.values import Apply, Operation
from .dataflow.folding import Node, number_of
from .dataflow.graph import ValueGraph, value_graph
from .dataflow.uses import Users, sunk, users_of
from .operations import ARITHMETIC, instructions_at, operations_at, single_operations
from .policy import RECIPROCAL, FlopPolicy
from .tally import enclosing

_SUMS = frozenset({Operation.ADD, Operation.SUB})
_MODIFIERS = frozenset({Operation.NEG, Operation.ABS})
_CLAMPS = frozenset({"saturate", "__saturatef"})


class Executed(Struct, frozen=True):
    """One execution: FLOPs by precision; floating add, mul and fma instructions, of which ``fused`` are FMA."""

    flops: Mapping[ScalarType, int]
    fused: int
    total: int


def executed(
    statements: Sequence[StatementDomain], policy: FlopPolicy, *, contract: bool
) -> tuple[tuple[StatementDomain, Executed], ...]:
    """Return what each statement executes, and further ones with what has moved.

    It moves out of loops, or out of a conditional.
    """
    if not policy.counts_machine_code:
        return tuple((statement, _as_written(statement, policy, contract=contract)) for statement in statements)
    return _compiled(statements, policy, contract=contract)


def _as_written(statement: StatementDomain, policy: FlopPolicy, *, contract: bool) -> Executed:
    flops: Counter[ScalarType] = Counter()
    for key, number in operations_at(statement).items():
        for precision, weight in policy.flops(key).items():
            flops[precision] += weight * number
    found = instructions_at(statement, contract=contract)
    return Executed(+flops, found.fused, found.total)


def _compiled(
    statements: Sequence[StatementDomain], policy: FlopPolicy, *, contract: bool
) -> tuple[tuple[StatementDomain, Executed], ...]:
    graph = value_graph(statements, frozenset(policy.costs), policy.prologues)
    users = users_of(graph)
    moved = sunk(graph, users, frozenset(policy.prologues))
    totals: dict[tuple[StatementDomain, int], _Total] = {
        (statement, len(statement.loops)): _Total() for statement in statements
    }
    for node, taken in _selected(graph, users, contract=contract).items():
        if isinstance(node.value, Apply) and not _is_modifier_of_result(node, users):
            total = totals.setdefault((moved.get(node, node.statement), node.depth), _Total())
            total.add(node, node.value, policy, is_fused=taken is not None)
    for node in dict.fromkeys(graph.stored):
        if isinstance(node.value, Apply) and _is_stored_modifier(node):
            totals.setdefault((moved.get(node, node.statement), node.depth), _Total()).add_flops(node.value, policy)
    domains: dict[tuple[Domain, int], Domain] = {}
    found = []
    for (statement, depth), total in totals.items():
        if depth == len(statement.loops):
            found.append((statement, total.result()))
        elif total.flops or total.instructions:
            domain = domains.setdefault((statement.domain, depth), enclosing(statement.domain, depth))
            found.append(
                (replace(statement, loops=statement.loops[:depth], domain=domain, choice=None), total.result())
            )
    return tuple(found)


class _Total:
    """Sums up what one location executes."""

    def __init__(self) -> None:
        self.flops: Counter[ScalarType] = Counter()
        self.fused = 0
        self.instructions = 0

    def add(self, node: Node, value: Apply, policy: FlopPolicy, *, is_fused: bool) -> None:
        if value.operation in _MODIFIERS:
            return
        if is_fused:
            value = replace(value, operation=Operation.FMA)
        elif value.operation is Operation.DIV and number_of(node.operands[0]) == 1:
            value = replace(value, function=RECIPROCAL)
        self.add_flops(value, policy)
        for key, number in single_operations(value).items():
            if key.operation in ARITHMETIC and key.precision.is_float:
                self.instructions += number
                self.fused += number if key.operation is Operation.FMA else 0

    def add_flops(self, value: Apply, policy: FlopPolicy) -> None:
        for key, number in single_operations(value).items():
            for precision, weight in policy.flops(key).items():
                self.flops[precision] += weight * number
            if key.function in policy.prologues:  # counted by itself
                for precision, weight in policy.flops(replace(key, function=policy.prologues[key.function])).items():
                    self.flops[precision] -= weight * number

    def result(self) -> Executed:
        return Executed(+self.flops, self.fused, self.instructions)


def _selected(graph: ValueGraph, users: Users, *, contract: bool) -> dict[Node, Node | None]:
    """Return nodes that are instructions by themselves, each with the product that it takes in."""
    found: dict[Node, Node | None] = {}
    pending = [*graph.stored, *graph.needed]
    while pending:
        node = pending.pop()
        if node in found:
            continue
        taken = _taken(node, users) if contract else None
        found[node] = taken
        if taken is None:
            pending.extend(node.operands)
        else:
            rest = list(node.operands)
            rest.remove(next(operand for operand in rest if _product(operand) is taken))
            pending.extend((*rest, *taken.operands))
    return found


def _taken(node: Node, users: Users) -> Node | None:
    """Return the product that a sum takes in."""
    products = _products(node)
    near = [product for product in products if product.depth == node.depth]
    far = [product for product in products if product.depth < node.depth and _is_sunk(product, product, users)]
    return min(near or far, key=lambda product: len(users[product]), default=None)


def _products(node: Node) -> list[Node]:
    """Return products that a sum may take in."""
    if node.operation not in _SUMS or not _is_real(node):
        return []
    products = [_product(operand) for operand in node.operands]
    return [product for product in products if product is not None and product.value.type == node.value.type]


def _is_sunk(product: Node, value: Node, users: Users) -> bool:
    """Return whether all users of a product, or of its negative, are sums that take it in for want of a nearer one."""
    for user in users[value]:
        if user is None or (user.operation is Operation.NEG and not _is_sunk(product, user, users)):
            return False
        if user.operation is Operation.NEG:
            continue
        if product not in _products(user) or any(
            other is not product and other.depth == user.depth for other in _products(user)
        ):
            return False
    return True


def _product(node: Node) -> Node | None:
    """Return the product that a value is, but for its sign."""
    while node.operation is Operation.NEG:
        (node,) = node.operands
    return node if node.operation is Operation.MUL and _is_real(node) else None


def _is_real(node: Node) -> bool:
    is_atomic = isinstance(node.value, Apply) and node.value.function.startswith("atomic")
    return node.value.type.scalar.type_class is TypeClass.FLOAT and not is_atomic


def _is_modifier_of_result(node: Node, users: Users) -> bool:
    """Return whether a clamp to [0, 1] is part of the instruction whose result it clamps, which nothing else uses."""
    if not isinstance(node.value, Apply) or node.value.function not in _CLAMPS:
        return False
    (operand,) = node.operands
    return operand.operation in ARITHMETIC and len(users[operand]) == 1


def _is_stored_modifier(node: Node) -> bool:
    return node.operation in _MODIFIERS and not (node.operation is Operation.NEG and _product(node) is not None)
