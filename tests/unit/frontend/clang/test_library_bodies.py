"""Bodies of functions of the standard library: operations and bytes by hand, from what the standard says they do."""

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from tests.rows import file_report, rows

HEAD = """#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <ranges>
#include <span>
#include <vector>
using V = std::vector<double>;
"""
N = 1000  # elements of each container
EXACT = [  # a statement over n elements of v and of w, FLOPs, bytes read, bytes written: distinct elements
    ("std::shift_left(v.begin(), v.end(), 3);", 0, 8 * (N - 3), 8 * (N - 3)),
    ("std::shift_right(v.begin(), v.end(), 3);", 0, 8 * (N - 3), 8 * (N - 3)),
    ("std::rotate_copy(v.begin(), v.begin() + 3, v.end(), w.begin());", 0, 8 * N, 8 * N),
    ("std::transform_inclusive_scan(v.begin(), v.end(), w.begin(), P(), square, 0.0);", 2 * N, 8 * N, 8 * N),
    ("std::transform_exclusive_scan(v.begin(), v.end(), w.begin(), 0.0, P(), square);", 2 * N, 8 * N, 8 * N),
    ("std::inclusive_scan(v.begin(), v.end(), w.begin(), P(), 0.0);", N, 8 * N, 8 * N),
    ("std::uninitialized_copy(v.begin(), v.end(), w.begin());", 0, 8 * N, 8 * N),
    ("double s = 0; for (auto part : v | std::views::chunk(4)) for (double x : part) s += x; w[0] = s;", N, 8 * N, 8),
    ("double s = 0; for (auto part : v | std::views::slide(3)) s += part[0] * part[2]; w[0] = s;", 2 * N - 4, 8 * N, 8),
    ("double s = 0; for (auto [x, y] : v | std::views::adjacent<2>) s += x * y; w[0] = s;", 2 * N - 2, 8 * N, 8),
    ("double s = 0; for (double x : v | std::views::pairwise_transform(P())) s += x; w[0] = s;", 2 * N - 2, 8 * N, 8),
    ("double s = 0; for (double x : std::views::zip_transform(P(), v, w)) s += x; w[0] = s;", 2 * N, 16 * N, 8),
    ("w[0] = std::ranges::fold_left(v | std::views::transform(square), 0.0, P());", 2 * N, 8 * N, 8),
    ("w[0] = std::ranges::fold_right(v, 0.0, P());", N, 8 * N, 8),
    ("double s = 0; for (double x : std::span(v).first<10>()) s += x; w[0] = s;", 10, 80, 8),
    ("double s = 0; for (double x : std::span(v).subspan<3>()) s += x; w[0] = s;", N - 3, 8 * (N - 3), 8),
    ("for (long i = 0; i < std::ssize(v); ++i) w[i] = 2 * v[i];", N, 8 * N, 8 * N),
    ("for (double x : v) std::atomic_ref(w[0]) += x;", N, 8 * N + 8, 8),
    ("double s = 0; for (double x : std::to_array({1.0, 2.0, 3.0})) s += x * v[0]; w[0] = s;", 6, 8, 24 + 24 + 8),
]


@pytest.mark.parametrize(("statement", "flops", "read", "written"), EXACT)
def test_counts_are_those_of_the_standard(statement, flops, read, written):
    square = "auto square = [](double x) { return x * x; };"
    text = f"{HEAD} void f(V &v, V &w) {{ using P = std::plus<>; {square} {statement} }}"
    found = _row(text)
    assert (found.flops, found.read, found.written, found.exact) == (flops, read, written, True)


BETWEEN = [  # the same with the least and the most FLOPs, and bytes, as data decide
    ("double s = 0; for (double x : v) s += std::lerp(2.0, x, 0.5); w[0] = s;", 4 * N, 5 * N, 8 * N + 8, 8 * N + 8),
    ("double s = 0; for (double x : v) s += std::midpoint(2.0, x); w[0] = s;", 3 * N, 4 * N, 8 * N + 8, 8 * N + 8),
    ("std::erase_if(v, [](double x) { return x * 2 > 1; });", N, N, 8 * N, 16 * N),
    ("std::ranges::partition(v, [](double x) { return x * 2 > 1; });", N, N, 8 * N, 32 * N),
    ("std::ranges::merge(v, w, u.begin(), [](double x, double y) { return x - y < 0; });", 0, 2 * N, 32 * N, 32 * N),
]


