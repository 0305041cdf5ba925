// Batched tridiagonal systems by parallel cyclic reduction, one block for each system, double precision.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define CHECK(call)                                                          \
    do {                                                                     \
        cudaError_t err__ = (call);                                          \
        if (err__ != cudaSuccess) {                                          \
            fprintf(stderr, "%s failed: %s\n", #call, cudaGetErrorString(err__)); \
            return EXIT_FAILURE;                                             \
        }                                                                    \
    } while (0)

__global__ void tri_setup(double *a, double *b, double *c, double *d, int m, size_t total)
{
    size_t g = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (g >= total) return;
    int row = (int)(g % m);
    double r = (double)((g * 48271ull) % 2147483647ull) / 2147483647.0;
    a[g] = row == 0 ? 0.0 : -1.0 + 0.2 * r;
    c[g] = row == m - 1 ? 0.0 : -1.0 + 0.1 * r;
    b[g] = 2.3 + r;
    d[g] = sin(0.01 * row) + r;
}

__global__ void tri_pcr(const double *__restrict__ a, const double *__restrict__ b, const double *__restrict__ c,
                        const double *__restrict__ d, double *__restrict__ x, int m)
{
    extern __shared__ double sh[];
    double *sa = sh, *sb = sa + m, *sc = sb + m, *sd = sc + m;
    const int i = threadIdx.x;
    const size_t g = (size_t)blockIdx.x * m + i;
    const bool active = i < m;

    if (active) {
        sa[i] = a[g];
        sb[i] = b[g];
        sc[i] = c[g];
        sd[i] = d[g];
    }
    __syncthreads();

    for (int stride = 1; stride < m; stride <<= 1) {
        double na = 0, nb = 1, nc = 0, nd = 0;
        if (active) {
            int lo = i - stride, hi = i + stride;
            nb = sb[i];
            nd = sd[i];
            if (lo >= 0) {
                double k = sa[i] / sb[lo];
                na = -sa[lo] * k;
                nb -= sc[lo] * k;
                nd -= sd[lo] * k;
            }
            if (hi < m) {
                double k = sc[i] / sb[hi];
                nc = -sc[hi] * k;
                nb -= sa[hi] * k;
                nd -= sd[hi] * k;
            }
        }
        __syncthreads();
        if (active) {
            sa[i] = na;
            sb[i] = nb;
            sc[i] = nc;
            sd[i] = nd;
        }
        __syncthreads();
    }
    if (active) x[g] = sd[i] / sb[i];
}

__global__ void tri_residual(const double *a, const double *b, const double *c, const double *d, const double *x,
                             double *worst, int m, size_t total)
{
    double r = 0.0;
    for (size_t g = blockIdx.x * (size_t)blockDim.x + threadIdx.x; g < total; g += (size_t)gridDim.x * blockDim.x) {
        int row = (int)(g % m);
        double s = b[g] * x[g] - d[g];
        if (row > 0) s += a[g] * x[g - 1];
        if (row < m - 1) s += c[g] * x[g + 1];
        r = fmax(r, fabs(s));
    }
    for (int o = 16; o > 0; o >>= 1) r = fmax(r, __shfl_down_sync(0xffffffffu, r, o));
    if ((threadIdx.x & 31) == 0)
        atomicMax((unsigned long long *)worst, (unsigned long long)__double_as_longlong(r));
}

int main(int argc, char **argv)
{
    const int m = 250;
    const int batch = argc > 1 ? atoi(argv[1]) : 60000;
    const size_t total = (size_t)m * batch;
    double *a, *b, *c, *d, *x, *worst;
    CHECK(cudaMalloc(&a, total * sizeof(double)));
    CHECK(cudaMalloc(&b, total * sizeof(double)));
    CHECK(cudaMalloc(&c, total * sizeof(double)));
    CHECK(cudaMalloc(&d, total * sizeof(double)));
    CHECK(cudaMalloc(&x, total * sizeof(double)));
    CHECK(cudaMalloc(&worst, sizeof(double)));
    CHECK(cudaMemset(worst, 0, sizeof(double)));

    tri_setup<<<(unsigned)((total + 255) / 256), 256>>>(a, b, c, d, m, total);
    const int threads = (m + 31) / 32 * 32;
    tri_pcr<<<batch, threads, 4 * m * sizeof(double)>>>(a, b, c, d, x, m);
    CHECK(cudaGetLastError());
    tri_residual<<<2112, 256>>>(a, b, c, d, x, worst, m, total);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    double w, x0;
    CHECK(cudaMemcpy(&w, worst, sizeof w, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&x0, x + m / 2, sizeof x0, cudaMemcpyDeviceToHost));
    printf("max residual %.3e, x[mid] = %.10f\n", w, x0);
    return 0;
}
