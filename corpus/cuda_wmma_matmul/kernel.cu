// c = a*b with matrix units: a warp computes a tile of 16 x 16, four warps a block of 16 x 64.
#include <cstdlib>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
constexpr int TILE = 16;

__global__ void matmul_wmma(const half *a, const half *b, float *c, int n) {
  int row = blockIdx.y * TILE, col = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * TILE;
  wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += TILE) {
    wmma::load_matrix_sync(left, a + row * n + k, n);
    wmma::load_matrix_sync(right, b + k * n + col, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}

// The same with a scale in single precision, which vector units apply to the eight elements of each thread.
__global__ void matmul_scaled(const half *a, const half *b, float *c, int n, float scale) {
  int row = blockIdx.y * TILE, col = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * TILE;
  wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += TILE) {
    wmma::load_matrix_sync(left, a + row * n + k, n);
    wmma::load_matrix_sync(right, b + k * n + col, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= scale;
  wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1024;
  half *a, *b;
  float *c;
  cudaMalloc(&a, n * n * sizeof(half));
  cudaMalloc(&b, n * n * sizeof(half));
  cudaMalloc(&c, n * n * sizeof(float));
  dim3 block(128), grid(n / 64, n / TILE);
  matmul_wmma<<<grid, block>>>(a, b, c, n);
  matmul_scaled<<<grid, block>>>(a, b, c, n, 0.5f);
  cudaDeviceSynchronize();
  return 0;
}
