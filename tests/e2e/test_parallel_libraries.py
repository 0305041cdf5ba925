"""Loops that libraries run for a program (Kokkos, RAJA, TBB, SYCL, Thrust): figures by hand, for ranges of 1,000."""

import pytest

from analyzer.profile import LoopMapping
from tests.rows import codes, file_report, rows

D = 8_000  # bytes of a thousand doubles

KOKKOS = "#include <Kokkos_Core.hpp>\nusing View = Kokkos::View<double*>;\nusing Matrix = Kokkos::View<double**>;\n"
RAJA = "#include <RAJA/RAJA.hpp>\n"
TBB = "#include <tbb/tbb.h>\n"
SYCL = "#include <sycl/sycl.hpp>\n"
THRUST = "#include <thrust/device_vector.h>\n#include <thrust/transform.h>\n#include <thrust/iterator/zip_iterator.h>\n"

ZIP = (
    THRUST
    + "#define zip thrust::make_zip_iterator\n#define tuple(...) thrust::make_tuple(__VA_ARGS__)\nusing thrust::get;\n"
)

# headers, parameters, body, FLOPs, bytes read, bytes written: each of the arrays a, b and c is read or written once
CASES = {
    "kokkos_range": (
        KOKKOS,
        "View a, View b, View c, long n",
        "Kokkos::parallel_for(n, KOKKOS_LAMBDA(long i) { a(i) = b(i) + 0.4 * c(i); }); Kokkos::fence();",
        2_000,
        2 * D,
        D,
    ),
    "kokkos_named": (
        KOKKOS,
        "View a, View b, long n",
        'Kokkos::parallel_for("copy", Kokkos::RangePolicy<>(0, n), KOKKOS_LAMBDA(int i) { a[i] = b[i]; });',
        0,
        D,
        D,
    ),
    "kokkos_square": (
        KOKKOS,
        "Matrix a, Matrix b",
        "Kokkos::parallel_for(Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {20, 50}),"
        " KOKKOS_LAMBDA(int i, int j) { a(i, j) += b(i, j); });",
        1_000,
        2 * D,
        D,
    ),
    "kokkos_reduce": (
        KOKKOS,
        "View a, View b, long n, double *out",
        "double sum = 0; Kokkos::parallel_reduce(n, KOKKOS_LAMBDA(long i, double &s) { s += a(i) * b(i); }, sum);"
        " *out = sum;",
        2_000,
        2 * D,
        8,
    ),
    "kokkos_reducer": (
        KOKKOS,
        "View a, long n, double *out",
        'double sum; Kokkos::parallel_reduce("s", Kokkos::RangePolicy<>(0, n),'
        " KOKKOS_LAMBDA(long i, double &s) { s += a(i); }, Kokkos::Sum<double>(sum)); *out = sum;",
        1_000,
        D,
        8,
    ),
    "kokkos_deep_copy": (KOKKOS, "View a, View b", "Kokkos::deep_copy(a, b);", 0, D, D),
    "raja_forall": (
        RAJA,
        "double *a, double *b, double *c, long n",
        "RAJA::forall<RAJA::omp_parallel_for_exec>(RAJA::RangeSegment(0, n),"
        " [=](RAJA::Index_type i) { a[i] = b[i] + 0.4 * c[i]; });",
        2_000,
        2 * D,
        D,
    ),
    "raja_reduce": (
        RAJA,
        "double *a, double *b, long n, double *out",
        "RAJA::ReduceSum<RAJA::omp_reduce, double> sum(0.0);"
        "RAJA::forall<RAJA::omp_parallel_for_exec>(RAJA::RangeSegment(0, n), [=](long i) { sum += a[i] * b[i]; });"
        "*out = sum.get();",
        2_000,
        2 * D,
        8,
    ),
    "raja_kernel": (
        RAJA,
        "double *a, double *b",
        "using P = RAJA::KernelPolicy<RAJA::statement::For<1, RAJA::omp_parallel_for_exec,"
        "  RAJA::statement::For<0, RAJA::seq_exec, RAJA::statement::Lambda<0>>>>;\n"
        "RAJA::View<double, RAJA::Layout<2>> x(a, RAJA::Layout<2>(20, 50)), y(b, RAJA::Layout<2>(20, 50));"
        "RAJA::kernel<P>(RAJA::make_tuple(RAJA::RangeSegment(0, 50), RAJA::RangeSegment(0, 20)),"
        " [=](long j, long i) { x(i, j) += y(i, j); });",
        1_000,
        2 * D,
        D,
    ),
    "tbb_index": (
        TBB,
        "double *a, double *b, size_t n",
        "tbb::parallel_for(size_t(0), n, [=](size_t i) { a[i] = 2 * b[i]; });",
        1_000,
        D,
        D,
    ),
    "sycl_range": (
        SYCL,
        "sycl::queue q, double *a, double *b, double *c, size_t n",
        "q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] = b[i] + 0.4 * c[i]; }).wait();",
        2_000,
        2 * D,
        D,
    ),
    "sycl_buffers": (
        SYCL,
        "sycl::queue &q, sycl::buffer<double> &x, sycl::buffer<double> &y, size_t n",
        "q.submit([&](sycl::handler &h) { sycl::accessor a(x, h, sycl::read_only), b(y, h, sycl::write_only);"
        " h.parallel_for<class scale>(sycl::range<1>{n}, [=](sycl::id<1> i) { b[i] = 2 * a[i]; }); }); q.wait();",
        1_000,
        D,
        D,
    ),
    "sycl_groups": (
        SYCL,
        "sycl::queue q, double *a, double *b",
        "q.parallel_for(sycl::nd_range<1>(1000, 50), [=](sycl::nd_item<1> it) {"
        " size_t i = it.get_global_id(0); a[i] = b[i] * b[i]; });",
        1_000,
        D,
        D,
    ),
    "sycl_reduction": (
        SYCL,
        "sycl::queue q, double *a, double *b, double *out, size_t n",
        "q.submit([&](sycl::handler &h) { h.parallel_for(sycl::range<1>{n}, sycl::reduction(out, sycl::plus<double>()),"
        " [=](sycl::id<1> i, auto &sum) { sum += a[i] * b[i]; }); });",
        2_000,
        2 * D,
        8,
    ),
    "thrust_transform": (
        THRUST,
        "thrust::device_vector<double> &a, thrust::device_vector<double> &b",
        "thrust::transform(thrust::device, a.begin(), a.end(), b.begin(), a.begin(), thrust::plus<double>());",
        1_000,
        2 * D,
        D,
    ),
    "thrust_inner_product": (
        THRUST,
        "thrust::device_vector<double> &a, thrust::device_vector<double> &b, double *out",
        "*out = thrust::inner_product(a.begin(), a.end(), b.begin(), 0.0);",
        2_000,
        2 * D,
        8,
    ),
    "thrust_zip": (
        ZIP + "struct Step { template <class T> void operator()(T t) { get<0>(t) += 2 * get<1>(t); } };\n",
        "thrust::device_vector<double> &a, thrust::device_vector<double> &b",
        "thrust::for_each(zip(tuple(a.begin(), b.begin())), zip(tuple(a.end(), b.end())), Step());",
        2_000,
        2 * D,
        D,
    ),
    "thrust_zip_of_three": (
        ZIP + "struct Sum { double operator()(const thrust::tuple<double, double, double> &t) const {"
        " return get<0>(t) + get<1>(t) + get<2>(t); } };\n",
        "thrust::device_vector<double> &a, thrust::device_vector<double> &b, thrust::device_vector<double> &c",
        "auto z = zip(a.begin(), b.begin(), c.begin()); thrust::transform(z, z + 1000, a.begin(), Sum());",
        2_000,
        3 * D,
        D,
    ),
    "thrust_counter": (
        THRUST + "#include <thrust/for_each.h>\n#include <thrust/iterator/counting_iterator.h>\n",
        "double *a, int n",
        "thrust::counting_iterator<int> i(0); thrust::for_each(i, i + n, [a](int k) { a[k] *= 2; });",
        1_000,
        D,
        D,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_loop_of_a_library_is_the_loop_of_its_range(case):
    headers, parameters, body, flops, read, written = CASES[case]
    text = f"{headers}void f({parameters}) {{ {body} }}"
    assert codes(text) == []
    row = rows(text)["f"]
    assert (row.flops, row.read, row.written, row.exact) == (flops, read, written, True)


@pytest.mark.parametrize("case", CASES)
def test_its_outermost_loop_is_that_of_threads(case):
    headers, parameters, body, *_ = CASES[case]
    (region,) = file_report(f"{headers}void f({parameters}) {{ {body} }}").regions
    assert region.profile.loops[0].mapping is LoopMapping.THREADS


def test_the_body_of_a_blocked_range_runs_for_all_of_it():
    text = TBB + (
        "void f(double *a, double *b, size_t n) {\n"
        "  tbb::parallel_for(tbb::blocked_range<size_t>(0, n), [&](const tbb::blocked_range<size_t> &r) {\n"
        "    for (size_t i = r.begin(); i < r.end(); ++i) a[i] += b[i]; }, tbb::auto_partitioner()); }\n"
        "double g(double *a, size_t n) {\n"
        "  return tbb::parallel_reduce(tbb::blocked_range<size_t>(0, n), 0.0,\n"
        "    [=](const tbb::blocked_range<size_t> &r, double s) {\n"
        "      for (size_t i = r.begin(); i != r.end(); ++i) s += a[i]; return s; }, std::plus<double>()); }\n"
    )
    found = rows(text)
    assert (found["f"].flops, found["f"].read, found["f"].written, found["f"].exact) == (1_000, 2 * D, D, True)
    assert (found["g"].flops, found["g"].read, found["g"].exact) == (1_000, D, True)
