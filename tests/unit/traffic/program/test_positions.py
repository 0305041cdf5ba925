"""Positions that data move: that of a maximum brings no line of its own, a counter goes through an array in order."""

import pytest

from roofline import estimate, source_text

SORT = """static int b[10000]; void f(void) { for (int i = 0; i < 9999; i++) {
  int least = i; for (int j = i + 1; j < 10000; j++) if (b[j] < b[least]) least = j;
  int t = b[i]; b[i] = b[least]; b[least] = t; } }"""
PIVOT = """static double a[300][300]; void f(void) { for (int k = 0; k < 300; k++) {
  int p = k; for (int i = k + 1; i < 300; i++) if (a[i][k] > a[p][k]) p = i; a[k][k] += a[p][k]; } }"""
SEARCH = """static double a[4000000]; int f(void) { int peak = 0;
  for (int i = 1; i < 4000000; i++) if (a[i] > a[peak]) peak = i; return peak; }"""


@pytest.mark.parametrize(
    ("text", "level", "traced"),
    [(SORT, "L2", 49_426_944), (PIVOT, "L2", 393_216), (SEARCH, "DRAM", 32_000_000)],
)
def test_bytes_are_those_of_a_run(text, level, traced):
    """Runs through exact caches (``tests/oracle/traced.py``) moved so many; equally likely elements 27 times that."""
    (region,) = estimate(source_text(text, "c"), "haswell", cores=1).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == level)
    lower, estimated, upper = (float(each.evaluate({})) for each in (moved.lower, moved.estimate, moved.upper))
    assert lower <= 1.001 * traced
    assert upper >= 0.999 * traced
    assert estimated == pytest.approx(traced, rel=0.07)


def test_the_position_in_another_array_may_be_anywhere():
    """Elements of c that no iteration has come to are as likely as others."""
    text = SEARCH.replace("double a[4000000]", "double a[4000000], c[4000000]").replace("a[peak])", "c[peak])")
    (region,) = estimate(source_text(text, "c"), "haswell", cores=1).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == "DRAM")
    assert float(moved.upper.evaluate({})) > 100_000_000


ARRAYS = "static double x[1000000], b[1000000], out[1000000];"
LOOP = "for (int i = 0; i < 1000000; i++)"


@pytest.mark.parametrize(
    ("body", "arrays"),
    [
        (f"int k = 0; {LOOP} if (x[i] > 0.5) out[k++] = x[i];", 1 + 2 / 2),
        (f"int k = 999999; {LOOP} if (x[i] > 0.5) out[k--] = x[i];", 1 + 2 / 2),
        (f"int k = 0; {LOOP} if (x[i] > 0.5) out[i] = b[k++]; else out[i] = 0;", 1 + 2 + 1 / 2),
        (f"int k = 0, j = 0; {LOOP} if (x[k] <= b[j]) out[i] = x[k++]; else out[i] = b[j++];", 2 + 2 / 2),
        (f"int k = 0, j = 999999; {LOOP} if (x[i] > 0.5) out[k++] = x[i]; else out[j--] = x[i];", 1 + 2 * 2 / 2),
        (f"int k = 0; {LOOP} {{ out[k] = x[i]; k += x[i] > 0.5; }}", 1 + 2 / 2),
        (f"int k = 0; {LOOP} {{ out[k] = x[i]; k = k + (x[i] > 0.5 ? 1 : 0); }}", 1 + 2 / 2),
        (
            "for (int r = 0; r < 4; r++) { int k = 0; for (int i = 0; i < 250000; i++) "
            "if (x[r * 250000 + i] > 0.5) out[r * 250000 + k++] = x[r * 250000 + i]; }",
            1 + 2 / 2,
        ),
    ],
)
def test_a_counter_that_data_move_goes_through_its_array_in_order(body, arrays):
    """Of a counter that half of the iterations move, so many times 8 MB; runs through exact caches moved the same."""
    (region,) = estimate(source_text(f"{ARRAYS} void f(void) {{ {body} }}", "c"), "haswell", cores=1).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == "L2")
    lower, estimated, upper = (float(each.evaluate({})) for each in (moved.lower, moved.estimate, moved.upper))
    assert estimated == pytest.approx(arrays * 8e6, rel=1e-3)
    assert lower < 0.6 * arrays * 8e6
    assert upper > 1.3 * arrays * 8e6


