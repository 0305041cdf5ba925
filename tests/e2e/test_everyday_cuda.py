"""Ordinary CUDA of tutorials, as counted by hand: reductions, scans, defaults of the command line, graphs."""

import json
import re

import pytest

from roofline import estimate

REDUCE = """
__global__ void reduce(const int *in, int *out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = in[i];
  __syncthreads();
  for (unsigned k = FIRST) {
    STEP
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
int main() {
  int n = 1 << 20, *a, *b;
  cudaMalloc(&a, n * 4); cudaMalloc(&b, n / 64);
  reduce<<<n / 256, 256, 1024>>>(a, b);
}
"""
DOUBLING, HALVING = "1; k < blockDim.x; k *= 2", "blockDim.x / 2; k > 0; k >>= 1"
SCAN = """
__global__ void scan(const int *in, int *out, int n) {
  __shared__ int b[2][512];
  int i = blockIdx.x * 512 + threadIdx.x, t = threadIdx.x, to = 0, from = 1;
  b[to][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < 512; d *= 2) {
    to = 1 - to; from = 1 - to;
    if (t >= d) b[to][t] = b[from][t] + b[from][t - d]; else b[to][t] = b[from][t];
    __syncthreads();
  }
  if (i < n) out[i] = b[to][t];
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000000, *a, *b;
  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);
  scan<<<(n + 511) / 512, 512>>>(a, b, n);
}
"""
SWEEPS = """
__global__ void sweeps(int *x) {
  __shared__ int t[512];
  int id = threadIdx.x, o = 1;
  t[2 * id] = x[2 * id]; t[2 * id + 1] = x[2 * id + 1];
  for (int d = 256; d > 0; d >>= 1) { __syncthreads();
    if (id < d) t[o * (2 * id + 2) - 1] += t[o * (2 * id + 1) - 1]; o *= 2; }
  if (id == 0) t[511] = 0;
  for (int d = 1; d < 512; d *= 2) { o >>= 1; __syncthreads();
    if (id < d) { int a = o * (2 * id + 1) - 1, b = o * (2 * id + 2) - 1, v = t[a]; t[a] = t[b]; t[b] += v; } }
  __syncthreads();
  x[2 * id] = t[2 * id]; x[2 * id + 1] = t[2 * id + 1];
}
int main() { int *x; cudaMalloc(&x, 2048); sweeps<<<1, 256>>>(x); }
"""


BITONIC = """
__global__ void step(float *v, int j, int k) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x, o = i ^ j;
  if (o > i) {
    if ((i & k) == 0) { if (v[i] > v[o]) { float t = v[i]; v[i] = v[o]; v[o] = t; } }
    else { if (v[i] < v[o]) { float t = v[i]; v[i] = v[o]; v[o] = t; } }
  }
}
int main() {
  const int n = 1 << 22;
  float *p; cudaMalloc(&p, 4ull * n);
  for (int k = 2; k <= n; k <<= 1) for (int j = k >> 1; j > 0; j >>= 1) step<<<n / 256, 256>>>(p, j, k);
}
"""


def analyzed(tmp_path, text, **options):
    path = tmp_path / "x.cu"
    path.write_text("#include <cuda_runtime.h>\n#include <stdlib.h>\n" + text)
    (file,) = json.loads(estimate(str(path), "a100", **options).to_json())["files"]
    return file


def codes(file):
    return {note["code"] for note in file["diagnostics"]}


def shared(region):
    """Executions, wavefronts and cycles of the banks of loads and stores of shared memory."""
    found = {}
    for request in region["requests"]:
        if request["space"] == "shared":
            known = found.get(request["write"], (0, 0, 0))
            more = (request["accesses"], request["requests"], request["passes"])
            found[request["write"]] = tuple(round(one + other) for one, other in zip(known, more, strict=True))
    return found[False], found[True]


@pytest.mark.parametrize(
    ("first", "step", "loads", "stores"),
    [
        (DOUBLING, "if (t % (2 * k) == 0) s[t] += s[t + k];", (511, 95, 95), (511, 55, 55)),
        (DOUBLING, "int x = 2 * k * t; if (x < blockDim.x) s[x] += s[x + k];", (511, 25, 95), (511, 20, 55)),
        (HALVING, "if (t < k) s[t] += s[t + k];", (511, 25, 25), (511, 20, 20)),
    ],
)
def test_the_three_reductions_of_the_tutorials(tmp_path, first, step, loads, stores):
    """A block of 256 adds 255 times; interleaved steps keep all 8 warps busy to k = 16, strided ones have conflicts."""
    (region,) = analyzed(tmp_path, REDUCE.replace("FIRST", first).replace("STEP", step))["regions"]
    assert shared(region) == tuple(tuple(4096 * count for count in each) for each in (loads, stores))
    counted = region["references"]
    assert counted["loads"]["elements"]["value"] == (1 << 20) + 4096 * 511
    assert counted["stores"]["elements"]["value"] == 4096 * 512
    assert counted["loads"]["elements"]["exactness"] == "exact"


def test_a_scan_of_two_buffers_with_the_default_of_the_command_line(tmp_path):
    """Of 9 steps 4608 threads read once and 4097 once more; 1,000,000 elements are 1954 blocks."""
    report = analyzed(tmp_path, SCAN)
    (region,) = report["regions"]
    (loads, stores) = (each[0] for each in shared(region))
    assert (loads, stores) == (1954 * 8705 + 1_000_000, 1954 * 10 * 512)
    assert codes(report) == {"AI324"}
    given = analyzed(tmp_path, SCAN, program_arguments=("512",))
    assert shared(given["regions"][0])[0][0] == 8705 + 512
    assert codes(given) == set()


def test_what_a_program_without_arguments_does_not_launch_stays_open(tmp_path):
    usage = SCAN.replace("int n = argc", "if (argc < 2) exit(1); int n = argc")
    assert codes(analyzed(tmp_path, usage)) == {"AI212"}


def test_both_sweeps_of_a_work_efficient_scan(tmp_path):
    """An element that was loaded is still known when it is added to, as in nvcc's machine code of both loops."""
    (region,) = analyzed(tmp_path, SWEEPS)["regions"]
    (loads, stores) = (each[0] for each in shared(region))
    assert (loads, stores) == (512 + 511 * 4, 512 + 511 * 3 + 1)


