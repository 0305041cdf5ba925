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
