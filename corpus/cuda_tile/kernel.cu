// Transpose of a square matrix: without shared memory, with a tile in it, and with a tile whose rows are padded.
#define TILE 32

__global__ void naive(float *__restrict__ out, const float *__restrict__ in, int n) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

template <int PAD>
__device__ void move(float *out, const float *in, int n) {
  __shared__ float tile[TILE][TILE + PAD];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void tiled(float *__restrict__ out, const float *__restrict__ in, int n) { move<0>(out, in, n); }

__global__ void padded(float *__restrict__ out, const float *__restrict__ in, int n) { move<1>(out, in, n); }

void run(float *out, const float *in) {
  const int n = 2048;
  const dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
  naive<<<grid, block>>>(out, in, n);
  tiled<<<grid, block>>>(out, in, n);
  padded<<<grid, block>>>(out, in, n);
}
