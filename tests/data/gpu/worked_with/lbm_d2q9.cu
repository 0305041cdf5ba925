// Lattice Boltzmann D2Q9, BGK collision, pull scheme, structure of arrays, periodic box (Taylor-Green vortex).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int Q = 9;
__constant__ int lbm_cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int lbm_cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float lbm_w[Q] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

struct Lattice {
    int nx, ny;
    __host__ __device__ int cells() const { return nx * ny; }
};

static void verify(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        std::exit(1);
    }
}

__device__ inline float equilibrium(int q, float rho, float ux, float uy)
{
    float cu = 3.0f * (lbm_cx[q] * ux + lbm_cy[q] * uy);
    return lbm_w[q] * rho * (1.0f + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
}

__global__ void lbm_start(float *f, Lattice l, float u0)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= l.nx || y >= l.ny) return;
    float kx = 6.2831853f * x / l.nx, ky = 6.2831853f * y / l.ny;
    float ux = -u0 * cosf(kx) * sinf(ky);
    float uy = u0 * sinf(kx) * cosf(ky);
    for (int q = 0; q < Q; q++) f[(size_t)q * l.cells() + y * l.nx + x] = equilibrium(q, 1.0f, ux, uy);
}

__global__ void lbm_pull_collide(const float *__restrict__ f, float *__restrict__ g, Lattice l, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= l.nx) return;
    const int n = l.cells();
    const int xm = x == 0 ? l.nx - 1 : x - 1;
    const int xp = x == l.nx - 1 ? 0 : x + 1;
    const int ym = (y == 0 ? l.ny - 1 : y - 1) * l.nx;
    const int yp = (y == l.ny - 1 ? 0 : y + 1) * l.nx;
    const int yc = y * l.nx;

    float d[Q];
    d[0] = f[yc + x];
    d[1] = f[1 * n + yc + xm];
    d[2] = f[2 * n + ym + x];
    d[3] = f[3 * n + yc + xp];
    d[4] = f[4 * n + yp + x];
    d[5] = f[5 * n + ym + xm];
    d[6] = f[6 * n + ym + xp];
    d[7] = f[7 * n + yp + xp];
    d[8] = f[8 * n + yp + xm];

    float rho = 0.0f;
#pragma unroll
    for (int q = 0; q < Q; q++) rho += d[q];
    const float ux = (d[1] + d[5] + d[8] - d[3] - d[6] - d[7]) / rho;
    const float uy = (d[2] + d[5] + d[6] - d[4] - d[7] - d[8]) / rho;
#pragma unroll
    for (int q = 0; q < Q; q++) g[q * n + yc + x] = d[q] + omega * (equilibrium(q, rho, ux, uy) - d[q]);
}

int main(int argc, char **argv)
{
    Lattice l = {3000, 2500};
    if (argc > 2) l = {std::atoi(argv[1]), std::atoi(argv[2])};
    const size_t bytes = (size_t)l.cells() * Q * sizeof(float);
    float *f, *g;
    verify(cudaMalloc(&f, bytes), "f");
    verify(cudaMalloc(&g, bytes), "g");

    lbm_start<<<dim3((l.nx + 31) / 32, (l.ny + 7) / 8), dim3(32, 8)>>>(f, l, 0.05f);
    verify(cudaGetLastError(), "start");
    dim3 grid((l.nx + 127) / 128, l.ny);
    for (int t = 0; t < 3; t++) {
        lbm_pull_collide<<<grid, 128>>>(f, g, l, 1.6f);
        lbm_pull_collide<<<grid, 128>>>(g, f, l, 1.6f);
    }
    verify(cudaGetLastError(), "step");
    verify(cudaDeviceSynchronize(), "sync");

    // mass of the first row of cells
    double mass = 0.0;
    std::vector<float> row(l.nx);
    for (int q = 0; q < Q; q++) {
        verify(cudaMemcpy(row.data(), f + (size_t)q * l.cells(), l.nx * sizeof(float), cudaMemcpyDeviceToHost), "copy");
        for (float v : row) mass += v;
    }
    std::printf("mean density in row 0: %.7f\n", mass / l.nx);
    cudaFree(f);
    cudaFree(g);
    return 0;
}
