"""Our own declarations of the standard library: each header parses alone, in every language version, and fast."""

from pathlib import Path

import pytest

from analyzer import frontend
from analyzer.frontend.clang.reading.parse import arguments_of, parse_clang
from analyzer.frontend.clang.unit import TranslationUnit
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile
from tests.night import of_day
from tests.rows import file_report, rows

ROOT = Path(frontend.__file__).parent / "headers"


def headers(folder):
    return sorted(str(path.relative_to(ROOT / folder)) for path in (ROOT / folder).rglob("*") if path.is_file())


def findings(text, language, std=None):
    return parse_clang(SourceFile("x.c", text, language), ParseOptions(std=std)).diagnostics


@pytest.mark.parametrize("std", ["gnu89", "c99", "gnu17"])
def test_every_c_header_alone(std):
    assert [
        (name, found) for name in headers("c") if (found := findings(f"#include <{name}>\n", Language.C, std))
    ] == []


@pytest.mark.parametrize("std", of_day(["c++23", "c++11"], 2))  # the most and the least that they declare
def test_every_cxx_header_alone(std):
    names = [*headers("cxx"), *(name for name in headers("c") if name != "stdatomic.h")]
    assert [(n, found) for n in names if (found := findings(f"#include <{n}>\n", Language.CXX, std))] == []


@pytest.mark.parametrize(
    ("language", "folder", "std"),
    [(Language.C, "c", None), *((Language.CXX, "cxx", std) for std in (None, "gnu++17", "c++20"))],
)
def test_all_headers_together(language, folder, std):
    assert findings("".join(f"#include <{name}>\n" for name in headers(folder)), language, std) == ()


C_USES = [
    ("complex.h", "double complex f(double complex z) { return conj(z) * I + cexp(z); }"),
    ("stdio.h", 'void f(FILE *o) { fprintf(o, "%d", 1); fflush(stdout); }'),
    ("math.h", "float f(float x) { return sqrtf(x) + fabsf(x) + isnan(x) + INFINITY * M_PI; }"),
    ("mpi.h", "int f(double *s) { return MPI_Allreduce(MPI_IN_PLACE, s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }"),
    ("CL/cl.h", "cl_int f(cl_kernel k, cl_mem *m) { return clSetKernelArg(k, 0, sizeof *m, m) == CL_SUCCESS; }"),
    (
        "arpa/inet.h",
        "int f(int s, struct sockaddr_in *a) { return bind(s, (struct sockaddr *)a, sizeof *a) + htons(80); }",
    ),
    ("glob.h", 'size_t f(glob_t *g) { return glob("*.bin", 0, NULL, g) == 0 ? g->gl_pathc : 0; }'),
    ("omp.h", "int f(void) { return omp_get_thread_num() + (int)omp_get_wtime(); }"),
    ("sys/time.h", "double f(void) { struct timeval t; gettimeofday(&t, 0); return t.tv_sec; }"),
    (
        "immintrin.h",
        "__m256d f(double *a) { return _mm256_fmadd_pd(_mm256_loadu_pd(a), _mm256_set1_pd(2), *(__m256d *)a); }",
    ),
]
CXX_USES = [
    ("iostream iomanip", 'void f(int x) { std::cout << std::setw(3) << x << " " << 1.5 << std::endl; }'),
    ("cmath", "auto f(float x, int n) { return std::pow(x, 2) + std::sqrt(n) + std::abs(x) + std::fmax(1.0, x); }"),
    (
        "chrono",
        "using namespace std::chrono;\nlong f() { auto a = steady_clock::now(); auto b = high_resolution_clock::now();"
        " return duration<double>(b - a).count() + duration_cast<milliseconds>(b - a).count(); }",
    ),
    (
        "map string",
        'int f(std::map<std::string, int> &m) { for (auto &p : m) p.second++; return m["a"] + m.count("b"); }',
    ),
    ("random", "double f() { std::mt19937 g(1); std::uniform_real_distribution<double> d(0, 1); return d(g); }"),
    (
        "algorithm numeric vector",
        "double f(std::vector<double> &v) { std::sort(v.begin(), v.end()); std::fill(v.begin(), v.end(), 1);"
        " return std::accumulate(v.begin(), v.end(), 0.0) + *std::max_element(v.begin(), v.end()); }",
    ),
    (
        "thread mutex atomic",
        "std::mutex m; std::atomic<int> k;"
        "void f() { std::lock_guard<std::mutex> l(m); k++; std::thread t([] {}); t.join(); }",
    ),
    (
        "fstream sstream",
        'void f() { std::ofstream o("x"); o << 1; std::ostringstream s; s << 2.0; o << s.str(); }',
    ),
    (
        "functional memory tuple stdexcept",
        "int f(std::function<int(int)> g) { auto p = std::make_shared<int>(1);"
        ' if (!p) throw std::runtime_error("x"); return g(*p) + std::get<0>(std::make_tuple(1, 2)); }',
    ),
    (
        "vector algorithm",
        "template <class T> T sum(const std::vector<T> &v) { T s{}; for (const auto &x : v) s += x; return s; }"
        "double f(std::vector<std::vector<double>> &m) { std::for_each(m.begin(), m.end(), [](auto &r) { r[0] = 1; });"
        " return sum(m[0]); }",
    ),
]


