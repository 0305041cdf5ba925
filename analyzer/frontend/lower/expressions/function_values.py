"""Functions as values: pointers to functions, lambdas as such, and what a ``std::function`` is made of.

A pointer to a function points at a variable that stands for it.  A function that is called with an object of its own (a
closure, a functor) has one for each object: the variable is a copy of the object, which its calls are given first.
"""

from __future__ import annotations

from collections.abc import Collection

from ...surface import nodes as sx
from ...surface.traverse import walk
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
    """Return the call that an indirect one is; None where it is not known what the pointer points at.

    An expression that changes a variable (``table[i++]``) is not looked at: its value is taken once, as an operand.
    """
    if state.inputs.effects.of(called).variables:
        return None
    target = _pointed_at(state, _listed(state, called) or called)
    key = None if target is None else state.instances.keys.get(target)
    if target is None or key is None:
        return None
    function = state.inputs.unit.functions[key]
    given: tuple[sx.Expression, ...] = ()
    if state.instances.is_object(target):
        here = sx.Name(target, expression.span)
        given = (here if function.parameters[0].reference else sx.Unary("&", here, expression.span),)
    return state.instances.call(expression, target, function, given)


def calls_from_table(state: State, body: sx.Statement, changed: Collection[sx.Variable]) -> bool:
    """Return whether a loop calls functions of a constant table at positions that its iterations change."""
    if not any(map(_is_table, state.inputs.effects.variables_in(body))):
        return False
    called = (node.called for node in walk(body) if isinstance(node, sx.OpaqueExpression) and node.called is not None)
    return any(_is_position_in_table(each, changed) for each in called)


def _is_position_in_table(called: sx.Expression, changed: Collection[sx.Variable]) -> bool:
    moves = False
    while not isinstance(called, sx.Name):
        match called:
            case sx.Index(base=base, index=index):
                moves = moves or any(isinstance(node, sx.Name) and node.variable in changed for node in walk(index))
                called = base
            case sx.Member(base=base) | sx.Unary(operand=base):
                called = base
            case _:
                return False
    return moves and _is_table(called.variable)


def _is_table(variable: sx.Variable) -> bool:
    return variable.constant and isinstance(variable.initial, sx.InitializerList)


def _listed(state: State, called: sx.Expression) -> sx.Expression | None:
    """Return what a constant table lists at the known position that an expression names; None for any other."""
    match without_address(called):
        case sx.Name(variable=variable) if _is_table(variable):
            return variable.initial
        case sx.Index(base=base, index=index):
            row, number = _listed(state, base), state.quietly(index)
            position = None if number is None else state.symbols.value_of(number)
            if isinstance(row, sx.InitializerList) and position is not None and 0 <= position < len(row.items):
                return row.items[int(position)]
        case sx.Member(base=base, name=name):
            row = _listed(state, base)
            if isinstance(row, sx.InitializerList) and isinstance(row.type, sx.StructT):
                listed = zip(row.type.fields, row.items, strict=False)
                return next((item for field, item in listed if field.name == name), None)
    return None


def without_address(called: sx.Expression) -> sx.Expression:
    """Return a function for ``*f`` and ``&f``, which are the same."""
    while isinstance(called, sx.Unary) and called.operator in "*&":
        called = called.operand
    return called


def _pointed_at(state: State, called: sx.Expression) -> sx.Variable | None:
    """Return the variable that stands for the function that a pointer points at; None where that is not known."""
    called = without_address(called)
    with state.emitter.capture():
        result = state.evaluate(called)
        target = result.target if isinstance(result, Pointer) else state.lvalue(called)
    return target.variable if isinstance(target, Slot) else None
