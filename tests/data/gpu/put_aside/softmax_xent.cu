// Cross-entropy over a large vocabulary: online log-sum-exp for each row, then the gradient of the logits.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>

static const int VOCAB = 50257;

struct MaxSum {
    float m, s;
};

__device__ __forceinline__ MaxSum combine(MaxSum a, MaxSum b)
{
    float m = fmaxf(a.m, b.m);
    return {m, a.s * __expf(a.m - m) + b.s * __expf(b.m - m)};
}

__global__ void xent_logits(__half *l, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 1597334677u;
    h ^= h >> 14;
    h *= 3812015801u;
    l[i] = __float2half((h >> 20) * (1.f / 512.f) - 4.f);
}

template <int THREADS>
__global__ void xent_forward(const __half *__restrict__ logits, const int *__restrict__ target,
                             float *__restrict__ lse, float *__restrict__ loss, int vocab)
{
    __shared__ MaxSum part[THREADS / 32];
    const int row = blockIdx.x;
    const __half *x = logits + (size_t)row * vocab;
    MaxSum t{-1e30f, 0.f};
    for (int i = threadIdx.x; i < vocab; i += THREADS) {
        float v = __half2float(x[i]);
        if (v > t.m) {
            t.s = t.s * __expf(t.m - v) + 1.f;
            t.m = v;
        } else {
            t.s += __expf(v - t.m);
        }
    }
    for (int o = 16; o > 0; o >>= 1) {
        MaxSum u;
        u.m = __shfl_xor_sync(0xffffffffu, t.m, o);
        u.s = __shfl_xor_sync(0xffffffffu, t.s, o);
        t = combine(t, u);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = t;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w) t = combine(t, part[w]);
        float L = t.m + logf(t.s);
        lse[row] = L;
        loss[row] = L - __half2float(x[target[row]]);
    }
}

__global__ void xent_backward(const __half *__restrict__ logits, const int *__restrict__ target,
                              const float *__restrict__ lse, __half *__restrict__ grad, int vocab, float scale)
{
    int row = blockIdx.y;
    int tgt = target[row];
    float L = lse[row];
    size_t base = (size_t)row * vocab;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vocab; i += gridDim.x * blockDim.x) {
        float p = __expf(__half2float(logits[base + i]) - L);
        if (i == tgt) p -= 1.f;
        grad[base + i] = __float2half(p * scale);
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 3500;
    size_t n = (size_t)rows * VOCAB;
    __half *logits, *grad;
    int *target;
    float *lse, *loss;
    cudaMalloc(&logits, n * sizeof(__half));
    cudaMalloc(&grad, n * sizeof(__half));
    cudaMalloc(&target, rows * sizeof(int));
    cudaMalloc(&lse, rows * sizeof(float));
    cudaMalloc(&loss, rows * sizeof(float));
    int *ht = (int *)malloc(rows * sizeof(int));
    for (int r = 0; r < rows; ++r) ht[r] = (int)((r * 7919LL + 13) % VOCAB);
    cudaMemcpy(target, ht, rows * sizeof(int), cudaMemcpyHostToDevice);

    xent_logits<<<(unsigned)((n + 511) / 512), 512>>>(logits, n);
    xent_forward<512><<<rows, 512>>>(logits, target, lse, loss, VOCAB);
    xent_backward<<<dim3(16, rows), 256>>>(logits, target, lse, grad, VOCAB, 1024.f / rows);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        fprintf(stderr, "xent: %s\n", cudaGetErrorString(e));
        return 1;
    }
    float *hl = (float *)malloc(rows * sizeof(float));
    cudaMemcpy(hl, loss, rows * sizeof(float), cudaMemcpyDeviceToHost);
    double s = 0;
    for (int r = 0; r < rows; ++r) s += hl[r];
    printf("mean loss %.5f\n", s / rows);
    free(hl);
    free(ht);
    return 0;
}
