// 7-point stencil in three dimensions; the threads at the border of the grid do nothing.
struct Box {
  int nx, ny, nz;
};

__device__ __forceinline__ double laplace(const double *u, int c, int row, int plane) {
  return u[c - 1] + u[c + 1] + u[c - row] + u[c + row] + u[c - plane] + u[c + plane];
}

__global__ void stencil(const double *__restrict__ u, double *__restrict__ v, int nx, int ny, int nz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1) {
    int c = (k * ny + j) * nx + i;
    v[c] = 0.4 * u[c] + 0.1 * laplace(u, c, nx, nx * ny);
  }
}

void step(const double *u, double *v) {
  Box box = {200, 100, 50};
  dim3 block(32, 4, 2);
  dim3 grid((box.nx + block.x - 1) / block.x, (box.ny + block.y - 1) / block.y, (box.nz + block.z - 1) / block.z);
  stencil<<<grid, block>>>(u, v, box.nx, box.ny, box.nz);
  block = dim3(16, 16);
  grid = dim3(13, 7, box.nz);
  stencil<<<grid, block>>>(u, v, box.nx, box.ny, box.nz);
}