def test_a_graph_counts_as_often_as_it_is_launched(tmp_path):
    text = """
__global__ void scale(float *x) { int i = blockIdx.x * 256 + threadIdx.x; x[i] = 2 * x[i]; }
int main() {
  float *x; cudaStream_t s; cudaGraph_t g; cudaGraphExec_t e;
  cudaMalloc(&x, 4 << 20);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 4; i++) scale<<<4096, 256, 0, s>>>(x);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&e, g, 0);
  for (int t = 0; t < 20; t++) cudaGraphLaunch(e, s);
}
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    assert region["work"]["flops"]["value"] == 80 << 20


def test_every_step_of_a_bitonic_sort(tmp_path):
    """253 launches, each with half of the threads; where all pairs are swapped 16 MiB are read and 16 MiB written."""
    (region,) = analyzed(tmp_path, BITONIC)["regions"]
    launches, elements = 22 * 23 // 2, 1 << 22
    compares = {each["operation"]: each["count"]["value"] for each in region["work"]["operations"]}
    assert region["launches"]["count"]["value"] == launches
    assert compares["compare"] == launches * elements // 2
    assert region["bytes"]["value"] == launches * 2 * elements * 4
    assert not {"AI211", "AI210"} & {note["code"] for note in region["assumed"]}


SHRINKING = """
__global__ void eliminate(double *x, int n, int k) {
  int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 0.5;
}
__global__ void divide(float *a, int n, int k) {
  int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * n] *= 0.5f;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  double *x; float *a; cudaMalloc(&x, n * 8); cudaMalloc(&a, n * n * 4);
  for (int k = 0; k < n - 1; k++) {
    eliminate<<<(n - k - 1 + 255) / 256, 256>>>(x, n, k);
    divide<<<(n - k - 1 + 127) / 128, 128>>>(a, n, k);
  }
}
"""


@pytest.mark.parametrize("n", [999, 1200, 1531])
def test_launches_that_shrink_have_the_sectors_of_all_of_them(tmp_path, n):
    """Each starts at another element: a warp of 32 doubles has 8 sectors or 9, one of 32 rows 32."""
    warps = [(first, min(first + 32, n)) for k in range(n - 1) for first in range(k + 1, n, 32)]
    sectors = {"eliminate": sum((8 * end - 1) // 32 - 8 * first // 32 + 1 for first, end in warps)}
    sectors["divide"] = sum(n - k - 1 for k in range(n - 1))
    for region in analyzed(tmp_path, SHRINKING, program_arguments=(str(n),))["regions"]:
        level = region["caches"][0]["levels"][0]
        for moved in (level["read_bytes"], level["write_bytes"]):
            expected = 32 * sectors[region["name"]]
            assert moved["lower"] <= expected <= moved["upper"]
            assert moved["value"] == pytest.approx(expected, rel=0.015 if region["name"] == "eliminate" else 1e-3)


THRUST_VECTORS = """
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
__global__ void scale(float *v, const float *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= w[i];
}
int main() {
  thrust::host_vector<float> h(1 << 20, 1.f);
  thrust::device_vector<float> a = h, b(1 << 20);
  b = h;
  float *p = h.data();
  p[0] = 2;
  auto q = b.data();
  int n = a.size();
  LAUNCH;
}
"""


@pytest.mark.parametrize(
    "pair",
    [
        "a.data().get(), q.get()",
        "thrust::raw_pointer_cast(a.data()), thrust::raw_pointer_cast(q)",
        "thrust::raw_pointer_cast(&a[0]), b.data() + 0",
    ],
)
def test_what_vectors_of_thrust_hand_to_a_kernel(tmp_path, pair):
    """Of a vector on the device ``data()`` is a pointer with ``get()``, and one on the host is copied to it."""
    file = analyzed(tmp_path, THRUST_VECTORS.replace("LAUNCH", f"scale<<<n / 256, 256>>>({pair}, n)"))
    assert not codes(file) & {"AI001", "AI212"}
    (region,) = (each for each in file["regions"] if each["name"] == "scale")
    assert region["caches"][0]["levels"][0]["read_bytes"]["value"] == 8 << 20


PANELS = """
__global__ void product(const float *a, const float *b, float *c, int n) {
  __shared__ float as[8][64], bs[8][64];
  float sum = 0;
  a += blockIdx.y * 64 * n;
  b += blockIdx.x * 64;
  for (int k = 0; k < n; k += 8) {
    for (int i = threadIdx.x; i < 512; i += 128) as[i % 8][i / 8] = a[(i / 8) * n + i % 8];
    for (int i = threadIdx.x; i < 512; i += 128) bs[i / 64][i % 64] = b[(i / 64) * n + i % 64];
    __syncthreads();
    a += 8;
    b += 8 * n;
    for (int p = 0; p < 8; p++) sum += as[p][threadIdx.x % 64] * bs[p][threadIdx.x / 64];
    __syncthreads();
  }
  c[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = sum;
}
int main() {
  int n = 512; float *a, *b, *c; cudaMalloc(&a, n * n * 4); cudaMalloc(&b, n * n * 4); cudaMalloc(&c, n * n * 4);
  product<<<dim3(n / 64, n / 64), 128>>>(a, b, c, n);
}
"""


def test_each_block_fetches_its_panels_for_its_own_l1(tmp_path):
    """64 blocks read 64 rows and 64 columns of 512 numbers each: neighbours have the same rows."""
    (region,) = analyzed(tmp_path, PANELS)["regions"]
    first, second = region["caches"][0]["levels"][:2]
    panels = 64 * 2 * 64 * 512 * 4
    assert first["read_bytes"]["value"] == panels
    assert second["read_bytes"]["value"] == pytest.approx(panels, rel=0.01)
    assert second["read_bytes"]["upper"] >= panels


def test_blocks_in_flight_are_in_step_though_their_panels_do_not_fit_in_l2(tmp_path):
    """16 blocks on each of 108 SMs are 27 of 64 rows of blocks: the right matrix of 67 MB is read in 3 waves."""
    (region,) = analyzed(tmp_path, PANELS.replace("n = 512", "n = 4096"))["regions"]
    read = region["caches"][0]["levels"][-1]["read_bytes"]
    assert read["value"] == pytest.approx((1 + 3) * 4096 * 4096 * 4, rel=0.01)
    assert read["lower"] < read["value"] < read["upper"]


IMAGE = """
__device__ float pixel(const float *img, size_t pitch, int w, int h, int x, int y) {
  x = min(max(x, 0), w - 1); y = min(max(y, 0), h - 1);
  return *((const float *)((const char *)img + y * pitch) + x);
}
__global__ void slopes(const float *img, size_t pitch, float *out, size_t step, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float gx = pixel(img, pitch, w, h, x + 1, y - 1) - pixel(img, pitch, w, h, x - 1, y - 1);
  float gy = pixel(img, pitch, w, h, x - 1, y + 1) - pixel(img, pitch, w, h, x - 1, y - 1);
  ((float *)((char *)out + y * step))[x] = gx * gx + gy * gy;
}
class Image {
public:
  Image(int w, int h) : width(w), height(h) { cudaMallocPitch(&data, &pitch, w * sizeof(float), h); }
  void slopesInto(Image &to) const {
    dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
    slopes<<<grid, block>>>(data, pitch, to.data, to.pitch, width, height);
  }
  float *data = nullptr;
  size_t pitch = 0;
  int width, height;
};
int main() { Image in(4000, 2160), out(4000, 2160); in.slopesInto(out); }
"""


def test_rows_of_pitched_memory_lie_apart_and_what_is_loaded_twice_is_one_request(tmp_path):
    """Rows of 16,000 bytes are 16,384 apart; of the four loads two are the same, 3 x 5 sectors and 4 of the store."""
    (region,) = analyzed(tmp_path, IMAGE)["regions"]
    moved = {level["level"]: level for level in region["traffic"]}
    assert moved["DRAM"]["write_bytes"]["value"] == 4000 * 2160 * 4
    assert moved["DRAM"]["read_bytes"]["value"] == pytest.approx(4000 * 2160 * 4, rel=1e-3)
    assert moved["L1"]["total_bytes"]["value"] == pytest.approx(125 * 2160 * (3 * 5 + 4) * 32, rel=2e-3)


def test_a_block_finds_in_l1_what_an_earlier_statement_loaded(tmp_path):
    """Of 256 floats and those 8 further on are 33 sectors a block."""
    text = """
__global__ void product(const float *x, float *y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float a = x[i]; float b = x[i + 8];
  y[i] = a * b;
}
int main() { float *x, *y; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 4 << 20); product<<<4095, 256>>>(x, y); }
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    reads = {level["level"]: level["read_bytes"]["value"] for level in region["traffic"]}
    assert reads["L1"] == 4095 * 64 * 32
    assert reads["L2"] == 4095 * 33 * 32


MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    ("sync", "from_l2"),
    [
        *((sync, 9 * MEGABYTE) for sync in ("grid.sync()", "cg::sync(grid)", "__threadfence()")),
        *((sync, MEGABYTE) for sync in ("block.sync()", "__syncwarp()", "__threadfence_block()")),
    ],
)
def test_a_barrier_empties_registers_and_one_of_the_whole_device_l1(tmp_path, sync, from_l2):
    """A megabyte is loaded and stored in each of 9 steps, though each thread loads what it has just stored."""
    text = f"""#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void twice(float *x, int steps) {{
  auto grid = cg::this_grid(); auto block = cg::this_thread_block();
  for (int t = 0; t < steps; t++) {{ x[grid.thread_rank()] *= 2; {sync}; }}
}}
int main() {{ float *x; cudaMalloc(&x, 1 << 20); int n = 9; twice<<<1024, 256>>>(x, n); }}
"""
    report = analyzed(tmp_path, text)
    (region,) = report["regions"]
    assert codes(report) == set()
    assert region["work"]["flops"]["value"] == 9 << 18
    reads = {level["level"]: level["read_bytes"]["value"] for level in region["traffic"]}
    assert (reads["L1"], reads["L2"]) == (9 * MEGABYTE, from_l2)


def test_volatile_memory_is_loaded_and_stored_every_time(tmp_path):
    """As nvcc does: 2 loads and a store in each of three steps, all by 32 threads."""
    text = """
__global__ void last(float *x) {
  __shared__ float s[64]; int t = threadIdx.x; s[t] = x[t]; s[t + 32] = x[t + 32]; __syncthreads();
  volatile float *v = s;
  v[t] += v[t + 16]; v[t] += v[t + 8]; v[t] += v[t + 4];
  __syncwarp(); x[t] = s[t];
}
int main() { float *x; cudaMalloc(&x, 4096); last<<<1, 32>>>(x); }
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    (loads, stores) = (each[0] for each in shared(region))
    assert (loads, stores) == (32 * (3 * 2 + 1), 32 * (3 + 2))


ASYNC = """
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
__global__ void copied(float *out, const float *in) {
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline();
  __shared__ alignas(16) float s[2][1024];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (block.thread_rank() == 0) init(&bar, block.size());
  const float *mine = in + 1024 * blockIdx.x;
  COPY
  out[1024 * blockIdx.x + threadIdx.x] = 2 * s[0][1023 - threadIdx.x];
}
int main() {
  float *in, *out; int devices, count = 0;
  cudaMalloc(&in, 16 << 20); cudaMalloc(&out, 16 << 20);
  cudaGetDeviceCount(&devices);
  for (int d = 0; d < devices; d++) { cudaSetDevice(d); copied<<<4096, 256>>>(out, in); }
}
"""


@pytest.mark.parametrize(
    ("copy", "size"),
    [
        ("__pipeline_memcpy_async(&s[0][4 * threadIdx.x], mine + 4 * threadIdx.x, 16); __pipeline_commit();", 16),
        ("cuda::memcpy_async(&s[0][4 * threadIdx.x], mine + 4 * threadIdx.x, cuda::aligned_size_t<16>(16), pipe);", 16),
        ("cg::memcpy_async(block, s[0], mine, sizeof(float) * 1024); cg::wait(block);", 4),
        ("cuda::memcpy_async(block, s[0], mine, sizeof(float) * 1024, bar); bar.arrive_and_wait();", 4),
    ],
)
def test_asynchronous_copies_load_from_global_and_store_to_shared_memory(tmp_path, copy, size):
    report = analyzed(tmp_path, ASYNC.replace("COPY", copy))
    (region,) = report["regions"]
    assert codes(report) == set()
    assert region["work"]["flops"]["value"] == 4096 * 256
    found = {(each["space"], each["write"]): each for each in region["requests"]}
    for key in (("global", False), ("shared", True)):
        assert found[key]["size_bytes"] == size
        assert found[key]["accesses"] * size == 4096 * 4096
    assert found["global", False]["sectors"] == 4096 * 128


def test_two_buffers_in_turn_have_the_conflicts_of_one(tmp_path):
    text = """
