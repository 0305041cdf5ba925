"""A recursive function is a loop over its calls, whose number is a symbol; where arguments are lost, a lower bound."""

import pytest

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.quantities.quantity import Exactness
from analyzer.source import Language, SourceFile


def region_of(text, name):
    options = AnalysisOptions(functions=(name,))
    (file,) = analyze(SourceFile("a.cpp", text, Language.CXX), options)
    (region,) = file.profile.regions
    return region


@pytest.mark.parametrize(
    ("text", "flops", "loads", "values", "calls"),
    [
        (
            "struct T { double v; T *l, *r; }; double f(T *t) { if (!t) return 0; return t->v + f(t->l) + f(t->r); }",
            2,
            3,
            {"trip_L1": 7},
            7,
        ),
        (
            "void f(double *x, int n) { x[0] = x[1] * 2 + 1; if (n) { f(x + 1, n / 2); f(x + n, n / 3); } }",
            2,
            1,
            {"n": 2},
            5,
        ),
        (
            "struct M { double d; M *c; }; void f(const M &m, int n) { double s = m.d * 2; if (n) f(*m.c, n - 1); }",
            1,
            None,
            {"n": 6},
            7,
        ),
        ("void f(double *x, double s, int n) { *x = s * 2; if (n) f(x, s, n - 1); }", 1, 0, {"n": 6}, 7),
    ],
)
def test_the_work_of_all_calls_is_that_of_one_times_their_number(text, flops, loads, values, calls):
    region = region_of(text, "f")
    assert region.work.flops.exactness is not Exactness.LOWER
    assert not region.work.not_counted
    symbols = region.work.flops.estimate.symbols
    assert symbols == values.keys()
    assert region.work.flops.estimate.evaluate(values) == calls * flops
    if loads is not None:
        assert region.loads.elements.estimate.evaluate(values) == calls * loads


def test_arrays_that_change_places_are_followed():
    text = "void f(double *a, double *b, int n) { a[0] = b[0] * 2; if (n) f(b, a, n - 1); }"
    region = region_of(text, "f")
    assert region.work.flops.estimate.evaluate({"n": 6}) == 7
    assert (region.loads.elements.estimate.evaluate({"n": 6}), len(region.footprint.arrays)) == (7, 1)


def test_what_only_some_calls_do_is_counted():
    text = "void f(double *x, int n) { if (n < 2) { x[0] *= 2; return; } f(x, n / 2); f(x + n / 2, n - n / 2); }"
    flops = region_of(text, "f").work.flops
    assert flops.is_exact
    assert [flops.estimate.evaluate({"n": size}) for size in (0, 1, 2, 5, 8, 100)] == [1, 1, 2, 5, 8, 100]


@pytest.mark.parametrize(
    ("calls", "sizes"),
    [
        ("for (int p = 0; p < 7; p++) f(x + p, n / 2);", [1, 1 + 7, 1 + 7 + 49]),
        ("for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) f(x + i, n / 2);", [1, 1 + 4, 1 + 4 + 16]),
        ("for (int p = 0; p < 3; p++) { if (p == 1) continue; f(x + p, n / 2); }", [1, 1 + 2, 1 + 2 + 4]),
        ("for (int p = 0; p < 3; p++) f(x, p < 2 ? n / 2 : n / 4);", [1, 1 + 2 * 1, 1 + 2 * 3 + 1]),
    ],
)
def test_short_loops_make_calls_one_by_one(calls, sizes):
    """Of sizes 1, 2 and 4; a call of 0 does nothing."""
    flops = region_of(f"void f(double *x, int n) {{ if (n < 1) return; x[0] += 1; {calls} }}", "f").work.flops
    assert flops.is_exact
    assert [flops.estimate.evaluate({"n": size}) for size in (1, 2, 4)] == sizes


