// 2D Jacobi iteration for the Laplace equation, shared tile with halo.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define TX 32
#define TY 8

static inline int divup(int a, int b) { return (a + b - 1) / b; }

#define CUDA_CHECK(x)                                                                   \
    {                                                                                   \
        cudaError_t rc = (x);                                                           \
        if (rc != cudaSuccess) {                                                        \
            fprintf(stderr, "error %s at %d\n", cudaGetErrorString(rc), __LINE__);      \
            exit(1);                                                                    \
        }                                                                               \
    }

__global__ void jac2d_init(float *a, float *b, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float v = 0.0f;
    if (y == 0) v = 100.0f;
    else if (x == 0) v = 50.0f;
    else if (x == w - 1) v = 25.0f;
    a[y * w + x] = v;
    b[y * w + x] = v;
}

__global__ void jac2d_sweep(const float *src, float *dst, int w, int h)
{
    __shared__ float s[TY + 2][TX + 2];
    int x = blockIdx.x * TX + threadIdx.x;
    int y = blockIdx.y * TY + threadIdx.y;
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;

    if (x < w && y < h) {
        s[ly][lx] = src[y * w + x];
        if (threadIdx.x == 0 && x > 0) s[ly][0] = src[y * w + x - 1];
        if (threadIdx.x == TX - 1 && x < w - 1) s[ly][TX + 1] = src[y * w + x + 1];
        if (threadIdx.y == 0 && y > 0) s[0][lx] = src[(y - 1) * w + x];
        if (threadIdx.y == TY - 1 && y < h - 1) s[TY + 1][lx] = src[(y + 1) * w + x];
    }
    __syncthreads();
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        dst[y * w + x] = 0.25f * (s[ly][lx - 1] + s[ly][lx + 1] + s[ly - 1][lx] + s[ly + 1][lx]);
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 8190;
    int h = argc > 2 ? atoi(argv[2]) : 6001;
    int sweeps = 8;
    size_t bytes = sizeof(float) * w * h;
    float *a, *b;
    CUDA_CHECK(cudaMalloc(&a, bytes));
    CUDA_CHECK(cudaMalloc(&b, bytes));

    dim3 block(TX, TY);
    dim3 grid(divup(w, TX), divup(h, TY));
    jac2d_init<<<grid, block>>>(a, b, w, h);
    CUDA_CHECK(cudaGetLastError());
    for (int s = 0; s < sweeps; s += 2) {
        jac2d_sweep<<<grid, block>>>(a, b, w, h);
        jac2d_sweep<<<grid, block>>>(b, a, w, h);
    }
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());

    std::vector<float> row(w);
    for (int y = 1; y <= 3; y++) {
        CUDA_CHECK(cudaMemcpy(row.data(), a + (size_t)y * w, w * sizeof(float), cudaMemcpyDeviceToHost));
        printf("row %d: left %.4f middle %.4f right %.4f\n", y, row[1], row[w / 2], row[w - 2]);
    }
    CUDA_CHECK(cudaFree(a));
    CUDA_CHECK(cudaFree(b));
    return 0;
}
