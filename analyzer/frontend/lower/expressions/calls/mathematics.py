"""Calls of mathematical functions: operations, with the minimum, maximum and quotients of index expressions exact."""

from __future__ import annotations

from collections.abc import Sequence

from .....ir.arithmetic import common_type, in_type, known_number
from .....ir.index import Poly, const, floor_div, maximum, minimum
from .....ir.types import FP64, INT32, ElementType
from .....ir.values import Apply, Constant, Opaque, Operation, Value
from ....known_functions import table
from ....surface import nodes as sx
from ....surface.constants import constant_value
from ....surface.constructs import construct
from ....surface.designation import without_casts
from ...layout import element_type
from ...names.bindings import Pointer, Result
from ...state import State
from ..conversions import convert, index_of, index_value, type_of
from ..expression import note_folded
from ..pointers import as_value
from ..updates import update

_LANEWISE = "__ai_"


def mathematical(state: State, call: sx.Call, name: str) -> Result:
    """Return the operation of a function of the table, or its number where all arguments have one."""
    folded = rounded_quotient(state, call, name)
    if folded is not None:
        return folded
    if name in table().outputs:
        return _with_outputs(state, call, name)
    results = [state.evaluate(argument) for argument in call.arguments]
    values = [as_value(result) for result in results if not isinstance(result, Pointer)]
    if not values:
        return Opaque(construct("call", function=call.name), element_type(state.inputs, call.type))
    if name.startswith(_LANEWISE):
        return _lanewise(call, name, values)
    of_integers = name in table().integers
    index = _integer_extreme(name, values) if of_integers else None
    if index is not None:
        state.emitter.index_operations += 1
        return index
    kind = _type_of_call(call, name, values)
    operands = tuple(values if name in table().reals else (convert(value, kind) for value in values))
    operation = Operation.ABS if name == "abs" else table().operations.get(name, Operation.CALL)
    if name == "sqrt" and kind.scalar.component is not kind.scalar:
        operation = Operation.CALL
    whole = Apply(operation, kind, operands, name)
    if all(isinstance(operand, Constant) for operand in operands):
        number = known_number(whole)
        if any(constant_value(argument) is None for argument in call.arguments):
            note_folded(state, whole, call.span)
        return Constant(None, kind) if number is None else in_type(float(number), kind)
    return whole


def _lanewise(call: sx.Call, name: str, values: Sequence[Value]) -> Value:
    """Return an operation on whole vectors, whose type is declared; a comparison computes in that of its operands."""
    declared = call.type.element if isinstance(call.type, sx.ScalarT) else type_of(values[0])
    operation = table().operations.get(name, Operation.CALL)
    kind = type_of(values[0]) if operation is Operation.COMPARE else declared
    function = name.removeprefix(_LANEWISE)
    is_named = operation is Operation.CALL or function == "rounded"
    return Apply(operation, kind, tuple(values), function if is_named else "")


def _with_outputs(state: State, call: sx.Call, name: str) -> Result:
    """Return the result of ``modf(x, &whole)`` and the like, and store the results that pointers are given for."""
    positions = table().outputs[name]
    operands = [state.evaluate(given) for position, given in enumerate(call.arguments) if position not in positions]
    values = tuple(as_value(operand) for operand in operands)
    kind = _type_of_call(call, name, values) if values else FP64
    whole = Apply(Operation.CALL, kind, tuple(convert(value, kind) for value in values), name)
    held = state.emitter.temporary(whole, kind, call.span)
    for position in positions:
        if position < len(call.arguments):
            target = state.lvalue(sx.Unary("*", call.arguments[position], call.span))
            if target is not None:
                part = Opaque(construct("result", function=name), element_type(state.inputs, target.type), (held,))
                update(state, target, "", part, call.span)
    return held


def _type_of_call(call: sx.Call, name: str, values: Sequence[Value]) -> ElementType:
    """Return the type of a function of mathematics: of its operands, or declared (``sqrtf`` is float)."""
    kind = type_of(values[0])
    for value in values[1:]:
        kind = common_type(kind, type_of(value))
    if name in table().integers or table().operations.get(name) is Operation.BITWISE:
        return kind
    if name in table().reals:
        return ElementType(kind.scalar.component, kind.lanes)
    if kind.scalar.is_integer:
        kind = FP64
    if isinstance(call.type, sx.ScalarT) and call.type.element.scalar.is_float:
        declared = call.type.element
        return declared if declared.scalar.type_class is kind.scalar.type_class else kind
    return kind


def _integer_extreme(name: str, values: list[Value]) -> Value | None:
    indices = [index_of(value) for value in values if type_of(value).scalar.is_integer]
    known = [index for index in indices if index is not None]
    if len(known) != len(values):
        return None
    result = maximum([known[0], -known[0]]) if name == "abs" else (minimum if name == "min" else maximum)(known)
    return index_value(result, INT32)


def rounded_quotient(state: State, call: sx.Call, name: str) -> Value | None:
    """Return ``floor((double)n / d)``, ``ceil(...)``, ``floord(n, d)``, ``ceild(n, d)`` of indices; else None."""
    parts: tuple[sx.Expression, ...]
    match name, call.arguments:
        case "floor" | "ceil", (sx.Binary(operator="/", left=left, right=right),):
            parts = (left, right)
        case "floord" | "ceild", (left, right):
            parts = (left, right)
        case _:
            return None
    indices = [_plain_index(state, part) for part in parts]
    numerator, denominator = indices
    if numerator is None or denominator is None or denominator == const(0):
        return None
    state.emitter.index_operations += 1
    if len(parts) == len(call.arguments) or state.flow.frames[0].function.kind is not sx.FunctionKind.KERNEL:
        return _rounded(name, numerator, denominator)
    quotient = state.evaluate(call.arguments[0])  # a kernel computes it in floating point, once
    if isinstance(quotient, Apply):
        kind = _type_of_call(call, name, [quotient])
        state.emitter.emit(None, Apply(Operation.CALL, kind, (convert(quotient, kind),), name), call.span)
    return _rounded(name, numerator, denominator)


def _rounded(name: str, numerator: Poly, denominator: Poly) -> Value:
    rounded = floor_div(numerator, denominator)
    if name.startswith("ceil"):
        rounded = floor_div(numerator + denominator - 1, denominator)
    return index_value(rounded, INT32)


def _plain_index(state: State, expression: sx.Expression) -> Poly | None:
    expression = without_casts(expression)
    if isinstance(expression, sx.Number) and isinstance(expression.value, float):
        return const(int(expression.value)) if expression.value.is_integer() else None
    return state.quietly(expression)
