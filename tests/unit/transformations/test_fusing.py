"""Nests as one: which, how deep, and what they move then."""

from __future__ import annotations

import pytest

from analyzer.ir.written.text import nodes_text
from analyzer.transformations.fusing import fusions
from roofline import estimate, source_text
from roofline.report.patches.patch import patch_text
from tests.lowering import lower

ARRAYS = "double a[200][200], b[200][200], c[200][200];\n"
OVER = "for (int {0} = 0; {0} < 200; {0}++) for (int {1} = 0; {1} < 200; {1}++) "
FIRST, SECOND = OVER.format("i", "j") + "b[i][j] = a[i][j];\n", OVER.format("p", "q") + "c[p][q] += b[p][q];\n"
SWEEPS = """void f(int n, double *restrict a, double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    c[i] = a[i] + b[i];
  for (int k = 0; k < n; k++) {
    b[k] = c[k] * a[k];
  }
}
"""


def steps(body):
    (region,) = lower(ARRAYS + body).regions
    return [each.step for each in fusions(region.body)]


def test_nests_that_use_an_element_in_the_same_iteration_become_one():
    (step,) = steps(FIRST + SECOND)
    assert (step.lines, step.loops, step.arrays) == ((2, 3), ("i", "j"), ("b",))
    (region,) = lower(ARRAYS + FIRST + SECOND).regions
    (made,) = fusions(region.body)
    text = "\n".join(nodes_text((made.loop,), {array.name: array for array in region.arrays}))
    assert (text.count("for"), text.count(":=")) == (2, 2)
    assert "c[i][j] := add.fp64(c[i][j], b[i][j])" in text


def test_three_nests_become_one():
    third = OVER.format("i", "j") + "a[i][j] = c[i][j];"
    assert [step.lines for step in steps(FIRST + SECOND + third)] == [(2, 3, 4)]


@pytest.mark.parametrize(
    ("second", "loops"),
    [
        ("c[p][q] += b[p + 1][q];", []),  # of a later row
        ("c[p][q] += b[p][199 - q];", [("i",)]),  # the whole row before it
        ("a[p][q] += 1;", [("i", "j")]),
        ("c[p][q] += 1;", []),  # nothing is shared
    ],
)
def test_what_a_later_iteration_needs_keeps_loops_apart(second, loops):
    assert [step.loops for step in steps(FIRST + OVER.format("p", "q") + second)] == loops


def test_bytes_and_patch_of_two_sweeps_as_one():
    """As one a, b and the line of c are read, c and b written: 40 bytes; apart c and a once more, and the line of b."""
    report = estimate(source_text(SWEEPS, "f.c"), "haswell", sizes={"n": 10**7}, cores=1, advise=True)
    (advice,) = [each for nest in report.regions[0].nests for each in nest.advice if each.code == "AI415"]
    assert (advice.before_bytes, advice.after_bytes) == pytest.approx((64e7, 40e7), rel=1e-3)
    assert 1.3 < advice.gain < 1.7
    lines = [line[1:].strip() for line in patch_text(report).splitlines() if line.startswith("+ ")]
    assert lines == ["for (int i = 0; i < n; i++) {", "{", "b[i] = c[i] * a[i];", "}"]  # and the last one is as it was


def test_bytes_are_of_a_level_that_moves_some():
    """Arrays of 19.2 MB stay in an L3 of 35 MiB: memory moves nothing, before as after."""
    report = estimate(source_text(SWEEPS, "f.c"), "haswell", sizes={"n": 800_000}, cores=1, advise=True, warm=True)
    found = [each for nest in report.regions[0].nests for each in nest.advice if each.code == "AI415"]
    assert [each.level for each in found] == ["L3"]
    assert found[0].before_bytes > found[0].after_bytes > 0


@pytest.mark.parametrize(
    "text",
    [
        SWEEPS.replace("  for (int k", "#pragma omp simd\n  for (int k"),
        SWEEPS.replace("{\n    b[k]", "{\n    if (k == 7) continue;\n    b[k]"),
        SWEEPS.replace("  for (int k", "  int i = 1;\n  for (int k"),
    ],
    ids=["pragma", "continue", "between"],
)
def test_what_a_person_has_to_look_at_is_no_patch(text):
    report = estimate(source_text(text, "f.c"), "haswell", sizes={"n": 10**7}, cores=1, advise=True)
    assert patch_text(report) == ""


@pytest.mark.parametrize("shown", ["b[k]", "c[k]"])
def test_a_loop_that_prints_gains_nothing_by_the_cores_of_another(shown):
    """The first loop runs on all cores, the output on one, and both as one loop would, too."""
    text = """#include <stdio.h>
void f(int n, double *restrict a, double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    c[i] = a[i] + b[i];
  for (int k = 0; k < n; k++)
    printf("%g", SHOWN);
}"""
    report = estimate(source_text(text.replace("SHOWN", shown), "f.c"), "haswell", sizes={"n": 10**6}, advise=True)
    assert not [each for nest in report.regions[0].nests for each in nest.advice if each.code == "AI415"]
