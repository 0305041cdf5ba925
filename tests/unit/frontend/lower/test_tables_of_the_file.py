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


HALVES = """
void fill(int top) { n[top] = 64; for (int k = top - 1; k >= 0; k--) n[k] = n[k + 1] / 2; }
void scale(int k) { for (int i = 0; i < n[k]; i++) x[i] *= 2; }
"""
CYCLE = "int main(void) { fill(3); for (int t = 0; t < 5; t++) for (int k = 0; k <= 3; k++) scale(k); }"


@pytest.mark.parametrize("made", ["int n[4]", "int m, n[4]"])
def test_a_table_that_a_loop_fills_from_its_own_elements_bounds_loops(made: str) -> None:
    found = analyzed(f"static {made}; double x[99]; {HALVES} {CYCLE}")
    assert found.work.flops.is_exact
    assert found.work.flops.estimate.evaluate({}) == 5 * (64 + 32 + 16 + 8)


def test_a_table_behind_a_pointer_that_keeps_its_value_bounds_loops() -> None:
    made = "#include <cstdlib>\nstatic int *n = (int *)malloc(4 * sizeof(int)); double x[99];"
    text = f"{made} {HALVES} {CYCLE}"
    (found,) = (each for each in analyze(SourceFile("k.cpp", text, Language.CXX))[0].regions if each.function == "main")
    assert found.work.flops.is_exact
    assert found.work.flops.estimate.evaluate({}) == 5 * (64 + 32 + 16 + 8)


def test_rows_of_a_table_on_the_stack_are_followed() -> None:
    fill = "for (int a = 0; a < 2; a++) for (int k = 2; k > 0; k--) g[k - 1][a] = g[k][a] / 2;"
    loops = "for (int i = 0; i < g[0][0]; i++) for (int j = 0; j < g[0][1]; j++) x[j] *= 2;"
    body = f"int g[3][2]; g[2][0] = 64; g[2][1] = 16; {fill} {loops}"
    found = analyzed(f"double x[99]; int main(void) {{ {body} }}")
    assert found.work.flops.is_exact
    assert found.work.flops.estimate.evaluate({}) == 16 * 4


@pytest.mark.parametrize(
    "changed",
    [
        "other(n);",  # a function without a body
        "other(&n[1]);",
        'scanf("%d", &n[0]);',
        "for (int t = 0; t < 3; t++) other(n);",
        "if (x[0] > 1) n[0] = 7;",
        "for (int t = 0; t < 9; t++) if (x[t] > 1) n[t % 4] = t;",
        "((char *)n)[0] = 7;",
        "kept.p = n; changes();",
    ],
)
def test_what_something_unknown_may_change_is_no_table(changed: str) -> None:
    declared = "#include <stdio.h>\nvoid other(int *); struct { int *p; } kept; void changes(void) { *kept.p = 9; }"
    text = f"{declared} {ONE} int main(void) {{ n[0] = 5; {changed} for (int i = 0; i < n[0]; i++) x[i] *= 2; }}"
    found = analyzed(text)
    flops = found.work.flops
    assert not flops.is_exact or flops.estimate.symbols or flops.estimate.evaluate({}) == 9
