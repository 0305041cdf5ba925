// Monte Carlo photon transport in layered tissue; absorbed weight is scored on an (r, z) grid.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NR 256
#define NZG 256
#define NLAYER 3
#define MAX_STEPS 2000

struct Layer {
    float z0, z1;       // mm
    float mua, mus, g;  // 1/mm, 1/mm, anisotropy
};

__constant__ Layer d_layer[NLAYER];

struct Rng {
    unsigned long long s;
    __device__ unsigned next()
    {
        unsigned long long old = s;
        s = old * 6364136223846793005ull + 1442695040888963407ull;
        unsigned x = (unsigned)(((old >> 18) ^ old) >> 27);
        unsigned r = (unsigned)(old >> 59);
        return (x >> r) | (x << ((32 - r) & 31));
    }
    __device__ float uniform() { return ((next() >> 8) + 0.5f) * (1.f / 16777216.f); }
};

__device__ void scatterDir(float &ux, float &uy, float &uz, float g, Rng &rng)
{
    float ct;
    if (fabsf(g) > 1e-3f) {
        float t = (1.f - g * g) / (1.f - g + 2.f * g * rng.uniform());
        ct = (1.f + g * g - t * t) / (2.f * g);
    } else {
        ct = 2.f * rng.uniform() - 1.f;
    }
    ct = fminf(fmaxf(ct, -1.f), 1.f);
    float st = sqrtf(1.f - ct * ct);
    float sp, cp;
    sincosf(6.2831853f * rng.uniform(), &sp, &cp);
    if (fabsf(uz) > 0.99999f) {
        ux = st * cp;
        uy = st * sp;
        uz = copysignf(ct, ct * uz);
    } else {
        float q = sqrtf(1.f - uz * uz);
        float nx = st * (ux * uz * cp - uy * sp) / q + ux * ct;
        float ny = st * (uy * uz * cp + ux * sp) / q + uy * ct;
        uz = -st * cp * q + uz * ct;
        ux = nx;
        uy = ny;
    }
}

__global__ void mc_photons(float *absorbed, float *escaped, int n, float dr, float dz)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    float lost = 0.f;
    if (id < n) {
        Rng rng;
        rng.s = (unsigned long long)id * 0x9E3779B97F4A7C15ull + 0x1234567ull;
        rng.next();
        float x = 0, y = 0, z = 1e-4f, ux = 0, uy = 0, uz = 1, w = 1;
        int layer = 0;
        for (int step = 0; step < MAX_STEPS; ++step) {
            Layer L = d_layer[layer];
            float s = -logf(rng.uniform()) / (L.mua + L.mus);
            float zn = z + uz * s;
            if (zn < L.z0 || zn > L.z1) {
                // stop at the layer boundary and draw again on the other side
                bool down = zn > L.z1;
                float sb = ((down ? L.z1 : L.z0) - z) / uz;
                x += ux * sb;
                y += uy * sb;
                layer += down ? 1 : -1;
                if (layer < 0 || layer >= NLAYER) {
                    lost = w;
                    break;
                }
                z = down ? d_layer[layer].z0 : d_layer[layer].z1;
                continue;
            }
            x += ux * s;
            y += uy * s;
            z = zn;
            float dw = w * L.mua / (L.mua + L.mus);
            w -= dw;
            int ir = min((int)(sqrtf(x * x + y * y) / dr), NR - 1);
            int iz = min(max((int)(z / dz), 0), NZG - 1);
            atomicAdd(&absorbed[iz * NR + ir], dw);
            if (w < 1e-3f) {
                if (rng.uniform() > 0.1f) break;
                w *= 10.f;
            }
            scatterDir(ux, uy, uz, L.g, rng);
        }
    }
    for (int o = 16; o > 0; o >>= 1) lost += __shfl_down_sync(0xffffffffu, lost, o);
    if ((threadIdx.x & 31) == 0 && lost > 0.f) atomicAdd(escaped, lost);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 400000;
    Layer h[NLAYER] = {{0.f, 0.6f, 1.2f, 12.f, 0.8f}, {0.6f, 1.5f, 0.8f, 9.f, 0.9f}, {1.5f, 8.f, 1.5f, 7.f, 0.f}};
    float *abs_d, *esc_d;
    cudaMalloc((void **)&abs_d, NR * NZG * sizeof(float));
    cudaMalloc((void **)&esc_d, sizeof(float));
    cudaMemset(abs_d, 0, NR * NZG * sizeof(float));
    cudaMemset(esc_d, 0, sizeof(float));
    cudaMemcpyToSymbol(d_layer, h, sizeof(h));

    mc_photons<<<(n + 127) / 128, 128>>>(abs_d, esc_d, n, 4.f / NR, 8.f / NZG);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("mc: %s\n", cudaGetErrorString(e));
        return 1;
    }
    float *a = (float *)malloc(NR * NZG * sizeof(float)), esc;
    cudaMemcpy(a, abs_d, NR * NZG * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(&esc, esc_d, sizeof(float), cudaMemcpyDeviceToHost);
    double tot = 0;
    for (int i = 0; i < NR * NZG; i++) tot += a[i];
    printf("absorbed %.5f escaped %.5f (fractions)\n", tot / n, esc / n);
    free(a);
    cudaFree(abs_d);
    cudaFree(esc_d);
    return 0;
}
