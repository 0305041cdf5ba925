// Copies every s-th element of a large array, s = 2, 8, 32.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int kBlock = 256;

template <int STRIDE>
__global__ void strided_pick(float* __restrict__ dst, const float* __restrict__ src, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) dst[i] = src[(size_t)i * STRIDE];
}

__global__ void strided_seed(float* v, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v[i] = static_cast<float>(i & 0xfffff);
}

static void must(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    std::printf("line %d: %s\n", line, cudaGetErrorString(e));
    std::exit(1);
}
#define MUST(x) must((x), __LINE__)

template <int STRIDE>
void pick(float* dst, const float* src, int n)
{
    const int count = n / STRIDE;
    const int blocks = (count + kBlock - 1) / kBlock;
    strided_pick<STRIDE><<<blocks, kBlock>>>(dst, src, count);
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    float last = 0.f;
    MUST(cudaMemcpy(&last, dst + count - 1, sizeof(float), cudaMemcpyDeviceToHost));
    const int want = ((count - 1) * STRIDE) & 0xfffff;
    std::printf("stride %2d: %d elements, last %.0f (want %d)\n", STRIDE, count, last, want);
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 200000000;
    float *src, *dst;
    MUST(cudaMalloc(&src, n * sizeof(float)));
    MUST(cudaMalloc(&dst, n / 2 * sizeof(float)));
    strided_seed<<<2048, kBlock>>>(src, n);
    MUST(cudaGetLastError());

    pick<2>(dst, src, n);
    pick<8>(dst, src, n);
    pick<32>(dst, src, n);

    MUST(cudaFree(src));
    MUST(cudaFree(dst));
    return 0;
}
