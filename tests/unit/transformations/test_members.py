"""Members of structures in arrays of their own: names, strides, and what is left alone."""

from analyzer.ir.nodes import Loop
from analyzer.ir.written.text import nodes_text
from analyzer.transformations.members import separations
from roofline import estimate, source_text

from ...lowering import lower

PARTICLES = "struct P { double x, y; float m; int kind; }; "


def separated(text):
    (region,) = lower(PARTICLES + text).regions
    (loop,) = (node for node in region.body if isinstance(node, Loop))
    return list(separations(loop, region.arrays))


def test_members_go_by_their_own_bytes():
    ((step, band),) = separated("void f(int n, struct P *p) { for (int i = 0; i < n; i++) p[i].x *= p[i + 1].m; }")
    assert (step.array, sorted(step.members)) == ("p", ["m", "x"])
    assert {array.name: array.element_bytes for array in band.arrays} == {"p.x+0": 8, "p.m+16": 4}
    (line,) = list(nodes_text(band.nest.body, {array.name: array for array in band.arrays}))
    assert line.startswith("p.x+0[i] := ")
    assert "p.m+16[i + 1]" in line


def test_rows_of_structures_have_rows_of_members():
    ((_, band),) = separated(
        "void f(int n, struct P p[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) p[i][j].x = 0; }"
    )
    (array,) = band.arrays
    assert [str(extent) for extent in array.extents] == ["n", "n"]
    inner = band.nest.body[0]
    assert [str(stride) for stride in inner.body[0].target.strides_bytes] == ["8*n", "8"]


def test_arrays_in_structures_and_plain_arrays_stay():
    member = "struct V { double v[3]; int k; }; void f(int n, struct V *p) { for (int i = 0; i < n; i++)"
    assert separated(f"{member} for (int k = 0; k < 3; k++) p[i].v[k] = 0; }}") == []
    assert separated("void f(int n, double *a) { for (int i = 0; i < n; i++) a[2 * i] = 0; }") == []


def test_bytes_of_a_structure_of_arrays():
    """Of 64 bytes two members are used, one of them stored: 128 bytes an iteration, then 16 loaded and 8 stored."""
    text = """struct P { double x, y, z, vx, vy, vz, m, q; };
    void drift(long n, struct P *p, double dt) { for (long i = 0; i < n; i++) p[i].x += dt * p[i].vx; }"""
    for tried, code in ((False, "AI402"), (True, "AI413")):
        report = estimate(source_text(text, "c"), "haswell", sizes={"n": 10**7}, cores=1, advise=tried)
        (advice,) = report.regions[0].nests[0].advice
        assert advice.code == code
    assert (round(advice.before_bytes / 1e6), round(advice.after_bytes / 1e6)) == (1280, 240)
    assert 4 < advice.gain < 5.4
