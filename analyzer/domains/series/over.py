"""The sum of a count over the terms of a series, with the conditions on its parameter that hold in every term gone.

A chamber of the count contributes in the terms in which its conditions hold: those that follow from the range of the
parameter are dropped, and chambers that cannot be met too; a condition that is left is a factor of 0 or 1 in the sum.
"""

from __future__ import annotations

from ...ir.index import (
    ONE,
    ZERO,
    Atom,
    FloorDiv,
    Log,
    Poly,
    Power,
    Root,
    Sum,
    TruncDiv,
    extremum,
    single_atom,
    sum_of,
    var,
)
from ...quantities.chambers import Chamber, Constraint
from ...quantities.exponential import merged, summed
from ...quantities.quasipolynomial import Count, total
from .terms import Series


def summed_over(count: Count, series: Series) -> Count:
    """Return the sum of a count over the terms of a series."""
    return total([Count((found,)) for chamber in count.chambers if (found := _of_chamber(chamber, series))])


def _of_chamber(chamber: Chamber, series: Series) -> Chamber | None:
    """Return the sum of one chamber; None where it is never met."""
    guard = dict.fromkeys(series.guard)
    value = chamber.value
    for item in chamber.guard:
        lifted = _lifted(item, series.parameter)
        names = lifted.expression.names()
        if series.parameter not in names:
            guard[lifted] = None
        elif _is_impossible(lifted, series):
            return None
        elif not _is_implied(lifted, series) and not _is_zero_without(lifted, chamber.value, series):
            value = value * indicator(lifted)
    body = _merged(value.substitute({series.parameter: series.value}))
    return Chamber(tuple(guard), summed(series.index, series.terms, body))


def _merged(poly: Poly) -> Poly:
    """Return a polynomial with one power of each base in a monomial, also inside of its atoms."""

    def inside(atom: Atom) -> Poly:
        if isinstance(atom, Sum):
            return sum_of(atom.index, _merged(atom.count), _merged(atom.body))
        if isinstance(atom, str) or not any(isinstance(each, Power) for each in Poly({(atom,): 1}).nested_atoms()):
            return Poly({(atom,): 1})
        return atom.rebuilt([_merged(operand) for operand in atom.operands])

    return merged(poly.map_atoms(inside))


def _lifted(item: Constraint, parameter: str) -> Constraint:
    """Return ``floor(e/d) >= k`` as ``e - k*d >= 0``, d being a positive multiple of the parameter."""
    offset = item.expression.terms.get((), 0)
    quotient = single_atom(item.expression - offset)
    if not item.equality and isinstance(quotient, FloorDiv) and _is_multiple(quotient.denominator, parameter):
        return Constraint(quotient.numerator + quotient.denominator * offset)
    return item


def _is_multiple(poly: Poly, parameter: str) -> bool:
    number = poly.coefficient(parameter).constant
    return number is not None and number > 0 and poly == var(parameter) * number


def _ends(item: Constraint, series: Series, *, largest: bool) -> list[Poly]:
    """Return what the expression of a constraint is at most, or at least, over the range of the parameter."""
    found = [item.expression.substitute({series.parameter: bound}) for bound in _bounds(item, series, largest=largest)]
    inside = item.expression.substitute({series.parameter: series.value})
    rises = _slope(inside, series.index)
    return [*found, inside.substitute({series.index: ZERO})] if rises and (rises < 0) is largest else found


def _bounds(item: Constraint, series: Series, *, largest: bool) -> list[Poly]:
    """Return bounds of the parameter where an expression that is linear in it is at most, or at least."""
    slope = item.expression.coefficient(series.parameter).constant
    if not slope or series.parameter in (item.expression - var(series.parameter) * slope).names():
        return []
    found = []
    for known in series.holds:
        direction = known.expression.coefficient(series.parameter).constant
        if direction is not None and abs(direction) == 1 and (direction < 0) is ((slope > 0) is largest):
            found.append((var(series.parameter) * direction - known.expression) * direction)
    return found


def _slope(poly: Poly, index: str) -> int:
    """Return 1 for what grows with the index, -1 for what falls, 0 where that is not seen."""
    signs = set()
    for monomial, number in poly.terms.items():
        moving = [atom for atom in monomial if index in Poly({(atom,): 1}).names()]
        if not moving:
            continue
        if len(moving) < len(monomial) or not all(_grows(Poly({(atom,): 1}), index) for atom in moving):
            return 0
        signs.add(1 if number > 0 else -1)
    return signs.pop() if len(signs) == 1 else 0


def _grows(poly: Poly, index: str) -> bool:
    """Return whether an atom is natural and grows with the index: itself, or a power."""
    atom = single_atom(poly)
    if not isinstance(atom, Power):
        return atom == index
    slope = atom.exponent.coefficient(index)
    return (slope.constant or 0) > 0 and atom.exponent == var(index) * slope


def _is_implied(item: Constraint, series: Series) -> bool:
    if item.equality:
        return False
    if item in series.holds:
        return True
    if any((number := end.constant) is not None and number >= 0 for end in _ends(item, series, largest=False)):
        return True
    return _is_below_root(item, series) or _is_of_last_division(item, series)


def _is_below_root(item: Constraint, series: Series) -> bool:
    """Return whether ``e - p*p >= 0`` holds as the parameter is at most the root of something not above ``e``."""
    radicand = item.expression + var(series.parameter) * var(series.parameter)
    if series.parameter in radicand.names():
        return False
    for known in series.holds:
        bound = single_atom(known.expression + var(series.parameter))
        margin = (radicand - bound.radicand).constant if isinstance(bound, Root) else None
        if margin is not None and margin >= 0:
            return True
    return False


def _is_of_last_division(item: Constraint, series: Series) -> bool:
    """Return whether ``floor(s/b^t) >= 1`` holds as the series has ``floor(log(s)) + 1`` terms."""
    inside = item.expression.substitute({series.parameter: series.value})
    offset = inside.terms.get((), 0)
    quotient, number = single_atom(inside - offset), single_atom(series.terms - 1)
    return (
        offset >= -1
        and isinstance(quotient, FloorDiv | TruncDiv)
        and isinstance(number, Log)
        and not number.up
        and quotient.numerator == number.argument
        and single_atom(quotient.denominator) == Power(number.base, var(series.index))
    )


def _is_zero_without(item: Constraint, value: Poly, series: Series) -> bool:
    """Return whether the value is 0 where the constraint does not hold: just below the range, or in the first term."""
    if item.equality:
        return False
    for bound in _bounds(item, series, largest=False):
        least = item.expression.substitute({series.parameter: bound}).constant
        if least is not None and least >= -1 and not value.substitute({series.parameter: bound}).terms:
            return True
    inside = item.expression.substitute({series.parameter: series.value})
    second = inside.substitute({series.index: ONE}).constant
    first = value.substitute({series.parameter: series.value.substitute({series.index: ZERO})})
    return _slope(inside, series.index) > 0 and second is not None and second >= 0 and not first.terms


def _is_impossible(item: Constraint, series: Series) -> bool:
    ends = _ends(item, series, largest=True)
    if item.equality:
        ends += [-end for end in _ends(item, series, largest=False)]
    return any((number := end.constant) is not None and number < 0 for end in ends)


def indicator(item: Constraint) -> Poly:
    """Return 1 where a constraint on whole numbers holds, and 0 elsewhere."""
    holds = extremum(False, [ONE, extremum(True, [item.expression + 1, ZERO])])
    return holds * indicator(Constraint(-item.expression)) if item.equality else holds
