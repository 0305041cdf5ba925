"""Pointers and references to one of several objects: what is accessed, and under which condition."""

from __future__ import annotations

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.verify import verify
from analyzer.ir.written.text import nodes_text
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from tests.lowering import body as body_of_c

LOOP = "for (int i=0;i<n;i++) "
PARAMETERS = "int n, int c, int *k, double *restrict a, double *restrict b, double *restrict o"


def body(text: str, *, cxx: bool = False) -> list[str]:
    """The nodes of the last function of a text."""
    if not cxx:
        return body_of_c(text, "f")
    unit = parse_clang(SourceFile("x.cpp", text, Language.CXX), ParseOptions()).unit
    (region,) = lower_unit(unit, LowerOptions(functions=frozenset({"f"}))).regions
    verify(region)
    return list(nodes_text(region.body, {array.name: array for array in region.arrays}))


def of(text: str, *, cxx: bool = False) -> list[str]:
    """The nodes of a function with the arrays a, b and o, the size n and the number c."""
    parameters = PARAMETERS.replace("restrict", "__restrict__") if cxx else PARAMETERS
    return body(f"void f({parameters}) {{ {text} }}", cxx=cxx)


ALTERNATIVES = [
    "if c != 0",
    "  for i in 0 .. n",
    "    o[i] := a[i]",
    "else",
    "  for i.2 in 0 .. n",
    "    o[i.2] := b[i.2]",
]


@pytest.mark.parametrize(
    "text",
    [
        "double *p = c ? a : b; " + LOOP + "o[i] = p[i];",
        "double *p; if (c) p = a; else p = b; " + LOOP + "o[i] = p[i];",
        "double *p = b; if (c) { p = a; } " + LOOP + "o[i] = p[i];",
        "double *p = c ? a : b, *q = p; " + LOOP + "o[i] = q[i];",
    ],
)
def test_a_nest_is_lowered_for_each_array(text: str) -> None:
    assert of(text) == ALTERNATIVES


def test_a_parameter_that_is_one_of_two_arrays() -> None:
    assert of("if (c) a = b; " + LOOP + "o[i] = a[i];")[2] == "    o[i] := b[i]"


def test_a_reference_to_one_of_two_elements() -> None:
    text = LOOP + "{ double &r = k[i] > 0 ? a[i] : b[0]; r += 1; }"
    assert of(text, cxx=True)[2:] == [
        "  if ?{$1: k[i] > 0}",
        "    a[i] := add.fp64(a[i], 1.0)",
        "  else",
        "    b[0] := add.fp64(b[0], 1.0)",
    ]


def test_a_function_that_returns_one_of_two_arrays() -> None:
    pick = "static double *pick(int c, double *a, double *b) { if (c != 0) return a; return b; }\n"
    text = f"void f({PARAMETERS}) {{ double *p = pick(c, a, b); {LOOP} o[i] = p[i]; }}"
    found = body(pick + text)
    assert (found[0], found[2], found[5]) == ("if c == 0", "    o[i] := b[i]", "    o[i.2] := a[i.2]")


def test_a_choice_within_an_expression_is_a_row_of_a_table() -> None:
    assert of(LOOP + "o[i] = (k[i] > 0 ? a : b)[i];")[2] == "  o[i] := a|b[?{choice#1}][i]"


def test_a_condition_on_a_counter_decides_exactly() -> None:
    assert of(LOOP + "{ double *p = i < 5 ? a : b; o[i] = p[i]; }")[1] == "  o[i] := a|b[1 - min(1, max(0, 5 - i))][i]"


SWAPS = {
    "by hand": "double *s = a; a = b; b = s;",
    "std::swap": "std::swap(a, b);",
}


@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
def test_buffers_that_change_places(swap: str) -> None:
    text = f"for (int t=0;t<c;t++) {{ {LOOP} b[i] = a[i]; {swap} }}"
    head = "#include <utility>\n"
    found = body(f"{head}void f({PARAMETERS.replace('restrict', '__restrict__')}) {{ {text} }}", cxx=True)
    assert found[2] == "    a|b[1 - (t mod 2)][i] := a|b[t mod 2][i]"


def test_containers_that_change_their_elements() -> None:
    text = """#include <vector>
    void f(int n, int c) { std::vector<double> a(n), b(n);
      for (int t=0;t<c;t++) { for (int i=0;i<n;i++) b[i] = a[i]; a.swap(b); } }"""
    assert body(text, cxx=True)[-1] == "    a|b[1 - (t mod 2)][i] := a|b[t mod 2][i]"


