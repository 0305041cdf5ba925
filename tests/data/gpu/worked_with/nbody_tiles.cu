// All-pairs gravity, positions staged through shared memory; integration in the same kernel.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
#include <cuda_runtime.h>

#define NB_BLOCK 256

__device__ float3 nb_interact(float4 bi, float4 bj, float3 a, float eps2)
{
    float dx = bj.x - bi.x;
    float dy = bj.y - bi.y;
    float dz = bj.z - bi.z;
    float r2 = dx * dx + dy * dy + dz * dz + eps2;
    float inv = rsqrtf(r2);
    float s = bj.w * inv * inv * inv;
    a.x += dx * s;
    a.y += dy * s;
    a.z += dz * s;
    return a;
}

__global__ void nbody_step(const float4 *pos_in, float4 *pos_out, float4 *vel, int n, float dt, float eps2)
{
    extern __shared__ float4 sh[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? pos_in[i] : make_float4(0.f, 0.f, 0.f, 0.f);
    float3 acc = make_float3(0.f, 0.f, 0.f);

    for (int start = 0; start < n; start += blockDim.x) {
        int j = start + threadIdx.x;
        sh[threadIdx.x] = j < n ? pos_in[j] : make_float4(0.f, 0.f, 0.f, 0.f);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < NB_BLOCK; k++) acc = nb_interact(me, sh[k], acc, eps2);
        __syncthreads();
    }
    if (i < n) {
        float4 v = vel[i];
        v.x += acc.x * dt;
        v.y += acc.y * dt;
        v.z += acc.z * dt;
        vel[i] = v;
        me.x += v.x * dt;
        me.y += v.y * dt;
        me.z += v.z * dt;
        pos_out[i] = me;
    }
}

static float lcg(unsigned &s)
{
    s = s * 1664525u + 1013904223u;
    return (s >> 8) / 16777216.0f;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50000;
    std::vector<float4> p(n), v(n);
    unsigned seed = 42;
    for (int i = 0; i < n; i++) {
        p[i] = make_float4(lcg(seed) - 0.5f, lcg(seed) - 0.5f, lcg(seed) - 0.5f, 1.0f / n);
        v[i] = make_float4(0.f, 0.f, 0.f, 0.f);
    }
    float4 *a, *b, *vel;
    size_t bytes = n * sizeof(float4);
    if (cudaMalloc(&a, bytes) || cudaMalloc(&b, bytes) || cudaMalloc(&vel, bytes)) {
        fprintf(stderr, "allocation failed\n");
        return 1;
    }
    cudaMemcpy(a, p.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(vel, v.data(), bytes, cudaMemcpyHostToDevice);

    int grid = (n + NB_BLOCK - 1) / NB_BLOCK;
    for (int t = 0; t < 3; t++) {
        nbody_step<<<grid, NB_BLOCK, NB_BLOCK * sizeof(float4)>>>(a, b, vel, n, 0.01f, 1e-4f);
        std::swap(a, b);
    }
    cudaError_t err = cudaGetLastError();
    if (err == cudaSuccess) err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(err));
        return 1;
    }
    cudaMemcpy(v.data(), vel, bytes, cudaMemcpyDeviceToHost);
    double px = 0, py = 0, pz = 0, speed = 0;
    for (const float4 &q : v) {
        px += q.x;
        py += q.y;
        pz += q.z;
        speed += std::sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z);
    }
    printf("momentum per body (%.2e %.2e %.2e), mean speed %.6f\n", px / n, py / n, pz / n, speed / n);
    cudaFree(a);
    cudaFree(b);
    cudaFree(vel);
    return 0;
}
