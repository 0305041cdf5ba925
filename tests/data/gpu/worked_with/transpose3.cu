/* Matrix transpose: naive, shared tile, shared tile with padding column. */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define TILE 32
#define ROWS 8

#define CUDA_OK(e)                                                        \
    if ((e) != cudaSuccess) {                                             \
        printf("CUDA failure at line %d\n", __LINE__);                    \
        return 1;                                                         \
    }

__global__ void tr_fill(float *a, int h, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) a[y * w + x] = (float)((x * 31 + y * 17) % 4093);
}

__global__ void tr_naive(const float *in, float *out, int h, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

__global__ void tr_tile(const float *in, float *out, int h, int w)
{
    __shared__ float t[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y0 = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < w && y0 + k < h) t[threadIdx.y + k][threadIdx.x] = in[(y0 + k) * w + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y0 = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < h && y0 + k < w) out[(y0 + k) * h + x] = t[threadIdx.x][threadIdx.y + k];
}

__global__ void tr_tile_pad(const float *in, float *out, int h, int w)
{
    __shared__ float t[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y0 = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < w && y0 + k < h) t[threadIdx.y + k][threadIdx.x] = in[(y0 + k) * w + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y0 = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < h && y0 + k < w) out[(y0 + k) * h + x] = t[threadIdx.x][threadIdx.y + k];
}

static int spot_check(const float *d_out, int h, int w)
{
    int bad = 0;
    for (int k = 0; k < 50; k++) {
        int x = (int)((k * 7919L) % w), y = (int)((k * 104729L) % h);
        float v;
        cudaMemcpy(&v, d_out + (size_t)x * h + y, sizeof(float), cudaMemcpyDeviceToHost);
        if (v != (float)((x * 31 + y * 17) % 4093)) bad++;
    }
    return bad;
}

int main(int argc, char **argv)
{
    int h = argc > 1 ? atoi(argv[1]) : 7993;
    int w = argc > 2 ? atoi(argv[2]) : 10016;
    size_t bytes = (size_t)h * w * sizeof(float);
    float *in, *out;
    CUDA_OK(cudaMalloc((void **)&in, bytes));
    CUDA_OK(cudaMalloc((void **)&out, bytes));

    dim3 nb(32, 8), ng((w + 31) / 32, (h + 7) / 8);
    tr_fill<<<ng, nb>>>(in, h, w);
    CUDA_OK(cudaGetLastError());
    tr_naive<<<ng, nb>>>(in, out, h, w);
    CUDA_OK(cudaDeviceSynchronize());
    printf("naive:      %d wrong\n", spot_check(out, h, w));

    dim3 tb(TILE, ROWS), tg((w + TILE - 1) / TILE, (h + TILE - 1) / TILE);
    CUDA_OK(cudaMemset(out, 0, bytes));
    tr_tile<<<tg, tb>>>(in, out, h, w);
    CUDA_OK(cudaDeviceSynchronize());
    printf("tile:       %d wrong\n", spot_check(out, h, w));

    CUDA_OK(cudaMemset(out, 0, bytes));
    tr_tile_pad<<<tg, tb>>>(in, out, h, w);
    CUDA_OK(cudaDeviceSynchronize());
    printf("tile + pad: %d wrong\n", spot_check(out, h, w));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
