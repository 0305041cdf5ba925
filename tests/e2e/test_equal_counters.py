"""Equalities of a counter with a number that data give: one iteration at most satisfies them, in each run of the loop.

The truth is the least and the largest number of FLOPs for all numbers that the data may be, found by running the loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import pytest

from tests.rows import file_report

_PIVOT = """
void f(int n, double *a) {
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int r = p; r < n; r++) if (a[r * n + p] > a[best * n + p]) best = r;
        for (int i = 0; i < n; i++) {
            if (i == best) continue;
            for (int j = 0; j < n; j++) a[i * n + j] -= a[best * n + j];
        }
    }
}
"""
_ROW = """
double f(int n, const int *row, const double *a) {
    double s = 0;
    for (int q = 0; q < n; q++) for (int i = 0; i < n; i++) { if (%s) s += a[i] * 2.0; else s -= a[i]; }
    return s;
}
"""
_BELOW = """
double f(int n, const int *row, const double *a) {
    double s = 0;
    for (int q = 0; q < n; q++) for (int i = 0; i < n; i++) if (i == row[q]) for (int j = 0; j < i; j++) s += a[j];
    return s;
}
"""


def flops(text: str, n: int) -> tuple[float, float, float]:
    (region,) = file_report(text, "x.c").regions
    found = region.profile.work.flops
    assert found.upper is not None
    return tuple(float(count.evaluate({"n": n})) for count in (found.lower, found.estimate, found.upper))


def extremes(n: int, one: Callable[[int, int], Iterator[int]]) -> tuple[int, int]:
    """The sums over q < n of what each number from -1 to n gives."""
    found = [[sum(one(q, number)) for number in range(-1, n + 1)] for q in range(n)]
    return sum(map(min, found)), sum(map(max, found))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_all_rows_but_that_of_the_pivot(n: int) -> None:
    least, most = extremes(n, lambda _, best: (n for i in range(n) if i != best))
    assert flops(_PIVOT, n) == (least, least, most)


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize(("test", "share"), [("i == row[q]", 1), ("!(i != row[q])", 1), ("row[q] - 3 == 2 * i", 1)])
def test_one_iteration_of_two_arms(n: int, test: str, share: int) -> None:
    found = flops(_ROW % test, n)
    least, most = extremes(n, lambda _, number: (2 if i == number else 1 for i in range(n)))
    assert found[0] <= least <= found[1] == most <= found[2]
    assert (found[0], found[2]) == (n * (n - 1), n * (n + 2))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_numbers_that_change_with_the_counter_single_nothing_out(n: int) -> None:
    assert flops(_ROW % "i == row[i]", n)[::2] == (n * n, 2 * n * n)
    text = (_ROW % "i == row[q]").replace("s -= a[i];", "{ ((int *)row)[q] = i + 1; s -= a[i]; }")
    assert flops(text, n)[2] == 2 * n * n


@pytest.mark.parametrize("n", [1, 2, 5])
def test_loops_inside_that_depend_on_the_counter(n: int) -> None:
    found = flops(_BELOW, n)
    least, most = extremes(n, lambda _, number: (i for i in range(n) if i == number))
    assert found[0] <= least <= most <= found[2] == n * (n - 1)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_two_equalities(n: int) -> None:
    text = (_ROW % "i != row[q] && i != row[q + n]").replace("else s -= a[i];", "")
    found = flops(text, n)
    numbers = range(-1, n + 1)
    runs = [sum(2 for i in range(n) if i not in pair) for pair in product(numbers, numbers)]
    assert found[0] <= n * min(runs) <= n * max(runs) <= found[2]


def test_neighbours_of_a_table_within_a_grid() -> None:
    text = """
    double f(int n, int m, const double *a) {
        static const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
        double s = 0;
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int d = 0; d < 4; d++) {
            int x = i + dx[d], y = j + dy[d];
            if (x < 0 || x >= n || y < 0 || y >= m) continue;
            s += a[x * m + y];
        }
        return s;
    }
    """
    (region,) = file_report(text, "x.c").regions
    assert region.profile.work.flops.is_exact
    steps = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    truth = sum(0 <= i + x < 6 and 0 <= j + y < 9 for i in range(6) for j in range(9) for x, y in steps)
    assert region.profile.work.flops.estimate.evaluate({"n": 6, "m": 9}) == truth
