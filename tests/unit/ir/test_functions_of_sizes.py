"""Powers, logarithms, roots and sums as parts of index expressions."""

import pytest

from analyzer.ir.index import (
    Poly,
    TooManyTerms,
    const,
    floor_div,
    logarithm,
    maximum,
    minimum,
    power,
    root,
    sum_of,
    var,
)

N, T = var("n"), var("t")


@pytest.mark.parametrize(("number", "down", "up"), [(0, -1, 0), (1, 0, 0), (2, 1, 1), (3, 1, 2), (8, 3, 3), (9, 3, 4)])
def test_logarithms_are_whole(number: int, down: int, up: int) -> None:
    assert logarithm(2, N).evaluate({"n": number}) == down
    assert logarithm(2, N, up=True).evaluate({"n": number}) == up
    assert logarithm(2, const(number)).constant == down


def test_large_numbers_are_exact() -> None:
    assert logarithm(2, N).evaluate({"n": 2**61 - 1}) == 60
    assert root(N).evaluate({"n": 10**30 - 1}) == 10**15 - 1
    assert root(const(-1)).constant == -1


def test_a_sum_binds_its_index() -> None:
    found = sum_of("t", N, power(2, T) * var("m"))
    assert found.names() == {"n", "m"}
    assert found.substitute({"t": 5}) == found
    assert found.evaluate({"n": 4, "m": 3}) == 45
    assert sum_of("t", const(4), power(2, T)).constant == 15


def test_divisors_of_large_numbers_are_summed_in_blocks() -> None:
    """The numbers of divisors of 1 to 10^k (OEIS A057494), far more than could be added one by one."""
    assert sum_of("t", N, floor_div(N, T + 1)).evaluate({"n": 10**6}) == 13_970_034
    assert sum_of("t", const(10**9), floor_div(const(10**9), T + 1)).constant == 20_877_697_634


@pytest.mark.parametrize("number", [1025, 3000])
@pytest.mark.parametrize(
    "term",
    [
        floor_div(N + T + 1, T + 2),
        floor_div(N - T * T, T + 1) * T + T * T,
        floor_div(-N, T * 2 + 3) * floor_div(N, T + 5),
        maximum([const(0), floor_div(N - T * T, T + 1)]),
        floor_div(N - T, T + 2) * minimum([const(1), maximum([const(0), N - T * 2])]),
    ],
)
def test_blocks_have_the_sum_of_their_terms(term: Poly, number: int) -> None:
    expected = sum(term.evaluate({"n": number, "t": each}) for each in range(number))
    assert sum_of("t", N, term).evaluate({"n": number}) == expected


def test_powers_show_their_exponent() -> None:
    assert str(power(2, T) * power(2, T) * 3) == "3*2^(2*t)"
    assert str(power(2, T + 2)) == "4*2^t"


def test_what_takes_too_long_is_said() -> None:
    with pytest.raises(TooManyTerms, match="is not worked out"):
        sum_of("t", N, root(T)).evaluate({"n": 10**9})
    with pytest.raises(TooManyTerms, match="is not worked out"):
        power(2, N).evaluate({"n": 10**9})


def test_a_product_with_zero_is_zero_where_another_factor_divides_by_zero() -> None:
    blocks = floor_div(var("n"), var("d"))
    assert (var("d") * blocks + var("d")).evaluate({"n": 8, "d": 0}) == 0
    assert (blocks * floor_div(var("d"), const(2))).evaluate({"n": 8, "d": 0}) == 0
    with pytest.raises(ZeroDivisionError):
        (var("n") * blocks).evaluate({"n": 8, "d": 0})
