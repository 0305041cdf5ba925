// Hash join of two relations: open-addressing build with 64-bit compare-and-swap, probe with linear search.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using u64 = unsigned long long;
constexpr u64 EMPTY = ~0ull;

struct HashTable {
    u64 *slot;
    uint32_t mask;

    __device__ static uint32_t hash(uint32_t k)
    {
        k ^= k >> 16;
        k *= 0x85ebca6bu;
        k ^= k >> 13;
        k *= 0xc2b2ae35u;
        return k ^ (k >> 16);
    }
    __device__ void insert(uint32_t key, uint32_t payload)
    {
        u64 e = (u64(key) << 32) | payload;
        uint32_t s = hash(key) & mask;
        while (atomicCAS(&slot[s], EMPTY, e) != EMPTY) s = (s + 1) & mask;
    }
    __device__ bool find(uint32_t key, uint32_t &payload) const
    {
        uint32_t s = hash(key) & mask;
        for (;;) {
            u64 e = slot[s];
            if (e == EMPTY) return false;
            if (uint32_t(e >> 32) == key) {
                payload = uint32_t(e);
                return true;
            }
            s = (s + 1) & mask;
        }
    }
};

__global__ void join_make_keys(uint32_t *build, int nb, uint32_t *probe, int np)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nb) build[i] = (i + 1) * 2654435761u;
    if (i < np) {
        uint32_t r = HashTable::hash(i * 3u + 12345u) % (2u * nb);
        probe[i] = (r + 1) * 2654435761u;
    }
}

__global__ void join_build(HashTable t, const uint32_t *__restrict__ keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t.insert(keys[i], i & 0x7fffffff);
}

__global__ void join_probe(HashTable t, const uint32_t *__restrict__ keys, int *__restrict__ rowid, int n, u64 *stats)
{
    u64 sum = 0;
    unsigned hits = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint32_t p = 0;
        bool hit = t.find(keys[i], p);
        rowid[i] = hit ? (int)p : -1;
        if (hit) {
            hits++;
            sum += p;
        }
    }
    hits = __reduce_add_sync(0xffffffffu, hits);
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&stats[0], (u64)hits);
        atomicAdd(&stats[1], sum);
    }
}

#define TRY(x) if (cudaError_t e = (x)) { fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e)); return 1; }

int main(int argc, char **argv)
{
    const int nb = argc > 1 ? atoi(argv[1]) : 9000000;
    const int np = argc > 2 ? atoi(argv[2]) : 40000000;
    uint32_t cap = 1;
    while (cap < 1.6 * nb) cap <<= 1;

    HashTable t;
    t.mask = cap - 1;
    uint32_t *bk, *pk;
    int *rid;
    u64 *stats;
    TRY(cudaMalloc(&t.slot, cap * sizeof(u64)));
    TRY(cudaMalloc(&bk, nb * sizeof(uint32_t)));
    TRY(cudaMalloc(&pk, np * sizeof(uint32_t)));
    TRY(cudaMalloc(&rid, np * sizeof(int)));
    TRY(cudaMalloc(&stats, 2 * sizeof(u64)));
    TRY(cudaMemset(t.slot, 0xff, cap * sizeof(u64)));
    TRY(cudaMemset(stats, 0, 2 * sizeof(u64)));

    int most = nb > np ? nb : np;
    join_make_keys<<<(most + 255) / 256, 256>>>(bk, nb, pk, np);
    join_build<<<(nb + 383) / 384, 384>>>(t, bk, nb);
    join_probe<<<132 * 8, 256>>>(t, pk, rid, np, stats);
    TRY(cudaGetLastError());
    TRY(cudaDeviceSynchronize());

    u64 h[2];
    TRY(cudaMemcpy(h, stats, sizeof h, cudaMemcpyDeviceToHost));
    printf("capacity %u, hits %llu of %d, payload sum %llu\n", cap, h[0], np, h[1]);
    cudaFree(t.slot); cudaFree(bk); cudaFree(pk); cudaFree(rid); cudaFree(stats);
    return 0;
}
