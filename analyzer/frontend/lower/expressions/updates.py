"""New values of scalars, pointers and objects: integers and pointers are bound, elements of arrays are stores."""

from __future__ import annotations

from math import isfinite

from msgspec.structs import replace

from ....ir.arithmetic import common_type, in_type, is_unsigned
from ....ir.index import ZERO, Poly, const
from ....ir.types import INT32, ElementType
from ....ir.values import Apply, Constant, Load, Opaque, Operation, Register, Value
from ....source import Span
from ...surface import nodes as sx
from ...surface.constructs import construct
from ..decided import decided_number, rounded_formula
from ..layout import access, element_type
from ..logic import negate
from ..merging import join
from ..names.bindings import Aggregate, Either, Fresh, Integer, Location, Lvalue, Pointer, Result, Slot, Undefined
from ..state import State
from .containers.copies import copy_array, copy_elements, fill_elements, leave_empty, list_elements, make_elements, owns
from .containers.sizes import (
    count_of,
    elements_of,
    note_count,
    note_new_rows,
    note_room,
)
from .conversions import (
    OPERATIONS,
    apply,
    combine,
    convert,
    index_of,
    index_value,
    is_number_at_run_time,
    type_of,
    wrapped_index,
)
from .followed_elements import element_at, give_away, note_element
from .pointers import (
    advanced,
    bind_pointer,
    decayed,
    pointer_value,
    slot_pointer,
)
from .pointers_in_memory import (
    held_pointer,
    hold_pointer,
    is_followed,
    is_stored_once,
    loaded_name,
    loaded_pointer,
)
from .references import index_from, member, read, whole_of
from .unions import share_element, share_registers, share_value
from .values.lost import forget_escaped, forget_fields
from .values.sums import moved_by_data, note_sum
from .values.unknown import element_value
from .values.warp import rise_of

_BITS = frozenset({"&", "|", "^"})
_LITTLE = 8  # steps of a counter of few bits that is taken not to wrap
_FIELD_LIMIT, _LARGEST = 64, 1024  # fields of a struct whose copy is written out: in a variable, and in memory


def update(
    state: State, location: Lvalue, operator: str, operand: Result, span: Span, *, needed: bool = False
) -> Result:
    """Assign ``operand`` (or ``old operator operand``) to a location."""
    if isinstance(location, Location) and isinstance(location.type, sx.ArrayT) and isinstance(operand, Pointer):
        target = decayed(state, location)
        if target != operand:  # else made in place
            copy_array(state, target, operand, location.type, span)
        return operand
    if isinstance(location.type, sx.PointerT | sx.ArrayT):
        return _update_pointer(state, location, operator, operand, span)
    if isinstance(location.type, sx.StructT) or isinstance(operand, Aggregate):
        return _copy_fields(state, location, operand, span)
    value = pointer_value(operand) if isinstance(operand, Pointer | Fresh) else operand
    kind = element_type(state.inputs, location.type)
    old: Result | None = None
    if operator:
        if isinstance(location, Location) and element_at(state, location) is None:
            old = Load(access(state, location))
        else:
            old = read(state, location, span)
        if isinstance(old, Pointer | Aggregate | Fresh):
            return old
        if operator in _BITS and not any(isinstance(each, Constant) for each in (old, value)):
            value = apply(operator, old, value, common_type(type_of(old), type_of(value)))  # a hash, no index
        else:
            value, operations = combine(operator, old, value)
            state.emitter.index_operations += operations
    before = state.environment.get(location) if isinstance(location, Slot) else None
    held = value if _steps_counter(state, old, operand) else convert(value, kind)
    if isinstance(location, Location) and operator in ("+", "-"):
        step = None if isinstance(operand, Pointer | Aggregate | Fresh) else index_of(operand)
        if step is not None and element_at(state, location) is None:
            moved = step if operator == "+" else -step
            return store(state, location, held, kind, span, needed=needed, added=moved)
    stored = store(state, location, _in_bits(held, location.type), kind, span, needed=needed)
    note_sum(state, location, before, operator, operand)
    return stored


def _steps_counter(state: State, old: Result | None, step: Result) -> bool:
    """Return whether an update moves the counter of a loop by a little, which then is taken not to wrap."""
    index = None if old is None or isinstance(old, Pointer | Aggregate | Fresh) else index_of(old)
    name = None if index is None else index.as_name
    number = step.number if isinstance(step, Constant) else None
    return name in state.symbols.registers and number is not None and abs(number) <= _LITTLE


