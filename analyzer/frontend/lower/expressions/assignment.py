"""Assignments: integers and pointers are bound, other scalars are registers, elements of arrays are stores."""

from __future__ import annotations

from math import prod

from msgspec.structs import replace

from ....ir.arithmetic import common_type
from ....ir.index import ZERO, Poly, Unknown, const, single_atom
from ....ir.types import INT32, UNKNOWN, ElementType
from ....ir.values import Apply, Constant, IndexValue, Load, Opaque, Register, Value
from ....source import Span
from ...surface import nodes as sx
from ...surface.constructs import construct
from ...surface.types import type_of as sx_type_of
from ..decided import decided_number, rounded_formula
from ..functions.instances import without_casts
from ..layout import access, declare_storage, declare_table, element_type, extents_of
from ..logic import depends_on_data, truth_index
from ..names.bindings import Aggregate, Either, Fresh, Integer, Location, Lvalue, Pointer, Result, Slot, Undefined
from ..state import State
from .containers.copies import as_own, copy_array, copy_elements, fill_elements, list_elements
from .containers.sizes import (
    containers_in,
    count_of,
    elements_of,
    note_count,
    note_empty_rows,
    note_room,
)
from .conversions import OPERATIONS, apply, combine, convert, index_of, type_of
from .function_values import note_list
from .pointers import (
    advanced,
    bind_pointer,
    bind_target,
    decayed,
    held_pointer,
    hold_pointer,
    is_followed,
    loaded_name,
    loaded_pointer,
    pointer_value,
    slot_pointer,
)
from .references import index_from, member, read
from .unknown_values import element_value, formula_of, in_range

_BITS = frozenset({"&", "|", "^"})
_FIELD_LIMIT = 32  # fields of a struct whose copy is written out
_TRUTH_OPERATORS = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||"})


def assign(state: State, expression: sx.Assign, *, needed: bool = True) -> Result:
    """Lower ``target op= value`` and return the assigned value, held in a register where it is ``needed``."""
    if expression.operator == "" and _is_truth(expression.value) and _assign_truth(state, expression):
        return state.evaluate(expression.target)
    if isinstance(expression.target, sx.Conditional):
        return _assign_to_either(state, expression, expression.target)
    if isinstance(expression.value, sx.InitializerList) and isinstance(sx_type_of(expression.target), sx.ArrayT):
        whole = state.lvalue(expression.target)
        if whole is not None:
            initialize(state, whole, expression.value)
            return Aggregate(whole)
    with state.as_data():
        _name_object(state, expression)
        result = as_own(state, expression.value, state.evaluate(expression.value), sx_type_of(expression.target))
        location = state.lvalue(expression.target)
    if location is None:
        if not isinstance(result, Pointer | Aggregate | Fresh):
            state.emitter.emit(None, result, expression.span)
        state.emitter.lose(construct("assignment"), expression.span)
        return result
    form = _unknown_form(state, location, result, expression)
    updated = update(state, location, expression.operator, result, expression.span, needed=needed)
    _note_form(state, location, form)
    return updated


def _unknown_form(state: State, location: Lvalue, result: Result, expression: sx.Assign) -> Poly | None:
    """Return what a variable becomes as a formula over unknown values; None where it is known, or nothing is."""
    kind = location.type if isinstance(location, Slot) else None
    if not isinstance(kind, sx.ScalarT) or not kind.element.scalar.is_integer:
        return None
    if not isinstance(result, Apply | Load | Register | IndexValue | Constant):
        return None
    if not expression.operator:
        return None if index_of(result) is not None else formula_of(state, expression.value)
    operands = (expression.target, expression.value)
    return formula_of(state, sx.Binary(expression.operator, *operands, expression.span))


def _note_form(state: State, location: Lvalue, form: Poly | None) -> None:
    """Bind a variable whose value is not known to what is known of it."""
    bound = state.environment.get(location) if isinstance(location, Slot) else None
    if isinstance(location, Slot) and isinstance(bound, Integer) and isinstance(single_atom(bound.value), Unknown):
        held = in_range(bound.value if form is None else form, element_type(state.inputs, location.type).scalar)
        state.environment.bind(location, Integer(held))


