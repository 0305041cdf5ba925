// Detector image cleaning: 5x5 median of 16-bit pixels in pitched memory, then replacement of outliers.
#include <cstdio>
#include <cstdlib>

typedef unsigned short pix;

template <typename T>
struct Pitched {
    T *ptr;
    size_t pitch;
    int w, h;
    __device__ T *row(int y) const { return (T *)((char *)ptr + y * pitch); }
    bool alloc(int W, int H)
    {
        w = W;
        h = H;
        return cudaMallocPitch(&ptr, &pitch, W * sizeof(T), H) == cudaSuccess;
    }
};

__global__ void det_expose(Pitched<pix> im)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= im.w || y >= im.h) return;
    unsigned h = (x * 73856093u) ^ (y * 19349663u);
    h = (h ^ (h >> 13)) * 0x5bd1e995u;
    h ^= h >> 15;
    int v = 2000 + (x >> 4) + (y >> 5) + (int)(h & 127);
    if ((h >> 8 & 1023) == 0) v = 60000;
    im.row(y)[x] = (pix)v;
}

__device__ __forceinline__ void order(int &a, int &b)
{
    int lo = min(a, b);
    b = max(a, b);
    a = lo;
}

__global__ void det_median5(Pitched<pix> in, Pitched<pix> out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in.w || y >= in.h) return;
    int a[25];
#pragma unroll
    for (int dy = -2; dy <= 2; ++dy) {
        const pix *r = in.row(min(max(y + dy, 0), in.h - 1));
#pragma unroll
        for (int dx = -2; dx <= 2; ++dx) a[(dy + 2) * 5 + dx + 2] = r[min(max(x + dx, 0), in.w - 1)];
    }
#pragma unroll
    for (int i = 0; i <= 12; ++i)
#pragma unroll
        for (int j = i + 1; j < 25; ++j) order(a[i], a[j]);
    out.row(y)[x] = (pix)a[12];
}

__global__ void det_despike(Pitched<pix> raw, Pitched<pix> med, Pitched<float> clean, float k, int *nspike)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    bool spike = false;
    if (x < raw.w && y < raw.h) {
        float v = raw.row(y)[x], m = med.row(y)[x];
        spike = fabsf(v - m) > k * sqrtf(m);
        clean.row(y)[x] = spike ? m : v;
    }
    int c = __syncthreads_count(spike);
    if (threadIdx.x == 0 && threadIdx.y == 0 && c) atomicAdd(nspike, c);
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 7003, h = argc > 2 ? atoi(argv[2]) : 6001;
    Pitched<pix> raw, med;
    Pitched<float> clean;
    int *ns;
    if (!raw.alloc(w, h) || !med.alloc(w, h) || !clean.alloc(w, h) || cudaMalloc(&ns, sizeof(int)) != cudaSuccess) {
        puts("allocation failed");
        return 1;
    }
    cudaMemset(ns, 0, sizeof(int));
    dim3 b(24, 10), g((w + 23) / 24, (h + 9) / 10);
    det_expose<<<g, b>>>(raw);
    det_median5<<<g, b>>>(raw, med);
    det_despike<<<g, b>>>(raw, med, clean, 6.f, ns);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("failed: %s\n", cudaGetErrorString(e));
        return 1;
    }
    int spikes;
    float v;
    cudaMemcpy(&spikes, ns, sizeof spikes, cudaMemcpyDeviceToHost);
    cudaMemcpy(&v, (char *)clean.ptr + (size_t)(h - 1) * clean.pitch + (w - 1) * sizeof(float), sizeof v,
               cudaMemcpyDeviceToHost);
    printf("spikes %d, last pixel %.1f, pitch %zu/%zu\n", spikes, v, raw.pitch, clean.pitch);
    cudaFree(raw.ptr);
    cudaFree(med.ptr);
    cudaFree(clean.ptr);
    cudaFree(ns);
    return 0;
}
