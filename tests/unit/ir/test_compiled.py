"""Expressions as functions of Python have the values that they have one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from analyzer.ir.index import Poly, TooManyTerms, const, floor_div, maximum, minimum, power, sum_of, trunc_div, var
from analyzer.ir.index.compiled import compiled

SMALL = st.integers(-6, 6)


def _larger(inner: st.SearchStrategy[Poly]) -> st.SearchStrategy[Poly]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda pair: pair[0] + pair[1]),
        pairs.map(lambda pair: pair[0] * pair[1]),
        pairs.map(lambda pair: floor_div(*pair)),
        pairs.map(lambda pair: trunc_div(*pair)),
        pairs.map(lambda pair: minimum(list(pair))),
        pairs.map(lambda pair: maximum([const(0), *pair])),
        st.tuples(inner, st.sampled_from([2, 3])).map(lambda pair: power(pair[1], minimum([pair[0], const(9)]))),
    )


EXPRESSIONS = st.recursive(st.one_of(SMALL.map(const), st.sampled_from([var("t"), var("n")])), _larger, max_leaves=8)


@given(EXPRESSIONS, SMALL, SMALL)
def test_it_has_the_same_value(expression: Poly, t: int, n: int) -> None:
    assume(not expression.unknowns())  # x / 0
    try:
        expected = expression.evaluate({"t": t, "n": n})
    except (ZeroDivisionError, TooManyTerms) as error:
        with pytest.raises(type(error)):
            compiled(expression, ("t", "n"))(t, n)
        return
    try:
        found = compiled(expression, ("t", "n"))(t, n)
    except ZeroDivisionError:  # of a product with 0, which is said
        return
    assert found == expected


def test_other_forms_and_fractions() -> None:
    inner = sum_of("u", var("t"), power(2, var("u")) * var("n"))
    assert compiled(inner * Fraction(1, 2), ("n", "t"))(6, 5) == 3 * 31


def test_sums_in_sums_have_a_limit_together() -> None:
    t, u = var("t"), var("u")
    odd = minimum([const(1), trunc_div(t, power(2, u)) - 2 * floor_div(trunc_div(t, power(2, u)), 2)])
    assert sum_of("t", const(1024), sum_of("u", const(10), odd)).constant == 10 * 512  # the bits of all numbers
    with pytest.raises(TooManyTerms, match="more than"):
        sum_of("t", var("n"), sum_of("u", var("n"), odd)).evaluate({"n": 3000})


def test_a_factor_of_zero_hides_a_division_by_zero_in_a_long_sum() -> None:
    t = var("t")
    assert sum_of("t", const(100), t * floor_div(const(100), t)).constant == sum(
        each * (100 // each) for each in range(1, 100)
    )
