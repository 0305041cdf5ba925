"""Loops whose bound is one of two numbers, ``j < (last ? i + 1 : j0 + 16)``, as one of two loops.

Only where the choice is made of integers that the loop does not change, and is neither the smaller nor the larger of
two numbers, which bounds hold as they are.  A variable that is declared with such a choice is given one of both.
"""

from __future__ import annotations

from msgspec.structs import replace

from ....ir.nodes import Truth
from ...surface import nodes as sx
from ...surface.traverse import walk
from ..expressions.references import index
from ..logic import depends_on_data
from ..state import State

_PLAIN = (sx.Name, sx.Number, sx.Binary, sx.Unary, sx.Cast, sx.Member, sx.Conditional)
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "!="})


def by_bound(state: State, loop: sx.For) -> sx.If | None:
    """Return the choice between two loops; None of a loop with one bound, or where data choose."""
    test = loop.condition
    if not isinstance(test, sx.Binary) or test.operator not in _COMPARISONS:
        return None
    for side in ("left", "right"):
        chosen = _uncast(getattr(test, side))
        if isinstance(chosen, sx.Conditional) and _is_kept(state, loop, chosen) and _is_open(state, chosen):
            then, orelse = (
                replace(loop, condition=replace(test, **{side: bound}), initial=None)
                for bound in (chosen.then, chosen.orelse)
            )
            return sx.If(chosen.condition, then, orelse, loop.span)
    return None


def by_number(state: State, declaration: sx.Declare) -> sx.If | None:
    """Return the choice between two values of a new integer, outside of loops; None where data choose, or nothing."""
    variable, span = declaration.variable, declaration.span
    chosen = None if declaration.initial is None else _uncast(declaration.initial)
    is_integer = isinstance(variable.type, sx.ScalarT) and variable.type.element.scalar.is_integer
    if not isinstance(chosen, sx.Conditional) or state.flow.loops or variable.reference or not is_integer:
        return None
    if state.effects(chosen).variables or not all(isinstance(part, _PLAIN) for part in walk(chosen)):
        return None
    with state.emitter.capture():
        condition = state.condition(chosen.condition)
    if isinstance(condition, Truth) or depends_on_data(condition):
        return None
    here = sx.Name(variable, span)
    then, orelse = (sx.Evaluate(sx.Assign("", here, way, span), span) for way in (chosen.then, chosen.orelse))
    return sx.If(chosen.condition, then, orelse, span)


def _uncast(expression: sx.Expression) -> sx.Expression:
    while isinstance(expression, sx.Cast):
        expression = expression.operand
    return expression


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
    return bool(number.unknowns()) and not depends_on_data(condition)
