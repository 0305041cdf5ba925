// Log-likelihood sums with special functions: Rician noise (Bessel I0) in float, negative binomial (lgamma) in double.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define BLOCK 256

static void die(const char *msg, cudaError_t e)
{
    fprintf(stderr, "%s: %s\n", msg, cudaGetErrorString(e));
    exit(2);
}

__device__ inline float u01(unsigned i)
{
    i = i * 747796405u + 2891336453u;
    unsigned w = ((i >> ((i >> 28) + 4u)) ^ i) * 277803737u;
    w = (w >> 22) ^ w;
    return ((w >> 8) + 0.5f) * (1.f / 16777216.f);
}

__global__ void ll_generate(float *x, float *nu, int nr, int *k, float *mu, int nn)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nr) {
        float s = 0.2f + 6.f * u01(2u * i);
        nu[i] = s;
        x[i] = fabsf(s + 1.5f * (u01(2u * i + 1u) - 0.5f)) + 1e-3f;
    }
    if (i < nn) {
        float m = expf(6.f * u01(3u * i + 7u) - 2.f);
        mu[i] = m;
        k[i] = (int)(-m * logf(u01(3u * i + 8u)));
    }
}

__device__ inline double blockReduce(double v)
{
    __shared__ double w[BLOCK / 32];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) w[threadIdx.x >> 5] = v;
    __syncthreads();
    v = 0.0;
    if (threadIdx.x == 0)
        for (int i = 0; i < BLOCK / 32; ++i) v += w[i];
    return v;
}

__device__ inline float logI0(float z)
{
    if (z < 30.f) return logf(cyl_bessel_i0f(z));
    float r = 1.f / z;
    return z - 0.5f * logf(6.2831853f * z) + r * (0.125f + r * 0.0703125f);
}

__global__ void ll_rician(const float *__restrict__ x, const float *__restrict__ nu, int n, float sigma, double *out)
{
    float is2 = 1.f / (sigma * sigma);
    double acc = 0.0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        float m = x[i], v = nu[i];
        acc += logf(m * is2) - 0.5f * (m * m + v * v) * is2 + logI0(m * v * is2);
    }
    acc = blockReduce(acc);
    if (threadIdx.x == 0) atomicAdd(out, acc);
}

__global__ void ll_negbin(const int *__restrict__ k, const float *__restrict__ mu, int n, double r, double *out)
{
    double acc = 0.0;
    const double lgr = lgamma(r), lr = log(r);
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        int c = k[i];
        double m = mu[i];
        double lp = log(r + m);
        double t = r * (lr - lp);
        if (c > 0) t += lgamma(c + r) - lgr - lgamma(c + 1.0) + c * (log(m) - lp);
        acc += t;
    }
    acc = blockReduce(acc);
    if (threadIdx.x == 0) atomicAdd(out, acc);
}

int main(int argc, char **argv)
{
    const int nr = argc > 1 ? atoi(argv[1]) : 40000007;
    const int nn = argc > 2 ? atoi(argv[2]) : 16000001;
    float *x, *nu, *mu;
    int *k;
    double *res;
    cudaError_t e;
    if ((e = cudaMalloc(&x, nr * sizeof(float)))) die("x", e);
    if ((e = cudaMalloc(&nu, nr * sizeof(float)))) die("nu", e);
    if ((e = cudaMalloc(&k, nn * sizeof(int)))) die("k", e);
    if ((e = cudaMalloc(&mu, nn * sizeof(float)))) die("mu", e);
    if ((e = cudaMalloc(&res, 2 * sizeof(double)))) die("res", e);
    cudaMemset(res, 0, 2 * sizeof(double));
    int most = nr > nn ? nr : nn;
    ll_generate<<<(most + BLOCK - 1) / BLOCK, BLOCK>>>(x, nu, nr, k, mu, nn);
    ll_rician<<<1320, BLOCK>>>(x, nu, nr, 0.7f, res);
    ll_negbin<<<1320, BLOCK>>>(k, mu, nn, 2.5, res + 1);
    if ((e = cudaGetLastError())) die("launch", e);
    if ((e = cudaDeviceSynchronize())) die("run", e);
    double h[2];
    cudaMemcpy(h, res, sizeof h, cudaMemcpyDeviceToHost);
    printf("mean log-likelihood: rician %.8f, negative binomial %.8f\n", h[0] / nr, h[1] / nn);
    cudaFree(x); cudaFree(nu); cudaFree(k); cudaFree(mu); cudaFree(res);
    return 0;
}