def _in_bits(value: Value, kind: sx.CType) -> Value:
    """Return a number as a bit-field holds it; one that data give is not known any more."""
    index = index_of(value)
    if not isinstance(kind, sx.ScalarT) or not kind.bits or index is None:
        return value
    return index_value(wrapped_index(index, kind.bits, unsigned=is_unsigned(kind.element.scalar)), kind.element)


def store(
    state: State,
    location: Lvalue,
    value: Value,
    kind: ElementType,
    span: Span,
    *,
    needed: bool,
    added: Poly | None = None,
) -> Value:
    """Give a scalar location its value; the value to go on with is cheap to use again.

    Of an element that is not followed it is what is ``added`` to the one before.
    """
    if isinstance(location, Location):
        if needed and isinstance(value, Apply | Load | Opaque):
            value = state.emitter.temporary(value, kind, span)
        state.emitter.emit(access(state, location), value, span)
        note_element(state, location, value, added)
        share_element(state, location, index_of(value))
        forget_escaped(state, location)
        return value
    state.environment.note_assigned(location)
    held = _store_in_register(state, location, value, kind, span)
    share_registers(state, location, span)
    bound = state.environment.get(location)
    share_value(state, location, bound.value if isinstance(bound, Integer) else None)
    return held


def _store_in_register(state: State, location: Slot, value: Value, kind: ElementType, span: Span) -> Value:
    whole = whole_of(location) if kind.scalar.is_float else None
    if whole is not None and isinstance(whole.type, sx.ScalarT) and whole.type.element.lanes > 1:
        return _store_lane(state, whole, whole.type.element, value, span)
    register = Register(state.memory.slot_name(location), kind)
    if not kind.scalar.is_integer or kind.lanes > 1:
        state.environment.bindings.pop(location.key, None)
        state.emitter.emit(register, value, span)
        _note_real(state, location, register, value)
        return register
    known = index_of(value)
    number = decided_number(state.symbols, value) if known is None and isinstance(value, Apply) else None
    if isinstance(number, int):
        state.emitter.emit(register, value, span)
        state.environment.bind(location, Integer(const(number)))
        return register
    if known is not None:
        if state.emitter.index_operations:
            state.emitter.emit(register, value, span)
        state.environment.bind(location, Integer(known, at_run_time=is_number_at_run_time(value)))
        return value
    formula = rounded_formula(value)
    if formula is not None:
        state.emitter.emit(register, value, span)
        state.environment.bind(location, Integer(formula))
        return register
    state.emitter.emit(register, value, span)
    state.environment.bind(location, Integer(_held(state, location, value)))
    return register


def _note_real(state: State, location: Slot, register: Register, value: Value) -> None:
    """Note the known real number that a variable of the function itself has from its declaration on, if it is one."""
    state.symbols.reals.pop(register.name, None)
    (frame, *calls) = state.flow.frames
    if calls or register.type.lanes > 1 or location.variable.storage is not sx.Storage.LOCAL:
        return
    number = decided_number(state.symbols, value)
    if number is None or not isfinite(number):
        return
    if location.variable not in state.inputs.effects.of(frame.function.body).variables:
        state.symbols.reals[register.name] = in_type(float(number), register.type).number or 0.0


def _store_lane(state: State, whole: Slot, kind: ElementType, value: Value, span: Span) -> Value:
    """Give one lane of a vector in a register its value; the others stay as they are."""
    register = Register(state.memory.slot_name(whole), kind)
    lane = value if isinstance(value, Register | Constant) else state.emitter.temporary(value, type_of(value), span)
    before = () if isinstance(state.environment.get(whole), Undefined) else (register,)
    state.environment.bindings.pop(whole.key, None)
    state.emitter.emit(register, Apply(Operation.SHUFFLE, kind, (*before, lane)), span)
    return lane


