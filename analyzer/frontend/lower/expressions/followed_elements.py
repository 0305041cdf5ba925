"""Elements of short arrays on the stack, integers or such members, followed from store to store as variables are.

``int n[2]`` as a member of views that change places has two integers like any other: an element at a known position is
a field of the variable that the array belongs to (``.n[0]``, ``[1].hi``), so that branches join it and loops find its
closed form.
"""

from __future__ import annotations

from collections.abc import Set

from ....ir.index import Poly, const, unknown
from ....ir.nodes import Comparison
from ....ir.types import INT32
from ....ir.values import Value
from ...surface import nodes as sx
from ..functions.effects import Effects
from ..inputs import NoTable
from ..layout import is_own
from ..logic import compare, truth_index
from ..names.bindings import Integer, Location, Pointer, Slot
from ..state import State
from .conversions import index_of


def owner_of(state: State, array: str) -> Slot | None:
    """Return the variable that an array belongs to, with the path of the array in it."""
    for variable, name in state.memory.storage.items():
        is_object = variable.storage is sx.Storage.GLOBAL or is_own(state, variable)
        if is_object and (array == name or array.startswith(f"{name}.")):
            return Slot(variable, variable.type, array[len(name) :])
    return None


def note_element(state: State, target: Location, value: Value, added: Poly | None = None) -> None:
    """Hold the value of an element that is stored, or what is ``added`` to it.

    Where a counter says which element it is, each has it under a condition; all are lost where that is not known.
    """
    arrays = state.memory.members(target.array) & state.memory.followed
    if arrays and any(condition.depends_on_data for condition in state.emitter.path):
        _refuse(state, arrays)
    for array in arrays:
        owner = owner_of(state, array)
        if owner is None:
            continue
        is_whole = array == target.array and _is_whole(state, target)
        position = position_of(target) if is_whole else None
        if position is not None:
            if _is_integer(target.type):
                _bind(state, owner, owner.path + position, index_of(value))
            continue
        if any(subscript.unknowns() for subscript in target.subscripts):
            _refuse(state, {array})
        chosen = target.subscripts[0] if is_whole and len(target.subscripts) == 1 else None
        for _, path in state.environment.keys_of(owner.variable):
            if path.startswith(f"{owner.path}["):
                stored = index_of(value) if added is None else None
                is_open = _wraps(target.type)
                found = None if chosen is None or is_open else _chosen(state, owner, path, chosen, stored, added)
                _bind(state, owner, path, found)


def _chosen(
    state: State, owner: Slot, path: str, position: Poly, stored: Poly | None, added: Poly | None
) -> Poly | None:
    """Return the value of an element after a store to the one at a position that a loop counts; None of others."""
    number = path.removeprefix(f"{owner.path}[").removesuffix("]")
    bound = state.environment.get(Slot(owner.variable, sx.INT, path))
    if position.unknowns() or not number.isdigit() or not isinstance(bound, Integer):
        return None
    holds = truth_index(compare(Comparison.EQ, position, const(int(number))))
    rise = added if added is not None else None if stored is None else stored - bound.value
    if holds is None or rise is None or rise.unknowns() or bound.value.unknowns():
        return None
    return bound.value + holds * rise


def _is_whole(state: State, location: Location) -> bool:
    """Return whether a location is an element of its array, or a member of one: no part of one, as characters."""
    array, stride = state.memory.arrays[location.array], location.strides[-1] if location.strides else None
    is_part = not location.member and location.type != sx.ScalarT(array.element)
    return not is_part and stride is not None and stride.constant == array.element_bytes


def _bind(state: State, owner: Slot, path: str, value: Poly | None) -> None:
    name = owner.variable.name + path
    held = unknown(state.symbols.label(name), state.flow.iterators(), variable=name) if value is None else value
    state.environment.bind(Slot(owner.variable, sx.INT, path), Integer(held))


def _wraps(kind: sx.CType) -> bool:
    """Return whether a number has so few bits that sums of it may not fit."""
    return not isinstance(kind, sx.ScalarT) or kind.element.size_bytes < INT32.size_bytes


def element_at(state: State, location: Location) -> Poly | None:
    """Return the value of an element at a known position; None where it is not known."""
    if location.array not in state.memory.followed or not _is_whole(state, location):
        return None
    owner, position = owner_of(state, location.array), position_of(location)
    if owner is None or position is None or not _is_integer(location.type):
        return None
    bound = state.environment.get(Slot(owner.variable, sx.INT, owner.path + position))
    return bound.value if isinstance(bound, Integer) and not bound.value.unknowns() else None


def position_of(location: Location) -> str | None:
    """Return the path of an element, or of a member of one, in its array; None where its number is not known."""
    if location.offset_bytes and not location.member:
        return None
    number = _number_of(location)
    return None if number is None else f"[{number}]" + (f".{location.member}" if location.member else "")


def _number_of(location: Location) -> int | None:
    """Return the number of an element in its array, row by row; None where it is not known."""
    if len(location.subscripts) == 1:
        return location.subscripts[0].constant
    numbers = [subscript.constant for subscript in location.subscripts]
    strides = [None if stride is None else stride.constant for stride in location.strides]
    if not numbers or None in numbers or None in strides or not strides[-1]:
        return None
    pairs = zip(numbers, strides, strict=True)
    offset = sum(number * stride for number, stride in pairs if number is not None and stride is not None)
    return offset // strides[-1]


def _is_integer(kind: sx.CType) -> bool:
    return isinstance(kind, sx.ScalarT) and kind.element.scalar.is_integer


def _is_to_floats(kind: sx.CType) -> bool:
    """Return whether a pointer is to floating-point numbers, in rows too, so that no integer is behind it."""
    while isinstance(kind, sx.PointerT | sx.ArrayT):
        kind = kind.target if isinstance(kind, sx.PointerT) else kind.element
    return isinstance(kind, sx.ScalarT) and kind.element.scalar.is_float


def owners_written(state: State, effects: Effects) -> list[sx.Variable]:
    """Return the variables whose arrays are followed, and which a loop may store to: by name, or through a pointer."""
    if not effects.storage:
        return []
    pointed = {
        each.target.array
        for (variable, path), each in state.environment.bindings.items()
        if isinstance(each, Pointer) and isinstance(each.target, Location)
        if path or state.memory.storage.get(variable) != each.target.array  # that is written by its name
    }
    any_pointers = any(not _is_to_floats(pointer.type) for pointer in effects.pointers)
    found = ((array, owner_of(state, array)) for array in sorted(state.memory.followed))
    return [
        owner.variable
        for array, owner in found
        if owner is not None and (owner.variable.name in effects.storage or array in pointed or any_pointers)
    ]


def give_away(state: State, handed: object) -> None:
    """Take the array of a pointer or a location for no table; raises ``NoTable``.

    A function without a body is given its address, or memory holds it: it may change.
    """
    target = handed.target if isinstance(handed, Pointer) else handed
    if isinstance(target, Location):
        _refuse(state, state.memory.members(target.array) & state.memory.followed)


def _refuse(state: State, arrays: Set[str]) -> None:
    for array in sorted(arrays - state.inputs.followed):
        raise NoTable(array)


def lose_elements(state: State, effects: Effects) -> None:
    """Give the elements that a call which is not followed may store any value."""
    for owner in owners_written(state, effects):
        for _, path in state.environment.keys_of(owner):
            if "[" in path:
                _bind(state, Slot(owner, owner.type), path, None)
