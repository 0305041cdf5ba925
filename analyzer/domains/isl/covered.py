"""Pieces of a set that others hold, by their constraints alone: isl's own simplification solves systems for each pair.

``(a or b) and (a or c) and (b or c)`` has eight pieces, of which three hold all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import islpy as isl

_PARTS = (isl.dim_type.cst, isl.dim_type.param, isl.dim_type.set, isl.dim_type.div)
_Bounds = Mapping[tuple[int, ...], int]


def without_covered(points: Any) -> Any:
    """Return isl's set without the pieces of which another one has no constraint but theirs, or weaker ones."""
    bits: dict[tuple[int, ...], int] = {}  # of each sum; most pairs differ in these, which one operation tells
    pieces = [(piece, _bounds(piece)) for piece in points.get_basic_sets()]
    kept: list[tuple[Any, _Bounds, int]] = []
    for piece, bounds in sorted(pieces, key=lambda each: len(each[1])):
        sums = sum(bits.setdefault(weights, 1 << len(bits)) for weights in bounds)
        if not any(not own & ~sums and _holds(around, bounds) for _, around, own in kept):
            kept.append((piece, bounds, sums))
    if len(kept) == len(pieces):
        return points
    found = isl.Set.from_basic_set(kept[0][0])
    for piece, *_ in kept[1:]:
        found = found.union(isl.Set.from_basic_set(piece))
    return found


def has_more_cases(points: Any, limit: int) -> bool:
    """Return whether the pieces have more than so many different conditions on symbols alone."""
    last = 1 + points.dim(isl.dim_type.param)
    found: set[frozenset[tuple[int, ...]]] = set()
    for piece in points.get_basic_sets():
        found.add(frozenset(tuple(row) for row in _rows(piece) if not any(row[last:])))
        if len(found) > limit:
            return True
    return False


def _holds(around: _Bounds, bounds: _Bounds) -> bool:
    """Return whether bounds on the same sums, and on others, are at least as tight."""
    return all(bounds[weights] <= constant for weights, constant in around.items())


def _bounds(piece: Any) -> _Bounds:
    """Return the least constant for each sum of weighted dimensions, where constant and sum are not negative."""
    found: dict[tuple[int, ...], int] = {}
    divisions = (id(piece),) if piece.dim(isl.dim_type.div) else ()  # its own, which no other piece is compared with
    for constant, *weights in _rows(piece):
        key = (*weights, *divisions)
        found[key] = min(constant, found.get(key, constant))
    return found


def _rows(piece: Any) -> Iterator[list[int]]:
    for row in _numbers(piece.inequalities_matrix(*_PARTS)):
        yield row
    for row in _numbers(piece.equalities_matrix(*_PARTS)):
        yield row
        yield [-number for number in row]


def _numbers(matrix: Any) -> Iterator[list[int]]:
    columns = range(matrix.cols())
    for row in range(matrix.rows()):
        yield [_number(matrix.get_element_val(row, column)) for column in columns]


def _number(value: Any) -> int:
    """Return a whole number; isl gives 0 for one beyond 64 bits, which goes by way of its text."""
    found: int = value.get_num_si()
    return found if found or value.is_zero() else value.to_python()
