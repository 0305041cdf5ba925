"""Loops whose condition calls a function with loops: its work is that of each test."""

import pytest

from roofline import estimate

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
