// Sum of n numbers: a tree in dynamic shared memory for each block, then one atomic addition.
__global__ void reduce(const float *in, float *out, int n) {
  extern __shared__ float partial[];
  unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) partial[tid] += partial[tid + s];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(out, partial[0]);
}

void run(const float *in, float *out) {
  enum { N = 1 << 20 };
  int threads = 256;
  reduce<<<(N + threads - 1) / threads, threads, threads * sizeof(float)>>>(in, out, N);
}
