#pragma once
enum cudaError_enum { CUDA_SUCCESS=0, CUDA_ERROR_INVALID_VALUE=1, CUDA_ERROR_OUT_OF_MEMORY=2, CUDA_ERROR_NOT_INITIALIZED=3, CUDA_ERROR_NO_DEVICE=100, CUDA_ERROR_INVALID_DEVICE=101, CUDA_ERROR_NOT_FOUND=500, CUDA_ERROR_UNKNOWN=999 };
typedef cudaError_enum CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef cudaEvent_t CUevent;
typedef enum { CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK=1, CU_DEVICE_ATTRIBUTE_WARP_SIZE=10, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT=16, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR=75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR=76 } CUdevice_attribute;
#define AI_CALL(name) template <class... A> CUresult name(A &&...);
AI_CALL(cuInit) AI_CALL(cuDeviceGet) AI_CALL(cuDeviceGetCount) AI_CALL(cuDeviceGetName) AI_CALL(cuDeviceGetAttribute)
AI_CALL(cuDeviceTotalMem) AI_CALL(cuDeviceComputeCapability) AI_CALL(cuDevicePrimaryCtxRetain) AI_CALL(cuCtxCreate)
AI_CALL(cuCtxDestroy) AI_CALL(cuCtxSetCurrent) AI_CALL(cuCtxGetCurrent) AI_CALL(cuCtxSynchronize) AI_CALL(cuModuleLoad)
AI_CALL(cuModuleLoadData) AI_CALL(cuModuleUnload) AI_CALL(cuModuleGetFunction) AI_CALL(cuModuleGetGlobal)
AI_CALL(cuMemAlloc) AI_CALL(cuMemFree) AI_CALL(cuMemcpyHtoD) AI_CALL(cuMemcpyDtoH) AI_CALL(cuMemcpyDtoD)
AI_CALL(cuMemsetD8) AI_CALL(cuMemsetD32) AI_CALL(cuMemGetInfo) AI_CALL(cuLaunchKernel) AI_CALL(cuStreamCreate)
AI_CALL(cuStreamSynchronize) AI_CALL(cuStreamDestroy) AI_CALL(cuEventCreate) AI_CALL(cuEventRecord)
AI_CALL(cuEventSynchronize) AI_CALL(cuEventElapsedTime) AI_CALL(cuEventDestroy) AI_CALL(cuGetErrorString)
AI_CALL(cuGetErrorName) AI_CALL(cuDriverGetVersion)
#undef AI_CALL