__global__ void staged(const float4 *in, float *out, int n) {
  __shared__ float4 s[2][256];
  float sum = 0;
  for (int k = 0; k < n; k++) {
    s[k & 1][threadIdx.x] = in[(k * gridDim.x + blockIdx.x) * 256 + threadIdx.x];
    __syncthreads();
    float4 v = s[k & 1][255 - threadIdx.x];
    sum += v.x + v.y + v.z + v.w;
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
int main() { float4 *x; float *y; cudaMalloc(&x, 64 << 20); cudaMalloc(&y, 1 << 20); staged<<<1024, 256>>>(x, y, 16); }
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    requests = [each for each in region["requests"] if each["space"] == "shared"]
    assert {(each["size_bytes"], each["conflict_ways"]) for each in requests} == {(16, 1)}
    assert sum(each["accesses"] for each in requests) == 2 * 16 * 1024 * 256
    assert not {"AI407"} & {note["code"] for note in region["assumed"]}


def test_a_loop_that_all_threads_share_has_the_formula_of_its_range(tmp_path):
    text = """
template <int T> __global__ void axpy(float a, const float *x, float *y, int n) {
  for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T) y[i] = a * x[i] + y[i];
}
void run(int n, const float *x, float *y) { axpy<256><<<432, 256>>>(2, x, y, n); }
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    assert region["work"]["flops"]["symbolic"] == "2*n"
    assert region["references"]["loads"]["elements"]["symbolic"] == "2*n"


def test_optional_arrays_are_those_that_the_launch_gives(tmp_path):
    """Without a bias nothing is added; the squares of the last of four launches are 2 FLOPs, of the others 1."""
    text = """
__global__ void twice(const float *x, float *y, float *squares, const float *bias) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = 2 * x[i];
  if (bias != nullptr) v += bias[i];
  y[i] = v;
  if (squares) squares[i] = v * v;
}
int main() {
  int n = 1 << 20; float *x, *y, *s; cudaMalloc(&x, 4 * n); cudaMalloc(&y, 4 * n); cudaMalloc(&s, 4 * n);
  for (int t = 0; t < 4; t++) twice<<<n / 256, 256>>>(x, y, t == 3 ? s : nullptr, NULL);
}
"""
    regions = analyzed(tmp_path, text)["regions"]
    found = {region["launches"]["count"]["value"] if region["launches"] else 1: region for region in regions}
    assert {times: region["work"]["flops"]["value"] >> 20 for times, region in found.items()} == {3: 3, 1: 2}
    assert found[1]["references"]["stores"]["elements"]["value"] == 2 << 20
    assert not {"AI312"} & {note["code"] for region in regions for note in region["assumed"]}


def test_what_is_launched_without_arguments_is_certain(tmp_path):
    text = """
template <int N> __global__ void scale(float *x) { x[blockIdx.x * N + threadIdx.x] *= 2; }
int main(int argc, char **argv) {
  int size = argc > 1 ? atoi(argv[1]) : 16;
  float *x; cudaMalloc(&x, 1 << 20);
  if (size == 8) scale<8><<<64, 8>>>(x);
  else if (size == 16) scale<16><<<64, 16>>>(x);
}
"""
    report = analyzed(tmp_path, text)
    certain = {region["name"] for region in report["regions"] if region["launches"] is None}
    assert (codes(report), certain) == ({"AI324"}, {"scale<16>"})
    given = analyzed(tmp_path, text, program_arguments=("8",))
    launched = {region["name"] for region in given["regions"] if region["launch"]}
    assert (codes(given) & {"AI324"}, launched) == (set(), {"scale<8>"})


@pytest.mark.parametrize("halves", ["__half22float2(x[i])", "__half22float2(__hmul2(x[i], x[i]))"])
def test_the_lanes_of_a_vector_change_with_it_in_each_iteration(tmp_path, halves):
    """Of 768 elements each has two differences, of which each is squared and added by one FMA: 6 FLOPs of fp32."""
    text = f"""
#include <cuda_fp16.h>
__global__ void spread(const __half2 *x, float *y, float mean) {{
  float sum = 0;
  for (int i = threadIdx.x; i < 768; i += 256) {{
    float2 t = {halves};
    sum += (t.x - mean) * (t.x - mean);
    sum += (t.y - mean) * (t.y - mean);
  }}
  y[threadIdx.x] = sum;
}}
int main() {{ spread<<<1, 256>>>(0, 0, 0.5f); }}
"""
    (region,) = analyzed(tmp_path, text, policy="nvidia-sass")["regions"]
    assert region["work"]["by_precision"]["fp32"]["value"] == 6 * 768


@pytest.mark.parametrize("policy", ["nvidia-sass", "nvcc-sm_86"])
def test_a_lane_that_is_set_is_part_of_the_vector_that_is_stored(tmp_path, policy):
    text = """
#include <cuda_fp16.h>
__global__ void first(__half2 *x) {
  for (int i = threadIdx.x; i < 768; i += 256) { __half2 h = x[i]; h.x = h.x * h.y; x[i] = h; }
}
int main() { first<<<1, 256>>>(0); }
"""
    (region,) = analyzed(tmp_path, text, policy=policy)["regions"]
    assert region["work"]["by_precision"]["fp16"]["value"] == 768


VIEWED = {
    "uint4": "uint4 p = reinterpret_cast<const uint4 *>(a)[threadIdx.x], o;",
    "float4": "float4 p; p = reinterpret_cast<const float4 *>(a)[threadIdx.x]; float4 o;",
}


@pytest.mark.parametrize("kind", VIEWED)
def test_a_vector_that_a_pointer_of_another_type_sees_holds_what_is_stored_through_it(tmp_path, kind):
    """Each of 256 threads multiplies the four floats of its pack and stores 16 bytes."""
    text = f"""
__global__ void packs(float *out, const float *a, float s) {{
  {VIEWED[kind]}
  for (int i = 0; i < 4; ++i) reinterpret_cast<float *>(&o)[i] = reinterpret_cast<const float *>(&p)[i] * s;
  reinterpret_cast<{kind} *>(out)[threadIdx.x] = o;
}}
int main() {{ float *x, *y; cudaMalloc(&x, 4096); cudaMalloc(&y, 4096); packs<<<1, 256>>>(x, y, 2.0f); }}
"""
    (region,) = analyzed(tmp_path, text, policy="nvidia-sass")["regions"]
    assert region["work"]["flops"]["value"] == 4 * 256
    assert {request["array"] for request in region["requests"] if request["space"] == "global"} == {"a", "out"}


def test_a_row_whose_length_divides_the_blocks_has_its_bytes(tmp_path):
    """6272 blocks of 256 are 57344 rows of 28: each reads the first element, 8 bytes after the one before."""
    text = """
__global__ void first(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i / 28 * 2];
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 57344 * 8); cudaMalloc(&b, 6272 * 256 * 4);
  first<<<6272, 256>>>(a, b);
}
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    dram = region["traffic"][-1]
    assert dram["read_bytes"]["value"] == 57344 * 8
    assert dram["write_bytes"]["value"] == 6272 * 256 * 4


