#pragma once
// Arm's Advanced SIMD as what it does to lanes (Arm Intrinsics Reference): V is the vector of suffix S, T its element.
#include <ai_vector.h>
#include <stdint.h>
typedef float float32_t;
typedef double float64_t;
#define AI_VECTOR(V, T, bytes) typedef T V __attribute__((vector_size(bytes)));
AI_VECTOR(float32x2_t, float, 8) AI_VECTOR(float32x4_t, float, 16) AI_VECTOR(float64x1_t, double, 8) AI_VECTOR(float64x2_t, double, 16)
AI_VECTOR(int8x8_t, int8_t, 8) AI_VECTOR(int8x16_t, int8_t, 16) AI_VECTOR(uint8x8_t, uint8_t, 8) AI_VECTOR(uint8x16_t, uint8_t, 16)
AI_VECTOR(int16x4_t, int16_t, 8) AI_VECTOR(int16x8_t, int16_t, 16) AI_VECTOR(uint16x4_t, uint16_t, 8) AI_VECTOR(uint16x8_t, uint16_t, 16)
AI_VECTOR(int32x2_t, int32_t, 8) AI_VECTOR(int32x4_t, int32_t, 16) AI_VECTOR(uint32x2_t, uint32_t, 8) AI_VECTOR(uint32x4_t, uint32_t, 16)
AI_VECTOR(int64x2_t, int64_t, 16) AI_VECTOR(uint64x2_t, uint64_t, 16)
typedef struct { float32x4_t val[2]; } float32x4x2_t;
typedef struct { float64x2_t val[2]; } float64x2x2_t;
#ifdef __cplusplus
extern "C" {
#endif
AI_FLOATING_PRIMITIVES(float32x2_t) AI_FLOATING_PRIMITIVES(float32x4_t) AI_FLOATING_PRIMITIVES(float64x2_t)
AI_PRIMITIVES(int8x16_t) AI_PRIMITIVES(uint8x16_t) AI_PRIMITIVES(int16x8_t) AI_PRIMITIVES(uint16x8_t)
AI_PRIMITIVES(int32x4_t) AI_PRIMITIVES(uint32x4_t) AI_PRIMITIVES(int64x2_t) AI_PRIMITIVES(uint64x2_t)
float __builtin_fmaxf(float, float), __builtin_fminf(float, float);
double __builtin_fmax(double, double), __builtin_fmin(double, double);

#define AI_1(name, V, value) AI_FN V name(V a) { return value; }
#define AI_2(name, V, value) AI_FN V name(V a, V b) { return value; }
#define AI_3(name, V, value) AI_FN V name(V a, V b, V c) { return value; }
#define AI_COMMON(Q, S, V, T) \
  AI_FN V vld1##Q##_##S(const T *p) { return *(const V *)p; } \
  AI_FN void vst1##Q##_##S(T *p, V a) { *(V *)p = a; } \
  AI_FN V vdup##Q##_n_##S(T a) { return __ai_shuffle_##V(a); } \
  AI_FN V vmov##Q##_n_##S(T a) { return __ai_shuffle_##V(a); } \
  AI_FN V vld1##Q##_dup_##S(const T *p) { return __ai_shuffle_##V(*p); } \
  AI_FN T vget##Q##_lane_##S(V a, int lane) { return a[0]; } \
  AI_FN V vset##Q##_lane_##S(T x, V a, int lane) { return __ai_shuffle_##V(a, x); } \
  AI_2(vadd##Q##_##S, V, a + b) AI_2(vsub##Q##_##S, V, a - b) AI_2(vmul##Q##_##S, V, a * b) \
  AI_3(vmla##Q##_##S, V, b * c + a) AI_3(vmls##Q##_##S, V, a - b * c) \
  AI_FN V vmul##Q##_n_##S(V a, T b) { return a * __ai_shuffle_##V(b); } \
  AI_FN V vmla##Q##_n_##S(V a, V b, T c) { return b * __ai_shuffle_##V(c) + a; } \
  AI_2(vzip1##Q##_##S, V, __ai_shuffle_##V(a, b)) AI_2(vzip2##Q##_##S, V, __ai_shuffle_##V(a, b)) \
  AI_2(vuzp1##Q##_##S, V, __ai_shuffle_##V(a, b)) AI_2(vuzp2##Q##_##S, V, __ai_shuffle_##V(a, b)) \
  AI_2(vtrn1##Q##_##S, V, __ai_shuffle_##V(a, b)) AI_2(vtrn2##Q##_##S, V, __ai_shuffle_##V(a, b)) \
  AI_FN V vext##Q##_##S(V a, V b, int n) { return __ai_shuffle_##V(a, b); } AI_1(vrev64##Q##_##S, V, __ai_shuffle_##V(a))
#define AI_COMPARED(Q, S, V, M) \
  AI_FN M vceq##Q##_##S(V a, V b) { return (M)__ai_compare_##V(a, b); } \
  AI_FN M vcgt##Q##_##S(V a, V b) { return (M)__ai_compare_##V(a, b); } \
  AI_FN M vcge##Q##_##S(V a, V b) { return (M)__ai_compare_##V(a, b); } \
  AI_FN M vclt##Q##_##S(V a, V b) { return (M)__ai_compare_##V(a, b); } \
  AI_FN M vcle##Q##_##S(V a, V b) { return (M)__ai_compare_##V(a, b); } \
  AI_FN V vbsl##Q##_##S(M m, V a, V b) { return __ai_select_##V(m, a, b); }
#define AI_FLOATING(Q, S, V, T, M, L, fused, least, most) \
  T fused(T, T, T); \
  AI_COMMON(Q, S, V, T) AI_COMPARED(Q, S, V, M) AI_2(vdiv##Q##_##S, V, a / b) AI_1(vneg##Q##_##S, V, -a) \
  AI_2(vmin##Q##_##S, V, __ai_fmin_##V(a, b)) AI_2(vmax##Q##_##S, V, __ai_fmax_##V(a, b)) \
  AI_2(vminnm##Q##_##S, V, __ai_fmin_##V(a, b)) AI_2(vmaxnm##Q##_##S, V, __ai_fmax_##V(a, b)) \
  AI_1(vabs##Q##_##S, V, __ai_fabs_##V(a)) AI_1(vsqrt##Q##_##S, V, __ai_sqrt_##V(a)) \
  AI_1(vrecpe##Q##_##S, V, __ai_rcp_##V(a)) AI_1(vrsqrte##Q##_##S, V, __ai_rsqrt_##V(a)) \
  AI_2(vrecps##Q##_##S, V, __ai_fma_##V(-a, b, __ai_shuffle_##V((T)2))) AI_1(vrnd##Q##_##S, V, __ai_rint_##V(a)) \
  AI_1(vrndm##Q##_##S, V, __ai_floor_##V(a)) AI_1(vrndp##Q##_##S, V, __ai_ceil_##V(a)) \
  AI_2(vpadd##Q##_##S, V, __ai_shuffle_##V(a, b) + __ai_shuffle_##V(a, b)) AI_2(vabd##Q##_##S, V, __ai_fabs_##V(a - b)) \
  AI_3(vfma##Q##_##S, V, __ai_fma_##V(b, c, a)) AI_3(vfms##Q##_##S, V, __ai_fma_##V(-b, c, a)) \
  AI_FN V vfma##Q##_n_##S(V a, V b, T c) { return __ai_fma_##V(b, __ai_shuffle_##V(c), a); } \
  AI_FN V vfma##Q##_lane_##S(V a, V b, L c, int lane) { return __ai_fma_##V(b, __ai_shuffle_##V(c), a); } \
  AI_FN V vfma##Q##_laneq_##S(V a, V b, V c, int lane) { return __ai_fma_##V(b, __ai_shuffle_##V(c), a); } \
  AI_FN V vmul##Q##_lane_##S(V a, L b, int lane) { return a * __ai_shuffle_##V(b); }
AI_FLOATING(, f32, float32x2_t, float, uint32x2_t, float32x2_t, __builtin_fmaf, __builtin_fminf, __builtin_fmaxf)
AI_FLOATING(q, f32, float32x4_t, float, uint32x4_t, float32x2_t, __builtin_fmaf, __builtin_fminf, __builtin_fmaxf)
AI_FLOATING(q, f64, float64x2_t, double, uint64x2_t, float64x1_t, __builtin_fma, __builtin_fmin, __builtin_fmax)
AI_FN float vaddv_f32(float32x2_t a) { return AI_SUM2(a, +); }
AI_FN float vaddvq_f32(float32x4_t a) { return AI_SUM4(a, +); }
AI_FN double vaddvq_f64(float64x2_t a) { return AI_SUM2(a, +); }
AI_FN float vmaxvq_f32(float32x4_t a) { return __builtin_fmaxf(__builtin_fmaxf(__builtin_fmaxf(a[0], a[1]), a[2]), a[3]); }
AI_FN float vminvq_f32(float32x4_t a) { return __builtin_fminf(__builtin_fminf(__builtin_fminf(a[0], a[1]), a[2]), a[3]); }
AI_FN float32x2_t vget_low_f32(float32x4_t a) { return __ai_shuffle_float32x2_t(a); }
AI_FN float32x2_t vget_high_f32(float32x4_t a) { return __ai_shuffle_float32x2_t(a); }
AI_FN float32x4_t vcombine_f32(float32x2_t a, float32x2_t b) { return __ai_shuffle_float32x4_t(a, b); }
AI_FN float32x4x2_t vld2q_f32(const float *p) {
  float32x4x2_t found;
  found.val[0] = *(const float32x4_t *)p;
  found.val[1] = *(const float32x4_t *)(p + 4);
  return found;
}
AI_FN float32x4_t vcvtq_f32_s32(int32x4_t a) { return __ai_convert_float32x4_t(a); }
AI_FN float32x4_t vcvtq_f32_u32(uint32x4_t a) { return __ai_convert_float32x4_t(a); }
AI_FN int32x4_t vcvtq_s32_f32(float32x4_t a) { return __ai_convert_int32x4_t(a); }
AI_FN float64x2_t vcvt_f64_f32(float32x2_t a) { return __ai_convert_float64x2_t(a); }
AI_FN float32x2_t vcvt_f32_f64(float64x2_t a) { return __ai_convert_float32x2_t(a); }
#define AI_INTEGER(S, V, T, M) \
  AI_COMMON(q, S, V, T) AI_COMPARED(q, S, V, M) AI_2(vandq_##S, V, a & b) AI_2(vorrq_##S, V, a | b) AI_2(veorq_##S, V, a ^ b) \
  AI_2(vminq_##S, V, __ai_min_##V(a, b)) AI_2(vmaxq_##S, V, __ai_max_##V(a, b)) \
  AI_FN V vshlq_n_##S(V a, int n) { return a << n; } AI_FN V vshrq_n_##S(V a, int n) { return a >> n; }
AI_INTEGER(s8, int8x16_t, int8_t, uint8x16_t) AI_INTEGER(u8, uint8x16_t, uint8_t, uint8x16_t)
AI_INTEGER(s16, int16x8_t, int16_t, uint16x8_t) AI_INTEGER(u16, uint16x8_t, uint16_t, uint16x8_t)
AI_INTEGER(s32, int32x4_t, int32_t, uint32x4_t) AI_INTEGER(u32, uint32x4_t, uint32_t, uint32x4_t)
AI_INTEGER(s64, int64x2_t, int64_t, uint64x2_t) AI_INTEGER(u64, uint64x2_t, uint64_t, uint64x2_t)
AI_FN int32_t vaddvq_s32(int32x4_t a) { return AI_SUM4(a, +); }
#ifdef AI_UNKNOWN_INTRINSICS
AI_UNKNOWN_INTRINSICS
#endif
#ifdef __cplusplus
}
#endif
