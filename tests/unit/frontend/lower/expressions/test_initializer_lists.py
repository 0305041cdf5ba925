"""Values of a ``std::initializer_list`` are computed where the list stands, whatever takes it."""

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from roofline import estimate, source_text

CLASS = """
#include <array>
#include <initializer_list>
struct M {
  std::array<double, 4> m;
  M(std::initializer_list<double> v) { int k = 0; for (double x : v) m[k++] = x; }
  double operator()(int i) const { return m[i]; }
};
"""


@pytest.mark.parametrize(
    ("function", "flops"),
    [
        ("M f(const M &a, double d) { return {d * a(1), d * a(0), d * a(2), d * a(3)}; }", 4),
        ("double f(double x) { M m{x * 2, x * 3, x + 1, 0.0}; return m(0) + m(1); }", 4),
        ("double take(const M &m) { return m(0); } double f(double x) { return take({x * 2, x * 3, x, 0}); }", 2),
        ("void f(double *a) { for (int i = 0; i < 100; i++) { M m{a[i] * 2, a[i] * a[i], 1, 0}; a[i] = m(0); } }", 200),
    ],
)
def test_values_of_a_list_are_counted(function, flops):
    report = estimate(source_text(f"{CLASS}{function}\n", "m.cpp"), functions=("f",))
    (region,) = (region for region in report.regions if region.profile.function == "f")
    assert region.flops.value == flops


SIZES = """
#include <initializer_list>
#include <numeric>
#include <vector>
double sum(std::initializer_list<double> l) { double s = 0; for (double v : l) s += v; return s; }
double first(std::initializer_list<int> l, const double *x) {
  double s = 0;
  for (std::size_t i = 0; i < l.size(); i++) s += x[i];
  return s;
}
struct Poly {
  std::vector<double> c;
  Poly(std::initializer_list<double> l) : c(l) {}
  double at(double x) const { double r = 0; for (std::size_t i = c.size(); i-- > 0;) r = r * x + c[i]; return r; }
};
"""


@pytest.mark.parametrize(
    ("function", "flops"),
    [
        ("double f(double a, double b) { return sum({a, b, 3.0}); }", 3),
        ("double f(const double *x) { return first({1, 2, 3, 4}, x); }", 4),
        ("double f(double a) { auto l = {1.0, 2.0, a}; double s = 0; for (double v : l) s += v; return s; }", 3),
        (
            "double f() { std::initializer_list<double> l = {1, 2}; return std::accumulate(l.begin(), l.end(), 0.0); }",
            2,
        ),
        ("double f(double x) { Poly p{1.0, 2.0, 3.0}; return p.at(x); }", 6),
    ],
)
def test_lists_have_the_number_of_their_elements(function, flops):
    report = estimate(source_text(f"{SIZES}{function}\n", "m.cpp"), functions=("f",))
    (region,) = (region for region in report.regions if region.profile.function == "f")
    assert region.flops.value == flops


def test_elements_of_a_constant_array_have_names() -> None:
    text = """#include <array>
double f(const std::array<double, 3> *all, int n) { double s = 0;
for (int i = 0; i < n; i++) { const auto &[x, y, z] = all[i]; s += x * y + z; } return s; }"""
    (region,) = analyze(SourceFile("x.cpp", text, Language.CXX))[0].regions
    assert str(region.work.flops.estimate) == "3*n"
    assert str(region.footprint.read.bytes.estimate) == "24*n"
