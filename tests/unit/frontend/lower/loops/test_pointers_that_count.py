"""Loops whose counter is a pointer into one of several arrays that change places around them."""

import pytest

from tests.rows import file_report

SUM = """#include <numeric>
#include <utility>
#include <vector>
static double sum(const double *f, const double *l) { double s = 0; for (; f != l; ++f) s += *f; return s; }
static double total(const std::vector<double> &v) { return std::accumulate(v.begin(), v.end(), 0.0); }
"""
VECTORS = "std::vector<double> x(n), y(n);"


@pytest.mark.parametrize(
    ("arrays", "body"),
    [
        ("", "s += sum(x, x + n); std::swap(x, y);"),
        ("", "const double *f = x, *l = x + n; while (f < l) s += *f++; std::swap(x, y);"),
        (VECTORS, "s += sum(x.data(), x.data() + n); x.swap(y);"),
        (VECTORS, "s += total(x); std::swap(x, y);"),
        (VECTORS, "s += total(x); for (auto &e : y) e = s; x.swap(y);"),
    ],
)
def test_they_have_closed_forms(arrays, body):
    """More repetitions than are run one by one: each of 70 adds n numbers, and the sum of these."""
    given = "int n" if arrays else "int n, double *x, double *y"
    text = f"{SUM} double f({given}) {{ {arrays} double s = 0; for (int t = 0; t < 70; t++) {{ {body} }} return s; }}"
    found = next(region for region in file_report(text).regions if region.profile.name == "f").profile.work.flops
    calls = 70 if "s += sum" in body or "s += total" in body else 0
    assert (found.is_exact, found.estimate.evaluate({"n": 100})) == (True, 70 * 100 + calls)
