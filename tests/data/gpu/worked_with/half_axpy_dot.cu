// Half precision: y = a x + y on half2, dot product of half vectors with float accumulation.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CHECK_CUDA(x)                                                            \
    do {                                                                         \
        cudaError_t st = (x);                                                    \
        if (st != cudaSuccess) {                                                 \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(st));  \
            return 1;                                                            \
        }                                                                        \
    } while (0)

__global__ void half_set(__half *x, __half *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = __float2half((float)(i % 8) * 0.125f);
        y[i] = __float2half((i & 1) ? 0.25f : 0.5f);
    }
}

__global__ void half2_axpy(__half2 a, const __half2 *__restrict__ x, __half2 *__restrict__ y, int n2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n2) y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void half_dot(const __half *x, const __half *y, int n, float *result)
{
    __shared__ float part[8];
    float acc = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        acc += __half2float(x[i]) * __half2float(y[i]);
    for (int d = 16; d > 0; d >>= 1) acc += __shfl_down_sync(0xffffffff, acc, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (int w = 0; w < 8; w++) s += part[w];
        atomicAdd(result, s);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 120000000;
    n &= ~1;
    __half *x, *y;
    float *res, dot = 0.0f;
    CHECK_CUDA(cudaMalloc((void **)&x, n * sizeof(__half)));
    CHECK_CUDA(cudaMalloc((void **)&y, n * sizeof(__half)));
    CHECK_CUDA(cudaMalloc((void **)&res, sizeof(float)));
    CHECK_CUDA(cudaMemset(res, 0, sizeof(float)));

    half_set<<<(n + 255) / 256, 256>>>(x, y, n);
    CHECK_CUDA(cudaGetLastError());
    __half2 a = __float2half2_rn(2.0f);
    half2_axpy<<<(n / 2 + 255) / 256, 256>>>(a, (const __half2 *)x, (__half2 *)y, n / 2);
    CHECK_CUDA(cudaGetLastError());
    half_dot<<<132 * 8, 256>>>(x, y, n, res);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaMemcpy(&dot, res, sizeof(float), cudaMemcpyDeviceToHost));

    double ref = 0.0;
    for (int i = 0; i < 8; i++) {
        double xv = i * 0.125, yv = (i & 1) ? 0.25 : 0.5;
        ref += xv * (2.0 * xv + yv);
    }
    printf("mean product %.6f, expected about %.6f\n", dot / n, ref / 8.0);
    cudaFree(x);
    cudaFree(y);
    cudaFree(res);
    return 0;
}
