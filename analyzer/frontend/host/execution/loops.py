"""Loops of host code: followed while the condition is known and the budget lasts, else gone through once.

A loop that launches kernels is followed to its end, launch by launch, within a budget of its own; iterations that only
repeat are counted (:mod:`.repetition`).  Other loops are followed where they can matter for a launch at all
(:mod:`..launch_slice`).  What a loop that is not followed may change becomes unknown, and its launches are open.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from ...surface import nodes as sx
from ..library.trees import entries_of
from ..memory import Memory
from ..state import HostState, Jump
from ..tally import Counts
from ..values import Reference, as_number, truth
from .expressions import evaluate, location_of
from .repetition import LONGEST_PERIOD, Counter, counter_of, is_same_state

_LOOP_STEPS = 15_000
_LAUNCHING_STEPS = 300_000
_FREE_ITERATIONS = 12
_LOOKED_AT = 2 * LONGEST_PERIOD
_NODES = "ai_nodes"  # by which a loop over a map or a set names its memory

Parts = tuple[sx.Expression | None, sx.Expression | None, sx.Statement]


class _Pace(Struct):
    """The iterations of a launching loop so far: their number, and the last states with what led to them launched."""

    counter: Counter | None
    iterations: int = 0
    states: list[tuple[Memory, Counts]] = field(default_factory=list)

    @property
    def is_watched(self) -> bool:
        """Return whether the loop may still be found to repeat."""
        return self.counter is not None and self.iterations <= _LOOKED_AT

    def period(self) -> tuple[Counts, ...]:
        """Return the launches of the iterations that repeat; () where none do."""
        if self.counter is None or not self.states:
            return ()
        last = self.states[-1][0]
        for length in range(1, min(LONGEST_PERIOD, len(self.states) - 1) + 1):
            if is_same_state(last, self.states[-1 - length][0], self.counter.variable):
                return tuple(counts for _, counts in self.states[-length:])
        return ()


def run_loop(state: HostState, loop: sx.For | sx.While, advance: sx.Expression | None) -> Jump | None:
    """Run a loop, or summarize its effects."""
    parts = (loop.condition, advance, loop.body)
    entries = _entries(state, loop) if state.summarized is None and not state.is_short else None
    if entries is not None:
        return _over_entries(state, loop, parts, *entries)
    launches = state.program.has_launch(loop)
    if state.summarized is None and launches:
        return _launching_loop(state, loop, parts)
    if state.summarized is not None or state.is_short or not state.program.relevance.matters(loop):
        _pass_over(state, loop, parts)
        return None
    return _plain_loop(state, loop, parts)


def _entries(state: HostState, loop: sx.For | sx.While) -> tuple[sx.Variable, list[Reference]] | None:
    """Return the variable of a loop over a map or a set, and the entries that it gets the addresses of."""
    first = loop.initial if isinstance(loop, sx.For) else None
    if not isinstance(first, sx.Declare) or not isinstance(first.initial, sx.Member) or first.initial.name != _NODES:
        return None
    location = location_of(state, first.initial.base)
    entries = None if location is None else entries_of(state, Reference(*location))
    return None if entries is None else (first.variable, entries)


def _over_entries(
    state: HostState, loop: sx.For | sx.While, parts: Parts, node: sx.Variable, entries: Sequence[Reference]
) -> Jump | None:
    """Run the body of a loop for each entry of a map or a set."""
    frame = state.frame
    outer, frame.leaves_loop = frame.leaves_loop, False
    state.open_conditions += outer
    jump = None
    try:
        for entry in entries:
            state.store((node, ""), entry)
            jump = state.handlers.run(state, loop.body)
            if frame.leaves_loop or jump in ("break", "return"):
                break
    finally:
        frame.leaves_loop, is_torn = outer, frame.leaves_loop
        state.open_conditions -= outer
    if is_torn:
        state.unfollowed = loop.span
        _pass_over(state, loop, parts)
    return jump if jump == "return" else None


def _plain_loop(state: HostState, loop: sx.Statement, parts: Parts) -> Jump | None:
    condition, advance, body = parts
    frame = state.frame
    outer, frame.leaves_loop = frame.leaves_loop, False
    start = state.steps
    try:
        while not (frame.leaves_loop or state.steps - start > _LOOP_STEPS or state.is_short):
            holds = True if condition is None else truth(evaluate(state, condition))
            if holds is False:
                return None
            if holds is None:
                break
            jump = state.handlers.run(state, body)
            if jump == "return":
                return jump
            if jump == "break":
                if not frame.leaves_loop:
                    return None
                break
            if advance is not None:
                evaluate(state, advance)
    finally:
        frame.leaves_loop = outer
    _pass_over(state, loop, parts)
    return None


# --- loops that launch -----------------------------------------------------------------------------------------


def _launching_loop(state: HostState, loop: sx.For | sx.While, parts: Parts) -> Jump | None:
    frame = state.frame
    outer, frame.leaves_loop = frame.leaves_loop, False
    state.open_conditions += outer
    pace = _Pace(counter_of(loop))
    is_followed = False
    try:
        while state.launching_steps < _LAUNCHING_STEPS:
            holds = True if loop.condition is None else truth(evaluate(state, loop.condition))
            if holds is False:
                is_followed = True
                break
            if holds is None and (pace.iterations or _has_run(loop)):
                break
            jump = _iteration(state, parts, pace, is_certain=bool(holds))
            if jump == "return":
                return jump if holds else None
            if jump is not None or holds is None:
                is_followed = bool(holds)
                break
            _skip(state, pace)
    finally:
        frame.leaves_loop, is_torn = outer, frame.leaves_loop
        state.open_conditions -= outer
    if is_torn or not is_followed:
        state.unfollowed = None if is_followed else loop.span
        _pass_over(state, loop, parts)
    return None


def _iteration(state: HostState, parts: Parts, pace: _Pace, *, is_certain: bool) -> Jump | None:
    """Run the body and the step of a loop; the first few iterations count towards the budget of all code."""
    _, advance, body = parts
    before = state.steps
    pace.iterations += 1
    state.record.tally.begin()
    state.open_conditions += not is_certain
    try:
        jump = state.handlers.run(state, body)
        if jump == "continue":
            jump = None
        if jump is None and advance is not None:
            evaluate(state, advance)
    finally:
        state.open_conditions -= not is_certain
        counts = state.record.tally.end()
    if pace.iterations > _FREE_ITERATIONS:
        state.launching_steps += state.steps - before
        state.steps = before
    if pace.is_watched:
        pace.states.append((state.memory.copy(), counts))
    return jump


def _skip(state: HostState, pace: _Pace) -> None:
    """Count the iterations that repeat the last ones, as far as whole periods of them are left."""
    counter = pace.counter
    if counter is None or not pace.is_watched:
        return
    iterations = pace.period()
    bound = as_number(evaluate(state, counter.bound))
    value = state.memory.exact((counter.variable, ""))
    if not iterations or bound is None or not isinstance(value, int):
        return
    times = (counter.left(value, bound) or 0) // len(iterations)
    if times:
        state.record.tally.repeat(iterations, times)
        state.memory.store((counter.variable, ""), value + times * len(iterations) * counter.step)


def _pass_over(state: HostState, loop: sx.Statement, parts: Parts) -> None:
    """Summarize a loop: everything that it may change becomes unknown."""
    outer, state.summarized = state.summarized, state.summarized or loop
    try:
        condition, advance, body = parts
        if condition is not None:
            evaluate(state, condition)
        state.handlers.run(state, body)
        if advance is not None:
            evaluate(state, advance)
    finally:
        state.summarized = outer


def _has_run(loop: sx.For | sx.While) -> bool:
    """Return whether the body comes before the condition."""
    return isinstance(loop, sx.While) and loop.test_last
