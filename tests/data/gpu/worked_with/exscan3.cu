// Exclusive prefix sum: scan in blocks, scan of the block sums, addition of the offsets.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define NT 256            /* threads of a block */
#define VT 4              /* values of a thread */
#define CHUNK (NT * VT)

static void ok(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
        exit(1);
    }
}
#define OK(e) ok((e), __LINE__)

__global__ void scan_input(int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = (i * 13 + 5) & 7;
}

/* inclusive scan of one value a thread through shared memory (Hillis-Steele) */
__device__ int block_inclusive(int val, int *buf, int threads)
{
    int t = threadIdx.x;
    buf[t] = val;
    __syncthreads();
    for (int d = 1; d < threads; d *= 2) {
        int add = t >= d ? buf[t - d] : 0;
        __syncthreads();
        buf[t] += add;
        __syncthreads();
    }
    return buf[t];
}

__global__ void scan_blocks(const int *in, int *out, int *sums, int n)
{
    __shared__ int buf[NT];
    int first = blockIdx.x * CHUNK + threadIdx.x * VT;
    int v[VT];
    int total = 0;
    for (int k = 0; k < VT; k++) {
        v[k] = first + k < n ? in[first + k] : 0;
        total += v[k];
    }
    int run = block_inclusive(total, buf, NT) - total;
    for (int k = 0; k < VT; k++) {
        if (first + k < n) out[first + k] = run;
        run += v[k];
    }
    if (threadIdx.x == NT - 1) sums[blockIdx.x] = run;
}

/* one block walks over all block sums with a carry */
__global__ void scan_sums(int *sums, int m)
{
    __shared__ int buf[1024];
    int carry = 0;
    for (int base = 0; base < m; base += 1024) {
        int i = base + threadIdx.x;
        int x = i < m ? sums[i] : 0;
        int inc = block_inclusive(x, buf, 1024);
        if (i < m) sums[i] = carry + inc - x;
        carry += buf[1023];
        __syncthreads();
    }
}

__global__ void scan_add(int *out, const int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += sums[i / CHUNK];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 60000007;
    int blocks = (n + CHUNK - 1) / CHUNK;
    int *in, *out, *sums;
    OK(cudaMalloc((void **)&in, n * sizeof(int)));
    OK(cudaMalloc((void **)&out, n * sizeof(int)));
    OK(cudaMalloc((void **)&sums, blocks * sizeof(int)));

    scan_input<<<(n + 511) / 512, 512>>>(in, n);
    OK(cudaGetLastError());
    scan_blocks<<<blocks, NT>>>(in, out, sums, n);
    OK(cudaGetLastError());
    scan_sums<<<1, 1024>>>(sums, blocks);
    OK(cudaGetLastError());
    scan_add<<<(n + 511) / 512, 512>>>(out, sums, n);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());

    int last = 0, ref = 0;
    OK(cudaMemcpy(&last, out + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n - 1; i++) ref += (i * 13 + 5) & 7;
    printf("scan[n-1] = %d, host says %d\n", last, ref);
    OK(cudaFree(in));
    OK(cudaFree(out));
    OK(cudaFree(sums));
    return last != ref;
}
