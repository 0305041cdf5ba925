// Batches of 8x8 systems, one thread each. LU with partial pivoting on matrices stored one after the
// other, Gauss-Jordan inverse (diagonally dominant, no pivoting) on interleaved storage.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int D = 8;

#define ERR(x)                                                                     \
    do {                                                                           \
        cudaError_t e__ = (x);                                                     \
        if (e__ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e__));   \
            exit(1);                                                               \
        }                                                                          \
    } while (0)

__host__ __device__ inline float mat_entry(int b, int r, int c)
{
    unsigned h = (unsigned)b * 747796405u + (unsigned)(r * D + c) * 2891336453u;
    h = (h ^ (h >> 15)) * 2246822519u;
    h ^= h >> 13;
    float v = (float)(h & 0xffffu) / 65536.0f - 0.5f;
    return r == c ? v + 6.0f : v;
}

__global__ void lu8_generate(double *seq, float *inter, int batch)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int total = batch * D * D;
    if (t >= total) return;
    int b = t / (D * D), e = t % (D * D);
    seq[t] = mat_entry(b, (e / D + 3) % D, e % D);  // rows rotated so that pivoting has work
    int e2 = t / batch, b2 = t % batch;
    inter[t] = mat_entry(b2, e2 / D, e2 % D);
}

__global__ void lu8_pivot(double *mats, int *pivots, int batch)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= batch) return;
    double a[D][D];
    double *g = mats + (size_t)b * D * D;
    for (int r = 0; r < D; r++)
        for (int c = 0; c < D; c++) a[r][c] = g[r * D + c];

    for (int k = 0; k < D; k++) {
        int p = k;
        double best = fabs(a[k][k]);
        for (int r = k + 1; r < D; r++)
            if (fabs(a[r][k]) > best) {
                best = fabs(a[r][k]);
                p = r;
            }
        pivots[(size_t)b * D + k] = p;
        if (p != k)
            for (int c = 0; c < D; c++) {
                double t = a[k][c];
                a[k][c] = a[p][c];
                a[p][c] = t;
            }
        double inv = 1.0 / a[k][k];
        for (int r = k + 1; r < D; r++) {
            double f = a[r][k] * inv;
            a[r][k] = f;
            for (int c = k + 1; c < D; c++) a[r][c] -= f * a[k][c];
        }
    }
    for (int r = 0; r < D; r++)
        for (int c = 0; c < D; c++) g[r * D + c] = a[r][c];
}

__global__ void inv8_interleaved(float *mats, int batch)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= batch) return;
    float a[D * D];
#pragma unroll
    for (int e = 0; e < D * D; e++) a[e] = mats[(size_t)e * batch + b];
#pragma unroll
    for (int k = 0; k < D; k++) {
        float p = 1.0f / a[k * D + k];
        a[k * D + k] = 1.0f;
#pragma unroll
        for (int c = 0; c < D; c++) a[k * D + c] *= p;
#pragma unroll
        for (int r = 0; r < D; r++) {
            if (r == k) continue;
            float f = a[r * D + k];
            a[r * D + k] = 0.0f;
#pragma unroll
            for (int c = 0; c < D; c++) a[r * D + c] -= f * a[k * D + c];
        }
    }
#pragma unroll
    for (int e = 0; e < D * D; e++) mats[(size_t)e * batch + b] = a[e];
}

int main(int argc, char **argv)
{
    int batch = argc > 1 ? atoi(argv[1]) : 700001;
    double *seq;
    float *inter;
    int *piv;
    ERR(cudaMalloc(&seq, (size_t)batch * D * D * sizeof(double)));
    ERR(cudaMalloc(&inter, (size_t)batch * D * D * sizeof(float)));
    ERR(cudaMalloc(&piv, (size_t)batch * D * sizeof(int)));
    lu8_generate<<<(batch * D * D + 255) / 256, 256>>>(seq, inter, batch);
    ERR(cudaGetLastError());
    lu8_pivot<<<(batch + 127) / 128, 128>>>(seq, piv, batch);
    ERR(cudaGetLastError());
    inv8_interleaved<<<(batch + 63) / 64, 64>>>(inter, batch);
    ERR(cudaGetLastError());
    ERR(cudaDeviceSynchronize());

    // check A * inv(A) for the last matrix
    float inv[D * D];
    ERR(cudaMemcpy2D(inv, sizeof(float), inter + batch - 1, batch * sizeof(float), sizeof(float), D * D, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int r = 0; r < D; r++)
        for (int c = 0; c < D; c++) {
            double s = 0;
            for (int k = 0; k < D; k++) s += (double)mat_entry(batch - 1, r, k) * inv[k * D + c];
            worst = fmax(worst, fabs(s - (r == c)));
        }
    double lu[D * D], det = 1;
    ERR(cudaMemcpy(lu, seq, sizeof(lu), cudaMemcpyDeviceToHost));
    for (int k = 0; k < D; k++) det *= lu[k * D + k];
    printf("inverse error %.2e, |det| of first %.6f\n", worst, fabs(det));
    return 0;
}
