"""Numbers of single objects that are in memory: behind ``new``, ``malloc`` and references to what a caller has.

Their integers and pointers are followed like those of variables; each use of a floating-point number is a reference
to an array of one element, as through a pointer that a caller gives: a store elsewhere may change it, so that no
register holds it for sure.
"""

from __future__ import annotations

from msgspec.structs import replace

from ....ir.index import ZERO, Poly, const
from ...surface import nodes as sx
from ..layout import declare_storage, size_bytes
from ..names.bindings import Location, Lvalue, Slot
from ..state import State


def is_in_memory(state: State, variable: sx.Variable) -> bool:
    """Return whether a variable stands for an object that was allocated, or that a caller has."""
    if variable in state.memory.objects:
        return True
    is_given = variable.reference and any(variable in frame.function.parameters for frame in state.flow.frames[:1])
    return is_given and state.environment.get(Slot(variable, variable.type)) is None


def in_memory(state: State, slot: Slot) -> Lvalue:
    """Return the location of a floating-point number of an object in memory, and any other slot as it is."""
    if not isinstance(slot.type, sx.ScalarT) or not slot.type.element.scalar.is_float:
        return slot
    if not is_in_memory(state, slot.variable):
        return slot
    kind = slot.variable.type
    offset, size = _offset_bytes(kind, slot.path), size_bytes(state, kind)
    if offset is None or size is None:
        return slot
    return Location(_storage(state, slot.variable), (ZERO,), (size,), slot.type, offset, slot.path[1:])


def _storage(state: State, variable: sx.Variable) -> str:
    """Return the array of one element that an object is, which no other name is of if it was allocated here."""
    name = state.memory.array_name(variable)
    if name not in state.memory.arrays:
        declare_storage(state, name, sx.PointerT(variable.type))
        array = state.memory.arrays[name]
        one: tuple[Poly | None, ...] = (const(1), *array.extents[1:])
        state.memory.arrays[name] = replace(array, extents=one)
        if variable in state.memory.objects:
            state.memory.allocated.add(name)
            state.memory.unaliased.add(name)
    return name


def _offset_bytes(kind: sx.CType, path: str) -> int | None:
    """Return the distance of a member from the start of its object; None where it is no member of that type."""
    offset = 0
    for name in path.split(".")[1:]:
        fields = kind.fields if isinstance(kind, sx.StructT) else ()
        field = next((field for field in fields if field.name == name), None)
        if field is None:
            return None
        kind, offset = field.type, offset + field.offset_bytes
    return offset
