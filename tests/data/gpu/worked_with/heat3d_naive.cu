// 3D heat equation, 7-point stencil in double precision, one thread a cell.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <utility>
#include <cuda_runtime.h>

#define IDX(i, j, k) ((size_t)(k) * ny * nx + (size_t)(j) * nx + (i))

__global__ void heat3d_init(double *u, int nx, int ny, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < nx && j < ny && k < nz) u[IDX(i, j, k)] = 1.0 * i + 2.0 * j + ((i + j + k) % 3 == 0 ? 0.5 : 0.0);
}

__global__ void heat3d_step(const double *u, double *un, int nx, int ny, int nz, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= nx || j >= ny || k >= nz) return;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1) {
        double center = u[IDX(i, j, k)];
        un[IDX(i, j, k)] = center + c * (u[IDX(i - 1, j, k)] + u[IDX(i + 1, j, k)] +
                                         u[IDX(i, j - 1, k)] + u[IDX(i, j + 1, k)] +
                                         u[IDX(i, j, k - 1)] + u[IDX(i, j, k + 1)] - 6.0 * center);
    } else {
        un[IDX(i, j, k)] = u[IDX(i, j, k)];
    }
}

static void die_on(cudaError_t e, const char *where)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(e));
        exit(2);
    }
}

int main(int argc, char **argv)
{
    int nx = 410, ny = 384, nz = 300, steps = 4;
    if (argc > 3) {
        nx = atoi(argv[1]);
        ny = atoi(argv[2]);
        nz = atoi(argv[3]);
    }
    size_t cells = (size_t)nx * ny * nz;
    double *u, *un;
    die_on(cudaMalloc((void **)&u, cells * sizeof(double)), "malloc u");
    die_on(cudaMalloc((void **)&un, cells * sizeof(double)), "malloc un");

    dim3 b(32, 4, 2);
    dim3 g((nx + b.x - 1) / b.x, (ny + b.y - 1) / b.y, (nz + b.z - 1) / b.z);
    heat3d_init<<<g, b>>>(u, nx, ny, nz);
    die_on(cudaGetLastError(), "init");
    for (int s = 0; s < steps; s++) {
        heat3d_step<<<g, b>>>(u, un, nx, ny, nz, 0.1);
        die_on(cudaGetLastError(), "step");
        std::swap(u, un);
    }
    die_on(cudaDeviceSynchronize(), "sync");

    double *plane = (double *)malloc((size_t)nx * ny * sizeof(double));
    die_on(cudaMemcpy(plane, u + IDX(0, 0, nz / 2), (size_t)nx * ny * sizeof(double), cudaMemcpyDeviceToHost), "copy");
    double sum = 0.0;
    for (size_t p = 0; p < (size_t)nx * ny; p++) sum += plane[p];
    printf("mean of middle plane: %.10f\n", sum / ((double)nx * ny));
    free(plane);
    cudaFree(u);
    cudaFree(un);
    return 0;
}