@pytest.mark.parametrize("launch", ["<<<1, 1>>>", "<<<1, 32>>>"])
@pytest.mark.parametrize("policy", ["source", "nvidia-sass"])
def test_a_kernel_of_one_block_is_one_nest_with_all_of_its_bytes(tmp_path, launch, policy):
    """Rows of 8 bytes, x read in both loops and y in one: 4 MB of each come from memory, and as many go back."""
    text = f"""
__global__ void both(double *x, double *y, int n) {{
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = 2 * x[i];
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + y[i];
}}
int main() {{
  double *x, *y; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 4 << 20);
  both{launch}(x, y, 1 << 19);
}}
"""
    (region,) = analyzed(tmp_path, text, policy=policy)["regions"]
    assert not region["nests"] or len(region["nests"]) == 1
    for owner in (region, *region["nests"]):
        moved = {level["level"]: level for level in owner["traffic"]}["DRAM"]
        assert (moved["read_bytes"]["value"], moved["write_bytes"]["value"]) == (8 << 20, 8 << 20)


@pytest.mark.parametrize(
    ("store", "sectors"),
    [("out[p] = x[i];", 4.875), ("if (p < n) out[p + 8] = x[i];", 4.875), ("out[8 * p] = x[i];", 32)],
)
def test_threads_of_a_warp_store_side_by_side_where_a_counter_hands_out_their_indices(tmp_path, store, sectors):
    """32 floats that begin anywhere in a sector are in 4 at one of 8 starts, else in 5; 32 bytes apart in 32."""
    text = f"""
__global__ void keep(const float *x, float *out, int *count, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) {{ int p = atomicAdd(count, 1); {store} }}
}}
int main() {{
  float *x, *y; int *c; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 36 << 20); cudaMalloc(&c, 4);
  keep<<<4096, 256>>>(x, y, c, 1 << 20);
}}
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    (stored,) = (each for each in region["requests"] if each["array"] == "out")
    assert stored["sectors_per_request"] == sectors


_BLOCK_BASE = "__shared__ int base; if (threadIdx.x == 0) base = atomicAdd(count, 256); __syncthreads();"
_RANK = (
    "unsigned m = __ballot_sync(~0u, keep); int lane = threadIdx.x % 32; int before = __popc(m & ((1u << lane) - 1));"
)


@pytest.mark.parametrize(
    ("body", "sectors"),
    [
        (_BLOCK_BASE + "if (i < n) out[base + threadIdx.x] = i;", 4.875),
        (_BLOCK_BASE + "if (i < n) out[base + 2 * threadIdx.x] = i;", 8.75),
        (_RANK + "__shared__ int s[8]; s[threadIdx.x / 32] = m; __syncthreads();"
         " if (keep) out[s[threadIdx.x / 32] + before] = i;", 4.875),
        (_RANK + "int base = 0, leader = __ffs(m) - 1; if (lane == leader) base = atomicAdd(count, __popc(m));"
         " base = __shfl_sync(~0u, base, leader); if (keep) out[base + before] = i;", 4.875),
        (_RANK + "if (keep) out[x[i] + before] = i;", 32),
        ("int p = -1; if (keep) p = atomicAdd(&count[blockIdx.x % 8], 1); __syncthreads();"
         " if (p >= 0) out[blockIdx.x % 8 * cap + p] = i;", 4.875),
        ("int b = x[i] & 7, p = atomicAdd(&count[b], 1); out[b * cap + p] = i;", 32),
    ],
)  # fmt: skip
def test_what_a_warp_shares_or_counts_leaves_its_threads_side_by_side(tmp_path, body, sectors):
    """A base that one thread sets or a lane hands out, and votes below a lane; other positions lie anywhere."""
    text = f"""
__global__ void keep(const int *x, int *out, int *count, int n, int cap) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < n && x[i] > 0;
  {body}
}}
int main() {{
  int *x, *y, *c; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 36 << 20); cudaMalloc(&c, 32);
  keep<<<4096, 256>>>(x, y, c, 1 << 20, 1 << 17);
}}
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    (stored,) = (each for each in region["requests"] if each["array"] == "out")
    assert stored["sectors_per_request"] == sectors


def test_the_probability_that_a_note_asks_for_is_one_that_can_be_given(tmp_path):
    """The condition is a variable that another function's comparison decides, where the bounds hold."""
    text = """
struct big { __device__ bool operator()(float v) const { return v > 0.5f; } };
template <class P> __global__ void f(const float *x, float *y, int n, P p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < n && p(x[i]);
  if (keep) y[i] = 2 * x[i];
}
int main() { float *x, *y; cudaMalloc(&x, 4096); cudaMalloc(&y, 4096); f<<<4, 256>>>(x, y, 1024, big()); }
"""
    (note,) = (note for note in analyzed(tmp_path, text)["diagnostics"] if note["code"] == "AI202")
    (region,) = analyzed(tmp_path, text, defines={re.search(r"prob_L\d+", note["hint"])[0]: "0.25"})["regions"]
    assert region["work"]["flops"]["value"] == 256


