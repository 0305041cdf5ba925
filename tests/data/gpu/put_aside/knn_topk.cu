// Brute-force k nearest reference points for a large set of 3D queries; candidate lists live in thread-local arrays.
#include <cfloat>
#include <cstdio>
#include <cstdlib>

#define TILE_PTS 256

__host__ __device__ inline float frac(unsigned x)
{
    x = (x ^ (x >> 16)) * 0x45d9f3bu;
    x = (x ^ (x >> 16)) * 0x45d9f3bu;
    x ^= x >> 16;
    return (x & 0xffffffu) / 16777216.f;
}

__global__ void knn_points(float4 *p, int n, unsigned salt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = make_float4(frac(3u * i + salt), frac(3u * i + 1 + salt), frac(3u * i + 2 + salt), 1.f);
}

template <int K>
struct TopK {
    float d[K];
    int id[K];
    __device__ void clear() {
        for (int i = 0; i < K; ++i) { d[i] = FLT_MAX; id[i] = -1; }
    }
    __device__ void insert(float dist, int idx) {
        int j = K - 1;
        while (j > 0 && d[j - 1] > dist) {
            d[j] = d[j - 1];
            id[j] = id[j - 1];
            --j;
        }
        d[j] = dist;
        id[j] = idx;
    }
};

template <int K>
__global__ void knn_search(const float4 *__restrict__ query, int nq, const float4 *__restrict__ ref, int nr,
                           int *__restrict__ outId, float *__restrict__ outDist)
{
    __shared__ float4 tile[TILE_PTS];
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = q < nq ? query[q] : make_float4(0, 0, 0, 0);
    TopK<K> best;
    best.clear();
    for (int base = 0; base < nr; base += TILE_PTS) {
        int cnt = min(TILE_PTS, nr - base);
        for (int i = threadIdx.x; i < cnt; i += blockDim.x) tile[i] = ref[base + i];
        __syncthreads();
        if (q < nq) {
            for (int i = 0; i < cnt; ++i) {
                float dx = tile[i].x - me.x, dy = tile[i].y - me.y, dz = tile[i].z - me.z;
                float d2 = dx * dx + dy * dy + dz * dz;
                if (d2 < best.d[K - 1]) best.insert(d2, base + i);
            }
        }
        __syncthreads();
    }
    if (q < nq) {
        for (int k = 0; k < K; ++k) {
            outId[(size_t)k * nq + q] = best.id[k];
            outDist[(size_t)k * nq + q] = sqrtf(best.d[k]);
        }
    }
}

// Inverse distance interpolation of a value attached to the reference points.
template <int K>
__global__ void knn_interpolate(const int *__restrict__ id, const float *__restrict__ dist,
                                const float *__restrict__ value, float *__restrict__ out, int nq)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= nq) return;
    float num = 0.f, den = 0.f;
#pragma unroll
    for (int k = 0; k < K; ++k) {
        float w = 1.f / (dist[(size_t)k * nq + q] + 1e-4f);
        num += w * value[id[(size_t)k * nq + q]];
        den += w;
    }
    out[q] = num / den;
}

int main(int argc, char **argv)
{
    const int K = 12;
    int nq = argc > 1 ? atoi(argv[1]) : 1500000;
    int nr = argc > 2 ? atoi(argv[2]) : 3000;
    float4 *q, *r;
    int *id;
    float *dist, *val, *out;
    cudaMalloc(&q, nq * sizeof(float4));
    cudaMalloc(&r, nr * sizeof(float4));
    cudaMalloc(&id, (size_t)K * nq * sizeof(int));
    cudaMalloc(&dist, (size_t)K * nq * sizeof(float));
    cudaMalloc(&val, nr * sizeof(float));
    cudaMalloc(&out, nq * sizeof(float));
    float *hv = (float *)malloc(nr * sizeof(float));
    for (int i = 0; i < nr; ++i) hv[i] = frac(i * 17u);
    cudaMemcpy(val, hv, nr * sizeof(float), cudaMemcpyHostToDevice);
    knn_points<<<(nq + 255) / 256, 256>>>(q, nq, 5u);
    float4 *hr = (float4 *)malloc(nr * sizeof(float4));
    for (unsigned i = 0; i < (unsigned)nr; ++i)
        hr[i] = make_float4(frac(3u * i + 900000001u), frac(3u * i + 900000002u), frac(3u * i + 900000003u), 1.f);
    cudaMemcpy(r, hr, nr * sizeof(float4), cudaMemcpyHostToDevice);
    knn_search<K><<<(nq + 127) / 128, 128>>>(q, nq, r, nr, id, dist);
    knn_interpolate<K><<<(nq + 255) / 256, 256>>>(id, dist, val, out, nq);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; }
    float h[64];
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0;
    for (float x : h) s += x;
    printf("mean of first 64: %f\n", s / 64);
    free(hv);
    free(hr);
    return 0;
}
