"""Arrays that are given, and what follows from them: names by usage, sizes, trip counts, and misfits."""

from fractions import Fraction

import pytest

from analyzer.errors import OptionError
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.given_data.binding import Arrays, sizes_of, used_in, with_given
from analyzer.given_data.usage import EveryArray, uses_of
from analyzer.ir.given_array import GivenArray
from analyzer.source import SourceFile, language_of
from roofline import estimate, source_text
from tests.bench.given_data import COORDINATES, NEIGHBOURS, PAGERANK, SPMV, SYMGS, _ellpack_source

WARP_PER_ROW = """
__global__ void spmv(int n, const int *p, const int *c, const double *v, const double *x, double *y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row < n) {
    double s = 0.0;
    for (int j = p[row] + lane; j < p[row + 1]; j += 32) s += v[j] * x[c[j]];
    y[row] = s;
  }
}
"""

OF_STRUCT = """
typedef struct { int n; int *p; int *c; double *v; } csr;
void f(const csr *A, const double *x, double *y) {
  for (int i = 0; i < A->n; i++)
    for (int j = A->p[i]; j < A->p[i + 1]; j++) y[i] += A->v[j] * x[A->c[j]];
}
"""
OF_VECTORS = """
#include <vector>
struct Csr { int n; std::vector<int> p, c; std::vector<double> v; };
void f(const Csr &A, const std::vector<double> &x, std::vector<double> &y) {
  for (int i = 0; i < A.n; ++i)
    for (int k = A.p[i]; k < A.p[i + 1]; ++k) y[i] += A.v[k] * x[A.c[k]];
}
"""
BY_LENGTH = """
void f(int n, const int *p, const int *c, const double *v, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    int length = p[i + 1] - p[i];
    const int *own = &c[p[i]];
    const double *row = &v[p[i]];
    for (int k = 0; k < length; k++) y[i] += row[k] * x[own[k]];
  }
}
"""
WHILE = """
void f(int n, const int *p, const int *c, const double *v, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    int k = p[i], end = p[i + 1];
    while (k < end) { y[i] += v[k] * x[c[k]]; k++; }
  }
}
"""

ROWS_BEHIND_POINTERS = """
void f(int n, const char *many, double **v, int **c, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    const double *row = v[i];
    const int *own = c[i];
    for (int k = 0; k < many[i]; k++) y[i] += row[k] * x[own[k]];
  }
}
"""


def regions_of(source, arrays=None, name="a.c", **defines):
    options = LowerOptions(arrays=EveryArray() if arrays is None else arrays, defines=defines)
    unit = parse_clang(SourceFile(name, source, language_of(name)), ParseOptions()).unit
    return lower_unit(unit, options).regions


def given(**arrays):
    return {name: GivenArray.of(name, elements, source=f"{name}.npy") for name, elements in arrays.items()}


@pytest.mark.parametrize(
    ("source", "name", "uses"),
    [
        (SPMV, "a.c", [("csr", ("rowptr", "col", "val"), "n", "")]),
        (SYMGS, "a.c", [("csr", ("rowptr", "col", "val"), "n", "")]),
        (PAGERANK, "a.c", [("csr", ("in", "src"), "n", "")]),
        (WARP_PER_ROW, "a.cu", [("csr", ("p", "c", "v"), "", "")]),
        (OF_STRUCT, "a.c", [("csr", ("A->p", "A->c", "A->v"), "A->n", "")]),
        (OF_VECTORS, "a.cpp", [("csr", ("A.p", "A.c", "A.v"), "A.n", "")]),
        (BY_LENGTH, "a.c", [("csr", ("p", "c", "v"), "n", "")]),
        (WHILE, "a.c", [("csr", ("p", "c", "v"), "n", "")]),
        (ROWS_BEHIND_POINTERS, "a.c", [("rows", ("many", "c[]", "v[]"), "n", "")]),
        (NEIGHBOURS, "a.c", [("rows", ("many", "list"), "n", "")]),
        (COORDINATES, "a.c", [("coo", ("row", "col"), "", "")]),
        (_ellpack_source("k*n + i"), "a.c", [("ell", ("col",), "n", "w")]),
        (_ellpack_source("i*w + k"), "a.c", [("ellrow", ("col",), "n", "w")]),
        ("void f(int n, const int *k, int *h) { for (int i = 0; i < n; i++) h[k[i]]++; }", "a.c", []),
    ],
)
def test_how_arrays_are_used_says_which_hold_a_matrix(source, name, uses):
    found = uses_of(regions_of(source, name=name))
    assert [(use.format, use.arrays, use.rows, use.width) for use in found] == uses


def test_trip_counts_are_exact_averages():
    arrays = given(rowptr=[0, 3, 3, 10], col=[0] * 10)
    (region,) = with_given(regions_of(SPMV, arrays, n=3), Arrays(arrays)).regions
    assert dict(region.averages) == {"trip_L4": Fraction(10, 3)}
    assert region.arrays[0].extents[0].constant == 4


