"""Rows whose starts the function stores itself, against hand counts; a form that is not certain leaves a symbol."""

import pytest

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile

SUM = """
extern void fill(int *p, int n);
extern int scanf(const char *, ...);
double sum(int n, int *p, double *v) {
  double s = 0;
  for (int i = 0; i < n; i++) for (int j = p[i]; j < p[i+1]; j++) s += v[j];
  return s;
}
"""
AT = {"n": 20, "k": 3, "m": 4}
ROWS = "for (int i = 0; i <= n; i++) p[i] = 5*i;"


def flops(body, language=Language.C):
    text = f"{SUM} double f(int n, int k, int m, int *p, double *v, int *c) {{ {body} }}"
    regions = analyze(SourceFile("x.c", text, language))[0].regions
    (found,) = (region for region in regions if region.function == "f")
    return found.work.flops


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{ROWS} return sum(n, p, v);", 100),
        ("p[0] = 0; for (int i = 0; i < n; i++) p[i+1] = p[i] + 7; return sum(n, p, v);", 140),
        ("p[0] = 2; for (int i = 1; i <= n; i++) p[i] = k + p[i-1]; return sum(n, p, v);", 60),
        ("p[n] = 5*n; for (int i = n - 1; i >= 0; i--) p[i] = 5*i; return sum(n, p, v);", 100),
        (
            "int e = 0; for (int i = 0; i < n; i++) { p[i] = e; for (int j = 0; j < 6; j++) { v[e] = 1; e++; } }"
            "p[n] = e; return sum(n, p, v);",
            120,
        ),
        (f"double s = 0; {ROWS} for (int r = 0; r < m; r++) s += sum(n, p, v); return s;", 4 * 101),
        (f'{ROWS} double s = sum(n, p, v); scanf("%d", &c[2]); return s;', 100),
    ],
)
def test_rows_have_the_lengths_that_are_stored(body, expected):
    found = flops(body)
    assert found.is_exact
    assert found.estimate.evaluate(AT) == expected


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{ROWS} fill(p, n); return sum(n, p, v);", id="a call that may write them"),
        pytest.param(f"{ROWS} int *q = p; fill(q, n); return sum(n, p, v);", id="by another name"),
        pytest.param(f'{ROWS} scanf("%d", &p[2]); return sum(n, p, v);', id="input"),
        pytest.param(f"{ROWS} p[k] = 3; return sum(n, p, v);", id="one element"),
        pytest.param(f"{ROWS} {ROWS.replace('5', '7')} return sum(n, p, v);", id="two forms"),
        pytest.param(f"double s = sum(n, p, v); {ROWS} return s;", id="later"),
        pytest.param("for (int i = 0; i <= n; i++) if (v[i] > 0) p[i] = 5*i; return sum(n, p, v);", id="a condition"),
        pytest.param("p[0] = 0; for (int i = 0; i < n; i++) p[i+1] = p[i] + c[i]; return sum(n, p, v);", id="data"),
        pytest.param("for (int i = 0; i < n; i++) p[i+1] = p[i] + 7; return sum(n, p, v);", id="no start"),
        pytest.param("p[0] = 0; for (int i = 0; i < n; i++) p[i+1] = p[i] + i; return sum(n, p, v);", id="no line"),
    ],
)
def test_what_is_not_certain_stays_a_symbol(body):
    assert any(name.startswith("trip") for name in flops(body).estimate.symbols)


LAYERS = """#include <vector>
struct Layer {{
  Layer(int in, int out) : in_(in), out_(out), w_(in * out), y_(out) {{}}
  const std::vector<float> &forward(const std::vector<float> &x) {{
    for (int o = 0; o < out_; ++o) {{
      float s = 0; for (int i = 0; i < in_; ++i) s += w_[o * in_ + i] * x[i]; y_[o] = s;
    }}
    return y_;
  }}
  void half() {{ for (float &w : w_) w *= 0.5f; }}
  int in_, out_;
  std::vector<float> w_, y_;
}};
struct Net {{
  std::vector<Layer> layers;
  Net(const std::vector<int> &z) {{ for (std::size_t l = 0; l + 1 < z.size(); l++) layers.{made}; }}
}};
float f() {{
  Net net({{10, 20, 30}}); float s = 0; std::vector<float> x(10);
  for (int e = 0; e < 100; ++e) {{ std::vector<float> y = x; {loop} s += y[0]; }} return s;
}}
"""


@pytest.mark.parametrize("made", ["emplace_back(z[l], z[l + 1])", "push_back(Layer(z[l], z[l + 1]))"])
@pytest.mark.parametrize(
    ("loop", "flops"),
    [
        ("for (auto &l : net.layers) y = l.forward(y);", 2 * 10 * 20 + 2 * 20 * 30),
        ("for (auto it = net.layers.rbegin(); it != net.layers.rend(); ++it) it->half();", 200 + 600),
    ],
)
def test_objects_with_containers_that_a_short_loop_makes_are_followed(made, loop, flops):
    (file,) = analyze(
        SourceFile("a.cpp", LAYERS.format(made=made, loop=loop), Language.CXX), AnalysisOptions(functions=("f",))
    )
    (region,) = file.profile.regions
    assert region.work.flops.is_exact
    assert region.work.flops.estimate.evaluate({}) == 100 * (flops + 1)


OBJECTS = """#include <utility>
#include <vector>
struct L {
  L(int n) : n(n), w(n) {}
  void half() { for (float &x : w) x *= 0.5f; }
  void first() { for (int i = 0; i < n; i++) w[i] *= 2; }
  int n; std::vector<float> w;
};
"""
MADE = "std::vector<L> v; for (int i = 0; i < 3; ++i) "


@pytest.mark.parametrize(
    ("made", "used", "flops"),
    [
        ("v.emplace_back(10 * i + 10);", "for (auto &l : v) l.half();", 60),
        ("{ L x(10 * i + 10); v.push_back(x); }", "for (auto &l : v) l.half();", 60),
        ("{ L x(10 * i + 10); v.push_back(std::move(x)); }", "for (auto &l : v) l.half();", 60),
        ("v.emplace_back(10 * i + 10);", "v[0].w.resize(100); for (auto &l : v) l.half();", 150),
        ("v.emplace_back(10 * i + 10);", "for (int k = 0; k < 5; ++k) for (auto &l : v) l.first();", 300),
        ("v.emplace_back(10 * i + 10);", "v.pop_back(); v.emplace_back(50); for (auto &l : v) l.half();", 80),
        ("v.emplace_back(10 * i + 10);", "v[1] = L(70); for (auto &l : v) { l.half(); l.first(); }", 220),
    ],
)
def test_each_object_that_a_loop_makes_has_containers_of_its_own(made, used, flops):
    """Of 10, 20 and 30 elements, or as many as the statements after the loop make of them."""
    text = f"{OBJECTS} void f() {{ {MADE} {made} {used} }}"
    (file,) = analyze(SourceFile("a.cpp", text, Language.CXX), AnalysisOptions(functions=("f",)))
    (region,) = file.profile.regions
    assert region.work.flops.is_exact
    assert region.work.flops.estimate.evaluate({}) == flops


def test_objects_in_memory_that_change_places_are_not_confused():
    text = (
        OBJECTS
        + "void f() { std::vector<L> v; v.emplace_back(10); v.emplace_back(20); std::swap(v[0], v[1]); v[0].half(); }"
    )
    (file,) = analyze(SourceFile("a.cpp", text, Language.CXX), AnalysisOptions(functions=("f",)))
    flops = file.profile.regions[0].work.flops
    assert flops.estimate.symbols or flops.estimate.evaluate({}) == 20
