"""Paths of operations through the statements of a loop body, from a value to what is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Union

from msgspec import Struct

from ...domains.domain import StatementDomain
from ...ir.index import Poly
from ...ir.values import Access, Apply, IndexValue, Load, Operation, Register, Value, walk_values
from .index_operations import names_in, operations_from

Location = Union[str, Access]
"""A register, by its name, or an element."""

Pair = tuple[Value, Value]
"""What a comparison compares."""

NO_PAIRS: Mapping[str, Pair] = MappingProxyType({})

Path = tuple["Link", ...]
"""The operations from one value to another, in order."""

_ADDITIVE = frozenset({Operation.ADD, Operation.SUB, Operation.FMA})
_ASSOCIATIVE = (
    _ADDITIVE,
    frozenset({Operation.MUL}),
    frozenset({Operation.MIN}),
    frozenset({Operation.MAX}),
    frozenset({Operation.BITWISE}),
    frozenset({Operation.LOGICAL}),
)
# Additions that an operation takes as long as, which only choose the longest of several paths: a division of fp64 takes
# 13 to 14 cycles, a root 15 to 16, an addition 4 (Fog, Instruction tables, Skylake); calls are longer than both.
_WEIGHTS = {Operation.DIV: 4, Operation.SQRT: 4, Operation.CALL: 8} | dict.fromkeys(
    (Operation.CONVERT, Operation.NEG, Operation.SHUFFLE), 0
)


class Link(Struct, frozen=True):
    """One operation of a path; ``adds_up`` where the value enters as a term or a factor whose order does not matter.

    Of an FMA it ``is_addend`` where it is no factor.
    """

    operation: Operation
    adds_up: bool
    is_addend: bool = False


def path_to(
    value: Value, held: Mapping[Location, Path], *, contract: bool, compared: Mapping[str, Pair] = NO_PAIRS
) -> Path | None:
    """Return the longest chain of operations from what is held to the value; None where it does not depend on that.

    The selection of one of two integers by a register that holds how they are ``compared`` is their minimum or maximum.
    """
    found: dict[int, Path | None] = {}
    for node in walk_values(value):
        match node:
            case Register():
                found[id(node)] = held.get(node.name)
            case Load():
                found[id(node)] = held.get(node.access)
            case IndexValue():
                found[id(node)] = _through_index(node.index, held)
            case Apply(operation=Operation.SELECT) if is_extreme(node, compared):
                smaller = Apply(Operation.MIN, node.type, node.operands[1:])
                found[id(node)] = _through(smaller, found, contract=contract)
            case Apply():
                found[id(node)] = _through(node, found, contract=contract)
            case _:
                found[id(node)] = None
    return found[id(value)]


def is_extreme(node: Apply, compared: Mapping[str, Pair]) -> bool:
    """Return whether a selection is the minimum or maximum of the two integers that it chooses between."""
    match node.operands:
        case (Register(name=chosen), first, second):
            return node.type.scalar.is_integer and compared.get(chosen) in ((first, second), (second, first))
        case _:
            return False  # one of other data, or an atomic exchange


def _through_index(index: Poly, held: Mapping[Location, Path]) -> Path | None:
    """Return the longest path through an integer expression; a sum of it with other terms may be taken in any order."""
    paths = []
    for name in names_in(index):
        path = held.get(name)
        operations = None if path is None else operations_from(name, index)
        if path is not None and operations is not None:
            paths.append((*path, *(Link(each, each is Operation.ADD) for each in operations)))
    return max(paths, key=_weight, default=None)


def _through(node: Apply, found: Mapping[int, Path | None], *, contract: bool) -> Path | None:
    paths = [(path, operand) for operand in node.operands if (path := found[id(operand)]) is not None]
    if not paths:
        return None
    longest, operand = max(paths, key=lambda pair: _weight(pair[0]))
    adds_up = len(paths) == 1 and _adds_up(node, operand)
    if contract and node.operation in (Operation.ADD, Operation.SUB) and node.type.scalar.is_float:
        products = [o for o in node.operands if isinstance(o, Apply) and o.operation is Operation.MUL]
        if any(product is operand for product in products):
            return (*longest[:-1], Link(Operation.FMA, False))
        if products:
            return (*longest, Link(Operation.FMA, adds_up, is_addend=True))
    is_addend = node.operation is Operation.FMA and operand is node.operands[-1]
    return (*longest, Link(node.operation, adds_up, is_addend))


def _adds_up(node: Apply, operand: Value) -> bool:
    """Return whether the operand is a term or a factor that could as well come later."""
    if node.operation is Operation.SUB:
        return operand is node.operands[0]
    if node.operation is Operation.FMA:
        return operand is node.operands[-1]
    return any(node.operation in group for group in _ASSOCIATIVE)


def is_associative(path: Path) -> bool:
    """Return whether all operations of a path are of one kind, and may be taken in any order."""
    kinds = {link.operation for link in path}
    return all(link.adds_up for link in path) and any(kinds <= group for group in _ASSOCIATIVE)


def _weight(path: Path) -> int:
    return sum(_WEIGHTS.get(link.operation, 1) for link in path)


def longer(left: Path, right: Path) -> Path:
    """Return the path that takes longer, by the usual latencies of its operations."""
    return max(left, right, key=_weight)


def reads(value: Value) -> Iterator[Location]:
    """Yield the registers and elements that a value is made of."""
    for node in walk_values(value):
        if isinstance(node, Register):
            yield node.name
        elif isinstance(node, Load):
            yield node.access
        elif isinstance(node, IndexValue):
            yield from sorted(names_in(node.index))  # in one order in every run


def location_of(target: Access | Register | None) -> Location | None:
    """Return what a statement assigns; None where it assigns nothing."""
    return target.name if isinstance(target, Register) else target


def longest_path(members: Sequence[StatementDomain], *, contract: bool) -> tuple[Operation, ...]:
    """Return the longest chain of operations of one iteration, from what it loads on."""
    held: dict[Location, Path] = {}
    longest: Path = ()
    for statement in members:
        value, target = statement.node.value, location_of(statement.node.target)
        path = path_to(value, {location: held.get(location, ()) for location in reads(value)}, contract=contract) or ()
        longest = longer(longest, path)
        if target is not None:
            held[target] = path
    return tuple(link.operation for link in longest)


def operations_in(members: Sequence[StatementDomain]) -> Iterator[Apply]:
    """Yield the operations of some statements."""
    for statement in members:
        for node in walk_values(statement.node.value):
            if isinstance(node, Apply):
                yield node
