"""Pairs of iterations that touch one element, the earlier to the later, and how far apart they are in a coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import islpy as isl

from .budget import limited
from .dataflow import Touch
from .sets import Points, Relation

_PARAM, _IN = isl.dim_type.param, isl.dim_type.in_


@limited
def conflicts(first: Touch, second: Touch) -> Relation:
    """Map the iterations of the first reference to those of the second that touch the same element later."""
    one, two = (each.element._isl.intersect_domain(each.iterations._isl) for each in (first, second))
    same = one.apply_range(two.reverse())
    later = isl.Map.lex_lt(first.time._isl.range().get_space())
    return Relation(same.intersect(first.time._isl.apply_range(later).apply_range(second.time._isl.reverse())))


@limited
def least_advance(pairs: Relation, first: Sequence[int], second: Sequence[int]) -> int | None:
    """Return the least of ``second . y - first . x`` over all pairs (x, y), and 0 without any; None without a bound.

    The factors are those of the entries, and the last one is added.
    """
    flat = pairs._isl.wrap().flatten()
    factors = [-factor for factor in first[:-1]] + list(second[:-1])
    return _least(flat, factors, second[-1] - first[-1])


@limited
def range_along(points: Points, factors: Sequence[int]) -> tuple[int, int] | None:
    """Return the least and the largest of ``factors . x`` over some points; None where there is no bound."""
    least = _least(points._isl, factors[:-1], factors[-1])
    most = _least(points._isl, [-factor for factor in factors[:-1]], -factors[-1])
    return None if least is None or most is None else (least, -most)


def _least(points: Any, factors: Sequence[int], constant: int) -> int | None:
    points = points.project_out(_PARAM, 0, points.dim(_PARAM))
    sum_ = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(points.get_space()))
    for position, factor in enumerate(factors):
        sum_ = sum_.set_coefficient_val(_IN, position, factor)
    found = points.min_val(sum_.set_constant_val(constant))
    if found.is_nan():
        return 0
    return int(found.to_python()) if found.is_int() else None
