"""Distinct lines of references whose address follows from counters in a way that is not affine, by enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..program import Irregular, Leaf, hull

_MOST_POINTS, _CHUNK = 1 << 22, 1 << 18  # executions that are looked at, a tenth of a second, and at once
_MOST_LINES = 1 << 26  # that are marked: 64 MiB


def distinct_lines(references: Sequence[tuple[Leaf, Irregular]], reach: tuple[int, int], line_bytes: int) -> int | None:
    """Return how many lines some references touch in all, between two addresses; None where it would take too long."""
    first = reach[0] // line_bytes
    lines = (reach[1] + max(item.size_bytes for _, item in references) - 1) // line_bytes - first + 1
    if lines > _MOST_LINES:
        return None
    touched = np.zeros(lines, bool)
    for leaf, item in references:
        if not _mark(leaf, item, touched, first, line_bytes):
            return None
    return int(touched.sum())


def _mark(leaf: Leaf, item: Irregular, touched: NDArray[np.bool_], first: int, line_bytes: int) -> bool:
    """Mark the lines of one reference; False where it has too many executions."""
    ranges = hull(leaf.loops)
    if ranges is None or item.address is None:
        return ranges is None
    depths = [depth for depth, _ in enumerate(ranges) if depth in item.depends or not leaf.is_box]
    points = prod(ranges[depth][1] - ranges[depth][0] + 1 for depth in depths)
    if points > _MOST_POINTS:
        return False
    for begin in range(0, points, _CHUNK):
        counters = np.zeros((len(ranges), min(_CHUNK, points - begin)), np.int64)
        rest = np.arange(begin, begin + counters.shape[1])
        for depth, (low, high) in enumerate(ranges):
            counters[depth] = low
            if depth in depths:
                counters[depth] += rest % (high - low + 1)
                rest = rest // (high - low + 1)
        address = np.asarray(item.address.at(counters[:, _runs(leaf, counters)]), np.int64)
        for end in (address, address + item.size_bytes - 1):
            touched[end // line_bytes - first] = True
    return True


def _runs(leaf: Leaf, counters: Any) -> Any:
    """Return for which counters a statement runs."""
    active = np.ones(counters.shape[1], bool)
    for loop in leaf.loops:
        low, high = loop.range(counters)
        active &= (counters[loop.depth] >= low) & (counters[loop.depth] <= high)
    for test in leaf.tests:
        active &= np.asarray(test.holds(counters), dtype=np.bool_)
    return active
