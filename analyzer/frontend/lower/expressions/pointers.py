"""Pointers: arithmetic on them, targets of pointer variables, and pointers in memory.

A location is an array, subscripts with byte strides, and a field offset.  Indexing a pointer adds to the last subscript
when its stride is the size of what the pointer points at; an array within an array, or a field, gets its own subscript.
"""

from __future__ import annotations

from math import prod

from msgspec.structs import replace

from ....ir.index import ZERO, Poly, const, trunc_div
from ....ir.types import INT64, ScalarType
from ....ir.values import Constant, IndexValue, Load, Register, Value
from ....source import Span
from ...surface import nodes as sx
from ..layout import POINTER, access, declare_storage, size_bytes
from ..names.bindings import Aggregate, Fresh, Location, Pointer, Result, Slot, is_zero, with_last
from ..names.memory import Memory
from ..state import State


def pointer_to(state: State, expression: sx.Expression) -> Pointer | None:
    """Return the pointer that an expression computes, or None."""
    result = state.evaluate(expression)
    if isinstance(result, Aggregate) and isinstance(result.location, Location):
        return decayed(state, result.location)
    return result if isinstance(result, Pointer) else None


def decayed(state: State, location: Location) -> Pointer:
    """Return the pointer to the first element of an array, or to any other location itself."""
    if not isinstance(location.type, sx.ArrayT):
        return Pointer(location)
    stride = size_bytes(state, location.type.element)
    subscripts, strides = (*location.subscripts, ZERO), (*location.strides, stride)
    return Pointer(replace(location, subscripts=subscripts, strides=strides, type=location.type.element))


def advanced(state: State, pointer: Pointer, steps: Poly) -> Pointer:
    """Return ``pointer + steps``."""
    location = pointer.target
    if isinstance(location, Slot):
        return pointer
    stride = size_bytes(state, location.type)
    if location.strides and location.strides[-1] == stride:
        return Pointer(with_last(location, location.subscripts[-1] + steps))
    if location.strides and is_zero(location.subscripts[-1]) and location.strides[-1] is not None:
        return Pointer(replace(with_last(location, steps), strides=(*location.strides[:-1], stride)))
    if is_zero(steps):
        return pointer
    return Pointer(replace(location, subscripts=(*location.subscripts, steps), strides=(*location.strides, stride)))


def byte_offset(pointer: Pointer) -> Poly | None:
    """Return the distance of a location from the start of its array in bytes, or None where a stride is unknown."""
    location = pointer.target
    if isinstance(location, Slot):
        return None
    total = const(location.offset_bytes)
    for subscript, stride in zip(location.subscripts, location.strides, strict=True):
        if stride is None:
            return None
        total = total + subscript * stride
    return total


def distance(state: State, left: Pointer, right: Pointer) -> Poly | None:
    """Return ``left - right`` in elements, or None for pointers that are not known to be into one array."""
    first, second = left.target, right.target
    if isinstance(first, Slot) or isinstance(second, Slot) or first.array != second.array:
        return None
    start, end = byte_offset(right), byte_offset(left)
    size = size_bytes(state, first.type)
    if start is None or end is None or size is None:
        same = first.strides == second.strides and first.subscripts[:-1] == second.subscripts[:-1]
        return first.subscripts[-1] - second.subscripts[-1] if same and first.subscripts else None
    return trunc_div(end - start, size)


def slot_pointer(state: State, slot: Slot) -> Pointer:
    """Return the target of a pointer variable (or an array parameter); by default the array of its own name."""
    bound = state.environment.get(slot)
    if isinstance(bound, Pointer):
        return bound
    return default_pointer(state, slot)


def default_pointer(state: State, slot: Slot) -> Pointer:
    """Return the start of the array that is named after a pointer."""
    target = slot.type.target if isinstance(slot.type, sx.PointerT) else slot.type
    if isinstance(target, sx.ArrayT) and not isinstance(slot.type, sx.PointerT):
        target = target.element
    name = state.memory.slot_name(slot)
    declare_storage(state, name, slot.type, slot.variable)
    assume_about(state, slot.variable)
    return Pointer(Location(name, (ZERO,), (size_bytes(state, target),), target))


def take_as_valid(state: State, pointer: Pointer, span: Span) -> None:
    """Assume that a pointer is not null, unless it points at an object or at memory allocated here."""
    location = pointer.target
    if isinstance(location, Location) and location.array not in state.memory.allocated:
        array = state.memory.arrays.get(location.array)
        if array is None or array.extents[:1] == (None,):
            state.emitter.assume("AI312", span, "not-null", location.array)


