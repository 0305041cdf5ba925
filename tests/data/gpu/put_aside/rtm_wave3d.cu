// Acoustic wave propagation, 8th order in space, 2nd order in time, marching in z with a register queue.
#include <cmath>
#include <cstdio>
#include <utility>

constexpr int R = 4;
constexpr int NX = 544, NY = 400, NZ = 320;

__constant__ float coef[R + 1];

__global__ void wave_init(float *p, float *pm, float *vel2)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    int z = blockIdx.z;
    if (x >= NX) return;
    size_t i = ((size_t)z * NY + y) * NX + x;
    float dx = x - NX / 2, dy = y - NY / 2, dz = z - NZ / 2;
    float g = expf(-(dx * dx + dy * dy + dz * dz) * 0.002f);
    p[i] = g;
    pm[i] = g;
    float c = z < 100 ? 0.18f : (z < 210 ? 0.24f : 0.31f);
    vel2[i] = c * c;
}

__global__ void __launch_bounds__(256)
wave_step_o8(const float *__restrict__ p, float *__restrict__ pnew, const float *__restrict__ vel2)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + R;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + R;
    if (x >= NX - R || y >= NY - R) return;
    const size_t slab = (size_t)NX * NY;
    const int zChunk = (NZ - 2 * R) / gridDim.z;
    const int z0 = R + blockIdx.z * zChunk;
    const int z1 = blockIdx.z == gridDim.z - 1 ? NZ - R : z0 + zChunk;

    size_t idx = z0 * slab + (size_t)y * NX + x;
    float q[2 * R + 1];
#pragma unroll
    for (int k = 0; k < 2 * R; ++k) q[k] = p[idx + k * slab - R * slab];

    for (int z = z0; z < z1; ++z, idx += slab) {
        q[2 * R] = p[idx + R * slab];
        float lap = 3.f * coef[0] * q[R];
#pragma unroll
        for (int r = 1; r <= R; ++r) {
            lap += coef[r] * (q[R - r] + q[R + r]
                              + p[idx - r] + p[idx + r]
                              + p[idx - (size_t)r * NX] + p[idx + (size_t)r * NX]);
        }
        pnew[idx] = 2.f * q[R] - pnew[idx] + vel2[idx] * lap;
#pragma unroll
        for (int k = 0; k < 2 * R; ++k) q[k] = q[k + 1];
    }
}

int main()
{
    const float c[R + 1] = {-205.f / 72.f, 8.f / 5.f, -1.f / 5.f, 8.f / 315.f, -1.f / 560.f};
    const size_t n = (size_t)NX * NY * NZ;
    float *p, *q, *v;
    if (cudaMalloc(&p, n * sizeof(float)) || cudaMalloc(&q, n * sizeof(float)) || cudaMalloc(&v, n * sizeof(float))) {
        printf("out of memory\n");
        return 1;
    }
    cudaMemcpyToSymbol(coef, c, sizeof(c));
    wave_init<<<dim3((NX + 127) / 128, NY, NZ), 128>>>(p, q, v);

    dim3 block(32, 8);
    dim3 grid((NX - 2 * R + 31) / 32, (NY - 2 * R + 7) / 8, 4);
    for (int t = 0; t < 4; ++t) {
        wave_step_o8<<<grid, block>>>(p, q, v);
        std::swap(p, q);
    }
    cudaError_t err = cudaGetLastError();
    if (err == cudaSuccess) err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        printf("CUDA error: %s\n", cudaGetErrorString(err));
        return 1;
    }
    float row[NX];
    cudaMemcpy(row, p + ((size_t)(NZ / 2) * NY + NY / 2) * NX, sizeof(row), cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < NX; ++i) s += fabs(row[i]);
    printf("centre line |p| sum = %g\n", s);
    cudaFree(p); cudaFree(q); cudaFree(v);
    return 0;
}
