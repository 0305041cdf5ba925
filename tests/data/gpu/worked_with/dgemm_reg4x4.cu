// Double precision matrix product, 64x64 block tile, 4x4 results per thread.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int BM = 64, BN = 64, BK = 16;
constexpr int TM = 4, TN = 4;
constexpr int THREADS = (BM / TM) * (BN / TN);

#define GPU(x)                                                                     \
    do {                                                                           \
        if (cudaError_t e_ = (x)) {                                                \
            fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e_));         \
            exit(1);                                                               \
        }                                                                          \
    } while (0)

__host__ __device__ inline double entry(unsigned r, unsigned c, unsigned salt)
{
    unsigned h = (r * 2654435761u) ^ (c * 40503u + salt);
    h ^= h >> 13;
    return (double)(h & 255u) / 128.0 - 1.0;
}

__global__ void dgemm4_fill(double *m, int rows, int cols, unsigned salt)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y;
    if (c < cols && r < rows) m[(size_t)r * cols + c] = entry(r, c, salt);
}

__global__ void __launch_bounds__(THREADS)
dgemm4_kernel(const double *__restrict__ A, const double *__restrict__ B, double *__restrict__ C,
              int M, int N, int K)
{
    __shared__ double sA[BK][BM];  // transposed
    __shared__ double sB[BK][BN];

    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN);
    const int tc = tid % (BN / TN);
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    double acc[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += THREADS) {
            int r = e / BK, k = e % BK;
            sA[k][r] = (row0 + r < M && k0 + k < K) ? A[(size_t)(row0 + r) * K + k0 + k] : 0.0;
        }
        for (int e = tid; e < BK * BN; e += THREADS) {
            int k = e / BN, c = e % BN;
            sB[k][c] = (k0 + k < K && col0 + c < N) ? B[(size_t)(k0 + k) * N + col0 + c] : 0.0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            double a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; i++) a[i] = sA[k][tr * TM + i];
#pragma unroll
            for (int j = 0; j < TN; j++) b[j] = sB[k][tc * TN + j];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; i++) {
        int r = row0 + tr * TM + i;
#pragma unroll
        for (int j = 0; j < TN; j++) {
            int c = col0 + tc * TN + j;
            if (r < M && c < N) C[(size_t)r * N + c] = acc[i][j];
        }
    }
}

int main(int argc, char **argv)
{
    const int M = argc > 3 ? atoi(argv[1]) : 3000;
    const int N = argc > 3 ? atoi(argv[2]) : 2500;
    const int K = argc > 3 ? atoi(argv[3]) : 2100;
    double *A, *B, *C;
    GPU(cudaMalloc(&A, sizeof(double) * M * K));
    GPU(cudaMalloc(&B, sizeof(double) * K * N));
    GPU(cudaMalloc(&C, sizeof(double) * M * N));
    dgemm4_fill<<<dim3((K + 127) / 128, M), 128>>>(A, M, K, 11u);
    dgemm4_fill<<<dim3((N + 127) / 128, K), 128>>>(B, K, N, 77u);
    GPU(cudaGetLastError());
    dgemm4_kernel<<<dim3((N + BN - 1) / BN, (M + BM - 1) / BM), THREADS>>>(A, B, C, M, N, K);
    GPU(cudaGetLastError());
    GPU(cudaDeviceSynchronize());

    double err = 0.0;
    for (int t = 0; t < 20; t++) {
        int r = (M - 1) - (t * 149) % M, c = (N - 1) - (t * 211) % N;
        double ref = 0.0, got;
        for (int k = 0; k < K; k++) ref += entry(r, k, 11u) * entry(k, c, 77u);
        GPU(cudaMemcpy(&got, C + (size_t)r * N + c, sizeof(double), cudaMemcpyDeviceToHost));
        err = fmax(err, fabs(got - ref));
    }
    printf("dgemm %dx%dx%d, largest deviation %.3e\n", M, N, K, err);
    GPU(cudaFree(A));
    GPU(cudaFree(B));
    GPU(cudaFree(C));
    return 0;
}
