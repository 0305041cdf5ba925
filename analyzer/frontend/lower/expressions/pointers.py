"""Pointers: arithmetic on them, targets of pointer variables, and the extents of the memory that they are given.

A location is an array, subscripts with byte strides, and a field offset.  Indexing a pointer adds to the last subscript
when its stride is the size of what the pointer points at; an array within an array, or a field, gets its own subscript.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from msgspec.structs import replace

from ....ir.index import ONE, ZERO, Poly, const, trunc_div
from ....ir.nodes import Condition, DataDependent
from ....ir.types import INT64, UNKNOWN, ScalarType
from ....ir.values import Constant, IndexValue, Opaque, Register, Value
from ....source import Span
from ...surface import nodes as sx
from ...surface.constructs import construct
from ...surface.designation import without_casts
from ..choices.at_entry import default_pointer, null_pointer
from ..choices.tables import chosen_from, is_null, map_pointers, settled
from ..layout import POINTER, declare_storage, note_table, offset_of, size_bytes
from ..logic import ALWAYS
from ..names.bindings import (
    UNKNOWN_VALIDITY,
    Aggregate,
    Either,
    Fresh,
    Location,
    Lvalue,
    Pointer,
    Result,
    Slot,
    is_zero,
    with_last,
)
from ..names.memory import Memory
from ..state import State


def pointer_to(state: State, expression: sx.Expression) -> Pointer | None:
    """Return the pointer that an expression computes, or None."""
    result = state.evaluate(expression)
    if isinstance(result, Aggregate) and isinstance(result.location, Location):
        return decayed(state, result.location)
    if isinstance(result, Fresh) and isinstance(call := without_casts(expression), sx.Call):
        return _returned(state, call)
    return result if isinstance(result, Pointer) else None


def _returned(state: State, call: sx.Call) -> Pointer | None:
    """Return the pointer that a function gives which is not followed: to memory that is the same for all its calls."""
    if not isinstance(call.type, sx.PointerT) or call.type.owns:
        return None
    state.emitter.blur(construct("result", function=call.name), call.span)
    return slot_pointer(state, state.memory.held_pointer(f"{call.name}.result", call.type, call.span))


def decayed(state: State, location: Location) -> Pointer:
    """Return the pointer to the first element of an array, or to any other location itself."""
    if not isinstance(location.type, sx.ArrayT):
        return Pointer(location)
    stride = size_bytes(state, location.type.element)
    subscripts, strides = (*location.subscripts, ZERO), (*location.strides, stride)
    return Pointer(replace(location, subscripts=subscripts, strides=strides, type=location.type.element))


def decay(state: State, result: Result) -> Result:
    """Return a pointer for an array, and any other result as it is."""
    if (
        isinstance(result, Aggregate)
        and isinstance(result.location, Location)
        and isinstance(result.location.type, sx.ArrayT)
    ):
        return decayed(state, result.location)
    return result


def advanced(state: State, pointer: Pointer, steps: Poly) -> Pointer:
    """Return ``pointer + steps``."""
    location = pointer.target
    if isinstance(location, Slot):
        return pointer
    stride = size_bytes(state, location.type)
    if location.strides and location.strides[-1] == stride:
        return Pointer(with_last(location, location.subscripts[-1] + steps))
    elements = _whole_elements(state, location, steps, stride)
    if elements is not None:
        return Pointer(with_last(location, location.subscripts[-1] + elements))
    if location.strides and is_zero(location.subscripts[-1]) and location.strides[-1] is not None:
        return Pointer(replace(with_last(location, steps), strides=(*location.strides[:-1], stride)))
    if is_zero(steps):
        return pointer
    return Pointer(replace(location, subscripts=(*location.subscripts, steps), strides=(*location.strides, stride)))


def _whole_elements(state: State, location: Location, steps: Poly, stride: Poly | None) -> Poly | None:
    """Return the elements of ``p`` in ``(float *)((char *)p + steps)``, if given values make it whole ones."""
    element = location.strides[-1].constant if location.strides and location.strides[-1] is not None else None
    unit = None if stride is None else stride.constant
    if element is None or unit is None or element <= unit or is_zero(steps):
        return None
    size = state.symbols.value_of(steps * unit)
    if size is None or size % element:
        return None
    return trunc_div(steps * unit, const(element)) if size > 0 else -trunc_div(-steps * unit, const(element))


def distance(state: State, left: Pointer, right: Pointer) -> Poly | None:
    """Return ``left - right`` in elements, or None for pointers that are not known to be into one array."""
    first, second = left.target, right.target
    if isinstance(first, Slot) or isinstance(second, Slot) or first.array != second.array:
        return None
    start, end = offset_of(second), offset_of(first)
    size = size_bytes(state, first.type)
    if start is None or end is None or size is None:
        same = first.strides == second.strides and first.subscripts[:-1] == second.subscripts[:-1]
        return first.subscripts[-1] - second.subscripts[-1] if same and first.subscripts else None
    return trunc_div(end - start, size)


def is_same_object(state: State, left: Pointer, right: Pointer, span: Span) -> bool | None:
    """Return whether two addresses are of one object (``this == &other``); None where that is not known.

    ``this`` and a reference are assumed to be of different ones, where nothing says what they are of.
    """
    first, second = _object_at(state, left.target), _object_at(state, right.target)
    if first is None or second is None:
        return None
    if first is second:
        return True if left.target == right.target else None
    if all(map(_is_given, (first, second))):
        state.emitter.assume("AI302", span, "overlap", arrays=(first.name, second.name))
    return False


def _object_at(state: State, target: Lvalue) -> sx.Variable | None:
    """Return the variable that is an object, or refers to the same one as long as it lives; None of other memory."""
    if isinstance(target, Slot):
        return target.variable
    found = (variable for variable, name in state.memory.storage.items() if name == target.array)
    variable = next(found, None)
    return variable if variable is not None and _is_given(variable) else None


def _is_given(variable: sx.Variable) -> bool:
    """Return whether a variable refers to an object that a caller gives."""
    return variable.reference or variable.name == "this"


def slot_pointer(state: State, slot: Slot) -> Pointer:
    """Return the target of a pointer variable (or an array parameter); by default the array of its own name."""
    bound = state.environment.get(slot)
    if isinstance(bound, Either):
        return settled(state, slot, bound)
    if isinstance(bound, Pointer):
        return bound
    first = default_pointer(state, slot)
    _measure_global(state, slot, first)
    return first


def validity(state: State, pointer: Pointer, tested: sx.Expression) -> Condition:
    """Return where a pointer is not null: always, as is assumed unless it is at an object or at memory allocated here.

    A condition that means something else here than where the pointer was assigned gives a name without a value.  So
    does a member (``tested``) that the program itself sets to null somewhere.
    """
    if pointer.valid is not None:
        names = {name for name in pointer.valid.names if "@" not in name}
        is_known = names <= {*state.flow.iterators(), *state.symbols.known} and pointer.valid != UNKNOWN_VALIDITY
        return pointer.valid if is_known else DataDependent(state.symbols.label("pointer"), "pointer")
    location = pointer.target
    if isinstance(location, Location) and location.array not in state.memory.allocated | state.memory.given:
        array = state.memory.arrays.get(location.array)
        if array is None or array.extents[:1] == (None,):
            if state.inputs.effects.may_be_null(tested):
                return DataDependent(state.symbols.label("pointer"), "pointer")
            state.emitter.assume("AI312", tested.span, "not-null", location.array)
    return ALWAYS


def as_value(result: Result) -> Value:
    """Return a result as data; addresses have no number."""
    if isinstance(result, Aggregate):
        return Opaque(construct("aggregate"), UNKNOWN)
    return pointer_value(result) if isinstance(result, Pointer | Fresh) else result


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
        result = held_pointer(state, result, slot.type)
    if isinstance(result, Fresh) and (kind := _one_object(state, slot, result)) is not None:
        held = sx.Variable(slot.variable.name, kind, sx.Storage.LOCAL, span)
        state.memory.objects.add(held)
        state.environment.bind(slot, Pointer(Slot(held, kind)))
        return
    if not isinstance(result, Pointer):
        if isinstance(result, Fresh) and _is_another_each_time(state, result):
            state.emitter.blur(construct("object-of-a-loop"), span)
        fresh = null_pointer(state, slot) if is_null(result) else default_pointer(state, slot)
        state.environment.bind(slot, fresh)
        assert isinstance(fresh.target, Location)
        size = _bytes_of(state, fresh.target.array, result) if isinstance(result, Fresh) else None
        _measure(state.memory, fresh.target.array, size)
        if not (isinstance(slot.type, sx.PointerT) and slot.type.owns):  # containers have sizes
            _note_length(state, fresh.target.array, result)
        if isinstance(result, Fresh) and result.count is not None and result.count.constant is None:
            state.memory.measured.add(fresh.target.array)
            state.memory.sized_by |= result.count.names()
        if not (isinstance(result, Fresh) and result.count == ZERO):
            change = state.memory.allocated.add if isinstance(result, Fresh) else state.memory.allocated.discard
            change(fresh.target.array)
        return
    target = slot.type.target if isinstance(slot.type, sx.PointerT) else slot.type
    if isinstance(target, sx.ArrayT) and not isinstance(slot.type, sx.PointerT):
        target = target.element
    bind_target(state, slot, result, lambda pointer: retyped(state, pointer, target))


def held_pointer(state: State, register: Register, kind: sx.PointerT) -> Pointer:
    """Return the pointer to unknown memory whose number a register holds, and which is named after it."""
    declare_storage(state, register.name, kind)
    return Pointer(Location(register.name, (ZERO,), (size_bytes(state, kind.target),), kind.target))


def _one_object(state: State, slot: Slot, fresh: Fresh) -> sx.StructT | None:
    """Return the structure for which new memory, outside of loops, has room: an object like a variable; else None."""
    kind = slot.type.target if isinstance(slot.type, sx.PointerT) and not slot.type.owns else None
    if not isinstance(kind, sx.StructT) or state.flow.loops or fresh.copied is not None or fresh.value is not None:
        return None
    size = size_bytes(state, kind)
    is_one = size is not None and fresh.size_bytes is not None and size.constant == fresh.size_bytes
    return kind if is_one or (fresh.allocated and _is_flexible(kind)) else None


def _is_flexible(kind: sx.StructT) -> bool:
    """Return whether the last member is an array as long as the memory: such structures are in no array themselves."""
    last = kind.fields[-1].type if kind.fields else None
    return isinstance(last, sx.ArrayT) and last.extent is None


def _is_another_each_time(state: State, fresh: Fresh) -> bool:
    """Return whether a loop allocates memory and does not free it: it is elsewhere in each iteration."""
    return fresh.allocated and bool(state.flow.loops) and not any(loop.frees for loop in state.flow.loops)


def bind_target(
    state: State, slot: Slot, pointer: Pointer, seen_as: Callable[[Pointer], Pointer] = lambda pointer: pointer
) -> None:
    """Bind a pointer variable or a reference to an object, or to both of two that a condition decides between."""
    chosen = chosen_from(state.memory, pointer)
    state.environment.bind(slot, map_pointers(chosen, seen_as))


def _measure_global(state: State, slot: Slot, first: Pointer) -> None:
    """Give the array of a global pointer that keeps its value the extent of the memory that it was made with."""
    variable, location = slot.variable, first.target
    is_kept = variable.constant or variable.kept is sx.Kept.CERTAIN
    if variable.initial is None or slot.path or not is_kept:
        return
    if isinstance(location, Location) and state.memory.arrays[location.array].extents[:1] == (None,):
        with state.emitter.capture():
            memory = state.evaluate(variable.initial)
        if isinstance(memory, Fresh):
            _measure(state.memory, location.array, memory.size_bytes)
            note_table(state, state.memory.arrays[location.array], variable)


def _bytes_of(state: State, name: str, fresh: Fresh) -> int | None:
    """Return the size of new memory, which copies of so many elements may give too; None where it is no number."""
    if fresh.size_bytes is not None or fresh.count is None or fresh.copied is None:
        return fresh.size_bytes
    count, array = state.symbols.value_of(fresh.count), state.memory.arrays[name]
    return None if count is None or len(array.extents) != 1 else count * array.element_bytes


def _note_length(state: State, name: str, result: Result | None) -> None:
    """Note how many elements memory has that is allocated once, outside of loops."""
    count = result.count if isinstance(result, Fresh) else None
    if isinstance(result, Fresh) and result.factors:
        size, element = prod(result.factors, start=ONE), state.memory.arrays[name].element_bytes
        is_whole = all(isinstance(number, int) and number % element == 0 for number in size.terms.values())
        count = Poly({term: int(number) // element for term, number in size.terms.items()}) if is_whole else None
    is_once = name not in state.memory.lengths and not state.flow.loops
    state.memory.lengths[name] = count if is_once else None


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


def measure_new(memory: Memory, name: str, count: int) -> None:
    """Give an array the extent of memory for so many elements, which a container that had none allocates."""
    array = memory.arrays[name]
    if len(array.extents) == 1:
        _measure(memory, name, count * array.element_bytes)
        memory.allocated.add(name)


def forget_extent(memory: Memory, name: str) -> None:
    """Let an array have any number of elements: its memory may be allocated anew."""
    array = memory.arrays.get(name)
    if array is not None and array.extents:
        memory.arrays[name] = replace(array, extents=(None, *array.extents[1:]))


def _has_more(derived: sx.CType, base: sx.CType) -> bool:
    """Return whether a class has all members of another one, and others: what is known of an object is its class."""
    if not (isinstance(derived, sx.StructT) and isinstance(base, sx.StructT)):
        return False
    more, fewer = ({(field.name, field.offset_bytes) for field in each.fields} for each in (derived, base))
    return fewer < more


def retyped(state: State, pointer: Pointer, target: sx.CType) -> Pointer:
    """Return a pointer seen as pointing at another type."""
    location = pointer.target
    if isinstance(location, Slot):
        return replace(pointer, target=replace(location, type=target)) if _has_more(target, location.type) else pointer
    if isinstance(target, sx.ScalarT) and target.element.scalar is ScalarType.VOID:
        return pointer
    if isinstance(location.type, sx.ArrayT) and not isinstance(target, sx.ArrayT):
        location_pointer = decayed(state, location).target
        assert isinstance(location_pointer, Location)
        location = location_pointer
    _name_untyped(state, location, target)
    return replace(pointer, target=replace(location, type=target))


def _name_untyped(state: State, location: Location, target: sx.CType) -> None:
    """Give storage that was first seen through ``void *`` the first real type."""
    array = state.memory.arrays.get(location.array)
    if array is None or array.element.scalar is not ScalarType.VOID:
        return
    del state.memory.arrays[location.array]
    declare_storage(state, location.array, sx.PointerT(target))
