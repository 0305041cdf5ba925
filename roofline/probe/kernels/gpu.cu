/* Runs micro-benchmarks on GPU 0. Standard input, one a line: KIND BYTES SECONDS REPEATS
   (BYTES: the working set over all arrays; of one SM for l1, shared and chase; 0 for arithmetic).
   Standard output: one line "target KEY=VALUE ... name=TEXT", then for each line of input
   KIND BYTES RATE... in bytes, FLOPs or loads per second of the whole GPU, one for each repeat,
   or "KIND BYTES error: TEXT". Errors that stop the run go to standard error, with exit code 1. */
#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define THREADS 256
#define WIDE 1024
#define CHAINS 8
#define TURNS 512
#define MOST_STEPS 262144 /* of a chain in one pass, which the next pass continues */

static void stop_on(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

struct Sizes {
  float4 *a, *b, *c;
  size_t vectors; /* of one array */
  long passes;
};

__device__ __forceinline__ float4 load_all(const float4 *p) { /* through L1 */
  float4 x;
  asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "l"(p));
  return x;
}

__device__ __forceinline__ float4 load_outer(const float4 *p) { /* past L1 */
  float4 x;
  asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "l"(p));
  return x;
}

/* The sum is never the odd value that is asked for, but the compiler cannot know. */
__device__ __forceinline__ void keep(float4 s, float4 *where) {
  if (s.x + s.y + s.z + s.w == -1.2345e30f) where[0] = s;
}

__device__ __forceinline__ void take(float4 &s, float4 x) { s.x += x.x, s.y += x.y, s.z += x.z, s.w += x.w; }

__global__ void stream_load(Sizes sizes) {
  size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
  float4 s = make_float4(0, 0, 0, 0), t = s;
  for (long pass = 0; pass < sizes.passes; pass++) {
    size_t i = first;
    for (; i + 3 * step < sizes.vectors; i += 4 * step) {
      float4 p = load_outer(sizes.a + i), q = load_outer(sizes.a + i + step);
      float4 u = load_outer(sizes.a + i + 2 * step), v = load_outer(sizes.a + i + 3 * step);
      take(s, p), take(t, q), take(s, u), take(t, v);
    }
    for (; i < sizes.vectors; i += step) take(s, load_outer(sizes.a + i));
  }
  take(s, t);
  keep(s, sizes.a);
}

__global__ void stream_store(Sizes sizes) {
  size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
  for (long pass = 0; pass < sizes.passes; pass++)
    for (size_t i = first; i < sizes.vectors; i += step) sizes.a[i] = make_float4(pass, 1, 2, 3);
}

__global__ void stream_copy(Sizes sizes) {
  size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
  for (long pass = 0; pass < sizes.passes; pass++)
    for (size_t i = first; i < sizes.vectors; i += step) sizes.a[i] = load_outer(sizes.b + i);
}

__global__ void stream_triad(Sizes sizes) {
  size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
  for (long pass = 0; pass < sizes.passes; pass++)
    for (size_t i = first; i < sizes.vectors; i += step) {
      float4 x = load_outer(sizes.b + i), y = load_outer(sizes.c + i);
      sizes.a[i] = make_float4(x.x + 0.4f * y.x, x.y + 0.4f * y.y, x.z + 0.4f * y.z, x.w + 0.4f * y.w);
    }
}

/* Every block reads its own part again and again: it stays in the L1 of its SM. */
__global__ void inner_load(Sizes sizes) {
  const float4 *own = sizes.a + blockIdx.x * sizes.vectors;
  float4 s = make_float4(0, 0, 0, 0), t = s;
  for (long pass = 0; pass < sizes.passes; pass++)
    for (size_t i = threadIdx.x; i < sizes.vectors; i += 2 * blockDim.x) {
      take(s, load_all(own + i));
      if (i + blockDim.x < sizes.vectors) take(t, load_all(own + i + blockDim.x));
    }
  take(s, t);
  keep(s, sizes.a);
}

__global__ void shared_load(Sizes sizes) {
  extern __shared__ float4 store[];
  for (size_t i = threadIdx.x; i < sizes.vectors; i += blockDim.x) store[i] = make_float4(1, 1, 1, 1);
  __syncthreads();
  unsigned base = (unsigned)__cvta_generic_to_shared(store);
  float4 s = make_float4(0, 0, 0, 0);
  for (long pass = 0; pass < sizes.passes; pass++)
    for (size_t i = threadIdx.x; i < sizes.vectors; i += blockDim.x) {
      float4 x;
      asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                   : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                   : "r"(base + (unsigned)(i * sizeof(float4))));
      take(s, x);
    }
  keep(s, sizes.a);
}

__device__ unsigned long long place;

__global__ void chase(Sizes sizes) {
  unsigned long long p = place;
  for (long pass = 0; pass < sizes.passes; pass++)
    for (size_t i = 0; i < sizes.vectors; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p));
  place = p;
}

