"""Loops of host code: followed while the condition is known and the budget lasts, else gone through once.

A loop that launches kernels is followed to its end, launch by launch, within a budget of its own; iterations that only
repeat are counted (:mod:`.repetition`).  Other loops are followed where they can matter for a launch at all
(:mod:`.launch_slice`).  What a loop that is not followed may change becomes unknown, and its launches are open.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from ...source import Span
from ..surface import nodes as sx
from .calls import Calls, Frame, Jump
from .launch_slice import Relevance
from .memory import Memory
from .program import launches_in
from .repetition import LONGEST_PERIOD, Counter, counter_of, is_same_state
from .tally import Counts
from .values import as_number, truth

_LOOP_STEPS = 15_000
_LAUNCHING_STEPS = 300_000
_FREE_ITERATIONS = 12
_LOOKED_AT = 2 * LONGEST_PERIOD

Parts = tuple[sx.Expression | None, sx.Expression | None, sx.Statement]


class _Pace(Struct):
    """The iterations of a launching loop so far: their number, and the last states with what led to them launched."""

    counter: Counter | None
    iterations: int = 0
    states: list[tuple[Memory, Counts]] = field(default_factory=list)

    @property
    def is_watched(self) -> bool:
        """Whether the loop may still turn out to repeat."""
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


class Loops(Calls):
    """Runs loops."""

    def __init__(
        self,
        functions: Mapping[str, sx.Function],
        shared: dict[sx.Variable, sx.Variable],
        launching: Mapping[str, frozenset[str]],
        relevance: Relevance,
    ) -> None:
        """``relevance`` decides which loops without launches are followed."""
        super().__init__(functions, shared, launching)
        self._relevance = relevance
        self._launch_loops: dict[int, tuple[sx.Statement, bool]] = {}
        self._launching_steps = 0
        self._unfollowed: Span | None = None  # where the loop is that may launch more than was met

    def _loop(self, loop: sx.For | sx.While, advance: sx.Expression | None) -> Jump | None:
        parts = (loop.condition, advance, loop.body)
        launches = self._has_launch(loop, loop.body)
        if self._apart is None and launches:
            return self._launching_loop(loop, parts)
        if self._apart is not None or self._is_short or not self._relevance.matters(loop):
            self._pass_over(loop, parts)
            return None
        return self._plain_loop(loop, parts)

    def _plain_loop(self, loop: sx.Statement, parts: Parts) -> Jump | None:
        condition, advance, body = parts
        frame = self._frames[-1] if self._frames else Frame("")
        outer, frame.torn = frame.torn, False
        start = self._steps
        try:
            while not (frame.torn or self._steps - start > _LOOP_STEPS or self._is_short):
                holds = True if condition is None else truth(self._value(condition))
                if holds is False:
                    return None
                if holds is None:
                    break
                jump = self._run(body)
                if jump is not None and jump.kind == "return":
                    return jump
                if jump is not None and jump.kind == "break":
                    if not frame.torn:
                        return None
                    break
                if advance is not None:
                    self._value(advance)
        finally:
            frame.torn = outer
        self._pass_over(loop, parts)
        return None

    # --- loops that launch -----------------------------------------------------------------------------------------

    def _launching_loop(self, loop: sx.For | sx.While, parts: Parts) -> Jump | None:
        frame = self._frames[-1] if self._frames else Frame("")
        outer, frame.torn = frame.torn, False
        self._doubts += outer
        pace = _Pace(counter_of(loop))
        is_followed = False
        try:
            while self._launching_steps < _LAUNCHING_STEPS:
                holds = True if loop.condition is None else truth(self._value(loop.condition))
                if holds is False:
                    is_followed = True
                    break
                if holds is None and (pace.iterations or _has_run(loop)):
                    break
                jump = self._iteration(parts, pace, is_certain=bool(holds))
                if jump is not None and jump.kind == "return":
                    return jump if holds else None
                if jump is not None or holds is None:
                    is_followed = bool(holds)
                    break
                self._skip(pace, parts)
        finally:
            frame.torn, is_torn = outer, frame.torn
            self._doubts -= outer
        if is_torn or not is_followed:
            self._unfollowed = None if is_followed else loop.span
            self._pass_over(loop, parts)
        return None

    def _iteration(self, parts: Parts, pace: _Pace, *, is_certain: bool) -> Jump | None:
        """Run the body and the step of a loop; the first few iterations count towards the budget of all code."""
        _, advance, body = parts
        before = self._steps
        pace.iterations += 1
        self._tally.begin()
        self._doubts += not is_certain
        try:
            jump = self._run(body)
            if jump is not None and jump.kind == "continue":
                jump = None
            if jump is None and advance is not None:
                self._value(advance)
        finally:
            self._doubts -= not is_certain
            counts = self._tally.end()
        if pace.iterations > _FREE_ITERATIONS:
            self._launching_steps += self._steps - before
            self._steps = before
        if pace.is_watched:
            pace.states.append((self._memory.copy(), counts))
        return jump

    def _skip(self, pace: _Pace, parts: Parts) -> None:
        """Count the iterations that repeat the last ones, as far as whole periods of them are left."""
        counter = pace.counter
        if counter is None or not pace.is_watched:
            return
        iterations = pace.period()
        bound = as_number(self._value(counter.bound))
        value = self._memory.exact((counter.variable, ""))
        if not iterations or bound is None or not isinstance(value, int):
            return
        times = (counter.left(value, bound) or 0) // len(iterations)
        if times:
            self._tally.repeat(iterations, times)
            self._memory.store((counter.variable, ""), value + times * len(iterations) * counter.step)

    def _has_launch(self, loop: sx.Statement, body: sx.Statement) -> bool:
        known = self._launch_loops.get(id(loop))
        if known is None:
            self._launch_loops[id(loop)] = known = (loop, launches_in(body, self._launching))
        return known[1]

    def _pass_over(self, loop: sx.Statement, parts: Parts) -> None:
        """Whatever a loop may change becomes unknown."""
        outer, self._apart = self._apart, self._apart or loop
        try:
            condition, advance, body = parts
            if condition is not None:
                self._value(condition)
            self._run(body)
            if advance is not None:
                self._value(advance)
        finally:
            self._apart = outer


def _has_run(loop: sx.For | sx.While) -> bool:
    """Whether the body comes before the condition."""
    return isinstance(loop, sx.While) and loop.test_last
