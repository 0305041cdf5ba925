"""Where a kernel should keep what its threads read again: tiles in shared memory, or registers, or nowhere else."""

from roofline import estimate, source_text
from roofline.model.advice.kinds import ReuseData
from roofline.report.advice_sentences import advice_text

NAIVE = """
__global__ void naive(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
int main() { float *a, *b, *c; naive<<<dim3(64, 64), dim3(16, 16)>>>(a, b, c, 1024); }
"""
TILED = """
__global__ void tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float as[8][64], bs[8][64];
  int tx = threadIdx.x, ty = threadIdx.y;
  float acc[%(r)d][%(r)d] = {0}, ra[%(r)d], rb[%(r)d];
  for (int k0 = 0; k0 < n; k0 += 8) {
    as[ty %% 8][tx] = a[(blockIdx.y * 64 + tx) * n + k0 + ty %% 8];
    bs[ty %% 8][tx] = b[(k0 + ty %% 8) * n + blockIdx.x * 64 + tx];
    __syncthreads();
    for (int k = 0; k < 8; k++) {
      for (int i = 0; i < %(r)d; i++) { ra[i] = as[k][ty * %(r)d + i]; rb[i] = bs[k][tx * %(r)d + i]; }
      for (int i = 0; i < %(r)d; i++) for (int j = 0; j < %(r)d; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < %(r)d; i++) for (int j = 0; j < %(r)d; j++)
    c[(blockIdx.y * 64 + ty * %(r)d + i) * n + blockIdx.x * 64 + tx * %(r)d + j] = acc[i][j];
}
int main() { float *a, *b, *c; tiled<<<dim3(16, 16), dim3(64 / %(r)d, 64 / %(r)d)>>>(a, b, c, 1024); }
"""


def reuse(text):
    (region,) = estimate(source_text(text, "cuda"), machines="a100").regions
    return [each for each in region.advice if isinstance(each, ReuseData)]


def test_what_several_threads_read_belongs_into_shared_memory():
    """Threads of one row read the same a, those of one column the same b; tiles are read over the same path to L1."""
    (found,) = reuse(NAIVE)
    assert (found.level, found.inner, found.arrays) == ("L1 path", "shared", ("a", "b"))
    assert "let each thread compute several results" in advice_text(found)


def test_a_kernel_with_tiles_in_registers_is_left_alone():
    """8 x 8 products for 16 elements from shared memory: 8 FLOPs for each of them; with 1 x 1 it is 1."""
    assert [each.inner for each in reuse(TILED % {"r": 8})] == []
    assert "registers" in [each.inner for each in reuse(TILED % {"r": 1})]
