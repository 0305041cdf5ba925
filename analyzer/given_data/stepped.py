"""Trip counts of loops that have no closed form, counted by running their variables: once all sizes are known.

``for (i = 1; i <= n; i++) for (j = i; j <= n; j += j & -j)``: the iterations of all executions of the inner loop
together, and so their exact average.  All executions run in step, in numpy.  Where a variable may wrap around, or which
executions happen is not known, the trip count stays a symbol.
"""

from __future__ import annotations

from collections.abc import Set
from fractions import Fraction
from typing import Any

import numpy as np
from msgspec.structs import replace

from ..ir.nodes import Loop, Node, Region, Steps, Uncounted
from ..ir.passes.given import stepped_loops
from ..ir.passes.substitute import bind
from ..traffic.program.predicates import evaluate, holds
from ..traffic.program.program import NotNumeric
from .executions import Ints, Rows, TooManyRows, visit_executions
from .lengths import Measured, with_averages

MOST_STEPS = 1 << 24
"""Of all executions of the loops of one region together, each for one iteration; a second or two."""
_OVERHEAD = 1024  # steps, as long as an iteration of few executions takes
_LARGEST = 1 << 31  # values from here on may wrap around in the program


def with_steps(region: Region) -> Measured:
    """Return the region with the trip counts of such loops; as it is where sizes are not known or it takes too long."""
    nothing = Measured(region, frozenset(), {}, ())
    loops = stepped_loops(region)
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    run = _Run(loops.keys())
    try:
        visit_executions(bind(region, values).body, run.add)
    except (NotNumeric, TooManyRows):
        return nothing
    averages = {
        trip: Fraction(run.iterations[trip], executions) if executions else Fraction(0)
        for trip, executions in run.executions.items()
        if trip not in run.uncertain
    }
    if not averages:
        return nothing
    lines = frozenset(loops[trip].span.line for trip in averages)
    return replace(with_averages(region, averages), settled=lines)


class _Run:
    """Executions and iterations by the symbol of the trip count.

    Those of executions which may not happen are ``uncertain``, unless all have as many iterations.
    """

    def __init__(self, trips: Set[str]) -> None:
        self.executions: dict[str, int] = {}
        self.iterations: dict[str, int] = {}
        self.uncertain: set[str] = set()
        self._trips = trips
        self._left = MOST_STEPS
        self._only: dict[str, int] = {}

    def add(self, node: Node, rows: Rows) -> None:
        """Add some executions of a loop."""
        if not isinstance(node, Loop) or not isinstance(node.range, Uncounted) or not len(rows.weight):
            return
        trip, steps = node.range.trip, node.range.steps
        if trip not in self._trips or trip in self.uncertain:
            return
        try:
            lengths = None if steps is None else self._lengths(steps, rows)
        except NotNumeric:
            lengths = None
        if lengths is None or (not rows.is_certain and not self._is_constant(trip, lengths)):
            self.uncertain.add(trip)
            return
        self.executions[trip] = self.executions.get(trip, 0) + int(rows.weight.sum())
        self.iterations[trip] = self.iterations.get(trip, 0) + int((lengths * rows.weight).sum())

    def _is_constant(self, trip: str, lengths: Ints) -> bool:
        first = self._only.setdefault(trip, int(lengths[0]))
        return bool((lengths == first).all())

    def _lengths(self, steps: Steps, rows: Rows) -> Ints | None:
        """Return the number of iterations in each row; None where a value may wrap around, or there are too many."""
        found = np.zeros_like(rows.weight)
        alive = np.arange(len(found))
        values: dict[str, Any] = {one.name: rows.value(one.start) for one in steps.variables}
        values = {**rows.iterators, **values}
        tested = not steps.test_last
        while True:
            if tested:
                keep = np.broadcast_to(np.asarray(holds(steps.condition, values), dtype=bool), alive.shape)
                alive, values = alive[keep], {name: column[keep] for name, column in values.items()}
            if not len(alive):
                return found
            self._left -= len(alive) + _OVERHEAD
            if self._left < 0 or not all(_is_held(values[one.name], one.least) for one in steps.variables):
                return None
            found[alive] += 1
            after = {
                one.name: np.broadcast_to(np.asarray(evaluate(one.after, values), dtype=np.int64), alive.shape)
                for one in steps.variables
            }
            if not tested:
                keep = np.broadcast_to(np.asarray(holds(steps.condition, values), dtype=bool), alive.shape)
                alive, after = alive[keep], {name: column[keep] for name, column in after.items()}
                values = {name: column[keep] for name, column in values.items()}
            values |= after


def _is_held(column: Ints, least: int) -> bool:
    return bool((column >= least).all() and (column < _LARGEST).all())
