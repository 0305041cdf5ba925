"""Objects that ``new``, ``make_unique`` and ``make_shared`` make, against hand counts: constructors do their work."""

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

CLASSES = """
#include <memory>
struct Field {
  double *p; int n; double h;
  Field(int m) : n(m), h(1.0 / m) { p = new double[m]; for (int i = 0; i < m; i++) p[i] = i * h; }
  double at(int i) const { return p[i] * h; }
};
struct Named : Field { using Field::Field; double scale = 3.0; };
template <class T> struct Row { T *p; Row(T *q, int m) : p(q) { for (int i = 0; i < m; i++) q[i] *= 2; } };
struct Line : Row<double> { using Row<double>::Row; };
struct Elsewhere { double x; Elsewhere(double, int); };
struct Shape { virtual ~Shape() {} virtual double area(double x) const = 0; };
struct Square : Shape {
  double a;
  Square(double b) : a(b) {}
  double area(double x) const override { return a * a * x; }
};
"""
SUM = "double s = 0; for (int i = 0; i < f->n; i++) s += f->at(i); return s;"


def work(body):
    source = SourceFile("x.cpp", f"{CLASSES} double run(int n) {{ {body} }}", Language.CXX)
    (found,) = (region for region in analyze(source)[0].regions if region.function == "run")
    return found.work.flops, found.footprint.touched.bytes


@pytest.mark.parametrize(
    "made",
    [
        "Field *f = new Field(n);",
        "std::unique_ptr<Field> f(new Field(n));",
        "auto f = std::make_unique<Field>(n);",
        "auto f = std::make_shared<Field>(n);",
    ],
)
def test_the_constructor_of_an_object_runs(made):
    """A quotient, n products; a product and a sum for each of n elements; h is 8 bytes beside n elements of p."""
    flops, touched = work(made + SUM)
    assert flops.is_exact
    assert touched.is_exact
    assert (flops.estimate.evaluate({"n": 10}), touched.estimate.evaluate({"n": 10})) == (31, 88)


def test_two_objects_have_memory_of_their_own():
    body = "Field *f = new Field(n), *g = new Field(2 * n); double s = 0;"
    flops, touched = work(body + "for (int i = 0; i < n; i++) s += f->at(i) * g->at(i); delete f; return s;")
    assert (flops.estimate.evaluate({"n": 10}), touched.estimate.evaluate({"n": 10})) == (2 + 30 + 40, 240 + 16)


def test_the_class_of_an_object_decides_its_virtual_methods():
    flops, _ = work("Shape *f = new Square(2.0); double s = 0; for (int i = 0; i < n; i++) s += f->area(s); return s;")
    assert flops.is_exact
    assert flops.estimate.evaluate({"n": 10}) == 30


def test_objects_of_a_loop_are_counted_and_touch_at_least_what_one_of_them_does():
    body = "Field **f = new Field *[n]; for (int i = 0; i < n; i++) f[i] = new Field(5); return f[0]->h;"
    flops, touched = work(body)
    assert flops.is_exact
    assert flops.estimate.evaluate({"n": 10}) == 60
    assert touched.upper is None


def test_a_constructor_that_is_inherited_runs():
    flops, touched = work("Named object(n); Named *f = &object;" + SUM)
    assert flops.is_exact
    assert (flops.estimate.evaluate({"n": 10}), touched.estimate.evaluate({"n": 10})) == (31, 80)


def test_a_constructor_that_is_inherited_from_an_instance_runs():
    """n multiplications in the constructor, n additions behind it."""
    text = f"{CLASSES} void run(int n, double *q) {{ Line object(q, n); for (int i = 0; i < n; i++) q[i] += 1; }}"
    (file,) = analyze(SourceFile("x.cpp", text, Language.CXX))
    (found,) = (region for region in file.regions if region.function == "run")
    assert found.work.flops.is_exact
    assert found.work.flops.estimate.evaluate({"n": 10}) == 20


