#include <cuda_runtime.h>
__global__ void step(float *v, int j, int k) {
    unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
    unsigned int ixj = i ^ j;
    if (ixj > i) {
        if ((i & k) == 0) v[i] = v[i] + 0.5f * v[ixj];
        else v[i] = v[i] - 0.5f * v[ixj];
    }
}
void sort(float *d, int n) {
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1)
            step<<<n / 256, 256>>>(d, j, k);
}
