// LiDAR sweep: pose correction of raw returns (array of structs), voxel-grid accumulation and centroid compaction.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

struct Return {          // 28 bytes
    float x, y, z;
    float intensity;
    uint32_t stamp;
    uint16_t ring, flags;
    uint32_t column;
};
static_assert(sizeof(Return) == 28, "packed layout expected");

struct Cell {            // 20 bytes
    float sx, sy, sz;
    int count;
    int maxIntensity;
};

struct Pose { float r[9]; float t[3]; float drift[3]; };

struct GridSpec {
    float ox, oy, oz, inv;
    int nx, ny, nz;
};

__device__ unsigned lhash(unsigned x)
{
    x = (x + 0x7ed55d16u) + (x << 12);
    x = (x ^ 0xc761c23cu) ^ (x >> 19);
    x = (x + 0x165667b1u) + (x << 5);
    return x ^ (x >> 16);
}

__global__ void lidar_simulate(Return *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = lhash(i);
    Return r;
    r.ring = i % 64;
    r.column = i / 64;
    float az = r.column * 0.0031f, s, c;
    float range = 4.f + 0.7f * r.ring + 8.f * ((h & 255) / 255.f) * ((h >> 8 & 7) == 0);
    sincosf(az, &s, &c);
    r.x = range * c;
    r.y = range * s;
    r.z = -1.8f + 0.05f * ((h >> 12 & 255) / 255.f) + ((h >> 8 & 7) == 0 ? 2.f : 0.f);
    r.intensity = (float)(h >> 24);
    r.stamp = r.column * 55u;
    r.flags = (h >> 20 & 31) == 0;   // 1 = dropped return
    p[i] = r;
}

__global__ void lidar_deskew(Return *p, int n, Pose pose)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = p[i].x, y = p[i].y, z = p[i].z;
    float tt = (p[i].stamp & 0xfffff) * 1e-6f;
    p[i].x = pose.r[0] * x + pose.r[1] * y + pose.r[2] * z + pose.t[0] + pose.drift[0] * tt;
    p[i].y = pose.r[3] * x + pose.r[4] * y + pose.r[5] * z + pose.t[1] + pose.drift[1] * tt;
    p[i].z = pose.r[6] * x + pose.r[7] * y + pose.r[8] * z + pose.t[2] + pose.drift[2] * tt;
}

__global__ void lidar_accumulate(const Return *__restrict__ p, int n, Cell *cells, GridSpec g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || (p[i].flags & 1)) return;
    float x = p[i].x, y = p[i].y, z = p[i].z;
    int cx = (int)floorf((x - g.ox) * g.inv);
    int cy = (int)floorf((y - g.oy) * g.inv);
    int cz = (int)floorf((z - g.oz) * g.inv);
    if (cx < 0 || cy < 0 || cz < 0 || cx >= g.nx || cy >= g.ny || cz >= g.nz) return;
    Cell *c = &cells[((size_t)cz * g.ny + cy) * g.nx + cx];
    atomicAdd(&c->sx, x);
    atomicAdd(&c->sy, y);
    atomicAdd(&c->sz, z);
    atomicAdd(&c->count, 1);
    atomicMax(&c->maxIntensity, (int)p[i].intensity);
}

__global__ void lidar_centroids(const Cell *__restrict__ cells, int ncell, float4 *out, int *nout, int minCount)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < ncell && cells[i].count >= minCount;
    unsigned votes = __ballot_sync(0xffffffffu, keep);
    int lane = threadIdx.x & 31, base = 0;
    if (lane == 0 && votes) base = atomicAdd(nout, __popc(votes));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (keep) {
        Cell c = cells[i];
        float f = 1.f / c.count;
        out[base + __popc(votes & ((1u << lane) - 1))] = make_float4(c.sx * f, c.sy * f, c.sz * f, c.maxIntensity);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8000100;
    GridSpec g{-64.f, -64.f, -3.f, 4.f, 513, 513, 24};
    int ncell = g.nx * g.ny * g.nz;
    Return *pts;
    Cell *cells;
    float4 *out;
    int *nout;
    cudaMalloc(&pts, (size_t)n * sizeof(Return));
    cudaMalloc(&cells, (size_t)ncell * sizeof(Cell));
    cudaMalloc(&out, (size_t)ncell * sizeof(float4));
    cudaMalloc(&nout, sizeof(int));
    cudaMemset(cells, 0, (size_t)ncell * sizeof(Cell));
    cudaMemset(nout, 0, sizeof(int));
    Pose pose = {{0.9998f, -0.02f, 0, 0.02f, 0.9998f, 0, 0, 0, 1}, {0.5f, -0.25f, 0.f}, {0.8f, 0.1f, 0.f}};

    lidar_simulate<<<(n + 255) / 256, 256>>>(pts, n);
    lidar_deskew<<<(n + 255) / 256, 256>>>(pts, n, pose);
    lidar_accumulate<<<(n + 255) / 256, 256>>>(pts, n, cells, g);
    lidar_centroids<<<(ncell + 255) / 256, 256>>>(cells, ncell, out, nout, 2);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); return 1; }
    int kept;
    cudaMemcpy(&kept, nout, sizeof kept, cudaMemcpyDeviceToHost);
    printf("%d occupied voxels of %d\n", kept, ncell);
    cudaFree(pts); cudaFree(cells); cudaFree(out); cudaFree(nout);
    return 0;
}
