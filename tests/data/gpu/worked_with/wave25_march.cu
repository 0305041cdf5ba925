// Acoustic wave propagation, 8th order in space (25-point star), 2nd order in time.
// Each block owns an x-y tile and marches along z with a register queue.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int R = 4;
constexpr int BX = 32;
constexpr int BY = 16;

__constant__ float w25[R + 1];

struct Grid {
    int nx, ny, nz;  // including R ghost layers on each side
    __host__ __device__ size_t at(int i, int j, int k) const
    {
        return ((size_t)k * ny + j) * nx + i;
    }
};

#define CU(x)                                                                    \
    do {                                                                         \
        cudaError_t e = (x);                                                     \
        if (e != cudaSuccess) {                                                  \
            std::fprintf(stderr, "%s -> %s\n", #x, cudaGetErrorString(e));       \
            std::exit(1);                                                        \
        }                                                                        \
    } while (0)

__global__ void wave25_init(float *now, float *prev, float *vel, Grid g)
{
    size_t n = (size_t)g.nx * g.ny * g.nz;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x; p < n; p += stride) {
        now[p] = 0.0f;
        prev[p] = 0.0f;
        vel[p] = 0.08f + 0.02f * (float)(p % 5);
        if (p == g.at(g.nx / 2, g.ny / 2, g.nz / 2)) now[p] = 1.0f;
    }
}

__global__ void __launch_bounds__(BX *BY)
wave25_step(const float *__restrict__ now, float *__restrict__ next, const float *__restrict__ vel, Grid g)
{
    __shared__ float tile[BY + 2 * R][BX + 2 * R];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.x * BX + tx + R;
    const int j = blockIdx.y * BY + ty + R;
    const bool inside = i < g.nx - R && j < g.ny - R;
    const int ic = min(i, g.nx - 1), jc = min(j, g.ny - 1);

    float q[2 * R + 1];
#pragma unroll
    for (int m = 0; m < 2 * R; m++) q[m + 1] = now[g.at(ic, jc, m)];

    for (int k = R; k < g.nz - R; k++) {
#pragma unroll
        for (int m = 0; m < 2 * R; m++) q[m] = q[m + 1];
        q[2 * R] = now[g.at(ic, jc, k + R)];

        __syncthreads();
        tile[ty + R][tx + R] = q[R];
        if (tx < R) {
            tile[ty + R][tx] = now[g.at(min(i - R, g.nx - 1), jc, k)];
            tile[ty + R][tx + BX + R] = now[g.at(min(i + BX, g.nx - 1), jc, k)];
        }
        if (ty < R) {
            tile[ty][tx + R] = now[g.at(ic, min(j - R, g.ny - 1), k)];
            tile[ty + BY + R][tx + R] = now[g.at(ic, min(j + BY, g.ny - 1), k)];
        }
        __syncthreads();

        if (inside) {
            float lap = 3.0f * w25[0] * q[R];
#pragma unroll
            for (int m = 1; m <= R; m++) {
                lap += w25[m] * (q[R - m] + q[R + m] +
                                 tile[ty + R][tx + R - m] + tile[ty + R][tx + R + m] +
                                 tile[ty + R - m][tx + R] + tile[ty + R + m][tx + R]);
            }
            const size_t p = g.at(i, j, k);
            next[p] = 2.0f * q[R] - next[p] + vel[p] * lap;
        }
    }
}

int main(int argc, char **argv)
{
    Grid g{520, 488, 360};
    if (argc > 3) g = Grid{std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3])};
    const float w[R + 1] = {-205.0f / 72.0f, 8.0f / 5.0f, -1.0f / 5.0f, 8.0f / 315.0f, -1.0f / 560.0f};
    CU(cudaMemcpyToSymbol(w25, w, sizeof(w)));

    const size_t bytes = (size_t)g.nx * g.ny * g.nz * sizeof(float);
    float *a, *b, *vel;
    CU(cudaMalloc(&a, bytes));
    CU(cudaMalloc(&b, bytes));
    CU(cudaMalloc(&vel, bytes));
    wave25_init<<<1056, 256>>>(a, b, vel, g);
    CU(cudaGetLastError());

    dim3 block(BX, BY);
    dim3 grid((g.nx - 2 * R + BX - 1) / BX, (g.ny - 2 * R + BY - 1) / BY);
    for (int t = 0; t < 4; t++) {
        wave25_step<<<grid, block>>>(a, b, vel, g);
        CU(cudaGetLastError());
        float *tmp = a;
        a = b;
        b = tmp;
    }
    CU(cudaDeviceSynchronize());
    float c[3];
    CU(cudaMemcpy(c, a + g.at(g.nx / 2 - 1, g.ny / 2, g.nz / 2), sizeof(c), cudaMemcpyDeviceToHost));
    std::printf("around the source: %g %g %g\n", c[0], c[1], c[2]);
    CU(cudaFree(a));
    CU(cudaFree(b));
    CU(cudaFree(vel));
    return 0;
}
