"""Sums of polynomials in a number ``t`` and in powers ``b^t``: closed where there is a closed form.

A term ``c * t^a * r^t`` summed over ``t = 0 .. T - 1`` is ``P(T)*r^T - P(0)`` with the polynomial P of degree a that
satisfies ``r*P(t + 1) - P(t) = t^a``; for ``r = 1`` it is Faulhaber's polynomial of degree a + 1, from the same
equation (Graham, Knuth, Patashnik, *Concrete Mathematics*, section 2.3).  What depends on ``t`` in another way, such as
``floor(n/2^t)``, stays a sum that is evaluated term by term.

>>> from analyzer.ir.index import var, power
>>> t, n = var("t"), var("n")
>>> str(summed("t", n, power(2, t) * t + 3))
'n*2^n + 3*n - 2*2^n + 2'
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb

from ..ir.index import (
    ONE,
    ZERO,
    Atom,
    Monomial,
    Poly,
    Power,
    const,
    power,
    sum_of,
    var,
)


def summed(index: str, count: Poly, body: Poly) -> Poly:
    """Return the sum of ``body`` over ``index = 0 .. count - 1``; ``count`` is not negative."""
    found, rest = ZERO, ZERO
    for monomial, number in body.terms.items():
        parts = _parts(monomial, index)
        if parts is None:
            rest += Poly({monomial: number})
        else:
            free, degree, bases = parts
            found += free * number * _sum_of_powers(degree, bases, count)
    return merged(found + sum_of(index, count, rest))


def _parts(monomial: Monomial, index: str) -> tuple[Poly, int, dict[int, int]] | None:
    """Return a monomial as a factor without the index, the power of the index, and exponents of bases for each of it.

    None where it depends on the index in another way.
    """
    free, degree, bases = ONE, 0, dict[int, int]()
    for atom in monomial:
        if atom == index:
            degree += 1
        elif isinstance(atom, Power) and index in atom.exponent.names():
            slope = atom.exponent.coefficient(index).constant
            left = atom.exponent - var(index) * (slope or 0)
            if slope is None or index in left.names():
                return None
            bases[atom.base] = bases.get(atom.base, 0) + slope
            free = free * power(atom.base, left)
        elif index in Poly({(atom,): 1}).names():
            return None
        else:
            free = free * Poly({(atom,): 1})
    return free, degree, {base: exponent for base, exponent in bases.items() if exponent}


def _sum_of_powers(degree: int, bases: Mapping[int, int], count: Poly) -> Poly:
    """Return the sum of ``t^degree * r^t`` below ``count``, r being the product of the bases to their exponents."""
    ratio = Fraction(1)
    end = ONE
    for base, exponent in bases.items():
        ratio *= Fraction(base) ** exponent
        end = end * power(base, count * exponent)
    factors = _antidifference(degree, ratio)
    whole = sum((to_the(count, position) * factor for position, factor in enumerate(factors)), ZERO)
    return whole * end - factors[0]


def _antidifference(degree: int, ratio: Fraction) -> list[Fraction]:
    """Return the factors of P with ``ratio*P(t + 1) - P(t) = t^degree``, that of 1 first."""
    highest = degree + (ratio == 1)
    factors = [Fraction(0)] * (highest + 1)
    for wanted in range(degree, -1, -1):  # the factor of t^wanted on both sides
        position = wanted + (ratio == 1)
        known = sum(
            (ratio * factors[other] * comb(other, wanted) for other in range(position + 1, highest + 1)), Fraction(0)
        )
        own = ratio * comb(position, wanted) - (1 if position == wanted else 0)
        factors[position] = (int(wanted == degree) - known) / own
    return factors


def to_the(poly: Poly, exponent: int) -> Poly:
    """Return a power of a polynomial, with a natural exponent."""
    found = ONE
    for _ in range(exponent):
        found = found * poly
    return found


def merged(poly: Poly) -> Poly:
    """Return a polynomial with one power of each base in a monomial: ``2^t*2^u`` is ``2^(t + u)``."""
    if not any(isinstance(atom, Power) for atom in poly.atoms()):
        return poly
    found = ZERO
    for monomial, number in poly.terms.items():
        exponents: dict[int, Poly] = {}
        rest: list[Atom] = []
        for atom in monomial:
            if isinstance(atom, Power):
                exponents[atom.base] = exponents.get(atom.base, ZERO) + atom.exponent
            else:
                rest.append(atom)
        term = const(number)
        for each in rest:
            term = term * single(each)
        for base, exponent in exponents.items():
            term = term * power(base, exponent)
        found += term
    return found


def single(atom: Atom) -> Poly:
    """Return the polynomial that is one atom."""
    return Poly({(atom,): 1})
