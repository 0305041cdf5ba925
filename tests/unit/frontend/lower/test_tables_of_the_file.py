"""Sizes that ``main`` stores in a short static array, as those of the levels of a multigrid method."""

import pytest

from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.source import Language, SourceFile

LEVELS = """#include <stdlib.h>
static struct { int n; double *u; } level[3];
static void make(int n) {
  for (int l = 0; l < 3; l++, n /= 2) { level[l].n = n; level[l].u = malloc(n * sizeof(double)); } }
static void scale(int l) { for (int i = 0; i < level[l].n; i++) level[l].u[i] *= 2; }
"""
ONE = "static int n[4]; double x[99];"


def analyzed(text: str) -> RegionProfile:
    (region,) = (each for each in analyze(SourceFile("k.c", text, Language.C))[0].regions if each.function == "main")
    return region


def test_levels_have_the_sizes_that_a_loop_stores() -> None:
    found = analyzed(f"{LEVELS} int main(void) {{ make(1000); for (int l = 0; l < 3; l++) scale(l); }}")
    assert found.work.flops.is_exact
    assert found.work.flops.estimate.evaluate({}) == 1000 + 500 + 250


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n[0]; i++) x[i] *= 2; n[0] = 5;",
        "n[0] = 5; for (int t = 0; t < 9; t++) { for (int i = 0; i < n[0]; i++) x[i] *= 2; n[0] = 7; }",
    ],
)
def test_what_is_read_before_it_is_stored_is_another_number(body: str) -> None:
    found = analyzed(f"{ONE} int main(void) {{ {body} }}")
    assert found.work.flops.estimate.symbols or found.work.flops.estimate.evaluate({}) in (0, 5 + 8 * 7)