def test_kernels_of_libraries_that_the_program_launches_are_named(tmp_path):
    """Of cuBLAS the product, not its set-up; what CUB sums has a row."""
    text = """
#include <cublas_v2.h>
#include <cub/device/device_reduce.cuh>
__global__ void f(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2.f; }
int main() {
  float *x, one = 1, *t = 0; size_t bytes = 0; cublasHandle_t h; cublasCreate(&h); cudaMalloc(&x, 4 << 20);
  cub::DeviceReduce::Sum(t, bytes, x, x, 1 << 20);
  cudaMalloc(&t, bytes);
  f<<<4096, 256>>>(x);
  cub::DeviceReduce::Sum(t, bytes, x, x, 1 << 20);
  cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1024, 1024, 1024, &one, x, 1024, x, 1024, &one, x, 1024);
}
"""
    file = analyzed(tmp_path, text)
    (note,) = (note for note in file["diagnostics"] if note["code"] == "AI201")
    assert "cublasSgemm" in note["message"]
    assert "cub::" not in note["message"]
    assert [region["work"]["flops"]["value"] for region in file["regions"]] == [1 << 20, 1 << 20]


def test_states_of_random_numbers_and_scans_of_cub_are_counted(tmp_path):
    """A scan: 7 and 8 sums of each of 32 threads over their 8 elements, and 31 + 30 + 28 + 24 + 16 among these."""
    text = """
#include <curand_kernel.h>
#include <cub/cub.cuh>
__global__ void draw(curandStatePhilox4_32_10_t *state, float4 *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t s = state[i];
  y[i] = curand_uniform4(&s);
  state[i] = s;
}
__global__ void scan(const float *x, float *y) {
  typedef cub::BlockScan<float, 256> Scan; __shared__ typename Scan::TempStorage memory;
  float v = x[blockIdx.x * 256 + threadIdx.x];
  Scan(memory).ExclusiveSum(v, v);
  y[blockIdx.x * 256 + threadIdx.x] = v;
}
int main() {
  curandStatePhilox4_32_10_t *s; float *x; cudaMalloc(&s, 64 << 16); cudaMalloc(&x, 16 << 16);
  draw<<<256, 256>>>(s, (float4 *)x);
  scan<<<256, 256>>>(x, x + 65536);
}
"""
    file = analyzed(tmp_path, text)
    flops, moved = {}, {}
    for region in file["regions"]:
        flops[region["name"]] = region["work"]["flops"]["value"]
        moved[region["name"]] = {level["level"]: level for level in region["traffic"]}["DRAM"]["read_bytes"]["value"]
    assert flops == {"draw": 4 * 2 << 16, "scan": 256 * (32 * 15 + 129)}
    assert moved == {"draw": 64 << 16, "scan": 4 << 16}
    assert "AI201" not in codes(file)


def test_a_vector_that_data_choose_is_one_request_and_moves_whole(tmp_path):
    """Of float4 in a random order each thread has a sector of its own, and memory has them all, as often as is read."""
    text = """
__global__ void f(const float4 *p, float4 *y, const int *idx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float4 v = p[idx[i]]; y[i] = make_float4(v.x * 2.f, v.y, v.z, v.w); }
}
int main() { f<<<4096, 256>>>(0, 0, 0, 1 << 20); }
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    (load,) = (each for each in region["requests"] if each["array"] == "p")
    assert (load["requests"], load["sectors_per_request"]) == (1 << 15, 32)
    moved = {level["level"]: level for level in region["traffic"]}["DRAM"]
    assert moved["read_bytes"]["value"] == (4 + 16) << 20


def test_textures_read_elements_beside_each_other_and_a_window_once(tmp_path):
    """An image of 1,024 x 1,024 is read once from memory, whatever is filtered; by index each sector is counted."""
    text = """
__global__ void f(cudaTextureObject_t t, float *y) {
  int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  float v = 0;
  for (int p = -2; p <= 2; p++) for (int q = -2; q <= 2; q++) v += tex2D<float>(t, i + p, j + q);
  y[j * 1024 + i] = v;
}
__global__ void g(cudaTextureObject_t t, float *y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = tex1Dfetch<float>(t, i) + tex1Dfetch<float>(t, i + 1);
}
int main() {
  cudaTextureObject_t t = 0; float *y; cudaMalloc(&y, 4 << 20);
  f<<<dim3(64, 64), dim3(16, 16)>>>(t, y);
  g<<<4096, 256>>>(t, y);
}
"""
    filtered, indexed = analyzed(tmp_path, text)["regions"]
    for region in (filtered, indexed):
        moved = {level["level"]: level for level in region["traffic"]}["DRAM"]
        assert 4 << 20 <= moved["read_bytes"]["value"] <= (4 << 20) + 32
    assert [each["sectors_per_request"] for each in indexed["requests"] if each["array"] == "t"] == [4, 5]
    assert indexed["work"]["flops"]["exactness"] == "exact"


def test_a_truth_value_of_a_template_is_1_in_its_name(tmp_path):
    text = """
template <bool B, int N> __global__ void f(float *x) { x[threadIdx.x] = B ? N : 0; }
int main() { float *x; cudaMalloc(&x, 128); f<true, -1><<<1, 32>>>(x); f<false, 2><<<1, 32>>>(x); }
"""
    assert {region["name"] for region in analyzed(tmp_path, text)["regions"]} == {"f<1, -1>", "f<0, 2>"}


def test_a_reduction_of_thrust_is_not_one_thread(tmp_path):
    """2^22 sums take less than 4 cycles each: the GPU adds up parts."""
    text = """
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
int main() { thrust::device_vector<float> x(1 << 22, 1.f); float s = thrust::reduce(x.begin(), x.end()); return s > 0; }
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    assert {nest["projection"]["bound"] for nest in (region, *region["nests"])} == {"memory"}


