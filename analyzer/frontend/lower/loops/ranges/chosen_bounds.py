"""Loops whose bound is one of two numbers, ``j < (last ? i + 1 : j0 + 16)``, as one of two loops.

Only where the choice is made of integers that the loop does not change, and is neither the smaller nor the larger of
two numbers, which bounds hold as they are.  A variable that is declared with such a choice is given one of both.
"""

from __future__ import annotations

from msgspec.structs import replace

from .....ir.nodes import Statement, Truth
from .....ir.traverse import all_nodes
from .....ir.values import Constant, IndexValue
from ....surface import nodes as sx
from ....surface.designation import without_casts
from ....surface.traverse import walk
from ...expressions.references import index
from ...state import State

_PLAIN = (sx.Name, sx.Number, sx.Binary, sx.Unary, sx.Cast, sx.Member, sx.Conditional)
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "!="})


def by_bound(state: State, loop: sx.For) -> sx.If | None:
    """Return the choice between two loops; None of a loop with one bound, or where data choose."""
    test = loop.condition
    if not isinstance(test, sx.Binary) or test.operator not in _COMPARISONS:
        return None
    for side in ("left", "right"):
        chosen = without_casts(getattr(test, side))
        if isinstance(chosen, sx.Conditional) and _is_kept(state, loop, chosen) and _is_open(state, chosen):
            then, orelse = (
                replace(loop, condition=replace(test, **{side: bound}), initial=None)
                for bound in (chosen.then, chosen.orelse)
            )
            return sx.If(chosen.condition, then, orelse, loop.span)
    return None


def by_call(state: State, loop: sx.For) -> sx.Block | None:
    """Return a loop up to a number that a function chooses (``i < m.rows()``) behind a variable with that number.

    None of another loop, or where the function or the loop may change what it is made of.
    """
    test = loop.condition
    if not isinstance(test, sx.Binary) or test.operator not in _COMPARISONS:
        return None
    for side in ("left", "right"):
        chosen = without_casts(getattr(test, side))
        function = state.inputs.unit.functions.get(chosen.function) if isinstance(chosen, sx.Call) else None
        if isinstance(chosen, sx.Call) and function is not None and _chooses(state, loop, chosen, function):
            bound = sx.Variable(function.name, chosen.type, sx.Storage.LOCAL, loop.span)
            inner = replace(test, **{side: sx.Name(bound, loop.span)})
            parts = (sx.Declare(bound, chosen, loop.span), replace(loop, condition=inner, initial=None))
            return sx.Block(parts, loop.span)
    return None


def _chooses(state: State, loop: sx.For, call: sx.Call, function: sx.Function) -> bool:
    """Return whether a call gives one of two sizes, the same in each iteration of a loop."""
    body = [*walk(function.body)]
    if not any(isinstance(node, sx.Conditional | sx.If | sx.Switch) for node in body):
        return False
    own, others = state.inputs.effects.of_call(function.key), state.effects(loop.advance, loop.body)
    members = {node.name for node in body if isinstance(node, sx.Member)}
    if own.variables or own.storage or own.members or not members.isdisjoint(others.members | others.members_in_memory):
        return False
    if not state.inputs.effects.variables_in(call).isdisjoint(others.variables):
        return False
    with state.emitter.capture() as nodes:
        number = index(state, call)
    values = (node.value for node in all_nodes(nodes) if isinstance(node, Statement))
    is_free = all(isinstance(value, IndexValue | Constant) for value in values)  # it is worked out in each iteration
    return is_free and not number.names().isdisjoint(state.chosen_by_sizes)


def by_number(state: State, statement: sx.Declare | sx.Evaluate) -> sx.If | None:
    """Return the choice between two values of an integer, outside of loops; None where data choose, or nothing."""
    span = statement.span
    match statement:
        case sx.Declare(variable=variable, initial=value) if value is not None:
            pass
        case sx.Evaluate(expression=sx.Assign(operator="", target=sx.Name(variable=variable), value=value)):
            pass
        case _:
            return None
    chosen = without_casts(value)
    is_integer = isinstance(variable.type, sx.ScalarT) and variable.type.element.scalar.is_integer
    if not isinstance(chosen, sx.Conditional) or state.flow.loops or variable.reference or not is_integer:
        return None
    if state.effects(chosen).variables or not all(isinstance(part, _PLAIN) for part in walk(chosen)):
        return None
    with state.emitter.capture():
        condition = state.condition(chosen.condition)
    if isinstance(condition, Truth) or condition.depends_on_data:
        return None
    here = sx.Name(variable, span)
    then, orelse = (sx.Evaluate(sx.Assign("", here, way, span), span) for way in (chosen.then, chosen.orelse))
    return sx.If(chosen.condition, then, orelse, span)


def _is_kept(state: State, loop: sx.For, chosen: sx.Conditional) -> bool:
    """Return whether the choice changes nothing, and is made of variables that the loop leaves as they are."""
    parts = [*walk(chosen)]
    if not all(isinstance(part, _PLAIN) for part in parts) or state.effects(chosen).variables:
        return False
    parts = [*walk(chosen.condition)]
    names = {part.variable for part in parts if isinstance(part, sx.Name)}
    if not all(isinstance(variable.type, sx.ScalarT) for variable in names):
        return False
    return names.isdisjoint(state.effects(loop.advance, loop.body).variables)


def _is_open(state: State, chosen: sx.Conditional) -> bool:
    """Return whether the number that is chosen has no form, though no data choose."""
    with state.emitter.capture():
        number, condition = index(state, chosen), state.condition(chosen.condition)
    is_open = bool(number.unknowns()) or not number.names().isdisjoint(state.chosen_by_sizes)
    return is_open and not condition.depends_on_data
