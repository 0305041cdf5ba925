"""Labels, gotos and calls that end the program: what runs, under which condition, how often."""

import pytest

from analyzer.frontend.fragment.reader import parse_fragment
from analyzer.frontend.options import ParseOptions
from analyzer.ir.conditions import leaves
from analyzer.ir.nodes import Guard
from analyzer.ir.traverse import all_nodes
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from tests.lowering import body, codes, lines, lower
from tests.surface import show


def tree(text: str) -> str:
    (function,) = parse_fragment(SourceFile("x.c", text, Language.C), ParseOptions()).unit.functions.values()
    return " ".join(show(statement) for statement in function.body.statements)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if (c) goto L; x = 1; L: x = 2;", "{ if (c) goto L; x = 1; } L: x = 2;"),
        ("goto M; L: x = 1; M: x = 2;", "{ goto M; x = 1; } M: x = 2;"),
        ("if (c) goto M; if (d) goto L; x = 1; L: x = 2; M: ;",
         "{ { if (c) goto M; if (d) goto L; x = 1; } L: x = 2; } M:"),
        ("L: x = 1; if (c) goto L; x = 2;", "L: { x = 1; if (c) goto L; } x = 2;"),
        ("L: x = 1; M: x = 2; if (c) goto L; if (d) goto M;",
         "L: { x = 1; M: { x = 2; if (c) goto L; if (d) goto M; } }"),
        ("while (c) { if (d) goto L; x = 1; } L: x = 2;", "{ while (c) { if (d) goto L; x = 1; } } L: x = 2;"),
        ("goto L; while (c) { L: x = 1; }",
         "while (<goto: >) { if (<goto: >) goto L; if (<goto: >) while (c) { x = 1; } }"),
    ],
)  # fmt: skip
def test_labels_become_blocks(text: str, expected: str) -> None:
    assert tree(text).replace(".0", "") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "for (i=0;i<n;i++) { if (i > 5) goto L; a[i] = 1; L: b[i] = 1; }",
            """
            for i in 0 .. n
              if i <= 5
                a[i] := 1.0
              b[i] := 1.0
            """,
        ),
        (
            "for (i=0;i<n;i++) { if (a[i] > 0) goto L; b[i] = 1; goto M; L: c[i] = 1; M: d[i] = 1; }",
            """
            for i in 0 .. n
              $1 := compare.fp64(a[i], 0.0)
              if not ?{$1: a[i] > 0.0}
                b[i] := 1.0
              if ?{$1: a[i] > 0.0}
                c[i] := 1.0
              d[i] := 1.0
            """,
        ),
        (
            "i = 0; L: if (i >= n) goto M; a[i] = 1; i++; goto L; M: a[0] = 2;",
            """
            for L1 in 0 .. n
              a[L1] := 1.0
              i := index(L1 + 1) (1 index)
            a[0] := 2.0
            """,
        ),
        (
            "for (j=0;j<m;j++) { for (i=0;i<n;i++) { if (i > j) goto L; a[i] = 1; } b[j] = 1; L: c[j] = 1; }",
            """
            for j in 0 .. m
              for i in 0 .. n
                if i > j
                  break i
                a[i] := 1.0
              if j + 1 > n - 1
                b[j] := 1.0
              c[j] := 1.0
            """,
        ),
        (
            "for (j=0;j<m;j++) { i = 0; L: a[i] = 1; i++; if (i > j) break; if (i < n) goto L; b[j] = 1; }",
            """
            for j in 0 .. m
              for L1 in 0 .. max(1, n)
                a[L1] := 1.0
                i := index(L1 + 1) (1 index)
                if L1 + 1 > j
                  break j
              b[j] := 1.0
            """,
        ),
    ],
)
def test_gotos(text: str, expected: str) -> None:
    assert body(text) == lines(expected)
    assert "AI206" not in codes(text)


def test_how_often_statements_run_is_unknown_where_a_goto_leads_into_a_loop() -> None:
    text = "void f(int n, double *b) { if (n > 2) goto in; for (int i=0;i<n;i++) { in: b[i] = 0; } }"
    assert set(codes(text)) == {"AI202", "AI203", "AI206"}
    assert "trip_L1" in body(text)[0]


