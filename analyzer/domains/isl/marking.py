"""Counting a set without parameters by visiting its points: for those whose conditions name what they do not count.

In ``{ [u] : exists i, j, k: u = 4096i + 64j + 8k and (i + j + k) mod 2 = 1 ... }`` there are three such witnesses:
isl's and barvinok's time grows with powers of their number, while the points themselves are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import islpy as isl
import numpy as np
import numpy.typing as npt
from msgspec import Struct

_SET, _DIV = isl.dim_type.set, isl.dim_type.div
_MOST_VISITED = 1 << 21  # points with their witnesses, of one convex set: 0.1 s and 100 MB for each
_MOST_MARKS = 1 << 25  # bytes: one for each point of the box around the set
_LARGEST = 1 << 62  # of what a constraint adds up

_Integers = npt.NDArray[np.int64]


class _Row(Struct, frozen=True):
    """One constraint: the constant and the coefficients of all variables together are not negative."""

    constant: int
    coefficients: tuple[int, ...]


def number_of_points(points: Any) -> int | None:
    """Return the number of points; None for a set without bounds, and where it or the box around it is too large."""
    if points.is_empty():
        return 0
    box = _box(points)
    if box is None or prod(last - first + 1 for first, last in box) > _MOST_MARKS:
        return None
    marks = np.zeros([last - first + 1 for first, last in box], dtype=bool)
    for piece in points.get_basic_sets():
        found = _visited(piece)
        if found is None:
            return None
        marks[tuple(column - first for column, (first, _) in zip(found, box, strict=True))] = True
    return int(marks.sum())


def _box(points: Any) -> list[tuple[int, int]] | None:
    """Return the first and last value of each dimension; None where one has none."""
    found = []
    for number in range(points.dim(_SET)):
        first, last = points.dim_min_val(number), points.dim_max_val(number)
        if not (first.is_int() and last.is_int()):
            return None
        found.append((first.to_python(), last.to_python()))
    return found


def _visited(piece: Any) -> list[_Integers] | None:
    """Return the dimensions of all points of a convex set, a column each, once for each value of its divisions."""
    dimensions = piece.dim(_SET)
    witnesses = isl.Set.from_basic_set(piece.lift()).flatten()
    box = _box(witnesses)
    if box is None:
        return None
    rows = [row for one in piece.get_constraints() for row in _rows(one, dimensions, len(box) - dimensions)]
    if any(_most(row, box) >= _LARGEST for row in rows):
        return None
    known: dict[int, _Integers] = {}
    size = 1
    while len(known) < len(box):
        ranges = {k: _range(k, rows, known, box, size) for k in range(len(box)) if k not in known}
        chosen = min(ranges, key=lambda k: int(ranges[k][1].sum()))
        first, count = ranges[chosen]
        size = int(count.sum())
        if size > _MOST_VISITED:
            return None
        known = {k: np.repeat(column, count) for k, column in known.items()}
        before = np.repeat(np.cumsum(count) - count, count)
        known[chosen] = np.repeat(first, count) + np.arange(size) - before
    return [known[k] for k in range(dimensions)]


def _rows(one: Any, dimensions: int, divisions: int) -> list[_Row]:
    """Return a constraint, or the two that an equality is."""

    def at(kind: Any, number: int) -> int:
        value: int = one.get_coefficient_val(kind, number).to_python()
        return value

    constant: int = one.get_constant_val().to_python()
    coefficients = (*(at(_SET, k) for k in range(dimensions)), *(at(_DIV, k) for k in range(divisions)))
    least = _Row(constant, coefficients)
    return [least, _Row(-constant, tuple(-each for each in coefficients))] if one.is_equality() else [least]


def _most(row: _Row, box: Sequence[tuple[int, int]]) -> int:
    terms = zip(row.coefficients, box, strict=True)
    return abs(row.constant) + sum(abs(factor) * max(abs(first), abs(last)) for factor, (first, last) in terms)


def _range(
    variable: int, rows: Sequence[_Row], known: dict[int, _Integers], box: Sequence[tuple[int, int]], size: int
) -> tuple[_Integers, _Integers]:
    """Return the first value of a variable beside each choice of the known ones, and how many it has (none: 0).

    Variables that are neither take what allows most within their box, so that nothing is lost.
    """
    first, last = (np.full(size, bound, dtype=np.int64) for bound in box[variable])
    for row in rows:
        factor = row.coefficients[variable]
        if not factor:
            continue
        rest = np.full(size, row.constant, dtype=np.int64)
        for other, coefficient in enumerate(row.coefficients):
            if other == variable or not coefficient:
                continue
            rest += coefficient * known[other] if other in known else max(coefficient * end for end in box[other])
        if factor > 0:
            first = np.maximum(first, -(rest // factor))
        else:
            last = np.minimum(last, rest // -factor)
    return first, np.maximum(last - first + 1, 0)
