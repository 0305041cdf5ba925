"""Results of barvinok as piecewise quasi-polynomials in the symbols."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import islpy as isl

from ...ir.index import ZERO, Monomial, Number, Poly, const, floor_div
from ...quantities.chambers import Chamber, Constraint
from ...quantities.quasipolynomial import Count, total

_PARAM, _DIV = isl.dim_type.param, isl.dim_type.div
MOST_PIECES = 40


def to_count(result: Any, symbols: Sequence[Poly]) -> Count | None:
    """Return the Barvinok's result as plain values; None where it has too many cases, or none that is finite."""
    counts: list[Count] = []
    apart = frozenset({new_family()})
    pieces = result.get_pieces()
    if len(pieces) > MOST_PIECES or any(value.is_infty() for _, value in pieces):
        return None
    for domain, value in pieces:
        polynomial = _to_poly(value, symbols)
        if polynomial.terms:
            counts.extend(Count((Chamber(guard, polynomial, apart),)) for guard in _disjoint_guards(domain, symbols))
    return total(counts)


def new_family() -> str:
    """Return a name like no other, also of other processes, and plain data."""
    return os.urandom(8).hex()


def _disjoint_guards(domain: Any, symbols: Sequence[Poly]) -> list[tuple[Constraint, ...]]:
    """Return one conjunction of constraints per disjoint basic set; existential variables become integer divisions."""
    guards = []
    if domain.n_basic_set() > 1:
        domain = domain.make_disjoint()
    for basic in domain.compute_divs().get_basic_sets():
        local = basic.get_local_space()
        divisions = [_affine(local.get_div(position), symbols) for position in range(basic.dim(_DIV))]
        found = []
        for constraint in basic.get_constraints():
            expression = const(_number(constraint.get_constant_val()))
            expression += _weighted(constraint, _PARAM, symbols) + _weighted(constraint, _DIV, divisions)
            found.append(Constraint(expression, bool(constraint.is_equality())))
        guards.append(tuple(found))
    return guards


def _weighted(source: Any, kind: Any, values: Sequence[Poly]) -> Poly:
    """Return the sum of coefficient times value over the dimensions of one kind."""
    result = ZERO
    for position, value in enumerate(values):
        weight = _number(source.get_coefficient_val(kind, position))
        if weight:
            result += value * weight
    return result


def _affine(aff: Any, symbols: Sequence[Poly]) -> Poly:
    """Return an integer division of isl as ``floor(numerator / denominator)``."""
    denominator = _number(aff.get_denominator_val())
    value = const(_number(aff.get_constant_val())) + _weighted(aff, _PARAM, symbols)
    for position in range(aff.dim(_DIV)):  # a division's space lists itself too, with weight 0
        weight = _number(aff.get_coefficient_val(_DIV, position))
        if weight:
            value += _affine(aff.get_div(position), symbols) * weight
    return floor_div(value * denominator, int(denominator))


def _to_poly(value: Any, symbols: Sequence[Poly]) -> Poly:
    sums: dict[Monomial, Number] = {}
    divisions: dict[int, Poly] = {}
    for term in value.get_terms():
        product = const(_number(term.get_coefficient_val()))
        for position, symbol in enumerate(symbols):
            product = _times(product, symbol, term.get_exp(_PARAM, position))
        for position in range(term.dim(_DIV)):
            exponent = term.get_exp(_DIV, position)
            if exponent and position not in divisions:
                divisions[position] = _affine(term.get_div(position), symbols)
            if exponent:
                product = _times(product, divisions[position], exponent)
        for monomial, number in product.terms.items():
            sums[monomial] = sums.get(monomial, 0) + number
    return Poly({m: n if n.denominator > 1 else int(n) for m, n in sums.items() if n})


def _times(product: Poly, base: Poly, exponent: int) -> Poly:
    for _ in range(exponent):
        product = product * base
    return product


def _number(value: Any) -> Number:
    text = value.to_str()
    return Fraction(text) if "/" in text else int(text)