@pytest.mark.parametrize(
    ("text", "expected", "reported"),
    [
        ("for (i=0;i<n;i++) { if (i == 5) exit(0); a[i] = 1; }",
         "for i in 0 .. n\n  if i == 5\n    return\n  a[i] := 1.0", []),
        ("if (n < 2) { x = 2 * y; abort(); } for (i=0;i<n;i++) a[i] = 1;",
         "for i in 0 .. n\n  a[i] := 1.0", ["AI311"]),
        ("for (i=0;i<n;i++) { if (a[i] < 0) exit(1); else a[i] = 1; b[i] = 1; }",
         "for i in 0 .. n\n  $1 := compare.fp64(a[i], 0.0)\n  if not ?{$1: a[i] < 0.0}\n    a[i] := 1.0\n  b[i] := 1.0",
         ["AI311"]),
        ("for (i=0;i<n;i++) a[i] = 1; exit(0); for (i=0;i<n;i++) b[i] = 1;",
         "for i in 0 .. n\n  a[i] := 1.0", []),
    ],
)  # fmt: skip
def test_calls_that_end_the_program(text: str, expected: str, reported: list[str]) -> None:
    (region,) = lower(text).regions
    assert body(text) == expected.split("\n")
    assert [item.code for item in region.assumptions if item.code == "AI311"] == reported


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("do { a[i] = 1; } while (0);", ["a[i] := 1.0"]),
        ("do { if (i == 3) break; a[i] = 1; } while (0); b[i] = 1;",
         ["if i != 3", "  a[i] := 1.0", "b[i] := 1.0"]),
        ("do { if (i == 3) continue; a[i] = 1; } while (0);", ["if i != 3", "  a[i] := 1.0"]),
        ("do { for (j = 0; j < n; j++) { if (j == 5) break; a[j] = 1; } } while (0);",
         ["for j in 0 .. n", "  if j == 5", "    break j", "  a[j] := 1.0"]),
        ("do { do { if (i == 3) break; a[i] = 1; } while (0); b[i] = 1; } while (0);",
         ["if i != 3", "  a[i] := 1.0", "b[i] := 1.0"]),
    ],
)  # fmt: skip
def test_a_loop_that_never_repeats_is_a_block(text: str, expected: list[str]) -> None:
    found = body(f"double a[99], b[99]; int i, j; for (i = 0; i < n; i++) {{ {text} }}")
    assert found == ["for i in 0 .. n", *("  " + line for line in expected)]
    assert codes(f"double a[99]; int i, j; for (i = 0; i < n; i++) {{ {text} }}") == []


LOOP = "for (int i = 0; i < n; i++) {{ {} a[i] *= 2; }}"


def regions(text):
    (file,) = analyze(SourceFile("a.c", text, Language.C), AnalysisOptions())
    return file.profile.regions


@pytest.mark.parametrize(
    "declared",
    ["void stop(int) __attribute__((noreturn));", "_Noreturn void stop(int);", "void library_abort(int);"],
)
def test_what_does_not_return_under_a_condition_is_an_end(declared):
    name = "stop" if "stop" in declared else "library_abort"
    (region,) = regions(f"{declared} void f(int n, double *a) {{ {LOOP.format(f'if (a[i] < 0) {name}(i);')} }}")
    assert str(region.work.flops.estimate) == "n"
    assert region.work.flops.is_exact
    assert "AI311" in [note.code for note in region.assumptions]
    assert not region.work.not_counted


def test_what_is_only_named_like_an_end_is_unknown_elsewhere():
    (region,) = regions(f"void library_abort(int); void f(int n, double *a) {{ library_abort(n); {LOOP.format('')} }}")
    assert region.work.not_counted


_SHARED = """
typedef struct {{ int n; double *u; }} grid;
double step(grid *g) {{ double c = 0; for (int k = 0; k < g->n; k++) c += g->u[k]; {change} return c; }}
double f(double *a, int m) {{
  grid g; g.n = m; g.u = a;
  for (int s = 0; s < 10; s++) {{ if (step(&g) < 1) break; }}
  double c = 0;
  for (int k = 0; k < g.n; k++) c += g.u[k];
  return c;
}}
"""


@pytest.mark.parametrize(("change", "last"), [("", "0 .. m"), ("g->n = g->n - 1;", "0 .. g.n")])
def test_what_stays_the_same_in_a_loop_is_known_wherever_it_is_left(change, last):
    (loop,) = [line for line in body(_SHARED.format(change=change), "f") if line.startswith("for k.2")]
    assert loop == f"for k.2 in {last}"


@pytest.mark.parametrize(("before", "behind"), [("", "if (u[s] < c) break;"), ("if (u[s] < c) break;", "")])
def test_buffers_that_change_places_are_those_of_the_last_iteration_behind_a_break(before, behind):
    text = f"""
void g(double *a, double *b, int n, int m, double c) {{
  double *u = a, *v = b;
  for (int s = 0; s < m; s++) {{
    {before} for (int k = 0; k < n; k++) v[k] = u[k];
    double *t = u; u = v; v = t; {behind}
  }}
  for (int k = 0; k < n; k++) v[k] = u[k] + u[k];
}}"""
    *_, last = body(text, "g")
    row = "max(0, m) mod 2"
    assert last.strip() == f"a|b[1 - ({row})][k.2] := add.fp64(a|b[{row}][k.2], a|b[{row}][k.2])"


def test_conditions_of_early_returns_grow_with_their_number_alone():
    """LAPACK in C checks its arguments so: the condition of the loop behind had as many parts as there are paths."""
    checks = "\n".join(f"if (m > {k}) {{ if (n == {k}) return; y[{k}] = 1; if (l == {k}) return; }}" for k in range(12))
    text = (
        f"void f(int n, int m, int l, double *y) {{ if (n > 3) {{ {checks} }} for (int i = 0; i < n; i++) y[i] = 2; }}"
    )
    (region,) = lower(text).regions
    *_, behind = (node for node in all_nodes(region.body) if isinstance(node, Guard))
    assert len(list(leaves(behind.condition))) == 1 + 12 * 3
