"""Calls of one of several bodies, by virtual methods and by tables of functions and objects, against closed forms."""

import pytest

from tests.rows import codes, file_report, rows

SHAPES = """
#include <memory>
#include <utility>
#include <vector>
struct Shape { virtual double area(double s) const = 0; virtual void grow(double s) = 0; virtual ~Shape() {} };
struct Square : Shape {
  double a;
  double area(double s) const override { return a * s; }
  void grow(double s) override { a *= s; }
};
struct Disc : Shape {
  double r;
  double area(double s) const override { return 3.0 * r * r * s + 1; }
  void grow(double s) override { r = r * s + 1; }
};
"""


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("double f(const std::vector<std::unique_ptr<Shape>> &v, int n) { double s = 0;"
         " for (int i = 0; i < n; i++) s += v[i]->area(2.0); return s; }", 2000, 5000),
        ("void f(Shape **v, int n) { for (int i = 0; i < n; i++) v[i]->grow(1.5); }", 1000, 2000),
        ("double f(const Shape &o, int n) { double s = 0; for (int i = 0; i < n; i++) s += o.area(i); return s; }",
         2000, 5000),
    ],
)  # fmt: skip
def test_an_object_of_unknown_class_has_the_work_of_one_of_its_classes(text: str, least: int, most: int) -> None:
    (region,) = (found for found in file_report(SHAPES + text).regions if found.profile.name == "f")
    flops, values = region.profile.work.flops, dict.fromkeys(region.profile.symbols, 1000)
    assert (flops.lower.evaluate(values), flops.upper.evaluate(values)) == (least, most)
    assert ("AI201", 18) not in codes(SHAPES + text)


LISTED = "Square q; Disc d; q.a = d.r = 1; const Shape *t[] = {&q, &d, &q}; double s = 0; "


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("for (int i = 0; i < n; i++) s += t[1]->area(i);", 5000),
        ("for (int k = 0; k < 3; k++) for (int i = 0; i < n; i++) s += t[k]->area(i);", 9000),
        ("for (const Shape *o : t) for (int i = 0; i < n; i++) s += o->area(i);", 9000),
    ],
)
def test_objects_that_a_local_array_lists_keep_their_classes(body: str, flops: int) -> None:
    found = rows(f"{SHAPES}double f(int n) {{ {LISTED}{body} return s; }}")["f"]
    assert (found.flops, found.exact) == (flops, True)


@pytest.mark.parametrize("change", ["t[1] = &q;", "std::swap(t[0], t[1]);", "const Shape **p = t; *p = &d;"])
def test_what_is_written_to_the_list_is_one_of_the_classes(change: str) -> None:
    body = f"{LISTED}{change} for (int i = 0; i < n; i++) s += t[1]->area(i); return s;"
    assert not rows(f"{SHAPES}double f(int n) {{ {body} }}")["f"].exact


TABLE = """
#include <stdlib.h>
typedef double (*rule)(double);
struct solver { rule f; double y; };
static double one(double x) { return x + 1; }
static double two(double x) { return x * 2 + 1; }
static const rule table[2] = {one, two};
double f(int n) {
  struct solver *s = malloc(sizeof *s);
  s->y = 0;
  for (int k = 0; k < 2; k++) {
    s->f = table[k];
    for (int i = 0; i < n; i++) s->y = s->f(s->y);
  }
  return s->y;
}
"""


@pytest.mark.parametrize("kind", ["static const rule", "rule"])
def test_a_function_at_a_position_of_a_table_is_the_one_there(kind: str) -> None:
    own = f"{kind} t[] = {{one, two}};" if kind == "rule" else ""
    name = "t" if own else "table"
    text = f"double g(const double *x, int n, int k) {{ {own} double s = 0;"
    text += f" for (int i = 0; i < n; i++) s += {name}[k](x[i]); return s; }}"
    (region,) = (found for found in file_report(TABLE + text, "x.c").regions if found.profile.name == "g")
    flops, values = region.profile.work.flops, dict.fromkeys(region.profile.symbols, 1000)
    assert flops.is_exact
    assert [flops.estimate.evaluate(values | {"k": position}) for position in (0, 1)] == [2000, 3000]


def test_a_function_taken_from_a_table_into_a_member_is_that_function() -> None:
    assert rows(TABLE, "x.c")["f"].flops == 3000


