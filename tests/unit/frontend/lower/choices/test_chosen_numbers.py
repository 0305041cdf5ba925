"""Numbers that a condition on counters chooses decide what tests them."""

import pytest

from analyzer.frontend.lower import lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import read
from analyzer.ir.nodes import Loop
from analyzer.ir.traverse import all_nodes
from analyzer.source import Language, SourceFile
from tests.rows import file_report

SHAPED = """
static double shaped(int kind, double v) {
  switch (kind) { case 0: return v; case 1: return v * v; default: return v * v + v; }
}
static int side(int i, int n) { if (i == 0) return 0; if (i == n - 1) return 1; return 2; }
static double tested(int kind, double v) { if (kind == 0) return v; return kind == 1 ? v * v : v * v + v; }
"""


@pytest.mark.parametrize("called", ["shaped", "tested"])
@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("x[i] = F(i < m ? 2 : 0, x[i]);", 2 * 4),
        ("int k = i < m ? 2 : 0; x[i] = F(k, x[i]);", 2 * 4),
        ("int k; if (i < m) k = 1; else k = 0; x[i] = F(k, x[i]);", 4),
        ("int k = 0; if (i >= m) k = 2; x[i] = F(k, x[i]);", 2 * 6),
        ("x[i] = F(i % 3 == 0 ? 0 : 1, x[i]);", 6),
        ("int k = i < m ? 3 : 1; if (k > 2) x[i] *= 2;", 4),
        ("int k = i < m ? 3 : 1; if (2 >= k) x[i] *= 2;", 6),
        ("int k = i == 0 ? 0 : i == n - 1 ? 1 : 2; x[i] = F(k, x[i]);", 1 + 8 * 2),
        ("int k = 2; if (i < m) k = i == 2 ? 0 : 1; x[i] = F(k, x[i]);", 3 + 6 * 2),
        ("int k = side(i, n); if (k > 0) x[i] *= 2; else x[i] = F(k, x[i]);", 9),
        ("int k = side(i, n); for (int j = 0; j < m; j++) if (k == 1 || side(j, n) == 0) x[j] *= 2;", 9 + 4),
    ],
)
def test_a_chosen_number_decides(called: str, body: str, flops: int) -> None:
    """Of ten iterations, i < 4 is true in four, and i mod 3 is not 0 in six."""
    loop = f"for (int i = 0; i < n; i++) {{ {body.replace('F(', called + '(')} }}"
    (region,) = [
        each
        for each in file_report(f"{SHAPED}void f(double *x, int n, int m) {{ {loop} }}", "x.c").regions
        if each.profile.function == "f"
    ]
    found, sizes = region.profile.work.flops, {"n": 10, "m": 4}
    assert (found.lower.evaluate(sizes), found.is_exact) == (flops, True)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) { if (k == 1) x[i] *= 2; k = side(i, 4); }",
        "for (int i = 0; i < n; i++) k = side(i, 4); for (int i = 0; i < n; i++) if (k == 1) x[i] *= 2;",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { if (k == 1) x[j] *= 2; k = side(i, 4); }",
    ],
)
def test_a_number_chosen_in_an_earlier_iteration_does_not_decide_a_later_one(body):
    """Each runs with what another iteration left: of i = 3, or of the last one."""
    (region,) = [
        each
        for each in file_report(f"{SHAPED}void f(double *x, int n) {{ int k = 0; {body} }}", "x.c").regions
        if each.profile.function == "f"
    ]
    assert not region.profile.work.flops.is_exact or "k" in region.profile.work.flops.estimate.symbols


def test_choices_of_choices_end():
    """In each row one of 20 cases moves the pointers on by h: their position doubled its terms with each case."""
    cases = "".join(f"case {c}: for (i = 0; i < h; i++, s += {c}) sum += s[0]; break;" for c in range(1, 21))
    text = f"for (j = 0; j < n; j++) {{ double *s = x + j * m; switch (c) {{ {cases} default: return; }} }}"
    (region,) = file_report(
        f"void f(double *x, int n, int m, int h, int c) {{ int i, j; double sum; {text} }}", "x.c"
    ).regions
    assert region.profile.work.flops.estimate.evaluate({"n": 3, "m": 9, "h": 5, "c": 7}) == 3 * 5


@pytest.mark.parametrize("frontend", ["clang", "fragment"])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int last = n; if (m > 6) last = m; for (int i = 0; i < last; i++) a[i] += 1;", ["m", "n"]),
        ("const int last = m > 6 ? m : n; for (int i = 0; i < last; i++) a[i] += 1;", ["m", "n"]),
        (  # both ends by one condition: two loops, not four
            "int s = 0, e = n; if (m == 0) { s = 1; e = n - 1; } for (int i = s; i < e; i++) a[i] += 1;",
            ["n - 2", "n"],
        ),
    ],
)
def test_a_loop_that_ends_at_one_of_two_numbers_is_one_of_two_loops(frontend, body, expected):
    text = f"void f(int n, int m, double *a) {{ {body} }}\n"
    unit = read(SourceFile("t.c", text, Language.C), ParseOptions(), frontend).unit
    (region,) = lower_unit(unit).regions
    loops = [node for node in all_nodes(region.body) if isinstance(node, Loop)]
    assert [str(loop.range.stop - loop.range.start) for loop in loops] == expected


@pytest.mark.parametrize(
    ("body", "loop"),
    [
        ("return m > 6 ? m : n;", "int last = pick(n, m); for (int i = 0; i < last; i++)"),
        ("if (m > 6) return m; return n;", "int last = pick(n, m); for (int i = 0; i < last; i++)"),
        ("return m > 6 ? m : n;", "for (int i = 0; i < pick(n, m); i++)"),
        ("if (m > 6) return m; else if (m == n) return m + 1; return n;", "for (int i = 0; i < pick(n, m); i++)"),
    ],
)
def test_a_size_that_a_function_chooses_is_one_of_two(body, loop):
    text = f"static int pick(int n, int m) {{ {body} }} void f(int n, int m, double *a) {{ {loop} a[i] += 1; }}\n"
    regions = lower_unit(read(SourceFile("t.c", text, Language.C), ParseOptions()).unit).regions
    loops = [node for region in regions for node in all_nodes(region.body) if isinstance(node, Loop)]
    ends = [str(loop.range.stop - loop.range.start) for loop in loops]
    assert [end for end in ends if end != "m + 1"] == ["m", "n"]


def test_the_length_of_rows_stays_a_size():
    text = "void f(int n, int m, double *a) { int r = m ? n : m; for (int i = 0; i < r; i++) a[i * r] += 1; }\n"
    (region,) = lower_unit(read(SourceFile("t.c", text, Language.C), ParseOptions()).unit).regions
    (loop,) = (node for node in all_nodes(region.body) if isinstance(node, Loop))
    assert str(loop.range.stop) == "r"
