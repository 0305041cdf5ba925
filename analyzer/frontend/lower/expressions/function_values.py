"""Functions as values: pointers to functions, lambdas as such, and what a ``std::function`` is made of.

A pointer to a function points at a variable that stands for it.  A function that is called with an object of its own (a
closure, a functor) has one for each object: the variable is a copy of the object, which its calls are given first.
"""

from __future__ import annotations

from ...surface import nodes as sx
from ...surface.types import type_of
from ..names.bindings import Pointer, Result, Slot
from ..state import State

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
    """Return the call that an indirect one is; None where it is not known what the pointer points at."""
    target = _pointed_at(state, called)
    key = None if target is None else state.instances.keys.get(target)
    if target is None or key is None:
        return None
    function = state.inputs.unit.functions[key]
    given: tuple[sx.Expression, ...] = ()
    if state.instances.is_object(target):
        here = sx.Name(target, expression.span)
        given = (here if function.parameters[0].reference else sx.Unary("&", here, expression.span),)
    return state.instances.call(expression, target, function, given)


def _pointed_at(state: State, called: sx.Expression) -> sx.Variable | None:
    """Return the variable that stands for the function that a pointer points at; None where that is not known."""
    while isinstance(called, sx.Unary) and called.operator in "*&":
        called = called.operand
    if state.inputs.effects.of(called).variables:
        return None
    with state.emitter.capture():
        result = state.evaluate(called)
        target = result.target if isinstance(result, Pointer) else state.lvalue(called)
    return target.variable if isinstance(target, Slot) else None
