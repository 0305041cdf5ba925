"""Positions of a maximum: a reference to where a search has come to brings no line of its own."""

import pytest

from roofline import estimate, source_text

SORT = """static int b[10000]; void f(void) { for (int i = 0; i < 9999; i++) {
  int least = i; for (int j = i + 1; j < 10000; j++) if (b[j] < b[least]) least = j;
  int t = b[i]; b[i] = b[least]; b[least] = t; } }"""
PIVOT = """static double a[300][300]; void f(void) { for (int k = 0; k < 300; k++) {
  int p = k; for (int i = k + 1; i < 300; i++) if (a[i][k] > a[p][k]) p = i; a[k][k] += a[p][k]; } }"""
SEARCH = """static double a[4000000]; int f(void) { int peak = 0;
  for (int i = 1; i < 4000000; i++) if (a[i] > a[peak]) peak = i; return peak; }"""


@pytest.mark.parametrize(
    ("text", "level", "traced"),
    [(SORT, "L2", 49_426_944), (PIVOT, "L2", 393_216), (SEARCH, "DRAM", 32_000_000)],
)
def test_bytes_are_those_of_a_run(text, level, traced):
    """Runs through exact caches (``tests/oracle/traced.py``) moved so many; equally likely elements 27 times that."""
    (region,) = estimate(source_text(text, "c"), "haswell", cores=1).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == level)
    lower, estimated, upper = (float(each.evaluate({})) for each in (moved.lower, moved.estimate, moved.upper))
    assert lower <= 1.001 * traced
    assert upper >= 0.999 * traced
    assert estimated == pytest.approx(traced, rel=0.07)


def test_the_position_in_another_array_may_be_anywhere():
    """Elements of c that no iteration has come to are as likely as others."""
    text = SEARCH.replace("double a[4000000]", "double a[4000000], c[4000000]").replace("a[peak])", "c[peak])")
    (region,) = estimate(source_text(text, "c"), "haswell", cores=1).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == "DRAM")
    assert float(moved.upper.evaluate({})) > 100_000_000
