"""Kernels whose blocks each have a part of a range: bytes of copies of doubles, by hand."""

import pytest

from roofline.estimation import estimate, source_text
from roofline.options import EstimateOptions

KERNEL = """__global__ void copy(const double *a, double *c, int n, int part) {{
  int i = {first};
  const int e = {end};
  for (; i < e; i += blockDim.x) c[i] = a[i];
}}
void run(double *a, double *c, int n, int part, int blocks) {{ copy<<<{grid}, 256>>>(a, c, {given}); }}
"""
OWN = ("part * blockIdx.x + threadIdx.x", "min(n, part * (blockIdx.x + 1))")
SHIFTED = ("part * blockIdx.x + threadIdx.x", "min(n, part * (blockIdx.x + 1) + threadIdx.x)")
WHOLE = ("part * blockIdx.x + threadIdx.x", "part * (blockIdx.x + 1)")
EACH = 16  # bytes of one element, read and written


def region(bounds, grid="blocks", given="n, part", machines=("v100",)):
    text = KERNEL.format(first=bounds[0], end=bounds[1], grid=grid, given=given)
    (report,) = estimate(source_text(text, "x.cu"), machines, EstimateOptions()).files
    return report.regions[0].profile


def moved(profile):
    footprint = profile.footprint
    return [footprint.read.bytes.estimate, footprint.written.bytes.estimate]


def test_blocks_of_an_unknown_size_touch_what_all_of_them_touch():
    values = {"gridDim.x": 30, "part": 1_000}
    assert [found.evaluate(values) for found in moved(region(WHOLE))] == [8 * 30_000, 8 * 30_000]


@pytest.mark.parametrize("bounds", [OWN, SHIFTED])
def test_an_end_that_is_not_affine_is_a_count_for_each_thread(bounds):
    profile = region(bounds)
    values = {"gridDim.x": 30, **dict.fromkeys((name for name in profile.symbols if "trip" in name), 4)}
    assert [found.evaluate(values) for found in moved(profile)] == [8 * 30 * 256 * 4] * 2


@pytest.mark.parametrize("bounds", [OWN, SHIFTED, WHOLE])
@pytest.mark.parametrize("blocks", [100, 1_000, 32_768])
@pytest.mark.parametrize("more", [0, 1_000])
def test_the_caches_let_all_of_it_through(bounds, blocks, more):
    text = KERNEL.format(first=bounds[0], end=bounds[1], grid=blocks, given=f"{1_024 * blocks + more}, 1024")
    (report,) = estimate(source_text(text, "x.cu"), ("v100",), EstimateOptions()).files
    dram = report.regions[0].projections[0].levels[-1]
    assert float(dram.bytes.estimate.evaluate({})) == pytest.approx(EACH * 1_024 * blocks, rel=1e-6)


def test_one_thread_with_two_loops():
    text = """__global__ void one(double *a, double *b) {
  for (int i = 0; i < 100; i++) a[i] = 1;
  for (int i = 0; i < 100; i++) b[i] = a[i];
}
void run(double *a, double *b) { one<<<1, 1>>>(a, b); }
"""
    (report,) = estimate(source_text(text, "x.cu"), ("v100",), EstimateOptions()).files
    l1 = report.regions[0].projections[0].levels[0]
    assert l1.bytes.is_exact or l1.bytes.estimate.evaluate({}) > 0
    assert float(report.regions[0].profile.stores.bytes.estimate.evaluate({})) == 1_600
