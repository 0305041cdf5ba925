"""Loops without a closed form that known values decide: one iteration after the other, as a program runs them.

``n = 100; while (n > 1) { ...; n = (n + 1) / 2; }`` has seven iterations with a number each.  All tests have to be
decided by constants and by what the user or the launch gives, the loop is left by its test alone, and it is short.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import chain

from ....ir.index import const, names_in
from ....ir.nodes import Loop, Node, Uncounted
from ....ir.traverse import all_nodes, decisive_indices
from ...surface import nodes as sx
from ..decided import decided
from ..merging import join_targets
from ..names.bindings import Integer
from ..state import State
from .parts import lower_advance, lower_test
from .source import LoopSource

MOST_ITERATIONS = 64
_MOST_NODES = 2_000


def run_stepwise(state: State, source: LoopSource, changed: Sequence[sx.Variable], *, counted: bool = False) -> bool:
    """Lower all iterations of a loop into the current block; return False, and change nothing, where one is open.

    ``counted``: so is one with a loop inside that has no trip count, or one that elements decide which are not known.
    """
    before = state.checkpoint()
    nodes: list[Node] = []
    if _run(state, source, changed, nodes, counted=counted):
        state.emitter.block.extend(nodes)
        return True
    state.restore(before)
    return False


def has_uncounted(nodes: Sequence[Node]) -> bool:
    """Return whether a loop anywhere below has a trip count that is not known."""
    return any(isinstance(node, Loop) and isinstance(node.range, Uncounted) for node in all_nodes(nodes))


def _is_open(state: State, body: Sequence[Node], sizes: Set[str]) -> bool:
    """Return whether a loop of an iteration has no trip count, or one of other symbols than some sizes."""
    made = state.symbols.known.keys() - sizes
    loops = [node for node in all_nodes(body) if isinstance(node, Loop)]
    return has_uncounted(loops) or not made.isdisjoint(names_in(chain.from_iterable(map(decisive_indices, loops))))


def _run(state: State, source: LoopSource, changed: Sequence[sx.Variable], nodes: list[Node], *, counted: bool) -> bool:
    start, sizes = state.emitter.emitted, frozenset(state.symbols.known)
    for number in range(MOST_ITERATIONS + 1):
        _fix(state, changed)
        if source.condition is None or state.emitter.emitted - start > _MOST_NODES:
            return False
        if number or not source.test_last:
            condition, tests = lower_test(state, source.condition)
            holds = decided(state.symbols, condition)
            nodes.extend(tests)
            if not holds:
                return holds is False
        target = state.target("loop", iterator=f"{source.span.line}@", line=source.span.line, label=source.label)
        with state.flow.inside(target), state.emitter.capture() as body:
            state.run(source.body)
            join_targets(state, target)
            if source.advance is not None and not state.flow.terminated:
                body.extend(lower_advance(state, source.advance))
        nodes.extend(body)
        if target.exits or state.flow.terminated or (counted and _is_open(state, body, sizes)):
            state.flow.resume()
            return False
    return False


def _fix(state: State, changed: Sequence[sx.Variable]) -> None:
    """Bind the integers that the loop changes to their numbers, where these are known."""
    for variable in changed:
        for key in state.environment.keys_of(variable):
            bound = state.environment.bindings[key]
            if isinstance(bound, Integer) and bound.value.constant is None:
                number = state.symbols.value_of(bound.value)
                if number is not None:
                    state.environment.bindings[key] = Integer(const(number))
