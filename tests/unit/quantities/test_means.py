"""Counts at means of whole numbers."""

from __future__ import annotations

from fractions import Fraction

from analyzer.ir.index import Poly, const, var
from analyzer.quantities.chambers import Chamber, Constraint
from analyzer.quantities.means import at_means
from analyzer.quantities.quasipolynomial import Count

A, B, N = var("a"), var("b"), var("N")
HALF = Fraction(1, 2)


def _count(value: Poly, *guard: Poly) -> Chamber:
    return Chamber(tuple(Constraint(each) for each in guard), value)


def test_what_is_affine_is_its_mean() -> None:
    found, is_affine = at_means(Count((_count(N * A, A - 1, N - 1),)), {"a": 2 + HALF})
    assert is_affine
    assert found.evaluate({"N": 4}) == 10
    assert found.evaluate({"N": 0}) == 0


def test_the_larger_of_two_is_the_mean_of_four_cases() -> None:
    """``max(a, b)`` with both 2 or 3: 3 in three cases of four, so 2.75; it is not affine in either."""
    larger = Count((_count(A, A - B), _count(B, B - A - 1)))
    found, is_affine = at_means(larger, {"a": 2 + HALF, "b": 2 + HALF})
    assert not is_affine
    assert found.constant == Fraction(11, 4)


def test_cases_are_weighted_by_their_distance() -> None:
    """``a - b if a > b``: a is 2 in a fifth of the cases and 3 else, b is 2 in three quarters and 3 else."""
    excess = Count((_count(A - B, A - B - 1),))
    found, _ = at_means(excess, {"a": Fraction(14, 5), "b": Fraction(9, 4)})
    assert found.constant == Fraction(4, 5) * Fraction(3, 4)


def test_other_sizes_stay_symbols() -> None:
    """``N - a if N > a`` with a 2 or 3: at N = 3 one in the first case only, at N = 9 seven or six."""
    rest = Count((_count(N - A, N - A - 1),))
    found, is_affine = at_means(rest, {"a": 2 + HALF})
    assert not is_affine
    assert found.evaluate({"N": 3}) == HALF
    assert found.evaluate({"N": 9}) == 7 - HALF


def test_conditions_that_always_hold_do_not_matter() -> None:
    """``b`` is 1 or 2 whatever it is: the count is that of ``a`` squared, 4 or 9."""
    found, is_affine = at_means(Count((_count(A * A, B - 1),)), {"a": 2 + HALF, "b": 1 + HALF})
    assert not is_affine
    assert found.constant == Fraction(13, 2)


def test_what_holds_at_neither_end_is_nothing() -> None:
    found, is_affine = at_means(Count((_count(const(7), A - 5),)), {"a": 2 + HALF})
    assert (found.constant, is_affine) == (0, True)


def test_a_symbol_that_only_chooses_between_equal_means_goes_away() -> None:
    m, n = var("m"), var("n")
    count = Count((_count(m, n - 1), _count(m, -1 * n)))
    assert at_means(count, {"m": Fraction(5, 2)})[0].constant == Fraction(5, 2)
