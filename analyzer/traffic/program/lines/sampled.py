"""Distinct lines of a kernel's blocks, one by one for some of them: where counting them all at once takes too long.

Of each counter that is kept, the first, the last and some values in the middle that follow each other are enumerated
with all counters inside of them; those in the middle stand for the others.  Blocks away from the rim of a grid do the
same, but for the alignment of their data, which values that follow each other go through.

Not where conditions or bounds tie counters together: the middles of two may be just where one condition ends.  So
values spread over all of them are enumerated as well, and stand for all where the two disagree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....python.integers import distinct
from ..low_discrepancy import fractions
from ..program import Affine, Leaf, hull
from ..ranges import Ints

_POINTS = 1 << 22  # that are enumerated at most, which bounds time and memory
_VALUES = (*((2, middle) for middle in range(8, 0, -1)), (1, 2), (1, 1))
"""Values at each end of a counter and in its middle: fewer where these are too many points."""
_SPREAD_POINTS, _FEWEST = 1 << 20, 256  # of values spread over all counters: points, and choices of outer counters
_ALIKE = 0.05  # relative difference of two counts; that of spread values is below 1 %


def sampled_lines(references: Sequence[tuple[Leaf, Affine]], depth: int, line_bytes: int) -> float | None:
    """Return the pairs of ``depth`` outer counters and lines; None where the inner counters have too many values."""
    shared = [ranges for leaf, _ in references if (ranges := hull(leaf.loops)) is not None]
    if not shared:
        return 0.0
    outer = [(min(ranges[at][0] for ranges in shared), max(ranges[at][1] for ranges in shared)) for at in range(depth)]
    inner = sum(prod(high - low + 1 for low, high in ranges[depth:]) for ranges in shared)
    for rim, middle in _VALUES:
        values = [_values(low, high, rim, middle) for low, high in outer]
        if prod(len(each) for each, _ in values) * inner <= _POINTS:
            break
    else:
        return None
    kept, weight = _combined([each for each, _ in values]), _combined([share for _, share in values]).prod(axis=0)
    found = _weighted(references, kept, weight, line_bytes)
    whole, number = prod(high - low + 1 for low, high in outer), _SPREAD_POINTS // inner
    if whole == len(weight) or number < _FEWEST or not any(leaf.tests or not leaf.is_box for leaf, _ in references):
        return found
    spread = _weighted(references, _spread(outer, number), np.full(number, whole / number), line_bytes)
    return found if abs(found - spread) <= _ALIKE * spread else spread


def _spread(outer: Sequence[tuple[int, int]], number: int) -> Ints:
    """Return so many choices of the outer counters, spread evenly over all."""
    index = np.arange(number) + 0.5
    shares = (fractions(index, at, len(outer)) for at in range(len(outer)))
    return np.array(
        [low + (share * (high - low + 1)).astype(np.int64) for share, (low, high) in zip(shares, outer, strict=True)]
    )


def _weighted(
    references: Sequence[tuple[Leaf, Affine]], kept: Ints, weight: NDArray[np.float64], line_bytes: int
) -> float:
    """Return the distinct lines for some choices of the outer counters, each as often as its weight says."""
    column, line = (np.concatenate(each) for each in zip(*_pairs(references, kept, line_bytes), strict=True))
    span = int(line.max(initial=0)) - int(line.min(initial=0)) + 1
    pairs = distinct(column * span + (line - int(line.min(initial=0))))
    return float(weight[pairs // span].sum())


def _pairs(references: Sequence[tuple[Leaf, Affine]], kept: Ints, line_bytes: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield columns of ``kept`` and lines, for all counters inside; what runs is worked out once for each statement."""
    depth, columns = kept.shape
    for _, group in groupby(references, key=lambda reference: id(reference[0])):
        (leaf, *_), addresses = zip(*group, strict=True)
        ranges = hull(leaf.loops)
        if ranges is None:
            continue
        inside = _combined([np.arange(low, high + 1) for low, high in ranges[depth:]])
        shape = (columns, inside.shape[1])
        counters = [*(each[:, None] for each in kept), *inside]  # numpy combines them where an expression has both
        active = np.ones(shape, bool)
        for loop in leaf.loops:
            low, high = loop.range(counters)
            active &= (counters[loop.depth] >= low) & (counters[loop.depth] <= high)
        for test in leaf.tests:
            active &= np.asarray(test.holds(counters), dtype=np.bool_)
        column = np.nonzero(active)[0]
        for address in dict.fromkeys(addresses):
            yield column, np.broadcast_to(address.at(counters), shape)[active] // line_bytes


def _combined(axes: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return all combinations of values, one in each column; one column without rows for no axes."""
    if not axes:
        return np.zeros((0, 1), np.int64)
    return np.array([each.ravel() for each in np.meshgrid(*axes, indexing="ij")])


def _values(low: int, high: int, rim: int, middle: int) -> tuple[Ints, NDArray[np.float64]]:
    """Return some values of a range, at each end (``rim``) and in the middle, and how many each stands for."""
    extent = high - low + 1
    if extent <= 2 * rim + middle:
        return np.arange(low, high + 1), np.ones(extent)
    start = low + (extent - middle) // 2
    values = [*range(low, low + rim), *range(start, start + middle), *range(high - rim + 1, high + 1)]
    share = (extent - 2 * rim) / middle
    return np.array(values), np.array([1.0] * rim + [share] * middle + [1.0] * rim)
