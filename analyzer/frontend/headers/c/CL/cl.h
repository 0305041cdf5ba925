#pragma once
/* The interface of OpenCL for hosts: kernels are texts that a driver compiles, and are not read. */
#include <stddef.h>
#include <stdint.h>
typedef int8_t cl_char;
typedef uint8_t cl_uchar;
typedef int16_t cl_short;
typedef uint16_t cl_ushort, cl_half;
typedef int32_t cl_int;
typedef uint32_t cl_uint, cl_bool, cl_program_build_info, cl_program_info, cl_device_info, cl_platform_info, cl_context_info;
typedef uint32_t cl_command_queue_info, cl_channel_order, cl_channel_type, cl_mem_object_type, cl_mem_info, cl_image_info;
typedef uint32_t cl_addressing_mode, cl_filter_mode, cl_sampler_info, cl_kernel_info, cl_kernel_work_group_info, cl_event_info;
typedef uint32_t cl_command_type, cl_profiling_info, cl_buffer_create_type, cl_kernel_arg_info, cl_device_local_mem_type;
typedef int32_t cl_build_status;
typedef int64_t cl_long;
typedef uint64_t cl_ulong, cl_bitfield, cl_device_type, cl_mem_flags, cl_map_flags, cl_command_queue_properties, cl_properties;
typedef uint64_t cl_device_fp_config, cl_device_exec_capabilities, cl_mem_migration_flags, cl_queue_properties, cl_svm_mem_flags;
typedef float cl_float;
typedef double cl_double;
typedef intptr_t cl_context_properties, cl_device_partition_property;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef struct _cl_sampler *cl_sampler;
typedef struct { cl_channel_order image_channel_order; cl_channel_type image_channel_data_type; } cl_image_format;
enum ai_cl_results {
  CL_SUCCESS = 0, CL_DEVICE_NOT_FOUND = -1, CL_DEVICE_NOT_AVAILABLE = -2, CL_COMPILER_NOT_AVAILABLE = -3,
  CL_MEM_OBJECT_ALLOCATION_FAILURE = -4, CL_OUT_OF_RESOURCES = -5, CL_OUT_OF_HOST_MEMORY = -6,
  CL_PROFILING_INFO_NOT_AVAILABLE = -7, CL_MEM_COPY_OVERLAP = -8, CL_IMAGE_FORMAT_MISMATCH = -9,
  CL_IMAGE_FORMAT_NOT_SUPPORTED = -10, CL_BUILD_PROGRAM_FAILURE = -11, CL_MAP_FAILURE = -12,
  CL_MISALIGNED_SUB_BUFFER_OFFSET = -13, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST = -14,
  CL_COMPILE_PROGRAM_FAILURE = -15, CL_LINKER_NOT_AVAILABLE = -16, CL_LINK_PROGRAM_FAILURE = -17,
  CL_DEVICE_PARTITION_FAILED = -18, CL_KERNEL_ARG_INFO_NOT_AVAILABLE = -19, CL_INVALID_VALUE = -30,
  CL_INVALID_DEVICE_TYPE = -31, CL_INVALID_PLATFORM = -32, CL_INVALID_DEVICE = -33, CL_INVALID_CONTEXT = -34,
  CL_INVALID_QUEUE_PROPERTIES = -35, CL_INVALID_COMMAND_QUEUE = -36, CL_INVALID_HOST_PTR = -37, CL_INVALID_MEM_OBJECT = -38,
  CL_INVALID_IMAGE_FORMAT_DESCRIPTOR = -39, CL_INVALID_IMAGE_SIZE = -40, CL_INVALID_SAMPLER = -41, CL_INVALID_BINARY = -42,
  CL_INVALID_BUILD_OPTIONS = -43, CL_INVALID_PROGRAM = -44, CL_INVALID_PROGRAM_EXECUTABLE = -45, CL_INVALID_KERNEL_NAME = -46,
  CL_INVALID_KERNEL_DEFINITION = -47, CL_INVALID_KERNEL = -48, CL_INVALID_ARG_INDEX = -49, CL_INVALID_ARG_VALUE = -50,
  CL_INVALID_ARG_SIZE = -51, CL_INVALID_KERNEL_ARGS = -52, CL_INVALID_WORK_DIMENSION = -53, CL_INVALID_WORK_GROUP_SIZE = -54,
  CL_INVALID_WORK_ITEM_SIZE = -55, CL_INVALID_GLOBAL_OFFSET = -56, CL_INVALID_EVENT_WAIT_LIST = -57, CL_INVALID_EVENT = -58,
  CL_INVALID_OPERATION = -59, CL_INVALID_GL_OBJECT = -60, CL_INVALID_BUFFER_SIZE = -61, CL_INVALID_MIP_LEVEL = -62,
  CL_INVALID_GLOBAL_WORK_SIZE = -63, CL_INVALID_PROPERTY = -64, CL_INVALID_IMAGE_DESCRIPTOR = -65,
  CL_INVALID_COMPILER_OPTIONS = -66, CL_INVALID_LINKER_OPTIONS = -67, CL_INVALID_DEVICE_PARTITION_COUNT = -68
};
enum ai_cl_values {
  CL_FALSE = 0, CL_TRUE = 1, CL_NON_BLOCKING = 0, CL_BLOCKING = 1,
  CL_PLATFORM_PROFILE = 0x900, CL_PLATFORM_VERSION, CL_PLATFORM_NAME, CL_PLATFORM_VENDOR, CL_PLATFORM_EXTENSIONS,
  CL_DEVICE_TYPE_DEFAULT = 1, CL_DEVICE_TYPE_CPU = 2, CL_DEVICE_TYPE_GPU = 4, CL_DEVICE_TYPE_ACCELERATOR = 8,
  CL_DEVICE_TYPE = 0x1000, CL_DEVICE_VENDOR_ID, CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
  CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_MAX_WORK_ITEM_SIZES, CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100C,
  CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101E, CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
  CL_DEVICE_LOCAL_MEM_SIZE = 0x1023, CL_DEVICE_NAME = 0x102B, CL_DEVICE_VENDOR, CL_DRIVER_VERSION, CL_DEVICE_PROFILE,
  CL_DEVICE_VERSION, CL_DEVICE_EXTENSIONS, CL_DEVICE_PLATFORM, CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_OPENCL_C_VERSION = 0x103D,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE = 1, CL_QUEUE_PROFILING_ENABLE = 2, CL_CONTEXT_PLATFORM = 0x1084,
  CL_QUEUE_PROPERTIES = 0x1093, CL_MEM_READ_WRITE = 1, CL_MEM_WRITE_ONLY = 2, CL_MEM_READ_ONLY = 4, CL_MEM_USE_HOST_PTR = 8,
  CL_MEM_ALLOC_HOST_PTR = 16, CL_MEM_COPY_HOST_PTR = 32, CL_MAP_READ = 1, CL_MAP_WRITE = 2,
  CL_PROGRAM_BUILD_STATUS = 0x1181, CL_PROGRAM_BUILD_OPTIONS, CL_PROGRAM_BUILD_LOG, CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
  CL_PROFILING_COMMAND_QUEUED = 0x1280, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END
};
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFF
#define CL_CALLBACK
#define CL_API_CALL
#define CL_API_ENTRY
#define CL_VERSION_1_2 1
#define AI_CALL(name) cl_int name();
#define AI_MAKE(type, name) type name();
#ifdef __cplusplus
#undef AI_CALL
#undef AI_MAKE
#define AI_CALL(name) cl_int name(...);
#define AI_MAKE(type, name) type name(...);
#endif
AI_CALL(clGetPlatformIDs) AI_CALL(clGetPlatformInfo) AI_CALL(clGetDeviceIDs) AI_CALL(clGetDeviceInfo) AI_CALL(clFlush)
AI_CALL(clFinish) AI_CALL(clBuildProgram) AI_CALL(clGetProgramBuildInfo) AI_CALL(clGetProgramInfo) AI_CALL(clSetKernelArg)
AI_CALL(clGetKernelWorkGroupInfo) AI_CALL(clEnqueueNDRangeKernel) AI_CALL(clEnqueueTask) AI_CALL(clEnqueueReadBuffer)
AI_CALL(clEnqueueWriteBuffer) AI_CALL(clEnqueueCopyBuffer) AI_CALL(clEnqueueFillBuffer) AI_CALL(clEnqueueUnmapMemObject)
AI_CALL(clWaitForEvents) AI_CALL(clGetEventProfilingInfo) AI_CALL(clGetEventInfo) AI_CALL(clReleaseEvent)
AI_CALL(clReleaseCommandQueue) AI_CALL(clReleaseContext) AI_CALL(clReleaseKernel) AI_CALL(clReleaseMemObject)
AI_CALL(clReleaseProgram) AI_CALL(clReleaseDevice) AI_CALL(clRetainMemObject) AI_CALL(clEnqueueBarrier) AI_CALL(clEnqueueMarker)
AI_MAKE(cl_context, clCreateContext) AI_MAKE(cl_context, clCreateContextFromType) AI_MAKE(cl_mem, clCreateBuffer)
AI_MAKE(cl_command_queue, clCreateCommandQueue) AI_MAKE(cl_command_queue, clCreateCommandQueueWithProperties)
AI_MAKE(cl_program, clCreateProgramWithSource) AI_MAKE(cl_program, clCreateProgramWithBinary)
AI_MAKE(cl_kernel, clCreateKernel) AI_MAKE(void *, clEnqueueMapBuffer)
#undef AI_CALL
#undef AI_MAKE
