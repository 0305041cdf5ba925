"""Rows of sparse matrices whose starts the same function stores: their mean length, where counters alone decide it."""

from __future__ import annotations

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.source import Language, SourceFile

GRID = """for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) {
  int r = i * m + j; row[r] = k;
  if (i > 0) { col[k] = r - m; k++; }
  if (j > 0) { col[k] = r - 1; k++; }
  col[k++] = r;
  if (j < m - 1) { col[k] = r + 1; k++; }
  if (i < m - 1) { col[k] = r + m; k++; } }
row[n] = k;"""
BAND = "for (int r = 0; r < n; r++) { row[r] = k; if (r > 0) col[k++] = r - 1; col[k++] = r; } row[n] = k;"
AFTER = "row[0] = 0; for (int r = 0; r < n; r++) { for (int c = r; c < n; c++) col[k++] = c; row[r + 1] = k; }"
UNSTORED = "for (int r = 0; r < n; r++) { row[2 * r] = k; k += r % 3; } row[n] = k;"
OF_DATA = "for (int r = 0; r < n; r++) { row[r] = k; if (x[r] > 0) col[k++] = r; } row[n] = k;"


def multiplied(build: str, more: str = "") -> RegionProfile:
    text = f"""#include <stdlib.h>
void f(const double *x, double *y, const double *val) {{ enum {{ m = 30, n = m * m }};
int *row = malloc((n + 1) * sizeof *row), *col = malloc(n * n * sizeof *col), k = 0; {build} {more}
for (int r = 0; r < n; r++) {{ double s = 0;
  for (int k = row[r]; k < row[r + 1]; k++) s += val[k] * x[col[k]]; y[r] = s; }} }}"""
    (file,) = analyze(SourceFile("x.c", text, Language.C), AnalysisOptions())
    (region,) = file.profile.regions
    return region


@pytest.mark.parametrize(
    ("build", "elements"),
    [
        (GRID, 5 * 900 - 4 * 30),
        (BAND, 900 + 899),
        (AFTER, 900 * 901 // 2),
    ],
)
def test_the_mean_length_of_rows_follows_from_their_stored_starts(build: str, elements: int) -> None:
    found = multiplied(build)
    assert found.work.flops.is_exact
    assert found.work.flops.estimate.evaluate({**found.values, **found.averages}) == 2 * elements
    assert "AI320" in {item.code for item in found.assumptions}


@pytest.mark.parametrize("more", ["row[7] = (int)x[0];", "g(row);", "row[5] = 3; row[6] = y[0] > 0 ? 1 : 2;"])
def test_what_may_be_stored_afterwards_leaves_it_open(more: str) -> None:
    assert not multiplied(GRID, more).averages


def test_what_is_stored_after_the_rows_were_read_leaves_it_open() -> None:
    assert not multiplied(
        GRID, "for (int r = 0; r < n; r++) for (int k = row[r]; k < row[r + 1]; k++) y[r] += x[k]; row[9] = 1;"
    ).averages


@pytest.mark.parametrize("build", [UNSTORED, OF_DATA, GRID.replace("row[r] = k;", "row[r] = k; row[m] = i;")])
def test_gaps_data_and_several_orders_leave_it_open(build: str) -> None:
    assert not multiplied(build).averages
