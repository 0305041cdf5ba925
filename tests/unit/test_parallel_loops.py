"""Whether nests run on all cores or on one: pragmas, independent iterations, scalars and elements that carry values."""

import pytest

from analyzer.parallelism import Ground
from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile
from roofline import estimate, source_text

HEAD = "double A[1000][1000], B[1000][1000], f[1000000], g[2000]; int k[1000];\n"


def found(text, **defines):
    (file,) = analyze(SourceFile("f.c", f"{HEAD}void f(int n, double *a, double *b) {{ {text} }}", Language.C))
    (region,) = file.regions
    return [nest.parallelism for nest in region.nests]


def test_a_load_through_its_own_result_is_a_dependence():
    (nest,) = found("int p = 0; for (int i = 0; i < n; i++) p = k[p]; k[0] = p;")
    assert (nest.ground, nest.name) == (Ground.DEPENDENCE, "p")


@pytest.mark.parametrize(
    ("text", "iterator"),
    [
        ("for (int i = 0; i < n; i++) a[i] = b[i];", "i"),
        ("for (int i = n - 1; i >= 0; i--) a[i] = a[i] * b[i];", "i"),
        ("for (int i = 0; i < n; i++) a[2*i] = a[2*i + 1];", "i"),
        ("for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < n; j++) s += b[i*n + j]; a[i] = s; }", "i"),
        ("for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) f[1000*i + j] = A[j][i];", "i"),
        ("for (int i = 0; i < 1000; i += 8) for (int j = i; j < i + 8; j++) f[j] = g[j];", "i"),
        ("for (int t = 0; t < n; t++) for (int i = 1; i < 999; i++) A[(t + 1) % 2][i] = A[t % 2][i - 1];", "i"),
        ("for (int k = 0; k < 999; k++) for (int i = k + 1; i < 1000; i++)"
         " for (int j = k + 1; j < 1000; j++) A[i][j] -= A[i][k] * A[k][j];", "i"),
        ("for (int i = 0; i < n; i++) { double t[3]; for (int j = 0; j < 3; j++) t[j] = a[3*i + j];"
         " for (int j = 0; j < 3; j++) a[3*i + j] = t[2 - j]; }", "i"),
        ("for (int i = 0; i < 1000; i++) if (g[i] > 0) A[i][0] = g[k[i]];", "i"),
        ("int t; for (int i = 0; i < n; i++) { t = k[i]; if (t < 0) t = 0; a[i] = b[t]; }", "i"),
        ("for (int i = 0; i < 1000; i++) for (int j = 0; j < i; j++) {"
         " double t = A[i][j]; A[i][j] = A[j][i]; A[j][i] = t; }", "i"),
        ("for (int i = 0; i < n; i++) { int s = 0; for (int j = 0; j < 7; j++) s += k[i + j]; a[i] = s / 7; }", "i"),
        ("int s; for (int i = 0; i < n; i++) for (int l = 0; l < 9; l++)"
         " { s = i; for (int j = 0; j < 7; j++) s += k[i + j]; A[i][l] = s; }", "i"),
        ("for (int i = 0; i < n; i++) { int s = k[i]; for (int j = 0; j < 9; j++) { s = (s >> 1) ^ k[j];"
         " A[i][j] = s; } }", "i"),
        ("double t; for (int i = 0; i < n; i++) { if (i < 7) t = b[i]; if (i >= 7) t = 1; a[i] = t; }", "i"),
        ("double t; for (int i = 0; i < n; i++)"
         " { if (b[i] > 0) t = b[i]; else if (i == 7) t = 1; else if (i < 7) t = 2; else t = 3; a[i] = t; }", "i"),
        ("for (int i = 1; i < 999; i++) for (int j = 1 + i % 2; j < 999; j += 2)"
         " A[i][j] = A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1];", "i"),
    ],
)  # fmt: skip
def test_independent_iterations(text, iterator):
    (nest,) = found(text)
    assert (nest.ground, nest.iterator) == (Ground.INDEPENDENT, iterator)


