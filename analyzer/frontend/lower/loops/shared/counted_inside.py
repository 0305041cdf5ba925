"""Loops whose counter loops inside of them move on: ``while (i < n) { while (i < n && f(s[i])) i++; ... }``."""

from __future__ import annotations

from .....given_values import trip_of_line
from .....ir.index import ZERO, Poly, minimum
from .....ir.nodes import Compare, Comparison, DataDependent, Exit, Guard, Node, Strided
from ... import logic
from ...state import State
from ..context import LoopContext, Recognized
from ..ranges.ends import exit_conditions
from ..recognition import values_by_count
from ..written.source import LoopSource
from .paths import paths
from .potentials import after_iteration, distances, distances_of
from .progress import makes_progress


def counted_inside(state: State, source: LoopSource, context: LoopContext, body: list[Node]) -> Recognized | None:
    """Return such a loop with the most iterations that it can have, each of which takes 1 of a distance at least.

    Behind each of them its ``body`` may leave it.

    None where an iteration may leave the counter where it is, or move it back, and where the trip count is given.
    """
    if context.test_last or context.is_trip_count_given():
        return None
    entries, moving = context.entries(), {item.name for item in context.moving}
    found = [
        length
        for length in distances(context)
        if length.names() & moving <= entries.keys() and _is_used_up(state, source, context, length)
    ]
    most = [length.substitute(entries) for length in found]
    if not most or any(each.unknowns() for each in most):
        return None
    span = state.emitter.position(context.span)
    ends = DataDependent(f"L{span.line}.all", "nothing is left")
    body.append(Guard(ends, (Exit(context.iterator, span),), (), span))
    state.emitter.report("AI204", span, "steps", most=str(minimum(most)), symbol=trip_of_line(span.line))
    values = values_by_count(context)
    others = [test for test in logic.conjuncts(context.condition) if not set(distances_of(test)) & set(found)]
    if any(
        isinstance(test, Compare) and test.comparison is Comparison.NE for test in logic.conjuncts(context.condition)
    ):
        state.emitter.assume("AI304", span, "bound")
    exits = exit_conditions(context, others, values)
    return Recognized(Strided(ZERO, minimum(most)), values, exits=exits, used_up=found)


def _is_used_up(state: State, source: LoopSource, context: LoopContext, length: Poly) -> bool:
    after = after_iteration(length, context.ends)
    found = [] if after is None else paths(after, context.symbols)
    taken = [(length - path.rest).constant for path in found if path.never_rises]
    if not found or len(taken) < len(found) or any(number is None or number < 0 for number in taken):
        return False
    slots = [item.slot for item in context.moving if item.name in length.names()]
    moved, members = {slot.variable for slot in slots}, {slot.path.rpartition(".")[2] for slot in slots}
    if context.symbols.falling.keys() & {name for path in found for name in path.added}:
        return False
    return all(taken) or makes_progress(state, source, moved, members)
