// Bitonic sort of consecutive segments of 16384 keys. Short distances are handled in shared memory.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef uint32_t key_t32;

static const int CHUNK = 2048;         // keys of a block in shared memory
static const int SEGMENT = 8 * CHUNK;  // keys sorted together

static void cuda_or_die(cudaError_t e, const char *s)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", s, cudaGetErrorString(e));
        exit(1);
    }
}

__global__ void bitonic_keys(key_t32 *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    key_t32 v = i * 2654435761u;
    v ^= v >> 16;
    v *= 0x45d9f3bu;
    v ^= v >> 16;
    k[i] = v;
}

__device__ void order(key_t32 &a, key_t32 &b, bool up)
{
    if ((a > b) == up) {
        key_t32 t = a;
        a = b;
        b = t;
    }
}

// full sort of each chunk; the direction alternates from chunk to chunk
__global__ void bitonic_sort_shared(key_t32 *keys)
{
    __shared__ key_t32 s[CHUNK];
    key_t32 *g = keys + (size_t)blockIdx.x * CHUNK;
    int t = threadIdx.x;
    s[t] = g[t];
    s[t + CHUNK / 2] = g[t + CHUNK / 2];
    for (int size = 2; size <= CHUNK; size *= 2) {
        for (int d = size / 2; d > 0; d /= 2) {
            __syncthreads();
            int lo = 2 * t - (t & (d - 1));
            bool up = size == CHUNK ? (blockIdx.x & 1) == 0 : (lo & size) == 0;
            order(s[lo], s[lo + d], up);
        }
    }
    __syncthreads();
    g[t] = s[t];
    g[t + CHUNK / 2] = s[t + CHUNK / 2];
}

// one compare-exchange step of a bitonic merge, distance d >= CHUNK
__global__ void bitonic_step_global(key_t32 *keys, int pairs, int size, int d, int segment)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= pairs) return;
    int lo = 2 * t - (t & (d - 1));
    key_t32 a = keys[lo], b = keys[lo + d];
    bool up = size == segment || (lo & size) == 0;
    order(a, b, up);
    keys[lo] = a;
    keys[lo + d] = b;
}

// remaining steps with distances below CHUNK
__global__ void bitonic_merge_shared(key_t32 *keys, int size, int segment)
{
    __shared__ key_t32 s[CHUNK];
    int base = blockIdx.x * CHUNK;
    int t = threadIdx.x;
    s[t] = keys[base + t];
    s[t + CHUNK / 2] = keys[base + t + CHUNK / 2];
    bool up = size == segment || (base & size) == 0;
    for (int d = CHUNK / 2; d > 0; d >>= 1) {
        __syncthreads();
        int lo = 2 * t - (t & (d - 1));
        order(s[lo], s[lo + d], up);
    }
    __syncthreads();
    keys[base + t] = s[t];
    keys[base + t + CHUNK / 2] = s[t + CHUNK / 2];
}

int main(int argc, char **argv)
{
    int segments = argc > 1 ? atoi(argv[1]) : 2500;
    int n = segments * SEGMENT;
    key_t32 *keys;
    cuda_or_die(cudaMalloc(&keys, n * sizeof(key_t32)), "cudaMalloc");
    bitonic_keys<<<(n + 255) / 256, 256>>>(keys, n);
    bitonic_sort_shared<<<n / CHUNK, CHUNK / 2>>>(keys);
    cuda_or_die(cudaGetLastError(), "sort");
    int pairs = n / 2;
    for (int size = 2 * CHUNK; size <= SEGMENT; size *= 2) {
        for (int d = size / 2; d >= CHUNK; d /= 2)
            bitonic_step_global<<<(pairs + 255) / 256, 256>>>(keys, pairs, size, d, SEGMENT);
        bitonic_merge_shared<<<n / CHUNK, CHUNK / 2>>>(keys, size, SEGMENT);
        cuda_or_die(cudaGetLastError(), "merge");
    }
    cuda_or_die(cudaDeviceSynchronize(), "sync");

    std::vector<key_t32> h(n);
    cuda_or_die(cudaMemcpy(h.data(), keys, n * sizeof(key_t32), cudaMemcpyDeviceToHost), "copy");
    long unsorted = 0;
    for (int i = 1; i < n; i++)
        if (i % SEGMENT != 0 && h[i - 1] > h[i]) unsorted++;
    printf("%d segments, %ld keys out of order, first key %u\n", segments, unsorted, h[0]);
    cudaFree(keys);
    return 0;
}
