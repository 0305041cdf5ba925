// 256-bin histogram of bytes, shared-memory atomics. Variant 2 keeps one copy per warp.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace {

constexpr int BINS = 256;
constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;

void require(cudaError_t e)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
        std::exit(1);
    }
}

__device__ uint32_t mix32(uint32_t x)
{
    x = (x ^ 61u) ^ (x >> 16);
    x *= 9u;
    x ^= x >> 4;
    x *= 0x27d4eb2du;
    x ^= x >> 15;
    return x;
}

}  // namespace

__global__ void histo_fill(uint32_t *data, int words)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words) data[i] = mix32(i) & mix32(i + 0x9e3779b9u);  // not uniform
}

__global__ void histo_block(const uchar4 *data, int n4, unsigned *bins)
{
    __shared__ unsigned local[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        uchar4 v = data[i];
        atomicAdd(&local[v.x], 1u);
        atomicAdd(&local[v.y], 1u);
        atomicAdd(&local[v.z], 1u);
        atomicAdd(&local[v.w], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

__global__ void histo_warp(const uint32_t *data, int words, unsigned *bins)
{
    __shared__ unsigned local[WARPS][BINS];
    for (int b = threadIdx.x; b < WARPS * BINS; b += THREADS) (&local[0][0])[b] = 0;
    __syncthreads();
    unsigned *mine = local[threadIdx.x / 32];
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < words; i += gridDim.x * THREADS) {
        uint32_t v = data[i];
#pragma unroll
        for (int s = 0; s < 32; s += 8) atomicAdd(&mine[(v >> s) & 255u], 1u);
    }
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < WARPS; ++w) sum += local[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}

int main(int argc, char **argv)
{
    const int words = argc > 1 ? std::atoi(argv[1]) : 75000000;
    uint32_t *data;
    unsigned *bins;
    require(cudaMalloc(&data, words * sizeof(uint32_t)));
    require(cudaMalloc(&bins, 2 * BINS * sizeof(unsigned)));
    require(cudaMemset(bins, 0, 2 * BINS * sizeof(unsigned)));

    histo_fill<<<(words + 255) / 256, 256>>>(data, words);
    require(cudaGetLastError());
    const int blocks = 132 * 6;
    histo_block<<<blocks, THREADS>>>(reinterpret_cast<uchar4 *>(data), words, bins);
    histo_warp<<<blocks, THREADS>>>(data, words, bins + BINS);
    require(cudaGetLastError());
    require(cudaDeviceSynchronize());

    unsigned h[2 * BINS];
    require(cudaMemcpy(h, bins, sizeof(h), cudaMemcpyDeviceToHost));
    unsigned long long total = 0;
    int differ = 0;
    for (int b = 0; b < BINS; ++b) {
        total += h[b];
        differ += h[b] != h[BINS + b];
    }
    std::printf("total %llu of %llu, bin 0: %u, differing bins: %d\n", total, 4ull * words, h[0], differ);
    cudaFree(data);
    cudaFree(bins);
    return 0;
}
