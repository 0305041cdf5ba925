// Vector triad a = b + s * c on float4, plus a two-per-thread version.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t err_ = (call);                                               \
        if (err_ != cudaSuccess) {                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                   \
                    cudaGetErrorString(err_));                                   \
            exit(EXIT_FAILURE);                                                  \
        }                                                                        \
    } while (0)

__global__ void triad_fill(float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        b[i] = (float)(i % 1000) * 0.001f;
        c[i] = (float)((i * 7u) % 513u) * 0.25f;
    }
}

__global__ void triad_vec4(float4 *__restrict__ a, const float4 *__restrict__ b,
                           const float4 *__restrict__ c, float s, int n4)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 vb = b[i];
    float4 vc = c[i];
    float4 r;
    r.x = vb.x + s * vc.x;
    r.y = vb.y + s * vc.y;
    r.z = vb.z + s * vc.z;
    r.w = vb.w + s * vc.w;
    a[i] = r;
}

__device__ inline float4 fma4(float s, float4 x, float4 y)
{
    return make_float4(fmaf(s, x.x, y.x), fmaf(s, x.y, y.y), fmaf(s, x.z, y.z), fmaf(s, x.w, y.w));
}

// each block covers 2 * blockDim.x vectors
__global__ void triad_vec4_x2(float4 *a, const float4 *b, const float4 *c, float s, int n4)
{
    int i0 = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    int i1 = i0 + blockDim.x;
    if (i1 < n4) {
        float4 b0 = b[i0], b1 = b[i1];
        float4 c0 = c[i0], c1 = c[i1];
        a[i0] = fma4(s, c0, b0);
        a[i1] = fma4(s, c1, b1);
    } else if (i0 < n4) {
        a[i0] = fma4(s, c[i0], b[i0]);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50000000;
    int n4 = n / 4;
    n = 4 * n4;
    size_t bytes = (size_t)n * sizeof(float);
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&c, bytes));

    const int block = 256;
    triad_fill<<<(n + block - 1) / block, block>>>(b, c, n);
    CHECK(cudaGetLastError());
    triad_vec4<<<(n4 + block - 1) / block, block>>>((float4 *)a, (float4 *)b, (float4 *)c, 3.0f, n4);
    CHECK(cudaGetLastError());
    // second sweep: c = a + 0.5 * b
    int per_block = 2 * block;
    triad_vec4_x2<<<(n4 + per_block - 1) / per_block, block>>>((float4 *)c, (float4 *)a, (float4 *)b,
                                                               0.5f, n4);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    float h[4];
    CHECK(cudaMemcpy(h, c + n - 4, sizeof(h), cudaMemcpyDeviceToHost));
    float eb = ((n - 1) % 1000) * 0.001f, ec = ((unsigned)(n - 1) * 7u % 513u) * 0.25f;
    printf("last = %f, expected %f\n", h[3], eb + 3.0f * ec + 0.5f * eb);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
