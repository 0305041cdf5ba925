"""The first screen of a profile that has no more than it shows is that of a whole one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.profile import AnalyzedFile
from cli.render.hotspots.view import View
from cli.render.overview.overview import render_overview
from roofline.estimation import Source, analyze_here, estimate, source_text
from tests.oracle.sources import ROOT

_NESTS = """
void f(int n, int m, double a[n][m], double *x, double *y, int *index)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = x[i] * y[j];
    for (int i = 0; i < n; i++)
        if (index[i] > 0)
            s += a[i][0] * x[index[i]];
    for (int t = 0; t < 10; t++) {
        for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i + 1];
        for (int i = 0; i < n; i++) x[i] = y[i];
    }
    x[0] = s;
}
void g(int flag, int n, double *x) {
    if (flag == 1) for (int i = 0; i < n; i++) x[i] *= 2;
    else for (int i = 0; i < n; i++) x[i] = 1;
    for (int i = 1; i < n; i++) x[i] += x[i - 1];
}
int main(void) { static double a[64][32], x[64], y[64]; static int k[64]; f(64, 32, a, x, y, k); g(1, 64, x); }
"""


def analyze_partly(sources: Sequence[Source], options: AnalysisOptions) -> tuple[AnalyzedFile, ...]:
    return analyze_here(sources, replace(options, in_full=False))


@pytest.mark.parametrize("machine", ["haswell", "v100"])
@pytest.mark.parametrize("name", ["nests.c", "fused", "star9", "cuda_tile", "cuda_reduction"])
def test_the_screen_needs_no_more_than_the_partial_profile(name: str, machine: str) -> None:
    paths = sorted(path for path in Path(ROOT / "corpus" / name).glob("*.c*"))
    sources: list[Source] = [*paths] or [source_text(_NESTS, name)]
    whole, partial = (estimate(sources, machine, analyze=analyze) for analyze in (analyze_here, analyze_partly))
    assert render_overview(partial, View()) == render_overview(whole, View())


def test_several_nests_together_have_distinct_data_only_in_full() -> None:
    (whole,), (partial,) = (
        estimate(source_text(_NESTS), "haswell", functions=("f",), analyze=analyze).regions
        for analyze in (analyze_here, analyze_partly)
    )
    assert whole.profile.distinct is not None
    assert partial.profile.distinct is None
    with pytest.raises(ValueError, match="not counted"):
        _ = partial.profile.footprint
    assert [nest.profile.footprint.touched.bytes.estimate.evaluate({"n": 9, "m": 5}) for nest in partial.nests] == [
        nest.profile.footprint.touched.bytes.estimate.evaluate({"n": 9, "m": 5}) for nest in whole.nests
    ]


def test_without_sizes_a_bound_is_that_of_held_data_and_of_large_sizes() -> None:
    """While L3 holds x and y only 32 n bytes move for 5 n^2 FLOPs; beyond, 16 for 5 in each iteration."""
    text = """void f(int n, const double *restrict x, const double *restrict y, double *restrict z) {
      for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++) s += x[j] * y[j] / (1.0 + x[i]);
        z[i] = s;
      } }"""
    screen = render_overview(estimate(source_text(text, "c"), "haswell"), View())
    assert "compute, DRAM if large" in screen
    assert "L1 holds x, y, z for the next iteration of i" in screen
