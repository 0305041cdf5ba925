// Structure-of-arrays particle update, velocity Verlet in a harmonic trap with drag.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct ParticleView {
    float *x, *y, *z;
    float *vx, *vy, *vz;
    float *q;
    int count;
};

struct Trap {
    float kx, ky, kz;
    float drag;
};

inline void ck(cudaError_t e)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(e));
        std::exit(1);
    }
}

__global__ void soa_init(ParticleView p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.count) {
        unsigned s = i * 1664525u + 1013904223u;
        p.x[i] = (s & 0xffff) / 65536.0f - 0.5f;
        s = s * 1664525u + 1013904223u;
        p.y[i] = (s >> 16) / 65536.0f - 0.5f;
        s = s * 1664525u + 1013904223u;
        p.z[i] = (s >> 16) / 65536.0f - 0.5f;
        p.vx[i] = 0.1f;
        p.vy[i] = -0.1f;
        p.vz[i] = 0.05f;
        p.q[i] = (i & 1) ? 1.0f : 2.0f;
    }
}

__global__ void soa_push(ParticleView p, Trap t, float dt)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p.count; i += gridDim.x * blockDim.x) {
        const float q = p.q[i];
        float x = p.x[i], y = p.y[i], z = p.z[i];
        float vx = p.vx[i], vy = p.vy[i], vz = p.vz[i];
        vx -= dt * (q * t.kx * x + t.drag * vx);
        vy -= dt * (q * t.ky * y + t.drag * vy);
        vz -= dt * (q * t.kz * z + t.drag * vz);
        p.x[i] = x + dt * vx;
        p.y[i] = y + dt * vy;
        p.z[i] = z + dt * vz;
        p.vx[i] = vx;
        p.vy[i] = vy;
        p.vz[i] = vz;
    }
}

// only velocities: rotate in a magnetic field along z
__global__ void soa_rotate(ParticleView p, float omega_dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    float a = omega_dt * p.q[i];
    float s, c;
    sincosf(a, &s, &c);
    float vx = p.vx[i], vy = p.vy[i];
    p.vx[i] = c * vx + s * vy;
    p.vy[i] = c * vy - s * vx;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 15000000;
    ParticleView p;
    p.count = n;
    float **fields[] = {&p.x, &p.y, &p.z, &p.vx, &p.vy, &p.vz, &p.q};
    for (float **f : fields) ck(cudaMalloc(f, sizeof(float) * n));

    soa_init<<<(n + 255) / 256, 256>>>(p);
    ck(cudaGetLastError());
    const Trap trap = {1.0f, 1.5f, 2.0f, 0.01f};
    for (int it = 0; it < 3; it++) {
        soa_push<<<132 * 8, 256>>>(p, trap, 0.01f);
        soa_rotate<<<(n + 127) / 128, 128>>>(p, 0.02f);
    }
    ck(cudaGetLastError());
    ck(cudaDeviceSynchronize());

    int m = n < 4096 ? n : 4096;
    std::vector<float> h(m);
    ck(cudaMemcpy(h.data(), p.vx, m * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float v : h) sum += v;
    std::printf("mean vx over %d particles: %.6f\n", m, sum / m);
    for (float **f : fields) cudaFree(*f);
    return 0;
}
