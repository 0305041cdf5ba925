"""The sum of a count over the calls of a recursive function: over the sizes of the tree of its calls.

With the size of a call as a number in isl's sets, the count of one call is a quasi-polynomial in it; the sum over all
calls is worked out size by size, those of one size at once: halves of a size have at most two sizes on each level of
the tree (Graham, Knuth, Patashnik, *Concrete Mathematics*, section 3.2), so that there are few.
"""

from __future__ import annotations

from msgspec import Struct

from ...ir.index import ONE, Poly, const, tree_of, var
from ...ir.nodes import And, Calls, Compare, Comparison, Condition, Not, Or, Truth
from ...quantities.chambers import Chamber, Constraint
from ...quantities.quasipolynomial import Count, total
from ..formula import NotAffine
from .over import indicator

_NAMES = "mkpqrs"


class CallSeries(Struct, frozen=True):
    """The calls of a function, whose size is ``parameter`` in the counts of isl's sets."""

    parameter: str
    calls: Calls


def summed_over_calls(count: Count, series: CallSeries) -> Count:
    """Return the sum of a count over all calls; raises ``NotAffine`` where conditions do not tell which there are."""
    start, name = series.calls.start, series.parameter
    taken = count.symbols | start.names()
    index = next((letter for letter in _NAMES if letter not in taken), name)
    inner = tuple((_factor(condition), size) for condition, size in series.calls.inner)
    calls = tuple((often.substitute({name: var(index)}), size.substitute({name: var(index)})) for often, size in inner)
    chambers = []
    for chamber in count.chambers:
        guard = [Constraint(start)]
        value = chamber.value
        for item in chamber.guard:
            if name not in item.expression.names():
                guard.append(item)
            elif item.equality or item.expression != var(name):  # no size is negative
                value = value * indicator(item)
        chambers.append(Chamber(tuple(guard), tree_of(index, start, calls, value.substitute({name: var(index)}))))
    return total([Count((chamber,)) for chamber in chambers])


def _factor(condition: Condition) -> Poly:
    """Return 1 where a condition on numbers holds, 0 elsewhere."""
    match condition:
        case Truth(holds):
            return const(int(holds))
        case Not(operand):
            return ONE - _factor(operand)
        case And(operands):
            found = ONE
            for operand in operands:
                found = found * _factor(operand)
            return found
        case Or(operands):
            none = ONE
            for operand in operands:
                none = none * (ONE - _factor(operand))
            return ONE - none
        case Compare():
            return _of_comparison(condition)
    raise NotAffine("a condition on data")


def _of_comparison(condition: Compare) -> Poly:
    below = condition.right - condition.left
    match condition.comparison:
        case Comparison.LT:
            return indicator(Constraint(below - 1))
        case Comparison.LE:
            return indicator(Constraint(below))
        case Comparison.GT:
            return indicator(Constraint(-below - 1))
        case Comparison.GE:
            return indicator(Constraint(-below))
        case Comparison.EQ:
            return indicator(Constraint(below, equality=True))
        case Comparison.NE:
            return ONE - indicator(Constraint(below, equality=True))
