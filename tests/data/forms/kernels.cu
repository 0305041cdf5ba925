__global__ void reduce_shared(const float *in, float *out, int n)
{
    __shared__ float data[1024];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            data[t] += data[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = data[0];
}

__global__ void reduce_interleaved(const float *in, float *out)
{
    __shared__ float data[1024];
    unsigned int t = threadIdx.x;
    data[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0)
            data[t] += data[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = data[0];
}

__global__ void scan_block(float *out, const float *in, int n)
{
    extern __shared__ float temp[];
    int t = threadIdx.x;
    int offset = 1;
    temp[2 * t] = in[2 * t];
    temp[2 * t + 1] = in[2 * t + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            temp[b] += temp[a];
        }
        offset *= 2;
    }
    if (t == 0)
        temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            float v = temp[a];
            temp[a] = temp[b];
            temp[b] += v;
        }
    }
    __syncthreads();
    out[2 * t] = temp[2 * t];
    out[2 * t + 1] = temp[2 * t + 1];
}

__global__ void bitonic_block(float *x, int n)
{
    extern __shared__ float s[];
    unsigned int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int k = 2; k <= n; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) {
            unsigned int other = t ^ j;
            if (other > t) {
                float a = s[t], b = s[other];
                s[t] = a + 0.5f * b;
                s[other] = a - 0.5f * b;
            }
            __syncthreads();
        }
    }
    x[t] = s[t];
}