def assume_about(state: State, variable: sx.Variable) -> None:
    """Assume the type of the elements of an array that is not declared."""
    if variable.storage is sx.Storage.UNDECLARED:
        kind = state.memory.arrays[state.memory.storage[variable]].element
        state.emitter.assume("AI301", variable.span, "elements", variable.name, type=str(kind))


def loaded_pointer(state: State, location: Location, span: Span) -> Pointer:
    """Follow a pointer that lies in memory: one load, then storage named after where the pointer was found."""
    assert isinstance(location.type, sx.PointerT)
    state.emitter.temporary(Load(access(state, location)), POINTER, span)
    target = location.type.target
    single = bool(location.member) and all(is_zero(subscript) for subscript in location.subscripts)
    if location.member:
        name = f"{location.array}->{location.member}" if single else f"{location.array}[].{location.member}"
    else:
        name = f"{location.array}[]"
    declare_storage(state, name, location.type)
    outer = () if single else location.subscripts
    strides: tuple[Poly | None, ...] = (*(None for _ in outer), size_bytes(state, target))
    return Pointer(Location(name, (*outer, ZERO), strides, target))


def pointer_value(pointer: Pointer | Aggregate | Fresh) -> Value:
    """Return a pointer as a value that is stored: its number is not known."""
    return Constant(None, POINTER)


def pointer_difference(state: State, left: Pointer, right: Pointer) -> Value:
    """Return ``left - right`` as a value."""
    steps = distance(state, left, right)
    return IndexValue(state.lost("distance") if steps is None else steps, INT64)


def bind_pointer(state: State, slot: Slot, result: Result, span: Span) -> None:
    """Make a pointer variable point at a result; fresh and unknown memory is named after the variable."""
    if isinstance(result, Aggregate) and isinstance(result.location, Location):
        result = decayed(state, result.location)
    if isinstance(result, Register) and isinstance(slot.type, sx.PointerT):
        name = result.name
        declare_storage(state, name, slot.type)
        target = slot.type.target
        result = Pointer(Location(name, (ZERO,), (size_bytes(state, target),), target))
    if not isinstance(result, Pointer):
        fresh = default_pointer(state, slot)
        state.environment.bind(slot, fresh)
        assert isinstance(fresh.target, Location)
        _measure(state.memory, fresh.target.array, result.size_bytes if isinstance(result, Fresh) else None)
        (state.memory.allocated.add if isinstance(result, Fresh) else state.memory.allocated.discard)(
            fresh.target.array
        )
        return
    target = slot.type.target if isinstance(slot.type, sx.PointerT) else slot.type
    if isinstance(target, sx.ArrayT) and not isinstance(slot.type, sx.PointerT):
        target = target.element
    state.environment.bind(slot, retyped(state, result, target))


def _measure(memory: Memory, name: str, size: int | None) -> None:
    """Give an array the extent of the memory that was allocated for it: None after allocations of several sizes."""
    array = memory.arrays[name]
    first, *inner = array.extents
    numbers = [array.element_bytes, *(None if extent is None else extent.constant for extent in inner)]
    row = prod(number for number in numbers if number is not None)
    extent = const(size // row) if size and row and None not in numbers and size % row == 0 else None
    if name in memory.allocated and extent != first:
        extent = None
    if name in memory.allocated or first is None:
        memory.arrays[name] = replace(array, extents=(extent, *inner))


def retyped(state: State, pointer: Pointer, target: sx.CType) -> Pointer:
    """Return a pointer seen as pointing at another type."""
    location = pointer.target
    if isinstance(location, Slot):
        return pointer
    if isinstance(target, sx.ScalarT) and target.element.scalar is ScalarType.VOID:
        return pointer
    if isinstance(location.type, sx.ArrayT) and not isinstance(target, sx.ArrayT):
        location_pointer = decayed(state, location).target
        assert isinstance(location_pointer, Location)
        location = location_pointer
    _name_untyped(state, location, target)
    return Pointer(replace(location, type=target))


def _name_untyped(state: State, location: Location, target: sx.CType) -> None:
    """Give storage that was first seen through ``void *`` the first real type."""
    array = state.memory.arrays.get(location.array)
    if array is None or array.element.scalar is not ScalarType.VOID:
        return
    del state.memory.arrays[location.array]
    declare_storage(state, location.array, sx.PointerT(target))
