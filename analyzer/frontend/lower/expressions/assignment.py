"""Assignments and declarations."""

from __future__ import annotations

from msgspec.structs import replace

from ....ir.arithmetic import common_type, in_type
from ....ir.index import ONE, ZERO, Poly, Unknown, single_atom
from ....ir.nodes import Guard
from ....ir.types import BOOL, INT32, UNKNOWN
from ....ir.values import Apply, Constant, IndexValue, Load, Opaque, Register, Value
from ....source import Span
from ...surface import nodes as sx
from ...surface.constants import constant_value
from ...surface.constructs import construct
from ...surface.designation import without_casts
from ...surface.objects.constructions import BASE, PLACED, made_object
from ...surface.traverse import walk
from ...surface.types import type_of as sx_type_of
from ..layout import access, declare_storage, declare_table, element_type
from ..logic import truth_index
from ..names.bindings import Aggregate, Fresh, Integer, Lvalue, Pointer, Result, Slot, Undefined
from ..state import State
from .containers.copies import as_own, leave_memory
from .containers.sizes import (
    containers_in,
    elements_of,
    note_count,
    note_room,
)
from .conversions import combine, convert, index_of, index_value
from .followed_elements import element_at
from .initialization import held_value, initialize
from .pointers import as_value, bind_target
from .references import read
from .tables import note_entry, note_list, note_row
from .updates import is_left_open, store, update
from .values.truth import is_free
from .values.unknown import formula_of, in_range

_EFFECTS = (sx.Assign, sx.Call, sx.Unary)
_JUNCTIONS = {"&": "&&", "|": "||"}
_TRUTH_OPERATORS = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||"})


def assign(state: State, expression: sx.Assign, *, needed: bool = True) -> Result:
    """Lower ``target op= value`` and return the assigned value, held in a register where it is ``needed``."""
    expression = _joined_truth(state, expression)
    if expression.operator == "" and _is_truth(expression.value) and _assign_truth(state, expression):
        return state.evaluate(expression.target)
    if isinstance(expression.target, sx.Conditional):
        return _assign_to_either(state, expression, expression.target)
    if (listed := _made_in_place(expression)) is not None:
        whole = state.lvalue(expression.target)
        if whole is not None:
            initialize(state, whole, listed)
            return Aggregate(whole)
    if (placed := _construction_in_place(state, expression)) is not None:
        return state.evaluate(placed)
    if (counted := _count_truth(state, expression)) is not None:
        return counted
    with state.as_data():
        _name_object(state, expression)
        result = as_own(state, expression.value, state.evaluate(expression.value), sx_type_of(expression.target))
        location = state.lvalue(expression.target)
    if not expression.operator and _is_of_new_object(state, expression.value):
        if isinstance(result, Aggregate):
            result = replace(result, constructed=True)
        elif isinstance(expression.value, sx.Member) and _is_open(state, expression.value):
            return result
    if location is None:
        if not isinstance(result, Pointer | Aggregate | Fresh):
            state.emitter.emit(None, result, expression.span)
        state.emitter.lose(construct("assignment"), expression.span)
        return result
    form = _unknown_form(state, location, result, expression)
    updated = update(state, location, expression.operator, result, expression.span, needed=needed)
    _note_form(state, location, form)
    return updated


def _is_of_new_object(state: State, value: sx.Expression) -> bool:
    """Return whether a value is what a constructor makes, or a member of a base class that one has just made."""
    if isinstance(value, sx.Call):
        function = state.inputs.unit.functions.get(value.function)
        return function is not None and made_object(function) is not None
    base = value.base if isinstance(value, sx.Member) else None
    return isinstance(base, sx.Name) and base.variable.name == BASE and base.variable.storage is sx.Storage.LOCAL


def _is_open(state: State, value: sx.Member) -> bool:
    location = state.lvalue(value)
    return location is not None and is_left_open(state, location)


