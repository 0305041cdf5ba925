"""Choices between two index expressions that are their minimum or maximum: ``i < n ? i : n``, clamped indices."""

from __future__ import annotations

from fractions import Fraction

from ...ir.index import Extremum, Poly, extremum, maximum, minimum, single_atom
from ...ir.nodes import Compare, Comparison, Condition
from .flow import LoopFacts, is_nonnegative
from .logic import compared, negate
from .state import State


def extreme_of(state: State, condition: Condition, then: Poly, orelse: Poly) -> Poly | None:
    """Return ``condition ? then : orelse`` where it is a minimum or a maximum of the two, else None.

    An index that is clamped from both sides is one of those too: ``x < 0 ? 0 : min(x, n - 1)``.  It has
    to be so in the iterations of the loops around alone.
    """
    condition, loops = compared(condition, state.emitter.compared), state.flow.loops
    found = _compared_extreme(condition, then, orelse)
    if found is None:
        found = _clamped(condition, then, orelse, loops)
    return _clamped(negate(condition), orelse, then, loops) if found is None else found


def _clamped(condition: Condition, limit: Poly, inner: Poly, loops: list[LoopFacts]) -> Poly | None:
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
        if all(is_nonnegative(distance, loops) for distance in apart):
            return extremum(not atom.largest, [limit, inner])
    return None


def _compared_extreme(condition: Condition, then: Poly, orelse: Poly) -> Poly | None:
    """Return a choice that is the minimum or the maximum of the two by its comparison alone, else None.

    With ``then - orelse = c * (left - right)`` and ``left > right`` for the first arm, the choice is the larger one
    for positive c and the smaller one for negative c; on integers the relation may be shifted to its other form.
    """
    if then == orelse:
        return then
    if not isinstance(condition, Compare) or condition.comparison in (Comparison.EQ, Comparison.NE):
        return None
    relation = condition.left - condition.right
    if condition.comparison in (Comparison.LT, Comparison.LE):
        relation = -relation
    strict = condition.comparison in (Comparison.LT, Comparison.GT)
    for shifted in (relation, relation - 1 if strict else relation + 1):
        factor = _ratio(then - orelse, shifted)
        if factor is not None:
            return maximum([then, orelse]) if factor > 0 else minimum([then, orelse])
    return None


def _ratio(numerator: Poly, denominator: Poly) -> Fraction | None:
    if numerator.terms.keys() != denominator.terms.keys() or not denominator.terms:
        return None
    ratios = {Fraction(number) / denominator.terms[monomial] for monomial, number in numerator.terms.items()}
    return ratios.pop() if len(ratios) == 1 else None