def _assign_to_either(state: State, expression: sx.Assign, target: sx.Conditional) -> Result:
    """Lower ``(c ? x : y) = value``: an assignment to either of them."""
    arms = (
        sx.Assign(expression.operator, arm, expression.value, expression.span) for arm in (target.then, target.orelse)
    )
    then, orelse = (sx.Evaluate(arm, expression.span) for arm in arms)
    state.run(sx.If(target.condition, then, orelse, expression.span))
    return Opaque(construct("either-object"), UNKNOWN)


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
    if operator:
        old = Load(access(state, location)) if isinstance(location, Location) else read(state, location, span)
        if isinstance(old, Pointer | Aggregate | Fresh):
            return old
        if operator in _BITS and not any(isinstance(each, Constant) for each in (old, value)):
            value = apply(operator, old, value, common_type(type_of(old), type_of(value)))  # a hash, no index
        else:
            value, operations = combine(operator, old, value)
            state.emitter.index_operations += operations
    return store(state, location, convert(value, kind), kind, span, needed=needed)


def store(state: State, location: Lvalue, value: Value, kind: ElementType, span: Span, *, needed: bool) -> Value:
    """Give a scalar location its value; the value to go on with is cheap to use again."""
    if isinstance(location, Location):
        if needed and isinstance(value, Apply | Load | Opaque):
            value = state.emitter.temporary(value, kind, span)
        state.emitter.emit(access(state, location), value, span)
        return value
    register = Register(state.memory.slot_name(location), kind)
    if not kind.scalar.is_integer or kind.lanes > 1:
        state.environment.bindings.pop(location.key, None)
        state.emitter.emit(register, value, span)
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
        state.environment.bind(location, Integer(known))
        return value
    formula = rounded_formula(value)
    if formula is not None:
        state.emitter.emit(register, value, span)
        state.environment.bind(location, Integer(formula))
        return register
    state.emitter.emit(register, value, span)
    state.environment.bind(location, Integer(_held(state, location, value)))
    return register


def _held(state: State, slot: Slot, value: Value) -> Poly:
    """Return the value of an integer that data gave: the loaded element, or unknown."""
    if not state.flow.loops:
        return state.lost(slot.variable.name + slot.path)
    if isinstance(value, Load):
        return index_from_load(state, value)
    return state.lost(slot.variable.name + slot.path)


def index_from_load(state: State, load: Load) -> Poly:
    """Return the unknown value of a loaded integer, named after the element, and what stored to it before."""
    subscripts = "".join(f"[{subscript}]" for subscript in load.access.subscripts)
    names = frozenset().union(*(subscript.names() for subscript in load.access.subscripts))
    suffix = f".{load.access.member}" if load.access.member else ""
    written, scalar = state.inputs.is_written(load.access.array), load.access.type.scalar
    return element_value(state, f"{load.access.array}{subscripts}{suffix}", names, scalar, written=written)


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
    slot = held_pointer(state, location, span)
    if slot is not None and operator in ("+", "-") and not isinstance(operand, Pointer | Aggregate | Fresh):
        steps = index_from(state, operand, span)
        hold_pointer(
            state, slot, advanced(state, slot_pointer(state, slot), steps if operator == "+" else -steps), span
        )
    elif slot is not None and not (isinstance(operand, Fresh) and operand.copied is not None):
        hold_pointer(state, slot, operand, span)
    elif slot is None and isinstance(operand, Pointer) and isinstance(operand.target, Location):
        _share_storage(state, location, operand.target, span)
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
        state.emitter.lose(construct("either-object"), span)
    elif rows != target.array:
        state.emitter.assume("AI302", span, "overlap", arrays=(rows, target.array))


