"""Variables of different scopes with one name, which data move in the same loop: they stand at different elements."""

import pytest

from tests.rows import file_report

POINTERS = """static const double *p;
static void advance(const int *y, int i) { p += y[i]; }
static double here(const double *a) { return *p; }
void f(int n, const double *restrict a, double *restrict out, const int *restrict x, const int *restrict y) {
  p = a;
  { const double *p = a; for (int i = 0; i < n; i++) { out[i] = *p * here(a); p += x[i]; advance(y, i); } }
}"""
COUNTERS = """static int p;
static void advance(const int *y, int i) { p += y[i]; }
static double here(const double *a) { return a[p]; }
void f(int n, const double *restrict a, double *restrict out, const int *restrict x, const int *restrict y) {
  p = 0;
  { int p = 0; for (int i = 0; i < n; i++) { out[i] = a[p] * here(a); p += x[i]; advance(y, i); } }
}"""


@pytest.mark.parametrize("text", [POINTERS, COUNTERS], ids=["pointers", "counters"])
def test_each_loads_its_own_element(text: str) -> None:
    """An iteration loads x[i] and y[i], of 4 bytes, and two elements of a, of 8."""
    (region,) = (region for region in file_report(text, "x.c").regions if region.profile.name == "f")
    iteration = region.profile.per_iteration
    assert iteration is not None
    assert (iteration.loads, iteration.load_bytes, iteration.store_bytes) == (4, 24, 8)
