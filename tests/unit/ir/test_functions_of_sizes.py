"""Powers, logarithms, roots and sums as parts of index expressions."""

import pytest

from analyzer.ir.index import TooManyTerms, const, logarithm, power, root, sum_of, var

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


def test_powers_show_their_exponent() -> None:
    assert str(power(2, T) * power(2, T) * 3) == "3*2^(2*t)"
    assert str(power(2, T + 2)) == "4*2^t"


def test_what_takes_too_long_is_said() -> None:
    with pytest.raises(TooManyTerms, match="is not worked out"):
        sum_of("t", N, root(T)).evaluate({"n": 10**9})
    with pytest.raises(TooManyTerms, match="is not worked out"):
        power(2, N).evaluate({"n": 10**9})
