"""Assignments: integers and pointers are bound, other scalars are registers, elements of arrays are stores."""

from __future__ import annotations

from ....ir.arithmetic import common_type
from ....ir.index import Poly, const, unknown
from ....ir.types import INT32, ElementType
from ....ir.values import Apply, Constant, IndexValue, Load, Opaque, Register, Value
from ....source import Span
from ...surface import nodes as sx
from ..bindings import Aggregate, Fresh, Integer, Lvalue, Place, Pointer, Result, Slot, Undefined
from ..layout import access, declare_storage, element_type
from ..logic import depends_on_data
from ..state import State
from .conversions import OPERATIONS, combine, convert, index_of
from .references import advanced, bind_pointer, index_from, member, pointer_value, read, slot_name, slot_pointer

_FIELD_LIMIT = 32
_TRUTH_OPERATORS = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||"})


def assign(state: State, expression: sx.Assign, *, needed: bool = True) -> Result:
    """``target op= value``; the result is the value that was assigned, held in a register where it is ``needed``."""
    if expression.operator == "" and _is_truth(expression.value) and _assign_truth(state, expression):
        return state.evaluate(expression.target)
    mode = state.indexing
    state.indexing = False
    result = state.evaluate(expression.value)
    place = state.lvalue(expression.target)
    state.indexing = mode
    if place is None:
        state.report("AI206", expression.span, "the target of this assignment is not understood")
        if not isinstance(result, Pointer | Aggregate | Fresh):
            state.emit(None, result, expression.span)
        return result
    return update(state, place, expression.operator, result, expression.span, needed=needed)


def update(state: State, place: Lvalue, operator: str, operand: Result, span: Span, *, needed: bool = False) -> Result:
    """Assign ``operand`` (or ``old operator operand``) to a place."""
    if isinstance(place.type, sx.PointerT | sx.ArrayT):
        return _update_pointer(state, place, operator, operand, span)
    if isinstance(place.type, sx.StructT) or isinstance(operand, Aggregate):
        return _copy_fields(state, place, operand, span)
    value = pointer_value(operand) if isinstance(operand, Pointer | Fresh) else operand
    kind = element_type(state, place.type)
    if operator:
        old = Load(access(state, place)) if isinstance(place, Place) else read(state, place, span)
        if isinstance(old, Pointer | Aggregate | Fresh):
            return old
        value, operations = combine(operator, old, value)
        state.index_operations += operations
    return store(state, place, convert(value, kind), kind, span, needed=needed)


def store(state: State, place: Lvalue, value: Value, kind: ElementType, span: Span, *, needed: bool) -> Value:
    """Give a scalar place its value; the value to go on with is cheap to use again."""
    if isinstance(place, Place):
        if needed and isinstance(value, Apply | Load | Opaque):
            value = state.temporary(value, kind, span)
        state.emit(access(state, place), value, span)
        return value
    register = Register(slot_name(state, place), kind)
    if not kind.scalar.is_integer or kind.lanes > 1:
        state.environment.pop(place.key, None)
        state.emit(register, value, span)
        return register
    known = index_of(value)
    if known is not None:
        if state.index_operations:
            state.emit(register, value, span)
        state.rebind(place, Integer(known))
        return value
    state.emit(register, value, span)
    state.rebind(place, Integer(_held(state, place, value)))
    return register


def _held(state: State, slot: Slot, value: Value) -> Poly:
    """An integer that data gave: the loaded element, or unknown."""
    if not state.loops:
        return state.lost(slot.variable.name + slot.path)
    if isinstance(value, Load):
        return index_from_load(state, value)
    return state.lost(slot.variable.name + slot.path)


def index_from_load(state: State, load: Load) -> Poly:
    """The unknown value of a loaded integer, named after the element."""
    subscripts = "".join(f"[{subscript}]" for subscript in load.access.subscripts)
    names = frozenset().union(*(subscript.names() for subscript in load.access.subscripts))
    if state.is_written(load.access.array):
        names |= {loop.iterator for loop in state.loops}
    suffix = f".{load.access.member}" if load.access.member else ""
    return unknown(f"{load.access.array}{subscripts}{suffix}", names)


def _update_pointer(state: State, place: Lvalue, operator: str, operand: Result, span: Span) -> Result:
    if operator and isinstance(place, Slot):
        if isinstance(operand, Pointer | Aggregate | Fresh) or operator not in ("+", "-"):
            return operand
        steps = index_from(state, operand, span)
        moved = advanced(state, slot_pointer(state, place), steps if operator == "+" else -steps)
        state.index_operations = 0
        state.rebind(place, moved)
        return moved
    if isinstance(place, Slot):
        bind_pointer(state, place, operand, span)
        return slot_pointer(state, place)
    stored = pointer_value(operand) if isinstance(operand, Pointer | Aggregate | Fresh) else operand
    if operator:
        stored = Apply(OPERATIONS[operator], INT32, (Load(access(state, place)), stored))
    state.emit(access(state, place), stored, span)
    return operand


