// Sparse matrix-vector product, CSR, banded matrix: scalar (thread a row) and vector (warp a row).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct CsrMatrix {
    int rows;
    int *ptr;
    int *col;
    double *val;
};

#define CHK(x)                                                                        \
    do {                                                                              \
        cudaError_t e = (x);                                                          \
        if (e != cudaSuccess) {                                                       \
            std::fprintf(stderr, "%s (line %d)\n", cudaGetErrorString(e), __LINE__);  \
            std::exit(1);                                                             \
        }                                                                             \
    } while (0)

__host__ __device__ inline double band_value(int r, int c) { return r == c ? 30.0 : -1.0 / (1.0 + abs(r - c)); }
__host__ __device__ inline double x_value(int i) { return 1.0 + (i % 11) * 0.125; }

__global__ void csr_build(CsrMatrix a, int half, double *x)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= a.rows) return;
    int c = max(0, r - half);
    for (int p = a.ptr[r]; p < a.ptr[r + 1]; p++, c++) {
        a.col[p] = c;
        a.val[p] = band_value(r, c);
    }
    x[r] = x_value(r);
}

__global__ void csr_scalar(CsrMatrix a, const double *x, double *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < a.rows) {
        double sum = 0.0;
        int end = a.ptr[r + 1];
        for (int p = a.ptr[r]; p < end; p++) sum += a.val[p] * x[a.col[p]];
        y[r] = sum;
    }
}

__global__ void csr_vector(int rows, const int *__restrict__ ptr, const int *__restrict__ col,
                           const double *__restrict__ val, const double *__restrict__ x, double *__restrict__ y)
{
    int lane = threadIdx.x % 32;
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (r >= rows) return;
    double sum = 0.0;
    for (int p = ptr[r] + lane; p < ptr[r + 1]; p += 32) sum += val[p] * x[col[p]];
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) y[r] = sum;
}

int main(int argc, char **argv)
{
    const int rows = argc > 1 ? std::atoi(argv[1]) : 1500000;
    const int half = 20;
    std::vector<int> ptr(rows + 1);
    ptr[0] = 0;
    for (int r = 0; r < rows; r++) ptr[r + 1] = ptr[r] + std::min(rows - 1, r + half) - std::max(0, r - half) + 1;
    const int nnz = ptr[rows];

    CsrMatrix a;
    a.rows = rows;
    double *x, *y1, *y2;
    CHK(cudaMalloc(&a.ptr, (rows + 1) * sizeof(int)));
    CHK(cudaMalloc(&a.col, nnz * sizeof(int)));
    CHK(cudaMalloc(&a.val, nnz * sizeof(double)));
    CHK(cudaMalloc(&x, rows * sizeof(double)));
    CHK(cudaMalloc(&y1, rows * sizeof(double)));
    CHK(cudaMalloc(&y2, rows * sizeof(double)));
    CHK(cudaMemcpy(a.ptr, ptr.data(), (rows + 1) * sizeof(int), cudaMemcpyHostToDevice));

    csr_build<<<(rows + 127) / 128, 128>>>(a, half, x);
    CHK(cudaGetLastError());
    csr_scalar<<<(rows + 127) / 128, 128>>>(a, x, y1);
    CHK(cudaGetLastError());
    csr_vector<<<(rows + 7) / 8, 256>>>(rows, a.ptr, a.col, a.val, x, y2);
    CHK(cudaGetLastError());
    CHK(cudaDeviceSynchronize());

    std::vector<double> h1(rows), h2(rows);
    CHK(cudaMemcpy(h1.data(), y1, rows * sizeof(double), cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(h2.data(), y2, rows * sizeof(double), cudaMemcpyDeviceToHost));
    double worst = 0.0;
    for (int r = 0; r < rows; r += 997) {
        double ref = 0.0;
        for (int c = std::max(0, r - half); c <= std::min(rows - 1, r + half); c++) ref += band_value(r, c) * x_value(c);
        worst = std::max({worst, std::fabs(ref - h1[r]), std::fabs(ref - h2[r])});
    }
    std::printf("rows %d nnz %d, worst error %.3e\n", rows, nnz, worst);
    for (void *p : {(void *)a.ptr, (void *)a.col, (void *)a.val, (void *)x, (void *)y1, (void *)y2}) cudaFree(p);
    return 0;
}
