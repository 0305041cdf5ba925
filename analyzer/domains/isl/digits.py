"""Sets whose dimensions are digits of another one: points of a loop that threads share -> as many points of its range.

With ``for (i = blockIdx.x*T + threadIdx.x; i < n; i += G*T)`` each ``i`` is met by one thread of one block in one
iteration: block and thread are the digits of ``i mod G*T``, whose weights are 1 and T.  The points are as many as
those of ``0 <= i < n``, of which barvinok's count is ``n``; that of the thread, the block and ``i`` has floors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import islpy as isl
from msgspec import Struct

_PARAM, _SET, _DIV = isl.dim_type.param, isl.dim_type.set, isl.dim_type.div


class _Row(Struct, frozen=True):
    """One constraint: the constant, and the coefficients of parameters and dimensions, is zero or not negative."""

    is_equality: bool
    constant: int
    parameters: tuple[int, ...]
    dimensions: tuple[int, ...]
    division: int

    def negated(self) -> _Row:
        """Return the row with the other sign."""
        parameters, dimensions = (tuple(-each for each in part) for part in (self.parameters, self.dimensions))
        return _Row(self.is_equality, -self.constant, parameters, dimensions, -self.division)


def without_digits(points: Any) -> Any:
    """Return a set with as many points as this, for any values of the parameters, in which no dimension is a digit.

    That is the set itself unless it is convex with one division, ``r - w1*x1 - w2*x2 - ... = S*e``, in which the ``x``
    have the ranges ``0 <= x1 < w2``, ``0 <= x2 < w3``, ..., from ``w1 = 1`` to ``S``.
    """
    if points.n_basic_set() != 1:
        return points
    (piece,) = points.get_basic_sets()
    if piece.dim(_DIV) != 1:
        return points
    rows = [_row(piece, one) for one in piece.get_constraints()]
    linked = [row for row in rows if row.division]
    if len(linked) != 1 or not linked[0].is_equality:
        return points
    whole = linked[0] if linked[0].division < 0 else linked[0].negated()
    digits = _digits(whole, rows)
    if not digits:
        return points
    found: list[_Row] = []
    for row in rows:
        if row is linked[0] or _is_range_of(row, digits):
            continue
        left = row if not any(row.dimensions[digit] for digit in digits) else _without(row, whole, digits)
        if left is None:
            return points
        found.append(left)
    return _built(piece, found, digits)


def _row(piece: Any, constraint: Any) -> _Row:
    def numbers(kind: Any) -> tuple[int, ...]:
        return tuple(constraint.get_coefficient_val(kind, k).to_python() for k in range(piece.dim(kind)))

    (division,) = numbers(_DIV)
    constant = constraint.get_constant_val().to_python()
    return _Row(constraint.is_equality(), constant, numbers(_PARAM), numbers(_SET), division)


def _digits(whole: _Row, rows: Sequence[_Row]) -> tuple[int, ...]:
    """Return the dimensions that are all the digits of the rest modulo the division's factor; none where some lack."""
    found: list[int] = []
    weight = 1
    while weight != -whole.division:
        digit = next((k for k, factor in enumerate(whole.dimensions) if factor == -weight and k not in found), None)
        extent = None if digit is None else _extent(digit, rows)
        if digit is None or extent is None or extent < 2:
            return ()
        found.append(digit)
        weight *= extent
        if weight > -whole.division:
            return ()
    return tuple(found)


def _extent(dimension: int, rows: Sequence[_Row]) -> int | None:
    """Return the numbers that a dimension has, which begin at 0; None where its bounds are no numbers."""
    own = [row for row in rows if _is_range_of(row, (dimension,))]
    lows = [row.constant for row in own if row.dimensions[dimension] == 1]
    highs = [row.constant for row in own if row.dimensions[dimension] == -1]
    return highs[0] + 1 if lows == [0] and len(highs) == 1 else None


def _is_range_of(row: _Row, digits: Sequence[int]) -> bool:
    """Return whether a row bounds one of the digits, and nothing else."""
    named = [k for k, factor in enumerate(row.dimensions) if factor]
    is_alone = len(named) == 1 and named[0] in digits and abs(row.dimensions[named[0]]) == 1
    return is_alone and not any(row.parameters) and not row.division and not row.is_equality


def _without(row: _Row, whole: _Row, digits: Sequence[int]) -> _Row | None:
    """Return what an inequality on the quotient, ``S*e + c >= 0`` or ``c - S*e >= 0``, says of the rest ``r``.

    None for other rows.
    """
    factor = -whole.division
    for sign, plain in ((1, whole), (-1, whole.negated())):
        if row.is_equality or (row.parameters, row.dimensions) != (plain.parameters, plain.dimensions):
            continue
        more = row.constant - plain.constant
        limit = more // factor * factor  # e >= -limit/S, or e <= limit/S
        constant = plain.constant + limit + (0 if sign > 0 else factor - 1)
        dimensions = tuple(0 if k in digits else each for k, each in enumerate(row.dimensions))
        return _Row(False, constant, row.parameters, dimensions, 0)
    return None


def _built(piece: Any, rows: Sequence[_Row], digits: Sequence[int]) -> Any:
    space = piece.get_space()
    for digit in sorted(digits, reverse=True):
        space = space.drop_dims(_SET, digit, 1)
    kept = [k for k in range(piece.dim(_SET)) if k not in digits]
    found = isl.BasicSet.universe(space)
    local = isl.LocalSpace.from_space(space)
    for row in rows:
        make = isl.Constraint.alloc_equality if row.is_equality else isl.Constraint.alloc_inequality
        constraint = make(local).set_constant_val(row.constant)
        for k, value in enumerate(row.parameters):
            constraint = constraint.set_coefficient_val(_PARAM, k, value)
        for k, old in enumerate(kept):
            constraint = constraint.set_coefficient_val(_SET, k, row.dimensions[old])
        found = found.add_constraint(constraint)
    return isl.Set.from_basic_set(found)
