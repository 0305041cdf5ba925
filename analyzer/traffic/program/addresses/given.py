"""Ranges of what given arrays decide: an expression over counters, the loops around it -> its least and greatest value.

The counters that matter are followed one by one, the innermost at its two ends where the expression is affine in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....ir.index import Poly
from ..intervals import Interval
from ..predicates import evaluate, values_of
from ..program import CountedLoop, CounterName, Test
from .reach import step_of

Ints = NDArray[np.int64]

_MOST_ROWS = 1 << 24  # some two seconds; beyond, the range is that of the arrays' own extremes


def range_of(poly: Poly, loops: Sequence[CountedLoop], tests: Sequence[Test]) -> Interval | None:
    """Return least and greatest value where loops and tests run; None where they never do, or too often to look."""
    wanted = _decisive(poly, loops, tests)
    inner = max(wanted, default=-1)
    at_ends = inner >= 0 and step_of(poly, inner) is not None and not any(inner in test.depths for test in tests)
    counters: list[Ints] = []
    rows = 1
    for loop in loops:
        mask = holding(loop.tests, counters, rows)
        counters, rows = [column[mask] for column in counters], int(mask.sum())
        low, high = (np.broadcast_to(np.asarray(end, np.int64), (rows,)) for end in loop.range(counters))
        runs = high >= low
        low, high = low[runs], high[runs]
        counters = [column[runs] for column in counters]
        if loop.depth not in wanted:
            counters.append(low)
        elif loop.depth == inner and at_ends:
            counters = [np.concatenate([column, column]) for column in counters]
            counters.append(np.concatenate([low, high]))
        else:
            trips = high - low + 1
            if int(trips.sum()) > _MOST_ROWS:
                return None
            owner = np.repeat(np.arange(len(low)), trips)
            number = np.arange(len(owner)) - np.repeat(np.cumsum(trips) - trips, trips)
            counters = [*(column[owner] for column in counters), low[owner] + number]
        rows = len(counters[-1])
    mask = holding(tests, counters, rows)
    found: Any = np.broadcast_to(np.asarray(evaluate(poly, values_of(counters)), np.int64), (rows,))[mask]
    return (int(found.min()), int(found.max())) if len(found) else None


def holding(tests: Sequence[Test], counters: Sequence[Ints], rows: int) -> NDArray[np.bool_]:
    """Return whether all tests hold, for each of so many rows of counters."""
    mask = np.ones(rows, dtype=bool)
    for test in tests:
        mask &= np.broadcast_to(np.asarray(test.holds(counters), dtype=bool), (rows,))
    return mask


def depths_of(poly: Poly) -> frozenset[int]:
    """Return the depths of the counters in an expression, those that choose elements of arrays included."""
    return frozenset(name.depth for name in poly.names() if isinstance(name, CounterName))


def _decisive(poly: Poly, loops: Sequence[CountedLoop], tests: Sequence[Test]) -> frozenset[int]:
    """Return the depths of the counters on which a value depends, or which bounds of such counters depend on."""
    found = set(depths_of(poly)).union(*(test.depths for test in tests))
    for loop in reversed(loops):
        if loop.depth in found:
            found |= loop.length_depends
            found |= {depth for bound in (*loop.lows, *loop.highs) for depth, _ in bound.limit.terms}
    return frozenset(found)
