// AdamW step with half gradients, fp32 master weights and a half copy of the weights.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>

struct AdamParams {
    float lr, beta1, beta2, eps, decay, bias1, bias2, gradScale;
};

struct alignas(8) Half4 {
    __half2 a, b;
};

static void check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        exit(EXIT_FAILURE);
    }
}

__device__ float unitHash(unsigned i)
{
    i ^= i >> 16; i *= 0x7feb352du; i ^= i >> 15; i *= 0x846ca68bu; i ^= i >> 16;
    return (i & 0xffffff) * (1.0f / 16777216.0f) - 0.5f;
}

__global__ void adam_setup(float *w, float *m, float *v, __half *g, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        w[i] = 0.1f * unitHash(i);
        m[i] = 0.f;
        v[i] = 0.f;
        g[i] = __float2half(unitHash(i + 77777u) * 8.f);
    }
}

// Sum of squares of the gradients; also counts non-finite values.
__global__ void adam_grad_norm(const __half *g, int n, double *norm2, int *bad)
{
    float acc = 0.f;
    int nbad = 0;
    const __half2 *g2 = reinterpret_cast<const __half2 *>(g);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * blockDim.x) {
        float2 f = __half22float2(g2[i]);
        if (!isfinite(f.x) || !isfinite(f.y)) nbad++;
        acc += f.x * f.x + f.y * f.y;
    }
    if ((n & 1) && blockIdx.x == 0 && threadIdx.x == 0) {
        float f = __half2float(g[n - 1]);
        acc += f * f;
    }
    for (int o = 16; o > 0; o >>= 1) {
        acc += __shfl_down_sync(0xffffffffu, acc, o);
        nbad += __shfl_down_sync(0xffffffffu, nbad, o);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(norm2, (double)acc);
        if (nbad) atomicAdd(bad, nbad);
    }
}

__device__ __forceinline__ float adamUpdate(float &w, float &m, float &v, float g, const AdamParams &p)
{
    g *= p.gradScale;
    m = p.beta1 * m + (1.f - p.beta1) * g;
    v = p.beta2 * v + (1.f - p.beta2) * g * g;
    float mh = m * p.bias1;
    float vh = v * p.bias2;
    w -= p.lr * (mh / (sqrtf(vh) + p.eps) + p.decay * w);
    return w;
}

__global__ void adam_apply(float *__restrict__ w, float *__restrict__ m, float *__restrict__ v,
                           const __half *__restrict__ g, __half *__restrict__ wh, int n, AdamParams p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int nv = n / 4;
    if (i < nv) {
        float4 W = reinterpret_cast<float4 *>(w)[i];
        float4 M = reinterpret_cast<float4 *>(m)[i];
        float4 V = reinterpret_cast<float4 *>(v)[i];
        Half4 G = reinterpret_cast<const Half4 *>(g)[i];
        float2 ga = __half22float2(G.a), gb = __half22float2(G.b);
        adamUpdate(W.x, M.x, V.x, ga.x, p);
        adamUpdate(W.y, M.y, V.y, ga.y, p);
        adamUpdate(W.z, M.z, V.z, gb.x, p);
        adamUpdate(W.w, M.w, V.w, gb.y, p);
        reinterpret_cast<float4 *>(w)[i] = W;
        reinterpret_cast<float4 *>(m)[i] = M;
        reinterpret_cast<float4 *>(v)[i] = V;
        Half4 o;
        o.a = __floats2half2_rn(W.x, W.y);
        o.b = __floats2half2_rn(W.z, W.w);
        reinterpret_cast<Half4 *>(wh)[i] = o;
    } else {
        int j = nv * 4 + (i - nv);
        if (j < n) wh[j] = __float2half(adamUpdate(w[j], m[j], v[j], __half2float(g[j]), p));
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 64 * 1000 * 1000 + 3;
    float *w, *m, *v;
    __half *g, *wh;
    double *norm;
    int *bad;
    check(cudaMalloc(&w, n * sizeof(float)), "w");
    check(cudaMalloc(&m, n * sizeof(float)), "m");
    check(cudaMalloc(&v, n * sizeof(float)), "v");
    check(cudaMalloc(&g, n * sizeof(__half)), "g");
    check(cudaMalloc(&wh, n * sizeof(__half)), "wh");
    check(cudaMalloc(&norm, sizeof(double)), "norm");
    check(cudaMalloc(&bad, sizeof(int)), "bad");
    cudaMemset(norm, 0, sizeof(double));
    cudaMemset(bad, 0, sizeof(int));
    adam_setup<<<2048, 256>>>(w, m, v, g, n);
    adam_grad_norm<<<1320, 256>>>(g, n, norm, bad);
    double hn = 0;
    int hb = 0;
    check(cudaMemcpy(&hn, norm, sizeof hn, cudaMemcpyDeviceToHost), "norm copy");
    check(cudaMemcpy(&hb, bad, sizeof hb, cudaMemcpyDeviceToHost), "bad copy");
    for (int step = 1; step <= 2 && hb == 0; ++step) {
        AdamParams p{1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f,
                     1.f / (1.f - powf(0.9f, (float)step)), 1.f / (1.f - powf(0.999f, (float)step)),
                     (float)fmin(1.0, 1000.0 / sqrt(hn))};
        int threads = n / 4 + 3;
        adam_apply<<<(threads + 255) / 256, 256>>>(w, m, v, g, wh, n, p);
        check(cudaGetLastError(), "adam_apply");
    }
    check(cudaDeviceSynchronize(), "sync");
    float tail[3];
    check(cudaMemcpy(tail, w + n - 3, sizeof tail, cudaMemcpyDeviceToHost), "tail");
    printf("|g| = %f, bad = %d, tail %f %f %f\n", sqrt(hn), hb, tail[0], tail[1], tail[2]);
    return 0;
}
