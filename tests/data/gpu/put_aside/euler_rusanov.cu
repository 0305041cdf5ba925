// First order finite volumes for the 2D compressible Euler equations with the Rusanov flux.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>

struct State { float r, mx, my, e; };

struct Grid2D {
    float *rho, *mx, *my, *en;
    int nx, ny;
    __device__ State load(int i, int j) const {
        size_t k = size_t(j) * nx + i;
        return {rho[k], mx[k], my[k], en[k]};
    }
    __device__ void store(int i, int j, const State &s) {
        size_t k = size_t(j) * nx + i;
        rho[k] = s.r; mx[k] = s.mx; my[k] = s.my; en[k] = s.e;
    }
};

constexpr float GAMMA = 1.4f;

__device__ inline float pressure(const State &s)
{
    return (GAMMA - 1.f) * (s.e - 0.5f * (s.mx * s.mx + s.my * s.my) / s.r);
}

// Flux along x; y faces pass swapped momenta.
__device__ inline State rusanov(const State &a, const State &b)
{
    float ua = a.mx / a.r, ub = b.mx / b.r;
    float pa = pressure(a), pb = pressure(b);
    float ca = sqrtf(GAMMA * pa / a.r), cb = sqrtf(GAMMA * pb / b.r);
    float s = fmaxf(fabsf(ua) + ca, fabsf(ub) + cb);
    State f;
    f.r  = 0.5f * (a.mx + b.mx - s * (b.r - a.r));
    f.mx = 0.5f * (a.mx * ua + pa + b.mx * ub + pb - s * (b.mx - a.mx));
    f.my = 0.5f * (a.my * ua + b.my * ub - s * (b.my - a.my));
    f.e  = 0.5f * ((a.e + pa) * ua + (b.e + pb) * ub - s * (b.e - a.e));
    return f;
}

__device__ inline State swapxy(State s) { float t = s.mx; s.mx = s.my; s.my = t; return s; }

__global__ void euler_blast_init(Grid2D g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= g.nx || j >= g.ny) return;
    float dx = i - 0.5f * g.nx, dy = j - 0.4f * g.ny;
    bool in = dx * dx + dy * dy < 400.f * 400.f;
    g.store(i, j, {in ? 1.f : 0.125f, 0.f, 0.f, (in ? 1.f : 0.1f) / (GAMMA - 1.f)});
}

// Positive floats keep their order when seen as ints.
__global__ void euler_max_speed(Grid2D g, int *maxBits)
{
    float best = 0.f;
    for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < g.ny; j += gridDim.y * blockDim.y)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < g.nx; i += gridDim.x * blockDim.x) {
            State s = g.load(i, j);
            float c = sqrtf(GAMMA * pressure(s) / s.r);
            best = fmaxf(best, fmaxf(fabsf(s.mx), fabsf(s.my)) / s.r + c);
        }
    for (int o = 16; o; o >>= 1) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
    if (threadIdx.x % 32 == 0) atomicMax(maxBits, __float_as_int(best));
}

__global__ void euler_rusanov_step(Grid2D in, Grid2D out, const int *maxBits, float cfl)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= in.nx || j >= in.ny) return;
    float lam = cfl / __int_as_float(*maxBits);
    State c = in.load(i, j);
    State w = in.load(max(i - 1, 0), j), e = in.load(min(i + 1, in.nx - 1), j);
    State s = in.load(i, max(j - 1, 0)), n = in.load(i, min(j + 1, in.ny - 1));
    State fw = rusanov(w, c), fe = rusanov(c, e);
    State fs = swapxy(rusanov(swapxy(s), swapxy(c))), fn = swapxy(rusanov(swapxy(c), swapxy(n)));
    c.r  -= lam * (fe.r - fw.r + fn.r - fs.r);
    c.mx -= lam * (fe.mx - fw.mx + fn.mx - fs.mx);
    c.my -= lam * (fe.my - fw.my + fn.my - fs.my);
    c.e  -= lam * (fe.e - fw.e + fn.e - fs.e);
    out.store(i, j, c);
}

static Grid2D makeGrid(int nx, int ny)
{
    Grid2D g;
    g.nx = nx; g.ny = ny;
    for (float **p : {&g.rho, &g.mx, &g.my, &g.en})
        if (cudaMalloc(p, sizeof(float) * nx * ny) != cudaSuccess) { std::cerr << "no memory\n"; std::exit(1); }
    return g;
}

int main(int argc, char **argv)
{
    int nx = argc > 1 ? atoi(argv[1]) : 4100, ny = argc > 2 ? atoi(argv[2]) : 3075;
    Grid2D a = makeGrid(nx, ny), b = makeGrid(nx, ny);
    int *bits;
    cudaMalloc(&bits, sizeof(int));
    dim3 block(32, 8), grid((nx + 31) / 32, (ny + 7) / 8);
    euler_blast_init<<<grid, block>>>(a);
    for (int t = 0; t < 3; ++t) {
        cudaMemset(bits, 0, sizeof(int));
        euler_max_speed<<<dim3(16, 66), block>>>(a, bits);
        euler_rusanov_step<<<grid, block>>>(a, b, bits, 0.4f);
        std::swap(a, b);
    }
    cudaError_t err = cudaGetLastError();
    if (err == cudaSuccess) err = cudaDeviceSynchronize();
    int h = 0;
    cudaMemcpy(&h, bits, sizeof h, cudaMemcpyDeviceToHost);
    float rho;
    cudaMemcpy(&rho, a.rho + size_t(ny / 2) * nx + nx / 2, sizeof rho, cudaMemcpyDeviceToHost);
    std::cout << cudaGetErrorString(err) << " speed bits " << h << " rho " << rho << "\n";
    return err != cudaSuccess;
}
