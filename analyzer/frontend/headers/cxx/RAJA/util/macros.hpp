#pragma once
#include <cstddef>
#define RAJA_RESTRICT __restrict
#define RAJA_INLINE inline
#define RAJA_HOST_DEVICE
#define RAJA_DEVICE
#define RAJA_UNROLL
#define RAJA_SIMD
#define RAJA_NO_SIMD
#define RAJA_TEAM_SHARED
#define RAJA_ALIGN_DATA(x) x
#define RAJA_UNUSED_ARG(...)
#define RAJA_UNUSED_VAR(...) ((void)0)
#define RAJA_STRINGIFY(x) #x
#define RAJA_SUPPRESS_HD_WARN
#define RAJA_DIVIDE_CEILING_INT(a, b) (((a) + (b) - 1) / (b))
#define RAJA_EXTRACT_BED_IT(x)
#define RAJA_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define RAJA_MAX(a, b) (((a) < (b)) ? (b) : (a))
#define RAJA_UNROLL_COUNT(n)
#define RAJA_INDEX_VALUE(type, name) using type = std::ptrdiff_t;
#define RAJA_INDEX_VALUE_T(type, value, name) using type = value;
