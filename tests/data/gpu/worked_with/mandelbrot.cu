// Escape-time fractal in single and double precision.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct View {
    double cx, cy;    // centre
    double scale;     // width of a pixel
    int w, h;
};

#define MB_CHECK()                                                                 \
    {                                                                              \
        cudaError_t e = cudaGetLastError();                                        \
        if (e == cudaSuccess) e = cudaDeviceSynchronize();                         \
        if (e != cudaSuccess) {                                                    \
            printf("kernel failed: %s\n", cudaGetErrorString(e));                  \
            exit(1);                                                               \
        }                                                                          \
    }

template <typename T>
__device__ int escape(T cr, T ci, int max_iter)
{
    T x = 0, y = 0, x2 = 0, y2 = 0;
    int it = 0;
    while (it < max_iter && x2 + y2 <= T(4)) {
        y = T(2) * x * y + ci;
        x = x2 - y2 + cr;
        x2 = x * x;
        y2 = y * y;
        ++it;
    }
    return it;
}

__global__ void mandel_f32(int *img, View v, int max_iter)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= v.w || py >= v.h) return;
    float cr = (float)v.cx + ((float)px - 0.5f * v.w) * (float)v.scale;
    float ci = (float)v.cy + ((float)py - 0.5f * v.h) * (float)v.scale;
    img[py * v.w + px] = escape<float>(cr, ci, max_iter);
}

__global__ void mandel_f64(int *img, View v, int max_iter)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= v.w || py >= v.h) return;
    double cr = v.cx + (px - 0.5 * v.w) * v.scale;
    double ci = v.cy + (py - 0.5 * v.h) * v.scale;
    img[py * v.w + px] = escape<double>(cr, ci, max_iter);
}

static void report(const char *name, const int *d_img, const View &v, int max_iter)
{
    std::vector<int> img((size_t)v.w * v.h);
    cudaMemcpy(img.data(), d_img, img.size() * sizeof(int), cudaMemcpyDeviceToHost);
    long sum = 0, in = 0;
    for (int it : img) {
        sum += it;
        in += it == max_iter;
    }
    printf("%s: mean iterations %.3f, inside %.3f%%\n", name, (double)sum / img.size(), 100.0 * in / img.size());
}

int main(int argc, char **argv)
{
    const int w = argc > 2 ? atoi(argv[1]) : 6000;
    const int h = argc > 2 ? atoi(argv[2]) : 4500;
    const int max_iter = argc > 3 ? atoi(argv[3]) : 500;
    int *img;
    if (cudaMalloc(&img, (size_t)w * h * sizeof(int)) != cudaSuccess) {
        printf("no memory\n");
        return 1;
    }
    dim3 block(16, 16);
    dim3 grid((w + 15) / 16, (h + 15) / 16);

    View whole = {-0.6, 0.0, 3.2 / w, w, h};
    mandel_f32<<<grid, block>>>(img, whole, max_iter);
    MB_CHECK();
    report("whole set", img, whole, max_iter);

    View valley = {-0.745, 0.113, 0.02 / w, w, h};
    mandel_f64<<<grid, block>>>(img, valley, max_iter);
    MB_CHECK();
    report("seahorse valley", img, valley, max_iter);
    cudaFree(img);
    return 0;
}
