"""Sums of polynomials and powers in closed form, and forms for powers of two."""

from fractions import Fraction

import pytest

from analyzer.ir.index import Poly, floor_div, logarithm, maximum, power, sum_of, trunc_div, var
from analyzer.quantities.exponential import merged, summed
from analyzer.quantities.powers_of_two import for_powers_of_two

N, T = var("n"), var("t")


@pytest.mark.parametrize(
    "body",
    [
        T * 0 + 1,
        T,
        T * T * T - 2 * T,
        power(2, T),
        power(3, T) * T,
        power(2, -T) * 5,
        power(2, T) * power(3, T) * T * T,
    ],
    ids=str,
)
def test_closed_sums_are_the_sums(body: Poly) -> None:
    closed = summed("t", N, body)
    assert "sum" not in str(closed)
    for count in range(6):
        assert closed.evaluate({"n": count}) == sum((body.evaluate({"t": term}) for term in range(count)), Fraction(0))


def test_what_has_no_closed_form_stays_a_sum() -> None:
    found = summed("t", logarithm(2, N), floor_div(N, power(2, T + 1)) + 3)
    assert str(found) == "3*floor(log2(n)) + sum(floor(n/(2*2^t)) for t < floor(log2(n)))"
    assert found.evaluate({"n": 100}) == 3 * 6 + 50 + 25 + 12 + 6 + 3 + 1


def test_powers_of_one_base_are_one() -> None:
    assert str(merged(power(2, T) * power(2, N - T))) == "2^n"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (
            sum_of("t", logarithm(2, N), power(2, T) * floor_div(N + power(2, T + 1) - 1, power(2, T + 1))),
            "1/2*n*log2(n)",
        ),
        (power(2, logarithm(2, N, up=True)) - 1, "n - 1"),
        (sum_of("t", logarithm(2, trunc_div(N, 2)) + 1, floor_div(trunc_div(N, 2), power(2, T))), "n - 1"),
        (sum_of("t", logarithm(2, N - 1) + 1, floor_div(N - 1, power(2, T))), "2*n - log2(n) - 2"),
    ],
    ids=["butterflies", "power", "halves", "rounded"],
)
def test_forms_for_powers_of_two(form: Poly, text: str) -> None:
    assert str(for_powers_of_two(form)) == text


def test_a_sum_that_powers_of_two_do_not_close_has_no_form() -> None:
    assert for_powers_of_two(sum_of("t", logarithm(2, N), floor_div(N, power(3, T)))) is None
    neither = maximum((floor_div(N, 3), floor_div(N, 5)))  # of which powers of two make nothing plainer
    assert for_powers_of_two(power(2, logarithm(2, N)) * neither) is None
    assert for_powers_of_two(N) is None
