// Summed-area table of an 8-bit image and a large box mean computed from it.
#include <cstdio>
#include <cstdlib>

typedef unsigned int u32;
constexpr int BAND = 128;
constexpr int ROW_T = 256;

__global__ void sat_image(unsigned char *img, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < w) img[(size_t)y * w + x] = (unsigned char)((x * 3 + y * 5 + ((x * y) >> 7)) & 0xff);
}

__device__ u32 warpInclusive(u32 v)
{
    int lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d <<= 1) {
        u32 o = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += o;
    }
    return v;
}

// One block scans one row, 256 pixels at a time.
__global__ void sat_scan_rows(const unsigned char *__restrict__ img, u32 *__restrict__ sat, int w)
{
    __shared__ u32 wsum[ROW_T / 32];
    size_t base = (size_t)blockIdx.x * w;
    u32 carry = 0;
    for (int x0 = 0; x0 < w; x0 += ROW_T) {
        int x = x0 + threadIdx.x;
        u32 v = x < w ? img[base + x] : 0u;
        u32 s = warpInclusive(v);
        if ((threadIdx.x & 31) == 31) wsum[threadIdx.x >> 5] = s;
        __syncthreads();
        u32 before = 0, total = 0;
#pragma unroll
        for (int k = 0; k < ROW_T / 32; ++k) {
            u32 q = wsum[k];
            if (k < (int)(threadIdx.x >> 5)) before += q;
            total += q;
        }
        if (x < w) sat[base + x] = carry + before + s;
        carry += total;
        __syncthreads();
    }
}

__global__ void sat_band_totals(const u32 *__restrict__ sat, u32 *__restrict__ band, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    int y0 = blockIdx.y * BAND, y1 = min(y0 + BAND, h);
    u32 s = 0;
    for (int y = y0; y < y1; ++y) s += sat[(size_t)y * w + x];
    band[(size_t)blockIdx.y * w + x] = s;
}

__global__ void sat_scan_columns(u32 *sat, const u32 *band, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    u32 run = 0;
    for (int b = 0; b < (int)blockIdx.y; ++b) run += band[(size_t)b * w + x];
    int y0 = blockIdx.y * BAND, y1 = min(y0 + BAND, h);
    for (int y = y0; y < y1; ++y) {
        size_t k = (size_t)y * w + x;
        run += sat[k];
        sat[k] = run;
    }
}

__global__ void sat_box_mean(const u32 *__restrict__ sat, float *__restrict__ out, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int xa = max(x - r, 0) - 1, xb = min(x + r, w - 1);
    int ya = max(y - r, 0) - 1, yb = min(y + r, h - 1);
    u32 s = sat[(size_t)yb * w + xb];
    if (xa >= 0) s -= sat[(size_t)yb * w + xa];
    if (ya >= 0) s -= sat[(size_t)ya * w + xb];
    if (xa >= 0 && ya >= 0) s += sat[(size_t)ya * w + xa];
    out[(size_t)y * w + x] = (float)s / ((xb - xa) * (yb - ya));
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 7001;
    int h = argc > 2 ? atoi(argv[2]) : 6500;
    int nb = (h + BAND - 1) / BAND;
    unsigned char *img;
    u32 *sat, *band;
    float *mean;
    cudaMalloc(&img, (size_t)w * h);
    cudaMalloc(&sat, (size_t)w * h * 4);
    cudaMalloc(&band, (size_t)nb * w * 4);
    cudaMalloc(&mean, (size_t)w * h * 4);
    sat_image<<<dim3((w + 255) / 256, h), 256>>>(img, w, h);
    sat_scan_rows<<<h, ROW_T>>>(img, sat, w);
    dim3 gc((w + 127) / 128, nb);
    sat_band_totals<<<gc, 128>>>(sat, band, w, h);
    sat_scan_columns<<<gc, 128>>>(sat, band, w, h);
    sat_box_mean<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(sat, mean, w, h, 40);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; }
    u32 corner;
    float mid;
    cudaMemcpy(&corner, sat + (size_t)w * h - 1, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&mid, mean + (size_t)(h / 2) * w + w / 2, 4, cudaMemcpyDeviceToHost);
    printf("total (mod 2^32) %u, mean at centre %f\n", corner, mid);
    cudaFree(img); cudaFree(sat); cudaFree(band); cudaFree(mean);
    return 0;
}
