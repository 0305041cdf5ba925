#pragma once
#include <ai_half.h>
#pragma clang force_cuda_host_device begin
struct __nv_fp8_e4m3 { unsigned char __x; __nv_fp8_e4m3() = default; template <class T> explicit __nv_fp8_e4m3(T); operator float() const; };
struct __nv_fp8_e5m2 { unsigned char __x; __nv_fp8_e5m2() = default; template <class T> explicit __nv_fp8_e5m2(T); operator float() const; };
struct __nv_fp8x2_e4m3 { unsigned short __x; __nv_fp8x2_e4m3() = default; template <class T> explicit __nv_fp8x2_e4m3(T); operator float2() const; };
struct __nv_fp8x4_e4m3 { unsigned int __x; __nv_fp8x4_e4m3() = default; template <class T> explicit __nv_fp8x4_e4m3(T); operator float4() const; };
#pragma clang force_cuda_host_device end
