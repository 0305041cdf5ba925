"""Rows of a container of rows that data choose: no more elements than all rows have, against closed forms."""

import pytest

from tests.rows import file_report

TEXT = """#include <vector>
double f(int steps, const int *pick) {
  std::vector<std::vector<double>> rows(100, std::vector<double>(8, 1.0));
  double s = 0;
  for (int t = 0; t < steps; t++) { int u = pick[t]; LOOPS }
  return s;
}
"""


@pytest.mark.parametrize(
    ("loops", "elements"),
    [
        ("for (int k = 0; k < 8; k++) s += rows[u][k];", 8),
        ("for (double x : rows[u]) s += x;", 8),
        ("for (int k = 2; k < 5; k++) rows[u][k] += 1.0;", 3),
        ("for (int k = 0; k < 4; k++) s += rows[u][k]; for (int j = 4; j < 6; j++) s += rows[u][j];", 6),
    ],
)
@pytest.mark.parametrize("steps", [10, 100_000])
def test_all_steps_together_touch_no_more_than_the_rows_have(loops: str, elements: int, steps: int) -> None:
    (region,) = file_report(TEXT.replace("LOOPS", loops)).regions
    nest = region.nests[-1].profile
    touched = sum(
        float(each.touched.elements.estimate.evaluate({"steps": steps}))
        for each in nest.footprint.arrays
        if each.array == "rows[]"
    )
    assert touched == min(steps, 100) * elements


@pytest.mark.parametrize("steps", [10, 100_000])
def test_an_upper_bound_is_no_more_than_the_array_has(steps: int) -> None:
    text = "void f(int steps, const int *key) { static double h[1000];"
    text += " for (int t = 0; t < steps; t++) h[key[t]] += 1.0; }"
    (region,) = file_report(text, "x.c").regions
    (array,) = (each for each in region.profile.footprint.arrays if each.array == "h")
    assert array.touched.elements.upper is not None
    assert array.touched.elements.upper.evaluate({"steps": steps}) == min(steps, 1000)