def test_a_constructor_without_a_body_is_reported():
    made = "Elsewhere object(1.0, n);"
    text = f"{CLASSES} double run(int n, double *q) {{ {made} for (int i = 0; i < n; i++) q[i] += 1; return *q; }}"
    (file,) = analyze(SourceFile("x.cpp", text, Language.CXX))
    (found,) = (region for region in file.regions if region.function == "run")
    assert "AI201" in {told.code for told in file.diagnostics}
    assert found.work.flops.upper is None


MEMORY = "#include <memory>\n#include <cstdlib>\nstruct Body { double x, v; }; struct World { Body body; };"
STEPS = "for (int i = 0; i < n; i++) b->x += dt * b->v; o[0] = b->x;"


@pytest.mark.parametrize(
    ("parameters", "body", "zeros"),
    [
        ("Body *b", STEPS, 0),
        ("Body &r", "Body *b = &r;" + STEPS, 0),
        ("std::unique_ptr<Body> &b", STEPS, 0),
        ("int", "Body *b = new Body;" + STEPS, 0),
        ("int", "Body *b = new Body();" + STEPS, 2),
        ("int", "Body *b = new Body{1, 2};" + STEPS, 2),
        ("int", "auto b = std::make_unique<Body>();" + STEPS, 2),
        ("int", "auto b = std::make_shared<Body>();" + STEPS, 2),
        ("int", "Body *b = (Body *)malloc(sizeof(Body)); b->x = 0; b->v = 1;" + STEPS, 2),
        ("int", "World *w = new World{}; Body &r = w->body; Body *b = &r;" + STEPS, 2),
        ("World &w", "Body *b = &w.body;" + STEPS, 0),
    ],
)
def test_numbers_behind_pointers_and_references_are_memory(parameters, body, zeros):
    """Two loads and a store for each step, one of each for the result."""
    text = f"{MEMORY} void run({parameters}, int n, double dt, double *o) {{ {body} }}"
    (found,) = analyze(SourceFile("x.cpp", text, Language.CXX))[0].regions
    loads, stores = found.loads.elements, found.stores.elements
    assert (loads.estimate.evaluate({"n": 10}), stores.estimate.evaluate({"n": 10})) == (21, 11 + zeros)


@pytest.mark.parametrize(("parameter", "each"), [("double *p", "*p"), ("double &p", "p"), ("Body &p", "p.x")])
def test_a_sum_behind_a_reference_is_loaded_and_stored(parameter, each):
    text = f"{MEMORY} void run({parameter}, int n, double *a) {{ for (int i = 0; i < n; i++) {each} += a[i]; }}"
    (found,) = analyze(SourceFile("x.cpp", text, Language.CXX))[0].regions
    loads, stores = found.loads.elements, found.stores.elements
    assert (loads.estimate.evaluate({"n": 10}), stores.estimate.evaluate({"n": 10})) == (20, 10)


@pytest.mark.parametrize("array", ["Set s[10];", "Sets q; Set *s = q.s;", "Set s[2][5];"])
def test_members_with_a_default_are_stored_in_each_element_of_an_array(array):
    """Two numbers of each of 10 elements, and the result."""
    classes = "struct Set { double x = 0, y = 1; }; struct Sets { Set s[10]; };"
    last = "s[1][2].y" if "[2]" in array else "s[3].y"
    text = f"{classes} void run(double *a) {{ {array} for (int i = 0; i < 1; i++) a[i] = {last}; }}"
    (found,) = analyze(SourceFile("x.cpp", text, Language.CXX))[0].regions
    assert found.stores.elements.estimate.evaluate({}) == 21


@pytest.mark.parametrize("language", [Language.CXX, Language.CUDA])
def test_what_an_object_is_made_from_runs(language):
    """A sum of n products; in host code of CUDA it was lost."""
    text = """struct R { double n; R() : n(0) {} };
    R sum(const double *a, int n) { R r; for (int i = 0; i < n; i++) r.n += a[i] * 2; return r; }
    void run(const double *a, int n, void **out) { R *v = new R(sum(a, n)); *out = v; }"""
    (file,) = analyze(SourceFile("x.cu", text, language))
    (found,) = (region for region in file.regions if region.function == "run")
    assert found.work.flops.is_exact
    assert found.work.flops.estimate.evaluate({"n": 10}) == 20
