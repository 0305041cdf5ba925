// NV12 video frames -> normalised planar half RGB for a network input, plus a quarter-size luma thumbnail.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

static const int W = 1920, H = 1080;

__constant__ float c_mean[3];
__constant__ float c_invstd[3];

__global__ void nv12_fill(unsigned int *p, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned int h = (unsigned int)i * 2654435761u;
        h ^= h >> 15; h *= 0x85ebca6bu; h ^= h >> 13;
        p[i] = h;
    }
}

__device__ inline float sat8(float v) { return fminf(fmaxf(v, 0.f), 255.f); }

__device__ inline void yuv_pixel(float y, float u, float v, float rgb[3])
{
    y = 1.164f * (y - 16.f);
    rgb[0] = sat8(y + 1.793f * v);
    rgb[1] = sat8(y - 0.213f * u - 0.533f * v);
    rgb[2] = sat8(y + 2.112f * u);
}

// One thread handles a 2x2 pixel quad.
__global__ void nv12_to_rgb_half(const unsigned char *__restrict__ frames, __half *__restrict__ out, int w, int h)
{
    int qx = blockIdx.x * blockDim.x + threadIdx.x;
    int qy = blockIdx.y * blockDim.y + threadIdx.y;
    if (qx >= w / 2 || qy >= h / 2) return;
    size_t plane = (size_t)w * h;
    const unsigned char *base = frames + (size_t)blockIdx.z * (plane + plane / 2);
    __half *dst = out + (size_t)blockIdx.z * 3 * plane;

    uchar2 y0 = *(const uchar2 *)(base + (size_t)(2 * qy) * w + 2 * qx);
    uchar2 y1 = *(const uchar2 *)(base + (size_t)(2 * qy + 1) * w + 2 * qx);
    uchar2 uv = *(const uchar2 *)(base + plane + (size_t)qy * w + 2 * qx);
    float u = uv.x - 128.f, v = uv.y - 128.f;

    float p00[3], p01[3], p10[3], p11[3];
    yuv_pixel(y0.x, u, v, p00);
    yuv_pixel(y0.y, u, v, p01);
    yuv_pixel(y1.x, u, v, p10);
    yuv_pixel(y1.y, u, v, p11);
    for (int c = 0; c < 3; ++c) {
        float m = c_mean[c], s = c_invstd[c];
        __half2 *r0 = (__half2 *)(dst + c * plane + (size_t)(2 * qy) * w + 2 * qx);
        __half2 *r1 = (__half2 *)(dst + c * plane + (size_t)(2 * qy + 1) * w + 2 * qx);
        *r0 = __floats2half2_rn((p00[c] - m) * s, (p01[c] - m) * s);
        *r1 = __floats2half2_rn((p10[c] - m) * s, (p11[c] - m) * s);
    }
}

__global__ void nv12_luma_thumb(const unsigned char *__restrict__ frames, unsigned char *__restrict__ thumb, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int tw = w / 4, th = h / 4;
    if (x >= tw || y >= th) return;
    const unsigned char *base = frames + (size_t)blockIdx.z * ((size_t)w * h * 3 / 2);
    int sum = 0;
    for (int r = 0; r < 4; ++r) {
        uchar4 q = *(const uchar4 *)(base + (size_t)(4 * y + r) * w + 4 * x);
        sum += q.x + q.y + q.z + q.w;
    }
    thumb[(size_t)blockIdx.z * tw * th + (size_t)y * tw + x] = (unsigned char)((sum + 8) >> 4);
}

int main(int argc, char **argv)
{
    int nf = argc > 1 ? atoi(argv[1]) : 64;
    size_t plane = (size_t)W * H;
    size_t inBytes = plane * 3 / 2 * nf;
    unsigned char *in, *thumb;
    __half *out;
    CK(cudaMalloc(&in, inBytes));
    CK(cudaMalloc(&out, plane * 3 * nf * sizeof(__half)));
    CK(cudaMalloc(&thumb, plane / 16 * nf));
    float mean[3] = {123.675f, 116.28f, 103.53f}, inv[3] = {1 / 58.395f, 1 / 57.12f, 1 / 57.375f};
    CK(cudaMemcpyToSymbol(c_mean, mean, sizeof mean));
    CK(cudaMemcpyToSymbol(c_invstd, inv, sizeof inv));

    size_t words = inBytes / 4;
    nv12_fill<<<(unsigned)((words + 255) / 256), 256>>>((unsigned int *)in, words);

    dim3 b(32, 8);
    dim3 g((W / 2 + b.x - 1) / b.x, (H / 2 + b.y - 1) / b.y, nf);
    nv12_to_rgb_half<<<g, b>>>(in, out, W, H);
    dim3 g2((W / 4 + b.x - 1) / b.x, (H / 4 + b.y - 1) / b.y, nf);
    nv12_luma_thumb<<<g2, b>>>(in, thumb, W, H);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    __half hv[4];
    unsigned char tv[4];
    CK(cudaMemcpy(hv, out + plane + 1234, sizeof hv, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(tv, thumb + 777, sizeof tv, cudaMemcpyDeviceToHost));
    printf("rgb %f %f thumb %d %d\n", __half2float(hv[0]), __half2float(hv[3]), tv[0], tv[3]);
    cudaFree(in); cudaFree(out); cudaFree(thumb);
    return 0;
}
