// y = a*x + y, one element a thread and as a grid-stride loop.
#include <cstdlib>
#include <cuda_runtime.h>

template <typename T>
__global__ void axpy(int n, T a, const T *__restrict__ x, T *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = a * x[i] + y[i];
}

extern "C" __global__ void axpy_stride(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = a * x[i] + y[i];
}

static int ceil_div(int a, int b) { return (a + b - 1) / b; }

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  const int n = atoi(argv[1]);
  float *x, *y;
  double *u, *v;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&u, n * sizeof(double));
  cudaMalloc(&v, n * sizeof(double));
  dim3 block(256), grid(ceil_div(n, block.x));
  axpy<float><<<grid, block>>>(n, 2.0f, x, y);
  axpy<<<grid, block>>>(n, 2.0, u, v);
  axpy_stride<<<32, 128>>>(n, 2.0f, x, y);
  return cudaDeviceSynchronize();
}
