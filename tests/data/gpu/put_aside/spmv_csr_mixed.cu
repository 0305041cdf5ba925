// CSR sparse matrix-vector product with float values and double accumulation: one thread and one sub-warp per row.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__host__ __device__ inline unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

__global__ void csr_build(const int *rowptr, int *col, float *val, int rows)
{
    int lane = threadIdx.x & 31;
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row >= rows) return;
    int s = rowptr[row], e = rowptr[row + 1];
    for (int k = s + lane; k < e; k += 32) {
        unsigned h = mix((unsigned)k);
        int c;
        if (h & 3) c = row + (int)((h >> 8) % 4096u) - 2048;   // near the diagonal
        else c = (int)((h >> 2) % (unsigned)rows);             // anywhere
        col[k] = min(max(c, 0), rows - 1);
        val[k] = (float)(h & 0xffff) * (1.f / 65536.f) - 0.5f;
    }
}

__global__ void csr_spmv_scalar(const int *__restrict__ rowptr, const int *__restrict__ col,
                                const float *__restrict__ val, const float *__restrict__ x,
                                double *__restrict__ y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double acc = 0.0;
    for (int k = rowptr[row]; k < rowptr[row + 1]; ++k) acc += (double)val[k] * x[col[k]];
    y[row] = acc;
}

template <int LANES>
__global__ void csr_spmv_subwarp(const int *__restrict__ rowptr, const int *__restrict__ col,
                                 const float *__restrict__ val, const float *__restrict__ x,
                                 double *__restrict__ y, int rows)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = tid % LANES;
    int row = tid / LANES;
    double acc = 0.0;
    if (row < rows) {
        int end = rowptr[row + 1];
        for (int k = rowptr[row] + lane; k < end; k += LANES) acc += (double)val[k] * __ldg(x + col[k]);
    }
#pragma unroll
    for (int o = LANES / 2; o > 0; o /= 2) acc += __shfl_down_sync(0xffffffffu, acc, o, LANES);
    if (row < rows && lane == 0) y[row] = acc;
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 2000003;
    std::vector<int> ptr(rows + 1);
    ptr[0] = 0;
    for (int r = 0; r < rows; ++r) {
        unsigned h = mix(r * 2u + 1u);
        int len = 3 + h % 15;
        if (r % 101 == 0) len = 200 + h % 200;
        ptr[r + 1] = ptr[r] + len;
    }
    int nnz = ptr[rows];
    int *rowptr, *col;
    float *val, *x;
    double *y1, *y2;
    cudaMalloc(&rowptr, (rows + 1) * sizeof(int));
    cudaMalloc(&col, (size_t)nnz * sizeof(int));
    cudaMalloc(&val, (size_t)nnz * sizeof(float));
    cudaMalloc(&x, rows * sizeof(float));
    cudaMalloc(&y1, rows * sizeof(double));
    cudaMalloc(&y2, rows * sizeof(double));
    cudaMemcpy(rowptr, ptr.data(), (rows + 1) * sizeof(int), cudaMemcpyHostToDevice);
    csr_build<<<(rows + 7) / 8, 256>>>(rowptr, col, val, rows);
    std::vector<float> hx(rows);
    for (int i = 0; i < rows; ++i) hx[i] = 1.f + 0.25f * (float)(i % 17);
    cudaMemcpy(x, hx.data(), rows * sizeof(float), cudaMemcpyHostToDevice);

    csr_spmv_scalar<<<(rows + 127) / 128, 128>>>(rowptr, col, val, x, y1, rows);
    constexpr int L = 8;
    csr_spmv_subwarp<L><<<(rows + 256 / L - 1) / (256 / L), 256>>>(rowptr, col, val, x, y2, rows);
    cudaError_t err = cudaGetLastError();
    if (err == cudaSuccess) err = cudaDeviceSynchronize();
    if (err != cudaSuccess) { fprintf(stderr, "spmv: %s\n", cudaGetErrorString(err)); return 1; }

    const int ns = std::min(rows, 5000);
    std::vector<double> a(ns), b(ns);
    cudaMemcpy(a.data(), y1 + rows - ns, ns * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), y2 + rows - ns, ns * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0, diff = 0;
    for (int i = 0; i < ns; ++i) { sum += a[i]; diff = std::max(diff, std::fabs(a[i] - b[i])); }
    printf("nnz %d, tail sum %.6f, max difference %.2e\n", nnz, sum, diff);
    cudaFree(rowptr); cudaFree(col); cudaFree(val); cudaFree(x); cudaFree(y1); cudaFree(y2);
    return 0;
}
