"""Loops that a library of benchmarks repeats: figures of one iteration, in caches that the one before left."""

from __future__ import annotations

from roofline import estimate, source_text
from roofline.model.projection import Bound


def test_a_loop_of_google_benchmark_is_one_iteration_after_others() -> None:
    """2*n FLOPs an iteration, with ``n`` as the source calls it; a second iteration finds 16 kB in the caches."""
    text = """#include <benchmark/benchmark.h>
#include <vector>
void dot(benchmark::State &state) {
  const int n = state.range(0);
  std::vector<double> a(n), b(n);
  double s = 0;
  %s { for (int i = 0; i < n; i++) s += a[i] * b[i]; }
  benchmark::DoNotOptimize(s);
}"""
    for loop in ("for (auto _ : state)", "while (state.KeepRunning())"):
        source = source_text(text % loop, "dot.cpp")
        found = estimate(source, "haswell", sizes={"n": 1000})
        kernel = next(
            nest for nest in found.regions[0].all_nests if not nest.nests and not nest.profile.work.flops.is_zero
        )
        assert kernel.flops.value == 2000
        assert kernel.projections[0].bound is Bound.LATENCY
        assert kernel.moved.total.is_zero
        assert "2*n" in str(estimate(source, "haswell").regions[0].flops)


REGISTERED = """#include <benchmark/benchmark.h>
#include <vector>
template <class T> static void axpy(benchmark::State &state) {
  const size_t n = state.range(0);
  std::vector<T> x(n), y(n);
  for (auto _ : state) for (size_t i = 0; i < n; ++i) y[i] += T(3) * x[i];
}
BENCHMARK_TEMPLATE(axpy, float)->RangeMultiplier(4)->Range(1 << 10, 1 << 20)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(axpy, double)->Args({64})->Complexity(benchmark::oN);
static void sizes(benchmark::internal::Benchmark *b) { for (int i = 16; i <= 256; i *= 4) b->Args({i, 2 * i}); }
template <class T> struct Data : benchmark::Fixture {
  int n;
  T *x;
  void SetUp(const benchmark::State &state) override { n = state.range(0); }
};
BENCHMARK_TEMPLATE_F(Data, square, double)(benchmark::State &state) {
  for (auto _ : state) for (int i = 0; i < n; i++) x[i] *= x[i];
}
BENCHMARK_TEMPLATE_DEFINE_F(Data, twice, float)(benchmark::State &state) {
  for (auto _ : state) for (int i = 0; i < n; i++) x[i] += x[i];
}
BENCHMARK_REGISTER_F(Data, twice)->Apply(sizes)->Ranges({{1 << 10, 8 << 10}, {128, 512}});
static void scaled(benchmark::State &state, int step) {
  std::vector<double> x(1000);
  for (auto _ : state) for (int i = 0; i < 1000; i += step) x[i] *= 2;
}
BENCHMARK_CAPTURE(scaled, every, 1)->ArgsProduct({benchmark::CreateRange(8, 128, 2), {1, 2}})->Threads(2);
BENCHMARK_MAIN();
"""


def test_all_that_registers_a_benchmark_is_read() -> None:
    """Templates are those that are registered, fixtures are functions; what registers them is no work."""
    found = estimate(source_text(REGISTERED, "all.cpp"), "haswell", sizes={"state.range(0)": 1000, "n": 1000})
    assert [finding for file in found.files for finding in file.profile.diagnostics] == []
    flops = {region.profile.function: region.flops.value for region in found.regions}
    assert flops["axpy<float>"] == flops["axpy<double>"] == 2000
    assert flops["Data_square::BenchmarkCase"] == flops["Data_twice::BenchmarkCase"] == 1000
    assert "scaled" in flops
