// Work on 8 MB arrays that stay in the L2 cache: rotated axpy passes and repeated 5-point smoothing.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define WIDTH 2048
#define HEIGHT 1024
#define COUNT (WIDTH * HEIGHT)
#define PASSES 12

#define SAFE(call)                                                            \
    do {                                                                      \
        cudaError_t err = call;                                               \
        if (err != cudaSuccess) {                                             \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err));      \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

// y += a * x, several passes, each with x shifted by some elements
__global__ void l2_axpy(float *y, const float *x, float a, int n, int passes, int shift)
{
    for (int p = 0; p < passes; p++) {
        int offset = (p * shift) % n;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            int j = i + offset;
            if (j >= n) j -= n;
            y[i] += a * x[j];
        }
    }
}

// out = sum over passes of weight^p * (mean of neighbours in "in" at distance p + 1), clamped at the border
__global__ void l2_smooth(const float *in, float *out, int w, int h, int passes, float weight)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float f = 1.0f, acc = 0.0f;
    for (int p = 0; p < passes; p++) {
        int d = p + 1;
        int xl = max(x - d, 0), xr = min(x + d, w - 1);
        int yu = max(y - d, 0), yd = min(y + d, h - 1);
        f *= weight;
        acc += f * 0.25f * (in[y * w + xl] + in[y * w + xr] + in[yu * w + x] + in[yd * w + x]);
    }
    out[y * w + x] = acc;
}

int main()
{
    std::vector<float> hx(COUNT), hy(COUNT);
    for (int i = 0; i < COUNT; i++) {
        hx[i] = (float)((i * 29) % 256) / 256.0f;
        hy[i] = (float)(i % 100) * 0.01f;
    }
    float *x, *y;
    SAFE(cudaMalloc(&x, COUNT * sizeof(float)));
    SAFE(cudaMalloc(&y, COUNT * sizeof(float)));
    SAFE(cudaMemcpy(x, hx.data(), COUNT * sizeof(float), cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(y, hy.data(), COUNT * sizeof(float), cudaMemcpyHostToDevice));

    for (int r = 0; r < 5; r++) l2_axpy<<<528, 256>>>(y, x, 0.01f, COUNT, PASSES, 100003);
    SAFE(cudaGetLastError());

    dim3 block(64, 4);
    dim3 grid((WIDTH + block.x - 1) / block.x, (HEIGHT + block.y - 1) / block.y);
    for (int r = 0; r < 3; r++) {
        l2_smooth<<<grid, block>>>(y, x, WIDTH, HEIGHT, 2 * PASSES, 0.6f);
        l2_smooth<<<grid, block>>>(x, y, WIDTH, HEIGHT, 2 * PASSES, 0.6f);
    }
    SAFE(cudaGetLastError());
    SAFE(cudaDeviceSynchronize());

    SAFE(cudaMemcpy(hy.data(), y, COUNT * sizeof(float), cudaMemcpyDeviceToHost));
    double mean = 0.0;
    for (float v : hy) mean += v;
    printf("mean after smoothing: %.6f\n", mean / COUNT);
    SAFE(cudaFree(x));
    SAFE(cudaFree(y));
    return 0;
}
