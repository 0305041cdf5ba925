"""A function that would use all operations up is summarized, so that the calls behind it are followed."""

from __future__ import annotations

import pytest

from analyzer.frontend.lower.functions.following import Following
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

PROGRAM = """
static int last;
static void prepare(int n, double *x) { SETUP }
static void scale(double *x) { for (int i = 0; i <= last; i++) x[i] *= 2; }
int main() {
  static double x[1000];
  last = 899;
  prepare(30, x);
  for (int t = 0; t < 10; t++) scale(x);
}"""
LONG = "for (int k = 0; k < n; k++) { int m = k; while (m > 1) { x[m] += 1; m = m % 2 ? 3 * m + 1 : m / 2; } }"


def test_the_innermost_costly_function_outside_of_which_a_call_was_refused() -> None:
    following = Following()
    following.add("leaf", 60, ["main", "setup"])
    following.add("setup", 80, ["main"])
    following.add("short", 5, ["main"])
    assert following.costly(100) == frozenset()  # nothing was refused
    following.refuse(["main", "setup", "leaf"])
    assert following.costly(100) == frozenset()
    following.refuse(["main", "setup"])
    assert following.costly(100) == {"leaf"}
    following.refuse(["main"])
    assert following.costly(100) == {"leaf"}
    assert following.costly(1000) == frozenset()


@pytest.mark.parametrize("most", [40_000, 300])
def test_work_behind_a_long_setup_is_followed(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times 900 products, whose number a global has that main sets."""
    monkeypatch.setattr("analyzer.frontend.lower.regions.function._MOST_FOLLOWED", most)
    text = PROGRAM.replace("SETUP", LONG)
    (file,) = analyze(SourceFile("a.c", text, Language.C), AnalysisOptions())
    (main,) = (region for region in file.profile.regions if region.name == "main")
    found = {nest.span.line: nest.work.flops.estimate.constant for nest in main.nests}
    assert found[9] == 9000


def test_a_summary_takes_globals_as_they_are_before_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.frontend.lower.regions.function._FOLLOWED", 0)
    text = PROGRAM.replace("SETUP", "").replace("prepare(30, x);", "scale(x); last = 99;")
    (file,) = analyze(SourceFile("a.c", text, Language.C), AnalysisOptions())
    (main,) = (region for region in file.profile.regions if region.name == "main")
    assert main.work.flops.estimate.constant == 900 + 10 * 100
