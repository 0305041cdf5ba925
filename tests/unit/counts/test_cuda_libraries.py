"""Device functions of CUDA's libraries, ``nvidia-sass``: FLOPs per thread by hand (ffma = 2, fadd = fmul = 1)."""

import pytest

from analyzer.counts.policy import load_policy
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.host.interpreter import find_launches
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region
from analyzer.source import Language, SourceFile

SASS = load_policy("nvidia-sass")
COMPLEX = "#include <cuComplex.h>\n__global__ void k(cuFloatComplex *x, cuDoubleComplex *y) { int i = threadIdx.x; "
RANDOM = "#include <curand_kernel.h>\n__global__ void k(curandState *s, float *x, double *y) { int i = threadIdx.x; "
RECIPROCAL = 5


def parsed(text):
    found = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions())
    assert [item for item in found.diagnostics if item.code in ("AI001", "AI002", "AI003")] == []
    return found.unit


def per_thread(text, arguments="0, 0"):
    """FLOPs of one of 32 threads, fp32 and fp64, and whether they are exact."""
    unit = parsed(text + " }\nint main() { k<<<1, 32>>>(" + arguments + "); }")
    launches, _ = launches_of(unit)
    (region,) = lower_unit(unit, LowerOptions(launches=launches)).regions
    work = profile_region(region, ProfileOptions(policy=SASS)).work
    totals = {kind.value: total.estimate.evaluate({}) / 32 for kind, total in work.flops_by_precision.items()}
    return totals.get("fp32", 0), totals.get("fp64", 0), work.flops.is_exact


@pytest.mark.parametrize(
    ("body", "single", "double"),
    [
        ("x[i] = cuCaddf(x[i], make_cuFloatComplex(1.f, 2.f));", 2, 0),
        ("x[i] = cuCmulf(x[i], x[i + 32]);", 6, 0),
        ("y[i] = cuCmul(y[i], y[i + 32]);", 0, 6),
        ("y[i] = cuCfma(y[i], y[i + 32], y[i + 64]);", 0, 8),
        ("x[i] = cuCsubf(cuConjf(x[i]), x[i + 32]);", 2, 0),
        ("x[i].x = cuCrealf(x[i]) * cuCimagf(x[i]);", 1, 0),
        ("x[i] = cuCdivf(x[i], x[i + 32]);", 16 + 2 * RECIPROCAL, 0),
    ],
)
def test_complex_numbers(body, single, double):
    assert per_thread(COMPLEX + body) == (single, double, True)


HIP = "\n".join(
    f"#include <{name}>"
    for name in (
        *("hip/hip_runtime.h", "hip/hip_fp16.h", "hip/hip_bf16.h", "hip/hip_bfloat16.h", "hip/hip_vector_types.h"),
        *("hip/hip_cooperative_groups.h", "hip/hip_complex.h", "hipcub/hipcub.hpp"),
    )
)


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("y[i] = hipCmul(y[i], y[i + 32]);", (0, 6)),
        ("y[i] = hipCfma(y[i], y[i + 32], y[i + 64]);", (0, 8)),
        ("x[i] = hipCsqabs(y[i]);", (0, 3)),
        ("auto t = cooperative_groups::tiled_partition<2>(cooperative_groups::this_thread_block()); "
         "float v = (float)__hip_bfloat16(1.f) + (float)hip_bfloat16(3.f); "
         "x[i] += t.shfl_xor(x[i], 1) + v + __half2float(__half(2.f));", (3, 0)),
        ("typedef hipcub::WarpReduce<float> R; __shared__ R::TempStorage s; x[i] = R(s).Sum(x[i]);", (129 / 32, 0)),
    ],
)  # fmt: skip
def test_headers_of_hip(body, flops):
    """A sum of a warp is 31 + 30 + 28 + 24 + 16 additions: lanes whose partner is behind the last one keep theirs."""
    text = f"{HIP}\n__global__ void k(float *x, hipDoubleComplex *y) {{ int i = threadIdx.x; {body}"
    assert per_thread(text)[:2] == flops


def test_uniform_random_numbers_are_scaled():
    """An integer becomes a number by one FMA: x*2^-32 + 2^-33; in double of 53 bits."""
    assert per_thread(RANDOM + "x[i] = curand_uniform(&s[i]);", "0, 0, 0")[:2] == (2, 0)
    assert per_thread(RANDOM + "y[i] = curand_uniform_double(&s[i]);", "0, 0, 0")[:2] == (0, 2)


def test_every_second_normal_number_was_made_before():
    single, double, is_exact = per_thread(RANDOM + "x[i] = curand_normal(&s[i]);", "0, 0, 0")
    assert single > 6
    assert (double, is_exact) == (0, False)


LOAD = """#include <cub/cub.cuh>
template <int T, int I> __global__ void k(const float *x, float *y) {
  typedef cub::BlockLoad<float, T, I, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load; __shared__ typename Load::TempStorage l;
  typedef cub::BlockStore<float, T, I> Store; __shared__ typename Store::TempStorage s;
  float v[I]; Load(l).Load(x + blockIdx.x * T * I, v);
  for (int i = 0; i < I; i++) v[i] = v[i] * v[i] + 1.f;
  Store(s).Store(y + blockIdx.x * T * I, v);
}
int main() { k<32, 4><<<8, 32>>>(0, 0); }"""


