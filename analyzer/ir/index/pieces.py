"""Sums of many terms that are polynomials between a few points: ``min(n, 2*w*u)`` is one of two, on each side of one.

Minima and maxima of linear expressions of the index are one of these in each piece, so that a polynomial is left,
whose sum follows from its differences (Newton's forward differences; Knuth, *The Art of Computer Programming* 1,
section 1.2.6).
"""

from __future__ import annotations

from itertools import pairwise
from math import comb

from .extrema import Extremum
from .poly import Atom, Form, Number, Poly, Unknown

_MOST_PIECES = 64


def summed_in_pieces(body: Poly, index: str, number: int) -> Number | None:
    """Return the sum over ``index = 0, 1, ... number - 1``; None where the terms are not polynomials in few pieces.

    >>> from .extrema import minimum
    >>> from .poly import const, var
    >>> summed_in_pieces(minimum([var("u") * 2, const(100)]) * var("u"), "u", 1000)
    49908350
    """
    waiting = [(0, number, body)]
    total: Number = 0
    for _ in range(_MOST_PIECES):
        if not waiting:
            return total
        first, end, terms = waiting.pop()
        chosen = next((form for form in terms.nested_atoms() if _is_of_lines(form, index)), None)
        if not isinstance(chosen, Extremum):
            if terms.forms or terms.names() - {index}:
                return None
            total += _sum_of_polynomial(terms, index, first, end)
            continue
        for begins, ends, operand in _split(chosen, index, first, end):
            waiting.append((begins, ends, _with(terms, chosen, operand)))
    return None


def _is_of_lines(form: Atom, index: str) -> bool:
    """Return whether a form is the largest or the smallest of linear expressions of an index and nothing else."""
    return isinstance(form, Extremum) and all(
        operand.names() <= {index} and not operand.forms and all(len(term) <= 1 for term in operand.terms)
        for operand in form.operands
    )


def _split(form: Extremum, index: str, first: int, end: int) -> list[tuple[int, int, Poly]]:
    """Return ranges of the index, and the operand that an extremum is in each, or is in none but its ends."""
    sign = 1 if form.largest else -1

    def best(at: int) -> tuple[Poly, list[Number]]:
        values = [sign * operand.evaluate({index: at}) for operand in form.operands]
        return form.operands[values.index(max(values))], values

    (left, values), (right, at_end) = best(first), best(end - 1)
    for operand, here, there in zip(form.operands, values, at_end, strict=True):
        if here == max(values) and there == max(at_end):
            return [(first, end, operand)]
    ahead = sign * (right - left)  # negative at the first index, positive at the last: a line
    gained, start = ahead.coefficient(index).constant, ahead.evaluate({index: 0})
    assert gained
    middle = int(-(start // gained))  # the first index where it is not negative
    rest = Poly({(form,): 1})
    return [(first, middle, rest), (middle, end, rest)]


def _with(poly: Poly, form: Form, value: Poly) -> Poly:
    """Return an expression with a value in the place of a form, wherever it stands."""

    def replaced(atom: Atom) -> Poly:
        if atom == form:
            return value
        if isinstance(atom, str | Unknown):
            return Poly({(atom,): 1})
        return atom.rebuilt([_with(operand, form, value) for operand in atom.operands])

    return poly.map_atoms(replaced)


def _sum_of_polynomial(poly: Poly, index: str, first: int, end: int) -> Number:
    degree = max((len(term) for term in poly.terms), default=0)
    values = [poly.evaluate({index: first + number}) for number in range(degree + 1)]
    total: Number = 0
    for order in range(degree + 1):
        total += values[0] * comb(end - first, order + 1)
        values = [later - earlier for earlier, later in pairwise(values)]
    return total
