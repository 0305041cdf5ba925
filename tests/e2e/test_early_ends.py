"""Loops that data end: their counts are bounds, until their average number of iterations is given."""

from __future__ import annotations

from pathlib import Path

from roofline import estimate
from roofline.report.regions import RegionReport

NEWTON = """
void roots(int n, double *x) {
  for (int i = 0; i < n; i++) {
    double y = x[i];
    for (int k = 0; k < 50; k++) {
      double e = y * y - x[i];
      if (e * e < 1e-20) break;
      y = y - e / (2 * y);
    }
    x[i] = y;
  }
}
"""
ESCAPE = """
int escape(double cr, double ci, int limit) {
  double zr = 0, zi = 0;
  int k = 0;
  while (k < limit && zr * zr + zi * zi <= 4.0) {
    double t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    k++;
  }
  return k;
}
"""


def _of(tmp_path: Path, text: str, **sizes: float) -> tuple[RegionReport, set[str]]:
    source = tmp_path / "loops.c"
    source.write_text(text)
    report = estimate(str(source), machines="haswell", sizes=sizes)
    codes = {found.code for file in report.files for found in file.profile.diagnostics}
    return next(iter(report.regions)), codes


def test_counts_are_bounds_without_the_number_of_iterations(tmp_path: Path) -> None:
    region, codes = _of(tmp_path, NEWTON, n=1000)
    assert region.flops.upper == 6 * 50 * 1000
    assert "AI204" in codes


def test_a_break_comes_after_the_iterations_that_are_given(tmp_path: Path) -> None:
    region, codes = _of(tmp_path, NEWTON, n=1000, trip_L5=4.5)
    assert region.flops.value == 6 * 4.5 * 1000  # of the last iteration all of it
    assert "AI204" not in codes


def test_a_condition_of_the_loop_is_tested_once_more(tmp_path: Path) -> None:
    region, codes = _of(tmp_path, ESCAPE, limit=1000, trip_L5=200)
    assert region.flops.value == 10 * 200 + 3
    assert "AI204" not in codes


def test_what_data_end_is_neither_vectorised_nor_parallel(tmp_path: Path) -> None:
    find = "int f(int n, const double *a) { int i;\nfor (i = 0; i < n; i++) if (a[i] * a[i] > 2) break; return i; }"
    region, _ = _of(tmp_path, find, n=10**6, trip_L2=1000)
    assert [nest.parallelism.ground.value for nest in region.profile.nests or [region.profile]] == ["early end"]
