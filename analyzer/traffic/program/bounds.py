"""Bounds of loops taken apart into affine inequalities: ``t < min(a, b)`` is two, ``t <= floor(a/4) - k`` is one.

Input: index expressions in counters.  Output: the operands of an extremum, and a quotient with what is added to it in
its numerator, since ``floor(a/d) + r = floor((a + d*r)/d)`` where ``r`` is an integer.
"""

from __future__ import annotations

from ...ir.index import Extremum, FloorDiv, Poly
from .program import NotNumeric


def operands_of(poly: Poly, *, largest: bool) -> list[Poly]:
    """Return the operands of a maximum or minimum plus a constant; the expression itself where it is none."""
    extrema = [atom for monomial in poly.terms for atom in monomial if isinstance(atom, Extremum)]
    if not extrema:
        return [poly]
    if len(extrema) > 1 or extrema[0].largest is not largest:
        raise NotNumeric("other-extremum")
    atom = extrema[0]
    if poly.terms.get((atom,)) != 1:
        raise NotNumeric("multiple-of-extremum")
    rest = poly - Poly({(atom,): 1})
    return [found for operand in atom.operands for found in operands_of(operand + rest, largest=largest)]


def floored(poly: Poly) -> tuple[Poly, int]:
    """Return a numerator and the denominator of its floor; the expression over 1 where it is no such quotient.

    >>> from ...ir.index import const, floor_div, var
    >>> numerator, denominator = floored(floor_div(var("k") * 3 + 2, const(4)) - var("k") + 1)
    >>> str(numerator), denominator
    ('6 - k', 4)
    """
    quotients = [(monomial, atom) for monomial in poly.terms for atom in monomial if isinstance(atom, FloorDiv)]
    if len(quotients) != 1:
        return poly, 1
    (monomial, atom), denominator = quotients[0], quotients[0][1].denominator.constant
    if len(monomial) > 1 or poly.terms[monomial] != 1 or not isinstance(denominator, int) or denominator <= 0:
        return poly, 1
    return atom.numerator + (poly - Poly({monomial: 1})) * denominator, denominator
