"""Loops that a real number counts from one literal to another: ``while (t < 1.0) { ...; t += 0.01; }``.

``const`` variables that literals give are literals here.  The steps are made in the type of the counter, each rounded
as the program rounds it, so that the trip count is exact.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

from .....ir.arithmetic import in_type
from .....ir.index import ZERO, const
from .....ir.nodes import Statement, Strided
from .....ir.traverse import all_nodes
from .....ir.types import ElementType
from .....ir.values import Constant, Register, Value
from ....surface import nodes as sx
from ....surface.constants import constant_value
from ...names.bindings import Slot
from ...state import State
from ..context import LoopContext, Recognized
from ..recognition import values_by_count
from ..written.source import LoopSource

_MOST_STEPS = 100_000
_TESTS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_STEPS: Mapping[str, Callable[[float, float], float]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def real_counter(state: State, source: LoopSource, context: LoopContext) -> Recognized | None:
    """Return the loop with its trip count; None where no real number from literals alone counts it."""
    body, advance = _parts(state, source)
    match source.condition, advance:
        case (
            sx.Binary(operator=test, left=sx.Name(variable=counter), right=limit),
            sx.Assign(operator=step, target=sx.Name(variable=other), value=by),
        ) if counter == other and test in _TESTS and step in _STEPS and not context.test_last:
            stop, size = _number(state, limit), _number(state, by)
        case _:
            return None
    kind = counter.type.element if isinstance(counter.type, sx.ScalarT) else None
    if kind is None or not kind.scalar.is_float or counter in state.effects(*body).variables:
        return None
    start = _start(state, Register(state.memory.slot_name(Slot(counter, counter.type)), kind))
    if start is None or stop is None or size is None:
        return None
    trips = _trips(start, lambda value: _TESTS[test](value, stop), lambda value: _STEPS[step](value, size), kind)
    return None if trips is None else Recognized(Strided(ZERO, const(trips)), values_by_count(context))


def _parts(state: State, source: LoopSource) -> tuple[Sequence[sx.Statement], sx.Expression | None]:
    """Return what a loop does and how it goes on: the last statement of its body where its header does not say.

    That has to run in each iteration: no jump passes it.
    """
    if source.advance is None and isinstance(source.body, sx.Block) and source.body.statements:
        *body, last = source.body.statements
        if isinstance(last, sx.Evaluate) and not state.effects(*body).jumps:
            return body, last.expression
    return (source.body,), source.advance


def _number(state: State, expression: sx.Expression) -> float | None:
    if isinstance(expression, sx.Name):
        return _real(state.environment.constants.get(expression.variable))
    number = constant_value(expression)
    return None if number is None else float(number)


def _real(value: Value | None) -> float | None:
    """Return the number of a constant; None for any other value."""
    return float(value.number) if isinstance(value, Constant) and value.number is not None else None


def _start(state: State, register: Register) -> float | None:
    """Return the number that the last statement before the loop stores in a register; None for any other value."""
    for node in reversed(state.emitter.block):
        if isinstance(node, Statement):
            if node.target == register:
                return _real(node.value)
        elif any(isinstance(each, Statement) and each.target == register for each in all_nodes((node,))):
            return None
    return None


def _trips(
    value: float, goes_on: Callable[[float], bool], after: Callable[[float], float], kind: ElementType
) -> int | None:
    """Return how often a counter passes its test; None where that is too often to follow."""
    for number in range(_MOST_STEPS):
        if not goes_on(value):
            return number
        rounded = _real(in_type(after(value), kind))
        if rounded is None:
            return None
        value = rounded
    return None