@pytest.mark.parametrize(("statement", "least", "most", "fewest_bytes", "most_bytes"), BETWEEN)
def test_counts_are_between_what_data_may_decide(statement, least, most, fewest_bytes, most_bytes):
    (profile,) = _profiles(HEAD + f"void f(V &v, V &w, V &u) {{ {statement} }}")
    values = dict.fromkeys(profile.symbols, N)
    flops = profile.work.flops
    assert least <= float(flops.estimate.evaluate(values)) <= most
    moved = sum(
        float(part.bytes.estimate.evaluate(values)) for part in (profile.footprint.read, profile.footprint.written)
    )
    assert fewest_bytes <= moved <= most_bytes


@pytest.mark.parametrize("call", ["std::sort(v.begin(), v.end())", "std::ranges::rotate(v, v.begin() + 3)"])
def test_work_that_depends_on_the_library_is_a_lower_bound(call):
    text = HEAD + f"void f(V &v) {{ {call}; }}"
    (file,) = analyze(SourceFile("x.cpp", text, Language.CXX))
    assert [item.form for item in file.diagnostics if item.code == "AI201"] == ["rest"]
    assert not next(region for region in file.regions if region.function == "f").work.flops.is_exact


MADE = """#include <span>
#include <vector>
std::vector<double> made() { std::vector<double> r(100); for (int i = 0; i < 100; i++) r[i] = i * 2.0; return r; }
std::span<double> part(double *p) { return std::span<double>(p, 20); }
double f() { double s = 0; for (double x : made()) s += x; return s; }
double g(double *p) { double s = 0; for (double x : part(p)) s += x; return s; }
"""


def test_a_range_that_a_call_makes_is_made_once():
    """ISO C++23 8.6.5: it is the initialiser of a reference before the loop: 100 products and 100 sums."""
    found = rows(MADE)
    assert (found["f"].flops, found["f"].exact) == (200, True)
    assert (found["g"].flops, found["g"].read, found["g"].exact) == (20, 160, True)


ATOMIC = """#include <atomic>
void f(std::atomic<double> *a) { for (int i = 0; i < 100; i++) a[i].fetch_add(2.0); }
void g(std::atomic<int> *a, double *b) { for (int i = 0; i < 100; i++) b[i] = 2.0 * a[i].exchange(3); }
void h(std::atomic<double> *a, double *b) { for (int i = 0; i < 100; i++) a[i].store(2 * b[i]); }
"""


def test_atomic_objects_are_read_and_written():
    found = rows(ATOMIC)
    assert found["f"][:1] + found["f"][3:] == (100, 800, 800, True)
    assert found["g"][:1] + found["g"][3:] == (100, 400, 400 + 800, True)
    assert found["h"][:1] + found["h"][3:] == (100, 800, 800, True)


def test_an_instance_of_a_template_of_variables_is_a_variable():
    text = """#include <ranges>
    #include <utility>
    #include <vector>
    double f(std::vector<std::pair<double, double>> &v) {
      double s = 0; for (double x : v | std::views::elements<1>) s += x; return s; }"""
    found = rows(text)["f"]
    assert (found.flops, found.read, found.exact) == (1000, 8000, True)


def _profiles(text):
    return [region.profile for region in file_report(text).regions if region.profile.function == "f"]


def _row(text):
    return rows(text, "x.cpp", size=N)["f"]


def test_a_packaged_task_runs_its_function():
    text = """#include <future>
    double work(int n) { double s = 0; for (int i = 0; i < n; i++) s += 0.5 * i; return s; }
    double f() { std::packaged_task<double(int)> task(work); auto result = task.get_future();
      task(1000); return result.get(); }"""
    found = rows(text)["f"]
    assert (found.flops, found.exact) == (2_000, True)


HEAP = """#include <queue>
#include <vector>
struct Less { bool operator()(double a, double b) const { return a * a < b; } };
using Q = std::priority_queue<double, std::vector<double>, Less>;
void push(double *x, int n) { Q q; for (int i = 0; i < n; ++i) q.push(x[i]); }
"""


def test_a_priority_queue_compares_on_up_to_all_levels():
    """A product for each comparison.  Pushes of rising numbers go up all levels: 1, 2, 19, 264 and 7,987 comparisons.

    Counted with a comparison that counts, in GCC 13's library.
    """
    found = {region.profile.function: region.profile.work.flops for region in file_report(HEAP).regions}

    def ends(name, n):
        flops = found[name]
        return float(flops.lower.evaluate({"n": n})), float(flops.upper.evaluate({"n": n}))

    assert [ends("push", n)[1] for n in (2, 3, 10, 64, 1000)] == [1, 2, 19, 264, 7987]
