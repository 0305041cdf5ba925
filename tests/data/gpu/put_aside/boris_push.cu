// Relativistic Boris push of test particles in a dipole-like magnetic field, SoA storage.
#include <cmath>
#include <cstdio>
#include <cstdlib>

struct Particles {
    double *x, *y, *z;
    float *ux, *uy, *uz;
};

#define CUDA_OK(call) if ((call) != cudaSuccess) { \
    printf("error at line %d: %s\n", __LINE__, cudaGetErrorString(cudaGetLastError())); return 1; }

__device__ __forceinline__ float rnd(unsigned &s)
{
    s = s * 1664525u + 1013904223u;
    return (s >> 8) * (1.f / 16777216.f);
}

__global__ void boris_seed(Particles p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = i * 2246822519u + 374761393u;
    s ^= s >> 13;
    p.x[i] = 2.0 + 4.0 * rnd(s);
    p.y[i] = 2.0 - 4.0 * rnd(s);
    p.z[i] = 1.0 - 2.0 * rnd(s);
    p.ux[i] = rnd(s) - 0.5f;
    p.uy[i] = rnd(s) - 0.5f;
    p.uz[i] = rnd(s) - 0.5f;
}

__device__ float3 dipole(float x, float y, float z)
{
    float r2 = x * x + y * y + z * z + 0.05f;
    float ir = rsqrtf(r2);
    float ir5 = ir * ir * ir * ir * ir;
    return make_float3(30.f * x * z * ir5, 30.f * y * z * ir5, 10.f * (3.f * z * z - r2) * ir5);
}

__global__ void boris_advance(Particles p, int n, float qdt2m, double dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = p.x[i], y = p.y[i], z = p.z[i];
    float ux = p.ux[i], uy = p.uy[i], uz = p.uz[i];

    const float ex = 0.01f, ey = 0.f, ez = -0.002f;
    float3 b = dipole((float)x, (float)y, (float)z);

    ux += qdt2m * ex; uy += qdt2m * ey; uz += qdt2m * ez;
    float ig = rsqrtf(1.f + ux * ux + uy * uy + uz * uz);
    float tx = qdt2m * b.x * ig, ty = qdt2m * b.y * ig, tz = qdt2m * b.z * ig;
    float f = 2.f / (1.f + tx * tx + ty * ty + tz * tz);
    float vx = ux + uy * tz - uz * ty;
    float vy = uy + uz * tx - ux * tz;
    float vz = uz + ux * ty - uy * tx;
    ux += f * (vy * tz - vz * ty);
    uy += f * (vz * tx - vx * tz);
    uz += f * (vx * ty - vy * tx);
    ux += qdt2m * ex; uy += qdt2m * ey; uz += qdt2m * ez;

    double g = dt * rsqrtf(1.f + ux * ux + uy * uy + uz * uz);
    p.x[i] = x + g * ux;
    p.y[i] = y + g * uy;
    p.z[i] = z + g * uz;
    p.ux[i] = ux; p.uy[i] = uy; p.uz[i] = uz;
}

// Mean kinetic energy (gamma - 1); one partial result for each block.
__global__ void boris_energy(Particles p, int n, double *partial)
{
    __shared__ double sm[256];
    double acc = 0.0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        float ux = p.ux[i], uy = p.uy[i], uz = p.uz[i];
        acc += sqrtf(1.f + ux * ux + uy * uy + uz * uz) - 1.f;
    }
    sm[threadIdx.x] = acc;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (threadIdx.x < s) sm[threadIdx.x] += sm[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = sm[0];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 14000123;
    const int nb = 528;
    Particles p;
    double *part;
    CUDA_OK(cudaMalloc(&p.x, n * sizeof(double)));
    CUDA_OK(cudaMalloc(&p.y, n * sizeof(double)));
    CUDA_OK(cudaMalloc(&p.z, n * sizeof(double)));
    CUDA_OK(cudaMalloc(&p.ux, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&p.uy, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&p.uz, n * sizeof(float)));
    CUDA_OK(cudaMalloc(&part, nb * sizeof(double)));
    const int t = 192;
    boris_seed<<<(n + t - 1) / t, t>>>(p, n);
    for (int s = 0; s < 3; ++s) boris_advance<<<(n + t - 1) / t, t>>>(p, n, 0.05f, 0.01);
    boris_energy<<<nb, 256>>>(p, n, part);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());
    static double h[528];
    CUDA_OK(cudaMemcpy(h, part, sizeof h, cudaMemcpyDeviceToHost));
    double e = 0;
    for (int i = 0; i < nb; ++i) e += h[i];
    printf("mean energy %.8f\n", e / n);
    return 0;
}
