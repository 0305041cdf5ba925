"""Variants of kernels against the same kernels written by hand, and the advice that follows from them."""

from __future__ import annotations

from collections import Counter

import pytest

from analyzer.profile import RegionProfile
from analyzer.traffic.results import RegionTraffic
from analyzer.transformations.kinds import Coarsen, Stage, Turn
from roofline import estimate, source_text
from roofline.model.advice.kinds import ReuseData
from roofline.report.regions import RegionReport

PLACE = "int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;\n"
NAIVE = f"""__global__ void f(const float *a, const float *b, float *c, int n) {{ {PLACE}
  for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
  c[i * n + j] = s; }}
"""
TILED = f"""__global__ void f(const float *a, const float *b, float *c, int n) {{ {PLACE}
  __shared__ float x[16][16], y[16][16];
  for (int t = 0; t < n; t += 16) {{
    x[threadIdx.y][threadIdx.x] = a[i * n + t + threadIdx.x];
    y[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + j];
    __syncthreads();
    for (int k = 0; k < 16; k++) s += x[threadIdx.y][k] * y[k][threadIdx.x];
    __syncthreads();
  }}
  c[i * n + j] = s; }}
"""
SEVERAL = """__global__ void f(const float *a, const float *b, float *c, int n) {
  int i = 32 * blockIdx.y + threadIdx.y, j = 32 * blockIdx.x + threadIdx.x;
  float s = 0, t = 0, u = 0, v = 0;
  for (int k = 0; k < n; k++) {
    float p = a[i * n + k], q = a[(i + 16) * n + k], r = b[k * n + j], w = b[k * n + j + 16];
    s += p * r; t += p * w; u += q * r; v += q * w;
  }
  c[i * n + j] = s; c[i * n + j + 16] = t; c[(i + 16) * n + j] = u; c[(i + 16) * n + j + 16] = v; }
"""


def region_of(text: str, blocks: int, size: int, **options: bool) -> RegionReport:
    launch = f"f<<<dim3({blocks}, {blocks}), dim3(16, 16)>>>(a, b, c, {size});"
    text += f"int main() {{ float *a, *b, *c; {launch} }}"
    return estimate(source_text(text, "cuda"), "v100", **options).regions[0]


def moved(profile: RegionProfile, traffic: RegionTraffic) -> tuple[list[float], dict[str, float]]:
    """Return the bytes read from each level, and the sectors or passes of all requests by the space of their array."""
    (model,) = traffic.models
    levels = [float(level.read_bytes.estimate.evaluate(profile.values)) for level in model.levels]
    asked: Counter[str] = Counter()
    for request in model.requests:
        asked[request.space.value] += request.passes if request.space.value == "shared" else request.sectors
    return levels, dict(asked)


def test_tiles_move_what_tiles_by_hand_move() -> None:
    """L2: both matrices once for each of 16 blocks of a row or a column."""
    naive = region_of(NAIVE, 16, 256, advise=True)
    (staged,) = [each for each in naive.profile.variants if [type(step) for step in each.steps] == [Stage]]
    by_hand = region_of(TILED, 16, 256)
    found, expected = moved(staged.profile, staged.traffic), moved(by_hand.profile, by_hand.traffic)
    assert found[0] == pytest.approx(expected[0], rel=0.01)
    assert found[1] == pytest.approx(expected[1])
    assert found[0][0] == 2 * 16 * 256 * 256 * 4
    assert staged.profile.work.flops.estimate.evaluate({}) == by_hand.profile.work.flops.estimate.evaluate({"n": 256})


def test_several_results_move_what_they_move_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.stages.kernel_trials.stages_of", lambda _grid: iter(()))
    monkeypatch.setattr("analyzer.stages.kernel_trials._RESULTS", ((2, 2),))
    naive = region_of(NAIVE, 20, 320, advise=True)
    (several,) = [each for each in naive.profile.variants if [type(step) for step in each.steps] == [Coarsen]]
    by_hand = region_of(SEVERAL, 10, 320)
    found, expected = moved(several.profile, several.traffic), moved(by_hand.profile, by_hand.traffic)
    assert found[0] == pytest.approx(expected[0], rel=0.01)
    assert several.profile.launch is not None
    assert several.profile.launch.grid == (10, 10, 1)


@pytest.mark.slow
def test_a_naive_product_gets_tiles_of_threads_and_a_tiled_one_more_results() -> None:
    """A 16x16 tile alone leaves a load of shared memory for each FMA: no more than before."""
    naive = region_of(NAIVE, 64, 1024, advise=True)
    first = naive.advice[0]
    assert not any(isinstance(each, ReuseData) for nest in naive.nests for each in nest.advice)
    assert [type(step) for step in first.steps] == [Stage, Coarsen]
    assert first.code == "AI421"
    assert first.gain > 2
    assert first.after_bytes < first.before_bytes / 3
    tiled = region_of(TILED, 64, 1024, advise=True).advice[0]
    assert [type(step) for step in tiled.steps] == [Coarsen]
    assert tiled.gain > 2


def test_a_kernel_that_directives_start_has_no_blocks_to_change() -> None:
    """What a runtime launches is not in the source: neither tiles nor other blocks can be written down."""
    text = """void f(int n, float *a, const float *b) {
      #pragma omp target teams distribute parallel for
      for (int i = 0; i < n; i++) for (int k = 0; k < 64; k++) a[i] += b[k] * i; }"""
    region = estimate(source_text(text, "c"), "v100", sizes={"n": 4096}, advise=True).regions[0]
    assert region.profile.launch is not None
    assert region.profile.launch.by_directives
    assert region.profile.variants == ()


COLUMNS = """__global__ void f(float *out, const float *in, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * n + y] = in[y * n + x]; }
"""
ROWS = """__global__ void f(float *out, const float *in, int n) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  t[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y]; }
"""
BYTES = """__global__ void f(unsigned char *out, const unsigned char *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 255 - in[i]; }
"""
VECTORS = """__global__ void f(uchar4 *out, const uchar4 *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { uchar4 v = in[i]; v.x = 255 - v.x; v.y = 255 - v.y; v.z = 255 - v.z; v.w = 255 - v.w; out[i] = v; } }
"""


def of_launch(text: str, launch: str, kind: str, size: int) -> RegionReport:
    text += f"int main() {{ {kind} *a, *b; f<<<{launch}>>>(a, b, {size}); }}"
    return estimate(source_text(text, "cuda"), "a100-80", advise=True).regions[0]


def test_columns_through_a_tile_move_what_a_transpose_by_hand_moves() -> None:
    launch = "dim3(16, 16), dim3(32, 32)"
    naive = of_launch(COLUMNS, launch, "float", 512)
    (made,) = [each for each in naive.profile.variants if [type(step) for step in each.steps] == [Turn]]
    by_hand = of_launch(ROWS, launch, "float", 512)
    assert moved(made.profile, made.traffic) == moved(by_hand.profile, by_hand.traffic)
    first = naive.advice[0]
    assert (first.code, [each.array for each in first.steps[0].arrays]) == ("AI424", ["out"])
    assert naive.nests[0].advice == naive.advice


def test_vectors_take_as_long_as_vectors_by_hand() -> None:
    naive = of_launch(BYTES, "65536, 256", "unsigned char", 1 << 24)
    by_hand = of_launch(VECTORS, "16384, 256", "uchar4", 1 << 22)
    first = naive.advice[0]
    assert first.code == "AI425"
    times = [each.projections[0].seconds for each in (naive, by_hand)]
    assert first.gain == pytest.approx(times[0] / times[1], rel=0.05)
