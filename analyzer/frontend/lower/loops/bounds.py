"""Comparisons solved for the iterator of a loop: linear ones, and those of its square, its root or a power of a number.

``a*x + b < 0`` with integer a is ``x < ceil(-b/a)``.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from msgspec import Struct

from ....ir.index import FloorDiv, Poly, Power, TruncDiv, floor_div, logarithm, root, single_atom, var
from ....ir.nodes import Compare, Comparison


class Bound(Struct, frozen=True):
    """The bound that one comparison gives an iterator: ``stop`` is the first value not taken."""

    stop: Poly
    upper: bool
    equality: bool = False


def square_bound_of(condition: Compare, iterator: str) -> Bound | None:
    """Return a comparison ``a*i*i + b*i < c`` or ``i <= c/i`` solved for an iterator that is not below 0, else None.

    ``a*i*i + b*i <= c`` is ``(2*a*i + b)^2 <= 4*a*c + b*b``; its left side may be divided by a number.
    """
    difference, kind = condition.left - condition.right, condition.comparison
    if kind in (Comparison.GT, Comparison.GE):
        difference, kind = -difference, kind.mirrored
    if kind not in (Comparison.LT, Comparison.LE):
        return None
    if kind is Comparison.LT:
        difference = difference + 1  # below or at 0
    match single_atom(var(iterator) - difference):
        case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator) if denominator == var(iterator):
            is_solved = kind is Comparison.LE and not _is_moving(numerator, iterator)
            return Bound(root(numerator) + 1, upper=True) if is_solved else None
    difference = _without_divisor(difference, iterator)
    difference = difference * lcm(*(Fraction(number).denominator for number in difference.terms.values()))
    square, once = (difference.terms.get((iterator,) * power, 0) for power in (2, 1))
    most = var(iterator) * var(iterator) * square + var(iterator) * once - difference
    if not isinstance(square, int) or not isinstance(once, int) or square <= 0 or once < 0:
        return None
    if _is_moving(most, iterator):
        return None
    if not once:
        return Bound(root(floor_div(most, square)) + 1, upper=True)
    return Bound(floor_div(root(most * (4 * square) + once * once) - once, 2 * square) + 1, upper=True)


def _is_moving(poly: Poly, iterator: str) -> bool:
    return iterator in poly.names() or bool(poly.unknowns())


def _without_divisor(difference: Poly, iterator: str) -> Poly:
    """Return what is not above 0 where ``floor(p/d) + r`` is not, of which only p has the iterator.

    That is ``p - d + 1 + d*r``.
    """
    moving = [monomial for monomial in difference.terms if iterator in Poly({monomial: 1}).names()]
    match [atom for monomial in moving for atom in monomial if difference.terms[monomial] == 1]:
        case [FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator) as quotient]:
            divisor = denominator.constant
            is_floor = isinstance(quotient, FloorDiv) or (
                numerator.names() == {iterator} and min(numerator.terms.values()) > 0
            )
            if is_floor and divisor is not None and divisor > 0:
                return numerator - divisor + 1 + (difference - Poly({(quotient,): 1})) * divisor
    return difference


def power_bound_of(condition: Compare, iterator: str) -> Bound | None:
    """Return a comparison ``a*b^i < c`` solved for an iterator from 0 on, None where it is no such."""
    difference, kind = condition.left - condition.right, condition.comparison
    if kind in (Comparison.GT, Comparison.GE):
        difference, kind = -difference, kind.mirrored
    for monomial, factor in difference.terms.items():
        match monomial:
            case (Power(base, exponent),) if exponent == var(iterator) and isinstance(factor, int) and factor > 0:
                rest = Poly({monomial: factor}) - difference
                if kind not in (Comparison.LT, Comparison.LE) or iterator in rest.names() or rest.unknowns():
                    return None
                end = rest if kind is Comparison.LT else rest + 1
                return Bound(logarithm(base, ceil_div(end, factor), up=True), upper=True)
    return None


def bound_of(condition: Compare, iterator: str, step: int) -> Bound | None:
    """Return a comparison solved for the iterator, or None where it is not linear in it with a constant factor."""
    difference = condition.left - condition.right
    factor = difference.coefficient(iterator).constant
    if factor is None or factor == 0:
        return None
    rest = difference - var(iterator) * factor
    if iterator in rest.names():
        return None
    if factor < 0:
        difference, factor, rest = -difference, -factor, -rest
        kind = condition.comparison.mirrored
    else:
        kind = condition.comparison
    match kind:
        case Comparison.LT:
            return Bound(ceil_div(-rest, factor), upper=True)
        case Comparison.LE:
            return Bound(ceil_div(-rest + 1, factor), upper=True)
        case Comparison.GT:
            return Bound(floor_div(-rest, factor), upper=False)
        case Comparison.GE:
            return Bound(floor_div(-rest - 1, factor), upper=False)
        case Comparison.NE:
            return Bound(ceil_div(-rest, factor) if step > 0 else floor_div(-rest, factor), step > 0, equality=True)
        case Comparison.EQ:
            return None


def ceil_div(numerator: Poly, denominator: Poly | int) -> Poly:
    """Return ``ceil(numerator / denominator)`` for a positive denominator."""
    if denominator == 1:
        return numerator
    return floor_div(numerator + denominator - 1, denominator)
