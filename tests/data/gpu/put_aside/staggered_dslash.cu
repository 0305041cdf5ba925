// Lattice gauge theory: staggered Dirac operator on a 4D periodic lattice with SU(3)-like links, and an inner product.
#include <cstdio>
#include <cstdlib>

typedef float2 cplx;

constexpr int LX = 32, LY = 32, LZ = 32, LT = 64;
constexpr int VOL = LX * LY * LZ * LT;

struct Coord { int c[4]; };

__device__ __forceinline__ void cmadd(cplx &s, cplx a, cplx b)
{
    s.x = fmaf(a.x, b.x, fmaf(-a.y, b.y, s.x));
    s.y = fmaf(a.x, b.y, fmaf(a.y, b.x, s.y));
}

// s += conj(a) * b
__device__ __forceinline__ void cmaddConj(cplx &s, cplx a, cplx b)
{
    s.x = fmaf(a.x, b.x, fmaf(a.y, b.y, s.x));
    s.y = fmaf(a.x, b.y, fmaf(-a.y, b.x, s.y));
}

__device__ __forceinline__ Coord decode(int s)
{
    Coord r;
    r.c[0] = s % LX; s /= LX;
    r.c[1] = s % LY; s /= LY;
    r.c[2] = s % LZ;
    r.c[3] = s / LZ;
    return r;
}

__device__ __forceinline__ int encode(const Coord &r)
{
    return ((r.c[3] * LZ + r.c[2]) * LY + r.c[1]) * LX + r.c[0];
}

__global__ void dslash_fill(cplx *p, size_t n, float amp, unsigned salt)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = ((unsigned)i + salt) * 0x9E3779B9u;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h ^= h >> 12;
    p[i] = make_float2(((h & 0xffff) / 65536.f - 0.5f) * amp, ((h >> 16) / 65536.f - 0.5f) * amp);
}

__global__ void __launch_bounds__(128)
dslash_staggered(const cplx *__restrict__ U, const cplx *__restrict__ in, cplx *__restrict__ out, float mass)
{
    const int dims[4] = {LX, LY, LZ, LT};
    int site = blockIdx.x * blockDim.x + threadIdx.x;
    if (site >= VOL) return;
    Coord x = decode(site);
    cplx acc[3];
    for (int a = 0; a < 3; ++a) acc[a] = make_float2(0.f, 0.f);

    int parity = 0;
#pragma unroll
    for (int mu = 0; mu < 4; ++mu) {
        const float eta = (parity & 1) ? -0.5f : 0.5f;
        parity += x.c[mu];

        Coord n = x;
        n.c[mu] = x.c[mu] + 1 == dims[mu] ? 0 : x.c[mu] + 1;
        const int fwd = encode(n);
        n.c[mu] = x.c[mu] == 0 ? dims[mu] - 1 : x.c[mu] - 1;
        const int bwd = encode(n);

        cplx f[3], b[3], v[3];
#pragma unroll
        for (int a = 0; a < 3; ++a) {
            f[a] = in[a * VOL + fwd];
            b[a] = in[a * VOL + bwd];
            v[a] = make_float2(0.f, 0.f);
        }
#pragma unroll
        for (int r = 0; r < 3; ++r)
#pragma unroll
            for (int c = 0; c < 3; ++c) {
                cmadd(v[r], U[(size_t)(mu * 9 + r * 3 + c) * VOL + site], f[c]);
                cplx ub = U[(size_t)(mu * 9 + r * 3 + c) * VOL + bwd];
                ub = make_float2(-ub.x, -ub.y);
                cmaddConj(v[c], ub, b[r]);
            }
#pragma unroll
        for (int a = 0; a < 3; ++a) {
            acc[a].x += eta * v[a].x;
            acc[a].y += eta * v[a].y;
        }
    }
#pragma unroll
    for (int a = 0; a < 3; ++a) {
        cplx own = in[a * VOL + site];
        out[a * VOL + site] = make_float2(acc[a].x + mass * own.x, acc[a].y + mass * own.y);
    }
}

__global__ void dslash_dot(const cplx *__restrict__ a, const cplx *__restrict__ b, double2 *res, int n)
{
    __shared__ double2 part[8];
    double re = 0, im = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        cplx p = a[i], q = b[i];
        re += (double)p.x * q.x + (double)p.y * q.y;
        im += (double)p.x * q.y - (double)p.y * q.x;
    }
    for (int o = 16; o; o >>= 1) {
        re += __shfl_xor_sync(~0u, re, o);
        im += __shfl_xor_sync(~0u, im, o);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_double2(re, im);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) { re += part[w].x; im += part[w].y; }
        atomicAdd(&res->x, re);
        atomicAdd(&res->y, im);
    }
}

int main()
{
    cplx *U, *p, *q;
    double2 *d, h;
    size_t nl = (size_t)36 * VOL;
    int nv = 3 * VOL;
    cudaMalloc(&U, nl * sizeof(cplx));
    cudaMalloc(&p, nv * sizeof(cplx));
    cudaMalloc(&q, nv * sizeof(cplx));
    cudaMalloc(&d, sizeof(double2));
    cudaMemset(d, 0, sizeof(double2));
    dslash_fill<<<(unsigned)((nl + 255) / 256), 256>>>(U, nl, 1.f, 0u);
    dslash_fill<<<(nv + 255) / 256, 256>>>(p, nv, 2.f, 0x5555u);
    dslash_staggered<<<(VOL + 127) / 128, 128>>>(U, p, q, 0.05f);
    dslash_staggered<<<(VOL + 127) / 128, 128>>>(U, q, p, 0.05f);
    dslash_dot<<<1056, 256>>>(p, q, d, nv);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { printf("dslash: %s\n", cudaGetErrorString(e)); return 1; }
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("<p,q>/V = (%.6f, %.6f)\n", h.x / VOL, h.y / VOL);
    cudaFree(U); cudaFree(p); cudaFree(q); cudaFree(d);
    return 0;
}
