// Sorts many fixed-size key/value segments in shared memory with bitonic networks, then counts distinct keys.
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned int uint;

#define SEG 2048
#define HALF_SEG (SEG / 2)

__device__ __forceinline__ void cmpSwap(uint &ka, uint &va, uint &kb, uint &vb, bool up)
{
    if ((ka > kb) == up) {
        uint t = ka; ka = kb; kb = t;
        t = va; va = vb; vb = t;
    }
}

__global__ void bitonic_keys(uint *key, uint *val, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint h = i;
    h = (h ^ 61u) ^ (h >> 16);
    h *= 9u;
    h ^= h >> 4;
    h *= 0x27d4eb2du;
    h ^= h >> 15;
    key[i] = h % 5000u;
    val[i] = i;
}

__global__ void bitonic_sort_segments(uint *key, uint *val)
{
    __shared__ uint sk[SEG];
    __shared__ uint sv[SEG];
    uint *k = key + (size_t)blockIdx.x * SEG;
    uint *v = val + (size_t)blockIdx.x * SEG;
    const uint t = threadIdx.x;

    sk[t] = k[t];
    sv[t] = v[t];
    sk[t + HALF_SEG] = k[t + HALF_SEG];
    sv[t + HALF_SEG] = v[t + HALF_SEG];

    for (uint size = 2; size < SEG; size <<= 1) {
        bool up = (t & (size / 2)) == 0;
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            uint pos = 2 * t - (t & (stride - 1));
            cmpSwap(sk[pos], sv[pos], sk[pos + stride], sv[pos + stride], up);
        }
    }
    for (uint stride = HALF_SEG; stride > 0; stride >>= 1) {
        __syncthreads();
        uint pos = 2 * t - (t & (stride - 1));
        cmpSwap(sk[pos], sv[pos], sk[pos + stride], sv[pos + stride], true);
    }
    __syncthreads();
    k[t] = sk[t];
    v[t] = sv[t];
    k[t + HALF_SEG] = sk[t + HALF_SEG];
    v[t + HALF_SEG] = sv[t + HALF_SEG];
}

// Distinct keys of each sorted segment.
__global__ void bitonic_count_unique(const uint *key, int *distinct)
{
    const uint *k = key + (size_t)blockIdx.x * SEG;
    int total = 0;
    for (int base = 0; base < SEG; base += blockDim.x) {
        int i = base + threadIdx.x;
        total += __syncthreads_count(i == 0 || k[i] != k[i - 1]);
    }
    if (threadIdx.x == 0) distinct[blockIdx.x] = total;
}

int main(int argc, char **argv)
{
    int nseg = argc > 1 ? atoi(argv[1]) : 18000;
    int n = nseg * SEG;
    uint *key, *val;
    int *cnt;
    cudaMalloc((void **)&key, n * sizeof(uint));
    cudaMalloc((void **)&val, n * sizeof(uint));
    cudaMalloc((void **)&cnt, nseg * sizeof(int));
    bitonic_keys<<<(n + 1023) / 1024, 1024>>>(key, val, n);
    bitonic_sort_segments<<<nseg, HALF_SEG>>>(key, val);
    bitonic_count_unique<<<nseg, 256>>>(key, cnt);
    cudaError_t err = cudaGetLastError();
    if (err == cudaSuccess) err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(err));
        return 1;
    }
    std::vector<int> h(nseg);
    std::vector<uint> seg(SEG);
    cudaMemcpy(h.data(), cnt, nseg * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(seg.data(), key + (size_t)(nseg - 1) * SEG, SEG * sizeof(uint), cudaMemcpyDeviceToHost);
    bool sorted = true;
    for (int i = 1; i < SEG; ++i) sorted = sorted && seg[i - 1] <= seg[i];
    long long s = 0;
    for (int c : h) s += c;
    printf("%s, distinct keys in all: %lld\n", sorted ? "sorted" : "NOT sorted", s);
    cudaFree(key);
    cudaFree(val);
    cudaFree(cnt);
    return 0;
}
