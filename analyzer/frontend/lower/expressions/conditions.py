"""Conditions: exact where they relate iterators and symbols, otherwise named registers that statements computed.

The right side of ``&&`` and ``||`` is evaluated under a guard of the left one, so that its loads count as often as
they happen.
"""

from __future__ import annotations

from msgspec.structs import replace

from ....ir.arithmetic import is_unsigned
from ....ir.index import ZERO
from ....ir.nodes import Compare, Comparison, Condition, DataDependent, Truth
from ....ir.types import INT32
from ....ir.values import Constant, Value
from ....ir.written.labels import label_of
from ...surface import nodes as sx
from ..decided import decided_difference
from ..emitter import Emitter
from ..logic import ALWAYS, compare, conjunction, disjunction, negate
from ..merging import join
from ..names.bindings import Aggregate, Fresh, Integer, Location, Pointer, Result, Slot
from ..state import State
from .calls.inlining import inlined_condition
from .calls.predicates import is_test
from .conversions import index_of, type_of
from .pointers import as_value, validity
from .values.truth import chosen_number, comparison_value, known_comparison
from .values.unknown import comparison_of

_RELATIONS = frozenset(item.value for item in Comparison)


def condition_of(state: State, expression: sx.Expression) -> Condition:
    """Return the truth of an expression; statements that it needs go to the current block."""
    match expression:
        case sx.Unary(operator="!"):
            return negate(state.condition(expression.operand))
        case sx.Binary(operator="&&" | "||"):
            return _junction(state, expression)
        case sx.Binary(operator="&" | "|") if _is_truth(state, expression):
            operands = (state.condition(expression.left), state.condition(expression.right))
            return conjunction(operands) if expression.operator == "&" else disjunction(operands)
        case sx.Binary(operator=operator) if operator in _RELATIONS:
            return _relation(state, expression)
        case sx.Comma():
            state.evaluate(expression.left)
            return state.condition(expression.right)
        case sx.Name() if (known := _kept_condition(state, expression)) is not None:
            return known
        case sx.Cast(operand=operand) if _is_truth(state, operand):
            return state.condition(operand)
    pending = state.emitter.index_operations
    tested = _tested(state, expression) if isinstance(expression, sx.Call) else None
    found = _truth(state, state.evaluate(expression), expression) if tested is None else tested
    state.emitter.index_operations = pending
    return found


def _tested(state: State, call: sx.Call) -> Condition | None:
    """Return the condition that a function with nothing else in its body returns; None for other calls."""
    function = state.inputs.unit.functions.get(call.function)
    if function is None or call.bodies or not is_test(function):
        return None
    return inlined_condition(state, call, function)


def _is_truth(state: State, expression: sx.Expression) -> bool:
    """Return whether an expression is 0 or 1, so that ``&`` and ``|`` are ``&&`` and ``||`` without a jump."""
    match expression:
        case sx.Unary(operator="!"):
            return True
        case sx.Binary(operator="&" | "|"):
            return _is_truth(state, expression.left) and _is_truth(state, expression.right)
        case sx.Binary(operator=operator):
            return operator in _RELATIONS or operator in ("&&", "||")
        case sx.Cast(operand=operand):
            return _is_truth(state, operand)
        case sx.Name():
            return _kept_condition(state, expression) is not None
        case _:
            return False


def _junction(state: State, expression: sx.Binary) -> Condition:
    left = state.condition(expression.left)
    when = left if expression.operator == "&&" else negate(left)
    if isinstance(when, Truth) and not when.holds:
        return left
    before = state.environment.copied()
    with state.emitter.guarded(when) as nodes:
        right = state.condition(expression.right)
    state.emitter.append_guard(when, nodes, [], expression.span)
    if when != ALWAYS:  # the right operand may change what is tested later: a && k++ < n
        join(state, when, state.environment.bindings, before, before)
    return conjunction((left, right)) if expression.operator == "&&" else disjunction((left, right))


def _relation(state: State, expression: sx.Binary) -> Condition:
    pending = state.emitter.index_operations
    left, right = state.evaluate(expression.left), state.evaluate(expression.right)
    known = known_comparison(state, expression, left, right)
    state.emitter.index_operations = pending
    if known is not None:
        return known
    first, second = as_value(left), as_value(right)
    if isinstance(first, Constant) and isinstance(second, Constant) and None not in (first.number, second.number):
        return _constant_relation(expression.operator, (first.number or 0) - (second.number or 0))
    difference = decided_difference(state.symbols, first, second)
    value = comparison_value(first, second)
    found = _computed(state.emitter, value, expression)
    if difference is not None:
        return _constant_relation(expression.operator, difference)
    if not (type_of(first).scalar.is_integer and type_of(second).scalar.is_integer):
        return found
    compared = comparison_of(state, expression)
    return found if compared is None else _of_integers(state, found, compared, value.operands[0])


def _of_integers(state: State, found: DataDependent, compared: Compare, operand: Value) -> Condition:
    """Return a comparison of integers whose result is ``found``, and whose sides are formulas.

    Both sides may be known where data alone, read from tables, give them: ``x + dx[2] < n``.
    """
    is_signed = not is_unsigned(type_of(operand).scalar)
    if not compared.depends_on_data and is_signed:
        return state.compared(compared.comparison, compared.left, compared.right)
    if compared.comparison is Comparison.NE:
        equal = Compare(Comparison.EQ, compared.left, compared.right)
        return negate(replace(found, text=found.text.replace(" != ", " == ", 1), compared=equal))
    if compared.comparison is not Comparison.EQ:
        state.emitter.compared[found.name] = compared
    return replace(found, compared=compared) if is_signed or compared.comparison is Comparison.EQ else found


def _constant_relation(operator: str, difference: float) -> Condition:
    sign = (difference > 0) - (difference < 0)
    return compare(Comparison(operator), ZERO + sign, ZERO)


def _computed(emitter: Emitter, value: Value, expression: sx.Expression) -> DataDependent:
    register = emitter.temporary(value, INT32, expression.span)
    operator = expression.operator if isinstance(expression, sx.Binary) else ""
    text = label_of(value, operator, emitter.meanings)
    emitter.meanings[register.name] = text
    return DataDependent(register.name, text)


def _truth(state: State, result: Result, expression: sx.Expression) -> Condition:
    if isinstance(result, Pointer):
        location = result.target
        unknown = isinstance(location, Location) and any(subscript.unknowns() for subscript in location.subscripts)
        if not unknown or result.valid is not None:
            return validity(state, result, expression)
        return _computed(state.emitter, Constant(None, INT32), expression)
    if isinstance(result, Aggregate | Fresh):
        return ALWAYS
    known = index_of(result)
    if known is None:
        known = chosen_number(state, expression)
    if known is not None:
        return state.compared(Comparison.NE, known, ZERO)
    if isinstance(result, Constant) and result.number is not None:
        return Truth(bool(result.number))
    return _computed(state.emitter, result, expression)


def _kept_condition(state: State, expression: sx.Name) -> Condition | None:
    location = state.lvalue(expression)
    if not isinstance(location, Slot):
        return None
    bound = state.environment.get(location)
    return bound.condition if isinstance(bound, Integer) else None