@pytest.mark.parametrize(
    ("text", "ground", "name"),
    [
        ("for (int i = 1; i < n; i++) a[i] += a[i - 1];", Ground.DEPENDENCE, "a[i]"),
        ("for (int i = 0; i < n - 8; i++) a[i + 8] = a[i];", Ground.DEPENDENCE, "a[i + 8]"),
        ("for (int i = 0; i < n; i++) a[2*i] = a[i];", Ground.DEPENDENCE, "a[2*i]"),
        ("int s = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < 7; j++) s += k[i + j]; a[i] = s / 7; }",
         Ground.DEPENDENCE, "s"),
        ("for (int i = 0; i < 100; i++) for (int j = 0; j <= 10; j++) f[10*i + j] += 1;", Ground.INDEPENDENT, ""),
        ("for (int i = 0; i < 100; i++) { f[10*i + 10] += f[10*i]; }", Ground.DEPENDENCE, "f[10*i + 10]"),
        ("double t = 0; for (int i = 0; i < n; i++) { if (i < 7) t = b[i]; if (i > 7) t = 1; a[i] = t; }",
         Ground.DEPENDENCE, "t"),
        ("double s = 0; for (int i = 0; i < n; i++) s += a[i]; b[0] = s;", Ground.REDUCTION, "s"),
        ("double s = 0; for (int i = 0; i < n; i++) { s += a[i]; b[i] = s; }", Ground.DEPENDENCE, "s"),
        ("double s = 0; for (int i = 0; i < n; i++) s = s * a[i] + 1; b[0] = s;", Ground.DEPENDENCE, "s"),
        ("for (int i = 0; i < n; i++) { if (a[i] > 1) return; b[i] = 1; }", Ground.END, ""),
        ("int p = 0; for (int i = 1; i < n; i++) if (a[i] > a[p]) p = i; b[0] = p;", Ground.DEPENDENCE, "p"),
        ("for (int i = 0; i < n; i++) g[k[i]] += 1;", Ground.DEPENDENCE, "g[?{k[i]}]"),
        ("for (int t = 0; t < n; t++) for (int i = 1; i < 999; i++) for (int j = 1; j < 999; j++)"
         " A[i][j] = A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1];", Ground.DEPENDENCE, "A[i][j]"),
    ],
)  # fmt: skip
def test_what_one_iteration_hands_to_another(text, ground, name):
    (nest,) = found(text)
    assert (nest.ground, nest.name) == (ground, name)


def test_a_nest_beside_parallel_ones_runs_on_one_core():
    parallel = "#pragma omp parallel for num_threads(3)\nfor (int i = 0; i < n; i++) a[i] = b[i];"
    first, second = found(f"for (int i = 0; i < n; i++) b[i] = 1;\n{parallel}")
    assert (first.ground, second.ground, second.threads) == (Ground.BESIDE, Ground.PRAGMA, 3)
    assert first.is_of_one_core(reassociate=True)


def test_a_sum_in_another_order_may_use_all_cores():
    (nest,) = found("double s = 0; for (int i = 0; i < n; i++) s += a[i]; b[0] = s;")
    assert nest.is_of_one_core(reassociate=False)
    assert not nest.is_of_one_core(reassociate=True)


def test_a_library_runs_its_loops_in_parallel():
    text = (
        "#include <Kokkos_Core.hpp>\nvoid f(int n, double *a, double *b) {"
        " Kokkos::parallel_for(n, [=](int i) { a[i] = b[i]; }); }"
    )
    (file,) = analyze(SourceFile("f.cpp", text, Language.CXX), AnalysisOptions())
    (region,) = file.regions
    assert [(nest.parallelism.ground, nest.parallelism.name) for nest in region.nests] == [(Ground.LIBRARY, "Kokkos")]


def test_a_function_with_several_returns_carries_nothing_from_iteration_to_iteration():
    head = "static double clip(double x) { if (x < 0) return 0; if (x > 1) return 1; return x; }\n"
    text = f"{head}void f(int n, double *a, double *b) {{ for (int i = 0; i < n; i++) a[i] = clip(b[i]); }}"
    (file,) = analyze(SourceFile("f.c", text, Language.C))
    (nest,) = file.regions[-1].nests
    assert (nest.parallelism.ground, nest.parallelism.iterator) == (Ground.INDEPENDENT, "i")


@pytest.mark.parametrize(
    ("inside", "iterations"),
    [
        ("for (int i = 0; i < 3; i++) a[i] *= 2;", 3),
        ("for (int i = 0; i < 3; i++) a[i] *= 2; for (int i = 0; i < 9; i += 2) b[i] = a[0];", 5),
        ("for (int i = 0; i < 3; i++) a[i] *= 2; for (int i = 0; i < n; i++) b[i] = a[0];", None),
    ],
)
def test_no_more_cores_than_independent_iterations(inside, iterations):
    """Steps that depend on one another, and in each of them a few iterations that do not."""
    (nest,) = found(f"for (int t = 0; t < 1000; t++) {{ {inside} a[7] += t; }}")
    assert (nest.ground, nest.iterations) == (Ground.INDEPENDENT, iterations)


