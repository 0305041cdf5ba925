"""Operations of one statement: its value tree, with complex arithmetic as real operations, and FMA contraction.

Contraction (``--fma fast``, what compilers call ``-ffp-contract=fast``) fuses an addition or subtraction with at most
one multiplication that is its direct operand, of the same precision.  It changes instruction counts and the FMA share,
not the operations that the source names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

from ..diagnostics import Phrase
from ..domains.domain import StatementDomain
from ..ir.types import ScalarType, TypeClass
from ..ir.values import Apply, Opaque, Operation, Value, walk_values
from .results import OperationKey

REMEMBERED = 8192  # statements and values whose operations are kept, which bounds memory
ARITHMETIC = frozenset({Operation.ADD, Operation.SUB, Operation.MUL, Operation.FMA})
_COMPUTED = ARITHMETIC | {Operation.DIV, Operation.SQRT, Operation.MIN, Operation.MAX}
# (a + bi)(c + di) = (ac - bd) + (ad + bc)i.
_COMPLEX_MULTIPLY = {Operation.MUL: 4, Operation.ADD: 1, Operation.SUB: 1}
# (a + bi)/(c + di) = ((ac + bd) + (bc - ad)i) / (cc + dd).
_COMPLEX_DIVIDE = {Operation.MUL: 6, Operation.ADD: 2, Operation.SUB: 1, Operation.DIV: 2}
_CONJUGATE = "conj"


class Instructions(Struct, frozen=True):
    """Floating-point add, sub, mul and fma instructions after contraction; ``fused`` of all ``total``."""

    fused: int
    total: int


def operations_of(value: Value) -> Counter[OperationKey]:
    """Return every operation that evaluating the value takes, on each lane of vectors; tensor operations count 2mnk."""
    found: Counter[OperationKey] = Counter()
    for node in walk_values(value):
        if isinstance(node, Apply):
            found.update(single_operations(node))
        elif isinstance(node, Opaque) and node.counted is not None:
            for operation, number in node.counted.operations:
                one = single_operations(operation.applied())
                found.update({key: number * each for key, each in one.items()})
    return found


def instructions_of(value: Value, *, contract: bool) -> Instructions:
    """Return floating-point arithmetic instructions of the value, contracted or as written."""
    total = sum(n for key, n in operations_of(value).items() if key.operation in ARITHMETIC and key.precision.is_float)
    nodes = [*_with_numbers(value)]
    explicit = sum(number * node.type.lanes for node, number in nodes if _is_float_op(node, Operation.FMA))
    fused = sum(number * node.type.lanes for node, number in nodes if _fuses(node)) if contract else 0
    return Instructions(explicit + fused, total - fused)


def _with_numbers(value: Value) -> Iterator[tuple[Value, int]]:
    """Yield the value and everything below it, and what is counted of constructs with its numbers."""
    for node in walk_values(value):
        yield node, 1
        if isinstance(node, Opaque) and node.counted is not None:
            yield from ((operation.applied(), number) for operation, number in node.counted.operations)


@lru_cache(maxsize=REMEMBERED)
def operations_at(statement: StatementDomain) -> Mapping[OperationKey, int]:
    """Return operations of one execution of a statement.

    They are remembered, as the whole, its nests and its lines ask again.
    """
    return operations_of(statement.node.value)


def lanes_at(statement: StatementDomain) -> Mapping[bool, int]:
    """Return the floating-point operations of one execution: as written, and (True) on each lane of their vectors."""
    nodes = (node for node in walk_values(statement.node.value) if isinstance(node, Apply))
    lanes = [n.type.lanes for n in nodes if n.operation in _COMPUTED and n.type.scalar.type_class is TypeClass.FLOAT]
    return {False: len(lanes), True: sum(lanes)} if lanes else {}


@lru_cache(maxsize=REMEMBERED)
def not_counted_at(statement: StatementDomain) -> Mapping[Phrase, int]:
    """Return what one execution of a statement does that no count has in it, by what it is."""
    parts = walk_values(statement.node.value)
    return Counter(part.what for part in parts if isinstance(part, Opaque) and part.has_work)


@lru_cache(maxsize=REMEMBERED)
def not_located_at(statement: StatementDomain) -> Mapping[Phrase, int]:
    """Return what one execution of a statement counts without what it touches, by what it is."""
    parts = walk_values(statement.node.value)
    return Counter(part.what for part in parts if isinstance(part, Opaque) and part.counted is not None)


@lru_cache(maxsize=REMEMBERED)
def instructions_at(statement: StatementDomain, *, contract: bool) -> Instructions:
    """Return instructions of one execution of a statement."""
    return instructions_of(statement.node.value, contract=contract)


def single_operations(node: Apply) -> dict[OperationKey, int]:
    """Return what one operation takes, its operands apart."""
    if node.is_view:
        return {}
    scalar, lanes = node.type.scalar, node.type.lanes
    if node.operation is Operation.TENSOR:
        return {OperationKey(node.operation, scalar, node.function): node.work}
    if scalar.type_class is not TypeClass.COMPLEX:
        return {OperationKey(node.operation, scalar, node.function): lanes}
    return {
        OperationKey(kind, scalar.component, node.function): number * lanes
        for kind, number in _real_operations(node).items()
    }


def _real_operations(node: Apply) -> dict[Operation, int]:
    """Return what one complex operation takes in real ones; a real operand saves half."""
    if node.operation in (Operation.MUL, Operation.DIV) and any(_is_real(operand) for operand in node.operands[-1:]):
        return {node.operation: 2}
    if node.operation is Operation.MUL and any(_is_real(operand) for operand in node.operands):
        return {Operation.MUL: 2}
    if node.operation is Operation.MUL:
        return _COMPLEX_MULTIPLY
    if node.operation is Operation.DIV:
        return _COMPLEX_DIVIDE
    if node.operation in (Operation.ADD, Operation.SUB):
        return {node.operation: 1 if any(_is_real(operand) for operand in node.operands) else 2}
    if node.operation is Operation.NEG:
        return {Operation.NEG: 1 if node.function == _CONJUGATE else 2}
    return {node.operation: 2 if node.operation is Operation.COMPARE else 1}


def _is_real(value: Value) -> bool:
    """Return whether an operand of a complex operation is a real number, which nothing made complex before."""
    return _scalar(value).type_class is not TypeClass.COMPLEX


def _scalar(value: Value) -> ScalarType:
    return value.type.scalar


def _is_float_op(value: Value, operation: Operation) -> bool:
    return isinstance(value, Apply) and value.operation is operation and value.type.scalar.type_class is TypeClass.FLOAT


def _fuses(value: Value) -> bool:
    if not isinstance(value, Apply) or value.operation not in (Operation.ADD, Operation.SUB):
        return False
    if value.type.scalar.type_class is not TypeClass.FLOAT:
        return False
    return any(_is_float_op(o, Operation.MUL) and _scalar(o) is value.type.scalar for o in value.operands)
