// Counts of 256 values: atomic additions to global memory, or to shared memory first.
#define BINS 256

__global__ void histogram(const unsigned char *__restrict__ in, unsigned *__restrict__ bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i]], 1u);
}

__global__ void histogram_shared(const unsigned char *__restrict__ in, unsigned *__restrict__ bins, int n) {
  __shared__ unsigned mine[BINS];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void run(const unsigned char *in, unsigned *bins) {
  const int n = 1 << 20;
  histogram<<<n / BINS, BINS>>>(in, bins, n);
  histogram_shared<<<64, BINS>>>(in, bins, n);
}
