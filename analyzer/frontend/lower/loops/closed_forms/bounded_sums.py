"""Sums over the first iterations of a loop of what happens only in some: ``if (i < m) k++``, ``if (i == m) k += 2``.

A comparison that is linear in the number of the iteration holds in an interval of them, so that what it adds is the
difference of two sums from 0: those up to the ends of the interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .....ir.index import ZERO, Atom, Poly, floor_div, indicated, maximum, minimum, var

Prefix = Callable[[Poly], Poly | None]
"""The sum of a term over the iterations below ``count``; None where it has no closed form."""


def bounded_sum(change: Poly, count: str, prefix: Prefix) -> Poly | None:
    """Return the sum of ``change`` over the iterations below ``count``; None where that has no closed form.

    >>> from .....ir.index import const
    >>> below = minimum([const(1), maximum([ZERO, var("m") - var("t")])])  # t < m
    >>> str(bounded_sum(below, "t", lambda each: each * var("t") if not each.names() else None))
    'max(0, min(m, t))'
    """
    total = ZERO
    for monomial, number in change.terms.items():
        part = _sum_of(monomial, Poly({(): number}), count, prefix)
        if part is None:
            return None
        total = total + part
    return total


def _sum_of(atoms: Sequence[Atom], factor: Poly, count: str, prefix: Prefix) -> Poly | None:
    lows, highs = [ZERO], [var(count)]
    rest = factor
    for position, atom in enumerate(atoms):
        alone = Poly({(atom,): 1})
        relation = indicated(atom) if count in alone.names() else None
        if relation is None:
            rest = rest * alone
            continue
        value, holds = relation
        slope, start = value.coefficient(count).constant, value.substitute({count: ZERO})
        if not isinstance(slope, int) or not slope or start + var(count) * slope != value or start.unknowns():
            return None
        if holds == ">" and slope > 0:
            lows.append(floor_div(-start, slope) + 1)
        elif holds == ">":
            highs.append(floor_div(start - slope - 1, -slope))
        elif abs(slope) > 1:
            return None
        elif holds == "=":
            lows.append(-start * slope)
            highs.append(1 - start * slope)
        else:
            others = (*atoms[:position], *atoms[position + 1 :])
            every = _sum_of(others, factor, count, prefix)
            equal = _sum_of((_equality(value), *others), factor, count, prefix)
            return None if every is None or equal is None else every - equal
    below = prefix(rest)
    if below is None:
        return None
    low = maximum(lows)
    high = maximum([low, minimum(highs)])
    return below.substitute({count: high}) - below.substitute({count: low})


def _equality(value: Poly) -> Atom:
    """Return what is 1 where a value is 0, and 0 elsewhere."""
    ((atom,),) = maximum([ZERO, minimum([1 - value, value + 1])]).terms
    return atom