def _copy_container(state: State, container: Lvalue, target: Pointer, made: Fresh, span: Span) -> None:
    """Hold the number of elements of new memory, and copy those that it starts with."""
    location = target.target
    if not isinstance(location, Location):
        return
    note_count(state, location, made.count, container)
    is_plain = made.copied is None and made.value is None and made.count != ZERO
    if is_plain and isinstance(location.type, sx.PointerT) and location.type.owns:
        note_empty_rows(state, location)
    if made.copied is not None and made.count is not None:
        copy_elements(state, target, made.copied, made.count, location.type, span)
    if isinstance(made.value, sx.InitializerList) and isinstance(made.value.type, sx.PointerT):
        list_elements(state, target, made.value, location.type, span)
    elif made.value is not None and made.count is not None:
        fill_elements(state, target, made.value, made.count, location.type, span)


def _copy_fields(state: State, location: Lvalue, operand: Result, span: Span) -> Result:
    """Copy a struct field by field, so that its bytes are counted."""
    if isinstance(operand, Aggregate) and operand.location == location:  # made in place
        return operand
    if not isinstance(location.type, sx.StructT) or not isinstance(operand, Aggregate):
        if isinstance(operand, Opaque):
            state.emitter.emit(None, operand, span)
        return operand
    fields = location.type.fields
    if len(fields) > _FIELD_LIMIT:
        state.emitter.lose(construct("copy", type=location.type.name), span)
        return operand
    for entry in fields:
        source, target = member(state, operand.location, entry.name), member(state, location, entry.name)
        held = read(state, source, span)
        if operand.copied and isinstance(held, Pointer) and isinstance(entry.type, sx.PointerT) and entry.type.owns:
            held = Fresh(count=count_of(state, source, held.target), copied=held)
        update(state, target, "", replace(held, copied=operand.copied) if isinstance(held, Aggregate) else held, span)
    return operand


def _name_object(state: State, expression: sx.Assign) -> None:
    """Name the object that a constructor makes for a member after the member, and memory after its pointer."""
    target, value = expression.target, without_casts(expression.value)
    if isinstance(target, sx.Name) and isinstance(value, sx.Call) and isinstance(target.variable.type, sx.PointerT):
        state.instances.objects.setdefault(id(value), target.variable.name)
    elif isinstance(target, sx.Member) and isinstance(value, sx.Call) and isinstance(value.type, sx.StructT):
        location = state.lvalue(target)
        if isinstance(location, Slot):
            state.instances.objects.setdefault(id(value), location.variable.name + location.path)


def _is_truth(expression: sx.Expression) -> bool:
    match expression:
        case sx.Binary(operator="&" | "|"):
            return _is_truth(expression.left) and _is_truth(expression.right)
        case sx.Binary(operator=operator):
            return operator in _TRUTH_OPERATORS
        case sx.Unary(operator="!"):
            return True
        case sx.Cast(operand=operand):
            return _is_truth(operand)
        case _:
            return False


def _assign_truth(state: State, expression: sx.Assign) -> bool:
    """Bind ``flag = i < n`` with its condition; return False where the target is not an integer variable."""
    if not isinstance(expression.target, sx.Name):
        return False
    location = state.lvalue(expression.target)
    if not isinstance(location, Slot) or not isinstance(location.type, sx.ScalarT):
        return False
    return location.type.element.scalar.is_integer and bind_truth(state, location, expression.value, expression.span)


def bind_truth(state: State, slot: Slot, expression: sx.Expression, span: Span) -> bool:
    """Bind an integer variable to a truth value."""
    condition = state.condition(expression)
    kind = element_type(state.inputs, slot.type)
    if depends_on_data(condition):
        state.emitter.emit(Register(state.memory.slot_name(slot), kind), Constant(None, INT32), span)
    value = truth_index(condition)
    if value is None:
        value = state.lost(slot.variable.name + slot.path)
    state.environment.bind(slot, Integer(value, condition))
    return True


