"""The step and the test of a loop, without what only counts."""

from __future__ import annotations

from .....ir.nodes import Condition, Node, Statement
from .....ir.types import INT32
from .....ir.values import Constant, IndexValue, Opaque, Register
from ....surface import nodes as sx
from ....surface.constructs import construct
from ....surface.traverse import walk
from ...expressions.calls.texts import is_length
from ...state import State


def lower_advance(state: State, expression: sx.Expression) -> list[Node]:
    """Return what the step of a loop does beyond counting."""
    with state.emitter.capture() as nodes:
        state.evaluate(expression)
    return [node for node in nodes if not is_control(node)]


def lower_test(state: State, expression: sx.Expression) -> tuple[Condition, list[Node]]:
    """Return the condition of a loop, and what evaluating it does beyond counting."""
    with state.as_index(), state.emitter.capture() as nodes:
        condition = state.condition(expression)
        for call in walk(expression):
            if isinstance(call, sx.Call) and is_length(state, call):
                state.emitter.report("AI219", call.span, "test", function=call.name)
                state.emitter.emit(None, Opaque(construct("call", function=call.name), INT32, has_work=True), call.span)
    return condition, [node for node in nodes if not is_control(node)]


def is_control(node: Node) -> bool:
    """Return whether a node only steps an integer, as loop control does."""
    return isinstance(node, Statement) and isinstance(node.target, Register) and isinstance(
        node.value, IndexValue | Constant
    )  # fmt: skip
