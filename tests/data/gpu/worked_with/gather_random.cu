// Indirect reads: out[i] = table[idx[i]] with indices over the whole table, and over a small window.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define cudaTry(expr)                                                              \
    if (cudaError_t e = (expr); e != cudaSuccess) {                                \
        std::printf("%s\n", cudaGetErrorString(e));                                \
        return 1;                                                                  \
    }

__host__ __device__ inline unsigned gather_hash(unsigned k)
{
    k ^= k >> 16;
    k *= 0x85ebca6bu;
    k ^= k >> 13;
    k *= 0xc2b2ae35u;
    k ^= k >> 16;
    return k;
}

__global__ void gather_make_index(int *far_idx, int *near_idx, int n, int table_len, int window)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = gather_hash(i);
    far_idx[i] = h % (unsigned)table_len;
    int lo = i - window / 2;
    if (lo < 0) lo = 0;
    if (lo > table_len - window) lo = table_len - window;
    near_idx[i] = lo + (int)(h % (unsigned)window);
}

__global__ void gather_make_table(float *t, int table_len)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < table_len) t[i] = (float)(i % 65536);
}

__global__ void gather_plain(float *out, const float *__restrict__ table, const int *__restrict__ idx, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[idx[i]];
}

// four independent gathers for a thread
__global__ void gather_by4(float4 *out, const float *table, const int4 *idx, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        int4 k = idx[i];
        out[i] = make_float4(__ldg(table + k.x), __ldg(table + k.y), __ldg(table + k.z), __ldg(table + k.w));
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 40000000;
    n = (n + 3) / 4 * 4;
    const int table_len = n + n / 2;
    const int window = 2048 < table_len ? 2048 : table_len;

    float *table, *out;
    int *far_idx, *near_idx;
    cudaTry(cudaMalloc(&table, table_len * sizeof(float)));
    cudaTry(cudaMalloc(&out, n * sizeof(float)));
    cudaTry(cudaMalloc(&far_idx, n * sizeof(int)));
    cudaTry(cudaMalloc(&near_idx, n * sizeof(int)));

    const int bs = 256;
    gather_make_table<<<(table_len + bs - 1) / bs, bs>>>(table, table_len);
    gather_make_index<<<(n + bs - 1) / bs, bs>>>(far_idx, near_idx, n, table_len, window);
    cudaTry(cudaGetLastError());

    std::vector<float> h(1000 < n ? 1000 : n);
    auto sample = [&](const char *name) {
        cudaMemcpy(h.data(), out, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
        double s = 0;
        for (float v : h) s += v;
        std::printf("%-12s %.1f\n", name, s);
    };
    gather_plain<<<(n + bs - 1) / bs, bs>>>(out, table, far_idx, n);
    sample("far");
    gather_plain<<<(n + bs - 1) / bs, bs>>>(out, table, near_idx, n);
    sample("near");
    gather_by4<<<(n / 4 + bs - 1) / bs, bs>>>((float4 *)out, table, (const int4 *)far_idx, n / 4);
    sample("far by four");
    cudaTry(cudaGetLastError());
    cudaTry(cudaDeviceSynchronize());
    cudaFree(table);
    cudaFree(out);
    cudaFree(far_idx);
    cudaFree(near_idx);
    return 0;
}
