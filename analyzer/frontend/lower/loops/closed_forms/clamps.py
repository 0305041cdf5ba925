"""Bounds that are final values of loops before: powers of ``max(0, n)``, halves and sixths of whole numbers."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from .....ir.index import ZERO, Atom, Extremum, FloorDiv, Monomial, Poly, TruncDiv, const, floor_div, maximum, var
from .....ir.nodes import Comparison, Condition
from ... import logic


def without_clamp(entry: Poly, stop: Poly, step: int) -> tuple[Poly, Condition]:
    """Return the end of a loop whose bound is a power of ``max(0, n)``, as that of ``n``, and when the loop runs.

    Such are the final values of loops before, whose number of iterations is no polynomial of ``n`` elsewhere.
    """
    for monomial in _products(stop):
        for atom in monomial:
            if not isinstance(atom, Extremum) or maximum(atom.operands) != Poly({(atom,): 1}):
                continue
            inside = [operand for operand in atom.operands if operand != ZERO]
            at_zero = _replaced(stop, atom, ZERO) - entry
            if len(inside) == 1 and at_zero.constant is not None and at_zero.constant * step <= 0:
                return _replaced(stop, atom, inside[0]), logic.compare(Comparison.GT, inside[0], ZERO)
    return stop, logic.ALWAYS


def _products(form: Poly) -> list[Monomial]:
    """Return the products of several factors in a form, also in what it divides."""
    inside = [atom.numerator for atom in form.forms if isinstance(atom, FloorDiv | TruncDiv)]
    return [monomial for each in (form, *inside) for monomial in each.terms if len(monomial) > 1]


def as_quotient(form: Poly) -> Poly:
    """Return a whole number with rational coefficients, such as ``1/2*n^2 - 1/2*n``, as a quotient of whole ones."""
    whole = form.map_atoms(_of_whole)
    divisor = _common_divisor(whole)
    return whole if divisor == 1 else floor_div(whole * divisor, const(divisor))


def _of_whole(atom: Atom) -> Poly:
    """Return a quotient of a number with rational coefficients as one of whole numbers; other atoms as they are."""
    divisor = _common_divisor(atom.numerator) if isinstance(atom, FloorDiv | TruncDiv) else 1
    if isinstance(atom, str) or divisor == 1:
        return Poly({(atom,): 1})
    return atom.rebuilt([operand * divisor for operand in atom.operands])


def _common_divisor(form: Poly) -> int:
    return lcm(*(Fraction(number).denominator for number in form.terms.values()))


def _replaced(form: Poly, old: Extremum, new: Poly) -> Poly:
    def other(atom: Atom) -> Poly:
        if atom == old:
            return new
        return (
            var(atom) if isinstance(atom, str) else atom.rebuilt([_replaced(part, old, new) for part in atom.operands])
        )

    return form.map_atoms(other)
