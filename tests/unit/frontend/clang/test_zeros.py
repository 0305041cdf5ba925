"""Zeros that C and C++ give new elements: stores where the program makes them."""

import pytest

from tests.rows import file_report

HEAD = """
#include <array>
#include <cstdlib>
#include <memory>
#include <vector>
struct Point { double x, y; int kind; };
struct Made { double x, y; Made() : x(1), y(2) {} };
struct Partly { double x = 1, y; };
struct Cell { double f[3]; int k; };
"""
SIZE = 1000


@pytest.mark.parametrize(
    ("made", "stores"),
    [
        ("std::vector<double> v(n)", SIZE),
        ("std::vector<double> v(n, 0.0)", SIZE),
        ("std::vector<double> v; v.resize(n)", SIZE),
        ("std::vector<double> v(n); v.resize(2 * n)", 3 * SIZE),  # a move to larger memory, and the new ones
        ("std::vector<double> v(n); v.clear(); v.resize(n)", 2 * SIZE),
        ("auto v = std::make_unique<double[]>(n)", SIZE),
        ("double *v = new double[n]()", SIZE),
        ("double *v = new double[n]{}", SIZE),
        ("double *v = new double[n]", 0),
        ("double *v = (double *)calloc(n, 8)", 0),
        ("double *v = new double[4]{1, 2}", 4),
        ("std::vector<Point> v(n)", 3 * SIZE),
        ("std::vector<Made> v(n)", 2 * SIZE),
        ("Made *v = new Made[n]", 2 * SIZE),
        ("Point *v = new Point[n]", 0),
        ("Point *v = new Point[n]()", 3 * SIZE),
        ("std::vector<Partly> v(n)", 2 * SIZE),
        ("std::vector<Cell> v(n)", 4 * SIZE),
        ("std::vector<std::array<double, 3>> v(n)", 3 * SIZE),
        ("std::vector<std::vector<double>> v(n)", 0),
        ("double v[16] = {}", 16),
        ("double v[16] = {1, 2}", 16),
        ("double v[100] = {0}", 100),
        ("double v[4][50] = {{1}}", 200),
        ("std::array<double, 16> v{}", 16),
        ("Cell v[8] = {}", 32),
        ("static double v[16]", 0),
        ("double v[16]", 0),
    ],
)
def test_stores_of_new_elements(made: str, stores: int) -> None:
    text = f"{HEAD}void f(double *o, int n) {{ {made}; for (int i = 0; i < n; i++) o[i] = 1; }}"
    (region,) = [each for each in file_report(text).regions if each.profile.function == "f"]
    found = region.profile.stores.elements
    assert (found.is_exact, found.lower.evaluate({"n": SIZE})) == (True, stores + SIZE)


@pytest.mark.parametrize(
    ("text", "flops"),
    [
        ("int m[2] = {}; m[1] = 7; for (int i = 0; i < m[1]; i++) s += x[i];", 7),
        ("struct { int first, second; } m = {4}; for (int i = m.second; i < m.first; i++) s += x[i];", 4),
        ("int k{}; for (int i = k; i < 9; i++) s += x[i];", 9),
        ("int m[3] = {3, 4}; for (int i = 0; i < m[2] + 1; i++) s += x[i];", 1),
    ],
)
def test_integers_that_a_list_leaves_out_are_zero(text: str, flops: int) -> None:
    (region,) = file_report(f"double f(const double *x) {{ double s = 0; {text} return s; }}").regions
    assert region.profile.work.flops.lower.evaluate({}) == flops


def test_zeros_that_were_read_before_another_store_are_not_taken_for_it() -> None:
    """Two iterations, and five."""
    text = "for (int i = 0; i < m[1] + 2; i++) s += x[i]; m[1] = 5; for (int i = 0; i < m[1]; i++) s += x[i];"
    (region,) = file_report(f"double f(const double *x) {{ int m[2] = {{}}; double s = 0; {text} return s; }}").regions
    assert region.profile.work.flops.lower.evaluate({}) == 7
