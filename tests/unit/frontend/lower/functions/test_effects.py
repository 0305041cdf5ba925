"""Effects of source: variables, storage and members that it may change, in whatever expression they are named."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.lower import lower_unit
from analyzer.frontend.lower.functions.effects import EffectTable
from analyzer.frontend.options import ParseOptions
from analyzer.ir.written.text import nodes_text
from analyzer.source import Language, SourceFile

HEAD = """
struct S { int n; double *data; };
void set(double *x) { *x = 1; }
double *same(double *x) { return x; }
double first(double *x) { return *x; }
"""
PARAMETERS = "int c, int i, double *p, double *q, struct S *s, struct S t, double **pp"


def parsed(text):
    return parse_clang(SourceFile("x.c", text, Language.C), ParseOptions()).unit


@pytest.mark.parametrize(
    ("statement", "storage"),
    [
        ("p[i] = 1", {"p"}),
        ("*(i + p) = 1", {"p"}),
        ("(c ? p : q)[i] = 1", {"p", "q"}),
        ("*(c, q) = 1", {"q"}),
        ("same(p)[i] = 1", {"p"}),
        ("set(p + i)", {"p", "x"}),
        ("set(i + p)", {"p", "x"}),
        ("set(c ? p : q)", {"p", "q", "x"}),
        ("set(*pp)", {"pp", "x"}),
        ("set(same(q))", {"q", "x"}),
        ("set(&p[i])", {"p", "x"}),
        ("set(t.data)", {"t", "x"}),
        ("c = first(q) > 0", {"q"}),
    ],
)
def test_written_storage(statement, storage):
    unit = parsed(f"{HEAD}void f({PARAMETERS}) {{ {statement}; }}")
    assert EffectTable(unit.functions).of(unit.functions["f"].body).storage == storage


def test_an_atomic_update_writes_what_its_pointer_points_at():
    text = "__global__ void k(int *c, double *a) { a[threadIdx.x] = atomicAdd(c, 1); }"
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    (kernel,) = (function for function in unit.functions.values() if function.name == "k")
    assert EffectTable(unit.functions).of(kernel.body).storage == {"a", "c"}


@pytest.mark.parametrize(
    ("statement", "variables", "members"),
    [
        ("c = i", {"c"}, set()),
        ("(c ? i : c)++", {"i", "c"}, set()),
        ("s->n = i++", {"i"}, {"n"}),
        ("t.n = 1", {"t"}, {"n"}),
    ],
)
def test_changed_variables_and_members(statement, variables, members):
    text = f"void f({PARAMETERS}) {{ {statement}; }}"
    unit = parse_clang(SourceFile("x.cc", HEAD + text, Language.CXX), ParseOptions()).unit
    (body,) = (function.body for function in unit.functions.values() if function.name == "f")
    found = EffectTable(unit.functions).of(body)
    assert {variable.name for variable in found.variables} == variables
    assert found.members == members


def test_the_pointer_that_is_called_may_step_a_counter():
    text = "void f(void (**table)(double), double *a, int n) { int i = 0; while (i < n) table[i++](a[0]); }"
    (region,) = lower_unit(parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit).regions
    assert next(iter(nodes_text(region.body, {array.name: array for array in region.arrays}))) == "for i in 0 .. n"


LOOPS = """
void free(void *p);
void done(void) { return; }
void f(int n, double *p) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) { p[j] = i; done(); if (p[j] > 1) BODY; }
    while (p[i] < 0) p[i] += 1;
  }
}
"""


@pytest.mark.parametrize(
    ("body", "frees", "jumps"), [("n++", False, False), ("break", False, True), ("free(p)", True, False)]
)
def test_loops_hand_on_what_is_in_them_but_no_jumps_of_what_they_call(body, frees, jumps):
    unit = parsed(LOOPS.replace("BODY", body))
    table = EffectTable(unit.functions)
    outer = unit.functions["f"].body.statements[0]
    found = table.of(outer.condition, outer.advance, outer.body)
    assert (found.frees, found.jumps, found.loops, found.storage) == (frees, jumps, True, {"p"})
    assert [each.name for each in found.variables] == ["i", "j", *(["n"] if body == "n++" else [])]
    assert list(found.calls) == ["done"]
    inner = outer.body.statements[0]
    assert table.of(inner.body).loops is False
