"""Searches that divide an interval: formulas without sizes against the searches themselves, for each key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline import estimate
from roofline.report.regions import RegionReport

_SOURCE = """
int half_open(int n, double x, const double *a, double *steps) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    steps[0] += 1;
    if (a[mid] < x) lo = mid + 1; else hi = mid;
  }
  return lo;
}
int closed(int n, double x, const double *a, double *steps) {
  int lo = 0, hi = n - 1;
  while (lo <= hi) {
    int mid = lo + ((hi - lo) >> 1);
    steps[0] += 1;
    if (a[mid] < x) lo = mid + 1; else hi = mid - 1;
  }
  return lo;
}
long grid(long n, double x, double *a, double *steps) {
  long lower = 0, upper = n - 1, length = upper - lower;
  while (length > 1) {
    long middle = lower + length / 2;
    steps[0] += 1;
    if (a[middle] > x) upper = middle; else lower = middle;
    length = upper - lower;
  }
  return lower;
}
int lower_bound(int n, double x, const double *a, double *steps) {
  int first = 0, count = n;
  while (count > 0) {
    int half = count / 2;
    steps[0] += 1;
    if (a[first + half] < x) { first += half + 1; count -= half + 1; } else count = half;
  }
  return first;
}
int thirds(int n, double x, const double *a, double *steps) {
  int lo = 0, hi = n;
  while (hi - lo > 2) {
    int third = (hi - lo) / 3;
    steps[0] += 1;
    if (a[lo + third] > x) hi = lo + third;
    else if (a[lo + 2 * third] > x) { lo = lo + third; hi = lo + third; }
    else lo = lo + 2 * third;
  }
  return lo;
}
int skipping(int n, double x, const double *a, double *steps) {
  int lo = 0;
  for (int count = n; count > 1; count -= count / 2) {
    steps[0] += 1;
    if (a[lo + count / 2] > x) continue;
    lo += count / 2;
  }
  return lo;
}
int narrowing(int n, double x, const double *a, double *steps) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    steps[0] += 1;
    if (a[mid] < x) lo = lo + 1; else hi = mid;
  }
  return lo;
}
"""


def _half_open(n: int, key: int) -> int:
    low, high, steps = 0, n, 0
    while low < high:
        middle, steps = (low + high) // 2, steps + 1
        low, high = (middle + 1, high) if middle < key else (low, middle)
    return steps


def _closed(n: int, key: int) -> int:
    return _half_open(n, key)


def _grid(n: int, key: int) -> int:
    low, high, steps = 0, n - 1, 0
    while high - low > 1:
        middle, steps = low + (high - low) // 2, steps + 1
        low, high = (low, middle) if middle > key else (middle, high)
    return steps


def _skipping(n: int, key: int) -> int:
    steps, count = 0, n
    while count > 1:
        steps, count = steps + 1, count - count // 2
    return steps


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("skipping", _skipping),
        ("half_open", _half_open),
        ("closed", _closed),
        ("grid", _grid),
        ("lower_bound", _half_open),
    ],
)
def test_a_search_takes_what_its_interval_says(tmp_path: Path, name: str, run: Callable[[int, int], int]) -> None:
    steps = _regions(tmp_path)[name].flops.quantity
    for n in range(2, 80):
        taken = [run(n, key) for key in range(-1, n + 1)]
        least, most = steps.lower.evaluate({"n": n}), steps.most.evaluate({"n": n})
        assert least <= min(taken), n
        assert most == max(taken), n
        assert most - least <= 1, n


@pytest.mark.parametrize("name", ["thirds", "narrowing"])
def test_ways_that_leave_different_parts_stay_open(tmp_path: Path, name: str) -> None:
    assert "trip_L" in "".join(_regions(tmp_path)[name].flops.symbols)


def test_searches_in_a_table_read_no_more_than_the_table(tmp_path: Path) -> None:
    source = tmp_path / "many.c"
    source.write_text("""
void many(int m, int n, const double *a, const double *x, int *found) {
  for (int i = 0; i < m; i++) {
    int lo = 0, hi = n;
    while (lo < hi) {
      int mid = (lo + hi) / 2;
      if (a[mid] < x[i]) lo = mid + 1; else hi = mid;
    }
    found[i] = lo;
  }
}
""")
    (region,) = estimate(str(source), machines="haswell", sizes={"n": 1000, "m": 100_000}).regions
    streams = 100_000 * (8 + 4 + 4)
    assert region.bytes.value == pytest.approx(streams + 1000 * 8, rel=0.001)
    assert region.bytes.quantity.most.evaluate({}) <= streams + 1001 * 8 + 4 * 64


def _regions(folder: Path) -> dict[str, RegionReport]:
    source = folder / "search.c"
    source.write_text(_SOURCE)
    return {region.profile.function: region for region in estimate(str(source)).regions}
