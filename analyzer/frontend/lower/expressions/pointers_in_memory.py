"""Pointers that lie in memory: the storage that they point at, and the variables that stand for those at fixed places.

A pointer that is loaded points at storage named after where it was found; one at a fixed location, in a member of an
object or in a short array, is followed as a variable is.
"""

from __future__ import annotations

from msgspec.structs import replace

from ....ir.index import ZERO, Poly, const, unknown
from ....ir.nodes import MemorySpace
from ....ir.values import Load
from ....source import Span
from ...surface import nodes as sx
from ..choices.tables import row_of, table_of
from ..layout import POINTER, access, declare_storage, size_bytes
from ..names.bindings import Location, Pointer, Result, Slot, is_zero, with_last
from ..state import State
from .pointers import bind_pointer, slot_pointer

MOST_POINTERS = 8
"""In an array whose elements are followed one by one."""


def loaded_pointer(state: State, location: Location, span: Span) -> Pointer:
    """Follow a pointer that lies in memory: one load, then storage named after where the pointer was found."""
    state.emitter.temporary(Load(access(state, location)), POINTER, span)
    return pointed_at(state, location, span)


def pointed_at(state: State, location: Location, span: Span) -> Pointer:
    """Return the target of a pointer that lies in memory."""
    assert isinstance(location.type, sx.PointerT)
    target = location.type.target
    held = held_pointer(state, location, span)
    if held is not None:
        return slot_pointer(state, held)
    any_of = _any_of(state, location, span)
    if any_of is not None:
        return any_of
    if location.array in state.memory.tables:
        return Pointer(_behind_table(state, location))
    name = loaded_name(location)
    state.memory.behind.setdefault(name, location.array)
    declare_storage(state, name, location.type)
    outer = location.subscripts
    strides: tuple[Poly | None, ...] = (*(None for _ in outer), size_bytes(state, target))
    return Pointer(Location(name, (*outer, ZERO), strides, target))


def _behind_table(state: State, location: Location) -> Location:
    """Return what a pointer in one of several arrays points at: in the table of what those in each array point at."""
    assert isinstance(location.type, sx.PointerT)
    memory, target = state.memory, location.type.target
    ordered = sorted(memory.members(location.array), key=memory.number)
    names = [loaded_name(replace(location, array=array)) for array in ordered]
    for name, array in zip(names, ordered, strict=True):
        memory.behind.setdefault(name, array)
        declare_storage(state, name, location.type)
        memory.number(name)
    shifts = {memory.number(name) - memory.number(array) for name, array in zip(names, ordered, strict=True)}
    row = unknown(state.symbols.label(location.array), state.flow.iterators())
    if len(shifts) == 1:
        row = location.subscripts[0] + shifts.pop()
    subscripts = (row, *location.subscripts[1:], ZERO)
    strides = (*(None for _ in location.subscripts), size_bytes(state, target))
    return Location(table_of(memory, names), subscripts, strides, target)


def held_pointer(state: State, location: Location, span: Span) -> Slot | None:
    """Return the variable that stands for a pointer in memory, where that is at a fixed location; else None."""
    if not isinstance(location.type, sx.PointerT):
        return None
    array = state.memory.arrays.get(location.array)
    is_set = array is None or array.space is not MemorySpace.SHARED
    if location.member and all(is_zero(subscript) for subscript in location.subscripts):
        name = f"{location.array}->{location.member}"
        state.memory.behind.setdefault(name, location.array)
        return state.memory.held_pointer(name, location.type, span, is_set=is_set)
    if not (is_stored_once(state, location) or pointers_in(state, location)):
        return None
    number = location.subscripts[0].constant
    if number is None:
        return None
    name = f"{location.array}[{number}]" + (f".{location.member}" if location.member else "")
    return state.memory.held_pointer(name, location.type, span, is_set=is_set)


def is_stored_once(state: State, location: Location) -> bool:
    """Return whether a location in a short array of the function is known to be stored once, outside of loops."""
    number = location.subscripts[0].constant if len(location.subscripts) == 1 else None
    return number is not None and (location.member, number) in state.inputs.elements.get(location.array, {})


def loaded_name(location: Location) -> str:
    """Return the name of the arrays that pointers in memory point at."""
    return f"{location.array}[].{location.member}" if location.member else f"{location.array}[]"


def is_followed(state: State, location: Location) -> bool:
    """Return whether each pointer of an array of pointers is followed."""
    return pointers_in(state, location) > 0


def pointers_in(state: State, location: Location) -> int:
    """Return the number of pointers in a small array of them in which a location is; 0 where it is in none."""
    extents = state.memory.arrays[location.array].extents if location.array in state.memory.arrays else ()
    count = extents[0].constant if len(extents) == 1 and extents[0] is not None else None
    is_small = count is not None and count <= MOST_POINTERS and len(location.subscripts) == 1 and not location.member
    if isinstance(location.type, sx.PointerT) and location.type.owns and location.array in state.memory.measured:
        return 0  # rows, whose numbers of elements follow from the loops that make them
    return count if is_small and count is not None else 0


def _any_of(state: State, location: Location, span: Span) -> Pointer | None:
    """Return the pointer at an index of a small array of pointers, in the table of their arrays."""
    assert isinstance(location.type, sx.PointerT)
    elements = (with_last(location, const(number)) for number in range(pointers_in(state, location)))
    slots = [slot for element in elements if (slot := held_pointer(state, element, span)) is not None]
    found = [slot_pointer(state, slot).target for slot in slots]
    targets = [target for target in found if isinstance(target, Location)]
    return Pointer(row_of(state, location.subscripts[0], targets)) if targets and targets == found else None


def hold_pointer(state: State, slot: Slot, result: Result, span: Span, *, stays: bool = False) -> None:
    """Make a pointer in memory point at a result; at the array of its name where that is not known.

    It may point at a variable where it ``stays`` as it is.
    """
    if isinstance(result, Pointer) and (stays or isinstance(result.target, Location)):
        bind_pointer(state, slot, result, span)
    else:
        state.environment.bindings.pop(slot.key, None)
