// ELLPACK sparse matrix-vector product, column-major storage, padding entries have column -1.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

typedef struct {
    int rows, width, pitch;
    int *col;
    float *val;
} ell_t;

static void cuda_try(cudaError_t e)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "cuda: %s\n", cudaGetErrorString(e));
        exit(1);
    }
}

__host__ __device__ static int ell_len(int row, int width) { return width - (row % 5 == 0 ? 3 : row % 2); }

__host__ __device__ static int ell_col(int row, int k, int rows)
{
    /* near diagonal part and a few far columns */
    long c = k < 10 ? (long)row + k - 5 : (long)row + (k - 9) * 1013L;
    if (c < 0) c += rows;
    return (int)(c % rows);
}

__host__ __device__ static float ell_val(int row, int k) { return 0.5f + (float)((row + 3 * k) & 15) * 0.0625f; }

__global__ void ell_build(ell_t m, float *x)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m.rows) return;
    int len = ell_len(r, m.width);
    for (int k = 0; k < m.width; k++) {
        size_t p = (size_t)k * m.pitch + r;
        m.col[p] = k < len ? ell_col(r, k, m.rows) : -1;
        m.val[p] = k < len ? ell_val(r, k) : 0.0f;
    }
    x[r] = (float)(r % 9) - 4.0f;
}

__global__ void ell_spmv(ell_t m, const float *x, float *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m.rows) return;
    float sum = 0.0f;
    for (int k = 0; k < m.width; k++) {
        size_t p = (size_t)k * m.pitch + r;
        int c = m.col[p];
        if (c >= 0) sum += m.val[p] * x[c];
    }
    y[r] = sum;
}

int main(int argc, char **argv)
{
    ell_t m;
    m.rows = argc > 1 ? atoi(argv[1]) : 4000003;
    m.width = 16;
    m.pitch = (m.rows + 31) / 32 * 32;
    float *x, *y;
    size_t entries = (size_t)m.pitch * m.width;
    cuda_try(cudaMalloc((void **)&m.col, entries * sizeof(int)));
    cuda_try(cudaMalloc((void **)&m.val, entries * sizeof(float)));
    cuda_try(cudaMalloc((void **)&x, m.rows * sizeof(float)));
    cuda_try(cudaMalloc((void **)&y, m.rows * sizeof(float)));

    int threads = 256, blocks = (m.rows + threads - 1) / threads;
    ell_build<<<blocks, threads>>>(m, x);
    cuda_try(cudaGetLastError());
    ell_spmv<<<blocks, threads>>>(m, x, y);
    ell_spmv<<<blocks, threads>>>(m, y, x); /* x = A (A x) */
    cuda_try(cudaGetLastError());
    cuda_try(cudaDeviceSynchronize());

    float *h = (float *)malloc(m.rows * sizeof(float));
    cuda_try(cudaMemcpy(h, y, m.rows * sizeof(float), cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int r = 0; r < m.rows; r += 1009) {
        double ref = 0;
        for (int k = 0; k < ell_len(r, m.width); k++)
            ref += ell_val(r, k) * ((double)(ell_col(r, k, m.rows) % 9) - 4.0);
        if (fabs(ref - h[r]) > worst) worst = fabs(ref - h[r]);
    }
    float last;
    cuda_try(cudaMemcpy(&last, x + m.rows - 1, sizeof(float), cudaMemcpyDeviceToHost));
    printf("worst error %g, last entry of A*A*x %g\n", worst, last);
    free(h);
    cudaFree(m.col);
    cudaFree(m.val);
    cudaFree(x);
    cudaFree(y);
    return 0;
}