@pytest.mark.parametrize(
    ("text", "flops", "loads", "stores"),
    [
        ("double f(const double *x, int n) { std::deque<double> q; double s = 0; for (int i = 0; i < n; i++) {"
         " q.push_back(x[i]); if (i >= 8) { s -= q.front(); q.pop_front(); } s += x[i]; } return s; }",
         2 * 1000 - 8, 8 * (3 * 1000 - 8), 8000),
        ("double f(const std::deque<double> &q) { double s = 0; for (double x : q) s += x * x; return s; }",
         2000, 8000, 0),
        ("void f(int n) { std::queue<double> q; for (int i = 0; i < n; i++) q.push(i * 0.5);"
         " for (int i = 0; i < n; i++) q.pop(); }", 1000, 0, 8000),
        ("double f(int n) { std::stack<double> q; double s = 0; for (int i = 0; i < n; i++) q.push(i * 0.5);"
         " for (int i = 0; i < n; i++) { s += q.top(); q.pop(); } return s; }", 2000, 8000, 8000),
    ],
)  # fmt: skip
def test_queues(text: str, flops: int, loads: int, stores: int) -> None:
    found = rows(f"#include <deque>\n#include <queue>\n#include <stack>\n{text}")["f"]
    assert (found.flops, found.loads, found.stores) == (flops, loads, stores)


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("int k = 10; for (int i = 0; i < n; i++) x[i] = 1.0 / k;", 1000),
        ("for (int i = 0; i < n; i++) x[i] = 1.0 / 10;", 0),
        ("int k = 10; double h = 1.0 / k; for (int i = 0; i < n; i++) x[i] = sqrt(k) * h;", 2001),
        ("scaled(x, n, 0.5);", 2000),
        ("int k = 10; double h = -(1.0 / k); for (int i = 0; i < n; i++) x[i] = h;", 1),
    ],
)
def test_what_is_computed_with_known_variables_counts(body: str, flops: int) -> None:
    text = "void scaled(double *x, int n, double h) { for (int i = 0; i < n; i++) x[i] *= h * 2.0; }\n"
    assert rows(f"#include <math.h>\n{text}void f(double *x, int n) {{ {body} }}", "x.c")["f"].flops == flops


@pytest.mark.parametrize(
    ("size", "bytes_cleared"),
    [
        ("sizeof(float[n])", 4000),
        ("sizeof(double[n][3])", 24000),
        ("sizeof(unsigned short int[2 * n + 1])", 4002),
        ("sizeof(struct pair[n])", 16000),
        ("sizeof(char *[n])", 8000),
        ("n * sizeof *rows", 24000),
        ("sizeof(row)", 8000),
    ],
)
def test_sizes_of_array_types_with_unknown_extents(size: str, bytes_cleared: int) -> None:
    text = "#include <string.h>\nstruct pair { double x, y; };\nvoid f(int n, int m, char *p) {\n"
    text += f"typedef double row[n]; double (*rows)[m] = 0; memset(p, 0, {size}); }}"
    assert rows(text, "x.c", m=3)["f"].stores == bytes_cleared


FLEXIBLE = """
#include <stdlib.h>
struct signal { int n; float v[]; };
static struct signal *made(int n) {
  struct signal *s = malloc(sizeof *s + n * sizeof(float));
  if (!s) return NULL;
  s->n = n;
  return s;
}
"""


@pytest.mark.parametrize(("sizes", "flops"), [(("500", "400"), 900), (("n", "2 * n"), 3000)])
def test_a_structure_with_a_flexible_array_is_one_object(sizes: tuple[str, str], flops: int) -> None:
    loops = " ".join(f"for (int i = 0; i < {name}->n; i++) {name}->v[i] = 2.0f * i;" for name in "st")
    first, second = sizes
    text = f"{FLEXIBLE}void f(int n) {{ struct signal *s = made({first}), *t = made({second}); {loops} }}"
    found = rows(text, "x.c")["f"]
    assert (found.flops, found.stores, found.written) == (flops, 4 * flops, 4 * flops)


VIRTUAL = """
struct Shape { virtual ~Shape() {} virtual double area() const { return 1; } };
struct Square : Shape { double a; double area() const override { return a * a; } };
"""
TEMPLATE = "template <class T> struct Disc : Shape { T r; double area() const override { return 3.14 * r * r; } };\n"
OF_ANY = (
    "double f(const Shape *const *s, int n) { double t = 0; for (int i = 0; i < n; i++) t += s[i]->area(); return t; }"
)


def test_a_virtual_method_may_run_the_body_of_an_instance_of_a_template() -> None:
    """With ``Disc`` there is no upper bound, as libclang shows no instances: it was one product, and an exact sum."""
    texts = (VIRTUAL + OF_ANY, VIRTUAL + TEMPLATE + OF_ANY)
    bounded, open_ = (file_report(text).regions[-1].profile.work.flops for text in texts)
    assert bounded.upper is not None
    assert open_.upper is None


