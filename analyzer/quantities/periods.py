"""Integer divisions in polynomials: what cancels over a period, and remainders written as such.

Counting gives the iterations of a loop over the rest of a division as a quasi-polynomial of which most cancels:
whichever remainder a symbol has, ``n*floor((n + 3)/4) - ...`` is ``n mod 4``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import lcm

from ..ir.index import FloorDiv, Poly, floor_div, var

_LONGEST_PERIOD = 64
_QUOTIENT = "#"


@lru_cache(maxsize=256)
def without_periods(poly: Poly) -> Poly:
    """Rewrite integer divisions that cancel: ``4*floor(n/4) + (n mod 4)`` is ``n``.

    For one symbol after the other the value is compared over all residues of its period.  Where every residue gives the
    same polynomial, that is the value; where the residue only adds multiples of itself to the factors, the value is
    written with the quotient and the residue, if that is shorter.

    >>> from analyzer.ir.index import const
    >>> n = var("n")
    >>> up, down = floor_div(n + 3, const(4)), floor_div(n, const(4))
    >>> str(without_periods(n * up - n * down - 2 * up * up + 2 * down * down + 2 * up - 2 * down))
    'n mod 4'
    """
    periods = periods_of(poly)
    for symbol in sorted(periods):
        period = lcm(*periods.get(symbol, ()))
        if not 1 < period <= _LONGEST_PERIOD:
            continue
        found = _rewritten(poly, symbol, period)
        if found is not None:
            poly = found
            periods = periods_of(poly)
    return poly


def periods_of(poly: Poly) -> dict[str, set[int]]:
    """Return denominators of the integer divisions that involve a symbol, for each that is in any."""
    found: dict[str, set[int]] = {}
    for atom in poly.forms:
        if not isinstance(atom, FloorDiv):
            continue
        inner = periods_of(atom.numerator)
        number = atom.denominator.constant or 0
        for symbol in atom.numerator.names():
            found.setdefault(symbol, set()).update((number,), inner.get(symbol, ()))
    return found


def _rewritten(poly: Poly, symbol: str, period: int) -> Poly | None:
    """Return the polynomial without the divisions of a symbol, or with fewer of them; None where there is no such.

    Mostly there is none, which the first three residues show.
    """
    cases: list[Poly] = []
    plain: list[Poly] = []
    is_same = is_linear = True
    for residue in range(period):
        case = poly.substitute({symbol: var(_QUOTIENT) * period + residue})
        cases.append(case)
        if is_same:
            plain.append(case.substitute({_QUOTIENT: (var(symbol) - residue) * Fraction(1, period)}))
            is_same = plain[0] == plain[-1]
        is_linear = is_linear and case == cases[0] + (cases[min(residue, 1)] - cases[0]) * residue
        if not is_same and not is_linear:
            return None
    if is_same:
        return plain[0]
    start, slope = cases[0], cases[1] - cases[0]
    quotient = floor_div(var(symbol), period)
    found = start.substitute({_QUOTIENT: quotient})
    found += slope.substitute({_QUOTIENT: quotient}) * (var(symbol) - quotient * period)
    return found if len(found.terms) < len(poly.terms) else None
