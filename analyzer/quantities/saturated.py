"""Counts that grow with a size up to a number: ``2*n if n <= 71680; else 143360`` of threads under ``if (i < n)``."""

from __future__ import annotations

from math import floor

from .quasipolynomial import Count


def is_saturated(count: Count) -> bool:
    """Return whether a count is a number for large sizes, and never more for smaller ones.

    False where that is not seen: of counts of several symbols, and of those with pieces that are not linear.

    >>> from analyzer.ir.index import const, var
    >>> from analyzer.quantities.chambers import Chamber, Constraint
    >>> few, many = Constraint(const(99) - var("n")), Constraint(var("n") - 100)
    >>> is_saturated(Count((Chamber((few,), var("n")), Chamber((many,), const(100)))))
    True
    >>> is_saturated(Count((Chamber((few,), var("n") * 2), Chamber((many,), const(100)))))
    False
    """
    most = count.generic.constant
    if count.is_general or most is None or len(count.symbols) != 1:
        return False
    (name,) = count.symbols
    pieces = [chamber.value for chamber in count.chambers]
    bounds = [item.expression for chamber in count.chambers for item in chamber.guard]
    if not all(each.terms.keys() <= {(), (name,)} for each in (*pieces, *bounds)):
        return False
    ends = {floor(-each.terms.get((), 0) / slope) for each in bounds if (slope := each.coefficient(name).constant)}
    near = {max(0, end + step) for end in ends for step in (-1, 0, 1, 2)}
    return all(count.evaluate({name: value}) <= most for value in near)
