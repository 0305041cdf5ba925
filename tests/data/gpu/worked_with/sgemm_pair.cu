// C = alpha * A * B + beta * C, row-major; a naive kernel and a shared-memory tiled kernel.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

template <typename T>
T *device_alloc(size_t n)
{
    void *p = nullptr;
    if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) {
        std::fprintf(stderr, "out of device memory\n");
        std::exit(1);
    }
    return static_cast<T *>(p);
}

void sync_check(const char *name)
{
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(e));
        std::exit(1);
    }
}

__global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = alpha * acc + beta * C[row * N + col];
    }
}

template <int T>
__global__ void sgemm_tiled(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float As[T][T];
    __shared__ float Bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * T + tx;
    int row = blockIdx.y * T + ty;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += T) {
        As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < T; ++k) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = alpha * acc + beta * C[row * N + col];
}

int main(int argc, char **argv)
{
    int M = 2000, N = 1900, K = 1800;
    if (argc == 4) {
        M = std::atoi(argv[1]);
        N = std::atoi(argv[2]);
        K = std::atoi(argv[3]);
    }
    float *hA = new float[M * K], *hB = new float[K * N];
    for (int i = 0; i < M * K; ++i) hA[i] = (i % 17) * 0.125f - 1.0f;
    for (int i = 0; i < K * N; ++i) hB[i] = (i % 13) * 0.25f - 1.5f;
    float *A = device_alloc<float>(M * K), *B = device_alloc<float>(K * N), *C = device_alloc<float>(M * N);
    cudaMemcpy(A, hA, sizeof(float) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(B, hB, sizeof(float) * K * N, cudaMemcpyHostToDevice);
    cudaMemset(C, 0, sizeof(float) * M * N);

    dim3 block(16, 16);
    dim3 grid((N + 15) / 16, (M + 15) / 16);
    sgemm_naive<<<grid, block>>>(M, N, K, 1.0f, A, B, 0.0f, C);
    sync_check("naive");
    sgemm_tiled<32><<<dim3((N + 31) / 32, (M + 31) / 32), dim3(32, 32)>>>(M, N, K, 2.0f, A, B, 1.0f, C);
    sync_check("tiled");

    float *hC = new float[M * N];
    cudaMemcpy(hC, C, sizeof(float) * M * N, cudaMemcpyDeviceToHost);
    double worst = 0.0;
    for (int t = 0; t < 64; ++t) {
        int r = (t * 131) % M, c = (t * 277) % N;
        double ref = 0.0;
        for (int k = 0; k < K; ++k) ref += (double)hA[r * K + k] * hB[k * N + c];
        worst = std::fmax(worst, std::fabs(3.0 * ref - hC[r * N + c]));
    }
    std::printf("max error of samples %.3e\n", worst);
    delete[] hA;
    delete[] hB;
    delete[] hC;
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return 0;
}