@pytest.mark.parametrize(
    ("body", "level", "lines"),
    [
        (
            f"for (int t = 0; t < 4; t++) {{ int k = 0; {LOOP} if (x[i] > 0.5) out[k++] = x[i]; }}",
            "L3",
            4 * (1 + 2 / 2),
        ),
        (f"for (int t = 0; t < 4; t++) {{ int k = 0; {LOOP} if (x[i] > 0.5) out[k++] = x[i]; }}", "DRAM", 1 + 2 / 2),
        (f"int k = 0; for (int t = 0; t < 4; t++) {LOOP} if (x[i] > 0.5) out[k++] = x[i];", "DRAM", 1 + 2 * 4 / 2),
        (
            "for (int r = 0; r < 100; r++) for (int t = 0; t < 4; t++) { int k = 0; for (int i = 0; i < 10000; i++) "
            "if (x[r * 10000 + i] > 0.5) out[r * 10000 + k++] = 1; }",
            "L3",
            1 + 2 / 2,
        ),
    ],
)
def test_sweeps_from_the_same_start_come_to_the_same_lines(body, level, lines):
    """Times 8 MB; x and half of out fit into L3, rows of both into L2, and a counter that goes on finds new lines."""
    text = f"static double x[1000000], out[4000000]; void f(void) {{ {body} }}"
    (region,) = estimate(source_text(text, "c"), "haswell", cores=1).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == level)
    assert float(moved.estimate.evaluate({})) == pytest.approx(lines * 8e6, rel=0.02)


@pytest.mark.parametrize(
    ("test", "share"), [("if (x[i] > 0.5) out[k++] = x[i];", 0.1), ("if (x[i] > 0.5) continue; out[k++] = x[i];", 0.9)]
)
def test_a_counter_moves_as_often_as_its_branch_is_taken(test, share):
    text = f"{ARRAYS} void f(void) {{ int k = 0; {LOOP} {{ {test} }} }}"
    (region,) = estimate(source_text(text, "c"), "haswell", cores=1, defines={"prob_L1": "0.1"}).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == "L2")
    assert float(moved.estimate.evaluate({})) == pytest.approx((1 + 2 * share) * 8e6, rel=1e-3)


def test_a_counter_that_data_set_anywhere_does_not():
    body = f"int k = 0; {LOOP} {{ if (x[i] > 0.5) k = p[i]; out[k] = 1; }}"
    text = f"{ARRAYS} static int p[1000000]; void f(void) {{ {body} }}"
    (region,) = estimate(source_text(text, "c"), "haswell", cores=1).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == "L2")
    assert float(moved.estimate.evaluate({})) > 60e6


MERGE = """static int f[1 << 20], c[1 << 20]; enum { n = 1 << 20 };
#define MIN(a, b) ((a) < (b) ? (a) : (b))
static void merged(int w) { for (int lo = 0; lo < n; lo += 2 * w) {
  int mid = MIN(lo + w, n), hi = MIN(lo + 2 * w, n), i = lo, j = mid;
  for (int k = lo; k < hi; k++) if (i < mid && (j >= hi || f[i] <= f[j])) c[k] = f[i++]; else c[k] = f[j++]; } }
"""


@pytest.mark.parametrize(
    ("body", "megabytes"),
    [
        ("merged(64);", 3 * 4),  # f is read, c read and written
        ("merged(1);", 3 * 4),
        ("for (int w = 1; w < n; w *= 2) merged(w);", 20 * 3 * 4),
        (
            "for (int s = 0; s < n; s += 64) { int i = s; for (int k = s; k < s + 64; k++) if (f[k] > 0) c[i++] = 1; }",
            4 + 2 * 2.97,
        ),
    ],
)
def test_runs_that_begin_where_their_loop_does_are_merged_in_order(body, megabytes):
    """All runs of a pass go through the array once; half of a run of 256 B comes to 1 + 126/64 lines on average."""
    text = source_text(f"{MERGE} void all(void) {{ {body} }}", "c")
    (region,) = estimate(text, "haswell", cores=1, functions=["all"]).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == "L2")
    assert float(moved.estimate.evaluate({})) / (1 << 20) == pytest.approx(megabytes, rel=0.05)
