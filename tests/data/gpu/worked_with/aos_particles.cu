// Particle push with an array of structures: kick by a central field, then drift with reflecting walls.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Particle {
    float x, y, z;
    float vx, vy, vz;
    float mass;
};

static void check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
}

__device__ unsigned int aos_hash(unsigned int v)
{
    v ^= v >> 16;
    v *= 0x7feb352dU;
    v ^= v >> 15;
    v *= 0x846ca68bU;
    v ^= v >> 16;
    return v;
}

__device__ float aos_unit(unsigned int v)
{
    return (aos_hash(v) >> 8) * (1.0f / 16777216.0f);
}

__global__ void aos_setup(Particle *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle q;
    q.x = aos_unit(7u * i + 0u);
    q.y = aos_unit(7u * i + 1u);
    q.z = aos_unit(7u * i + 2u);
    q.vx = aos_unit(7u * i + 3u) - 0.5f;
    q.vy = aos_unit(7u * i + 4u) - 0.5f;
    q.vz = aos_unit(7u * i + 5u) - 0.5f;
    q.mass = 1.0f + aos_unit(7u * i + 6u);
    p[i] = q;
}

__global__ void aos_kick(Particle *p, int n, float strength, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float dx = 0.5f - p[i].x;
    float dy = 0.5f - p[i].y;
    float dz = 0.5f - p[i].z;
    float r2 = dx * dx + dy * dy + dz * dz + 1e-3f;
    float f = strength * dt / (p[i].mass * r2 * sqrtf(r2));
    p[i].vx += f * dx;
    p[i].vy += f * dy;
    p[i].vz += f * dz;
}

__device__ void bounce(float &pos, float &vel, float dt)
{
    pos += vel * dt;
    if (pos < 0.0f) {
        pos = -pos;
        vel = -vel;
    } else if (pos > 1.0f) {
        pos = 2.0f - pos;
        vel = -vel;
    }
}

__global__ void aos_drift(Particle *p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle q = p[i];
        bounce(q.x, q.vx, dt);
        bounce(q.y, q.vy, dt);
        bounce(q.z, q.vz, dt);
        p[i] = q;
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 12000001;
    const float dt = 1e-3f;
    Particle *p = nullptr;
    check(cudaMalloc((void **)&p, n * sizeof(Particle)), "cudaMalloc");

    dim3 block(192);
    dim3 grid((n + block.x - 1) / block.x);
    aos_setup<<<grid, block>>>(p, n);
    check(cudaGetLastError(), "setup");
    for (int step = 0; step < 3; ++step) {
        aos_kick<<<grid, block>>>(p, n, 0.01f, dt);
        aos_drift<<<grid, block>>>(p, n, dt);
        check(cudaGetLastError(), "step");
    }
    check(cudaDeviceSynchronize(), "sync");

    const int m = n < 1000 ? n : 1000;
    Particle *h = (Particle *)malloc(m * sizeof(Particle));
    check(cudaMemcpy(h, p, m * sizeof(Particle), cudaMemcpyDeviceToHost), "copy");
    double sx = 0, ke = 0;
    for (int i = 0; i < m; ++i) {
        sx += h[i].x;
        ke += 0.5 * h[i].mass * (h[i].vx * h[i].vx + h[i].vy * h[i].vy + h[i].vz * h[i].vz);
    }
    printf("mean x %.6f  kinetic energy of first %d: %.6f\n", sx / m, m, ke);
    free(h);
    cudaFree(p);
    return 0;
}