def _held(state: State, slot: Slot, value: Value) -> Poly:
    """Return the value of an integer that data gave: the loaded element, or unknown."""
    if isinstance(value, Load) and state.flow.loops:
        return index_from_load(state, value)
    rises = rise_of(state, value)
    name = state.memory.slot_name(slot)
    state.warp_rises.pop(name, None)
    if rises is not None:
        state.warp_rises[name] = rises
    lost = state.lost_by(slot.variable, slot.path, rises)
    ways = moved_by_data(state, value)
    return lost if ways is None else state.chosen_by_data(lost, *ways)


def index_from_load(state: State, load: Load) -> Poly:
    """Return the unknown value of a loaded integer, named after the element, and what stored to it before."""
    written = state.inputs.is_written(load.access.array)
    return element_value(state, load.access.spelling, load.access, load.access.type.scalar, written=written)


def _update_pointer(state: State, location: Lvalue, operator: str, operand: Result, span: Span) -> Result:
    if operator and isinstance(location, Slot):
        if isinstance(operand, Pointer | Aggregate | Fresh) or operator not in ("+", "-"):
            return operand
        steps = index_from(state, operand, span)
        moved = advanced(state, slot_pointer(state, location), steps if operator == "+" else -steps)
        state.emitter.index_operations = 0
        state.environment.bind(location, moved)
        return moved
    if isinstance(location, Slot):
        copied = isinstance(operand, Fresh) and operand.copied is not None
        is_held = copied and isinstance(state.environment.get(location), Pointer | Either)
        if not is_held and not (location.variable.reference and not location.path):
            bind_pointer(state, location, operand, span)
        pointer = slot_pointer(state, location)
        if isinstance(operand, Fresh):
            _copy_container(state, location, pointer, operand, span)
            if isinstance(pointer.target, Location):
                note_room(state, pointer.target, None if is_held else operand.count)
        return pointer
    stored = pointer_value(operand) if isinstance(operand, Pointer | Aggregate | Fresh) else operand
    if operator:
        stored = Apply(OPERATIONS[operator], INT32, (Load(access(state, location)), stored))
    state.emitter.emit(access(state, location), stored, span)
    forget_escaped(state, location)
    if isinstance(operand, Pointer) and isinstance(operand.target, Slot):
        state.memory.escaped[operand.target.key] = operand.target
    slot = held_pointer(state, location, span)
    if slot is not None and operator in ("+", "-") and not isinstance(operand, Pointer | Aggregate | Fresh):
        steps = index_from(state, operand, span)
        hold_pointer(
            state, slot, advanced(state, slot_pointer(state, slot), steps if operator == "+" else -steps), span
        )
    elif slot is not None and not (isinstance(operand, Fresh) and operand.copied is not None):
        hold_pointer(state, slot, operand, span, stays=is_stored_once(state, location))
    elif slot is None and isinstance(operand, Pointer) and isinstance(operand.target, Location):
        give_away(state, operand)
        _share_storage(state, location, operand.target, span)
        _note_taken_over(state, location, operand.target, span)
    if isinstance(operand, Fresh) and (operand.copied is not None or operand.value is not None):
        _copy_container(state, location, loaded_pointer(state, location, span), operand, span)
    elif isinstance(operand, Fresh) and isinstance(location.type, sx.PointerT) and location.type.owns:
        elements = elements_of(state, location)
        if elements is not None:
            note_count(state, elements, operand.count, location)
    return operand


def _share_storage(state: State, location: Location, target: Location, span: Span) -> None:
    """Note that one of many pointers in memory points into an array that has a name of its own."""
    rows = loaded_name(location)
    if is_followed(state, location):
        if not _has_as_many(state, location, target):
            state.emitter.lose(construct("either-object"), span)
    elif rows != target.array:
        state.emitter.assume("AI302", span, "overlap", arrays=(rows, target.array))


def _has_as_many(state: State, location: Location, elements: Location) -> bool:
    """Return whether each of a few containers, one of which takes over elements, has as many: all keep their number."""
    rows = elements_of(state, location) if owns(location.type) else None
    return rows is not None and count_of(state, None, rows) == count_of(state, None, elements)


def _note_taken_over(state: State, location: Location, elements: Location, span: Span) -> None:
    """Hold the number of elements of a container in memory that took over those of another one."""
    rows = elements_of(state, location) if owns(location.type) else None
    if rows is not None:
        _leave_row(state, rows)
        note_count(state, rows, count_of(state, None, elements), location)
        if state.flow.loops and elements.array != loaded_name(location):  # rows of one table change places
            state.emitter.blur(construct("object-of-a-loop"), span)


