// Row-wise softmax, one block a row, three passes over the row.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define SM_THREADS 256

struct MaxOp {
    __device__ static float init() { return -FLT_MAX; }
    __device__ static float apply(float a, float b) { return fmaxf(a, b); }
};
struct SumOp {
    __device__ static float init() { return 0.0f; }
    __device__ static float apply(float a, float b) { return a + b; }
};

template <class Op>
__device__ float row_reduce(float v, float *scratch)
{
    scratch[threadIdx.x] = v;
    __syncthreads();
    for (int s = SM_THREADS / 2; s >= 32; s >>= 1) {
        if (threadIdx.x < s) scratch[threadIdx.x] = Op::apply(scratch[threadIdx.x], scratch[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        float w = scratch[threadIdx.x];
        for (int d = 16; d > 0; d >>= 1) w = Op::apply(w, __shfl_xor_sync(0xffffffffu, w, d));
        if (threadIdx.x == 0) scratch[0] = w;
    }
    __syncthreads();
    float r = scratch[0];
    __syncthreads();
    return r;
}

__global__ void softmax_logits(float *x, int rows, int cols)
{
    size_t n = (size_t)rows * cols;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = (float)((unsigned)(i * 2654435761ull >> 7) % 2000u) * 0.005f - 5.0f;
}

__global__ void softmax_block_row(const float *x, float *y, int cols)
{
    __shared__ float scratch[SM_THREADS];
    const float *xr = x + (size_t)blockIdx.x * cols;
    float *yr = y + (size_t)blockIdx.x * cols;

    float m = MaxOp::init();
    for (int c = threadIdx.x; c < cols; c += SM_THREADS) m = MaxOp::apply(m, xr[c]);
    m = row_reduce<MaxOp>(m, scratch);

    float s = SumOp::init();
    for (int c = threadIdx.x; c < cols; c += SM_THREADS) s += __expf(xr[c] - m);
    s = row_reduce<SumOp>(s, scratch);

    const float inv = 1.0f / s;
    for (int c = threadIdx.x; c < cols; c += SM_THREADS) yr[c] = __expf(xr[c] - m) * inv;
}

static void assert_ok(cudaError_t e, const char *file, int line)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(e));
        exit(1);
    }
}
#define A(x) assert_ok((x), __FILE__, __LINE__)

int main(int argc, char **argv)
{
    int rows = argc > 2 ? atoi(argv[1]) : 20000;
    int cols = argc > 2 ? atoi(argv[2]) : 5003;
    size_t bytes = (size_t)rows * cols * sizeof(float);
    float *x, *y;
    A(cudaMalloc(&x, bytes));
    A(cudaMalloc(&y, bytes));
    softmax_logits<<<2112, 256>>>(x, rows, cols);
    A(cudaGetLastError());
    softmax_block_row<<<rows, SM_THREADS>>>(x, y, cols);
    A(cudaGetLastError());
    A(cudaDeviceSynchronize());

    std::vector<float> h(cols);
    double worst = 0.0;
    for (int r = 0; r < rows; r += rows / 10 + 1) {
        A(cudaMemcpy(h.data(), y + (size_t)r * cols, cols * sizeof(float), cudaMemcpyDeviceToHost));
        double s = 0.0;
        for (float v : h) s += v;
        worst = fmax(worst, fabs(s - 1.0));
    }
    printf("largest deviation of a row sum from 1: %.2e\n", worst);
    A(cudaFree(x));
    A(cudaFree(y));
    return 0;
}