template <typename T> struct Arithmetic;
template <> struct Arithmetic<double> {
  static __device__ double fma(double x, double y, double z) { return __fma_rn(x, y, z); }
  static __device__ double mul(double x, double y) { return __dmul_rn(x, y); }
  static __device__ double add(double x, double y) { return __dadd_rn(x, y); }
  static __device__ double value(float x) { return x; }
  static __device__ float number(double x) { return (float)x; }
};
template <> struct Arithmetic<float> {
  static __device__ float fma(float x, float y, float z) { return __fmaf_rn(x, y, z); }
  static __device__ float mul(float x, float y) { return __fmul_rn(x, y); }
  static __device__ float add(float x, float y) { return __fadd_rn(x, y); }
  static __device__ float value(float x) { return x; }
  static __device__ float number(float x) { return x; }
};
template <> struct Arithmetic<__half2> {
  static __device__ __half2 fma(__half2 x, __half2 y, __half2 z) { return __hfma2(x, y, z); }
  static __device__ __half2 mul(__half2 x, __half2 y) { return __hmul2_rn(x, y); }
  static __device__ __half2 add(__half2 x, __half2 y) { return __hadd2_rn(x, y); }
  static __device__ __half2 value(float x) { return __float2half2_rn(x); }
  static __device__ float number(__half2 x) { return __low2float(x); }
};

/* CHAINS independent chains in every thread; `mixed` gives half of them to multiplications, half to additions. */
template <typename T, bool mixed> __global__ void arithmetic(Sizes sizes) {
  using A = Arithmetic<T>;
  T m = A::value(0.999f), d = A::value(0.001f), x[CHAINS];
  float sum = 0;
  for (long pass = 0; pass < sizes.passes; pass++) {
#pragma unroll
    for (int k = 0; k < CHAINS; k++) x[k] = A::value(1.0f + 0.01f * k + 0.001f * (float)(pass & 7) + sum);
    for (int turn = 0; turn < TURNS; turn++) {
#pragma unroll
      for (int k = 0; k < CHAINS; k++) {
        if (mixed)
          x[k] = k % 2 ? A::mul(x[k], m) : A::add(x[k], d);
        else
          x[k] = A::fma(x[k], m, d);
      }
    }
#pragma unroll
    for (int k = 0; k < CHAINS; k++) sum += 1e-9f * A::number(x[k]);
  }
  if (sum == -1.2345e30f) sizes.a[0].x = sum;
}

enum Form { STREAM, L1_FORM, SHARED_FORM, CHASE_FORM, ARITHMETIC_FORM };
struct Kind {
  const char *name;
  Form form;
  int arrays;
  void (*run)(Sizes);
  double work; /* of one thread in one pass: FLOPs */
};

static const Kind KINDS[] = {
    {"load", STREAM, 1, stream_load, 0},
    {"store", STREAM, 1, stream_store, 0},
    {"copy", STREAM, 2, stream_copy, 0},
    {"triad", STREAM, 3, stream_triad, 0},
    {"l1", L1_FORM, 1, inner_load, 0},
    {"shared", SHARED_FORM, 1, shared_load, 0},
    {"chase", CHASE_FORM, 1, chase, 0},
    {"fma64", ARITHMETIC_FORM, 0, arithmetic<double, false>, 2.0 * CHAINS * TURNS},
    {"mix64", ARITHMETIC_FORM, 0, arithmetic<double, true>, 1.0 * CHAINS * TURNS},
    {"fma32", ARITHMETIC_FORM, 0, arithmetic<float, false>, 2.0 * CHAINS * TURNS},
    {"mix32", ARITHMETIC_FORM, 0, arithmetic<float, true>, 1.0 * CHAINS * TURNS},
    {"fma16", ARITHMETIC_FORM, 0, arithmetic<__half2, false>, 4.0 * CHAINS * TURNS},
    {"mix16", ARITHMETIC_FORM, 0, arithmetic<__half2, true>, 2.0 * CHAINS * TURNS},
};

static int attribute(cudaDeviceAttr which) {
  int value = 0;
  stop_on(cudaDeviceGetAttribute(&value, which, 0), "cannot ask the GPU");
  return value;
}

struct Shape {
  int blocks, threads;
  size_t shared;
  double work; /* of one pass of the whole grid */
};

/* Links every 128th byte of a block to one cycle in random order. */
static bool link_lines(float4 *place, size_t bytes, size_t *lines) {
  *lines = bytes / 128 < 2 ? 2 : bytes / 128;
  size_t *order = (size_t *)malloc(*lines * sizeof *order);
  char *image = (char *)calloc(*lines, 128);
  if (!order || !image) return false;
  for (size_t i = 0; i < *lines; i++) order[i] = i;
  unsigned long long state = 88172645463325252ull;
  for (size_t i = *lines - 1; i > 0; i--) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    size_t j = state % i, kept = order[i];
    order[i] = order[j], order[j] = kept;
  }
  for (size_t i = 0; i < *lines; i++)
    *(unsigned long long *)(image + order[i] * 128) = (unsigned long long)place + order[(i + 1) % *lines] * 128;
  cudaError_t error = cudaMemcpy(place, image, *lines * 128, cudaMemcpyHostToDevice);
  free(order), free(image);
  return error == cudaSuccess;
}

