"""Integer members that loops step, and members with a value where they are declared, against hand counts."""

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from tests.rows import file_report

CLASSES = """
#include <vector>
struct Plain { double d[100]; int top; };
struct Made { double d[100]; int top; Made() : top(0) {} void push(double x) { d[top++] = x; } };
struct Given { double d[100]; int top = 0; void push(double x) { d[top] = x; top++; } };
struct Both { int size = 7; double factor = 2.0; int other; double d[10]; Both(int m) : other(m) {} };
struct Part { int size = 9; double scale; };
struct Whole { Part part; int more = 4; };
struct Rows { int n; double *p; Rows(double *q, int m) : n(m), p(q) {} };
struct Filled : Rows { Filled(double *q, int m) : Rows(q, m) {} void fill() { for (int i = 0; i < n; i++) p[i] = 1; } };
struct Held { int n; std::vector<double> a; Held(int m) : n(m), a(m, 1.0) {} };
struct Summed : Held {
  Summed(int m) : Held(m) {}
  double sum() { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
};
"""


def region(body, parameters="int n"):
    source = SourceFile("x.cpp", f"{CLASSES} double run({parameters}) {{ {body} }}", Language.CXX)
    (found,) = (region for region in analyze(source)[0].regions if region.function == "run")
    return found


@pytest.mark.parametrize(
    ("parameters", "body"),
    [
        ("int n", "Plain s; s.top = 0; for (int i = 0; i < n; i++) s.d[s.top++] = 1; return s.d[0];"),
        ("int n", "Plain s; for (int i = 0; i < n; i++) s.d[s.top++] = 1; return s.d[0];"),
        ("Plain &s, int n", "for (int i = 0; i < n; i++) s.d[s.top++] = 1; return 0;"),
        ("int n", "Made s; for (int i = 0; i < n; i++) s.push(1); return s.d[0];"),
        ("int n", "Given s; for (int i = 0; i < n; i++) s.push(1); return s.d[0];"),
        ("Given &s, int n", "for (int i = 0; i < n; i++) s.push(1); return 0;"),
    ],
)
def test_a_member_that_a_loop_steps_reaches_another_element_each_time(parameters, body):
    written = region(body, parameters).footprint.written.bytes
    assert written.is_exact
    assert written.estimate.evaluate({"n": 20}) == 160


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("Given s; double r = 1; for (int i = s.top; i < n; i++) r += 2; return r;", 20),
        ("Both s(n); double r = 1; for (int i = 0; i < s.size; i++) r *= s.factor; return r;", 7),
        ("Both s(n); double r = 1; for (int i = 0; i < s.other; i++) r *= s.factor; return r;", 20),
        ("Whole s; double r = 1; for (int i = 0; i < s.more; i++) r *= 2; return r;", 4),
    ],
)
def test_members_start_with_the_value_of_their_declaration(body, flops):
    found = region(body).work.flops
    assert found.is_exact
    assert found.estimate.evaluate({"n": 20}) == flops


def test_a_base_class_gives_its_members_to_the_object():
    """Of one array, a parameter's or the base class's own, each element is stored, and read again by the second."""
    kept = region("Filled f(x, n); f.fill(); return x[0];", "int n, double *x")
    assert [array.array for array in kept.footprint.arrays] == ["x"]
    summed = region("Summed s(n); return s.sum();")
    touched = summed.footprint.touched.bytes
    assert touched.is_exact
    assert touched.estimate.evaluate({"n": 20}) == 160
    assert summed.work.flops.estimate.evaluate({"n": 20}) == 20


def test_bases_of_an_instance_for_a_class_in_a_function_have_no_names():
    text = """template <class T> struct Base { T head; Base() { head = T(); } };
    template <class T> struct Up : Base<T> { T last; Up() { last = T(); } };
    void f(int n, double *x) { struct Local { double v; }; Up<Local> up;
      for (int i = 0; i < n; i++) x[i] += up.head.v; }"""
    (found,) = (
        region for region in analyze(SourceFile("a.cpp", text, Language.CXX))[0].regions if region.function == "f"
    )
    assert str(found.work.flops.estimate) == "n"


def test_rows_of_member_initialisers_are_where_these_are():
    text = (
        "#include <vector>\n#include <numeric>\nstruct C {\n std::vector<int> a;\n std::vector<double> b;\n"
        " explicit C(int n)\n  : a(n, 1),\n    b(n, 2.0)\n {\n  for (auto &x : b) x += 1;\n }\n};\n"
        "double f(int n) {\n C c(n);\n return c.b[0];\n}\n"
    )
    (region,) = (each for each in file_report(text).regions if each.profile.function == "f")
    assert [nest.profile.span.line for nest in region.nests] == [7, 8, 10]


def test_an_instance_of_a_method_is_named_after_its_lambda():
    text = (
        "template <class T> struct G { T *d; int n;\n"
        " template <class F> void each(const F &f) { for (int i = 0; i < n; i++) d[i] = f(i); } };\n"
        "void f(G<float> &g, G<double> &h) {\n g.each([](int i) { return 2.0f * i; });\n"
        " g.each([](int i) { return 3.0f + i; });\n h.each([](int i) { return 1.0 * i; });\n}\n"
    )
    names = [each.profile.function for each in file_report(text).regions]
    assert names == ["G<float>::each<lambda:4>", "G<float>::each<lambda:5>", "G<double>::each<lambda:6>", "f"]
