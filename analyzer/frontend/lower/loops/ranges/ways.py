"""All ways through the body of a loop on which data may send it: the values of its variables at the end of each."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from .....ir.index import Poly, var
from .....ir.nodes import Compare, Comparison
from ....surface import nodes as sx
from ....surface.traverse import Tree, map_children, walk
from ...names.bindings import Bindings, Integer
from ...state import State
from ..placeholders import Moving, end_value
from ..written.source import LoopSource

_MOST_WAYS = 16

Ends = Mapping[str, Poly | None]
"""Values of the placeholders at the end of one way through the body; None: not expressible."""


def ways_through(state: State, source: LoopSource, moving: Sequence[Moving]) -> list[Ends]:
    """Return the ends of all ways through the body that come back to the test; none where they are too many."""
    before = state.checkpoint()
    for item in moving:
        if item.pointer is None:
            state.environment.bind(item.slot, Integer(var(item.name)))
    step = () if source.advance is None else (sx.Evaluate(source.advance, source.span),)
    found = itertools.islice(_through(state, (source.body, *step), step), _MOST_WAYS + 1)
    ends: list[Ends] = [{item.name: end_value(state, item, bindings) for item in moving} for bindings in found]
    state.restore(before)
    return ends if len(ends) <= _MOST_WAYS else []


def _through(state: State, statements: Sequence[sx.Statement], step: Sequence[sx.Statement]) -> Iterator[Bindings]:
    """Yield the environments behind statements, on each way that conditions can send them; ``continue`` takes the step.

    Ways that leave the loop have none.
    """
    if not statements:
        yield state.environment.copied()
        return
    first, rest = statements[0], statements[1:]
    match first:
        case sx.Block(statements=inner):
            yield from _through(state, (*inner, *rest), step)
        case sx.If():
            with state.emitter.capture():
                state.condition(first.condition)
            before = state.environment.copied()
            for arm in (first.then, first.orelse):
                state.environment.bindings = dict(before)
                yield from _through(state, rest if arm is None else (arm, *rest), step)
        case sx.Return() | sx.Break() | sx.Goto():
            return
        case sx.Continue():
            yield from _through(state, step, ())
        case _ if choice := _choice(state, first):
            with state.emitter.capture():
                state.condition(choice.condition)
            before = state.environment.copied()
            for chosen in (choice.then, choice.orelse):
                state.environment.bindings = dict(before)
                yield from _through(state, (_replaced(first, choice, chosen), *rest), step)
        case _:
            with state.emitter.capture():
                state.run(first)
            if state.flow.terminated:
                state.flow.resume()
                return
            yield from _through(state, rest, step)


def _choice(state: State, statement: sx.Statement) -> sx.Conditional | None:
    """Return the first ``c ? a : b`` in a statement that changes other variables in ``a`` than in ``b``."""
    choices = (node for node in walk(statement) if isinstance(node, sx.Conditional))
    return next((each for each in choices if state.effects(each.then, each.orelse).variables), None)


def _replaced(tree: sx.Statement, choice: sx.Conditional, arm: sx.Expression) -> sx.Statement:
    """Return a statement with one arm in the place of a choice."""

    def replaced(part: Tree) -> Tree:
        return arm if part is choice else map_children(part, replaced)

    return map_children(tree, replaced)


def distance(test: Compare) -> Poly | None:
    """Return what is above 0 as long as the test holds."""
    match test.comparison:
        case Comparison.LT:
            return test.right - test.left
        case Comparison.GT:
            return test.left - test.right
        case Comparison.LE:
            return test.right - test.left + 1
        case Comparison.GE:
            return test.left - test.right + 1
        case _:
            return None
