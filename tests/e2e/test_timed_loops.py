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
