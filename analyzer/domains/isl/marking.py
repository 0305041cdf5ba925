"""Counting a set without parameters by visiting its points: for those whose conditions name what they do not count.

In ``{ [u] : exists i, j, k: u = 4096i + 64j + 8k and (i + j + k) mod 2 = 1 ... }`` there are three such witnesses:
isl's and barvinok's time grows with powers of their number, while the points themselves are few.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import prod
from typing import Any

import islpy as isl
import numpy as np
from msgspec import Struct

from ...python.integers import Integers
from .repeated_runs import Runs, number_covered

_SET, _DIV = isl.dim_type.set, isl.dim_type.div
_MOST_VISITED = 1 << 21  # runs of points with their witnesses, of one convex set: 0.1 s and 100 MB for each
_LARGEST = 1 << 62  # of what a constraint adds up


class _Row(Struct, frozen=True):
    """One constraint: the constant and the coefficients of all variables together are not negative."""

    constant: int
    coefficients: tuple[int, ...]


def number_of_points(points: Any) -> int | None:
    """Return the number of points; None for a set without bounds, and where too many runs of points would be visited.

    A run is what one dimension, the longest, has beside values of all others and of the witnesses: a range, as each
    piece is convex.  Sorted, they tell which points are several times there.  Where they are too many, those
    that differ in one witness alone are one, with how often it repeats.
    """
    if points.is_empty():
        return 0
    box = _box(points)
    if box is None:
        return None
    if not box:
        return 1
    widths = [last - first + 1 for first, last in box]
    if prod(width + 1 for width in widths) >= _LARGEST:
        return None
    along = widths.index(max(widths))
    pieces = points.get_basic_sets()
    found = _number_in(pieces, along, box, may_repeat=False)
    return _number_in(pieces, along, box, may_repeat=True) if found is None else found


def _number_in(pieces: Sequence[Any], along: int, box: Sequence[tuple[int, int]], *, may_repeat: bool) -> int | None:
    every = []
    for piece in pieces:
        runs = _placed(piece, along, box, may_repeat=may_repeat)
        if runs is None:
            return None
        every.append(runs)
    return number_covered(every)


def _placed(piece: Any, along: int, box: Sequence[tuple[int, int]], *, may_repeat: bool) -> Runs | None:
    """Return the runs of a convex set as ranges of numbers, those of each row of the box behind those of another."""
    found = _runs(piece, along, may_repeat=may_repeat)
    if found is None:
        return None
    columns, count, times, step = found
    place = np.zeros(len(count), dtype=np.int64)  # of the row among all rows, then of the run
    for number in (*(each for each in range(len(box)) if each != along), along):
        first, last = box[number]
        place = place * (last - first + 2) + (columns[number] - first)
    return Runs(place, place + count, times, step)


def _box(points: Any) -> list[tuple[int, int]] | None:
    """Return the first and last value of each dimension; None where one has none."""
    found = []
    for number in range(points.dim(_SET)):
        first, last = points.dim_min_val(number), points.dim_max_val(number)
        if not (first.is_int() and last.is_int()):
            return None
        found.append((first.to_python(), last.to_python()))
    return found


def _runs(piece: Any, along: int, *, may_repeat: bool) -> tuple[list[Integers], Integers, Integers, int] | None:
    """Return where the runs of a convex set along a dimension begin, a column for each, and how many points they have.

    There is one for each value of the other dimensions and of the witnesses, but of one that repeats a run at a fixed
    distance: how often, and the distance, are the last parts.
    """
    dimensions = piece.dim(_SET)
    witnesses = isl.Set.from_basic_set(piece.lift()).flatten()
    box = _box(witnesses)
    if box is None:
        return None
    rows = [row for one in piece.get_constraints() for row in _rows(one, dimensions, len(box) - dimensions)]
    if any(_most(row, box) >= _LARGEST for row in rows):
        return None
    repeating, step = _repeating(rows, along, range(dimensions if may_repeat else len(box), len(box)), box)
    known: dict[int, Integers] = {}
    size = 1
    others = [number for number in range(len(box)) if number not in (along, repeating)]
    while len(known) < len(others):
        ranges = {k: _range(k, rows, known, box, size) for k in others if k not in known}
        chosen = min(ranges, key=lambda k: int(ranges[k][1].sum()))
        first, count = ranges[chosen]
        size = int(count.sum())
        if size > _MOST_VISITED:
            return None
        known = {k: np.repeat(column, count) for k, column in known.items()}
        before = np.repeat(np.cumsum(count) - count, count)
        known[chosen] = np.repeat(first, count) + np.arange(size) - before
    times = np.ones(size, dtype=np.int64)
    if repeating is not None:
        apart = [row for row in rows if not row.coefficients[along]]
        known[repeating], times = _range(repeating, apart, known, box, size)
    known[along], count = _range(along, rows, known, box, size)
    if step < 0:
        known[along], step = known[along] + (times - 1) * step, -step
    kept = (count > 0) & (times > 0)
    return [known[k][kept] for k in range(dimensions)], count[kept], times[kept], step


def _repeating(
    rows: Sequence[_Row], along: int, witnesses: Iterable[int], box: Sequence[tuple[int, int]]
) -> tuple[int | None, int]:
    """Return the widest witness that only moves the runs along a dimension, and by how much; (None, 0) without one.

    Witnesses that others determine, as quotients, and those that determine others, take what these say.
    """
    apart = [row for row in rows if not row.coefficients[along]]
    quotients = {k for k in witnesses for row in apart if row.coefficients[k] and _is_quotient(row, k, apart)}
    defining = [row for row in apart if any(row.coefficients[k] and _is_quotient(row, k, apart) for k in quotients)]
    found: dict[int, int] = {}
    for witness in set(witnesses) - quotients:
        if any(row.coefficients[witness] for row in defining):
            continue
        moves = {
            Fraction(-row.coefficients[witness], row.coefficients[along]) for row in rows if row.coefficients[along]
        }
        move = moves.pop() if len(moves) == 1 else Fraction(0)
        if move and move.denominator == 1:
            found[witness] = move.numerator
    widest = max(sorted(found), key=lambda k: box[k][1] - box[k][0], default=None)
    return widest, 0 if widest is None else found[widest]


def _is_quotient(row: _Row, variable: int, rows: Sequence[_Row]) -> bool:
    """Return whether a constraint and one of the others leave at most one value of a variable, whatever others are."""
    opposite = tuple(-each for each in row.coefficients)
    return any(
        other.coefficients == opposite and row.constant + other.constant < abs(row.coefficients[variable])
        for other in rows
    )


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
    variable: int, rows: Sequence[_Row], known: dict[int, Integers], box: Sequence[tuple[int, int]], size: int
) -> tuple[Integers, Integers]:
    """Return the first value of a variable beside each choice of the known ones, and how many it has (none: 0).

    Variables that are neither take what allows most within their box, so that nothing is lost.
    """
    first: Any
    last: Any
    first, last = box[variable]
    for row in rows:
        factor = row.coefficients[variable]
        if not factor:
            continue
        rest: Any = row.constant  # a number until a known variable has a part in it
        for other, coefficient in enumerate(row.coefficients):
            if other == variable or not coefficient:
                continue
            if other not in known:
                rest += max(coefficient * end for end in box[other])
            else:
                rest += known[other] if coefficient == 1 else coefficient * known[other]
        if factor > 0:
            first = np.maximum(first, -(rest if factor == 1 else rest // factor))
        else:
            last = np.minimum(last, rest if factor == -1 else rest // -factor)
    count = np.maximum(last - first + 1, 0)
    return np.broadcast_to(np.asarray(first, np.int64), size), np.broadcast_to(np.asarray(count, np.int64), size)
