// Deposit of particle charges on a mesh: float atomics, nearest cell and linear weighting in 2D.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct Mesh {
    int nx, ny;
    float *rho;
};

static void chk(cudaError_t e, const char *msg)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", msg, cudaGetErrorString(e));
        exit(1);
    }
}

__device__ float scat_rand(unsigned &state)
{
    state = state * 1103515245u + 12345u;
    unsigned r = state ^ (state >> 15);
    r *= 0x2c1b3c6du;
    r ^= r >> 12;
    return (r >> 8) * (1.0f / 16777216.0f);
}

__global__ void scat_create(float2 *pos, float *charge, int n, Mesh m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned s = i * 747796405u + 2891336453u;
        float x = scat_rand(s), y = scat_rand(s);
        pos[i] = make_float2(x * (m.nx - 1), y * (m.ny - 1));
        charge[i] = (i & 3) ? 1.0f : 0.5f;
    }
}

__global__ void scat_nearest(const float2 *pos, const float *charge, int n, Mesh m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = pos[i];
    int cx = min((int)(p.x + 0.5f), m.nx - 1);
    int cy = min((int)(p.y + 0.5f), m.ny - 1);
    atomicAdd(&m.rho[cy * m.nx + cx], charge[i]);
}

__global__ void scat_linear(const float2 *pos, const float *charge, int n, Mesh m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = pos[i];
    float q = charge[i];
    int cx = min((int)p.x, m.nx - 2);
    int cy = min((int)p.y, m.ny - 2);
    float fx = p.x - cx, fy = p.y - cy;
    float *base = m.rho + cy * m.nx + cx;
    atomicAdd(base, q * (1.0f - fx) * (1.0f - fy));
    atomicAdd(base + 1, q * fx * (1.0f - fy));
    atomicAdd(base + m.nx, q * (1.0f - fx) * fy);
    atomicAdd(base + m.nx + 1, q * fx * fy);
}

static double total(const Mesh &m)
{
    std::vector<float> h((size_t)m.nx * m.ny);
    chk(cudaMemcpy(h.data(), m.rho, h.size() * sizeof(float), cudaMemcpyDeviceToHost), "copy");
    double s = 0;
    for (float v : h) s += v;
    return s;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 20000000;
    Mesh m = {6000, 5000, nullptr};
    if (argc > 3) {
        m.nx = atoi(argv[2]);
        m.ny = atoi(argv[3]);
    }
    const size_t mesh_bytes = (size_t)m.nx * m.ny * sizeof(float);
    float2 *pos;
    float *charge;
    chk(cudaMalloc(&pos, n * sizeof(float2)), "pos");
    chk(cudaMalloc(&charge, n * sizeof(float)), "charge");
    chk(cudaMalloc(&m.rho, mesh_bytes), "rho");
    chk(cudaMemset(m.rho, 0, mesh_bytes), "clear");

    const int bs = 256, gs = (n + bs - 1) / bs;
    scat_create<<<gs, bs>>>(pos, charge, n, m);
    chk(cudaGetLastError(), "create");
    scat_nearest<<<gs, bs>>>(pos, charge, n, m);
    chk(cudaDeviceSynchronize(), "nearest");
    printf("nearest: total charge %.1f\n", total(m));

    chk(cudaMemset(m.rho, 0, mesh_bytes), "clear");
    scat_linear<<<gs, bs>>>(pos, charge, n, m);
    chk(cudaDeviceSynchronize(), "linear");
    printf("linear:  total charge %.1f\n", total(m));
    cudaFree(pos);
    cudaFree(charge);
    cudaFree(m.rho);
    return 0;
}