CXX23_USES = [
    (
        "ranges vector numeric",
        "double f(std::vector<double> &v) { auto left = std::ranges::unique(v); v.erase(left.begin(), left.end());"
        " std::ranges::iota(v, 0); auto [low, high] = std::ranges::minmax_element(v);"
        " return *low + std::ranges::max({1.0, 2.0}) + std::ranges::fold_right(v, 0.0, std::plus<>())"
        " + (std::ranges::contains(v, 2.0) && std::ranges::starts_with(v, v) && std::ranges::equal(v, v)); }",
    ),
    (
        "cmath bit",
        "double f(double x, unsigned n) { return std::beta(x, 2.0f) + std::legendre(3, x) + std::sph_bessel(1, x)"
        " + std::cyl_bessel_j(1, x) + std::lerp(0.0, x, 0.5f) + std::byteswap(n)"
        " + (std::endian::native == std::endian::little); }",
    ),
    (
        "map set",
        "void f(std::map<int, double> &m, std::set<int> &s) {"
        " if (auto n = m.extract(1)) { n.key() = 2; m.insert(std::move(n)); } s.merge(s);"
        " std::erase_if(m, [](auto &each) { return each.second > 1; }); }",
    ),
    (
        "string string_view",
        "using namespace std::literals;\nbool f(std::string &s, std::string_view v) { s += v; s = v; v = s;"
        ' return v.starts_with("a") || v.find_first_of("ab") > 1 || v == "a"sv || s.contains("a"); }',
    ),
    (
        "memory",
        "void f(std::shared_ptr<double> q) { std::weak_ptr w = q;"
        " auto a = std::make_shared<double[]>(9, 1.0);"
        " auto b = std::make_unique_for_overwrite<double[]>(9);"
        " std::shared_ptr<double> part(q, &a[1]); b[0] = *part; }",
    ),
    (
        "tuple functional utility",
        "int f(int x) { auto t = std::tuple_cat(std::tuple(1, 2.0), std::tuple('a'));"
        " std::get<double>(t) = 2;"
        " std::move_only_function<int(int)> g = std::bind_back(std::bit_xor<>(), 2);"
        " return g(x) + std::not_fn([](int y) { return y > 1; })(x) + std::cmp_less(x, 2u) + std::in_range<char>(x); }",
    ),
    (
        "optional variant string",
        "bool f(std::optional<int> &o, std::variant<int, double, std::string> &v) { v.emplace<1>(2.0);"
        " o = o.or_else([] { return std::optional(3); }); return o == 3 || o < o || v == v; }",
    ),
    (
        "thread mutex shared_mutex future condition_variable atomic",
        "std::shared_mutex m;\nvoid f(std::atomic<int> &a) { std::shared_lock l(m);"
        " std::unique_lock u(m, std::defer_lock);"
        " std::packaged_task<int()> t([] { return 1; }); std::condition_variable c; c.notify_all();"
        " a.store(a.load(std::memory_order::acquire), std::memory_order_release); std::atomic_fetch_add(&a, 1); }",
    ),
    (
        "chrono random",
        "using namespace std::chrono;\ndouble f(std::mt19937 &g) { auto d = -(3h + 5min) * 2;"
        " std::student_t_distribution<> t(3);"
        " return floor<seconds>(d).count() + t(g) + std::generate_canonical<double, 53>(g) + (d % 3s != 1.5s); }",
    ),
    (
        "concepts iterator vector",
        "template <std::totally_ordered T, std::random_access_iterator I> std::iter_value_t<I> f(T, I i) { return *i; }"
        "double g(std::vector<double> &v) { auto first = std::make_move_iterator(v.begin());"
        " std::vector<double> w(first, std::make_move_iterator(v.end()));"
        " return f(1, w.begin()); }",
    ),
]


@pytest.mark.parametrize(("names", "text"), C_USES)
def test_c_programs_use_them(names, text):
    assert findings("".join(f"#include <{name}>\n" for name in names.split()) + text, Language.C) == ()


@pytest.mark.parametrize(("names", "text"), CXX_USES)
def test_cxx_programs_use_them(names, text):
    assert findings("".join(f"#include <{name}>\n" for name in names.split()) + text, Language.CXX) == ()


@pytest.mark.parametrize(("names", "text"), CXX23_USES)
def test_programs_of_late_cxx_use_them(names, text):
    assert findings("".join(f"#include <{name}>\n" for name in names.split()) + text, Language.CXX, "c++23") == ()