def _made_in_place(expression: sx.Assign) -> sx.InitializerList | None:
    """Return a list that stores its values where they belong: those of an array, or zeros alone; else None."""
    value, kind = expression.value, sx_type_of(expression.target)
    if not isinstance(value, sx.InitializerList) or expression.operator:
        return None
    is_zero = isinstance(kind, sx.StructT) and value.clears and not value.items
    return value if is_zero or isinstance(kind, sx.ArrayT) else None


def _construction_in_place(state: State, expression: sx.Assign) -> sx.Call | None:
    """Return the call that constructs an element where it is; None for other values and other targets."""
    value, target = without_casts(expression.value), expression.target
    if expression.operator or not isinstance(value, sx.Call) or not isinstance(target, sx.Index | sx.Member):
        return None
    key = value.function + PLACED
    if key not in state.inputs.unit.functions or value.type != sx_type_of(target):
        return None
    return sx.Call(key, value.name, (target, *value.arguments), sx.VOID, expression.span)


def _unknown_form(state: State, location: Lvalue, result: Result, expression: sx.Assign) -> Poly | None:
    """Return what a variable becomes as a formula over unknown values; None where it is known, or nothing is."""
    kind = location.type if isinstance(location, Slot) else None
    if not isinstance(kind, sx.ScalarT) or not kind.element.scalar.is_integer:
        return None
    if not isinstance(result, Apply | Load | Register | IndexValue | Constant):
        return None
    if state.effects(expression.value).variables:  # which the formula would be behind
        return None
    if not expression.operator:
        return None if index_of(result) is not None else formula_of(state, expression.value)
    operands = (expression.target, expression.value)
    return formula_of(state, sx.Binary(expression.operator, *operands, expression.span))


def _note_form(state: State, location: Lvalue, form: Poly | None) -> None:
    """Bind a variable whose value is not known to what is known of it."""
    bound = state.environment.get(location) if isinstance(location, Slot) else None
    atom = single_atom(bound.value) if isinstance(bound, Integer) else None
    if isinstance(location, Slot) and isinstance(bound, Integer) and isinstance(atom, Unknown):
        form = None if atom.label in state.symbols.chosen_by_data else form  # one of two values says more
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


def _name_object(state: State, expression: sx.Assign) -> None:
    """Name the object that a constructor makes for a member after the member, and memory after its pointer."""
    target, value = expression.target, without_casts(expression.value)
    if isinstance(target, sx.Name) and isinstance(value, sx.Call) and isinstance(target.variable.type, sx.PointerT):
        state.instances.note_object(value, target.variable.name)
    elif isinstance(target, sx.Member) and isinstance(value, sx.Call) and isinstance(value.type, sx.StructT):
        location = state.lvalue(target)
        if isinstance(location, Slot):
            state.instances.note_object(value, location.variable.name + location.path)


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


def _joined_truth(state: State, expression: sx.Assign) -> sx.Assign:
    """Return ``flag &= i < n`` of a flag as ``flag = flag && i < n``: its right operand is no work, run or not."""
    target, value, operator = expression.target, expression.value, _JUNCTIONS.get(expression.operator)
    if operator is None or not isinstance(target, sx.Name) or not (_is_truth(value) and is_free(value)):
        return expression
    location = state.lvalue(target)
    if not isinstance(location, Slot) or not _is_flag(state, location):
        return expression
    return replace(expression, operator="", value=sx.Binary(operator, target, value, expression.span))


def _is_flag(state: State, slot: Slot) -> bool:
    """Return whether a variable is 0 or 1."""
    is_truth = isinstance(slot.type, sx.ScalarT) and slot.type.element == BOOL
    bound = state.environment.get(slot)
    return is_truth or (isinstance(bound, Integer) and (bound.condition is not None or bound.value in (ZERO, ONE)))


def _assign_truth(state: State, expression: sx.Assign) -> bool:
    """Bind ``flag = i < n`` with its condition; return False where the target is not an integer variable."""
    if not isinstance(expression.target, sx.Name):
        return False
    location = state.lvalue(expression.target)
    if not isinstance(location, Slot) or not isinstance(location.type, sx.ScalarT):
        return False
    return location.type.element.scalar.is_integer and bind_truth(state, location, expression.value, expression.span)


