// Welch power spectrum: windowed 1024-point radix-4 Stockham FFTs in shared memory, then averaging over segments.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 1024;
constexpr int T = N / 4;

__device__ __forceinline__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 operator*(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ __forceinline__ void butterfly4(float2 v[4])
{
    float2 s = v[0] + v[2], d = v[0] - v[2];
    float2 p = v[1] + v[3], q = v[1] - v[3];
    float2 jq = make_float2(q.y, -q.x);
    v[0] = s + p;
    v[1] = d + jq;
    v[2] = s - p;
    v[3] = d - jq;
}

__global__ void __launch_bounds__(T)
fft1024_radix4(const float2 *__restrict__ in, float2 *__restrict__ out)
{
    __shared__ float2 buf[N];
    const int t = threadIdx.x;
    const float2 *src = in + (size_t)blockIdx.x * N;
    float2 *dst = out + (size_t)blockIdx.x * N;

    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        int k = t + r * T;
        float w = 0.5f - 0.5f * cospif(2.f * k / N);
        float2 s = src[k];
        v[r] = make_float2(s.x * w, s.y * w);
    }
#pragma unroll
    for (int ns = 1; ns < N; ns *= 4) {
        int j = t % ns;
        if (ns > 1) {
            float2 w1;
            sincospif(-2.f * j / (4.f * ns), &w1.y, &w1.x);
            float2 w2 = w1 * w1;
            v[1] = v[1] * w1;
            v[2] = v[2] * w2;
            v[3] = v[3] * (w2 * w1);
        }
        butterfly4(v);
        int base = (t / ns) * ns * 4 + j;
        if (ns * 4 < N) {
#pragma unroll
            for (int r = 0; r < 4; ++r) buf[base + r * ns] = v[r];
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; ++r) v[r] = buf[t + r * T];
            __syncthreads();
        } else {
#pragma unroll
            for (int r = 0; r < 4; ++r) dst[base + r * ns] = v[r];
        }
    }
}

__global__ void fft_psd_accumulate(const float2 *__restrict__ spec, float *__restrict__ psd, int nseg, int perBlock)
{
    int bin = blockIdx.x * blockDim.x + threadIdx.x;
    int s0 = blockIdx.y * perBlock;
    int s1 = min(s0 + perBlock, nseg);
    float acc = 0.f;
    for (int s = s0; s < s1; ++s) {
        float2 z = spec[(size_t)s * N + bin];
        acc += z.x * z.x + z.y * z.y;
    }
    atomicAdd(&psd[bin], acc / nseg);
}

__global__ void fft_make_signal(float2 *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 0xcc9e2d51u;
    h ^= h >> 16;
    h *= 0x1b873593u;
    float noise = (h >> 8) * (1.f / 16777216.f) - 0.5f;
    float ph = (float)(i % 1024) * (2.f * 100.f / 1024.f);
    x[i] = make_float2(cospif(ph) + noise, sinpif(ph) - noise);
}

int main(int argc, char **argv)
{
    int nseg = argc > 1 ? atoi(argv[1]) : 40010;
    size_t n = (size_t)nseg * N;
    float2 *x, *y;
    float *psd;
    cudaMalloc(&x, n * sizeof(float2));
    cudaMalloc(&y, n * sizeof(float2));
    cudaMalloc(&psd, N * sizeof(float));
    cudaMemset(psd, 0, N * sizeof(float));
    fft_make_signal<<<(unsigned)((n + 255) / 256), 256>>>(x, n);
    fft1024_radix4<<<nseg, T>>>(x, y);
    const int perBlock = 100;
    fft_psd_accumulate<<<dim3(N / 128, (nseg + perBlock - 1) / perBlock), 128>>>(y, psd, nseg, perBlock);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); return 1; }
    std::vector<float> h(N);
    cudaMemcpy(h.data(), psd, N * sizeof(float), cudaMemcpyDeviceToHost);
    int peak = 0;
    for (int i = 1; i < N; ++i) if (h[i] > h[peak]) peak = i;
    printf("peak bin %d value %.2f\n", peak, h[peak]);
    cudaFree(x); cudaFree(y); cudaFree(psd);
    return 0;
}