@pytest.mark.parametrize(
    ("text", "executions"),
    [
        ("for (int i = 0; i < 50; i++) a[i] = b[i];", None),  # once
        ("for (int t = 0; t < 9; t++) for (int i = 1; i < 50; i++) a[i + t] = b[i];", 49),
        ("for (int t = 0; t < 9; t++) for (int i = 0; i < 50; i++) for (int j = 0; j < 8; j++) A[i][j] += t;", 400),
        ("for (int t = 0; t < 9; t++) for (int i = 0; i < n; i++) a[i + t] = b[i];", None),
        # All pairs of nodes: the row k is compared with itself, and all columns of a row are independent.
        ("for (int k = 0; k < 1000; k++) for (int i = 0; i < 1000; i++) { double d = A[i][k];"
         " for (int j = 0; j < 1000; j++) A[i][j] = A[i][j] < d + A[k][j] ? A[i][j] : d + A[k][j]; }", 1000),
    ],
)  # fmt: skip
def test_how_much_threads_have_to_do_each_time_that_they_start(text, executions):
    (nest,) = found(text)
    assert (nest.ground, nest.executions) == (Ground.INDEPENDENT, executions)


@pytest.mark.parametrize(("columns", "units"), [(1000, 1), (6400, 64)])
def test_few_iterations_each_time_stay_on_one_core(columns, units):
    """gcc wants 100 iterations for each thread: 6,400 on 64 cores, of one nest in steps and of two alike."""
    step = f"for (int i = 0; i < {columns}; i++) a[i] *= b[i];"
    for steps in (f"{{ {step} }}", f"{{ {step} {step} }}"):
        text = f"void f(double *restrict a, double *restrict b) {{ for (int t = 0; t < 9; t++) {steps} }}"
        (region,) = estimate(source_text(text), "zen3").regions
        (nest,) = region.nests
        inner = nest.nests or (nest,)
        used = {each.projections[0].machine.unit_count(each.projections[0].options.cores) for each in inner}
        assert used == {units}


WORKER = """#include <pthread.h>
struct part { double *x; long first, last; };
void *scale(void *given) { struct part *p = given; for (long i = p->first; i < p->last; i++) p->x[i] *= 2; return 0; }
double x[800000];
"""
THREADS = "#include <thread>\n#include <vector>\n#include <future>\nstatic double x[800000];\n"


@pytest.mark.parametrize(
    ("text", "language", "threads", "library"),
    [
        # as each has its own struct, iterations run one by one: eight loops, of which each thread has one
        (WORKER + "int main() { pthread_t t[8]; struct part p[8]; for (int k = 0; k < 8; k++) {"
         " p[k] = (struct part){x, k * 100000, (k + 1) * 100000}; pthread_create(&t[k], 0, scale, &p[k]); }"
         " for (int k = 0; k < 8; k++) pthread_join(t[k], 0); }", Language.C, 8, "pthreads"),
        (THREADS + "int main() { std::vector<std::thread> all; for (int k = 0; k < 4; k++) all.emplace_back([k] {"
         " for (int i = k * 200000; i < (k + 1) * 200000; i++) x[i] *= 2; }); for (auto &t : all) t.join(); }",
         Language.CXX, 4, "std::thread"),
        (THREADS + "void f(int k) { for (int i = k; i < 800000; i += 16) x[i] *= 2; }"
         "int main() { std::future<void> all[16]; for (int r = 0; r < 3; r++) {"
         " for (int k = 0; k < 16; k++) all[k] = std::async(std::launch::async, f, k);"
         " for (auto &each : all) each.get(); } }", Language.CXX, 16, "std::async"),
        (THREADS + "int main() { for (int r = 0; r < 3; r++) { std::vector<std::jthread> all;"
         " for (int k = 0; k < 4; k++) all.emplace_back([k] {"
         " for (int i = k * 200000; i < (k + 1) * 200000; i++) x[i] *= 2; }); } }",
         Language.CXX, 4, "std::thread"),
        (THREADS + "int main() { for (int k = 0; k < 4; k++) { std::thread t([k] {"
         " for (int i = k * 200000; i < (k + 1) * 200000; i++) x[i] *= 2; }); t.join(); } }", Language.CXX, None, ""),
    ],
)  # fmt: skip
def test_threads_that_a_loop_starts_share_its_work_unless_each_iteration_waits_for_its_own(
    text, language, threads, library
):
    """A loop over repetitions around, which waits for them, is none of threads."""
    (file,) = analyze(SourceFile("f.c", text, language))
    main = next(region for region in file.regions if region.name == "main")
    found = {(nest.parallelism.threads, nest.parallelism.name) for nest in main.nests if nest.work.flops.estimate != 0}
    expected = {(threads, library)} if threads else set()
    assert {pair for pair in found if pair[1] in ("pthreads", "std::thread", "std::async")} == expected
    assert main.work.flops.estimate.evaluate({}) == 800000 * (3 if "r < 3" in text else 1)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("std::execution::par, ", "std::execution"), ("std::execution::par_unseq, ", "std::execution"),
     ("std::execution::seq, ", ""), ("", "")],
)  # fmt: skip
def test_execution_policies_run_algorithms_in_parallel(policy, expected):
    text = f"""#include <algorithm>
    #include <execution>
    #include <vector>
    void f(std::vector<double> &x) {{
      std::for_each({policy}x.begin(), x.end(), [](double &e) {{ for (int k = 0; k < 9; k++) e = e * e + 1; }}); }}"""
    (file,) = analyze(SourceFile("f.cpp", text, Language.CXX))
    (nest,) = file.regions[0].nests
    assert (nest.parallelism.name, nest.parallelism.ground is Ground.LIBRARY) == (expected, bool(expected))