STREAMS = """#include <fstream>
#include <iostream>
#include <sstream>
void f(const char *name) {
  std::fstream s(name, std::ios::in | std::ios::out);
  int x;
  std::string text;
  if (!s || !s.is_open()) return;
  s << 1 << "a" << std::endl;
  while (s >> x && std::getline(s, text)) s.seekg(0, std::ios::beg);
  std::ostream &out = s;
  std::istream &in = s;
  out.write("a", 1).flush();
  in.get();
  std::stringstream t(text);
  t << x;
  std::ios state(nullptr);
  state.copyfmt(std::cout);
  std::cout.rdbuf(std::cerr.rdbuf());
}
"""
BENCHMARK = """#include <benchmark/benchmark.h>
#include <vector>
static void triad(benchmark::State &state) {
  std::vector<double> a(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(a.data());
  state.counters["rate"] = benchmark::Counter(1, benchmark::Counter::kIsRate);
  state.SetBytesProcessed(state.iterations() * 8);
}
BENCHMARK(triad)->RangeMultiplier(2)->Range(1 << 10, 1 << 20)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
"""
CUDA = """#include <cuda.h>
#include <nvml.h>
#ifndef __DRIVER_TYPES_H__
#error missing
#endif
int f(double *a) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(4);
  cudaLaunchAttribute one;
  one.id = cudaLaunchAttributeCooperative;
  config.attrs = &one;
  CUresult done = cuInit(0);
  return done == CUDA_SUCCESS && nvmlInit() == NVML_SUCCESS;
}
"""
HIP = """#include <hip/hip_runtime.h>
__global__ void k(double *a) { a[hipThreadIdx_x] = 1; }
void f(double *a) {
  hipDeviceProp_t device;
  if (hipGetDeviceProperties(&device, 0) != hipSuccess) return;
  hipHostMalloc(&a, 8, hipHostMallocDefault);
  k<<<1, 32, 0, hipStreamDefault>>>(a);
  hipMemPrefetchAsync(a, 8, 0, 0);
}
"""


@pytest.mark.parametrize(
    ("text", "language"),
    [(STREAMS, Language.CXX), (BENCHMARK, Language.CXX), (CUDA, Language.CUDA), (HIP, Language.CUDA)],
)
def test_other_libraries(text, language):
    assert [item for item in findings(text, language) if item.code != "AI206"] == []


ORDERS = [("cstdlib", "cmath"), ("cmath", "cstdlib"), ("stdlib.h", "math.h"), ("math.h", "stdlib.h")]


@pytest.mark.parametrize("names", ORDERS)
def test_the_order_of_headers_does_not_matter(names):
    source = SourceFile("x.cpp", "".join(f"#include <{name}>\n" for name in names), Language.CXX)
    unit = TranslationUnit("x.cpp", source.text.encode(), arguments_of(source, ParseOptions()))
    assert [message.text for message in unit.messages()] == []


@pytest.mark.parametrize(("define", "flops"), [("", [200]), ("#define NDEBUG\n", [])])
@pytest.mark.parametrize("name", ["x.c", "x.cpp"])
def test_an_assertion_evaluates_its_condition(define, flops, name):
    """ISO C23 7.2: it does but where ``NDEBUG`` is defined."""
    text = f"""{define}#include <assert.h>
static int scale(double *x, int n) {{ for (int i = 0; i < n; i++) x[i] *= 2.0; return n > 0; }}
void f(double *a) {{ assert(scale(a, 100) == 1); assert(scale(a + 100, 100) && "scaled"); }}"""
    works = [each.profile.work for each in file_report(text, name).regions if each.profile.function == "f"]
    assert [work.flops.estimate.evaluate({}) for work in works if work.flops.is_exact] == flops


def test_traits_choose_how_a_function_is_called():
    text = """#include <type_traits>
    template <class F> void each(double *v, int n, F f) {
      for (int i = 0; i < n; i++) if constexpr (std::is_invocable_v<F, double &, int>) f(v[i], i); else f(v[i]); }
    void one(double *v) { each(v, 10, [](double &x) { x *= 2; }); }
    void two(double *v) { each(v, 10, [](double &x, int i) { x += i * 0.5; }); }
    static_assert(std::is_aggregate_v<int[3]> && !std::is_scoped_enum_v<int> && !std::is_invocable_v<int>);
    static_assert(std::is_same_v<std::invoke_result_t<double (*)(int), int>, double>);"""
    assert findings(text, Language.CXX) == ()


def test_views_of_several_dimensions_have_the_subscripts_of_their_layout():
    """A product of matrices of 100 x 100: the operands lie in rows, the result in columns."""
    text = """#include <mdspan>
    void f(double *a, double *b, double *c) {
      std::mdspan A(a, 100, 100), B(b, 100, 100);
      std::mdspan<double, std::extents<int, 100, std::dynamic_extent>, std::layout_left> C(c, 100);
      for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) {
        double s = 0; for (int k = 0; k < 100; k++) s += A(i, k) * B(k, j);
        C(i, j) = s; } }"""
    found = rows(text)["f"]
    assert (found.flops, found.read, found.written, found.exact) == (2 * 100**3, 2 * 8 * 100**2, 8 * 100**2, True)
