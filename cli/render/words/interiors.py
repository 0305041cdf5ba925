"""Formulas in the extent of what lies inside of a border: ``(n - 2*r)^2`` in place of ``4*r^2 - 4*n*r + n^2``.

By the guards of a count ``n - 2*r`` is positive, where loops run from ``r`` to ``n - r``.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzer.ir.index import Monomial, Poly, var
from analyzer.quantities.growth import divides
from analyzer.quantities.quasipolynomial import Count

_MOST_LEADING = 32
"""Terms of a formula that may become few: a box with a border in five dimensions has so many."""


def leading_monomials(poly: Poly) -> list[Monomial]:
    """Return the monomials that no other is a multiple of, those of the highest degree first, and what is added."""
    kept: list[Monomial] = []
    for one in sorted(filter(None, poly.terms), key=len, reverse=True):  # a multiple has a higher degree
        if not any(divides(one, other) for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda monomial: (-len(monomial), poly.terms[monomial] < 0, str(monomial)))


def in_interiors(poly: Poly, count: Count) -> Poly:
    """Return a formula of a count in the extents that its guards name, where fewer terms lead then.

    >>> from analyzer.quantities.chambers import Chamber, Constraint
    >>> n, r = var("n"), var("r")
    >>> cells = (n - 2 * r) * (n - 2 * r)
    >>> str(in_interiors(cells, Count((Chamber((Constraint(n - 2 * r - 1),), cells),))))
    '(n - 2*r)^2'
    """
    fewest = len(leading_monomials(poly))
    borders = list(_borders(count)) if 1 < fewest <= _MOST_LEADING else []
    while borders and fewest > 1:
        changed = [(_in_interior(poly, whole, border), whole) for whole, border in borders]
        best, size = min(changed, key=lambda each: len(leading_monomials(each[0])))
        leading = len(leading_monomials(best))
        if leading >= fewest:
            break
        poly, fewest = best, leading
        borders = [(whole, border) for whole, border in borders if whole != size]
    return poly


def _in_interior(poly: Poly, whole: str, border: Poly) -> Poly:
    return poly.substitute({whole: var(f"({var(whole) - border})") + border})


def whole_of(extent: str) -> str:
    """Return the size of which an extent is the inner part: ``n`` of ``(n - 2*r)``; other names as they are."""
    return extent[1:].partition(" ")[0] if extent.startswith("(") else extent


def _borders(count: Count) -> Iterable[tuple[str, Poly]]:
    """Yield sizes with what guards take off of them: ``n`` and ``2*r`` of ``n - 2*r >= 1``."""
    guards = dict.fromkeys(constraint.expression for chamber in count.chambers for constraint in chamber.guard)
    for expression in guards:
        if len(expression.names()) != 2 or any(len(monomial) > 1 for monomial in expression.terms):
            continue
        for (whole,) in (monomial for monomial, number in expression.terms.items() if monomial and number == 1):
            if isinstance(whole, str):
                taken = {other: -number for other, number in expression.terms.items() if other not in ((), (whole,))}
                yield whole, Poly(taken)
