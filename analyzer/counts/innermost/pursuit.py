"""Loads that wait for loads: ``p = next[p]``, where each iteration loads from an address that the one before loaded.

Input: an innermost loop and its statements in order.  Output: a :class:`~..results.Pursuit` for each register that a
load of the loop sets from its own earlier value.

An unknown subscript with the name of a register is the value of that register, and one with the name of its array is
where a pointer points to that the loop sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...ir.names import in_source
from ...ir.nodes import Loop, Statement, Strided
from ...ir.types import ScalarType
from ...ir.values import (
    Access,
    Apply,
    IndexValue,
    Load,
    Opaque,
    Operation,
    Register,
    Value,
    loads_of,
    walk_values,
)
from ..results import Pursuit
from .index_operations import names_in

_PREDICTED = frozenset(
    (Operation.SELECT, Operation.COMPARE, Operation.LOGICAL, Operation.MIN, Operation.MAX, Operation.CALL)
)


class _Way(Struct, frozen=True):
    """The loads on the way from the value that a register had before the iteration."""

    loads: int = 0
    arrays: tuple[str, ...] = ()
    is_certain: bool = True


_Ways = Mapping[str, _Way]


def pursuits(loop: Loop, statements: Sequence[Statement], always: Sequence[bool]) -> Iterator[Pursuit]:
    """Yield registers and pointers loaded through their own earlier value; ``always``: a statement has no condition."""
    targets = [each.target.name for each in statements if isinstance(each.target, Register)]
    followed = _followed(loop, statements)
    held: dict[str, dict[str, _Way]] = {name: {name: _Way()} for name in (*targets, *followed)}
    pointers = dict.fromkeys(followed, _Way())
    for statement, unconditional in zip(statements, always, strict=True):
        ways = _ways(statement.value, held)
        if not unconditional or any(map(_may_be_predicted, walk_values(statement.value))):
            ways = {name: replace(way, is_certain=False) for name, way in ways.items()}
        if isinstance(statement.target, Register):
            held[statement.target.name] = dict(ways)
            if statement.target.type.scalar is ScalarType.POINTER:
                for name in pointers.keys() & ways.keys():
                    pointers[name] = max(pointers[name], ways[name], key=lambda way: way.loads)
    for name in dict.fromkeys(targets):
        way = held[name].get(name, _Way())
        if way.loads:
            yield Pursuit(in_source(name), way.loads, way.arrays, is_indexed=True, is_certain=way.is_certain)
    for name, way in pointers.items():
        if way.loads:
            certain = way.is_certain and name == loop.iterator
            yield Pursuit(in_source(name), way.loads, way.arrays, is_certain=certain)
    yield from _chosen(statements)


def _chosen(statements: Sequence[Statement]) -> Iterator[Pursuit]:
    """Yield positions that a condition on the element there moves: those of the least or largest so far."""
    for name, array in dict.fromkeys(
        (atom.variable, access.array)
        for statement in statements
        for access in loads_of(statement.value)
        for subscript in access.subscripts
        for atom in subscript.unknowns()
        if atom.variable and atom.taken is not None
    ):
        yield Pursuit(in_source(name), 1, (array,), is_indexed=True, is_certain=False, is_chosen=True)


def _followed(loop: Loop, statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return pointers that each iteration sets: the iterator of a loop that follows one, and those of unknown place."""
    found = {} if isinstance(loop.range, Strided) else {loop.iterator: None}
    for statement in statements:
        for access in loads_of(statement.value):
            unknowns = [atom for subscript in access.subscripts for atom in subscript.unknowns()]
            if any(atom.variable == access.array and loop.iterator in atom.depends for atom in unknowns):
                found[access.array] = None
    return tuple(found)


def _ways(value: Value, held: Mapping[str, _Ways]) -> dict[str, _Way]:
    """Return the longest way to a value from each register."""
    found: dict[str, _Way] = {}
    for node in walk_values(value):
        match node:
            case Register():
                _join(found, held.get(node.name, {}))
            case IndexValue():
                for name in node.index.names():
                    _join(found, held.get(name, {}))
            case Load():
                _join(found, _through(node.access, held))
            case _:
                pass
    return found


def _through(access: Access, held: Mapping[str, _Ways]) -> dict[str, _Way]:
    """Return the ways through a load, by the registers that its address needs."""
    found: dict[str, _Way] = {}
    for subscript in access.subscripts:
        for name in names_in(subscript):
            _join(found, held.get(name, {}))
    return {name: replace(way, loads=way.loads + 1, arrays=(*way.arrays, access.array)) for name, way in found.items()}


def _may_be_predicted(value: Value) -> bool:
    """Return whether a processor need not wait for a value: it may be a branch, or is not understood."""
    return isinstance(value, Opaque) or (isinstance(value, Apply) and value.operation in _PREDICTED)


def _join(found: dict[str, _Way], others: _Ways) -> None:
    for name, way in others.items():
        if name not in found or found[name].loads < way.loads:
            found[name] = way