def test_conditions_on_indices_choose_what_is_averaged():
    source = """void f(int n, const int *p, const int *c, double *x) {
      for (int i = 0; i < n; i++)
        if (i % 2 == 0)
          for (int j = p[i]; j < p[i + 1]; j++) x[c[j]] += 1.0;
    }"""
    arrays = given(p=[0, 1, 5, 8, 9], c=[0] * 9)
    (region,) = with_given(regions_of(source, arrays, n=4), Arrays(arrays)).regions
    assert {symbol.name: symbol.value for symbol in region.symbols}["trip_L4"] == 2  # rows 0 and 2: 1 and 3


def test_an_element_of_one_array_chooses_the_row_of_another():
    source = """void f(int m, const int *list, const int *p, const int *c, double *x) {
      for (int k = 0; k < m; k++)
        for (int j = p[list[k]]; j < p[list[k] + 1]; j++) x[c[j]] += 1.0;
    }"""
    arrays = given(list=[2, 0], p=[0, 1, 5, 8], c=[0] * 8)
    (region,) = with_given(regions_of(source, arrays, m=2), Arrays(arrays)).regions
    assert {symbol.name: symbol.value for symbol in region.symbols}["trip_L3"] == 2


def test_lengths_are_those_of_the_arrays():
    arrays = given(rowptr=[0, 1, 2], col=[0, 1])
    assert sizes_of(regions_of(SPMV, arrays)) == {"n@spmv": "2"}
    assert sizes_of(regions_of(WARP_PER_ROW, given(p=[0, 1, 2], c=[0, 1]), name="a.cu")) == {"n@spmv": "2"}
    assert sizes_of(regions_of(NEIGHBOURS, given(many=[1, 2, 3]))) == {"n@forces": "3"}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"rowptr": [0, 1, 2], "col": [0, 1]}, "rowptr is given with 3 elements, and element 3 is read"),
        ({"rowptr": [0, 1, 2, 5], "col": [0, 1]}, "col is given with 2 elements, and element 4 is read"),
        ({"rowptr": [-2, 1, 2, 2], "col": [0, 1]}, "element -2 of col is read"),
    ],
)
def test_an_array_that_is_too_short_is_an_error_with_its_line(arrays, message):
    arrays = given(**arrays)
    with pytest.raises(OptionError, match=message) as found:
        with_given(regions_of(SPMV, arrays, n=3), Arrays(arrays))
    assert found.value.line in (4, 5)


def test_an_element_outside_of_what_it_chooses_is_a_finding():
    source = "double x[4];\nvoid f(int n, const int *c) { for (int i = 0; i < n; i++) x[c[i]] += 1.0; }"
    arrays = given(c=[0, 4])
    (found,) = with_given(regions_of(source, arrays, n=2), Arrays(arrays)).diagnostics
    assert (found.code, dict(found.fields)["most"], dict(found.fields)["last"]) == ("AI009", 4, 3)


def test_an_array_that_the_function_stores_is_not_taken_as_given():
    source = """void f(int n, int *c, double *x) {
      for (int i = 0; i < n; i++) c[i] = 0;
      for (int i = 0; i < n; i++) x[c[i]] += 1.0;
    }"""
    arrays = given(c=[0, 1, 2, 3])
    regions = regions_of(source, arrays, n=4)
    assert used_in(regions, Arrays(arrays)) == frozenset()


@pytest.mark.parametrize("key", ["", "csr:p,c,v"])
@pytest.mark.parametrize(
    "row",
    [
        "for (int i = 1; i <= n; i++) for (int k = p[i - 1]; k <= p[i] - 1; k++) y[i] += v[k - 1] * x[c[k - 1] - 1];",
        "for (int i = 0; i < n; i++) for (int k = p[i] - 1; k < p[i + 1] - 1; k++) y[i] += v[k] * x[c[k] - 1];",
        "for (int i = 0; i < n; i++) for (int k = p[i]; k < p[i + 1]; k++) y[i] += v[k] * x[c[k]];",
    ],
)
def test_a_matrix_counts_from_one_where_its_elements_are_used_less_one(row, key):
    """Three elements: 2 FLOPs each, and of x none outside of the elements 0 to 2."""
    text = f"double x[3];\nvoid f(int n, int *p, int *c, double *v, double *y) {{ {row} }}"
    report = estimate(source_text(text, "a.c"), matrices={key: _Csr([0, 2, 3], [0, 2, 1], (2, 3))})
    assert (report.regions[0].flops.quantity.is_exact, report.regions[0].flops.at()) == (True, 6)
    assert "AI009" not in {each.code for file in report.files for each in file.profile.diagnostics}


def test_a_named_matrix_in_ellpack_tells_its_rows_and_its_width():
    text = """void f(int n, int w, int *c, double *v, double *x, double *y) {
      for (int i = 0; i < n; i++) for (int k = 0; k < w; k++) y[i] += v[k * n + i] * x[c[k * n + i]]; }"""
    report = estimate(source_text(text, "a.c"), matrices={"ell:c,v": _Csr([0, 2, 3], [0, 2, 1], (2, 3))})
    assert report.regions[0].flops.at() == 2 * 2 * 2


class _Csr:
    """What a matrix of SciPy has of one."""

    def __init__(self, indptr: list[int], indices: list[int], shape: tuple[int, int]) -> None:
        self.indptr, self.indices, self.shape = indptr, indices, shape
