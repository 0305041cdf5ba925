"""Counts of a domain do not depend on what was asked before."""

from fractions import Fraction

from analyzer.domains.domain import Domain
from analyzer.domains.formula import Names
from analyzer.domains.isl.sets import points
from analyzer.domains.limits import OverBudget
from analyzer.quantities.quasipolynomial import NOTHING

FIVE = points("{ [i] : 0 <= i < 5 }")


class TooMany:
    """Points that nothing counts within its budget."""

    def without_determined(self, _strided):
        return self

    def count(self, _meaning):
        raise OverBudget


def domain(upper, lower):
    return Domain(("i",), (), upper, lower, Fraction(1, 2), "{ [i] : 0 <= i < 9 }", Names())


def test_a_lower_bracket_that_takes_too_long_leaves_the_upper_one():
    found = domain(FIVE, TooMany())
    counts = [found.count().evaluate({}), found.count(upper=False) is NOTHING, found.count().evaluate({})]
    assert counts == [5, True, 5]
    assert (found.is_exact, found.is_over_budget) == (False, False)


def test_an_upper_bracket_that_takes_too_long_is_that_of_the_bare_loops():
    many = TooMany()
    found = domain(many, many)
    assert found.count(upper=False) is NOTHING
    assert found.count().evaluate({}) == 9
    assert (found.is_exact, found.is_over_budget) == (False, True)
