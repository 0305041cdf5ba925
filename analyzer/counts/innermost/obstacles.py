"""What keeps iterations from running in vector lanes, besides what they hand on: strides, types, control."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from ...domains.domain import StatementDomain
from ...ir.index import FloorDiv, Poly, TruncDiv
from ...ir.nodes import Exit, Guard, Loop, Node, Strided
from ...ir.types import ScalarType
from ...ir.values import Access, Apply, Constant, IndexValue, Operation, access_indices, walk_values
from ..results import Obstacle, ObstacleKind
from .distance import is_indirect, stride_bytes
from .paths import operations_in

_LONG = 8  # bytes


def of_accesses(accesses: Sequence[Access], loop: Loop, step: int) -> Iterator[Obstacle]:
    """Yield the accesses that are not one element after the other."""
    for access in accesses:
        if any(is_indirect(subscript, loop.iterator) for subscript in access.subscripts):
            yield Obstacle(ObstacleKind.INDIRECT, (access.array,))
            continue
        found = stride_bytes(access, loop.iterator, step)
        if found is None:
            yield Obstacle(ObstacleKind.STRIDE, (access.array,))
        elif found and abs(found) != access.type.size_bytes:
            yield Obstacle(ObstacleKind.STRIDE, (access.array,), stride_bytes=abs(found))


def of_types(members: Sequence[StatementDomain], accesses: Sequence[Access]) -> Iterator[Obstacle]:
    """Yield the types that are in the loop, where they are several, or none of vectors."""
    types = {access.type.scalar.component for access in accesses if access.type.scalar.is_float}
    types |= {node.type.scalar.component for node in operations_in(members) if node.type.scalar.is_float}
    if len(types) > 1:
        yield Obstacle(ObstacleKind.MIXED_TYPES, tuple(sorted(found.value for found in types)))
    if ScalarType.FP80 in types:
        yield Obstacle(ObstacleKind.MIXED_TYPES, (ScalarType.FP80.value,))


def of_control(loop: Loop, members: Sequence[StatementDomain]) -> Iterator[Obstacle]:
    """Yield that the loop may end early, and the functions that it calls."""
    if not isinstance(loop.range, Strided) or loop.ends_early or _leaves(loop.body):
        yield Obstacle(ObstacleKind.CONTROL)
    called = {node.function for node in operations_in(members) if node.operation is Operation.CALL}
    for name in sorted(called):
        yield Obstacle(ObstacleKind.CALL, (name,) if name else ())


def _leaves(nodes: Sequence[Node]) -> bool:
    """Return whether the loop may end before its last iteration."""
    return any(
        isinstance(node, Exit) or (isinstance(node, Guard) and (_leaves(node.body) or _leaves(node.orelse)))
        for node in nodes
    )


def divides(node: Apply) -> bool:
    """Return whether an operation divides an integer by what is no constant."""
    if node.operation not in (Operation.DIV, Operation.REM) or not node.type.scalar.is_integer:
        return False
    divisor = node.operands[-1]
    known = isinstance(divisor, IndexValue) and divisor.index.constant is not None
    return not (known or isinstance(divisor, Constant))


def quotients_of_indices(loop: Loop, members: Sequence[StatementDomain]) -> int:
    """Return the divisions of integers by what is no constant in subscripts that the loop changes: ``(i + 1) % n``."""
    indices = [index for member in members for access, _ in member.node.accesses for index in access_indices(access)]
    values = (value for member in members for value in walk_values(member.node.value))
    indices += [value.index for value in values if isinstance(value, IndexValue)]
    found = {
        atom
        for index in indices
        for atom in (index.nested_atoms() if index.forms else ())
        if isinstance(atom, FloorDiv | TruncDiv) and atom.denominator.constant is None and loop.iterator in atom.names()
    }
    return len(found)


def converts_long(node: Apply) -> bool:
    """Return whether an operation makes a floating-point number of an integer of 64 bits, or the other way round."""
    if node.operation is not Operation.CONVERT:
        return False
    types = (node.type.scalar, *(operand.type.scalar for operand in node.operands))
    return any(each.is_float for each in types) and any(each.is_integer and each.size_bytes == _LONG for each in types)


def may_alias(one: Access, other: Access) -> bool:
    """Return whether a compiler cannot tell two arrays of one type apart: neither is promised to be alone.

    Rows behind different pointers of one table are arrays, too.
    """
    apart = one.unaliased or other.unaliased or one.type.scalar is not other.type.scalar
    return not apart and (one.array != other.array or _pointers(one) != _pointers(other))


def alias_checks(stores: Collection[Access], accesses: Iterable[Access]) -> int:
    """Return the pairs of rows that a compiler compares before the loop.

    References of one row, a number of elements apart, are one (gcc 12: ``prune_runtime_alias_test_list``; clang 13:
    ``RuntimePointerChecking::groupChecks``).
    """
    pairs = ((store, other) for other in accesses for store in stores)
    return len({(_row(store), _row(other)) for store, other in pairs if may_alias(store, other)})


def _pointers(access: Access) -> tuple[Poly, ...]:
    """Return the subscripts that choose one of several pointers."""
    pairs = zip(access.subscripts, access.strides_bytes, strict=True)
    return tuple(subscript for subscript, stride in pairs if stride is None)


def _row(access: Access) -> tuple[str, tuple[Poly, ...]]:
    """Return what distinguishes the row of a reference from others: its address without the number in it."""
    rows = ((s, size) for s, size in zip(access.subscripts, access.strides_bytes, strict=True) if size is not None)
    address = sum((subscript * size for subscript, size in rows), Poly({}))
    number = address.terms.get((), 0)
    return access.array, (*_pointers(access), address - number if isinstance(number, int) else address)
