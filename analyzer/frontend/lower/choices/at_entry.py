"""Pointers at entry of the analyzed function: each points at the start of the array that is named after it."""

from __future__ import annotations

from msgspec.structs import replace

from ....ir.index import ZERO
from ...surface import nodes as sx
from ..layout import declare_storage, size_bytes
from ..logic import NEVER
from ..names.bindings import Either, Key, Location, Pointer, Slot
from ..state import State


def default_pointer(state: State, slot: Slot) -> Pointer:
    """Return the start of the array that is named after a pointer."""
    target = slot.type.target if isinstance(slot.type, sx.PointerT) else slot.type
    if isinstance(target, sx.ArrayT) and not isinstance(slot.type, sx.PointerT):
        target = target.element
    name = state.memory.slot_name(slot)
    declare_storage(state, name, slot.type, slot.variable)
    assume_about(state, slot.variable)
    return Pointer(Location(name, (ZERO,), (size_bytes(state, target),), target))


def null_pointer(state: State, slot: Slot) -> Pointer:
    """Return a null pointer in a variable."""
    return replace(default_pointer(state, slot), valid=NEVER)


def assume_about(state: State, variable: sx.Variable) -> None:
    """Assume the type of the elements of an array that is not declared."""
    if variable.storage is sx.Storage.UNDECLARED:
        kind = state.memory.arrays[state.memory.storage[variable]].element
        state.emitter.assume("AI301", variable.span, "elements", variable.name, type=str(kind))


def is_bound_at_entry(state: State, key: Key) -> bool:
    """Return whether a pointer points somewhere before the analyzed function assigns it."""
    variable, path = key
    is_pointer = bool(path) or (isinstance(variable.type, sx.PointerT) and not variable.reference)
    held = state.memory.held.get(variable.name)
    is_held = held is not None and held.variable is variable and variable.storage is sx.Storage.PARAMETER
    given = variable.storage is sx.Storage.GLOBAL or variable in state.flow.frames[0].function.parameters
    return is_pointer and (given or is_held)


def slot_of(key: Key, bound: Pointer | Either) -> Slot:
    """Return the pointer variable with a binding."""
    while isinstance(bound, Either):
        bound = bound.first
    return Slot(key[0], sx.PointerT(bound.target.type) if key[1] else key[0].type, key[1])
