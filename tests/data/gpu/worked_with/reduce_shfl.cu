// Sum and maximum of a large array in two stages, block reduction with warp shuffles.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int RB = 256;
constexpr int ITEMS = 4;

struct SumMax {
    double sum;
    float max;
};

__device__ __forceinline__ SumMax merge(SumMax a, SumMax b)
{
    a.sum += b.sum;
    a.max = fmaxf(a.max, b.max);
    return a;
}

__device__ SumMax warp_reduce(SumMax v)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        SumMax o;
        o.sum = __shfl_down_sync(0xffffffff, v.sum, d);
        o.max = __shfl_down_sync(0xffffffff, v.max, d);
        v = merge(v, o);
    }
    return v;
}

template <int THREADS>
__device__ SumMax block_reduce(SumMax v)
{
    __shared__ double s_sum[THREADS / 32];
    __shared__ float s_max[THREADS / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_reduce(v);
    if (lane == 0) {
        s_sum[warp] = v.sum;
        s_max[warp] = v.max;
    }
    __syncthreads();
    if (warp == 0) {
        v.sum = lane < THREADS / 32 ? s_sum[lane] : 0.0;
        v.max = lane < THREADS / 32 ? s_max[lane] : -1e30f;
        v = warp_reduce(v);
    }
    return v;
}

__global__ void red_fill(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = (float)((i * 48271u) >> 12 & 1023u) * 0.5f;
}

__global__ void red_stage1(const float *x, int n, SumMax *part)
{
    SumMax v = {0.0, -1e30f};
    int base = blockIdx.x * RB * ITEMS + threadIdx.x;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        int i = base + k * RB;
        if (i < n) {
            float t = x[i];
            v = merge(v, SumMax{(double)t, t});
        }
    }
    v = block_reduce<RB>(v);
    if (threadIdx.x == 0) part[blockIdx.x] = v;
}

__global__ void red_stage2(const SumMax *part, int n, SumMax *out)
{
    SumMax v = {0.0, -1e30f};
    for (int i = threadIdx.x; i < n; i += 1024) v = merge(v, part[i]);
    v = block_reduce<1024>(v);
    if (threadIdx.x == 0) *out = v;
}

#define TRY(x) if ((x) != cudaSuccess) { fprintf(stderr, "failed: %s\n", #x); return 1; }

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 180000123;
    int blocks = (n + RB * ITEMS - 1) / (RB * ITEMS);
    float *x;
    SumMax *part, *out, res;
    TRY(cudaMalloc(&x, sizeof(float) * n));
    TRY(cudaMalloc(&part, sizeof(SumMax) * blocks));
    TRY(cudaMalloc(&out, sizeof(SumMax)));

    red_fill<<<(n + 255) / 256, 256>>>(x, n);
    red_stage1<<<blocks, RB>>>(x, n, part);
    red_stage2<<<1, 1024>>>(part, blocks, out);
    TRY(cudaGetLastError());
    TRY(cudaDeviceSynchronize());
    TRY(cudaMemcpy(&res, out, sizeof(res), cudaMemcpyDeviceToHost));

    double ref = 0.0;
    for (int i = 0; i < n; i++) ref += (float)((i * 48271u) >> 12 & 1023u) * 0.5f;
    printf("sum %.1f (host %.1f), max %.2f\n", res.sum, ref, res.max);
    cudaFree(x);
    cudaFree(part);
    cudaFree(out);
    return 0;
}
