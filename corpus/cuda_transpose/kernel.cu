// out = transpose(in): a copy, no arithmetic.
#define TILE 32

__global__ void transpose(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

__global__ void transpose_tiled(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < w && y < h) tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  if (x < h && y < w) out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}

void run(float *out, const float *in) {
  const int w = 1000, h = 500;
  const dim3 block(TILE, TILE), grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE);
  transpose<<<grid, block>>>(out, in, w, h);
  transpose_tiled<<<grid, block>>>(out, in, w, h);
}