LATER = """
#include <functional>
#include <vector>
__global__ void f(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] += 1; }
int main() {
  float *x; cudaMalloc(&x, 128);
  std::vector<std::function<void()>> work;
  for (int k = 1; k <= 4; k++) work.push_back([=] { f<<<1, 32>>>(x, k); });
  RUN
}
"""


@pytest.mark.parametrize(
    ("run", "additions"),
    [
        ("for (auto &each : work) each();", 1 + 2 + 3 + 4),
        ("for (int r = 0; r < 3; r++) for (int i = 0; i < 4; i += 2) work[i]();", 3 * (1 + 3)),
    ],
)
def test_launches_that_a_loop_keeps_for_later_are_followed(tmp_path, run, additions):
    (region,) = analyzed(tmp_path, LATER.replace("RUN", run))["regions"]
    assert (region["work"]["flops"]["value"], region["work"]["flops"]["exactness"]) == (additions, "exact")


@pytest.mark.parametrize(
    "index",
    [
        "blk.group_index().x * blk.group_dim().x + blk.thread_index().x",
        "grid.block_rank() * blk.dim_threads().x + blk.thread_rank()",
        "grid.block_index().x * (grid.size() / grid.num_blocks()) + blk.thread_rank()",
        "grid.group_dim().x * 0 + grid.dim_blocks().x * 0 + grid.thread_rank()",
    ],
)
def test_positions_in_groups_are_those_of_threads(tmp_path, index):
    text = f"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void f(float *x, int n) {{
  auto blk = cg::this_thread_block(); auto grid = cg::this_grid();
  unsigned i = {index};
  if (i < n) x[i] += 1;
}}
int main() {{ float *x; cudaMalloc(&x, 4000); f<<<4, 256>>>(x, 1000); }}
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    assert (region["work"]["flops"]["value"], region["work"]["flops"]["exactness"]) == (1000, "exact")
    assert {request["sectors"] for request in region["requests"]} == {1000 // 8}


def test_a_kernel_of_which_only_a_lower_bound_of_no_instructions_is_known_has_a_row(tmp_path):
    text = """
__device__ dim3 where();
__global__ void f(const float *x, float *y, int n) {
  int i = blockIdx.x * where().x + threadIdx.x;
  if (i > 0 && i < n - 1) { float s = 0; for (int k = 0; k < 3; k++) s += x[i] * x[i - 1 + k]; y[i] = s; }
}
int main() { float *x, *y; cudaMalloc(&x, 4000); cudaMalloc(&y, 4000); f<<<4, 256>>>(x, y, 1000); }
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    assert region["work"]["flops"]["exactness"] != "exact"


def test_sectors_of_all_blocks_and_iterations_are_counted_where_a_counter_only_moves_addresses(tmp_path):
    """Rows of 100 floats start 16 bytes into a sector in odd iterations: 6 parts of 16 touch 2 or 3, one of 4 has 1."""
    text = """
__global__ void f(int m, int n, int k, const float *a, float *c) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (y < m && x < n) { float t = 0; for (int i = 0; i < k; i++) t += a[i * n + x]; c[y * n + x] = t; }
}
int main() {
  float *a, *c; cudaMalloc(&a, 400 * 5000); cudaMalloc(&c, 40000);
  f<<<dim3(7, 7), dim3(16, 16)>>>(100, 100, 5000, a, c);
}
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    loads, _ = region["requests"]
    assert (loads["sectors"], loads["requests"]) == (50 * 5000 * (6 * 2 + 1 + 6 * 3 + 1) / 2, 50 * 5000 * 7)


