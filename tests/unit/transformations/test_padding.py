"""Rows made longer: which arrays, by how much, and what caches make of it."""

from analyzer.ir.nodes import Loop
from analyzer.ir.passes.substitute import bind
from analyzer.traffic.hierarchy import CacheLevel
from analyzer.transformations.kinds import Pad, Padded
from analyzer.transformations.padding import paddings
from roofline import estimate, source_text
from roofline.report.transformed import step_text

from ...lowering import lower

L1 = CacheLevel("L1", 32 << 10, 8)  # 64 sets of 64 bytes: a way of 4096


def padded(text, **sizes):
    (region,) = lower(text).regions
    region = bind(region, sizes)
    (loop,) = (node for node in region.body if isinstance(node, Loop))
    found = [(step, band) for step, band in paddings(loop, region.arrays, [L1])]
    return {each.array: (each.row, each.by) for step, _ in found for each in step.arrays}


COLUMNS = "void f(int n, double a[n][n], double b[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) "


def test_rows_of_columns_get_one_line():
    """Rows of 8192 bytes fall into one of 64 sets, of 1024 into 4; of 640 = 5*128 bytes into 32."""
    assert padded(COLUMNS + "b[i][j] = a[j][i]; }", n=1024) == {"a": (1024, (8,))}
    assert padded(COLUMNS + "b[i][j] = a[j][i]; }", n=128) == {"a": (128, (8,))}
    assert padded(COLUMNS + "b[i][j] = a[j][i]; }", n=80) == {}
    assert padded(COLUMNS + "b[j][i] = a[i][j]; }", n=1024) == {"b": (1024, (8,))}


def test_planes_get_a_row_where_longer_rows_do_not_part_them():
    """128 rows of 136 elements are 34 times 4096 bytes; 129 are 34*4096 + 1088, which leaves 64 = gcd."""
    text = """void f(int n, double a[n][n][n], double *x) {
      for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) x[i] += a[k][3][i]; }"""
    assert padded(text, n=128) == {"a": (128, (1, 8))}


def test_flat_arrays_and_structures_stay():
    assert padded("void f(int n, double *a) { for (int i = 0; i < n; i++) a[1024 * i] = 0; }", n=1024) == {}
    rows = "struct P { double x, y; }; void f(int n, struct P a[n][n]) { for (int i = 0; i < n; i++)"
    assert padded(f"{rows} for (int j = 0; j < n; j++) a[j][i].x = 0; }}", n=1024) == {}


def test_sixty_four_lines_of_a_column_stay_in_their_sets():
    """64 rows of 8192 bytes share a set of 8 ways; 1032*8 bytes apart each has a set of its own."""
    text = """void f(double a[1024][1024], double *restrict x) {
      for (int i = 0; i < 1024; i++) for (int k = 0; k < 16; k++)
        for (int j = 0; j < 64; j++) x[i] += a[j][i] * a[j][k]; }"""
    report = estimate(source_text(text, "c"), "haswell", cores=1, advise=True)
    (advice,) = (each for each in report.regions[0].nests[0].advice if each.code == "AI416")
    assert advice.before_bytes > 2 * 64 * 1024 * 16 * 64 * 0.9  # each of both loads misses
    assert advice.after_bytes < 1.1 * (64 * 1024 * 8 + 2 * 1024 * 8)  # each element once, x twice
    assert advice.gain > 2


def test_planes_and_rows_are_named():
    text = step_text(Pad((Padded("a", 128, (1, 8)),), 3))
    assert text.startswith("pad the rows of a from 128 to 136 elements and the planes of a by 1 row,")
