#pragma once
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 6
#define CUDART_VERSION 12060
#define CUDA_VERSION 12060
// What a library function does, in source: it is inlined like a function of the user.
#define __ai_model __attribute__((annotate("model")))
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __cluster_dims__(...)
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB
