"""Choices of indices that are minima and maxima: clamps as people write them."""

from collections.abc import Mapping

import pytest

from ....lowering import body

_BOTH = """
int by_choices(int x, int n) { return x < 0 ? 0 : (x > n - 1 ? n - 1 : x); }
int by_returns(int x, int n) { if (x < 0) return 0; if (x >= n) return n - 1; return x; }
int upper_first(int x, int n) { return x >= n ? n - 1 : (x < 0 ? 0 : x); }
int in_steps(int x, int n) { if (x < 0) x = 0; if (x > n - 1) x = n - 1; return x; }
int strict(int x, int n) { return x > 0 ? (x < n ? x : n - 1) : 0; }
"""
_LOOP = "void f(int n, double *a, const double *b) {{ for (int i = 0; i < n; i++) a[i] = b[{}(i + 1, n)]; }}"


def _subscript(text: str, defines: Mapping[str, int] | None = None) -> str:
    (line,) = [line for line in body(text, "f", defines) if "= b[" in line]
    return line.split("= b[")[1].rsplit("]", 1)[0]


@pytest.mark.parametrize("name", ["by_choices", "by_returns", "upper_first", "in_steps", "strict"])
def test_an_index_that_is_clamped_on_both_sides_is_a_minimum_and_a_maximum(name):
    assert _subscript(_BOTH + _LOOP.format(name)) in ("max(0, min(i + 1, n - 1))", "min(max(0, i + 1), n - 1)")


def test_limits_that_may_cross_are_not_a_clamp():
    # for m < 0 the choice is m where i >= 0, and max(0, min(i, m)) is 0
    text = _LOOP.format("").replace("(i + 1, n)", "i < 0 ? 0 : i > m ? m : i").replace("int n", "int n, int m")
    assert "max" not in _subscript(text)


def test_limits_that_a_guard_puts_in_order_are_a_clamp():
    # i >= 0 and i < m, so that m - 1 >= 0
    loop = "for (int i = 0; i < n; i++) if (i < m) a[i] = b[by_choices(i - 1, m)];"
    text = f"{_BOTH} void f(int n, int m, double *a, const double *b) {{ {loop} }}"
    assert _subscript(text) == "max(0, min(i - 1, m - 1))"


def test_a_remainder_of_less_than_two_periods_under_a_guard_is_piecewise():
    # i + 1 <= m < 2*m
    loop = "for (int i = 0; i < n; i++) if (i < m) a[i] = b[(i + 1) % m];"
    text = f"void f(int n, int m, double *a, const double *b) {{ {loop} }}"
    assert _subscript(text) == "i - m*min(1, max(0, i - m + 2)) + 1"


def test_limits_whose_values_are_given_are_a_clamp():
    text = _LOOP.format("by_choices").replace("(i + 1, n)", "(i - 1, m)").replace("int n", "int n, int m")
    assert _subscript(_BOTH + text, {"m": 8}) in ("max(0, min(i - 1, m - 1))", "max(0, min(i - 1, 7))")
    assert "max" not in _subscript(_BOTH + text)


@pytest.mark.parametrize(
    "returns",
    [
        "if (x < 0) return 0; if (x > 9) return 8; return x;",  # a jump at 9
        "if (x > 0) return 0; if (x > 9) return 9; return x;",  # the other side of the limit
    ],
)
def test_returns_that_are_no_clamp_are_none(returns):
    text = f"int g(int x, int n) {{ {returns} }}\n" + _LOOP.format("g")
    assert "min" not in _subscript(text)
    assert "max" not in _subscript(text)
