"""Equalities that one iteration of a loop satisfies at most: ``i == best`` with a number that data give.

Where the difference of both sides is ``c*i + r`` with a number ``c`` other than 0, and ``r`` is the same in all
iterations of the loop over ``i``, at most one of them satisfies it in each execution of the loop.  What runs there
runs at most as often as the loops without the one over ``i``, the projection of the domain; what runs elsewhere runs at
least as often as the domain less its projection.  One iteration is expected to satisfy it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from ..ir.conditions import singled_out
from ..ir.nodes import And, Condition, Loop
from ..quantities.quasipolynomial import NOTHING, Count
from .average_trips import AverageTrip
from .formula import TRUE
from .isl.sets import Points

UNSURE = "(1 = 0)"
"""The constraint of what runs in all iterations but for one that is not known: no iteration of it is certain."""


class Single(Struct, frozen=True):
    """What runs in the iteration of the loop at ``depth`` that an equality singles out (``inside``), or in the others.

    Its bounds are not those of the projection where it ``varies`` how often loops inside run: their trip counts are
    averages.
    """

    condition: Condition
    depth: int
    inside: bool
    varies: bool = False


class Bounds(Struct, frozen=True):
    """How often something runs at least, at most, and as an estimate."""

    least: Count
    likely: Count
    most: Count


def parts_of(condition: Condition, loops: Sequence[Loop]) -> tuple[Condition | Single, ...]:
    """Return what single out iterations of a conjunction, and a condition of all others."""
    operands = condition.operands if isinstance(condition, And) else (condition,)
    found = [_single(operand, loops) for operand in operands]
    singles = tuple(single for single in found if single is not None)
    others = tuple(operand for operand, single in zip(operands, found, strict=True) if single is None)
    if not singles or not others:
        return singles or (condition,)
    return (others[0] if len(others) == 1 else And(others), *singles)


def _single(condition: Condition, loops: Sequence[Loop]) -> Single | None:
    iterators = [loop.iterator for loop in loops]
    found = singled_out(condition, iterators)
    return None if found is None else Single(condition, iterators.index(found[0]), found[1])


def among(singles: Sequence[Single], averages: Sequence[AverageTrip]) -> tuple[Single, ...]:
    """Return the equalities around a position below loops with average trip counts."""
    deepest = max((average.depth for average in averages), default=-1)
    return tuple(replace(single, varies=deepest > single.depth) for single in singles)


def without_singles(constraints: Sequence[str]) -> tuple[str, ...]:
    """Return constraints without those of iterations that are not singled out."""
    return tuple(TRUE if text == UNSURE else text for text in constraints)


def bounds_of(
    upper: Points, sure: Points, singles: Sequence[Single], weight: Fraction, count: Callable[[Points], Count | None]
) -> Bounds | None:
    """Return how often something runs in ``upper`` at most and ``sure`` at least, but for what is singled out.

    ``weight`` is the share of what is between both.  None where counting takes too long.
    """
    inside = sorted({single.depth for single in singles if single.inside})
    others = [single for single in singles if not single.inside]
    held = upper.without(inside)
    most = count(upper if any(single.varies for single in singles if single.inside) else held)
    likely, least = count(held), NOTHING if inside else count(sure)
    if most is None or likely is None or least is None:
        return None
    likely = least * (1 - weight) + likely * weight
    if len(others) != 1 or inside:
        return Bounds(NOTHING if others else least, likely, most)
    apart = count(upper.without([others[0].depth])), count(sure.without([others[0].depth]))
    if apart[0] is None or apart[1] is None:
        return None
    likely = likely - apart[1] * (1 - weight) - apart[0] * weight
    return Bounds(NOTHING if others[0].varies else least - apart[1], likely, most)
