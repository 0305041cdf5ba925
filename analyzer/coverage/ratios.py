"""The ratios of a run by location in the source: of loops, of conditions, and of the operands of conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct, field

from ..given_values import TRIP
from ..ir.branches import PROBABILITY
from ..source import Span
from .loop_counts import Ratio
from .measured import Measured

Where = tuple[str, int, int]
"""A file, a line and a column."""


class Chance(Struct, frozen=True):
    """How often a condition held of all evaluations, without the ``!`` in front of one that ``is_negated``.

    ``operands`` are the ratios of the operands of ``&&`` and ``||``, without theirs, of the evaluations of each;
    ``joint`` is the operator between them, the outermost one.
    """

    ratio: Ratio
    is_negated: bool = False
    operands: tuple[Ratio, ...] = ()
    joint: str = ""

    def plus(self, other: Chance) -> Chance:
        """Return the sums of both."""
        operands = _added(self.operands, other.operands)
        return Chance(self.ratio.plus(other.ratio), self.is_negated, operands, self.joint)


class Ratios(Struct, frozen=True):
    """What a run says of the loops and conditions of some functions, called so often (None: not known).

    ``tests`` are the ratios of the operands of a loop's condition, with each ``!``, ``starts`` the executions of other
    statements, ``bodies`` where the functions stand.
    """

    calls: int | None = None
    trips: Mapping[Where, Ratio] = field(default_factory=dict)
    tests: Mapping[Where, tuple[Ratio, ...]] = field(default_factory=dict)
    starts: Mapping[Where, int] = field(default_factory=dict)
    bodies: tuple[Span, ...] = ()
    chances: Mapping[Where, Chance] = field(default_factory=dict)

    def body(self, span: Span) -> Span | None:
        """Return where the innermost function around a position stands."""
        around = [one for one in self.bodies if span.is_within(one)]
        return max(around, default=None)

    def trip(self, span: Span) -> Ratio | None:
        """Return the iterations of the loop at a position, to the times that it was entered."""
        return self.trips.get((span.path, span.line, span.column))

    def chance(self, span: Span) -> Chance | None:
        """Return how often the condition at a position held."""
        return self.chances.get((span.path, span.line, span.column))


def ratios_of(function: Span, one: Measured, given: Collection[str]) -> Ratios:
    """Return the ratios of a function that stands somewhere, but those given otherwise."""
    path = function.path
    trips = {(path, *at): ratio for at, ratio in one.trips.items() if f"{TRIP}{at[0]}" not in given}
    chances = {
        (path, *at): Chance(ratio, at in one.negated, one.operands.get(at, ()), one.joints.get(at, ""))
        for at, ratio in one.probabilities.items()
        if f"{PROBABILITY}{at[0]}" not in given
    }
    tests = {(path, *at): number for at, number in one.tests.items()}
    starts = {(path, *at): number for at, number in one.starts.items()}
    return Ratios(one.entered, trips, tests, starts, (function,), chances)


def together(found: Iterable[Ratios]) -> Ratios:
    """Return the ratios of functions, at each location those of all instances of a template."""
    trips: dict[Where, Ratio] = {}
    tests: dict[Where, tuple[Ratio, ...]] = {}
    starts: Counter[Where] = Counter()
    bodies: dict[Span, None] = {}
    chances: dict[Where, Chance] = {}
    for one in found:
        starts.update(dict(one.starts))
        bodies |= dict.fromkeys(one.bodies)
        for where, each in one.tests.items():
            tests[where] = _added(tests[where], each) if where in tests else each
        for where, ratio in one.trips.items():
            trips[where] = trips.get(where, Ratio(0, 0)).plus(ratio)
        for where, chance in one.chances.items():
            chances[where] = chances[where].plus(chance) if where in chances else chance
    return Ratios(None, trips, tests, dict(starts), tuple(bodies), chances)


def _added(one: tuple[Ratio, ...], other: tuple[Ratio, ...]) -> tuple[Ratio, ...]:
    return tuple(a.plus(b) for a, b in zip(one, other, strict=True)) if len(one) == len(other) else ()
