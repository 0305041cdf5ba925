"""The widest ranges of loop counters, for many samples at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .program import Affine, CountedLoop, Counters

Ints = NDArray[np.int64]
Ranges = dict[int, tuple[Ints, Ints]]

_ANY = np.int64(1) << 50  # no address or number of elements is as large, and sums of some still fit in 64 bits


def widest(
    loops: Sequence[CountedLoop], counters: Counters, samples: int, first: tuple[Ints, Ints] | None = None
) -> Ranges:
    """Return for nested loops the smallest and largest value that each counter can take, by depth.

    Empty ones are reversed.

    ``counters`` are those of the outer loops; ``first`` narrows the range of the first loop.
    """
    ranges: Ranges = {}
    nothing = np.zeros(samples, dtype=np.int64)
    for position, loop in enumerate(loops):
        low: Any = None
        high: Any = None
        for bound in loop.lows:
            value = extreme(bound.limit, counters, ranges, largest=False)
            value = value if bound.divisor == 1 else -(-value // bound.divisor)
            low = value if low is None else np.maximum(low, value)
        for bound in loop.highs:
            value = extreme(bound.limit, counters, ranges, largest=True)
            value = value if bound.divisor == 1 else value // bound.divisor
            high = value if high is None else np.minimum(high, value)
        if position == 0 and first is not None:
            low, high = np.maximum(low, first[0]), np.minimum(high, first[1])
        low = low if isinstance(low, np.ndarray) else nothing + low
        ranges[loop.depth] = low, high if isinstance(high, np.ndarray) else nothing + high
    return ranges


def extreme(expression: Affine, counters: Counters, ranges: Ranges, *, largest: bool) -> Any:
    """Return the least or greatest value of an expression; counters without a range have the given values."""
    total: Any = expression.constant
    for depth, factor in expression.terms:
        if depth in ranges:
            total = total + factor * ranges[depth][(factor > 0) == largest]
        else:
            total = total + factor * counters[depth]
    return total


def room(conditions: Sequence[Affine], depth: int, counters: Counters) -> tuple[Any, Any]:
    """Return how far one counter alone can be lowered and raised while no condition becomes negative."""
    behind: Any = _ANY
    ahead: Any = _ANY
    for expression in conditions:
        own = expression.coefficient(depth)
        if own > 0:
            behind = np.minimum(behind, expression.at(counters) // own)
        elif own < 0:
            ahead = np.minimum(ahead, expression.at(counters) // -own)
    return behind, ahead
