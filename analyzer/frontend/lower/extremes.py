"""Choices between two index expressions that are index expressions themselves.

Their minimum or maximum (``i < n ? i : n``, clamped indices), and what differs by a number or a size where the choice
is made: indices of periodic boundaries, ``i == 0 ? n - 1 : i - 1`` or ``j >= n ? j - n : j``, and ``(i + 1) % n``.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from fractions import Fraction
from typing import TypeAlias

from ...ir.conditions import condition_indices
from ...ir.index import ONE, ZERO, Extremum, Poly, extremum, maximum, minimum, single_atom
from ...ir.nodes import Compare, Comparison, Condition
from .flow import LoopFacts, is_nonnegative
from .logic import negate, truth_index

Known: TypeAlias = Callable[[Poly], bool]  # whether a polynomial is known to be >= 0 at the choice


def extreme_of(condition: Condition, then: Poly, orelse: Poly, is_nonnegative: Known) -> Poly | None:
    """Return ``condition ? then : orelse`` where it is a minimum or a maximum of the two, else None.

    An index that is clamped from both sides is one of those too: ``x < 0 ? 0 : min(x, n - 1)``.  It has
    to be so only where the choice is made: in the iterations of the loops around, under the guards around.
    """
    found = _compared_extreme(condition, then, orelse)
    if found is None and isinstance(single_atom(orelse), Extremum):
        found = _clamped(condition, then, orelse, is_nonnegative)
    if found is None and isinstance(single_atom(then), Extremum):
        found = _clamped(negate(condition), orelse, then, is_nonnegative)
    return found


def chosen_index(condition: Condition, then: Poly, orelse: Poly, loops: list[LoopFacts]) -> Poly | None:
    """Return ``condition ? then : orelse`` as an index where these differ by what no loop around changes; else None.

    Under an equality this is said of the difference where it holds: ``i == 0 ? n - 1 : i - 1`` is ``i - 1`` and another
    ``n`` where ``i`` is 0.  Where the difference is no number, conditions on quotients and minima are left alone.

    >>> from ...ir.index import ZERO, const, var
    >>> str(chosen_index(Compare(Comparison.NE, var("k"), ZERO), const(5), const(2), []))
    '5 - 3*max(0, min(1 - k, k + 1))'
    >>> first = Compare(Comparison.EQ, var("i"), ZERO)
    >>> str(chosen_index(first, var("n") - 1, var("i") - 1, [LoopFacts("i", ZERO, var("n") - 1)]))
    'n*max(0, min(1 - i, i + 1)) + i - 1'
    """
    if isinstance(condition, Compare) and _equality(negate(condition), loops) is not None:
        condition, then, orelse = negate(condition), orelse, then
    equal = _equality(condition, loops)
    holds = truth_index(condition if equal is None else equal)
    difference = then - orelse
    if holds is None or difference.unknowns():
        return None
    if difference.constant is None and any(index.forms for index in condition_indices(condition)):
        return None  # pieces of quotients would be cut again
    names = {loop.iterator for loop in loops}
    if equal is not None:
        difference = _without_iterators(difference, equal.left - equal.right, names)
    return None if difference.names() & names else orelse + holds * difference


def _equality(condition: Condition, loops: list[LoopFacts]) -> Compare | None:
    """Return a condition that holds for one value alone as an equality: ``i < 1`` of an ``i`` from 0; else None."""
    if not isinstance(condition, Compare) or condition.comparison is Comparison.NE:
        return None
    if condition.comparison is Comparison.EQ:
        return condition
    rise = condition.right - condition.left
    if condition.comparison in (Comparison.GT, Comparison.GE):
        rise = -rise
    strict = condition.comparison in (Comparison.LT, Comparison.GT)
    most = rise - 1 if strict else rise
    return Compare(Comparison.EQ, most, ZERO) if is_nonnegative(-most, loops) else None


def _without_iterators(difference: Poly, relation: Poly, names: Set[str]) -> Poly:
    """Return a difference where a relation is 0, without the iterators that can be taken out."""
    for name in sorted(difference.names() & relation.names() & names):
        have, factor = difference.coefficient(name).constant, relation.coefficient(name).constant
        if have is not None and factor is not None and factor != 0 and have % factor == 0:
            return difference - relation * (have // factor)
    return difference


def wrapped_remainder(value: Poly, length: Poly, iterators: Set[str], is_nonnegative: Known) -> Poly | None:
    """Return ``value % length`` of a size where the value is in one of the first two periods, else None.

    Of ``i - 1 + n`` the first one is past, so that n is added to ``i - 1`` where this is negative.

    >>> from ...ir.index import ZERO, var
    >>> i, n = var("i"), var("n")
    >>> str(wrapped_remainder(i + 1, n, {"i"}, lambda poly: is_nonnegative(poly, [LoopFacts("i", ZERO, n - 1)])))
    'i - n*min(1, max(0, i - n + 2)) + 1'
    """
    if length.constant is not None or value.unknowns():
        return None
    if not value.names() & iterators or length.names() & iterators:
        return None
    if not is_nonnegative(value) or not is_nonnegative(2 * length - 1 - value):
        return None
    rest = value - length
    if len(rest.terms) < len(value.terms):
        return rest + length * minimum([ONE, maximum([ZERO, -rest])])
    return value - length * minimum([ONE, maximum([ZERO, rest + 1])])


def _clamped(condition: Condition, limit: Poly, inner: Poly, is_nonnegative: Known) -> Poly | None:
    """Return ``condition ? limit : inner`` where ``inner`` is a minimum above the limit, or the reverse.

    The condition compares the limit with one operand; no other operand is beyond the limit.
    """
    atom = single_atom(inner)
    if not isinstance(atom, Extremum):
        return None
    for operand in atom.operands:
        chosen = _compared_extreme(condition, limit, operand)
        if chosen is None or chosen != extremum(not atom.largest, [limit, operand]):
            continue
        apart = [limit - other if atom.largest else other - limit for other in atom.operands if other != operand]
        if all(map(is_nonnegative, apart)):
            return extremum(not atom.largest, [limit, inner])
    return None


def _compared_extreme(condition: Condition, then: Poly, orelse: Poly) -> Poly | None:
    """Return a choice that is the minimum or the maximum of the two by its comparison alone, else None.

    The first arm is chosen where ``r >= 1``.  With ``then - orelse = a*r + b`` the choice is the larger one if that is
    not negative from 1 on and not positive up to 0 (``a > 0`` and ``-a <= b <= 0``), and the smaller one by the same
    of ``orelse - then``: mirrored indices, ``v < 0 ? -v - 1 : v``, have ``r = -v`` and ``2*r - 1``.
    """
    if then == orelse:
        return then
    if not isinstance(condition, Compare) or condition.comparison in (Comparison.EQ, Comparison.NE):
        return None
    relation = condition.left - condition.right
    if condition.comparison in (Comparison.LT, Comparison.LE):
        relation = -relation
    if condition.comparison in (Comparison.GE, Comparison.LE):
        relation += 1
    difference = then - orelse
    factor = _ratio(_varying(difference), _varying(relation))
    if factor is None:
        return None
    rest = difference - relation * factor
    number = Fraction(rest.terms.get((), 0))
    if factor > 0 and -factor <= number <= 0:
        return maximum([then, orelse])
    return minimum([then, orelse]) if factor < 0 and 0 <= number <= -factor else None


def _varying(poly: Poly) -> Poly:
    """Return an expression without its number."""
    return poly - poly.terms.get((), 0)


def _ratio(numerator: Poly, denominator: Poly) -> Fraction | None:
    if numerator.terms.keys() != denominator.terms.keys() or not denominator.terms:
        return None
    ratios = {Fraction(number) / denominator.terms[monomial] for monomial, number in numerator.terms.items()}
    return ratios.pop() if len(ratios) == 1 else None
