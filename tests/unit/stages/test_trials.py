"""Variants of nests, and the advice that follows from them."""

import pytest

from analyzer.transformations.kinds import Box, Narrow
from roofline import estimate, source_text

GEMM = """void gemm(int n, double A[n][n], double B[n][n], double C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}"""
SMALL = "L1:8KiB/8,L2:4MiB/16"


def advised(text, **options):
    (region,) = estimate(source_text(text, "c"), machines="haswell", advise=True, **options).regions
    (nest,) = region.nests
    return nest, [each.code for each in nest.advice]


@pytest.mark.slow
def test_a_matrix_product_is_interchanged_first():
    """B is walked by columns: a line for each element, 8 times the bytes of L1."""
    nest, codes = advised(GEMM, sizes={"n": 300}, hierarchy=SMALL, cores=1)
    assert codes[0] == "AI411"
    first = nest.advice[0]
    assert first.steps[0].order == ("i", "k", "j")
    assert first.gain > 2
    assert first.before_bytes > 2 * first.after_bytes


def test_without_sizes_strides_prove_the_order():
    nest, codes = advised(GEMM)
    assert codes[0] == "AI411"
    assert nest.advice[0].gain is None


def test_what_dependences_forbid_is_not_tried():
    text = """void f(int n, double A[n][n]) {
      for (int i = 1; i < n; i++) for (int j = 1; j < n - 1; j++) A[j][i] = A[j + 1][i - 1]; }"""
    nest, codes = advised(text, sizes={"n": 300})
    steps = [step for variant in nest.profile.variants for step in variant.steps if not isinstance(step, Narrow)]
    assert all(isinstance(step, Box) and any(side.skew for side in step.sides) for step in steps)
    assert "AI411" not in codes


def test_a_loop_that_known_sizes_make_several_stays():
    text = """void f(int n, double *a) {
  for (int s = 1; s < n; s <<= 1)
    for (int b = 0; b < n; b += 2 * s)
      for (int k = 0; k < s; k++) a[b + k] += a[b + k + s];
}"""
    nest, codes = advised(text, sizes={"n": 64})
    assert codes == []
    assert nest.profile.variants == ()


def test_a_nest_that_a_loop_repeats_has_variants_of_its_own():
    """The product runs 2 times: in each iteration a line of B and an eighth of one of A, as B's column fills L1."""
    text = """static double A[200][200], B[200][200], C[200][200];
    static void scale(void) { for (int i = 0; i < 200; i++) for (int j = 0; j < 200; j++) C[i][j] *= 0.5; }
    static void add(void) {
      for (int i = 0; i < 200; i++) for (int j = 0; j < 200; j++)
        for (int k = 0; k < 200; k++) C[i][j] += A[i][k] * B[k][j]; }
    int main(void) { for (int t = 0; t < 10; t++) { scale(); if (t % 5 == 0) add(); } }"""
    report = estimate(source_text(text, "c"), "haswell", advise=True, hierarchy=SMALL, cores=1)
    (region,) = [each for each in report.regions if each.profile.function == "main"]
    scale, add = region.nests[0].nests
    assert add.profile.repetitions == 2
    first = add.advice[0]
    assert first.steps[0].order == ("i", "k", "j")
    assert first.before_bytes == pytest.approx(2 * (64 + 8) * 200**3, rel=0.01)
    assert all(each.code != "AI411" for each in scale.advice)
