"""Functions of the standard library by what they do: bytes and FLOPs of each are derived by hand for 1,000 elements."""

import pytest

from analyzer.ir.values import Operation
from tests.rows import codes, file_report, operations, rows

INCLUDES = "".join(
    f"#include <{name}>\n"
    for name in ("algorithm", "cstdint", "cstring", "execution", "functional", "numeric", "ranges", "vector")
)
D, F = 8_000, 4_000  # bytes of a thousand doubles, and floats

# parameters, statement, FLOPs, bytes loaded, bytes stored
ALGORITHMS = {
    "for_each": ("double *x", "std::for_each(x, x + n, [](double &v) { v *= 2.0; });", 1_000, D, D),
    "parallel": ("double *x", "std::for_each(std::execution::par, x, x + n, [](double &v) { v *= 2; });", 1_000, D, D),
    "for_each_n": ("float *x", "std::for_each_n(x, n, [](float &v) { v += 1; });", 1_000, F, F),
    "fill": ("std::vector<double> &x", "std::fill(x.begin(), x.end(), 1.0);", 0, 0, D),
    "fill_n": ("float *x", "std::fill_n(std::execution::par_unseq, x, n, 0.0f);", 0, 0, F),
    "generate": ("double *x, double s", "std::generate(x, x + n, [&] { return s += 2.0; });", 1_000, 0, D),
    "iota": ("double *x", "std::iota(x, x + n, 0.0);", 1_000, 0, D),
    "iota_int": ("int *x", "std::iota(x, x + n, 0);", 0, 0, F),
    "copy": ("const double *x, double *y", "std::copy(x, x + n, y);", 0, D, D),
    "copy_n": ("const float *x, double *y", "std::copy_n(x, n, y);", 0, F, D),
    "move": ("double *x, double *y", "std::move(x, x + n, y);", 0, D, D),
    "reverse_copy": ("double *x, double *y", "std::reverse_copy(x, x + n, y);", 0, D, D),
    "transform": (
        "double *x, double *y",
        "std::transform(x, x + n, y, [](double v) { return v * v + 1; });",
        2_000,
        D,
        D,
    ),
    "transform_2": ("double *x, double *y", "std::transform(x, x + n, y, y, std::plus<double>());", 1_000, 2 * D, D),
    "transform_par": (
        "double *x, double *y",
        "std::transform(std::execution::par_unseq, x, x + n, y, y, std::multiplies<>());",
        1_000,
        2 * D,
        D,
    ),
    "accumulate": ("std::vector<double> &x, double *s", "*s = std::accumulate(x.begin(), x.end(), 0.0);", 1_000, D, 8),
    "accumulate_f": (
        "float *x, float *s",
        "*s = std::accumulate(x, x + n, 0.0f, [](float a, float b) { return a + b * b; });",
        2_000,
        F,
        4,
    ),
    "reduce": ("double *x, double *s", "*s = std::reduce(x, x + n);", 1_000, D, 8),
    "reduce_par": ("double *x, double *s", "*s = std::reduce(std::execution::par, x, x + n, 0.0);", 1_000, D, 8),
    "inner_product": ("double *x, double *y, double *s", "*s = std::inner_product(x, x + n, y, 0.0);", 2_000, 2 * D, 8),
    "transform_reduce": (
        "double *x, double *y, double *s",
        "*s = std::transform_reduce(x, x + n, y, 0.0);",
        2_000,
        2 * D,
        8,
    ),
    "transform_reduce_1": (
        "double *x, double *s",
        "*s = std::transform_reduce(x, x + n, 0.0, std::plus<>{}, [](double v) { return v * v + v; });",
        3_000,
        D,
        8,
    ),
    "swap_ranges": ("double *x, double *y", "std::swap_ranges(x, x + n, y);", 0, 2 * D, 2 * D),
    "reverse": ("double *x", "std::reverse(x, x + n);", 0, D, D),
    "partial_sum": ("double *x, double *y", "std::partial_sum(x, x + n, y);", 999, D, D),
    "exclusive_scan": ("double *x, double *y", "std::exclusive_scan(x, x + n, y, 0.0);", 1_000, D, D),
    "adjacent": ("double *x, double *y", "std::adjacent_difference(x, x + n, y);", 999, D, D),
    "count_if": ("double *x, long *s", "*s = std::count_if(x, x + n, [](double v) { return v > 0; });", 0, D, 8),
    "max_element": ("double *x, long *s", "*s = std::max_element(x, x + n) - x;", 0, D, 8),
    "minmax": (
        "double *x, long *s",
        "auto p = std::minmax_element(x, x + n); *s = p.second - p.first;",
        0,
        D,
        8,
    ),
    "minmax_by": (
        "double *x, long *s",
        "*s = std::minmax_element(x, x + n, [](double a, double b) { return a > b; }).first - x;",
        0,
        D,
        8,
    ),
    "ranges": ("std::vector<float> &x", "std::ranges::for_each(x, [](float &v) { v += 1; });", 1_000, F, F),
    "counting": (
        "double *x, const double *y",
        "std::for_each_n(std::execution::par_unseq, std::views::iota(0).begin(), n, [=](int i) { x[i] = y[i] * 2; });",
        1_000,
        D,
        D,
    ),
    "counting_range": (
        "double *x, double *y, double *s",
        "auto r = std::views::iota(std::intptr_t(0), n); "
        "*s = std::transform_reduce(r.begin(), r.end(), 0.0, std::plus<>{}, [=](long i) { return x[i] * y[i]; });",
        2_000,
        2 * D,
        8,
    ),
    "memcpy": ("double *x, const double *y", "std::memcpy(x, y, n * sizeof(double));", 0, D, D),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_is_counted(name):
    parameters, statement, flops, loads, stores = ALGORITHMS[name]
    text = f"{INCLUDES}void f({parameters}, std::intptr_t n) {{ {statement} }}"
    row = rows(text)["f"]
    assert (row.flops, row.loads, row.stores, row.exact) == (flops, loads, stores, True)
    assert codes(text) in ([], [("AI202", text.count("\n") + 1)])


@pytest.mark.parametrize("swapped", ["std::swap(a[k], a[k + 1]);", "a[k].swap(a[k + 1]);", "std::swap(a[k], a[p[k]]);"])
def test_rows_of_a_table_that_change_places_stay_its_rows(swapped):
    text = f"""#include <utility>
    #include <vector>
    void f(std::vector<std::vector<double>> &a, const int *p, int n, int m) {{
      for (int k = 0; k < n; k++) {{ {swapped} for (int j = 0; j < m; j++) a[k][j] *= 2.0; }} }}"""
    assert rows(text)["f"].flops == 1_000 * 1_000
    assert "AI206" not in {code for code, _ in codes(text)}


@pytest.mark.parametrize(
    ("made", "number"),
    [
        ("D d{1, {1, 2, 3}};", 3),
        ("D d = {1, {}};", 0),
        ("D d{.rows = 1, .o = {1, 2, 3}};", 3),
        ("auto make = [] { return D{1, {1, 2, 3}}; }; D d = make();", 3),
        ("E e{{1, {1, 2, 3}}, {4, 5}}; auto &d = e.d; for (auto &x : e.p) x *= 2;", 3 + 2),
        ("T<double> d{1, {1, 2, 3}};", 3),
        ("std::vector<double> v[2] = {{1, 2, 3}, {4}}; D d{1, v[0]}; for (auto &x : v[1]) x *= 2;", 3 + 1),
    ],
)
def test_a_list_in_a_list_gives_a_container_its_elements(made, number):
    text = f"""#include <vector>
    struct D {{ int rows; std::vector<double> o; }};
    struct E {{ D d; std::vector<double> p; }};
    template <typename X> struct T {{ int rows; std::vector<X> o; }};
    void f() {{ {made} for (auto &x : d.o) x *= 2; }}"""
    row = rows(text)["f"]
    assert (row.flops, row.exact) == (number, True)


def test_each_lambda_of_one_algorithm_is_its_own():
    text = f"""{INCLUDES}void f(double *x, double *y, int n) {{
      std::transform(x, x + n, y, y, [](double a, double b) {{ return a + b; }});
      std::transform(x, x + n, y, y, [](double a, double b) {{ return a * b - 1.0; }}); }}"""
    (row,) = rows(text).values()
    assert (row.flops, row.exact) == (3_000, True)


def test_algorithms_in_a_loop_are_a_loop():
    text = f"""{INCLUDES}double f(const std::vector<double> &x, int m) {{
      double s = 0; for (int k = 0; k < m; k++) s += std::accumulate(x.begin(), x.end(), 0.0); return s; }}"""
    (row,) = rows(text).values()
    assert (row.flops, row.loads, row.read) == (1_000 * 1_001, 1_000 * D, D)


def test_sorting_is_a_bound():
    text = f"{INCLUDES}void f(double *x, int n) {{ std::fill(x, x + n, 0.0); std::sort(x, x + n); }}"
    (region,) = file_report(text).regions
    assert not region.profile.work.flops.is_exact
    assert [str(lost.what) for lost in region.profile.work.not_counted] == ["the rest of sort"]


def test_a_search_ends_where_it_finds():
    text = f"{INCLUDES}bool f(double *x, int n) {{ return std::any_of(x, x + n, [](double v) {{ return v < 0; }}); }}"
    (region,) = file_report(text).regions
    loads = region.profile.loads.bytes
    assert (loads.lower.evaluate({"n": 100}), loads.upper.evaluate({"n": 100})) == (8, 800)


# parameters, statements, bytes loaded, bytes stored, bytes of distinct elements read first, written
MEMORY = [
    ("double *a, const double *b", "memcpy(a, b, n * sizeof(double));", D, D, D, D),
    ("double *a, double *b", "memmove((void *)a, (const void *)b, sizeof(*a) * n);", D, D, D, D),
    ("double *a", "memset(a, 0, n * sizeof *a); for (int i = 0; i < n; i++) a[i] += 1;", D, 2 * D, 0, D),
    ("void *a, const void *b", "memcpy(a, b, n);", 1_000, 1_000, 1_000, 1_000),
    ("char *a, const double *b", "memcpy(a, b, 8 * n);", D, D, D, D),
    ("double *a, const double *b", "memcpy(a, b, n);", 1_000, 1_000, 1_000, 1_000),
    ("struct P *a, struct P *b", "memcpy(a, b, n * sizeof(struct P));", 20_000, 20_000, 20_000, 20_000),
    (
        "double (*a)[16], double (*b)[16]",
        "for (int i = 0; i < n; i++) memcpy(a[i], b[i], sizeof(a[i]));",
        *4 * (16 * D,),
    ),
    (
        "double *a, double *b, int m",
        "for (int j = 0; j < m; j++) memcpy(a + j * n, b + j * n, n * 8);",
        *4 * (1_000 * D,),
    ),
    ("double *a", "bzero(a, n * sizeof(double)); __builtin_memset(a, 0, 8 * n);", 0, 2 * D, 0, D),
]


@pytest.mark.parametrize("case", MEMORY)
def test_memory_functions_move_their_bytes(case):
    parameters, statements, *expected = case
    text = "#include <string.h>\n#include <strings.h>\nstruct P { double x, y; int k; };\n"
    text += f"void f({parameters}, int n) {{ {statements} }}"
    row = rows(text, "x.c")["f"]
    assert [row.loads, row.stores, row.read, row.written, row.exact] == [*expected, True]


def test_a_size_in_memory_is_read_once_for_each_copy():
    """Ten copies of a thousand doubles, and ten sizes of four bytes."""
    text = "#include <string.h>\nvoid f(double *a, double *b, int *k) {\n"
    row = rows(text + "for (int t = 0; t < 10; t++) memcpy(a, b, k[t] * sizeof(double)); }")["f"]
    assert (row.loads, row.stores) == (10 * D + 10 * 4, 10 * D)


def test_both_readers_know_memory_functions():
    found = rows("for (j = 0; j < m; j++) memcpy(a + j * n, b + j * n, n * sizeof(double));", "x.c")
    ((_, row),) = found.items()
    assert (row.loads, row.stores) == (1_000 * D, 1_000 * D)


def test_results_through_pointers_are_stored():
    text = """#define _GNU_SOURCE
    #include <math.h>
    void two(double *s, double *c, const double *x, int n) { for (int i = 0; i < n; i++) sincos(x[i], &s[i], c + i); }
    void part(double *y, const double *x, int n) { for (int i = 0; i < n; i++) { int e; y[i] = frexp(x[i], &e) * e; } }
    double last(const double *x, int e) {
      double t = 0; frexp(x[0], &e); for (int i = 0; i < e; i++) t += x[i]; return t; }
    """
    found = rows(text, "x.c")
    assert (found["two"].flops, found["two"].loads, found["two"].stores) == (1_000, D, 2 * D)
    assert found["part"].flops == 2_000
    assert operations(text, "x.c")["two"][Operation.CALL, "fp64"] == 1_000
    assert "n" not in rows(text, "x.c")


@pytest.mark.parametrize("name", ["dummy", "free_data", "PETSC_FREE", "polybench_timer_start"])
def test_a_function_without_a_body_is_reported(name):
    text = f"void {name}(double *); void f(double *a, int n) {{ for (int i = 0; i < n; i++) a[i] += 1; {name}(a); }}"
    assert codes(text, "x.c") == [("AI201", 1)]
    assert not rows(text, "x.c")["f"].exact


def test_a_call_bound_to_a_reference_runs_once():
    text = """double next(double *x) { x[0] += 1; return x[0]; }
    double twice(const double &v) { return v + v; }
    void f(double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = twice(next(x + i)); }"""
    row = rows(text)["f"]
    assert (row.flops, row.stores) == (2_000, 2 * D)


TIMED = """#include <chrono>
#include <iostream>
void f(double *a, int n) {
  auto t = std::chrono::high_resolution_clock::now();
  for (int i = 0; i < n; i++) a[i] *= 2;
  std::chrono::duration<double> d = std::chrono::high_resolution_clock::now() - t;
  std::cout << d.count() << std::chrono::duration_cast<std::chrono::milliseconds>(d).count() << std::endl;
}"""


def test_clocks_and_streams_are_no_work_that_counts():
    assert rows(TIMED)["f"] == (1_000, D, D, D, D, True)
    assert codes(TIMED) == []


def test_what_is_read_from_a_stream_is_not_known():
    text = "#include <iostream>\nvoid f(double *a) { int n = 3; std::cin >> n; for (int i = 0; i < n; i++) a[i] *= 2; }"
    assert rows(text)["f"].flops == 1_000


# The body of a loop over i in C++, FLOPs, bytes loaded, bytes stored of each iteration.
SMALL = [
    ("a[i] = std::min({a[i], b[i], 1.0});", 2, 16, 8),
    ("a[i] = std::max({a[i], b[i], b[i + 1], 0.5});", 3, 24, 8),
    ("a[i] = std::clamp(a[i], 0.0, 1.0);", 2, 8, 8),
    ("auto p = std::minmax(a[i], b[i]); a[i] = p.second - p.first;", 3, 32, 8),
    ("std::swap(a[i], b[i]);", 0, 16, 16),
    ("z[i] += std::polar(a[i], b[i]);", 6, 48, 16),
    ("z[i] = z[i] * z[i + 1];", 6, 32, 16),
    ("z[i] *= b[i];", 2, 24, 16),
    ("z[i] = 2.0 * z[i] + b[i];", 3, 24, 16),
    ("z[i] = z[i] / b[i];", 2, 24, 16),
    ("z[i] = b[i] / z[i];", 11, 24, 16),
    ("z[i] = std::complex<double>(b[i]) * z[i];", 6, 24, 16),
    ("const std::complex<double> w(2.0, 0.0); z[i] = w * z[i];", 6, 16, 16),
    ("using namespace std::complex_literals; z[i] = 1.0i * z[i];", 6, 16, 16),
    ("z[i] = std::conj(z[i]) - b[i];", 1, 24, 16),
    ("z[i].real(b[i] + 1.0);", 1, 8, 8),
    ("a[i] = std::norm(z[i]);", 3, 16, 8),
    ("a[i] = std::norm(b[i]);", 1, 8, 8),
    ("a[i] = std::abs(z[i]);", 1, 16, 8),
    ("a[i] = std::real(z[i]) * z[i + 1].imag();", 1, 32, 8),
    ("a[i] = (*twice)(a[i]) + (&twice)(b[i]);", 3, 16, 8),
    ("a[i] = applied<twice>(a[i]) - applied<thrice>(b[i]);", 4, 16, 8),
    ("__builtin_prefetch(a + i + 16); a[i] *= 2;", 1, 8, 8),
]


@pytest.mark.parametrize("case", SMALL)
def test_small_functions_in_a_loop(case):
    statement, flops, loads, stores = case
    text = f"""#include <algorithm>
    #include <complex>
    double twice(double x) {{ return x + x; }}
    double thrice(double x) {{ return x + x + x; }}
    template <double (*F)(double)> double applied(double x) {{ return F(x); }}
    void f(double *a, double *b, std::complex<double> *z, int n) {{ for (int i = 0; i < n; i++) {{ {statement} }} }}"""
    row = rows(text)["f"]
    assert (row.flops, row.loads, row.stores, row.exact) == (1_000 * flops, 1_000 * loads, 1_000 * stores, True)


def test_memory_of_a_smart_pointer_is_set_to_zero():
    text = """#include <memory>
    double f(int n) { auto p = std::make_unique<double[]>(n); for (int i = 0; i < n; i++) p[i] += 2.0; return p[0]; }"""
    row = rows(text)["f"]
    assert (row.flops, row.stores, row.read, row.written, row.exact) == (1_000, 2 * D, 0, D, True)