def test_an_object_of_an_instance_runs_its_own_body() -> None:
    text = "double f(int n) { Disc<double> c; c.r = 2;"
    text += " double t = 0; for (int i = 0; i < n; i++) t += c.area(); return t; }"
    assert rows(VIRTUAL + TEMPLATE + text)["f"].flops == 3_000


FUNCTIONS = """
static double twice(double v) { return 2 * v; }
static double line(double v) { return 3 * v + 1; }
struct Named { int n; double (*f)(double); };
static const Named named[] = {{1, twice}, {2, line}};
"""


@pytest.mark.parametrize(
    ("loop", "flops"),
    [
        ("double (*t[])(double) = {twice, line}; for (auto f : t) LOOP", 3000),
        ("double (*t[])(double) = {twice, [](double v) { return v * v + v; }}; for (auto f : t) LOOP", 3000),
        ("for (const Named &e : named) { auto f = e.f; LOOP }", 3000),
        ("for (const auto &[k, f] : named) LOOP", 3000),
        ("const Named t[] = {{1, line}, {2, [](double v) { return v - 1; }}}; for (auto &[k, f] : t) LOOP", 3000),
    ],
)
def test_a_loop_over_a_table_calls_each_function_of_it(loop: str, flops: int) -> None:
    body = loop.replace("LOOP", "for (int i = 0; i < n; i++) x[i] = f(x[i]);")
    found = rows(f"{FUNCTIONS}void g(double *x, int n) {{ {body} }}")["g"]
    assert (found.flops, found.exact) == (flops, True)


def test_a_reference_to_a_function_that_another_replaces_is_not_that_of_the_list() -> None:
    body = "double (*t[])(double) = {twice, twice}; for (auto &f : t) f = line; return t[1](x);"
    found = rows(f"{FUNCTIONS}double g(double x) {{ {body} }}")["g"]
    assert not found.exact or found.flops == 2


TABLES = """
static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
static struct { double (*call)(double); int order; } entries[] = {{square, 2}, {cube, 3}};
static double (*plain[])(double) = {square, cube};
"""


@pytest.mark.parametrize("called", ["entries[k].call", "plain[k]"])
@pytest.mark.parametrize(("written", "exact"), [("", True), ("entries[j].call = square; plain[j] = cube;", False)])
def test_a_table_that_is_not_const_keeps_the_functions_that_nothing_writes_over(
    called: str, written: str, exact: bool
) -> None:
    """Both bodies and both sums: 1 + 2 + 2."""
    loop = f"double f(double x) {{ double s = 0; for (int k = 0; k < 2; k++) s += {called}(x); return s; }}"
    found = rows(f"{TABLES}void g(int j) {{ {written} }}\n{loop}", "x.c")["f"]
    assert (found.flops == 5, found.exact) == (exact, exact)


NAMED = """
static double twice(double x) { return 2 * x; }
static double cube(double x) { return x * x * x + 1; }
static struct { const char *name; double (*run)(double); } kinds[] = {{"twice", twice}, {"cube", cube}, {0, 0}};
double f(int n, int k, const int *of, const double *a) { double s = 0; LOOPS return s; }
"""
EACH = "for (int i = 0; i < n; i++) s += kinds[{}].run(a[i]);"


@pytest.mark.parametrize("static", ["static ", "static const ", ""])
@pytest.mark.parametrize(
    ("loops", "least", "most"),
    [
        (EACH.format(1), 4000, 4000),
        (f"for (int j = 0; j < 2; j++) {EACH.format('j')}", 6000, 6000),
        (EACH.format("k"), 4000, 4000),
        (EACH.format("of[i]"), 2000, 4000),
        (f"kinds[0].run = cube; {EACH.format(0)}", 1000, None),
    ],
)
def test_functions_in_structures_that_a_table_lists(loops: str, least: int, most: int | None, static: str) -> None:
    if most is None and "const" in static:
        return
    text = NAMED.replace("static struct", static + "struct").replace("LOOPS", loops)
    (region,) = (found for found in file_report(text, "x.c").regions if found.profile.name == "f")
    flops, values = region.profile.work.flops, {"n": 1000, "k": 1}
    assert flops.lower.evaluate(values) == least
    assert (None if flops.upper is None else flops.upper.evaluate(values)) == most
    assumed = {each.code for each in region.profile.assumptions}
    assert ("AI314" in assumed) is (static == "" and most is not None)