def test_members_that_change_places() -> None:
    text = """struct G { double *a, *b; };
    void f(struct G *g, int n, int c) { for (int t=0;t<c;t++) { for (int i=0;i<n;i++) g->b[i] = g->a[i];
      double *s = g->a; g->a = g->b; g->b = s; } }"""
    assert "    g->a|g->b[1 - (t mod 2)][i] := g->a|g->b[t mod 2][i]" in body(text)


def test_buffers_that_change_places_where_data_say_so_are_not_known() -> None:
    text = f"for (int t=0;t<c;t++) {{ {LOOP} b[i] = a[i]; if (o[t] > 0) {{ double *s = a; a = b; b = s; }} }}"
    assert of(text)[2] == "    a|b[?{b}][i] := a|b[?{a}][i]"


def test_three_buffers_in_a_circle() -> None:
    text = f"for (int t=0;t<c;t++) {{ {LOOP} o[i] = a[i] + b[i]; double *s = a; a = b; b = o; o = s; }}"
    assert "a|b|o[t mod 3][i]" in of(text)[2]


def test_a_pointer_that_changes_after_the_first_iteration() -> None:
    text = f"double *p = a; for (int t=0;t<c;t++) {{ {LOOP} p[i] = 1; p = b; }}"
    assert of(text)[2] == "    a|b[min(1, t)][i] := 1.0"


def test_a_pointer_that_a_loop_leaves_with_may_be_either() -> None:
    text = f"double *p = a; {LOOP} {{ if (o[i] > 0) {{ p = b; break; }} }} {LOOP} p[i] = 1;"
    assert of(text)[-1].startswith("  a|b[?{p#")


def test_elements_of_an_array_of_pointers() -> None:
    text = f"double *p[2] = {{a, b}}; for (int t=0;t<2;t++) {LOOP} p[t][i] = p[0][i];"
    assert of(text)[-1] == "    a|b[t][i] := a|b[0][i]"


def test_a_list_stays_an_array_of_its_elements() -> None:
    text = """struct N { double v; struct N *next; };
    double f(struct N *p) { double s=0; while (p) { s+=p->v; p=p->next; } return s; }"""
    assert "  s := add.fp64(s, p[?{p}].v+0:fp64)" in body(text)


def test_a_walk_that_starts_at_an_object_goes_on_in_memory() -> None:
    """A list that begins with an argument by reference: each iteration loads two members of some node."""
    text = "struct P { double x; P *next; }; double f(const P &a, int n) { double s = 0; const P *q = &a; "
    found = body(text + LOOP + "{ s += q->x; q = q->next; } return s; }", cxx=True)
    assert [line.split(":=")[0].strip() for line in found] == ["s", "for i in 0 .. n", "s", "$1"]
    assert found[2].count("?{q}") == found[3].count("?{q}") > 0


REACHES = """#include <algorithm>
struct Reach { int lo, hi; int size() const { return hi - lo; } };
inline bool operator<(const Reach &p, const Reach &q) { return p.size() < q.size(); }
template <class T> const T &larger(const T &p, const T &q) { return p < q ? q : p; }
"""
OVER_MOST = "for (int i = most.lo; i < most.hi; i++) a[i] += 1;"


@pytest.mark.parametrize(
    ("body", "additions"),
    [
        ("const Reach &most = std::max(p, q);" + OVER_MOST, {(10, 3): 10, (3, 10): 9}),
        ("const Reach &most = std::min(p, q);" + OVER_MOST, {(10, 3): 2, (3, 10): 3}),
        ("const Reach &most = larger(p, q);" + OVER_MOST, {(10, 3): 10, (3, 10): 9}),
        ("Reach most = std::max(p, q); p.hi = 0;" + OVER_MOST, {(10, 3): 10, (3, 10): 9}),
        ("Reach &most = n > m ? p : q; p.hi = 5;" + OVER_MOST, {(10, 3): 5, (3, 10): 9}),
        ("Reach *r = n > m ? &p : &q; r->hi--; for (int i = p.lo; i < p.hi; i++) a[i] += 1;", {(10, 3): 9, (3, 10): 3}),
        ("auto [lo, hi] = std::minmax({n, m, 4}); for (int i = lo; i < hi; i++) a[i] += 1;", {(10, 3): 7, (3, 10): 7}),
    ],
)
def test_one_of_two_objects_has_the_members_of_either(body, additions):
    """p has n numbers, q has m - 1: a reference, a copy and a pointer are of the one that the condition names."""
    text = f"{REACHES} void f(int n, int m, double *a) {{ Reach p{{0, n}}, q{{1, m}}; {body} }}"
    (region,) = (each for each in analyze(SourceFile("x.cpp", text, Language.CXX))[0].regions if each.function == "f")
    assert region.work.flops.is_exact
    found = {sizes: region.work.flops.estimate.evaluate(dict(zip("nm", sizes, strict=True))) for sizes in additions}
    assert found == additions
