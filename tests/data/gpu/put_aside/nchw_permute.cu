// NCHW -> NHWC layout change through padded shared tiles, then per-channel scale/bias and ReLU6 in place.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>

template <typename T> struct Convert;
template <> struct Convert<__half> {
    static __device__ float up(__half h) { return __half2float(h); }
    static __device__ __half down(float f) { return __float2half(f); }
};
template <> struct Convert<float> {
    static __device__ float up(float h) { return h; }
    static __device__ float down(float f) { return f; }
};

template <typename T>
__global__ void layout_fill(T *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t h = (uint32_t)(i >> 3) * 2654435761u + (uint32_t)(i & 7) * 40503u;
        p[i] = Convert<T>::down((float)(h >> 22) * 0.01f - 5.f);
    }
}

template <typename T, int TILE, int ROWS>
__global__ void layout_nchw_to_nhwc(const T *__restrict__ in, T *__restrict__ out, int C, int HW)
{
    __shared__ T tile[TILE][TILE + 1];
    const size_t img = (size_t)blockIdx.z * C * HW;
    int p = blockIdx.x * TILE + threadIdx.x;
    int c0 = blockIdx.y * TILE;
#pragma unroll
    for (int r = threadIdx.y; r < TILE; r += ROWS) {
        if (p < HW && c0 + r < C) tile[r][threadIdx.x] = in[img + (size_t)(c0 + r) * HW + p];
    }
    __syncthreads();
    int c = c0 + threadIdx.x;
    int p0 = blockIdx.x * TILE;
#pragma unroll
    for (int r = threadIdx.y; r < TILE; r += ROWS) {
        if (c < C && p0 + r < HW) out[img + (size_t)(p0 + r) * C + c] = tile[threadIdx.x][r];
    }
}

template <typename T>
__global__ void layout_scale_relu6(T *x, const float2 *__restrict__ sb, int C, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 k = sb[i % C];
    float v = fmaf(Convert<T>::up(x[i]), k.x, k.y);
    x[i] = Convert<T>::down(fminf(fmaxf(v, 0.f), 6.f));
}

template <typename T>
static int runLayout(int N, int C, int H, int W)
{
    const int HW = H * W;
    const size_t n = (size_t)N * C * HW;
    T *in, *out;
    float2 *sb;
    if (cudaMalloc(&in, n * sizeof(T)) || cudaMalloc(&out, n * sizeof(T)) || cudaMalloc(&sb, C * sizeof(float2))) return 1;
    float2 *h = new float2[C];
    for (int c = 0; c < C; ++c) h[c] = make_float2(1.f + 0.01f * c, 0.1f * (c % 5));
    cudaMemcpy(sb, h, C * sizeof(float2), cudaMemcpyHostToDevice);
    delete[] h;

    layout_fill<T><<<2640, 256>>>(in, n);
    dim3 grid((HW + 31) / 32, (C + 31) / 32, N), block(32, 8);
    layout_nchw_to_nhwc<T, 32, 8><<<grid, block>>>(in, out, C, HW);
    layout_scale_relu6<T><<<(unsigned)((n + 255) / 256), 256>>>(out, sb, C, n);
    if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) return 1;

    T s[5];
    cudaMemcpy(s, out + n - 5, sizeof s, cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (size_t b = 0; b < sizeof s; ++b) sum = sum * 31 + reinterpret_cast<unsigned char *>(s)[b];
    printf("C=%d elem=%zu tail hash %u\n", C, sizeof(T), sum);
    cudaFree(in);
    cudaFree(out);
    cudaFree(sb);
    return 0;
}

int main(int argc, char **argv)
{
    int batch = argc > 1 ? atoi(argv[1]) : 160;
    int bad = runLayout<__half>(batch, 67, 97, 104);
    bad |= runLayout<float>(batch / 4, 192, 56, 100);
    if (bad) fprintf(stderr, "layout test failed: %s\n", cudaGetErrorString(cudaGetLastError()));
    return bad;
}
