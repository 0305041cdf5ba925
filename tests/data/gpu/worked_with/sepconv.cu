// Separable Gaussian blur: rows, then columns. Weights in constant memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define RADIUS 8
#define TAPS (2 * RADIUS + 1)
#define ROW_BX 128
#define ROW_PER_THREAD 2
#define COL_BX 32
#define COL_BY 8
#define COL_TILE 64

__constant__ float sep_w[TAPS];

#define CC(x) do { cudaError_t e = (x); if (e != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void sep_image(float *img, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w) img[(size_t)y * w + x] = ((x / 16 + y / 16) & 1) ? 1.0f : 0.0f;
}

// A block handles ROW_BX * ROW_PER_THREAD pixels of one row.
__global__ void sep_rows(const float *in, float *out, int w)
{
    constexpr int SPAN = ROW_BX * ROW_PER_THREAD;
    __shared__ float line[SPAN + 2 * RADIUS];
    const float *src = in + (size_t)blockIdx.y * w;
    float *dst = out + (size_t)blockIdx.y * w;
    int x0 = blockIdx.x * SPAN;
    for (int i = threadIdx.x; i < SPAN + 2 * RADIUS; i += ROW_BX) {
        int x = x0 + i - RADIUS;
        line[i] = (x >= 0 && x < w) ? src[x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < ROW_PER_THREAD; p++) {
        int l = threadIdx.x + p * ROW_BX;
        if (x0 + l < w) {
            float s = 0.0f;
#pragma unroll
            for (int k = 0; k < TAPS; k++) s += sep_w[k] * line[l + k];
            dst[x0 + l] = s;
        }
    }
}

// A block handles COL_BX columns and COL_TILE rows.
__global__ void sep_cols(const float *in, float *out, int w, int h)
{
    __shared__ float tile[COL_TILE + 2 * RADIUS][COL_BX];
    int x = blockIdx.x * COL_BX + threadIdx.x;
    int y0 = blockIdx.y * COL_TILE;
    for (int i = threadIdx.y; i < COL_TILE + 2 * RADIUS; i += COL_BY) {
        int y = y0 + i - RADIUS;
        tile[i][threadIdx.x] = (x < w && y >= 0 && y < h) ? in[(size_t)y * w + x] : 0.0f;
    }
    __syncthreads();
    if (x >= w) return;
    for (int i = threadIdx.y; i < COL_TILE && y0 + i < h; i += COL_BY) {
        float s = 0.0f;
#pragma unroll
        for (int k = 0; k < TAPS; k++) s += sep_w[k] * tile[i + k][threadIdx.x];
        out[(size_t)(y0 + i) * w + x] = s;
    }
}

int main(int argc, char **argv)
{
    const int w = argc > 2 ? atoi(argv[1]) : 8100;
    const int h = argc > 2 ? atoi(argv[2]) : 6075;
    float weights[TAPS], norm = 0.0f;
    for (int k = 0; k < TAPS; k++) {
        weights[k] = expf(-(k - RADIUS) * (k - RADIUS) / 18.0f);
        norm += weights[k];
    }
    for (float &v : weights) v /= norm;
    CC(cudaMemcpyToSymbol(sep_w, weights, sizeof(weights)));

    size_t bytes = (size_t)w * h * sizeof(float);
    float *img, *tmp, *res;
    CC(cudaMalloc(&img, bytes));
    CC(cudaMalloc(&tmp, bytes));
    CC(cudaMalloc(&res, bytes));
    sep_image<<<dim3((w + 255) / 256, h), 256>>>(img, w, h);
    CC(cudaGetLastError());
    const int span = ROW_BX * ROW_PER_THREAD;
    sep_rows<<<dim3((w + span - 1) / span, h), ROW_BX>>>(img, tmp, w);
    CC(cudaGetLastError());
    sep_cols<<<dim3((w + COL_BX - 1) / COL_BX, (h + COL_TILE - 1) / COL_TILE), dim3(COL_BX, COL_BY)>>>(tmp, res, w, h);
    CC(cudaGetLastError());
    CC(cudaDeviceSynchronize());

    int cx = w / 2, cy = h / 2;
    float got;
    CC(cudaMemcpy(&got, res + (size_t)cy * w + cx, sizeof(float), cudaMemcpyDeviceToHost));
    double ref = 0.0;
    for (int j = -RADIUS; j <= RADIUS; j++)
        for (int i = -RADIUS; i <= RADIUS; i++)
            ref += weights[j + RADIUS] * weights[i + RADIUS] * ((((cx + i) / 16 + (cy + j) / 16) & 1) ? 1.0 : 0.0);
    printf("centre pixel %.6f, reference %.6f\n", got, ref);
    CC(cudaFree(img));
    CC(cudaFree(tmp));
    CC(cudaFree(res));
    return 0;
}
