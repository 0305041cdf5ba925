"""Which capacity conditions are told, and where a range passes them."""

from __future__ import annotations

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import AnalyzedFile
from analyzer.source import Language, SourceFile
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.options import CacheOptions
from roofline.model.verdicts.decisive_conditions import decisive_conditions, reuses_within
from roofline.report.sweep import breakpoints_of

CACHES = parse_hierarchy("L1:32KiB,L2:256KiB,L3:35MiB")
STENCIL = """
void f(int n, double a[n][n][n], double b[n][n][n]) {
  for (int k = 1; k < n - 1; k++) for (int j = 1; j < n - 1; j++) for (int i = 1; i < n - 1; i++)
    b[k][j][i] = a[k][j][i] + a[k][j-1][i] + a[k][j+1][i] + a[k-1][j][i] + a[k+1][j][i];
}
void g(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }
"""


@pytest.fixture(scope="module")
def file() -> AnalyzedFile:
    options = AnalysisOptions(cache=CacheOptions(hierarchies=(CACHES,), conditions_if_unknown=True))
    return analyze(SourceFile("f.c", STENCIL, Language.C), options)[0]


def test_planes_decide_in_the_last_cache_and_rows_in_the_others(file: AnalyzedFile) -> None:
    """At n = 1000 planes of 8 MB fill 35 MiB sooner than 32 KiB or 256 KiB, which rows of 8 kB come near to."""
    found = decisive_conditions(file.traffic[0].reuses, CACHES)
    assert [condition.level for condition in found] == ["L1", "L2", "L3"]
    assert [(condition.loop, condition.carried) for condition in found] == [("j", True), ("j", True), ("k", True)]


def test_a_nest_has_the_reuses_of_its_own_loops(file: AnalyzedFile) -> None:
    whole, other = file.regions
    reuses = file.traffic[0].reuses
    assert reuses_within(whole.nests[0], reuses) == reuses
    assert reuses_within(other.nests[0], reuses) == ()


def test_a_range_passes_the_conditions_between_its_ends(file: AnalyzedFile) -> None:
    found = breakpoints_of([file], "n", (50, 1000))
    assert all(50 <= each.value < 1000 for each in found)
    assert [each.value for each in found] == sorted(each.value for each in found)
    assert {(each.level, each.condition.loop) for each in found} == {("L1", "j"), ("L2", "k")}
    assert {(each.path, each.region, each.line) for each in found} == {("f.c", "f", 2)}
    assert breakpoints_of([file], "m", (50, 1000)) == ()


def test_nothing_is_asked_where_sizes_are_known() -> None:
    options = AnalysisOptions(
        defines={"n": "64"}, cache=CacheOptions(hierarchies=(CACHES,), conditions_if_unknown=True)
    )
    (found,) = analyze(SourceFile("f.c", STENCIL, Language.C), options)
    assert [traffic.reuses for traffic in found.traffic] == [(), ()]
