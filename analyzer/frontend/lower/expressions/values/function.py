"""Functions as values: pointers to functions, lambdas as such, and what a ``std::function`` is made of.

A pointer to a function points at a variable that stands for it.  A function that is called with an object of its own (a
closure, a functor) has one for each object: the variable is a copy of the object, which its calls are given first.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from .....ir.types import INT32, ScalarType
from .....ir.values import Constant
from ....surface import nodes as sx
from ....surface.types import type_of
from ...names.bindings import Integer, Pointer, Result, Slot
from ...state import State
from ..containers.rows import COUNTER
from ..tables import entry_of, is_address, listed, without_address

MOST_BODIES = 8
"""Functions of which a call may be one, so that they are alternatives."""

_ANY = "ai_any"  # a known function whose result is data
_FUNCTION = sx.PointerT(sx.UnknownT("function"))


def function_value(state: State, expression: sx.OpaqueExpression) -> Result:
    """Return the pointer to a function, with a copy of the object that it is called with."""
    function = state.inputs.unit.functions[expression.function]
    if not expression.operands:
        variable = state.instances.function(function.key, function.name, function.span)
        return Pointer(Slot(variable, variable.type))
    held = expression.operands[0]
    kind = type_of(held)
    variable = state.instances.object_called(
        expression, kind if isinstance(kind, sx.StructT | sx.PointerT) else _FUNCTION, function.key
    )
    state.run(sx.Declare(variable, held, expression.span))
    return Pointer(Slot(variable, variable.type))


def call_through(state: State, expression: sx.OpaqueExpression, called: sx.Expression) -> sx.Call | None:
    """Return the call that an indirect one is; None where it is not known what the pointer points at.

    An expression that changes a variable (``table[i++]``) is not looked at: its value is taken once, as an operand.
    """
    if state.inputs.effects.of(called).variables:
        return None
    target = _pointed_at(state, listed(state, called) or called)
    key = None if target is None else state.instances.keys.get(target)
    if target is None or key is None:
        return None
    function = state.inputs.unit.functions[key]
    given: tuple[sx.Expression, ...] = ()
    if state.instances.is_object(target):
        here = sx.Name(target, expression.span)
        given = (here if function.parameters[0].reference else sx.Unary("&", here, expression.span),)
    return state.instances.call(expression, target, function, given)


def one_of(state: State, calls: Sequence[sx.Call | sx.OpaqueExpression], tests: Sequence[sx.Expression] = ()) -> Result:
    """Return the result of one of some calls of one type: the first whose test holds, or the last; else data choose."""
    *others, last = calls
    some = sx.Call(_ANY, _ANY, (), sx.ScalarT(INT32), last.span)
    ways = list(zip(others, tests or [some] * len(others), strict=True))
    if isinstance(last.type, sx.ScalarT) and last.type.element.scalar is ScalarType.VOID:
        statement: sx.Statement = sx.Evaluate(last, last.span)
        for call, test in reversed(ways):
            statement = sx.If(test, sx.Evaluate(call, call.span), statement, call.span)
        state.run(statement)
        return Constant(None, last.type.element)
    chosen: sx.Expression = last
    for call, test in reversed(ways):
        chosen = sx.Conditional(test, call, chosen, call.span)
    return state.evaluate(chosen)


def call_of_any(state: State, expression: sx.OpaqueExpression) -> Result | None:
    """Return the result of the call of a function of a table: at a position in counters and sizes, or at any.

    None for other calls.
    """
    called = without_address(expression.called) if expression.called is not None else None
    row, number = entry_of(state, called) or (None, None)
    listed_here = [] if row is None else [(at, item) for at, item in enumerate(row.items) if not _is_null(item)]
    if row is None or not all(is_address(item) for _, item in listed_here):
        return None
    functions = {item.function: item for _, item in listed_here if isinstance(item, sx.OpaqueExpression)}
    if not 0 < len(functions) <= MOST_BODIES or not functions.keys() <= state.inputs.unit.functions.keys():
        return None
    if number is None or number.unknowns() or len(listed_here) > MOST_BODIES:
        return one_of(state, [replace(expression, called=item) for item in functions.values()])
    span = expression.span
    position = sx.Variable("position", COUNTER, sx.Storage.LOCAL, span)
    state.environment.bind(Slot(position, COUNTER), Integer(number))
    here = sx.Name(position, span)
    tests = [sx.Binary("==", here, sx.Number(at, COUNTER, span), span) for at, _ in listed_here[:-1]]
    return one_of(state, [replace(expression, called=item) for _, item in listed_here], tests)


def _is_null(item: sx.Expression) -> bool:
    """Return whether an entry of a table is a null pointer, which nothing calls: the end of the table."""
    while isinstance(item, sx.Cast):
        item = item.operand
    return isinstance(item, sx.Number) and not item.value


def _pointed_at(state: State, called: sx.Expression) -> sx.Variable | None:
    """Return the variable that stands for the function that a pointer points at; None where that is not known."""
    called = without_address(called)
    with state.emitter.capture():
        result = state.evaluate(called)
        target = result.target if isinstance(result, Pointer) else state.lvalue(called)
    return target.variable if isinstance(target, Slot) else None
