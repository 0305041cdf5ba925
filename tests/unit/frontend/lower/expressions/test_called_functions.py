"""Functions that are called through tables, by conditions that they return, and by the class that the source names."""

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

HEAD = """#include <array>
#include <functional>
#include <random>
#include <vector>
static float cubed(float v) { return v * v * v; }
static float shifted(float v) { return v + 1; }
static float (*const all[])(float) = {cubed, shifted};
typedef std::function<float(float)> F;
static bool inside(int i, int n) { if (i < 1) return false; if (i >= n - 1) return false; return i % 2 == 0; }
static int within(int i, int n) { if (i < 0) return 0; return i < n; }
struct Shape { virtual float area(float v) const { return v; } };
struct Square : Shape { float area(float v) const override { return v * v; } };
struct Summed { Summed(std::function<float(const std::vector<float> &)> f) : f_(f), w_(100) {}
    float run(std::mt19937 &g) { std::uniform_real_distribution<float> u(0, 1); w_[0] = u(g); return f_(w_); }
    std::function<float(const std::vector<float> &)> f_; std::vector<float> w_; };
static float sum(const std::vector<float> &v) { float s = 0; for (float x : v) s += x; return s; }
static float squares(const std::vector<float> &v) { float s = 0; for (float x : v) s += x * x; return s; }
struct Case { std::function<float(const std::vector<float> &)> f; };
template <class P> struct Logged : P { float run(float v) { return P::area(v) + v; } };
"""
LOOP = "for (int i = 0; i < n; i++)"


def flops(body: str) -> str:
    """The FLOPs of a function, with ~ where they are not exact."""
    text = f"{HEAD}void f(int n, int m, const int *kind, float *a) {{ {body} }}\n"
    (file,) = analyze(SourceFile("x.cpp", text, Language.CXX), AnalysisOptions(functions=("f",)))
    (region,) = file.regions
    work = region.work.flops
    return f"{'' if work.is_exact else '~'}{work.estimate}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # of cubed 2, of shifted 1
        (f"std::vector<F> o = {{cubed, [](float v) {{ return v; }}}}; for (auto &g : o) {LOOP} a[i] = g(a[i]);", "2*n"),
        (f"std::vector<F> o; o.push_back(cubed); o.emplace_back(shifted); {LOOP} a[i] = o[0](o[1](a[i]));", "3*n"),
        (f"std::vector<float (*)(float)> ops = {{cubed, shifted}}; for (auto op : ops) {LOOP} a[i] = op(a[i]);", "3*n"),
        (f"std::array<F, 2> ops = {{cubed, shifted}}; for (auto &op : ops) {LOOP} a[i] = op(a[i]);", "3*n"),
        (f"float (*ops[2])(float) = {{cubed, shifted}}; {LOOP} a[i] = ops[i % 2](a[i]);", "2*n - floor(n/2)"),
        (f"{LOOP} {{ auto g = all[i % 2]; a[i] = g(a[i]); }}", "2*n - floor(n/2)"),
        (f"{LOOP} {{ auto g = all[kind[i]]; a[i] = g(a[i]); }}", "~3/2*n"),  # of either
        ("Case c[] = {{sum}, {squares}}; std::mt19937 g; for (auto &k : c) { Summed s(k.f); a[0] = s.run(g); }", "300"),
    ],
)  # fmt: skip
def test_calls_through_tables(body, expected):
    assert flops(body) == expected


def test_a_variable_that_gets_another_function_is_no_entry_of_a_table():
    assert flops(f"{LOOP} {{ auto g = all[kind[i]]; if (i > 5) g = cubed; a[i] = g(a[i]); }}").startswith("~")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{LOOP} if (inside(i, 100)) a[i] += 1;", "n - floor(n/2) - 1 if 3 <= n <= 99; else 49"),  # 2, 4, ..., 98
        (f"{LOOP} for (int k = -1; k <= 1; k++) if (within(i + k, n)) a[i] += 1;", "3*n - 2"),
        (f"{LOOP} if (!within(i - 5, n)) a[i] += 1;", "n if 1 <= n <= 5; else 5"),
    ],
)
def test_functions_of_several_tests_are_conditions(body, expected):
    assert flops(body) == expected


def test_the_body_of_the_class_that_a_template_names():
    assert flops(f"Logged<Square> t; {LOOP} a[i] = t.run(a[i]);") == "2*n"


@pytest.mark.parametrize(
    ("others", "is_reported"),
    [
        ("void f(float *a, int n) { map(twice, a, n); }", False),
        (
            "static void wrap(fn g, float *a, int n) { map(g, a, n); } void f(float *a, int n) { wrap(twice, a, n); }",
            False,
        ),
        ("void f(float *a, int n) { map(twice, a, n); } void h(fn g, float *a, int n) { map(g, a, n); }", True),
        ("", True),
    ],
)
def test_a_function_that_all_callers_know_is_not_reported(others, is_reported):
    text = f"""typedef float (*fn)(float);
    static float twice(float v) {{ return v + v; }}
    static void map(fn g, float *a, int n) {{ {LOOP} a[i] = g(a[i]); }}
    {others}"""
    (file,) = analyze(SourceFile("x.c", text, Language.C), AnalysisOptions())
    assert ("AI206" in {found.code for found in file.diagnostics}) is is_reported
    assert all(str(region.work.flops.estimate) == "n" for region in file.regions if region.function == "f")
