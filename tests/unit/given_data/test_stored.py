"""Integers that a function stores by counters alone: the mean length of rows, and the elements that indices choose."""

from __future__ import annotations

import pytest

from analyzer.ir.nodes import Region
from analyzer.ir.passes.given import uses_given
from analyzer.options import AnalysisOptions, CacheOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.source import Language, SourceFile
from analyzer.traffic.hierarchy import Hierarchy, parse_hierarchy
from roofline import estimate, source_text

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


POISSON = """#include <stdlib.h>
void f(double *x, double *y, const double *val) { enum { m = 200, n = m * m };
int *row = malloc((n + 1) * sizeof *row), *col = malloc(5 * n * sizeof *col), k = 0;
for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) { int r = i * m + j; row[r] = k;
  if (i > 0) col[k++] = r - m;
  if (j > 0) col[k++] = r - 1;
  col[k++] = r;
  if (j < m - 1) col[k++] = r + 1;
  if (i < m - 1) col[k++] = r + m; }
row[n] = k;
for (int t = 0; t < %d; t++)
  for (int r = 0; r < n; r++) {
    double s = 0; for (int k = row[r]; k < row[r + 1]; k++) s += val[k] * x[col[k]]; y[r] = s; } }
"""
TRIANGLES = """static int tri[20000][3]; static double u[101 * 101], v[20000];
void f(void) { enum { n = 100 };
for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) { int w = j * (n + 1) + i, e = 2 * (j * n + i);
  tri[e][0] = w; tri[e][1] = w + 1; tri[e][2] = w + n + 1;
  tri[e + 1][0] = w + 1; tri[e + 1][1] = w + n + 2; tri[e + 1][2] = w + n + 1; }
for (int e = 0; e < 2 * n * n; e++) v[e] = u[tri[e][0]] + u[tri[e][1]] + u[tri[e][2]]; }
"""


def moved_bytes(text: str) -> float:
    """Return the bytes of the last nest from and to memory behind one cache."""
    cache = CacheOptions(hierarchies=(parse_hierarchy("L1:64KiB"),))
    (file,) = analyze(SourceFile("x.c", text, Language.C), AnalysisOptions(cache=cache))
    memory = file.traffic[0].nests[-1].models[0].levels[-1]
    parts = (memory.read_bytes, memory.write_allocate_bytes, memory.write_bytes)
    return float(sum(part.estimate.evaluate({}) for part in parts))


@pytest.mark.parametrize("times", [1, 10])
def test_a_product_with_stored_columns_has_the_bytes_of_its_bands(times: int) -> None:
    """Two rows of the grid, 32 KB, lie between the uses of x: each array passes once."""
    rows, elements = 200**2, 5 * 200**2 - 4 * 200
    once = 12 * elements + (4 + 8 + 2 * 8) * rows  # values and columns; starts, x and y, which is allocated
    assert moved_bytes(POISSON % times) == pytest.approx(times * once, rel=0.01)


def test_corners_of_stored_triangles_are_near_each_other() -> None:
    assert moved_bytes(TRIANGLES) == pytest.approx(12 * 20000 + 8 * 101**2 + 16 * 20000, rel=0.01)
    of_data = TRIANGLES.replace("tri[e][0] = w;", "tri[e][0] = v[e] > 0 ? w : 0;")
    assert moved_bytes(of_data) > 2 * (12 * 20000 + 8 * 101**2 + 16 * 20000)


def test_conditions_in_the_sizes_know_no_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are of other sizes than the one that the elements are stored for."""
    asked: list[bool] = []

    def reuses(region: Region, _: Hierarchy) -> tuple[()]:
        asked.append(uses_given(region.body))
        return ()

    monkeypatch.setattr("analyzer.traffic.conditions.reuses", reuses)
    cache = CacheOptions(hierarchies=(parse_hierarchy("L1:64KiB"),), conditions=True)
    analyze(SourceFile("x.c", TRIANGLES, Language.C), AnalysisOptions(cache=cache))
    assert asked
    assert not any(asked)


@pytest.mark.parametrize(
    ("handed", "is_known"),
    [
        ("{-3, 0, 3}", True),
        ("std::vector<int>{-3, 0, 3}", True),
        ("named", True),
        ("{-3, int(x[0]), 3}", False),
    ],
)
def test_indices_by_a_table_that_is_handed_over(handed: str, is_known: bool) -> None:
    """The columns i + o[k], within 0 to n - 1, are known where the table is; else they may be any."""
    text = f"""#include <vector>
static void columns(int n, const std::vector<int> &o, std::vector<int> &col) {{
  for (int k = 0; k < 3; k++) for (int i = 0; i < n; i++) {{
    int j = i + o[k]; if (j < 0) j = 0; if (j >= n) j = n - 1; col[k * n + i] = j; }} }}
void f(int n, const double *x, double *y) {{ std::vector<int> col(3 * n), named{{-3, 0, 3}};
  columns(n, {handed}, col);
  for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) y[i] += x[col[k * n + i]]; }}"""
    regions = estimate(source_text(text, "cpp"), sizes={"n": 99}).regions
    (profile,) = (each.profile for each in regions if each.profile.function == "f")
    assert any(note.code == "AI320" for note in profile.assumptions) is is_known


def test_rows_behind_members_that_a_loop_leaves_as_they_are() -> None:
    """A product in a loop over steps: the structure is handed on by its address, and nothing changes its pointers."""
    text = f"""#include <stdlib.h>
typedef struct {{ int n, *row, *col; double *val; }} csr;
static void *get(size_t bytes) {{ void *p = malloc(bytes); if (!p) exit(1); return p; }}
static void build(csr *A) {{ enum {{ m = 30, n = m * m }}; int k = 0; A->n = n;
int *row = A->row = get((n + 1) * sizeof(int)), *col = A->col = get(5 * n * sizeof(int));
A->val = get(5 * n * sizeof(double)); {GRID} }}
static void product(const csr *A, const double *x, double *y) {{ for (int r = 0; r < A->n; r++) {{ double s = 0;
  for (int k = A->row[r]; k < A->row[r + 1]; k++) s += A->val[k] * x[A->col[k]]; y[r] = s; }} }}
void f(double *x, double *y) {{ csr A; build(&A); for (int t = 0; t < 7; t++) product(&A, x, y); }}"""
    (file,) = analyze(SourceFile("x.c", text, Language.C), AnalysisOptions(functions=("f",)))
    found = file.profile.regions[0]
    assert found.work.flops.is_exact
    assert found.work.flops.estimate.evaluate({**found.values, **found.averages}) == 7 * 2 * (5 * 900 - 4 * 30)


def test_containers_that_rows_are_pushed_to_keep_their_growth_where_the_rows_are_known() -> None:
    text = """#include <vector>
int main() { const int n = 500;
std::vector<int> row, col; std::vector<double> val, x(n, 1.0), y(n);
row.push_back(0);
for (int r = 0; r < n; ++r) {
  if (r > 0) { col.push_back(r - 1); val.push_back(-1.0); }
  col.push_back(r); val.push_back(2.0);
  row.push_back(static_cast<int>(col.size())); }
for (int i = 0; i < n; ++i)
  for (int k = row[i]; k < row[i + 1]; ++k) y[i] += val[k] * x[col[k]]; }"""
    (file,) = analyze(SourceFile("x.cpp", text, Language.CXX), AnalysisOptions())
    (region,) = file.profile.regions
    build = next(nest for nest in region.nests if nest.span.line == 5)
    assert build.footprint.written.bytes.estimate.evaluate({}) == 12 * (2 * 500 - 1) + 4 * 500