@pytest.mark.parametrize(
    ("text", "first", "adds"),
    [
        (  # n at each of the levels of calls of more than one element
            "void f(float *x, int lo, int hi) { if (hi - lo < 2) return; int m = (lo + hi) / 2; f(x, lo, m);"
            " f(x, m, hi); for (int i = lo; i < hi; i++) x[i] += 1; }",
            "0, n",
            [0, 0, 2, 5, 8, 24],
        ),
        (  # the same with the last position
            "void f(float *x, int lo, int hi) { if (lo < hi) { int m = lo + (hi - lo) / 2; f(x, lo, m);"
            " f(x, m + 1, hi); for (int i = lo; i <= hi; i++) x[i] += 1; } }",
            "0, n - 1",
            [0, 0, 2, 5, 8, 24],
        ),
        (
            "float f(float *x, int lo, int hi) { if (hi - lo == 1) return x[lo]; int m = (hi - lo) >> 1;"
            " return f(x, lo, lo + m) + f(x, lo + m, hi); }",
            "0, n + 1",
            [0, 1, 2, 3, 4, 8],
        ),
        ("void f(float *x, int lo, int hi) { if (lo >= hi) return; x[lo] += 1; f(x, lo + 1, hi - 1); }", "0, n", None),
        ("void f(float *x, int n, int) { if (n <= 0) return; x[n] += 1; f(x, n - 2, 0); }", "n, 0", None),
        ("void f(float *x, int i, int n) { if (i < n) { x[i] += 1; f(x, i + 2, n); } }", "0, n", None),
        ("void f(float *x, int n, int) { if (n) { x[n] += 1; if (n != 1) f(x, n - 2, 0); } }", "n, 0", None),
        (
            "void g(float *x, int n, int); void f(float *x, int n, int) { if (n == 0) return; x[0] += 1;"
            " g(x, n - 1, 0); } void g(float *x, int n, int) { if (n == 0) return; f(x, n - 1, 0); }",
            "n, 0",
            None,
        ),
    ],
)
def test_sizes_are_followed_in_ranges_steps_and_calls_by_turns(text, first, adds):
    """Of sizes 0, 1, 2, 3, 4 and 8; without numbers every second size makes another addition."""
    flops = region_of(f"{text}\nvoid h(float *x, int n) {{ f(x, {first}); }}", "h").work.flops
    assert flops.is_exact
    sizes = (0, 1, 2, 3, 4, 8)
    assert [flops.estimate.evaluate({"n": size}) for size in sizes] == (adds or [(size + 1) // 2 for size in sizes])


def test_what_data_let_only_some_calls_do_is_an_interval():
    text = "void f(double *x, int n) { if (x[n] < 2) { x[0] *= 2; return; } f(x, n / 2); f(x + n / 2, n - n / 2); }"
    flops = region_of(text, "f").work.flops
    assert flops.exactness is Exactness.INTERVAL
    assert (flops.lower.evaluate({"trip_L1": 8}), flops.upper.evaluate({"trip_L1": 8})) == (0, 8)


def test_loops_that_data_end_run_their_mean_in_each_call_that_has_them():
    """Of 2n - 1 calls n - 1 merge; the choice loads one element, whichever it is."""
    text = (
        "void sort(double *x, double *t, int lo, int hi) { if (hi - lo < 2) return; int mid = (lo + hi) / 2;\n"
        "sort(x, t, lo, mid); sort(x, t, mid, hi);\n"
        "for (int k = lo; t[k] > 0; k++) t[k] = x[lo] < x[mid] ? x[k] : x[k + 1]; }\n"
        "void f(double *x, double *t) { sort(x, t, 0, 100); }"
    )
    loads = region_of(text, "f").loads.elements
    assert (loads.exactness, str(loads.estimate)) == (Exactness.EXACT, "396*trip_L3 + 99")


def test_a_caller_has_the_work_of_all_calls():
    text = "void f(double *x, int n) { *x *= 2; if (n) f(x + 1, n - 1); }\nvoid g(double *x) { f(x, 9); *x += 1; }"
    region = region_of(text, "g")
    assert region.work.flops.estimate.evaluate({"trip_L1": 10}) == 11


@pytest.mark.parametrize(
    "text",
    [
        "void f(double *a, int n) { double b[9]; a[0] = a[1] * 2; if (n) f(b, n - 1); }",
        "void f(const double a[9], int n) { double b[9]; b[0] = a[1] * 2; if (n) f(b, n - 1); }",
        "struct P { double x[9]; }; void f(const P &a, int n) { P b; b.x[0] = a.x[1] * 2; if (n) f(b, n - 1); }",
    ],
)
def test_objects_that_calls_make_for_the_next_ones_are_their_own(text):
    region = region_of(text, "f")
    assert (region.work.flops.exactness, str(region.work.flops.estimate)) == (Exactness.EXACT, "n + 1")
    distinct = [each for each in region.footprint.arrays if "next" in each.array]
    assert distinct
    assert all(each.read.elements.exactness is not Exactness.EXACT for each in distinct)


@pytest.mark.parametrize(
    "text",
    [
        "void f(double *a, int n) { if (n) f(n > 2 ? a : 0, n - 1); a[0] *= 2; }",
        "void g(double *x, int n); void f(double *x, int n) { *x *= 2; g(x, n); }\n"
        "void g(double *x, int n) { if (n) f(x + 1, n - 1); }",
    ],
)
def test_what_cannot_be_followed_is_a_lower_bound(text):
    assert region_of(text, "f").work.flops.exactness is Exactness.LOWER


def test_a_recursive_function_of_another_file_is_followed_below_much_else():
    lines = " ".join(f"x[{i}] *= 2;" for i in range(400))
    main = f"void f(double *x, int n); void g(double *x) {{ for (int i = 0; i < 3; i++) {{ {lines} }} f(x, 9); }}"
    other = SourceFile("b.c", "void f(double *x, int n) { *x *= 2; if (n) f(x + 1, n - 1); }", Language.C)
    (file,) = analyze(SourceFile("a.c", main, Language.C), AnalysisOptions(companions=(other,)))
    assert file.profile.regions[0].work.flops.estimate.evaluate({"trip_L1": 10}) >= 1200


SPLIT = """
void f(double *x, int n) {
  if (n < 2) return;
  double *even = (double *)malloc(n / 2 * sizeof(double)), *odd = new double[n / 2];
  for (int i = 0; i < n / 2; i++) { even[i] = x[2 * i]; odd[i] = x[2 * i + 1]; }
  f(even, n / 2);
  f(odd, n / 2);
  for (int i = 0; i < n / 2; i++) { x[i] = even[i] + 2 * odd[i]; x[i + n / 2] = even[i] - 2 * odd[i]; }
  free(even); delete[] odd;
}"""


def test_memory_that_each_call_allocates_for_the_next_ones_is_followed():
    """A transform that splits its data into two new arrays: three additions and products for each half, n/2 log2(n)."""
    region = region_of("#include <stdlib.h>\n" + SPLIT, "f")
    assert region.work.flops.estimate.evaluate({"n": 1024}) == 4 * 512 * 10
    assert not region.work.not_counted


def test_a_pointer_into_the_array_may_have_a_name():
    halves = "double *left = x, *right = x + n / 2; f(left, n / 2); f(right, n - n / 2);"
    region = region_of(f"void f(double *x, int n) {{ x[0] *= 2; if (n > 1) {{ {halves} }} }}", "f")
    assert region.work.flops.estimate.evaluate({"n": 1024}) == 2047


def test_a_pointer_that_changes_is_not_followed_by_its_declaration():
    region = region_of(
        "void f(double *x, int n) { x[0] *= 2; double *p = x; p = new double[n]; if (n) f(p, n - 1); }", "f"
    )
    assert [str(each.what) for each in region.work.not_counted] == ["inner call of f"]


def test_nests_of_a_function_whose_inner_calls_are_not_counted_are_lower_bounds():
    text = """#include <vector>
void f(std::vector<double> &x) {
  std::vector<double> y(x.size() / 2);
  for (int i = 0; i < (int)y.size(); i++) y[i] = 2 * x[i];
  if (x.size() > 1) f(y);
  x.push_back(1);
}
int main() { std::vector<double> x(1024); f(x); for (int i = 0; i < 1024; i++) x[i] *= 2; }"""
    whole = region_of(text, "main")
    found = {nest.span.line: nest.work.flops.exactness for nest in whole.nests if nest.span.line in (4, 8)}
    assert found == {4: Exactness.LOWER, 8: Exactness.EXACT}


def test_where_a_size_gives_the_number_of_calls_nobody_is_asked_for_it():
    text = "void f(double *x, int n) { x[0] *= 2; if (n) f(x + 1, n - 1); }"
    (file,) = analyze(SourceFile("a.cpp", text, Language.CXX), AnalysisOptions(functions=("f",)))
    assert "AI207" not in [each.code for each in file.diagnostics]


_SPLIT = """#include <vector>
using V = std::vector<double>;
void split(V &a) {
  if (a.size() < 2) return;
  V low(a.begin(), a.begin() + a.size() / 2), high(a.begin() + a.size() / 2, a.end());
  split(low);
  split(high);
  for (double &x : a) x *= 2;
}
"""


def test_the_elements_of_a_container_are_a_size():
    """Each call of more than one element multiplies all of its elements: n at each of log2(n) levels."""
    flops = region_of(_SPLIT, "split").work.flops
    assert flops.is_exact
    assert [flops.estimate.evaluate({"a.size": size}) for size in (0, 1, 2, 3, 4, 8, 100)] == [0, 0, 2, 5, 8, 24, 672]


def test_a_caller_gives_the_number_of_elements():
    flops = region_of(_SPLIT + "void f() { V a(100); split(a); }", "f").work.flops
    assert flops.is_exact
    assert flops.estimate.evaluate({}) == 672


def test_products_of_halves_have_the_size_of_one_of_two_containers():
    """Of 8, 3 times 4 and 9 times 2 elements: 8 sums in a call of 8, 4 in one of 4, and 8 operations in one of 2."""
    text = (
        "#include <vector>\nusing V = std::vector<double>; V f(const V &a, const V &b) { int n = a.size(), h = n / 2;\n"
        "V r(2 * n); if (n <= 2) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) r[i + j] += a[i] * b[j];\n"
        "return r; }\nV p(h), q(h), s(h), t(h);\n"
        "for (int i = 0; i < h; i++) { s[i] = a[i] + a[i + h]; t[i] = b[i] + 1; }\n"
        "V x = f(p, q), y = f(s, t), z = f(p, t); return r; }\nvoid g() { V a(8), b(8); f(a, b); }"
    )
    flops = region_of(text, "g").work.flops
    assert flops.is_exact
    assert flops.estimate.evaluate({}) == 8 + 3 * 4 + 9 * 8


@pytest.mark.parametrize(
    "body",
    [
        "for (auto &row : a) for (double &x : row) x *= 2; if (n > 1) { M b(n / 2, V(n / 2)); f(b); }",
        "int m = a[0].size(); for (int j = 0; j < m; j++) a[0][j] *= 2; if (n > 1) { M b(n / 2, V(m / 2)); f(b); }",
        "a[0][0] *= 2; if (n > 1) { M b(n / 2, V(1)); f(b); a.push_back(V(1)); }",
    ],
)
def test_containers_whose_rows_or_sizes_calls_change_are_not_followed(body):
    types = "#include <vector>\nusing V = std::vector<double>; using M = std::vector<V>;\n"
    text = f"{types}void f(M &a) {{ int n = a.size(); {body} }}"
    flops = region_of(text, "f").work.flops
    assert flops.exactness is Exactness.LOWER


def test_a_size_is_known_in_a_loop_that_stores_through_a_reference_to_a_view():
    text = (
        "#include <span>\nvoid twice(const std::span<double> &s) {\n"
        "for (unsigned i = 0; i < s.size(); i++) s[i] *= 2; }\n"
        "void f(double *x) { std::span<double> s(x, 5); twice(s); }"
    )
    assert region_of(text, "f").work.flops.estimate.evaluate({}) == 5


LEVELS = (
    "const int L = 5; static double u[L][1000]; static int size[L] = {100, 50, 25, 12, 6};\n"
    "void smooth(double *u, int n) { for (int i = 1; i <= n; i++) u[i] = 0.5 * u[i]; }\n"
)


@pytest.mark.parametrize(
    ("cycle", "flops"),
    [
        (
            "void v(int l) { smooth(u[l], size[l]); if (l == L - 1) return; v(l + 1); smooth(u[l], size[l]); }",
            2 * (100 + 50 + 25 + 12) + 6,
        ),
        (
            "void v(int l) { if (l < L - 1) { v(l + 1); v(l + 1); } smooth(u[l], size[l]); }",
            100 + 2 * 50 + 4 * 25 + 8 * 12 + 16 * 6,
        ),
        (
            "double v(int l) { if (l == L) return 0; smooth(u[l], size[l]); return v(l + 1) * u[l][0]; }",
            100 + 50 + 25 + 12 + 6 + 5,
        ),
    ],
)
def test_levels_of_known_sizes_are_followed_call_by_call(cycle, flops):
    found = region_of(f"{LEVELS}{cycle}\nvoid g() {{ v(0); }}", "g").work.flops
    assert found.is_exact
    assert found.estimate.evaluate({}) == flops


def test_calls_that_data_size_are_a_loop_however_they_start():
    text = (
        "static double a[1000]; static double sum; void q(int lo, int hi) { if (lo >= hi) return; int i = lo;\n"
        "for (int j = lo; j < hi; j++) if (a[j] < a[hi]) { sum += a[i]; i++; } q(lo, i - 1); q(i + 1, hi); }\n"
        "void g() { q(0, 999); }"
    )
    region = region_of(text, "g")
    assert not region.work.flops.is_exact
    assert "trip_L1" in region.symbols


def test_halves_between_two_pointers_sum_up_to_the_fewest_comparisons_of_a_tree():
    """With 2 FLOPs for a comparison: c(m) = 2*(m - 1) + c(m/2) + c(m - m/2 - 1), c(1) = 0, counted by hand for 7."""
    text = (
        "#include <algorithm>\nvoid f(double *p, int lo, int hi) { if (hi - lo <= 1) return;\n"
        "int mid = lo + (hi - lo) / 2;\n"
        "std::nth_element(p + lo, p + mid, p + hi, [](double a, double b) { return a * a > b * b; });\n"
        "f(p, lo, mid); f(p, mid + 1, hi); }\nvoid g(double *p) { f(p, 0, 7); }"
    )
    flops = region_of(text, "g").work.flops
    assert flops.exactness is Exactness.LOWER
    assert flops.estimate.evaluate({}) == 2 * 6 + 2 * (2 * 2)


@pytest.mark.parametrize(
    "call", ["sort(x, x + n, by)", "nth_element(x, x + n / 2, x + n, by)", "make_heap(x, x + n, by)"]
)
def test_the_loop_of_what_orders_elements_is_a_lower_bound(call):
    text = (
        "#include <algorithm>\nvoid g(double *x, int n) {\n"
        f"auto by = [](double a, double b) {{ return a * a > b * b; }}; std::{call}; }}"
    )
    (nest,) = region_of(text, "g").nests
    assert nest.work.flops.exactness is Exactness.LOWER
    assert nest.work.flops.estimate.evaluate({"n": 10}) == 18


_PAIRS = (
    "template <class T> double f(T a, T b) {{ if (b - a < 2) return 0; {} }}\n"
    "double g(double *x) {{ return f(x, x + 100); }}"
)


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("auto m = a + (b - a) / 2; return *a * 2 + f(a, m) + f(m, b);", 3 * 99),
        (
            "double s = 0; for (auto p = a; p != b; ++p) s += *p; return s + f(a, a + (b - a) / 2);",
            100 + 50 + 25 + 12 + 6 + 3 + 6,
        ),
        ("return *a + f(a + 1, b - 1);", 50),
        ("return *a + f(a, --b);", 99),
    ],
)
def test_two_pointers_into_one_array_have_their_distance_as_size(body, flops):
    """Of 100 elements: a tree of 100 leaves, halves down to 3 elements (6 sums of two calls), both ends, one end."""
    found = region_of(_PAIRS.format(body), "g").work.flops
    assert found.is_exact
    assert found.estimate.evaluate({}) == flops


