// c = a*b for n x n matrices, naive and with tiles in shared memory.
#include <cstdlib>
constexpr int TILE = 16;

__global__ void matmul(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

template <int T>
__global__ void matmul_tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float as[T][T], bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float sum = 0.0f;
  for (int t = 0; t < (n + T - 1) / T; t++) {
    as[ty][tx] = row < n && t * T + tx < n ? a[row * n + t * T + tx] : 0.0f;
    bs[ty][tx] = col < n && t * T + ty < n ? b[(t * T + ty) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; k++) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = sum;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1024, repeat = 10;
  float *a, *b, *c;
  size_t bytes = n * n * sizeof(float);
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&c, bytes);
  dim3 block(TILE, TILE);
  dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
  for (int i = 0; i < repeat; i++) {
    matmul<<<grid, block>>>(a, b, c, n);
    matmul_tiled<TILE><<<grid, block>>>(a, b, c, n);
  }
  return 0;
}