static const char *prepare(const Kind &kind, size_t bytes, Sizes &sizes, Shape &shape, int units) {
  size_t total = bytes < 4096 ? 4096 : bytes;
  shape.threads = kind.form == STREAM ? THREADS : kind.form == CHASE_FORM ? 1 : WIDE;
  shape.blocks = kind.form == STREAM ? units * 16 : kind.form == CHASE_FORM ? 1 : units;
  if (kind.form == ARITHMETIC_FORM) shape.blocks = units * 2;
  shape.shared = 0;
  size_t room = kind.form == L1_FORM ? total * (size_t)units : total + 4096;
  if (cudaMalloc((void **)&sizes.a, room) != cudaSuccess) {
    cudaGetLastError();
    return "no memory";
  }
  if (cudaMemset(sizes.a, 0, room) != cudaSuccess) return "memory cannot be set";
  sizes.vectors = total / sizeof(float4);
  switch (kind.form) {
  case STREAM:
    sizes.vectors = total / kind.arrays / 512 * 512 / sizeof(float4);
    sizes.b = sizes.a + sizes.vectors, sizes.c = sizes.b + sizes.vectors;
    shape.work = (double)sizes.vectors * sizeof(float4) * kind.arrays;
    return 0;
  case L1_FORM: shape.work = (double)sizes.vectors * sizeof(float4) * units; return 0;
  case SHARED_FORM:
    shape.shared = sizes.vectors * sizeof(float4);
    shape.work = (double)shape.shared * units;
    return 0;
  case CHASE_FORM: {
    size_t lines;
    unsigned long long start = (unsigned long long)sizes.a;
    if (!link_lines(sizes.a, total, &lines)) return "no memory";
    if (cudaMemcpyToSymbol(place, &start, sizeof start) != cudaSuccess) return "no start";
    sizes.vectors = lines < MOST_STEPS ? lines : MOST_STEPS;
    shape.work = (double)sizes.vectors;
    return 0;
  }
  default: shape.work = kind.work * shape.blocks * shape.threads; return 0;
  }
}

static double launch(const Kind &kind, const Sizes &sizes, const Shape &shape, cudaEvent_t from, cudaEvent_t to) {
  float milliseconds = 0;
  cudaEventRecord(from);
  kind.run<<<shape.blocks, shape.threads, shape.shared>>>(sizes);
  stop_on(cudaGetLastError(), "a kernel cannot be launched");
  cudaEventRecord(to);
  stop_on(cudaEventSynchronize(to), "a kernel failed");
  cudaEventElapsedTime(&milliseconds, from, to);
  return 1e-3 * milliseconds;
}

int main() {
  int devices = 0;
  stop_on(cudaGetDeviceCount(&devices), "no GPU can be used");
  cudaDeviceProp about;
  stop_on(cudaGetDeviceProperties(&about, 0), "cannot ask the GPU");
  int units = about.multiProcessorCount;
  printf("target compute=%d.%d units=%d clock_khz=%d memory_khz=%d bus_bits=%d l2_bytes=%d memory_bytes=%zu"
         " shared_bytes=%zu registers=%d threads=%d blocks=%d warp=%d name=%s\n",
         about.major, about.minor, units, attribute(cudaDevAttrClockRate), attribute(cudaDevAttrMemoryClockRate),
         about.memoryBusWidth, about.l2CacheSize, about.totalGlobalMem, about.sharedMemPerMultiprocessor,
         about.regsPerMultiprocessor, about.maxThreadsPerMultiProcessor,
         attribute(cudaDevAttrMaxBlocksPerMultiprocessor), about.warpSize, about.name);
  fflush(stdout);
  cudaEvent_t from, to;
  stop_on(cudaEventCreate(&from), "no timer");
  stop_on(cudaEventCreate(&to), "no timer");
  char name[64];
  unsigned long bytes;
  double seconds;
  int repeats;
  while (scanf("%63s %lu %lf %d", name, &bytes, &seconds, &repeats) == 4) {
    const Kind *kind = 0;
    for (const Kind &found : KINDS)
      if (!strcmp(name, found.name)) kind = &found;
    Sizes sizes = {0, 0, 0, 0, 1};
    Shape shape = {};
    const char *wrong = kind ? prepare(*kind, bytes, sizes, shape, units) : "not a measurement";
    printf("%s %lu", name, bytes);
    if (wrong) {
      printf(" error: %s", wrong);
    } else {
      launch(*kind, sizes, shape, from, to);
      for (int tries = 0; tries < 40; tries++) {
        double taken = launch(*kind, sizes, shape, from, to);
        if (taken >= 0.5 * seconds) break;
        double factor = taken > 0 ? seconds / taken : 8;
        long passes = (long)(sizes.passes * (factor > 8 ? 8 : factor));
        sizes.passes = passes > sizes.passes ? passes : sizes.passes + 1;
      }
      for (int k = 0; k < repeats; k++)
        printf(" %.9g", shape.work * (double)sizes.passes / launch(*kind, sizes, shape, from, to));
    }
    printf("\n");
    fflush(stdout);
    cudaFree(sizes.a);
  }
  return 0;
}
