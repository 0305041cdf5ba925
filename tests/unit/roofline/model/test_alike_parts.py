"""Regions without sizes: what binds all of their parts binds the whole, and an ideal cache is no headline."""

from tests.checked import report_of

COPIED = """
#include <vector>
void f(std::vector<double> &u, int n) {
  std::vector<double> t = u;
  for (int i = 1; i < n - 1; i++) u[i] = t[i-1] + t[i+1];
}"""
BENCHMARK = """
#include <benchmark/benchmark.h>
#include <vector>
static void triad(benchmark::State &state) {
  size_t n = state.range(0);
  std::vector<double> a(n), b(n), c(n);
  for (auto _ : state) {
    for (size_t i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
    benchmark::DoNotOptimize(a.data());
  }
}
BENCHMARK(triad)->Range(1024, 1 << 24);"""


def test_parts_that_memory_binds_make_a_whole_that_memory_binds():
    (region,) = report_of(COPIED, "haswell", name="x.cpp").files[0].regions
    (whole,) = region.projections
    rates = [part.attainable.value for part in whole.parts if part.attainable is not None]
    assert (whole.bound.value, whole.level) == ("memory", "DRAM")
    assert whole.attainable is not None
    assert whole.attainable.value == max(rates)


def test_a_google_benchmark_is_a_loop_that_memory_binds_for_large_sizes():
    """A product and a sum of an element for 24 bytes and 8 of the allocation, from memory in each iteration."""
    for defines in ({}, {"n": "10000000"}):
        (region,) = report_of(BENCHMARK, "haswell", name="x.cpp", defines=defines).files[0].regions
        timed = next(nest for nest in region.nests if not nest.profile.work.flops.is_zero)
        (projection,) = timed.projections
        assert projection.level == "DRAM"
        assert projection.attainable is not None
        assert abs(projection.attainable.value - 50e9 / 16) < 0.01 * 50e9 / 16
        flops = timed.profile.work.flops
        assert flops.is_exact
        assert flops.estimate.evaluate({"n": 10**7}) == 2 * 10**7


def test_arguments_of_a_google_benchmark_are_told_apart():
    text = (
        BENCHMARK.partition("static")[0]
        + """
    static void BM_product(benchmark::State &state) {
      const int n = state.range(0), m = state.range(1);
      std::vector<double> a(n * m, 1.0), x(m, 1.0), y(n, 1.0);
      for (auto _ : state) for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i] += a[i * m + j] * x[j];
    }
    """
    )
    (region,) = report_of(text, "haswell", name="x.cpp").files[0].regions
    assert region.profile.work.flops.estimate.evaluate({"n": 10, "m": 20}) == 2 * 10 * 20
