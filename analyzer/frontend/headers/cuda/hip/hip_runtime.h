#pragma once
#define __HIP__ 1
#define __HIPCC__ 1
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
  kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__)
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
typedef cudaError_t hipError_t;
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef cudaDeviceProp hipDeviceProp_t;
typedef cudaMemcpyKind hipMemcpyKind;
#define hipSuccess cudaSuccess
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipMemcpyDefault cudaMemcpyDefault
const char *hipGetErrorString(hipError_t);
#define AI_CALL(name) template <class... A> hipError_t name(A &&...);
AI_CALL(hipMalloc) AI_CALL(hipMallocManaged) AI_CALL(hipMallocHost) AI_CALL(hipHostMalloc) AI_CALL(hipHostFree)
AI_CALL(hipFree) AI_CALL(hipMemcpy) AI_CALL(hipMemcpyAsync) AI_CALL(hipMemcpy2D) AI_CALL(hipMemset)
AI_CALL(hipMemsetAsync) AI_CALL(hipMemcpyToSymbol) AI_CALL(hipMemcpyFromSymbol) AI_CALL(hipDeviceSynchronize)
AI_CALL(hipGetLastError) AI_CALL(hipPeekAtLastError) AI_CALL(hipSetDevice) AI_CALL(hipGetDevice)
AI_CALL(hipGetDeviceCount) AI_CALL(hipGetDeviceProperties) AI_CALL(hipDeviceReset) AI_CALL(hipStreamCreate)
AI_CALL(hipStreamDestroy) AI_CALL(hipStreamSynchronize) AI_CALL(hipEventCreate) AI_CALL(hipEventRecord)
AI_CALL(hipEventSynchronize) AI_CALL(hipEventElapsedTime) AI_CALL(hipEventDestroy) AI_CALL(hipLaunchKernel)
#undef AI_CALL
