"""Loops whose condition calls a function with loops: its work is that of each test."""

import pytest

from roofline import estimate, source_text

NORM = """\
static double norm(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i];
  return s;
}
void f(int n, double *x) {
  int r = 0;
  while (CONDITION) { x[r] *= 0.5; r++; }
}
"""


@pytest.mark.parametrize(
    ("condition", "tests"),
    [("norm(n, x) > 1.0 && r < 30", 31), ("r < 30 && norm(n, x) > 1.0", 30)],  # 2 n FLOPs each, and a product in 30
)
def test_work_of_the_condition_is_counted(tmp_path, condition, tests):
    (tmp_path / "a.c").write_text(NORM.replace("CONDITION", condition))
    (region,) = estimate(str(tmp_path / "a.c"), sizes={"n": 100}, functions=("f",)).regions
    assert region.profile.work.flops.most.evaluate({**region.profile.values, "trip_L8": 1000}) == tests * 200 + 30
    assert not region.profile.work.flops.is_exact


@pytest.mark.parametrize(
    ("function", "call", "flops"),
    [
        ("int digits(int v) { int k = 0; while (v) { v /= 10; k++; } return k; }", "digits(n)", 3),
        ("int half(int n) { int k = 0; for (int j = 0; j < n; j += 2) k++; return k; }", "half(n)", 50),
        (
            "int two(double x) { int k = 0; for (int j = 0; j < 2; j++) { x *= x; k++; } return k; }",
            "two(x)",
            2 + 3 * 2,
        ),
    ],
)
def test_a_number_that_a_loop_computes_in_a_test_is_that_of_each_test(tmp_path, function, call, flops):
    text = f"static {function}\nvoid f(int n, double x, double *a) {{ for (int i = 0; i < {call}; i++) a[i] += 1; }}"
    (tmp_path / "a.c").write_text(text)
    (region,) = estimate(str(tmp_path / "a.c"), functions=("f",)).regions
    found = region.profile.work.flops
    assert (found.lower.evaluate({"n": 100}), found.is_exact) == (flops, True)


ENDED_INSIDE = """#include <math.h>
static double norm(const double *r, int n) {{ double s = 0; for (int i = 0; i < n; i++) s += r[i]; return s; }}
int solve(double *r, int n) {{
  int k = 0;
  {loop}
  return k;
}}"""


@pytest.mark.parametrize(
    ("loop", "sums", "scalings"),
    [
        ("while (norm(r, n) > 1e-6 && k < 300) k++;", 301, 0),
        ("double e = 1; while (e > 1e-6) { e = norm(r, n); if (k++ >= 300) return -1; "
         "for (int i = 0; i < n; i++) r[i] *= 0.5; }", 301, 300),
        ("double e; do { e = norm(r, n); if (++k == 50) break; for (int i = 0; i < n; i++) r[i] *= 0.5; } "
         "while (e > 1e-6);", 50, 49),
        ("while (norm(r, n) > 1e-6) { if (k++ >= 300) return -1; for (int i = 0; i < n; i++) r[i] *= 0.5; }", 301, 300),
        ("for (;;) { double e = norm(r, n); if (e < 1e-6) break; if (++k == 200) break; "
         "for (int i = 0; i < n; i++) r[i] *= 0.5; }", 200, 199),
    ],
)  # fmt: skip
def test_a_counter_that_ends_a_loop_in_the_middle_bounds_it(loop, sums, scalings):
    """The first part of the body runs once more than the counter lets the second part run, at most."""
    region = estimate(source_text(ENDED_INSIDE.format(loop=loop)), "haswell", sizes={"n": 1000}).regions[-1]
    assert region.flops.upper == 1000 * (sums + scalings)
    assert not region.profile.work.flops.is_exact
    assert region.expected_time is not None