def test_a_comparison_of_two_pointers_says_that_they_are_into_one_array():
    text = "double f(const double *a, const double *b) { return a < b ? *a + f(a + 1, b) : 0.0; }"
    flops = region_of(f"{text}\ndouble g(double *x, int n) {{ return f(x, x + n); }}", "g").work.flops
    assert flops.is_exact
    assert flops.estimate.evaluate({"n": 100}) == 100


@pytest.mark.parametrize(
    "body",
    [
        "if (b - a < 2) return; *a *= 2; static double other[9]; double *m = other; f(a, m);",
        "if (b == a) return; *a *= 2; f(a, a + 1);",
        "if (b - a < 2) return; *a *= 2; b = new double[9]; f(a, b);",
    ],
)
def test_pointers_into_other_arrays_are_no_range(body):
    flops = region_of(
        f"void f(double *a, double *b) {{ {body} }}\nvoid g(double *x) {{ f(x, x + 9); }}", "g"
    ).work.flops
    assert flops.exactness in (Exactness.LOWER, Exactness.INTERVAL)


def test_calls_of_a_known_number_that_fall_by_steps_are_counted_by_size():
    """Fibonacci's tree from 25 has fib(26) = 121,393 leaves, so that it adds once less; 2^10 - 1 moves of discs."""
    text = (
        "double f(int n) { if (n < 2) return n; return f(n - 1) + f(n - 2); }\n"
        "double m(int n) { if (n == 0) return 0; return m(n - 1) + 1 + m(n - 1); }\n"
        "double g() { return f(25); } double h() { return m(10); }"
    )
    assert region_of(text, "g").work.flops.estimate.evaluate({}) == 121_392
    assert region_of(text, "h").work.flops.estimate.evaluate({}) == 2 * 1023


def test_a_recursive_function_without_a_loop_is_a_region():
    text = (
        "double power(double x, int n) { if (n == 0) return 1; double h = power(x, n / 2);"
        " return n % 2 ? h * h * x : h * h; }"
    )
    (file,) = analyze(SourceFile("a.cpp", text, Language.CXX), AnalysisOptions())
    (region,) = file.profile.regions
    assert region.work.flops.is_exact
    assert [region.work.flops.estimate.evaluate({"n": n}) for n in (0, 1, 2, 7, 8)] == [0, 2, 3, 6, 5]