@pytest.mark.parametrize("pragma", ["omp simd reduction(+:s)", "omp parallel for simd reduction(+:s)"])
def test_a_sum_that_may_run_in_lanes_waits_for_nothing(pragma):
    (nest,) = found(f"double s = 0;\n#pragma {pragma}\nfor (int i = 0; i < n; i++) s += a[i]; b[0] = s;")
    (file,) = analyze(
        SourceFile(
            "f.c",
            f"double f(int n, double *a) {{ double s = 0;\n#pragma {pragma}\nfor (int i = 0; i < n; i++) s += a[i];"
            " return s; }",
            Language.C,
        )
    )
    (region,) = file.regions
    assert region.inner_loops[0].iteration.vectorization.asserted
    assert nest.ground is (Ground.PRAGMA if "parallel" in pragma else Ground.REDUCTION)


def test_ranges_of_tbb_run_on_all_cores_and_may_be_taken_by_reference():
    text = """#include <tbb/tbb.h>
    double f(double *a, size_t n) {
      return tbb::parallel_reduce(tbb::blocked_range<size_t>(0, n), 0.0, [=](tbb::blocked_range<size_t> &r, double s) {
        for (size_t i = r.begin(); i != r.end(); ++i) s += a[i]; return s; }, std::plus<double>()); }"""
    (file,) = analyze(SourceFile("f.cpp", text, Language.CXX))
    (nest,) = file.regions[0].nests
    assert (nest.parallelism.ground, nest.parallelism.name) == (Ground.LIBRARY, "TBB")
    assert str(file.regions[0].work.flops.estimate) == "n"


def test_algorithms_with_a_policy_take_iterators_of_other_libraries():
    """``transform`` of the same arguments is in both libraries."""
    text = """#include <algorithm>
    #include <execution>
    #include <vector>
    #include <thrust/iterator/zip_iterator.h>
    #include <thrust/transform.h>
    void f(std::vector<double> &a, std::vector<double> &b) {
      std::transform(std::execution::par, thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin())),
        thrust::make_zip_iterator(thrust::make_tuple(a.end(), b.end())), a.begin(),
        [](thrust::tuple<double &, double> t) { return thrust::get<0>(t) + thrust::get<1>(t); }); }"""
    (file,) = analyze(SourceFile("f.cpp", text, Language.CXX))
    assert str(file.regions[0].work.flops.estimate) == "a.size"


def test_views_of_raja_take_extents_themselves():
    text = """#include <RAJA/RAJA.hpp>
    void f(double *p, long n) {
      RAJA::View<double, RAJA::Layout<2>> a(p, n, 9);
      RAJA::forall<RAJA::omp_parallel_for_exec>(RAJA::RangeSegment(0, n), [=](int i) { a(i, 4) *= 2; }); }"""
    (file,) = analyze(SourceFile("f.cpp", text, Language.CXX))
    (nest,) = file.regions[0].nests
    assert (nest.parallelism.name, str(file.regions[0].work.flops.estimate)) == ("RAJA", "n")
