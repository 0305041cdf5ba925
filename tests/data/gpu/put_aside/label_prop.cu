// Connected components by minimum-label propagation over an edge list; labels and edges fit into the L2 cache.
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ unsigned scramble(unsigned a)
{
    a = (a ^ 61u) ^ (a >> 16);
    a += a << 3;
    a ^= a >> 4;
    a *= 0x27d4eb2du;
    return a ^ (a >> 15);
}

__global__ void cc_make_graph(int2 *edge, int ne, int *label, int nv)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < ne) {
        int u = scramble(i) % nv;
        unsigned h = scramble(i + 0x10000000u);
        int v;
        switch (h & 3) {
        case 0:  v = (h >> 2) % nv; break;
        case 1:  v = u + 1 < nv ? u + 1 : 0; break;
        default: v = (u / 512) * 512 + (h >> 8) % 512; break;
        }
        if (v >= nv) v = nv - 1;
        edge[i] = make_int2(u, v);
    }
    if (i < nv) label[i] = i;
}

__global__ void cc_relax_edges(const int2 *__restrict__ edge, int ne, int *label, int *changed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int moved = 0;
    if (i < ne) {
        int2 e = edge[i];
        int a = label[e.x], b = label[e.y];
        if (a < b) {
            atomicMin(&label[e.y], a);
            moved = 1;
        } else if (b < a) {
            atomicMin(&label[e.x], b);
            moved = 1;
        }
    }
    if (__syncthreads_or(moved) && threadIdx.x == 0) *changed = 1;
}

// Follow the chain of labels a few hops; the label of a vertex is itself a vertex.
__global__ void cc_shortcut(int *label, int nv)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nv; i += gridDim.x * blockDim.x) {
        int l = label[i];
        int hops = 0;
        while (hops < 8) {
            int up = label[l];
            if (up == l) break;
            l = up;
            hops++;
        }
        if (hops) label[i] = l;
    }
}

int main(int argc, char **argv)
{
    int nv = argc > 1 ? atoi(argv[1]) : 2600000;
    int ne = argc > 2 ? atoi(argv[2]) : 4000000;
    int2 *edge;
    int *label, *changed;
    cudaMalloc(&edge, ne * sizeof(int2));
    cudaMalloc(&label, nv * sizeof(int));
    cudaMalloc(&changed, sizeof(int));
    int m = ne > nv ? ne : nv;
    cc_make_graph<<<(m + 191) / 192, 192>>>(edge, ne, label, nv);

    int rounds = 0, flag = 1;
    while (flag && rounds < 6) {
        flag = 0;
        cudaMemcpy(changed, &flag, sizeof flag, cudaMemcpyHostToDevice);
        cc_relax_edges<<<(ne + 191) / 192, 192>>>(edge, ne, label, changed);
        cc_shortcut<<<264, 192>>>(label, nv);
        cudaMemcpy(&flag, changed, sizeof flag, cudaMemcpyDeviceToHost);
        rounds++;
    }
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(e));
        return 1;
    }
    std::vector<int> h(nv);
    cudaMemcpy(h.data(), label, nv * sizeof(int), cudaMemcpyDeviceToHost);
    int roots = 0;
    for (int i = 0; i < nv; ++i) roots += h[i] == i;
    printf("%d rounds, %d roots, last label %d\n", rounds, roots, h[nv - 1]);
    cudaFree(edge);
    cudaFree(label);
    cudaFree(changed);
    return 0;
}
