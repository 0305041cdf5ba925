#pragma once
#include <ai_half.h>
#include <cuda_bf16.h>
#pragma clang force_cuda_host_device begin
struct __nv_bfloat16_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
__nv_fp8_storage_t __nv_cvt_float_to_fp8(float, __nv_saturation_t, __nv_fp8_interpretation_t);
__nv_fp8_storage_t __nv_cvt_double_to_fp8(double, __nv_saturation_t, __nv_fp8_interpretation_t);
__nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw, __nv_saturation_t, __nv_fp8_interpretation_t);
__nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw, __nv_saturation_t, __nv_fp8_interpretation_t);
__nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2, __nv_saturation_t, __nv_fp8_interpretation_t);
__half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t, __nv_fp8_interpretation_t);
__half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t, __nv_fp8_interpretation_t);
struct __nv_fp8_e4m3 { unsigned char __x; __nv_fp8_e4m3() = default; template <class T> explicit __nv_fp8_e4m3(T); operator float() const; };
struct __nv_fp8_e5m2 { unsigned char __x; __nv_fp8_e5m2() = default; template <class T> explicit __nv_fp8_e5m2(T); operator float() const; };
struct __nv_fp8x2_e4m3 { unsigned short __x; __nv_fp8x2_e4m3() = default; template <class T> explicit __nv_fp8x2_e4m3(T); operator float2() const; };
struct __nv_fp8x4_e4m3 { unsigned int __x; __nv_fp8x4_e4m3() = default; template <class T> explicit __nv_fp8x4_e4m3(T); operator float4() const; };
#pragma clang force_cuda_host_device end
