// Register-tiled SGEMM with a fused epilogue (bias + activation), row-major, any sizes.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

inline void ok(cudaError_t e) { if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e)); }

struct BiasGelu {
    const float *bias;
    __device__ float operator()(float v, int col) const {
        v += bias[col];
        return 0.5f * v * (1.f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
    }
};

struct BiasRelu {
    const float *bias;
    __device__ float operator()(float v, int col) const { return fmaxf(v + __ldg(bias + col), 0.f); }
};

template <int BM, int BN, int BK, int TM, int TN, class Epilogue>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
sgemm_fused(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
            int M, int N, int K, Epilogue epi)
{
    constexpr int NT = (BM / TM) * (BN / TN);
    __shared__ float As[BK][BM + 4];
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tx = tid % (BN / TN), ty = tid / (BN / TN);
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;

    float acc[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
        for (int e = tid; e < BM * BK; e += NT) {
            int r = e / BK, c = e % BK;
            As[c][r] = (m0 + r < M && k0 + c < K) ? A[(size_t)(m0 + r) * K + k0 + c] : 0.f;
        }
#pragma unroll
        for (int e = tid; e < BK * BN; e += NT) {
            int r = e / BN, c = e % BN;
            Bs[r][c] = (k0 + r < K && n0 + c < N) ? B[(size_t)(k0 + r) * N + n0 + c] : 0.f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = As[k][ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][tx + j * (BN / TN)];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        int row = m0 + ty * TM + i;
        if (row >= M) continue;
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            int col = n0 + tx + j * (BN / TN);
            if (col < N) C[(size_t)row * N + col] = epi(acc[i][j], col);
        }
    }
}

__global__ void sgemm_fill(float *p, size_t n, float scale, unsigned salt)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = ((unsigned)i + salt) * 3266489917u;
    h = (h ^ (h >> 15)) * 668265263u;
    p[i] = ((h >> 9) * (1.f / 8388608.f) * 2.f - 1.f) * scale;
}

static float *makeMatrix(size_t n, float scale, unsigned salt)
{
    float *p;
    ok(cudaMalloc(&p, n * sizeof(float)));
    sgemm_fill<<<(unsigned)((n + 255) / 256), 256>>>(p, n, scale, salt);
    return p;
}

int main(int argc, char **argv) try
{
    const int M = argc > 1 ? atoi(argv[1]) : 4100, K = 2050, N = 3500, N2 = 1000;
    float *X = makeMatrix((size_t)M * K, 1.f, 1);
    float *W1 = makeMatrix((size_t)K * N, 0.05f, 2);
    float *W2 = makeMatrix((size_t)N * N2, 0.05f, 3);
    std::vector<float> hb(N);
    for (int i = 0; i < N; ++i) hb[i] = 0.01f * (i % 21 - 10);
    float *bias, *H, *Y;
    ok(cudaMalloc(&bias, N * sizeof(float)));
    ok(cudaMemcpy(bias, hb.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    ok(cudaMalloc(&H, (size_t)M * N * sizeof(float)));
    ok(cudaMalloc(&Y, (size_t)M * N2 * sizeof(float)));

    dim3 g1((N + 127) / 128, (M + 127) / 128);
    sgemm_fused<128, 128, 8, 8, 8><<<g1, 256>>>(X, W1, H, M, N, K, BiasGelu{bias});
    dim3 g2((N2 + 63) / 64, (M + 63) / 64);
    sgemm_fused<64, 64, 16, 4, 4><<<g2, 256>>>(H, W2, Y, M, N2, N, BiasRelu{bias});
    ok(cudaGetLastError());
    ok(cudaDeviceSynchronize());

    std::vector<float> last(N2);
    ok(cudaMemcpy(last.data(), Y + (size_t)(M - 1) * N2, N2 * sizeof(float), cudaMemcpyDeviceToHost));
    double s = 0;
    for (float v : last) s += v;
    printf("last row sum %.4f\n", s);
    for (float *p : {X, W1, W2, bias, H, Y}) cudaFree(p);
    return 0;
}
catch (const std::exception &e)
{
    fprintf(stderr, "%s\n", e.what());
    return 1;
}