def _copy_fields(state: State, place: Lvalue, operand: Result, span: Span) -> Result:
    """Copy a struct field by field, so that its bytes are counted."""
    if not isinstance(place.type, sx.StructT) or not isinstance(operand, Aggregate):
        if isinstance(operand, Opaque):
            state.emit(None, operand, span)
        return operand
    fields = place.type.fields
    if len(fields) > _FIELD_LIMIT:
        state.report("AI206", span, f"a copy of {place.type.name} is too large to follow")
        return operand
    for entry in fields:
        source, target = member(state, operand.place, entry.name), member(state, place, entry.name)
        if isinstance(entry.type, sx.ArrayT):
            state.report("AI206", span, f"the array {entry.name} in a copied struct is not followed")
            continue
        update(state, target, "", read(state, source, span), span)
    return operand


def _is_truth(expression: sx.Expression) -> bool:
    match expression:
        case sx.Binary(operator="&" | "|"):
            return _is_truth(expression.left) and _is_truth(expression.right)
        case sx.Binary(operator=operator):
            return operator in _TRUTH_OPERATORS
        case sx.Unary(operator="!"):
            return True
        case _:
            return False


def _assign_truth(state: State, expression: sx.Assign) -> bool:
    """``flag = i < n``: keep the condition with the variable. False where the target is not an integer variable."""
    if not isinstance(expression.target, sx.Name):
        return False
    place = state.lvalue(expression.target)
    if not isinstance(place, Slot) or not isinstance(place.type, sx.ScalarT):
        return False
    return place.type.element.scalar.is_integer and bind_truth(state, place, expression.value, expression.span)


def bind_truth(state: State, slot: Slot, expression: sx.Expression, span: Span) -> bool:
    """Bind an integer variable to a truth value."""
    condition = state.condition(expression)
    kind = element_type(state, slot.type)
    if depends_on_data(condition):
        state.emit(Register(slot_name(state, slot), kind), Constant(None, INT32), span)
    value = state.lost(slot.variable.name + slot.path)
    state.rebind(slot, Integer(value, condition))
    return True


def step_variable(state: State, expression: sx.Unary, *, needed: bool = True) -> Result:
    """``++x`` and its kin: the new value, or the old one for the postfix forms."""
    place = state.lvalue(expression.operand)
    operator = "+" if "++" in expression.operator else "-"
    postfix = expression.operator.startswith("x")
    one = Constant(1, INT32)
    if place is None:
        state.report("AI206", expression.span, "the target of this assignment is not understood")
        return one
    if isinstance(place, Slot):
        before = read(state, place, expression.span)
        after = update(state, place, operator, one, expression.span)
        return before if postfix else after
    if isinstance(place.type, sx.PointerT):
        return update(state, place, operator, one, expression.span)
    kind = element_type(state, place.type)
    old: Value = Load(access(state, place))
    if needed and postfix:
        old = state.temporary(old, kind, expression.span)
    value, _ = combine(operator, old, convert(one, common_type(kind, INT32)))
    new = store(state, place, convert(value, kind), kind, expression.span, needed=needed and not postfix)
    if needed and state.indexing and kind.scalar.is_integer:
        return IndexValue(state.lost(place.array), kind)
    return old if postfix else new


def declare(state: State, declaration: sx.Declare) -> None:
    """A local declaration: a new variable every time it is met."""
    variable = declaration.variable
    slot = Slot(variable, variable.type)
    for key in [key for key in state.environment if key[0] is variable]:
        del state.environment[key]
    if isinstance(variable.type, sx.ArrayT):
        declare_storage(state, state.array_name(variable), variable.type, variable)
    if declaration.initial is None:
        if not isinstance(variable.type, sx.ArrayT):
            state.rebind(slot, Undefined())
        return
    if variable.reference:
        _bind_reference(state, slot, declaration.initial)
    elif isinstance(declaration.initial, sx.InitializerList) and not isinstance(variable.type, sx.PointerT):
        place = state.lvalue(sx.Name(variable, declaration.span))
        if place is not None:
            initialize(state, place, declaration.initial)
    elif (
        isinstance(variable.type, sx.ScalarT)
        and variable.type.element.scalar.is_integer
        and _is_truth(declaration.initial)
    ):
        bind_truth(state, slot, declaration.initial, declaration.span)
    elif isinstance(variable.type, sx.ArrayT):
        return
    else:
        update(state, slot, "", state.evaluate(declaration.initial), declaration.span)


def _bind_reference(state: State, slot: Slot, initial: sx.Expression) -> None:
    place = state.lvalue(initial)
    if place is not None:
        state.rebind(slot, Pointer(place))
    else:
        update(state, slot, "", state.evaluate(initial), initial.span)


def initialize(state: State, place: Lvalue, items: sx.InitializerList) -> None:
    """``T x = {...}``: one store for each element of a local array, or one value for each field."""
    ctype = place.type
    for number, item in enumerate(items.items):
        if isinstance(ctype, sx.ArrayT):
            pointer = read(state, place, items.span)
            target = advanced(state, pointer, const(number)).target if isinstance(pointer, Pointer) else None
        elif isinstance(ctype, sx.StructT) and number < len(ctype.fields):
            target = member(state, place, ctype.fields[number].name)
        elif isinstance(ctype, sx.ScalarT) and ctype.element.lanes > 1 and number < 4:
            target = member(state, place, "xyzw"[number])
        else:
            target = place if number == 0 else None
        if target is None:
            continue
        if isinstance(item, sx.InitializerList):
            initialize(state, target, item)
        else:
            update(state, target, "", state.evaluate(item), item.span)