def step_variable(state: State, expression: sx.Unary, *, needed: bool = True) -> Result:
    """Lower ``++x`` and its like; return the new value, or the old one for the postfix forms."""
    location = state.lvalue(expression.operand)
    operator = "+" if "++" in expression.operator else "-"
    postfix = expression.operator.startswith("x")
    one = Constant(1, INT32)
    if location is None:
        state.emitter.lose(construct("assignment"), expression.span)
        return one
    if isinstance(location, Slot):
        before = read(state, location, expression.span)
        after = update(state, location, operator, one, expression.span)
        return before if postfix else after
    if isinstance(location.type, sx.PointerT):
        return update(state, location, operator, one, expression.span)
    kind = element_type(state.inputs, location.type)
    old: Value = Load(access(state, location))
    if needed and postfix:
        old = state.emitter.temporary(old, kind, expression.span)
    value, _ = combine(operator, old, convert(one, common_type(kind, INT32)))
    new = store(state, location, convert(value, kind), kind, expression.span, needed=needed and not postfix)
    if needed and state.indexing and kind.scalar.is_integer:
        return IndexValue(state.lost(location.array), kind)
    return old if postfix else new


def declare(state: State, declaration: sx.Declare) -> None:
    """Lower a local declaration: a new variable every time it is lowered."""
    variable = declaration.variable
    if variable.storage is sx.Storage.GLOBAL:  # initialised once, not by each call
        return
    slot = Slot(variable, variable.type)
    state.environment.forget(variable)
    if isinstance(variable.type, sx.ArrayT):
        declare_storage(state, state.memory.array_name(variable), variable.type, variable)
        declare_table(state, state.memory.array_name(variable), variable, declaration.initial)
        note_list(state, declaration)
    if declaration.initial is None:
        if not isinstance(variable.type, sx.ArrayT):
            state.environment.bind(slot, Undefined())
        for container in containers_in(variable):
            elements = elements_of(state, container)
            if elements is not None:
                note_count(state, elements, ZERO, container)
                note_room(state, elements, ZERO)
        return
    if variable.reference:
        _bind_reference(state, slot, declaration.initial)
    elif isinstance(declaration.initial, sx.InitializerList) and not isinstance(variable.type, sx.PointerT):
        location = state.lvalue(sx.Name(variable, declaration.span))
        if location is not None:
            initialize(state, location, declaration.initial)
    elif (
        isinstance(variable.type, sx.ScalarT)
        and variable.type.element.scalar.is_integer
        and _is_truth(declaration.initial)
    ):
        bind_truth(state, slot, declaration.initial, declaration.span)
    else:
        _declare_value(state, variable, declaration.initial, declaration.span)


def _declare_value(state: State, variable: sx.Variable, initial: sx.Expression, span: Span) -> None:
    """Give a new variable its value; the object that a call constructs is the variable itself."""
    location: Lvalue = Slot(variable, variable.type)
    if isinstance(variable.type, sx.ArrayT):
        location = state.lvalue(sx.Name(variable, span)) or location
    made = without_casts(initial) if isinstance(variable.type, sx.PointerT) else initial
    if isinstance(made, sx.Call) and variable.storage is sx.Storage.LOCAL:
        state.instances.objects.setdefault(id(made), variable)
    result = as_own(state, initial, state.evaluate(initial), variable.type)
    form = _unknown_form(state, location, result, sx.Assign("", sx.Name(variable, span), initial, span))
    update(state, location, "", result, span)
    _note_form(state, location, form)


def _bind_reference(state: State, slot: Slot, initial: sx.Expression) -> None:
    location = state.lvalue(initial)
    if location is not None:
        bind_target(state, slot, Pointer(location))
        return
    result = held_value(state, initial, slot.type, state.evaluate(initial))
    if isinstance(result, Pointer):
        bind_target(state, slot, result)
    else:
        update(state, slot, "", result, initial.span)


def held_value(state: State, expression: sx.Expression, kind: sx.CType, result: Result) -> Result:
    """Return the address of a pointer without a name that a reference is bound to, any other value as it is."""
    if not isinstance(result, Pointer) or not isinstance(kind, sx.PointerT) or kind.owns:
        return result
    slot = Slot(state.instances.temporary(expression, kind), kind)
    bind_pointer(state, slot, result, expression.span)
    return Pointer(slot)