def _leave_row(state: State, row: Location) -> None:
    """Let pointers in memory that are followed, and are to a row that gets other elements, be to any elements."""
    for slot in state.memory.held.values():
        match state.environment.bindings.get(slot.key):
            case Pointer(target=Location(array=row.array, subscripts=row.subscripts)):
                del state.environment.bindings[slot.key]


def _copy_container(state: State, container: Lvalue, target: Pointer, made: Fresh, span: Span) -> None:
    """Hold the number of elements of new memory, and copy those that it starts with."""
    location = target.target
    if not isinstance(location, Location):
        return
    note_count(state, location, made.count, container)
    is_plain = made.copied is None and made.value is None and made.count != ZERO
    if is_plain and isinstance(location.type, sx.PointerT) and location.type.owns:
        note_new_rows(state, location)
    if made.copied is not None and made.count is not None:
        copy_elements(state, target, made.copied, made.count, location.type, span)
    if isinstance(made.value, sx.InitializerList) and isinstance(made.value.type, sx.PointerT):
        list_elements(state, target, made.value, location.type, span)
    elif made.value is not None and made.count is not None:
        fill = make_elements if made.each else fill_elements
        fill(state, target, made.value, made.count, location.type, span)


def _copy_chosen(state: State, location: Lvalue, operand: Aggregate, chosen: Pointer | Either, span: Span) -> None:
    """Copy the one of two objects that a condition decides."""
    if isinstance(chosen, Pointer):
        _copy_fields(state, location, replace(operand, location=chosen.target), span)
        return
    before = state.environment.copied()
    with state.emitter.guarded(chosen.condition) as then:
        _copy_chosen(state, location, operand, chosen.first, span)
    ended, state.environment.bindings = state.environment.bindings, dict(before)
    with state.emitter.guarded(negate(chosen.condition)) as orelse:
        _copy_chosen(state, location, operand, chosen.second, span)
    join(state, chosen.condition, ended, state.environment.bindings, before)
    state.emitter.append_guard(chosen.condition, then, orelse, span)


def is_left_open(state: State, member_of_object: Lvalue) -> bool:
    """Return whether nothing has set a number or a pointer in a new object: it stays as the memory is."""
    kind = member_of_object.type
    is_one = isinstance(kind, sx.ScalarT) or (isinstance(kind, sx.PointerT) and not kind.owns)
    return is_one and isinstance(member_of_object, Slot) and state.environment.is_never_assigned(member_of_object)


def _copy_fields(state: State, location: Lvalue, operand: Result, span: Span) -> Result:
    """Copy a struct field by field, so that its bytes are counted.

    Of a large one in a variable compilers load what is needed: its fields have values that are not known.
    """
    if isinstance(operand, Aggregate) and operand.location == location:  # made in place
        return operand
    source = operand.location if isinstance(operand, Aggregate) else None
    chosen = state.memory.chosen.get(source.variable) if isinstance(source, Slot) and not source.path else None
    if isinstance(operand, Aggregate) and chosen is not None:
        _copy_chosen(state, location, operand, chosen, span)
        return operand
    if not isinstance(location.type, sx.StructT) or not isinstance(operand, Aggregate):
        if isinstance(operand, Opaque):
            state.emitter.emit(None, operand, span)
        return operand
    fields = location.type.fields
    if len(fields) > (_FIELD_LIMIT if isinstance(location, Slot) else _LARGEST):
        state.emitter.blur(construct("copy", type=location.type.name), span)
        if isinstance(location, Slot):
            forget_fields(state, location)
        return operand
    for entry in fields:
        source, target = member(state, operand.location, entry.name), member(state, location, entry.name)
        if operand.constructed and is_left_open(state, source):
            continue
        held = read(state, source, span)
        has_memory = isinstance(held, Pointer) and owns(entry.type)
        if operand.copied and isinstance(held, Pointer) and has_memory:
            held = Fresh(count=count_of(state, source, held.target), copied=held)
        elif isinstance(held, Aggregate):
            held = replace(held, copied=operand.copied, moved=operand.moved, constructed=operand.constructed)
        update(state, target, "", held, span)
        if operand.moved and has_memory:
            leave_empty(state, source)
    return operand
