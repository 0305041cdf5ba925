#pragma once
// SSE to AVX-512 as what they do to lanes (Intel Intrinsics Guide): each body has the operations of its instruction.
// W is the width in the name, S the suffix, V the vector, T its element.
#include <ai_vector.h>
#include <stddef.h>
typedef float __m128 __attribute__((vector_size(16)));
typedef double __m128d __attribute__((vector_size(16)));
typedef long long __m128i __attribute__((vector_size(16)));
typedef float __m256 __attribute__((vector_size(32)));
typedef double __m256d __attribute__((vector_size(32)));
typedef long long __m256i __attribute__((vector_size(32)));
typedef float __m512 __attribute__((vector_size(64)));
typedef double __m512d __attribute__((vector_size(64)));
typedef long long __m512i __attribute__((vector_size(64)));
typedef unsigned char __mmask8;
typedef unsigned short __mmask16;
typedef unsigned int __mmask32;
typedef unsigned long long __mmask64;
#define _MM_HINT_T0 3
#define _MM_HINT_T1 2
#define _MM_HINT_T2 1
#define _MM_HINT_NTA 0
#define _MM_SHUFFLE(z, y, x, w) (((z) << 6) | ((y) << 4) | ((x) << 2) | (w))
#define _MM_FROUND_TO_NEAREST_INT 0
#define _MM_FROUND_TO_NEG_INF 1
#define _MM_FROUND_TO_POS_INF 2
#define _MM_FROUND_TO_ZERO 3
#define _MM_FROUND_CUR_DIRECTION 4
#define _MM_FROUND_NO_EXC 8
#define _CMP_EQ_OQ 0
#define _CMP_LT_OS 1
#define _CMP_LE_OS 2
#define _CMP_UNORD_Q 3
#define _CMP_NEQ_UQ 4
#define _CMP_NLT_US 5
#define _CMP_NLE_US 6
#define _CMP_ORD_Q 7
#define _CMP_NEQ_OQ 12
#define _CMP_GE_OS 13
#define _CMP_GT_OS 14
#define _CMP_LT_OQ 17
#define _CMP_LE_OQ 18
#define _CMP_GE_OQ 29
#define _CMP_GT_OQ 30
#ifdef __cplusplus
extern "C" {
#endif
AI_FLOATING_PRIMITIVES(__m128) AI_FLOATING_PRIMITIVES(__m256) AI_FLOATING_PRIMITIVES(__m512)
AI_FLOATING_PRIMITIVES(__m128d) AI_FLOATING_PRIMITIVES(__m256d) AI_FLOATING_PRIMITIVES(__m512d)
AI_PRIMITIVES(__m128i) AI_PRIMITIVES(__m256i) AI_PRIMITIVES(__m512i)
void _mm_prefetch(const void *, int), _mm_sfence(void), _mm_lfence(void), _mm_mfence(void), _mm_pause(void);
void _mm256_zeroupper(void), _mm256_zeroall(void), _mm_free(void *);
void *_mm_malloc(size_t, size_t);
unsigned int _mm_getcsr(void);
void _mm_setcsr(unsigned int);

#define AI_FUNCTION1(W, name, S, V, value) AI_FN V _mm##W##_##name##_##S(V a) { return value; }
#define AI_FUNCTION2(W, name, S, V, value) AI_FN V _mm##W##_##name##_##S(V a, V b) { return value; }
#define AI_FUNCTION3(W, name, S, V, value) AI_FN V _mm##W##_##name##_##S(V a, V b, V c) { return value; }
#define AI_CONTROL1(W, name, S, V, value) AI_FN V _mm##W##_##name##_##S(V a, int control) { return value; }
#define AI_CONTROL2(W, name, S, V, value) AI_FN V _mm##W##_##name##_##S(V a, V b, int control) { return value; }
#define AI_MEMORY(W, S, V) \
  AI_FN V _mm##W##_loadu_##S(const void *p) { return *(const V *)p; } \
  AI_FN V _mm##W##_load_##S(const void *p) { return *(const V *)p; } \
  AI_FN void _mm##W##_storeu_##S(void *p, V a) { *(V *)p = a; } \
  AI_FN void _mm##W##_store_##S(void *p, V a) { *(V *)p = a; }
#define AI_FLOATING(W, S, V, T) \
  AI_FUNCTION2(W, add, S, V, a + b) AI_FUNCTION2(W, sub, S, V, a - b) AI_FUNCTION2(W, mul, S, V, a * b) \
  AI_FUNCTION2(W, div, S, V, a / b) AI_FUNCTION2(W, min, S, V, __ai_fmin_##V(a, b)) \
  AI_FUNCTION2(W, max, S, V, __ai_fmax_##V(a, b)) AI_FUNCTION1(W, sqrt, S, V, __ai_sqrt_##V(a)) \
  AI_FUNCTION3(W, fmadd, S, V, __ai_fma_##V(a, b, c)) AI_FUNCTION3(W, fmsub, S, V, __ai_fma_##V(a, b, -c)) \
  AI_FUNCTION3(W, fnmadd, S, V, __ai_fma_##V(-a, b, c)) AI_FUNCTION3(W, fnmsub, S, V, __ai_fma_##V(-a, b, -c)) \
  AI_FUNCTION3(W, fmaddsub, S, V, __ai_fma_##V(a, b, c)) AI_FUNCTION3(W, fmsubadd, S, V, __ai_fma_##V(a, b, c)) \
  AI_FUNCTION2(W, and, S, V, __ai_bits_##V(a, b)) AI_FUNCTION2(W, or, S, V, __ai_bits_##V(a, b)) \
  AI_FUNCTION2(W, xor, S, V, __ai_bits_##V(a, b)) AI_FUNCTION2(W, andnot, S, V, __ai_bits_##V(a, b)) \
  AI_FUNCTION2(W, unpacklo, S, V, __ai_shuffle_##V(a, b)) AI_FUNCTION2(W, unpackhi, S, V, __ai_shuffle_##V(a, b)) \
  AI_CONTROL2(W, shuffle, S, V, __ai_shuffle_##V(a, b)) AI_CONTROL1(W, permute, S, V, __ai_shuffle_##V(a)) \
  AI_FUNCTION1(W, floor, S, V, __ai_floor_##V(a)) AI_FUNCTION1(W, ceil, S, V, __ai_ceil_##V(a)) \
  AI_CONTROL1(W, round, S, V, __ai_rint_##V(a)) AI_CONTROL1(W, roundscale, S, V, __ai_rint_##V(a)) \
  AI_MEMORY(W, S, V) \
  AI_FN void _mm##W##_stream_##S(void *p, V a) { __ai_nontemporal(); *(V *)p = a; } \
  AI_FN V _mm##W##_set1_##S(T a) { return __ai_shuffle_##V(a); } \
  AI_FN V _mm##W##_setzero_##S(void) { return __ai_shuffle_##V((T)0); } \
  AI_FN V _mm##W##_undefined_##S(void) { return __ai_shuffle_##V((T)0); }
AI_FLOATING(, ps, __m128, float) AI_FLOATING(, pd, __m128d, double)
AI_FLOATING(256, ps, __m256, float) AI_FLOATING(256, pd, __m256d, double)
AI_FLOATING(512, ps, __m512, float) AI_FLOATING(512, pd, __m512d, double)
AI_FUNCTION1(512, abs, ps, __m512, __ai_fabs___m512(a)) AI_FUNCTION1(512, abs, pd, __m512d, __ai_fabs___m512d(a))
AI_FUNCTION1(, movedup, pd, __m128d, __ai_shuffle___m128d(a)) AI_FUNCTION1(256, movedup, pd, __m256d, __ai_shuffle___m256d(a))
AI_FUNCTION1(, movehdup, ps, __m128, __ai_shuffle___m128(a)) AI_FUNCTION1(256, movehdup, ps, __m256, __ai_shuffle___m256(a))
AI_FUNCTION1(, moveldup, ps, __m128, __ai_shuffle___m128(a)) AI_FUNCTION1(256, moveldup, ps, __m256, __ai_shuffle___m256(a))
AI_FUNCTION2(, movehl, ps, __m128, __ai_shuffle___m128(a, b)) AI_FUNCTION2(, movelh, ps, __m128, __ai_shuffle___m128(a, b))

// Up to 256 bits: horizontal sums, comparisons that give a vector, choices.
#define AI_COMPARED(W, S, V) \
  AI_FUNCTION2(W, cmpeq, S, V, __ai_compare_##V(a, b)) AI_FUNCTION2(W, cmpneq, S, V, __ai_compare_##V(a, b)) \
  AI_FUNCTION2(W, cmplt, S, V, __ai_compare_##V(a, b)) AI_FUNCTION2(W, cmple, S, V, __ai_compare_##V(a, b)) \
  AI_FUNCTION2(W, cmpgt, S, V, __ai_compare_##V(a, b)) AI_FUNCTION2(W, cmpge, S, V, __ai_compare_##V(a, b)) \
  AI_FUNCTION2(W, cmpord, S, V, __ai_compare_##V(a, b)) AI_FUNCTION2(W, cmpunord, S, V, __ai_compare_##V(a, b))
#define AI_NARROW(W, S, V, T, I) \
  AI_FUNCTION2(W, hadd, S, V, __ai_shuffle_##V(a, b) + __ai_shuffle_##V(a, b)) \
  AI_FUNCTION2(W, hsub, S, V, __ai_shuffle_##V(a, b) - __ai_shuffle_##V(a, b)) AI_FUNCTION2(W, addsub, S, V, a + b) \
  AI_CONTROL2(W, blend, S, V, __ai_shuffle_##V(a, b)) AI_FUNCTION3(W, blendv, S, V, __ai_select_##V(c, a, b)) \
  AI_CONTROL2(W, cmp, S, V, __ai_compare_##V(a, b)) \
  AI_FN int _mm##W##_movemask_##S(V a) { return __ai_shuffle_int(a); } \
  AI_FN int _mm##W##_testz_##S(V a, V b) { return __ai_shuffle_int(__ai_bits_##V(a, b)); } \
  AI_FN V _mm##W##_permutevar_##S(V a, I b) { return __ai_shuffle_##V(a, b); } \
  AI_FN V _mm##W##_maskload_##S(const T *p, I mask) { \
    V found = __ai_shuffle_##V((T)0); \
    if (__ai_shuffle_int(mask)) found = *(const V *)p; \
    return found; \
  } \
  AI_FN void _mm##W##_maskstore_##S(T *p, I mask, V a) { \
    if (__ai_shuffle_int(mask)) *(V *)p = a; \
  }
AI_COMPARED(, ps, __m128) AI_COMPARED(, pd, __m128d)
AI_NARROW(, ps, __m128, float, __m128i) AI_NARROW(, pd, __m128d, double, __m128i)
AI_NARROW(256, ps, __m256, float, __m256i) AI_NARROW(256, pd, __m256d, double, __m256i)
AI_FUNCTION1(, rcp, ps, __m128, __ai_rcp___m128(a)) AI_FUNCTION1(256, rcp, ps, __m256, __ai_rcp___m256(a))
AI_FUNCTION1(, rsqrt, ps, __m128, __ai_rsqrt___m128(a)) AI_FUNCTION1(256, rsqrt, ps, __m256, __ai_rsqrt___m256(a))
AI_FUNCTION1(512, rcp14, ps, __m512, __ai_rcp___m512(a)) AI_FUNCTION1(512, rcp14, pd, __m512d, __ai_rcp___m512d(a))
AI_FUNCTION1(512, rsqrt14, ps, __m512, __ai_rsqrt___m512(a)) AI_FUNCTION1(512, rsqrt14, pd, __m512d, __ai_rsqrt___m512d(a))
AI_FN __m128 _mm_dp_ps(__m128 a, __m128 b, int control) {
  __m128 each = a * b;
  return __ai_shuffle___m128(AI_SUM4(each, +));
}
AI_FN __m128d _mm_dp_pd(__m128d a, __m128d b, int control) {
  __m128d each = a * b;
  return __ai_shuffle___m128d(AI_SUM2(each, +));
}

// The lowest lane alone; the others are those of the first operand.
#define AI_LOWEST(name, S, V, T, value) \
  AI_FN V _mm_##name##_##S(V a, V b) { T x = a[0], y = b[0], z = value; return __ai_shuffle_##V(a, z); }
#define AI_LOWEST3(name, S, V, value) \
  AI_FN V _mm_##name##_##S(V a, V b, V c) { return __ai_shuffle_##V(a, value); }
#define AI_SCALAR(S, V, T, root, fused, least, most) \
  T root(T), fused(T, T, T), least(T, T), most(T, T); \
  AI_LOWEST(add, S, V, T, x + y) AI_LOWEST(sub, S, V, T, x - y) AI_LOWEST(mul, S, V, T, x * y) AI_LOWEST(div, S, V, T, x / y) \
  AI_LOWEST(min, S, V, T, least(x, y)) AI_LOWEST(max, S, V, T, most(x, y)) AI_LOWEST(move, S, V, T, y) \
  AI_LOWEST3(fmadd, S, V, fused(a[0], b[0], c[0])) AI_LOWEST3(fmsub, S, V, fused(a[0], b[0], -c[0])) \
  AI_LOWEST3(fnmadd, S, V, fused(-a[0], b[0], c[0])) \
  AI_FN V _mm_load_##S(const T *p) { return __ai_shuffle_##V(*p); } \
  AI_FN void _mm_store_##S(T *p, V a) { *p = a[0]; } \
  AI_FN V _mm_set_##S(T a) { return __ai_shuffle_##V(a); } \
  AI_FN int _mm_ucomilt_##S(V a, V b) { return a[0] < b[0]; } AI_FN int _mm_comilt_##S(V a, V b) { return a[0] < b[0]; } \
  AI_FN int _mm_comigt_##S(V a, V b) { return a[0] > b[0]; } AI_FN int _mm_comieq_##S(V a, V b) { return a[0] == b[0]; }
AI_SCALAR(ss, __m128, float, __builtin_sqrtf, __builtin_fmaf, __builtin_fminf, __builtin_fmaxf)
AI_SCALAR(sd, __m128d, double, __builtin_sqrt, __builtin_fma, __builtin_fmin, __builtin_fmax)
AI_FN __m128 _mm_sqrt_ss(__m128 a) { return __ai_shuffle___m128(a, __builtin_sqrtf(a[0])); }
AI_FN __m128d _mm_sqrt_sd(__m128d a, __m128d b) { return __ai_shuffle___m128d(a, __builtin_sqrt(b[0])); }
AI_FN float _mm_cvtss_f32(__m128 a) { return a[0]; }
AI_FN double _mm_cvtsd_f64(__m128d a) { return a[0]; }
AI_FN float _mm256_cvtss_f32(__m256 a) { return a[0]; }
AI_FN double _mm256_cvtsd_f64(__m256d a) { return a[0]; }
AI_FN float _mm512_cvtss_f32(__m512 a) { return a[0]; }
AI_FN double _mm512_cvtsd_f64(__m512d a) { return a[0]; }

// Vectors from numbers, from memory lane by lane, from halves, and of another type.
AI_FN __m128 _mm_set_ps1(float a) { return __ai_shuffle___m128(a); }
AI_FN __m128 _mm_load_ps1(const float *p) { return __ai_shuffle___m128(*p); }
AI_FN __m128 _mm_load1_ps(const float *p) { return __ai_shuffle___m128(*p); }
AI_FN __m128d _mm_load1_pd(const double *p) { return __ai_shuffle___m128d(*p); }
AI_FN __m128d _mm_loaddup_pd(const double *p) { return __ai_shuffle___m128d(*p); }
AI_FN __m128d _mm_loadh_pd(__m128d a, const double *p) { return __ai_shuffle___m128d(a, *p); }
AI_FN __m128d _mm_loadl_pd(__m128d a, const double *p) { return __ai_shuffle___m128d(a, *p); }
AI_FN void _mm_storeh_pd(double *p, __m128d a) { *p = a[1]; }
AI_FN void _mm_storel_pd(double *p, __m128d a) { *p = a[0]; }
AI_FN __m128 _mm_broadcast_ss(const float *p) { return __ai_shuffle___m128(*p); }
AI_FN __m256 _mm256_broadcast_ss(const float *p) { return __ai_shuffle___m256(*p); }
AI_FN __m256d _mm256_broadcast_sd(const double *p) { return __ai_shuffle___m256d(*p); }
AI_FN __m256 _mm256_broadcast_ps(const __m128 *p) { return __ai_shuffle___m256(*p); }
AI_FN __m256d _mm256_broadcast_pd(const __m128d *p) { return __ai_shuffle___m256d(*p); }
#define AI_MOVED(name, V, U) AI_FN V name(U a) { return __ai_shuffle_##V(a); }
#define AI_MOVED2(name, V, U, P) AI_FN V name(U a, P b) { return __ai_shuffle_##V(a, b); }
#define AI_MOVED3(name, V, U, P) AI_FN V name(U a, P b, int control) { return __ai_shuffle_##V(a, b); }
#define AI_CONVERTED(name, V, U) AI_FN V name(U a) { return __ai_convert_##V(a); }
AI_MOVED(_mm256_castps128_ps256, __m256, __m128) AI_MOVED(_mm256_castpd128_pd256, __m256d, __m128d)
AI_MOVED(_mm256_castps256_ps128, __m128, __m256) AI_MOVED(_mm256_castpd256_pd128, __m128d, __m256d)
AI_MOVED(_mm256_castsi256_si128, __m128i, __m256i) AI_MOVED(_mm256_castsi128_si256, __m256i, __m128i)
AI_MOVED(_mm512_castps512_ps256, __m256, __m512) AI_MOVED(_mm512_castpd512_pd256, __m256d, __m512d)
AI_MOVED(_mm512_castps256_ps512, __m512, __m256) AI_MOVED(_mm512_castpd256_pd512, __m512d, __m256d)
AI_MOVED(_mm_castps_pd, __m128d, __m128) AI_MOVED(_mm_castpd_ps, __m128, __m128d) AI_MOVED(_mm_castps_si128, __m128i, __m128)
AI_MOVED(_mm_castpd_si128, __m128i, __m128d) AI_MOVED(_mm_castsi128_ps, __m128, __m128i) AI_MOVED(_mm_castsi128_pd, __m128d, __m128i)
AI_MOVED(_mm256_castps_pd, __m256d, __m256) AI_MOVED(_mm256_castpd_ps, __m256, __m256d) AI_MOVED(_mm256_castps_si256, __m256i, __m256)
AI_MOVED(_mm256_castpd_si256, __m256i, __m256d) AI_MOVED(_mm256_castsi256_ps, __m256, __m256i) AI_MOVED(_mm256_castsi256_pd, __m256d, __m256i)
AI_MOVED(_mm512_castps_pd, __m512d, __m512) AI_MOVED(_mm512_castpd_ps, __m512, __m512d) AI_MOVED(_mm512_castps_si512, __m512i, __m512)
AI_MOVED(_mm512_castsi512_ps, __m512, __m512i) AI_MOVED(_mm512_castpd_si512, __m512i, __m512d) AI_MOVED(_mm512_castsi512_pd, __m512d, __m512i)
AI_MOVED2(_mm256_extractf128_ps, __m128, __m256, int) AI_MOVED2(_mm256_extractf128_pd, __m128d, __m256d, int)
AI_MOVED2(_mm256_extractf128_si256, __m128i, __m256i, int) AI_MOVED2(_mm256_extracti128_si256, __m128i, __m256i, int)
AI_MOVED2(_mm512_extractf64x4_pd, __m256d, __m512d, int) AI_MOVED2(_mm512_extractf32x8_ps, __m256, __m512, int)
AI_MOVED2(_mm512_extractf32x4_ps, __m128, __m512, int) AI_MOVED2(_mm512_extractf64x2_pd, __m128d, __m512d, int)
AI_MOVED3(_mm256_insertf128_ps, __m256, __m256, __m128) AI_MOVED3(_mm256_insertf128_pd, __m256d, __m256d, __m128d)
AI_MOVED3(_mm512_insertf64x4, __m512d, __m512d, __m256d) AI_MOVED3(_mm512_insertf32x8, __m512, __m512, __m256)
AI_MOVED3(_mm256_permute2f128_ps, __m256, __m256, __m256) AI_MOVED3(_mm256_permute2f128_pd, __m256d, __m256d, __m256d)
AI_MOVED3(_mm256_permute2x128_si256, __m256i, __m256i, __m256i) AI_MOVED2(_mm256_permute4x64_pd, __m256d, __m256d, int)
AI_MOVED2(_mm256_permute4x64_epi64, __m256i, __m256i, int) AI_MOVED2(_mm256_permutevar8x32_ps, __m256, __m256, __m256i)
AI_MOVED2(_mm512_permutexvar_ps, __m512, __m512i, __m512) AI_MOVED2(_mm512_permutexvar_pd, __m512d, __m512i, __m512d)
AI_MOVED2(_mm256_set_m128, __m256, __m128, __m128) AI_MOVED2(_mm256_set_m128d, __m256d, __m128d, __m128d)
AI_MOVED(_mm256_broadcastss_ps, __m256, __m128) AI_MOVED(_mm256_broadcastsd_pd, __m256d, __m128d)
AI_MOVED(_mm512_broadcastss_ps, __m512, __m128) AI_MOVED(_mm512_broadcastsd_pd, __m512d, __m128d)
AI_CONVERTED(_mm_cvtps_pd, __m128d, __m128) AI_CONVERTED(_mm_cvtpd_ps, __m128, __m128d) AI_CONVERTED(_mm_cvtepi32_ps, __m128, __m128i)
AI_CONVERTED(_mm_cvtepi32_pd, __m128d, __m128i) AI_CONVERTED(_mm256_cvtps_pd, __m256d, __m128) AI_CONVERTED(_mm256_cvtpd_ps, __m128, __m256d)
AI_CONVERTED(_mm256_cvtepi32_ps, __m256, __m256i) AI_CONVERTED(_mm256_cvtepi32_pd, __m256d, __m128i)
AI_CONVERTED(_mm512_cvtps_pd, __m512d, __m256) AI_CONVERTED(_mm512_cvtpd_ps, __m256, __m512d)
AI_CONVERTED(_mm512_cvtepi32_ps, __m512, __m512i) AI_CONVERTED(_mm512_cvtepi32_pd, __m512d, __m256i)
AI_FN __m128 _mm_set_ps(float d, float c, float b, float a) { return __ai_shuffle___m128(a, b, c, d); }
AI_FN __m128 _mm_setr_ps(float a, float b, float c, float d) { return __ai_shuffle___m128(a, b, c, d); }
AI_FN __m128d _mm_set_pd(double b, double a) { return __ai_shuffle___m128d(a, b); }
AI_FN __m128d _mm_setr_pd(double a, double b) { return __ai_shuffle___m128d(a, b); }
AI_FN __m256d _mm256_set_pd(double d, double c, double b, double a) { return __ai_shuffle___m256d(a, b, c, d); }
AI_FN __m256d _mm256_setr_pd(double a, double b, double c, double d) { return __ai_shuffle___m256d(a, b, c, d); }
AI_FN __m256 _mm256_set_ps(float h, float g, float f, float e, float d, float c, float b, float a) {
  return __ai_shuffle___m256(a, b, c, d, e, f, g, h);
}
AI_FN __m256 _mm256_setr_ps(float a, float b, float c, float d, float e, float f, float g, float h) {
  return __ai_shuffle___m256(a, b, c, d, e, f, g, h);
}
AI_FN __m512d _mm512_set_pd(double h, double g, double f, double e, double d, double c, double b, double a) {
  return __ai_shuffle___m512d(a, b, c, d, e, f, g, h);
}
AI_FN __m512d _mm512_setr_pd(double a, double b, double c, double d, double e, double f, double g, double h) {
  return __ai_shuffle___m512d(a, b, c, d, e, f, g, h);
}

// Gathers, with indices in elements: each lane is a load of its own.
#define AI_GATHER2(p, i) p[i[0]], p[i[1]]
#define AI_GATHER4(p, i) AI_GATHER2(p, i), p[i[2]], p[i[3]]
#define AI_GATHER8(p, i) AI_GATHER4(p, i), p[i[4]], p[i[5]], p[i[6]], p[i[7]]
#define AI_GATHER16(p, i) AI_GATHER8(p, i), p[i[8]], p[i[9]], p[i[10]], p[i[11]], p[i[12]], p[i[13]], p[i[14]], p[i[15]]
#define AI_GATHER(name, V, T, X, I, lanes) \
  AI_FN V name(const T *p, X given, int scale) { I i = (I)given; return __ai_shuffle_##V(AI_GATHER##lanes(p, i)); }
#define AI_GATHER_512(name, V, T, X, I, lanes) \
  AI_FN V name(X given, const void *q, int scale) { \
    I i = (I)given; \
    const T *p = (const T *)q; \
    return __ai_shuffle_##V(AI_GATHER##lanes(p, i)); \
  }
typedef int ai_i32x4 __attribute__((vector_size(16)));
typedef int ai_i32x8 __attribute__((vector_size(32)));
typedef int ai_i32x16 __attribute__((vector_size(64)));
AI_GATHER(_mm_i32gather_ps, __m128, float, __m128i, ai_i32x4, 4) AI_GATHER(_mm_i32gather_pd, __m128d, double, __m128i, ai_i32x4, 2)
AI_GATHER(_mm256_i32gather_ps, __m256, float, __m256i, ai_i32x8, 8) AI_GATHER(_mm256_i32gather_pd, __m256d, double, __m128i, ai_i32x4, 4)
AI_GATHER(_mm_i64gather_pd, __m128d, double, __m128i, __m128i, 2) AI_GATHER(_mm256_i64gather_pd, __m256d, double, __m256i, __m256i, 4)
AI_GATHER_512(_mm512_i32gather_ps, __m512, float, __m512i, ai_i32x16, 16) AI_GATHER_512(_mm512_i32gather_pd, __m512d, double, __m256i, ai_i32x8, 8)
AI_GATHER_512(_mm512_i64gather_pd, __m512d, double, __m512i, __m512i, 8)

// AVX-512: masks choose lanes of what all lanes compute; a masked access reaches none or all of its bytes.
#define AI_MASKED2(W, name, S, V, K, value) \
  AI_FN V _mm##W##_mask_##name##_##S(V source, K k, V a, V b) { return __ai_select_##V(k, value, source); } \
  AI_FN V _mm##W##_maskz_##name##_##S(K k, V a, V b) { return __ai_select_##V(k, value); }
#define AI_MASKED(W, S, V, T, K) \
  AI_MASKED2(W, add, S, V, K, a + b) AI_MASKED2(W, sub, S, V, K, a - b) AI_MASKED2(W, mul, S, V, K, a * b) \
  AI_MASKED2(W, div, S, V, K, a / b) AI_MASKED2(W, min, S, V, K, __ai_fmin_##V(a, b)) \
  AI_MASKED2(W, max, S, V, K, __ai_fmax_##V(a, b)) \
  AI_FN V _mm##W##_mask_fmadd_##S(V a, K k, V b, V c) { return __ai_select_##V(k, __ai_fma_##V(a, b, c), a); } \
  AI_FN V _mm##W##_mask3_fmadd_##S(V a, V b, V c, K k) { return __ai_select_##V(k, __ai_fma_##V(a, b, c), c); } \
  AI_FN V _mm##W##_maskz_fmadd_##S(K k, V a, V b, V c) { return __ai_select_##V(k, __ai_fma_##V(a, b, c)); } \
  AI_FN V _mm##W##_mask_blend_##S(K k, V a, V b) { return __ai_select_##V(k, a, b); } \
  AI_FN V _mm##W##_mask_mov_##S(V a, K k, V b) { return __ai_select_##V(k, b, a); } \
  AI_FN V _mm##W##_maskz_mov_##S(K k, V a) { return __ai_select_##V(k, a); } \
  AI_FN K _mm##W##_cmp_##S##_mask(V a, V b, int control) { return (K)__ai_shuffle_int(__ai_compare_##V(a, b)); } \
  AI_FN V _mm##W##_mask_loadu_##S(V source, K k, const void *p) { \
    if (__ai_shuffle_int(k)) source = *(const V *)p; \
    return source; \
  } \
  AI_FN V _mm##W##_maskz_loadu_##S(K k, const void *p) { \
    V found = __ai_shuffle_##V((T)0); \
    if (__ai_shuffle_int(k)) found = *(const V *)p; \
    return found; \
  } \
  AI_FN void _mm##W##_mask_storeu_##S(void *p, K k, V a) { \
    if (__ai_shuffle_int(k)) *(V *)p = a; \
  }
AI_MASKED(512, ps, __m512, float, __mmask16) AI_MASKED(512, pd, __m512d, double, __mmask8)
AI_MASKED(256, ps, __m256, float, __mmask8) AI_MASKED(256, pd, __m256d, double, __mmask8)
AI_MASKED(, ps, __m128, float, __mmask8) AI_MASKED(, pd, __m128d, double, __mmask8)
AI_FN double _mm512_reduce_add_pd(__m512d a) { return AI_SUM8(a, +); }
AI_FN double _mm512_reduce_mul_pd(__m512d a) { return AI_SUM8(a, *); }
AI_FN float _mm512_reduce_add_ps(__m512 a) { return AI_SUM16(a, +); }
AI_FN float _mm512_reduce_mul_ps(__m512 a) { return AI_SUM16(a, *); }

// Integers: I is the vector of the elements that the suffix names.
#define AI_ELEMENTS(W, V, E, I) \
  AI_FUNCTION2(W, add, E, V, (V)((I)a + (I)b)) AI_FUNCTION2(W, sub, E, V, (V)((I)a - (I)b)) \
  AI_FUNCTION2(W, mullo, E, V, (V)((I)a * (I)b)) AI_FUNCTION2(W, min, E, V, (V)__ai_min_##I((I)a, (I)b)) \
  AI_FUNCTION2(W, max, E, V, (V)__ai_max_##I((I)a, (I)b)) AI_FUNCTION1(W, abs, E, V, (V)__ai_abs_##I((I)a)) \
  AI_FUNCTION2(W, cmpeq, E, V, (V)__ai_compare_##I((I)a, (I)b)) AI_FUNCTION2(W, cmpgt, E, V, (V)__ai_compare_##I((I)a, (I)b)) \
  AI_FUNCTION2(W, cmplt, E, V, (V)__ai_compare_##I((I)a, (I)b)) AI_FUNCTION2(W, unpacklo, E, V, __ai_shuffle_##V(a, b)) \
  AI_FUNCTION2(W, unpackhi, E, V, __ai_shuffle_##V(a, b)) AI_CONTROL1(W, slli, E, V, (V)((I)a << control)) \
  AI_CONTROL1(W, srli, E, V, (V)((I)a >> control)) AI_CONTROL1(W, srai, E, V, (V)((I)a >> control)) \
  AI_CONTROL2(W, blend, E, V, __ai_shuffle_##V(a, b)) \
  AI_FUNCTION3(W, blendv, E, V, __ai_select_##V(c, a, b)) \
  AI_FN V _mm##W##_set1_##E(long long a) { return __ai_shuffle_##V(a); } \
  AI_FN int _mm##W##_movemask_##E(V a) { return __ai_shuffle_int(a); }
#define AI_UNSIGNED(W, V, E, I) \
  AI_FUNCTION2(W, min, E, V, (V)__ai_min_##I((I)a, (I)b)) AI_FUNCTION2(W, max, E, V, (V)__ai_max_##I((I)a, (I)b))
#define AI_SATURATED(W, V, E, I) \
  AI_FUNCTION2(W, adds, E, V, (V)((I)a + (I)b)) AI_FUNCTION2(W, subs, E, V, (V)((I)a - (I)b))
#define AI_INTEGER(W, V, L, bytes) \
  typedef signed char ai_i8_##V __attribute__((vector_size(bytes))); typedef short ai_i16_##V __attribute__((vector_size(bytes))); \
  typedef int ai_i32_##V __attribute__((vector_size(bytes))); typedef long long ai_i64_##V __attribute__((vector_size(bytes))); \
  AI_PRIMITIVES(ai_i8_##V) AI_PRIMITIVES(ai_i16_##V) AI_PRIMITIVES(ai_i32_##V) AI_PRIMITIVES(ai_i64_##V) \
  AI_ELEMENTS(W, V, epi8, ai_i8_##V) AI_ELEMENTS(W, V, epi16, ai_i16_##V) AI_ELEMENTS(W, V, epi32, ai_i32_##V) \
  AI_ELEMENTS(W, V, epi64, ai_i64_##V) AI_UNSIGNED(W, V, epu8, ai_i8_##V) AI_UNSIGNED(W, V, epu16, ai_i16_##V) \
  AI_UNSIGNED(W, V, epu32, ai_i32_##V) AI_SATURATED(W, V, epi8, ai_i8_##V) AI_SATURATED(W, V, epi16, ai_i16_##V) \
  AI_SATURATED(W, V, epu8, ai_i8_##V) AI_SATURATED(W, V, epu16, ai_i16_##V) \
  AI_MEMORY(W, L, V) \
  AI_FN void _mm##W##_stream_##L(void *p, V a) { __ai_nontemporal(); *(V *)p = a; } \
  AI_FN V _mm##W##_setzero_##L(void) { return __ai_shuffle_##V(0); } \
  AI_FN V _mm##W##_set1_epi64x(long long a) { return __ai_shuffle_##V(a); } \
  AI_FUNCTION2(W, and, L, V, a & b) AI_FUNCTION2(W, or, L, V, a | b) AI_FUNCTION2(W, xor, L, V, a ^ b) \
  AI_FUNCTION2(W, andnot, L, V, __ai_bits_##V(a, b)) AI_FUNCTION2(W, mul, epu32, V, a * b) AI_FUNCTION2(W, mul, epi32, V, a * b) \
  AI_FUNCTION2(W, packs, epi32, V, __ai_shuffle_##V(a, b)) AI_FUNCTION2(W, packus, epi16, V, __ai_shuffle_##V(a, b)) \
  AI_FUNCTION2(W, packs, epi16, V, __ai_shuffle_##V(a, b)) AI_FUNCTION2(W, shuffle, epi8, V, __ai_shuffle_##V(a, b)) \
  AI_CONTROL1(W, shuffle, epi32, V, __ai_shuffle_##V(a)) AI_CONTROL1(W, shufflelo, epi16, V, __ai_shuffle_##V(a)) \
  AI_FN V _mm##W##_madd_epi16(V a, V b) { \
    ai_i16_##V each = (ai_i16_##V)a * (ai_i16_##V)b; \
    return (V)((ai_i32_##V)__ai_shuffle_##V(each) + (ai_i32_##V)__ai_shuffle_##V(each)); \
  } \
  AI_FN V _mm##W##_maddubs_epi16(V a, V b) { \
    ai_i8_##V each = (ai_i8_##V)a * (ai_i8_##V)b; \
    return (V)((ai_i16_##V)__ai_shuffle_##V(each) + (ai_i16_##V)__ai_shuffle_##V(each)); \
  }
AI_INTEGER(, __m128i, si128, 16) AI_INTEGER(256, __m256i, si256, 32) AI_INTEGER(512, __m512i, si512, 64)
AI_FN void _mm_stream_si32(int *p, int a) { __ai_nontemporal(); *p = a; }
AI_FN void _mm_stream_si64(long long *p, long long a) { __ai_nontemporal(); *p = a; }
#define AI_TEST(E, I, K) \
  AI_FN K _mm512_cmpeq_##E##_mask(__m512i a, __m512i b) { return (K)__ai_shuffle_int(__ai_compare_##I((I)a, (I)b)); } \
  AI_FN K _mm512_cmpgt_##E##_mask(__m512i a, __m512i b) { return (K)__ai_shuffle_int(__ai_compare_##I((I)a, (I)b)); } \
  AI_FN K _mm512_cmplt_##E##_mask(__m512i a, __m512i b) { return (K)__ai_shuffle_int(__ai_compare_##I((I)a, (I)b)); }
AI_TEST(epi32, ai_i32___m512i, __mmask16) AI_TEST(epi64, ai_i64___m512i, __mmask8)
#define AI_TO_INTEGER(name, V, I, U) AI_FN V name(U a) { return (V)__ai_convert_##I(a); }
AI_TO_INTEGER(_mm_cvttps_epi32, __m128i, ai_i32___m128i, __m128) AI_TO_INTEGER(_mm_cvtps_epi32, __m128i, ai_i32___m128i, __m128)
AI_TO_INTEGER(_mm256_cvttps_epi32, __m256i, ai_i32___m256i, __m256) AI_TO_INTEGER(_mm256_cvtps_epi32, __m256i, ai_i32___m256i, __m256)
AI_TO_INTEGER(_mm256_cvttpd_epi32, __m128i, ai_i32___m128i, __m256d) AI_TO_INTEGER(_mm256_cvtpd_epi32, __m128i, ai_i32___m128i, __m256d)
AI_TO_INTEGER(_mm512_cvttps_epi32, __m512i, ai_i32___m512i, __m512) AI_TO_INTEGER(_mm512_cvttpd_epi32, __m256i, ai_i32___m256i, __m512d)
AI_TO_INTEGER(_mm256_cvtepi8_epi16, __m256i, ai_i16___m256i, __m128i) AI_TO_INTEGER(_mm256_cvtepi8_epi32, __m256i, ai_i32___m256i, __m128i)
AI_TO_INTEGER(_mm256_cvtepu8_epi16, __m256i, ai_i16___m256i, __m128i) AI_TO_INTEGER(_mm256_cvtepi16_epi32, __m256i, ai_i32___m256i, __m128i)
AI_FN __m128i _mm_set_epi32(int d, int c, int b, int a) { return __ai_shuffle___m128i(a, b, c, d); }
AI_FN __m128i _mm_setr_epi32(int a, int b, int c, int d) { return __ai_shuffle___m128i(a, b, c, d); }
AI_FN __m128i _mm_set_epi64x(long long b, long long a) { return __ai_shuffle___m128i(a, b); }
AI_FN __m256i _mm256_set_epi64x(long long d, long long c, long long b, long long a) { return __ai_shuffle___m256i(a, b, c, d); }
AI_FN __m256i _mm256_set_epi32(int h, int g, int f, int e, int d, int c, int b, int a) { return __ai_shuffle___m256i(a, b, c, d, e, f, g, h); }
AI_FN __m256i _mm256_setr_epi32(int a, int b, int c, int d, int e, int f, int g, int h) { return __ai_shuffle___m256i(a, b, c, d, e, f, g, h); }
AI_MOVED(_mm_cvtsi32_si128, __m128i, int) AI_MOVED(_mm_cvtsi64_si128, __m128i, long long)
AI_FN int _mm_cvtsi128_si32(__m128i a) { return __ai_shuffle_int(a); }
AI_FN int _mm256_cvtsi256_si32(__m256i a) { return __ai_shuffle_int(a); }
AI_FN long long _mm_cvtsi128_si64(__m128i a) { return __ai_shuffle_long(a); }
AI_FN int _mm_extract_epi32(__m128i a, int lane) { return __ai_shuffle_int(a); }
AI_FN int _mm256_extract_epi32(__m256i a, int lane) { return __ai_shuffle_int(a); }
AI_FN __m128i _mm_srli_si128(__m128i a, int bytes) { return __ai_shuffle___m128i(a); }
AI_FN __m128i _mm_slli_si128(__m128i a, int bytes) { return __ai_shuffle___m128i(a); }
AI_MOVED3(_mm_alignr_epi8, __m128i, __m128i, __m128i) AI_MOVED3(_mm256_alignr_epi8, __m256i, __m256i, __m256i)
AI_FN __m128i _mm_loadl_epi64(const void *p) { return __ai_shuffle___m128i(*(const long long *)p); }
AI_FN void _mm_storel_epi64(void *p, __m128i a) { *(long long *)p = a[0]; }
#ifdef AI_UNKNOWN_INTRINSICS
AI_UNKNOWN_INTRINSICS
#endif
#ifdef __cplusplus
}
#endif
