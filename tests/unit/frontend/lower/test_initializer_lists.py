"""Values of a ``std::initializer_list`` are computed where the list stands, whatever takes it."""

import pytest

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
