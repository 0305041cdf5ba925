// 3D FDTD on a Yee grid; per-cell material index into constant tables, soft source in the E update.
#include <cstdio>
#include <cmath>
#include <vector>

#define NXC 300
#define NYC 281
#define NZC 262
#define ID(i, j, k) (((size_t)(k) * NYC + (j)) * NXC + (i))

struct Fields {
    float *ex, *ey, *ez, *hx, *hy, *hz;
};

__constant__ float c_ca[8], c_cb[8];

__global__ void yee_update_h(Fields f, float ch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= NXC - 1 || j >= NYC - 1 || k >= NZC - 1) return;
    size_t c = ID(i, j, k);
    float ex = f.ex[c], ey = f.ey[c], ez = f.ez[c];
    f.hx[c] -= ch * ((f.ez[ID(i, j + 1, k)] - ez) - (f.ey[ID(i, j, k + 1)] - ey));
    f.hy[c] -= ch * ((f.ex[ID(i, j, k + 1)] - ex) - (f.ez[ID(i + 1, j, k)] - ez));
    f.hz[c] -= ch * ((f.ey[ID(i + 1, j, k)] - ey) - (f.ex[ID(i, j + 1, k)] - ex));
}

__global__ void yee_update_e(Fields f, const unsigned char *__restrict__ mat, float src)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int k = blockIdx.z * blockDim.z + threadIdx.z + 1;
    if (i >= NXC - 1 || j >= NYC - 1 || k >= NZC - 1) return;
    size_t c = ID(i, j, k);
    int m = mat[c];
    float ca = c_ca[m], cb = c_cb[m];
    float hx = f.hx[c], hy = f.hy[c], hz = f.hz[c];
    f.ex[c] = ca * f.ex[c] + cb * ((hz - f.hz[ID(i, j - 1, k)]) - (hy - f.hy[ID(i, j, k - 1)]));
    f.ey[c] = ca * f.ey[c] + cb * ((hx - f.hx[ID(i, j, k - 1)]) - (hz - f.hz[ID(i - 1, j, k)]));
    float e = ca * f.ez[c] + cb * ((hy - f.hy[ID(i - 1, j, k)]) - (hx - f.hx[ID(i, j - 1, k)]));
    if (i == NXC / 2 && j == NYC / 2) e += src;
    f.ez[c] = e;
}

__global__ void yee_materials(unsigned char *mat)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y, k = blockIdx.z;
    if (i >= NXC) return;
    int dx = i - 90, dy = j - 140, dz = k - 130;
    int m = 0;
    if (dx * dx + dy * dy + dz * dz < 60 * 60) m = 3;
    else if (i > 200 && (j / 20) % 2) m = 1 + (k / 32) % 5;
    mat[ID(i, j, k)] = (unsigned char)m;
}

int main()
{
    size_t n = (size_t)NXC * NYC * NZC;
    Fields f;
    float **ptrs[6] = {&f.ex, &f.ey, &f.ez, &f.hx, &f.hy, &f.hz};
    for (auto p : ptrs) {
        cudaMalloc(p, n * sizeof(float));
        cudaMemset(*p, 0, n * sizeof(float));
    }
    unsigned char *mat;
    cudaMalloc(&mat, n);
    float ca[8], cb[8];
    for (int m = 0; m < 8; ++m) {
        float eps = 1.f + 0.75f * m, sigma = m == 3 ? 0.02f : 0.001f * m;
        float s = sigma / (2.f * eps);
        ca[m] = (1.f - s) / (1.f + s);
        cb[m] = 0.5f / eps / (1.f + s);
    }
    cudaMemcpyToSymbol(c_ca, ca, sizeof ca);
    cudaMemcpyToSymbol(c_cb, cb, sizeof cb);
    yee_materials<<<dim3((NXC + 127) / 128, NYC, NZC), 128>>>(mat);

    const dim3 blk(32, 4, 2);
    const dim3 grd((NXC + blk.x - 1) / blk.x, (NYC + blk.y - 1) / blk.y, (NZC + blk.z - 1) / blk.z);
    for (int t = 0; t < 5; ++t) {
        yee_update_h<<<grd, blk>>>(f, 0.5f);
        yee_update_e<<<grd, blk>>>(f, mat, sinf(0.3f * (t + 1)));
    }
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { std::printf("failed: %s\n", cudaGetErrorString(e)); return 1; }

    std::vector<float> line(NXC);
    cudaMemcpy(line.data(), f.ez + ID(0, NYC / 2, NZC / 2), NXC * sizeof(float), cudaMemcpyDeviceToHost);
    float s = 0;
    for (float x : line) s += x * x;
    std::printf("ez energy on line: %g\n", s);
    for (auto p : ptrs) cudaFree(*p);
    cudaFree(mat);
    return 0;
}
