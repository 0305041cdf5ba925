"""Threads of a block, and shares that spread evenly over the iterations that are not all enumerated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....ir.nodes import Mapping
from ...program.program import CountedLoop
from ...program.ranges import Ints
from ...reuse.line_uses.pairs import GOLDEN

_FIRST_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)  # their square roots step through the counters that are drawn


def lanes_of(threads: Sequence[CountedLoop]) -> Ints:
    """Return the counters of all threads of a block, a row per loop, threadIdx.x fastest."""
    extents = [extent_of(loop) for loop in threads]
    order = {Mapping.THREAD_X: 0, Mapping.THREAD_Y: 1, Mapping.THREAD_Z: 2}
    rank = np.arange(int(np.prod(extents)) if extents else 1)
    rows = np.zeros((len(threads), len(rank)), np.int64)
    for index in sorted(range(len(threads)), key=lambda i: (order[threads[i].mapping], -i)):
        rows[index] = rank % extents[index]
        rank = rank // extents[index]
    return rows


def extent_of(loop: CountedLoop) -> int:
    """Return the threads of a block along one axis."""
    low, high = loop.range(())
    return max(1, int(high) - int(low) + 1)


def spread(index: NDArray[np.float64], dimension: int, samples: int) -> NDArray[np.float64]:
    """Return low-discrepancy shares of 0 to 1, in the first dimension one in each of as many equal parts.

    Where in its part each lies differs, as conditions may repeat with a period that divides the parts.
    """
    if dimension == 0:
        within: NDArray[np.float64] = np.modf(index * GOLDEN)[0]
        return (index - 0.5 + within) / samples
    base = _FIRST_PRIMES[(dimension - 1) % len(_FIRST_PRIMES)]
    share: NDArray[np.float64] = np.modf(index * base**0.5)[0]
    return share