def test_blocks_load_and_store_their_elements():
    unit = parsed(LOAD)
    (region,) = lower_unit(unit, LowerOptions(launches=launches_of(unit)[0])).regions
    profile = profile_region(region, ProfileOptions(policy=SASS))
    assert profile.work.flops.estimate.evaluate({}) == 8 * 32 * 4 * 2
    bytes_each = 8 * 32 * 4 * 4  # x and y once; v is stored twice, and read by the square twice and by the store
    moved = [part.bytes.estimate.evaluate({}) for part in (profile.loads, profile.stores)]
    assert moved == [4 * bytes_each, 3 * bytes_each]


PUN = """
struct pair8 { signed char x, y; };
struct four { short x, y, z, w; };
__global__ void k(const four *a, float *r, float z) {
  float sum = 0;
  for (int i = 0; i < 10; i++) {
    four v = a[i * 32 + threadIdx.x];
    const pair8 *p = (pair8 *)&v.x;
    const pair8 *q = (pair8 *)&v.y;
    sum += (float)p->x - z; sum += (float)p->y - z; sum += (float)q->x - z;
  }
  r[threadIdx.x] = sum;
"""


def test_bits_of_a_number_seen_as_another_type_vary_with_it():
    """Three differences and three sums in each of 10 iterations: none of them leaves the loop."""
    assert per_thread(PUN, "0, 0, 1.f") == (60, 0, True)


HISTOGRAM = """
__global__ void k(int *bins, const float *x) {
  float y = x[threadIdx.x] * 3.0f;
  int bin = y;
  int old = bin;
  bin = min(max(old, 0), 63);
  bins[bin] = 1;
"""


def test_what_a_subscript_needs_is_computed():
    assert per_thread(HISTOGRAM) == (1, 0, True)


THRUST = """
#include <thrust/device_vector.h>
#include <thrust/complex.h>
#include <thrust/extrema.h>
#include <thrust/unique.h>
#include <thrust/logical.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/cub.cuh>
struct half_of { __host__ __device__ float operator()(float x) const { return 0.5f * x; } };
struct is_even { __host__ __device__ bool operator()(int x) const { return x % 2 == 0; } };
__global__ void k(int n, float *x) { x[threadIdx.x] *= n; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  thrust::device_vector<float> d(n);
  thrust::device_vector<int> keys(n), values(n);
  auto ends = thrust::minmax_element(thrust::device, d.begin(), d.end());
  auto end = thrust::unique_by_key(keys.begin(), keys.end(), values.begin());
  bool even = thrust::all_of(keys.begin(), keys.end(), is_even());
  thrust::counting_iterator<int> first(0);
  auto halves = thrust::make_transform_iterator(d.begin(), half_of());
  float sum = thrust::reduce(halves, halves + n);
  thrust::complex<double> z(1.0, 2.0);
  double size = thrust::abs(z * thrust::exp(z));
  int *in, *out; void *temporary = nullptr; size_t bytes = 0;
  cub::DoubleBuffer<int> buffers(in, out);
  cub::DeviceRadixSort::SortKeys(temporary, bytes, buffers, n);
  cub::DeviceHistogram::HistogramEven(temporary, bytes, in, out, 10, 0, 1, n);
  cub::DeviceRunLengthEncode::Encode(temporary, bytes, in, out, out, out, n);
  k<<<(d.size() + 255) / 256, 256>>>(d.size(), thrust::raw_pointer_cast(&d[0]));
}
"""

SAMPLE = """
#include <helper_cuda.h>
#include <helper_functions.h>
#include <cufft.h>
#include <cusparse.h>
#include <cuda/atomic>
__global__ void k(int n) {}
int main(int argc, char **argv) {
  int device = findCudaDevice(argc, (const char **)argv), n = 100;
  if (checkCmdLineFlag(argc, (const char **)argv, "size")) n = getCmdLineArgumentInt(argc, (const char **)argv, "size");
  StopWatchInterface *timer = NULL; sdkCreateTimer(&timer); sdkStartTimer(&timer);
  checkCudaErrors(cudaSetDevice(device));
  k<<<n / 10, 32>>>(n);
  getLastCudaError("k");
}
"""


@pytest.mark.parametrize(
    ("text", "words", "grid"),
    [(THRUST, ["1000"], 4), (SAMPLE, [], 10), (SAMPLE, ["--size=700"], 70), (SAMPLE, ["-size=80", "-x"], 8)],
    ids=["thrust and cub", "default", "given", "one dash"],
)
def test_programs_with_these_libraries_parse_and_launch(text, words, grid):
    assert [item.launch.grid for item in find_launches([parsed(text)], words)] == [(grid, 1, 1)]


def test_sparse_vectors_and_solves_parse():
    """Programs with cuSPARSE's generic calls were left out for a missing type."""
    parsed("""#include <cusparse.h>
    void f(cusparseHandle_t h, void *i, void *x, float a) {
      cusparseSpVecDescr_t v; cusparseDnVecDescr_t y; cusparseSpSMDescr_t s; cusparseSpMatDescr_t m;
      if (cusparseCreateSpVec(&v, 9, 3, i, x, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F)) return;
      cusparseAxpby(h, &a, v, &a, y);
      cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
      cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower);
      cusparseSpSM_createDescr(&s);
    }""")