def test_sectors_of_sampled_blocks_are_within_their_bounds(tmp_path):
    """A row of n numbers from i + 1 on, 128 threads at a time: each warp asks for the sectors that it touches."""
    text = """
__global__ void f(float *a, int n) {
  for (int j = blockIdx.x + 1 + threadIdx.x; j < n; j += blockDim.x) a[blockIdx.x * n + j] *= 2.f;
}
int main() { int n = 1000; float *a; cudaMalloc(&a, n * n * 4); f<<<n, 128>>>(a, n); }
"""
    warps = [(i, range(j, min(j + 32, 1000))) for i in range(1000) for j in range(i + 1, 1000, 32)]
    sectors = sum(len({(1000 * i + j) * 4 // 32 for j in row}) for i, row in warps)
    (region,) = analyzed(tmp_path, text)["regions"]
    read = region["caches"][0]["levels"][0]["read_bytes"]
    assert read["lower"] < 32 * sectors < read["upper"]
    assert read["value"] == pytest.approx(32 * sectors, rel=1e-3)
    assert not read["lower"] < 1.02 * 32 * sectors < read["upper"]


@pytest.mark.parametrize(
    ("arguments", "loaded", "stored"),
    [
        ("a, b", 4, 4),
        ("a + 1, b", 5, 4),
        ("a + 8, &b[3]", 4, 5),
        ("(const float *)(c + 16), b - 1", 5, 5),
        ("(const float *)(c + 32), b + n", 4, 4),
    ],
)
def test_a_warp_asks_for_one_more_sector_where_its_array_starts_within_one(tmp_path, arguments, loaded, stored):
    text = """
__global__ void copy(const float *x, float *y) { int i = blockIdx.x * 256 + threadIdx.x; y[i] = x[i]; }
int main() {
  int n = 4096; float *a, *b; char *c; cudaMalloc(&a, 8 * n); cudaMalloc(&b, 8 * n); cudaMalloc(&c, 8 * n);
  copy<<<n / 256, 256>>>(ARGUMENTS);
}
"""
    (region,) = analyzed(tmp_path, text.replace("ARGUMENTS", arguments))["regions"]
    assert [each["sectors_per_request"] for each in region["requests"]] == [loaded, stored]


def test_launches_whose_arrays_start_elsewhere_in_a_sector_are_apart(tmp_path):
    text = """
__global__ void copy(const float *x, float *y) { int i = blockIdx.x * 256 + threadIdx.x; y[i] = x[i]; }
int main() {
  float *a, *b; cudaMalloc(&a, 800000); cudaMalloc(&b, 4096);
  for (int row = 0; row < 100; row++) copy<<<4, 256>>>(a + row * 1004, b);
}
"""
    found = analyzed(tmp_path, text)["regions"]
    loads = [region["requests"][0] for region in found]
    assert sorted((each["requests"], each["sectors"]) for each in loads) == [
        (50 * 32, 50 * 32 * 4),
        (50 * 32, 50 * 32 * 5),
    ]


@pytest.mark.parametrize(("end", "loaded"), [("4", set()), ("n", {"off", "w"})])
def test_elements_of_constant_arrays_are_parts_of_instructions_where_loops_are_unrolled(tmp_path, end, loaded):
    """nvcc has 4 loads of x for a loop of 4 iterations; of n iterations each loads from the arrays as well."""
    text = f"""
__device__ const int off[4] = {{0, 1, 2, 3}};
__device__ const float w[4] = {{1, 2, 3, 4}};
__global__ void f(const float *x, float *y, int n) {{
  float s = 0; for (int t = 0; t < {end}; t++) s += w[t] * x[threadIdx.x + off[t]]; y[threadIdx.x] = s;
}}
int main() {{ float *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); f<<<1, 256>>>(a, b, 3); }}
"""
    (region,) = analyzed(tmp_path, text)["regions"]
    assert {each["array"] for each in region["requests"]} == {"x", "y"} | loaded


@pytest.mark.parametrize(("read_from", "mean", "apart"), [("a + s", 4.875, 1), ("a + 8 * s", 4, 8)])
def test_sectors_of_launches_whose_arrays_start_at_many_offsets_have_bounds(tmp_path, read_from, mean, apart):
    """A warp of 32 floats has 4 sectors from an aligned start, and 5 from the other 7 starts within a sector."""
    text = """
__global__ void copy(const float *x, float *y) { int i = blockIdx.x * 256 + threadIdx.x; y[i] = x[i]; }
int main() {
  float *a, *b; cudaMalloc(&a, 1 << 20); cudaMalloc(&b, 1 << 20);
  for (int s = 0; s < 8; s++) for (int t = 0; t < 8; t++) copy<<<4, 256>>>(READ, b + t);
}
"""
    regions = analyzed(tmp_path, text.replace("READ", read_from))["regions"]
    assert len(regions) == apart
    levels = [region["caches"][0]["levels"][0] for region in regions]
    requests = 64 * 4 * 8
    assert sum(level["read_bytes"]["value"] for level in levels) == requests * 32 * mean
    assert sum(level["write_bytes"]["value"] for level in levels) == requests * 32 * 4.875
    if apart == 1:
        assert all(levels[0][kind]["lower"] <= requests * 32 * 4 for kind in ("read_bytes", "write_bytes"))
        assert all(levels[0][kind]["upper"] >= requests * 32 * 5 for kind in ("read_bytes", "write_bytes"))


@pytest.mark.parametrize(
    ("bound", "iterations"),
    [("8", 1), ("M", 1), ("blockDim.x / 32", 100), ("gridDim.x", 100), ("m", 100), ("min(m, 64)", 100)],
)
def test_elements_stay_in_registers_over_a_loop_only_where_the_compiler_knows_how_many(tmp_path, bound, iterations):
    """The ptx of nvcc 13.0 -O3 for sm_90 loads all 8 before the outer loop, or each in every iteration of it."""
    text = """
template <int M> __global__ void f(const float *__restrict__ x, float *__restrict__ y, int n, int m) {
  int t = blockIdx.x * 256 + threadIdx.x;
  for (int k = 0; k < n; k++) {
    float s = 0;
    for (int j = 0; j < BOUND; j++) s += x[j * 2048 + t] * k;
    y[k * 2048 + t] = s;
  }
}
int main() { float *x, *y; cudaMalloc(&x, 1 << 16); cudaMalloc(&y, 1 << 20); f<8><<<8, 256>>>(x, y, 100, 8); }
"""
    (region,) = analyzed(tmp_path, text.replace("BOUND", bound))["regions"]
    assert region["requests"][0]["requests"] == 8 * 8 * 8 * iterations


@pytest.mark.parametrize(("bound", "space"), [("8", None), ("blockDim.x / 32", "local"), ("m", "local")])
def test_an_array_of_a_thread_is_in_local_memory_where_a_launch_decides_on_its_subscripts(tmp_path, bound, space):
    text = """
__global__ void f(const float *__restrict__ x, float *y, int m) {
  float sums[8] = {0};
  for (int k = 0; k < 100; k++) for (int j = 0; j < BOUND; j++) sums[j] += x[k] * j;
  for (int j = 0; j < 8; j++) y[j * 256 + threadIdx.x] = sums[j];
}
int main() { float *x, *y; cudaMalloc(&x, 4096); cudaMalloc(&y, 1 << 20); f<<<1, 256>>>(x, y, 8); }
"""
    (region,) = analyzed(tmp_path, text.replace("BOUND", bound))["regions"]
    assert {each["space"] for each in region["requests"]} - {"global"} == ({space} if space else set())


@pytest.mark.parametrize("threads", [64, 96, 128])
def test_block_strided_rows_of_a_triangle_have_sectors(tmp_path, threads):
    """Each warp goes over 32 elements of the rest of a row: of row k those from k + 1 on."""
    text = """
__global__ void f(float *a, const float *b, int n) {
  for (int k = 0; k < n; k++)
    for (int j = k + 1 + threadIdx.x; j < n; j += blockDim.x) a[j] += b[k * n + j];
}
int main() {
  int n = 300; float *a, *b; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * n * 4); f<<<1, THREADS>>>(a, b, n);
}
"""
    file = analyzed(tmp_path, text.replace("THREADS", str(threads)))
    (region,) = file["regions"]
    warps = [(k, range(j, min(j + 32, 300))) for k in range(300) for j in range(k + 1, 300, 32)]
    sectors = sum(len({(300 * k + j) * 4 // 32 for j in row}) + len({j * 4 // 32 for j in row}) for k, row in warps)
    read = region["caches"][0]["levels"][0]["read_bytes"]
    assert read["lower"] <= 32 * sectors <= read["upper"]
    assert read["value"] == pytest.approx(32 * sectors, rel=2e-3)
    assert "AI210" not in codes(file)
