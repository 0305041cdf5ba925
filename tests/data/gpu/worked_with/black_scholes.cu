// European options: prices with the cumulative normal polynomial, then delta and vega with erfcf.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr float kRate = 0.03f;
constexpr float kVol = 0.25f;

struct OptionBatch {
    const float *spot;
    const float *strike;
    const float *years;
    int count;
};

#define CUDA(x)                                                          \
    do {                                                                 \
        cudaError_t r = (x);                                             \
        if (r) {                                                         \
            printf("%s: %s\n", #x, cudaGetErrorString(r));               \
            exit(1);                                                     \
        }                                                                \
    } while (0)

__device__ float bs_cnd(float d)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * __expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0.0f ? 1.0f - c : c;
}

__global__ void bs_market(float *spot, float *strike, float *years, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = i * 2246822519u;
    h ^= h >> 15;
    spot[i] = 5.0f + 25.0f * ((h & 1023u) / 1023.0f);
    strike[i] = 1.0f + 99.0f * (((h >> 10) & 1023u) / 1023.0f);
    years[i] = 0.25f + 9.75f * ((h >> 22) / 1023.0f);
}

__global__ void bs_price(OptionBatch o, float *call, float *put)
{
    const int step = blockDim.x * gridDim.x;
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < o.count; i += step) {
        float s = o.spot[i], x = o.strike[i], t = o.years[i];
        float sq = sqrtf(t);
        float d1 = (__logf(s / x) + (kRate + 0.5f * kVol * kVol) * t) / (kVol * sq);
        float d2 = d1 - kVol * sq;
        float n1 = bs_cnd(d1), n2 = bs_cnd(d2);
        float disc = __expf(-kRate * t);
        call[i] = s * n1 - x * disc * n2;
        put[i] = x * disc * (1.0f - n2) - s * (1.0f - n1);
    }
}

__global__ void bs_greeks(OptionBatch o, float *delta, float *vega)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < o.count) {
        float s = o.spot[i], t = o.years[i];
        float sq = sqrtf(t);
        float d1 = (logf(s / o.strike[i]) + (kRate + 0.5f * kVol * kVol) * t) / (kVol * sq);
        delta[i] = 0.5f * erfcf(-d1 * 0.70710678f);
        vega[i] = s * sq * 0.39894228f * expf(-0.5f * d1 * d1);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 24000000;
    float *spot, *strike, *years, *r1, *r2;
    size_t bytes = (size_t)n * sizeof(float);
    CUDA(cudaMalloc(&spot, bytes));
    CUDA(cudaMalloc(&strike, bytes));
    CUDA(cudaMalloc(&years, bytes));
    CUDA(cudaMalloc(&r1, bytes));
    CUDA(cudaMalloc(&r2, bytes));
    bs_market<<<(n + 255) / 256, 256>>>(spot, strike, years, n);
    CUDA(cudaGetLastError());

    OptionBatch o{spot, strike, years, n};
    bs_price<<<1320, 128>>>(o, r1, r2);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    float c = 0, p = 0;
    CUDA(cudaMemcpy(&c, r1 + n / 3, sizeof(float), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&p, r2 + n / 3, sizeof(float), cudaMemcpyDeviceToHost));
    printf("call %.5f put %.5f\n", c, p);

    bs_greeks<<<(n + 191) / 192, 192>>>(o, r1, r2);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&c, r1 + n / 3, sizeof(float), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&p, r2 + n / 3, sizeof(float), cudaMemcpyDeviceToHost));
    printf("delta %.5f vega %.5f\n", c, p);
    cudaFree(spot);
    cudaFree(strike);
    cudaFree(years);
    cudaFree(r1);
    cudaFree(r2);
    return 0;
}
