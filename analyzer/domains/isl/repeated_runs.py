"""Counting the numbers in a union of runs that repeat: ``[begin + k*step, end + k*step)`` for each k below ``times``.

Seen as a row and a column of a table with ``step`` columns, such runs are rectangles: of 98,304 threads that each read
64 elements of up to 1,024 rows before them, 50 million runs, there are as many rectangles, in 36 bands of columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from msgspec import Struct

from ...python.integers import Integers

_MOST_BANDS = 1 << 10
_MOST_COMPARED = 1 << 25  # bands of columns times rectangles: 0.1 s


class Runs(Struct, frozen=True):
    """Ranges, without their ends, that are there ``times`` times (at least once), each ``step`` behind the one before.

    A ``step`` of 0 is that of runs that do not repeat.
    """

    begins: Integers
    ends: Integers
    times: Integers
    step: int = 0


def number_covered(every: list[Runs]) -> int | None:
    """Return how many numbers are in at least one run; None where steps differ, and where it would take too long."""
    steps = {runs.step for runs in every} - {0}
    if not steps:
        return _covered(np.concatenate([runs.begins for runs in every]), np.concatenate([runs.ends for runs in every]))
    if len(steps) > 1:
        return None
    step = steps.pop()
    rectangles = np.concatenate([part for runs in every for part in _rectangles(runs, step)], axis=1)
    return _area(rectangles[:, rectangles[3] > rectangles[2]])


def _rectangles(runs: Runs, step: int) -> Iterator[Integers]:
    """Yield rectangles of a table with ``step`` columns: first column, last one, first row, last one, without ends."""
    begins, ends, times = runs.begins, runs.ends, runs.times
    joined = ends - begins >= step  # each of the runs reaches the next one
    ends = np.where(joined, ends + (times - 1) * step, ends)
    times = np.where(joined, 1, times)
    (row, column), (last_row, last_column) = np.divmod(begins, step), np.divmod(ends, step)
    zero, whole = np.zeros_like(column), np.full_like(column, step)
    within = last_row == row
    yield np.stack([column, np.where(within, last_column, whole), row, row + times])
    again = np.where(within, 0, times)
    yield np.stack([zero, last_column, last_row, last_row + again])
    yield np.stack([zero, whole, row + 1, np.where(joined, last_row, row + 1)])


def _area(rectangles: Integers) -> int | None:
    """Return the area of a union of rectangles, band by band of the columns between their sides."""
    bands, band_of = np.unique(rectangles[:2], axis=1, return_inverse=True)
    sides = np.unique(bands)
    if max(bands.shape[1], len(sides)) > _MOST_BANDS:
        return None
    order = np.argsort(band_of.ravel(), kind="stable")
    groups = np.split(rectangles[2:, order], np.cumsum(np.bincount(band_of.ravel()))[:-1], axis=1)
    merged = [_disjoint(*group) for group in groups]
    if len(sides) * sum(len(begins) for begins, _ in merged) > _MOST_COMPARED:
        return None
    total = 0
    for first, last in pairwise(sides):
        over = [rows for rows, (low, high) in zip(merged, bands.T, strict=True) if low <= first and last <= high]
        if over:
            covered = _covered(np.concatenate([rows[0] for rows in over]), np.concatenate([rows[1] for rows in over]))
            total += covered * int(last - first)
    return total


def _covered(begins: Integers, ends: Integers) -> int:
    """Return how many numbers are in at least one of some ranges."""
    begins, ends = _disjoint(begins, ends)
    return int((ends - begins).sum())


def _disjoint(begins: Integers, ends: Integers) -> tuple[Integers, Integers]:
    """Return the ranges that some ranges cover together, in order.

    Each may be sorted alone: after as many ends as begins nothing is covered, whichever of them belong together.
    """
    begins, ends = np.sort(begins), np.sort(ends)
    is_apart = begins[1:] > ends[:-1]
    return begins[np.append(True, is_apart)[: len(begins)]], ends[np.append(is_apart, True)[: len(ends)]]
