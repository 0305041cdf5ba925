// Phased-array beamformer: complex 8-bit antenna samples times constant weights, then integrated beam power.
#include <cmath>
#include <cstdio>
#include <cstdlib>

constexpr int NANT = 64;
constexpr int NBEAM = 12;
constexpr int WIN = 256;

__constant__ float2 weights[NANT][NBEAM];

__global__ void bf_noise(char2 *x, size_t n)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        unsigned h = unsigned(i) * 0x9E3779B1u;
        h ^= h >> 16;
        h *= 0x21f0aaadu;
        h ^= h >> 15;
        x[i] = make_char2((signed char)(h & 0xff), (signed char)((h >> 8) & 0xff));
    }
}

__global__ void __launch_bounds__(128)
bf_beams(const char2 *__restrict__ x, float2 *__restrict__ out, int nt)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= nt) return;
    float re[NBEAM] = {}, im[NBEAM] = {};
#pragma unroll 4
    for (int a = 0; a < NANT; ++a) {
        char2 s = __ldg(&x[(size_t)a * nt + t]);
        float sr = s.x, si = s.y;
#pragma unroll
        for (int b = 0; b < NBEAM; ++b) {
            float2 w = weights[a][b];
            re[b] += w.x * sr - w.y * si;
            im[b] += w.x * si + w.y * sr;
        }
    }
#pragma unroll
    for (int b = 0; b < NBEAM; ++b) out[(size_t)b * nt + t] = make_float2(re[b], im[b]);
}

// One warp integrates |beam|^2 over one window.
__global__ void bf_power(const float2 *__restrict__ beams, float *__restrict__ power, int nt, int nwin)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (warp >= nwin) return;
    int b = blockIdx.y;
    float acc = 0.f;
    int end = min((warp + 1) * WIN, nt);
    for (int t = warp * WIN + lane; t < end; t += 32) {
        float2 v = beams[(size_t)b * nt + t];
        acc = fmaf(v.x, v.x, fmaf(v.y, v.y, acc));
    }
    for (int d = 16; d >= 1; d /= 2) acc += __shfl_xor_sync(0xffffffff, acc, d);
    if (lane == 0) power[(size_t)b * nwin + warp] = acc / WIN;
}

int main(int argc, char *argv[])
{
    int nt = argc > 1 ? atoi(argv[1]) : 1700100;
    int nwin = (nt + WIN - 1) / WIN;
    static float2 hw[NANT][NBEAM];
    for (int a = 0; a < NANT; ++a)
        for (int b = 0; b < NBEAM; ++b) {
            float ph = 3.14159265f * a * sinf(-0.6f + 0.1f * b);
            hw[a][b] = make_float2(cosf(ph) / NANT, -sinf(ph) / NANT);
        }
    cudaMemcpyToSymbol(weights, hw, sizeof(hw));
    char2 *x;
    float2 *beams;
    float *power;
    cudaMalloc(&x, (size_t)NANT * nt * sizeof(char2));
    cudaMalloc(&beams, (size_t)NBEAM * nt * sizeof(float2));
    cudaMalloc(&power, (size_t)NBEAM * nwin * sizeof(float));
    bf_noise<<<4096, 256>>>(x, (size_t)NANT * nt);
    bf_beams<<<(nt + 127) / 128, 128>>>(x, beams, nt);
    bf_power<<<dim3((nwin + 7) / 8, NBEAM), 256>>>(beams, power, nt, nwin);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(e));
        return 1;
    }
    float h[4];
    cudaMemcpy(h, power + nwin * 3, sizeof h, cudaMemcpyDeviceToHost);
    printf("power beam 3: %f %f %f %f\n", h[0], h[1], h[2], h[3]);
    cudaFree(x);
    cudaFree(beams);
    cudaFree(power);
    return 0;
}