def _count_truth(state: State, expression: sx.Assign) -> Result | None:
    """Lower ``count += i % 2 == 0`` of an integer where sizes and counters decide the condition; None for others."""
    if expression.operator not in ("+", "-") or not isinstance(expression.target, sx.Name):
        return None
    if not _is_truth(expression.value) or any(isinstance(part, _EFFECTS) for part in walk(expression.value)):
        return None
    location = state.lvalue(expression.target)
    if not isinstance(location, Slot) or not isinstance(state.environment.get(location), Integer):
        return None
    with state.emitter.capture():
        condition = state.condition(expression.value)
    holds = None if condition.depends_on_data else state.chosen_truth(condition, ONE, ZERO)
    if holds is None:
        return None
    return update(state, location, expression.operator, index_value(holds, INT32), expression.span)


def bind_truth(state: State, slot: Slot, expression: sx.Expression, span: Span) -> bool:
    """Bind an integer variable to a truth value."""
    before = len(state.emitter.block)
    condition = state.condition(expression)
    for node in state.emitter.block[before:]:
        if isinstance(node, Guard) and node.condition.depends_on_data:  # what runs where the left of && holds
            state.emitter.report_branch(node.condition, span, "choice")
    kind = element_type(state.inputs, slot.type)
    if condition.depends_on_data:
        state.emitter.emit(Register(state.memory.slot_name(slot), kind), Constant(None, INT32), span)
    value = truth_index(condition)
    if value is None:
        value = state.lost_by(slot.variable, slot.path)
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
    if element_at(state, location) is not None:
        old = as_value(read(state, location, expression.span))
    elif needed and postfix:
        old = state.emitter.temporary(old, kind, expression.span)
    value, _ = combine(operator, old, convert(one, common_type(kind, INT32)))
    step = None if element_at(state, location) is not None else ONE if operator == "+" else -ONE
    held = convert(value, kind)
    new = store(state, location, held, kind, expression.span, needed=needed and not postfix, added=step)
    if needed and state.indexing and kind.scalar.is_integer:
        return IndexValue(state.lost(location.array, subscripts=location.subscripts), kind)
    return old if postfix else new


def declare(state: State, declaration: sx.Declare) -> None:
    """Lower a local declaration: a new variable every time it is lowered."""
    variable = declaration.variable
    if variable.storage is sx.Storage.GLOBAL:  # initialised once, not by each call
        return
    slot = Slot(variable, variable.type)
    state.environment.forget(variable)
    leave_memory(state, variable)
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
        note_row(state, declaration)
        note_entry(state, declaration)
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
        _note_real_constant(state, variable, declaration.initial)


def _note_real_constant(state: State, variable: sx.Variable, initial: sx.Expression) -> None:
    """Note the number of a ``const`` real variable that literals give; what is computed with it is work as before."""
    kind = variable.type.element if isinstance(variable.type, sx.ScalarT) else None
    if variable.constant and kind is not None and kind.scalar.is_float and kind.lanes == 1:
        number = constant_value(initial)
        state.environment.constants[variable] = None if number is None else in_type(float(number), kind)


def _declare_value(state: State, variable: sx.Variable, initial: sx.Expression, span: Span) -> None:
    """Give a new variable its value; the object that a call constructs is the variable itself."""
    location: Lvalue = Slot(variable, variable.type)
    if isinstance(variable.type, sx.ArrayT):
        location = state.lvalue(sx.Name(variable, span)) or location
    made = without_casts(initial) if isinstance(variable.type, sx.PointerT) else initial
    if isinstance(made, sx.Call) and variable.storage is sx.Storage.LOCAL:
        state.instances.note_object(made, variable)
    result = as_own(state, initial, state.evaluate(initial), variable.type)
    form = _unknown_form(state, location, result, sx.Assign("", sx.Name(variable, span), initial, span))
    note_entry(state, sx.Declare(variable, initial, span))
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