def made(state: State, expression: sx.InitializerList) -> Result:
    """Return an object without a name, such as ``V{a, b}``: its members are values like those of a variable."""
    if isinstance(expression.type, sx.ArrayT):
        return _made_array(state, expression)
    if not isinstance(expression.type, sx.StructT) and not _is_vector(expression.type):
        kind = element_type(state.inputs, expression.type)
        return Opaque(construct("initializer"), kind, tuple(_item(state, item) for item in expression.items))
    slot = Slot(state.instances.temporary(expression, expression.type), expression.type)
    state.environment.forget(slot.variable)
    with state.as_data():
        initialize(state, slot, expression)
    return read(state, slot, expression.span)


def _made_array(state: State, expression: sx.InitializerList) -> Result:
    """Return the elements of an array without a name, in memory of its own."""
    variable = state.instances.temporary(expression, expression.type)
    state.run(sx.Declare(variable, expression, expression.span))
    return state.evaluate(sx.Name(variable, expression.span))


def _item(state: State, item: sx.Expression) -> Value:
    """Return a value of a list, computed where the list stands: what takes the list may use it in any way."""
    value = _as_operand(state.evaluate(item))
    return state.emitter.temporary(value, type_of(value), item.span) if isinstance(value, Apply | Load) else value


def _as_operand(result: Result) -> Value:
    if isinstance(result, Aggregate):
        return Opaque(construct("aggregate"), UNKNOWN)
    return pointer_value(result) if isinstance(result, Pointer | Fresh) else result


def _is_vector(kind: sx.CType) -> bool:
    return isinstance(kind, sx.ScalarT) and kind.element.lanes > 1


def initialize(state: State, location: Lvalue, items: sx.InitializerList) -> None:
    """Lower ``T x = {...}``: one store for each element of a local array, or one value for each field.

    Elements that a list leaves out are zero: in kernels, whose threads have them in registers, these are values;
    elsewhere memory is taken to be clear, as that of containers is.
    """
    ctype = location.type
    for number, item in enumerate((*items.items, *_left_out(state, ctype, items))):
        if isinstance(ctype, sx.ArrayT):
            pointer = read(state, location, items.span)
            target = advanced(state, pointer, const(number)).target if isinstance(pointer, Pointer) else None
        elif isinstance(ctype, sx.StructT) and number < len(ctype.fields):
            target = member(state, location, ctype.fields[number].name)
        elif isinstance(ctype, sx.ScalarT) and ctype.element.lanes > 1 and number < 4:
            target = member(state, location, "xyzw"[number])
        else:
            target = location if number == 0 else None
        if target is None:
            continue
        if isinstance(item, sx.InitializerList):
            initialize(state, target, item)
        else:
            update(state, target, "", as_own(state, item, state.evaluate(item), target.type), item.span)


_MOST_ZEROS = 64


def _left_out(state: State, ctype: sx.CType, items: sx.InitializerList) -> tuple[sx.Expression, ...]:
    """Return zeros for the elements of a thread's small array that its initializer does not list."""
    if not isinstance(ctype, sx.ArrayT) or state.flow.frames[0].function.kind is not sx.FunctionKind.KERNEL:
        return ()
    extents, innermost = extents_of(state, ctype)
    numbers = [extent.constant for extent in extents if extent is not None and extent.constant is not None]
    if len(numbers) < len(extents) or not isinstance(innermost, sx.ScalarT) or prod(numbers) > _MOST_ZEROS:
        return ()
    is_row = isinstance(ctype.element, sx.ArrayT)
    number = 0 if innermost.element.scalar.is_integer else 0.0
    zero = sx.InitializerList(ctype.element, (), items.span) if is_row else sx.Number(number, innermost, items.span)
    return (zero,) * (numbers[0] - len(items.items))
