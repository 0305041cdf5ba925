"""Values of symbols at which no quotient divides by zero."""

from __future__ import annotations

from analyzer.ir.index import power, trunc_div, var
from analyzer.quantities.defined import where_defined

X, N, G = var("x"), var("n"), var("g")


def test_what_divides_itself_is_made_larger() -> None:
    nested = trunc_div(X, trunc_div(N, trunc_div(G, var("h"))))
    found = where_defined([nested], {"x": 5, "n": 3, "g": 2, "h": 7})
    assert nested.evaluate(found) == 5 // (found["n"] // (found["g"] // 7))


def test_numbers_of_bits_grow_by_bits() -> None:
    """2^40 / 10^15 is 0, 2^50 / 10^15 is 1."""
    found = where_defined([trunc_div(X, trunc_div(power(2, N), G))], {"x": 5, "n": 40, "g": 10**15})
    assert found == {"x": 5, "n": 50, "g": 10**15}


def test_values_that_do_are_as_they_were() -> None:
    values = {"x": 5, "n": 40, "g": 3}
    assert where_defined([trunc_div(X, trunc_div(N, G)), X * N], values) == values
