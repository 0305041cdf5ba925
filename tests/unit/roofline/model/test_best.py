"""How good it could be: the intensity now, the one found, and the one that no order is above."""

import json
from math import isclose, sqrt

import pytest

from roofline import estimate, source_text
from roofline.model.best import BestIntensity
from roofline.report.best import best_formula, best_text, derivation_of_best

GEMM = """void gemm(int n, double A[n][n], double B[n][n], double C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}"""
CALL = """double f(double);
void g(int n, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i] += f(a[j]); }"""
REGISTERS = 2048


def nest_of(text, **options):
    (region,) = estimate(source_text(text, "c"), advise=True, **options).regions
    (nest,) = region.nests
    return nest


@pytest.fixture(scope="module")
def gemm():
    return nest_of(GEMM, hierarchy="L1:16KiB", sizes={"n": 256})


def test_the_bound_of_a_matrix_product_is_by_hand(gemm):
    (level,) = gemm.best
    n, elements = 256, (16 * 1024 + REGISTERS) // 8
    # Parts of S^(3/2) operations load 2 S, the first one S beside; the r operations left (sqrt(27) r)^(2/3) - S.
    parts, rest = divmod(n**3, elements**1.5)
    by_hand = elements + parts * 2 * elements + (sqrt(27) * rest) ** (2 / 3) - elements + n**2  # each C is stored once
    assert isclose(level.least_bytes, 8 * by_hand, rel_tol=1e-3)
    assert level.least_bytes - level.least_loaded_bytes == 8 * n**2
    assert level.now < level.reached < level.most
    assert isclose(level.distance, level.now_bytes / level.least_bytes)


def test_sentences(gemm):
    text = best_text(gemm.best[0])
    assert "FLOP/byte now" in text
    assert "in any order of the operations (bytes of DRAM)" in text
    assert best_formula(gemm.profile.least).startswith("at least 2*n^3/sqrt(S) elements")
    derivation = "\n".join(derivation_of_best(gemm.profile.least, gemm.best))
    for part in ("|A[i][k]|^(1/2)", "|C[i][j] along (0, 0, 1)|^(1/2)", "T = S/(1/2)", "into 18 KiB"):
        assert part in derivation


def test_a_stencil_is_bounded_by_what_crosses_the_surface_of_its_parts():
    text = """void f(int n, int m, double A[n][n], double B[n][n]) { for (int t = 0; t < m; t++) {
      for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)
        B[i][j] = A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1];
      for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)
        A[i][j] = B[i][j] + B[i - 1][j] + B[i + 1][j] + B[i][j - 1] + B[i][j + 1]; } }"""
    nest = nest_of(text, hierarchy="L1:16KiB", sizes={"n": 2000, "m": 1000})
    (level,) = nest.best
    held, operations = (16 * 1024 + REGISTERS) / 8, 2 * 2000**2 * 1000
    assert isclose(level.least_loaded_bytes, 8 * 2 * sqrt(1 / 2 / held) * operations, rel_tol=0.1)
    by_hand = 8 * 4 * sqrt(2 * 7 / 12 / held) * operations  # of large layers, without their ends
    assert isclose(level.least_bytes, by_hand, rel_tol=0.15)
    assert level.steps
    assert level.now < level.reached < level.most
    derivation = "\n".join(derivation_of_best(nest.profile.least, nest.best))
    assert "(1, 1, 0), (1, 0, 1), (1, 0, 0), (1, 0, -1), (1, -1, 0)" in derivation
    assert "c = 1/2" in derivation
    assert "4.32*(2*m*n^2 - 8*m*n + 8*m)/sqrt(S) elements are loaded into a cache of S and stored" in best_formula(
        nest.profile.least
    )


def test_without_sizes_there_is_the_formula_alone():
    nest = nest_of(GEMM)
    assert nest.best == ()
    assert best_formula(nest.profile.least)


def test_a_nest_that_loads_nothing_has_no_formula_of_loads() -> None:
    text = "void f(int n, double a[n][n]) { for (int i = 0; i < n; i++) a[i][i] = 0; }"
    assert best_formula(nest_of(text).profile.least) == ""


def test_what_is_not_counted_has_no_bound():
    assert nest_of(CALL, sizes={"n": 64}, machines="haswell").profile.least is None


@pytest.mark.parametrize(("hierarchy", "is_far"), [("L1:16KiB", True), ("L1:256KiB", False)])
def test_what_moves_many_times_its_compulsory_bytes_has_one_unasked(hierarchy: str, is_far: bool):
    report = estimate(source_text(GEMM, "c"), hierarchy=hierarchy, sizes={"n": 64})
    document = json.loads(report.to_json())
    assert (document["files"][0]["regions"][0]["nests"][0]["best"] is not None) == is_far


def test_a_bound_of_nothing_is_not_known():
    level = BestIntensity(level="DRAM", capacity_bytes=1, flops=4.0, least_bytes=0, least_loaded_bytes=0, now_bytes=8.0)
    assert level.most is None
    assert best_text(level) == (
        "0.5 FLOP/byte now, what any order of the operations has to move is not known (bytes of DRAM)"
    )
