"""Indices that the entries of a table hand out: ``out[start[key[i]]++] = x``, the stores of a counting sort.

Data choose the entry, which moves by the same step each time that it is used, so that each entry goes through a part of
``out`` from one element to the next: as many streams as the table has entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ...ir.index import ZERO, Poly, Unknown
from ...ir.nodes import Region, Statement
from ...ir.values import Access, Apply, Constant, IndexValue, Load, Operation, Register, Value
from ...ir.walk import walk_nodes

_SIGNS = {Operation.ADD: 1, Operation.SUB: -1}


class HandedOut(Struct, frozen=True):
    """The ``entry`` of a table that an index comes from, and by how much it moves each time."""

    entry: Access
    step: int


class Streams(Struct, frozen=True):
    """As many streams as a table has ``entries``, each of which goes on by ``step_bytes``."""

    entries: int
    step_bytes: int


def handed_out(region: Region) -> Mapping[Unknown, HandedOut]:
    """Return the indices in the subscripts of a region that entries of tables hand out."""
    bodies: dict[int, list[Statement]] = {}
    for visit in walk_nodes(region.body):
        if isinstance(visit.node, Statement) and visit.loops:
            bodies.setdefault(id(visit.loops[-1]), []).append(visit.node)
    return {atom: found for body in bodies.values() for atom, found in _in_body(body)}


def entries_of(reach: tuple[int, int] | None, declared_bytes: int | None, size_bytes: int) -> int | None:
    """Return how many entries of a table are used: those in reach, of all; None where neither is known.

    >>> entries_of((0, 1020), None, 4), entries_of(None, 1028, 4), entries_of(None, None, 4)
    (256, 257, None)
    """
    known = [] if declared_bytes is None else [declared_bytes // size_bytes]
    if reach is not None:
        known.append((reach[1] - reach[0]) // size_bytes + 1)
    return min(known, default=None)


def step_in(access: Access, atom: Unknown) -> int | None:
    """Return by how many bytes a reference moves with an index; None where that is no number."""
    moved = ZERO
    for subscript, stride in zip(access.subscripts, access.strides_bytes, strict=True):
        if atom in subscript.unknowns():
            number = subscript.terms.get((atom,), 0)
            if stride is None or atom in (subscript - Poly({(atom,): number})).unknowns():
                return None
            moved = moved + stride * number
    return moved.constant


def _in_body(body: Sequence[Statement]) -> Iterator[tuple[Unknown, HandedOut]]:
    """Yield the indices in the body of one loop that tables hand out."""
    held = _held(body)
    steps: dict[Access, set[int | None]] = {}
    for node in body:
        target = node.target
        if isinstance(target, Access) and all(each.unknowns() or not each.names() for each in target.subscripts):
            entry, added = _element(node.value, held)
            steps.setdefault(target, set()).add(added if entry == target and added else None)
    stored = [node.target for node in body if isinstance(node.target, Access)]
    for entry, found in steps.items():
        step = next(iter(found))
        if len(found) != 1 or step is None or any(each.array == entry.array and each != entry for each in stored):
            continue
        for atom in {atom for node in body for access, _ in node.accesses for atom in _atoms(access)}:
            if _is_from(atom, entry, held):
                yield atom, HandedOut(entry, step)


def _atoms(access: Access) -> Iterator[Unknown]:
    return (atom for each in access.subscripts for atom in each.unknowns())


def _is_from(atom: Unknown, entry: Access, held: Mapping[str, tuple[Access | None, int]]) -> bool:
    """Return whether an index is an entry of a table, before or after its step."""
    if atom.element is not None:
        return entry.array in (atom.array, atom.variable) and atom.element[1] == entry.subscripts
    return held.get(atom.variable, (None, 0))[0] == entry


def _held(body: Sequence[Statement]) -> dict[str, tuple[Access | None, int]]:
    """Return the registers that hold an element of an array, with what is added to it; none that have two values."""
    found: dict[str, tuple[Access | None, int]] = {}
    for node in body:
        if isinstance(node.target, Register):
            name = node.target.name
            found[name] = (None, 0) if name in found else _element(node.value, found)
    return found


def _element(value: Value, held: Mapping[str, tuple[Access | None, int]]) -> tuple[Access | None, int]:
    """Return the element of an array that a value is, and what is added to it; None of any other value."""
    match value:
        case Load(access=access):
            return access, 0
        case Register(name=name):
            return held.get(name, (None, 0))
        case Apply(operation=Operation.ADD | Operation.SUB as operation, operands=(first, second)):
            number = _number(second)
            entry, added = _element(first, held)
            if number is not None:
                return entry, added + _SIGNS[operation] * number
    return None, 0


def _number(value: Value) -> int | None:
    match value:
        case Constant(number=int(number)):
            return number
        case IndexValue(index=Poly(constant=int(number))):
            return number
    return None
