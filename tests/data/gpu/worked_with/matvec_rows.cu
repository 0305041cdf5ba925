// y = A x for a row-major matrix: one thread a row, then one warp a row.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

using real = float;

static void guard(cudaError_t status, const char *text)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", text, cudaGetErrorString(status));
        exit(EXIT_FAILURE);
    }
}

__global__ void mv_setup(real *a, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) a[i] = (real)((i % 101) - 50) / (real)64;
}

__global__ void mv_thread_row(const real *a, const real *x, real *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        const real *row = a + (size_t)r * cols;
        real sum = 0;
        for (int c = 0; c < cols; c++) sum += row[c] * x[c];
        y[r] = sum;
    }
}

__global__ void mv_warp_row(const real *a, const real *x, real *y, int rows, int cols)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x & 31;
    if (warp >= rows) return;
    const real *row = a + (size_t)warp * cols;
    real sum = 0;
    for (int c = lane; c < cols; c += 32) sum += row[c] * __ldg(&x[c]);
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) y[warp] = sum;
}

int main(int argc, char **argv)
{
    int rows = 40000, cols = 5003;
    if (argc > 2) {
        rows = atoi(argv[1]);
        cols = atoi(argv[2]);
    }
    long n = (long)rows * cols;
    real *a, *x, *y1, *y2;
    guard(cudaMalloc((void **)&a, n * sizeof(real)), "a");
    guard(cudaMalloc((void **)&x, cols * sizeof(real)), "x");
    guard(cudaMalloc((void **)&y1, rows * sizeof(real)), "y1");
    guard(cudaMalloc((void **)&y2, rows * sizeof(real)), "y2");

    std::vector<real> hx(cols);
    for (int c = 0; c < cols; c++) hx[c] = (real)((c * 37) % 29) / 29;
    guard(cudaMemcpy(x, hx.data(), cols * sizeof(real), cudaMemcpyHostToDevice), "copy x");
    mv_setup<<<(unsigned)((n + 511) / 512), 512>>>(a, n);
    guard(cudaGetLastError(), "setup");

    mv_thread_row<<<(rows + 127) / 128, 128>>>(a, x, y1, rows, cols);
    guard(cudaGetLastError(), "thread a row");
    mv_warp_row<<<(rows * 32 + 255) / 256, 256>>>(a, x, y2, rows, cols);
    guard(cudaGetLastError(), "warp a row");
    guard(cudaDeviceSynchronize(), "sync");

    std::vector<real> h1(rows), h2(rows);
    guard(cudaMemcpy(h1.data(), y1, rows * sizeof(real), cudaMemcpyDeviceToHost), "y1");
    guard(cudaMemcpy(h2.data(), y2, rows * sizeof(real), cudaMemcpyDeviceToHost), "y2");
    double diff = 0;
    for (int r = 0; r < rows; r++) diff = fmax(diff, fabs((double)h1[r] - h2[r]));
    printf("y[0] = %f, max difference of the two variants %.3e\n", h1[0], diff);
    cudaFree(a);
    cudaFree(x);
    cudaFree(y1);
    cudaFree(y2);
    return 0;
}
