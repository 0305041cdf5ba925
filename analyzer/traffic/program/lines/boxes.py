"""Distinct lines of references in boxes, loops whose bounds are numbers, by enumeration of what is not periodic.

A counter that moves all references by the same whole number of lines has the same count for each of its values; one
that moves them by the same number of bytes repeats after some values. What is left is enumerated.  Unions of
references in six dimensions take isl minutes; these are at most two million lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray

from ..program import Affine, Leaf, hull

_Ints = NDArray[np.int64]
_MOST_LINES = 1 << 21  # that are looked at


def lines_of_boxes(references: Sequence[tuple[Leaf, Affine]], depth: int, line_bytes: int) -> float | None:
    """Return the pairs of ``depth`` outer counters and lines.

    None where loops are no boxes, where references run in different ones outside, or where there are too many lines.
    """
    ranges = [hull(leaf.loops) for leaf, _ in references if leaf.is_box]
    shared = {tuple(found[:depth]) for found in ranges if found is not None}
    if len(ranges) < len(references) or len(shared) > 1:
        return None
    ran = [(found, address) for found, (_, address) in zip(ranges, references, strict=True) if found is not None]
    if not ran:
        return 0.0
    times, counters, weights = 1, [], []
    for at, (low, high) in enumerate(next(iter(shared))):
        number, steps = high - low + 1, {address.coefficient(at) for _, address in ran}
        period = number if len(steps) > 1 else min(number, line_bytes // gcd(line_bytes, *steps))
        if period == 1:
            times *= number
        counters.append(np.arange(low, low + period, dtype=np.int64))
        weights.append(
            np.array([(number - each + period - 1) // period if period > 1 else 1 for each in range(period)])
        )
    inside = sum(prod(high - low + 1 for low, high in found[depth:]) for found, _ in ran)
    if prod(map(len, counters)) * inside > _MOST_LINES:
        return None
    lines = np.concatenate([_lines(found, address, counters, line_bytes) for found, address in ran], axis=1)
    lines.sort(axis=1)
    distinct = 1 + (np.diff(lines, axis=1) != 0).sum(axis=1)
    return float(times * (_outer(weights, np.multiply) * distinct).sum())


def _lines(
    ranges: Sequence[tuple[int, int]], address: Affine, counters: Sequence[_Ints], line_bytes: int
) -> NDArray[np.int64]:
    """Return the lines of a reference: a row for each choice of the outer counters."""
    inner = [np.arange(low, high + 1, dtype=np.int64) for low, high in ranges[len(counters) :]]
    moved = [values * address.coefficient(at) for at, values in enumerate([*counters, *inner])]
    outside, within = _outer(moved[: len(counters)], np.add), _outer(moved[len(counters) :], np.add)
    return np.asarray((address.constant + outside[:, None] + within[None, :]) // line_bytes, np.int64)


def _outer(parts: Sequence[_Ints], combine: np.ufunc) -> _Ints:
    """Return what one value of each part gives together, for every choice; the first part varies slowest."""
    found = np.full(1, combine.identity, np.int64)
    for part in parts:
        found = combine.outer(found, part).ravel()
    return found
