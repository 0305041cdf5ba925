#pragma once
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
#define _MM_FROUND_NO_EXC 8
#define _CMP_EQ_OQ 0
#define _CMP_LT_OQ 17
#define _CMP_LE_OQ 18
#define _CMP_GE_OQ 29
#define _CMP_GT_OQ 30
#define _CMP_LT_OS 1
#define _CMP_LE_OS 2
#define _CMP_NEQ_OQ 12
/* W: register width as in the name, S: suffix, V: vector type, T: element type */
#define AI_FLOATING(W, S, V, T) \
  V _mm##W##_add_##S(V, V), _mm##W##_sub_##S(V, V), _mm##W##_mul_##S(V, V), _mm##W##_div_##S(V, V); \
  V _mm##W##_min_##S(V, V), _mm##W##_max_##S(V, V), _mm##W##_sqrt_##S(V); \
  V _mm##W##_fmadd_##S(V, V, V), _mm##W##_fmsub_##S(V, V, V), _mm##W##_fnmadd_##S(V, V, V), _mm##W##_fnmsub_##S(V, V, V); \
  V _mm##W##_fmaddsub_##S(V, V, V), _mm##W##_fmsubadd_##S(V, V, V); \
  V _mm##W##_loadu_##S(const T *), _mm##W##_load_##S(const T *), _mm##W##_set1_##S(T), _mm##W##_setzero_##S(void); \
  void _mm##W##_storeu_##S(T *, V), _mm##W##_store_##S(T *, V), _mm##W##_stream_##S(T *, V); \
  V _mm##W##_and_##S(V, V), _mm##W##_or_##S(V, V), _mm##W##_xor_##S(V, V), _mm##W##_andnot_##S(V, V); \
  V _mm##W##_unpacklo_##S(V, V), _mm##W##_unpackhi_##S(V, V), _mm##W##_shuffle_##S(V, V, int); \
  V _mm##W##_permute_##S(V, int), _mm##W##_round_##S(V, int), _mm##W##_floor_##S(V), _mm##W##_ceil_##S(V); \
  V _mm##W##_undefined_##S(void), _mm##W##_abs_##S(V), _mm##W##_movedup_##S(V);
AI_FLOATING(, ps, __m128, float) AI_FLOATING(, pd, __m128d, double)
AI_FLOATING(256, ps, __m256, float) AI_FLOATING(256, pd, __m256d, double)
AI_FLOATING(512, ps, __m512, float) AI_FLOATING(512, pd, __m512d, double)
#define AI_HALVES(W, S, V) \
  V _mm##W##_hadd_##S(V, V), _mm##W##_hsub_##S(V, V), _mm##W##_addsub_##S(V, V), _mm##W##_blend_##S(V, V, int); \
  V _mm##W##_blendv_##S(V, V, V), _mm##W##_rcp_##S(V), _mm##W##_rsqrt_##S(V), _mm##W##_dp_##S(V, V, int); \
  int _mm##W##_movemask_##S(V);
AI_HALVES(, ps, __m128) AI_HALVES(, pd, __m128d) AI_HALVES(256, ps, __m256) AI_HALVES(256, pd, __m256d)
#define AI_INTEGER(W, V, L) \
  V _mm##W##_setzero_##L(void), _mm##W##_loadu_##L(const void *), _mm##W##_load_##L(const void *); \
  void _mm##W##_storeu_##L(void *, V), _mm##W##_store_##L(void *, V), _mm##W##_stream_##L(void *, V); \
  V _mm##W##_and_##L(V, V), _mm##W##_or_##L(V, V), _mm##W##_xor_##L(V, V), _mm##W##_andnot_##L(V, V); \
  V _mm##W##_set1_epi8(char), _mm##W##_set1_epi16(short), _mm##W##_set1_epi32(int), _mm##W##_set1_epi64x(long long); \
  V _mm##W##_set1_epi64(long long), _mm##W##_mullo_epi32(V, V), _mm##W##_mullo_epi16(V, V), _mm##W##_mul_epu32(V, V); \
  V _mm##W##_madd_epi16(V, V), _mm##W##_maddubs_epi16(V, V), _mm##W##_shuffle_epi8(V, V), _mm##W##_shuffle_epi32(V, int); \
  V _mm##W##_packs_epi32(V, V), _mm##W##_packus_epi16(V, V), _mm##W##_unpacklo_epi8(V, V), _mm##W##_unpackhi_epi8(V, V); \
  V _mm##W##_unpacklo_epi32(V, V), _mm##W##_unpackhi_epi32(V, V), _mm##W##_unpacklo_epi64(V, V), _mm##W##_unpackhi_epi64(V, V);
AI_INTEGER(, __m128i, si128) AI_INTEGER(256, __m256i, si256) AI_INTEGER(512, __m512i, si512)
#define AI_ELEMENTS(W, V, E) \
  V _mm##W##_add_##E(V, V), _mm##W##_sub_##E(V, V), _mm##W##_min_##E(V, V), _mm##W##_max_##E(V, V); \
  V _mm##W##_cmpeq_##E(V, V), _mm##W##_cmpgt_##E(V, V), _mm##W##_abs_##E(V), _mm##W##_slli_##E(V, int); \
  V _mm##W##_srli_##E(V, int), _mm##W##_srai_##E(V, int);
#define AI_ALL_ELEMENTS(W, V) \
  AI_ELEMENTS(W, V, epi8) AI_ELEMENTS(W, V, epi16) AI_ELEMENTS(W, V, epi32) AI_ELEMENTS(W, V, epi64) \
  AI_ELEMENTS(W, V, epu8) AI_ELEMENTS(W, V, epu16) AI_ELEMENTS(W, V, epu32)
AI_ALL_ELEMENTS(, __m128i) AI_ALL_ELEMENTS(256, __m256i) AI_ALL_ELEMENTS(512, __m512i)
#define AI_SCALAR(S, V, T) \
  V _mm_add_##S(V, V), _mm_sub_##S(V, V), _mm_mul_##S(V, V), _mm_div_##S(V, V), _mm_min_##S(V, V), _mm_max_##S(V, V); \
  V _mm_fmadd_##S(V, V, V), _mm_load_##S(const T *), _mm_set_##S(T), _mm_move_##S(V, V), _mm_sqrt_##S##_(V); \
  void _mm_store_##S(T *, V);
AI_SCALAR(ss, __m128, float) AI_SCALAR(sd, __m128d, double)
#undef AI_FLOATING
#undef AI_HALVES
#undef AI_INTEGER
#undef AI_ELEMENTS
#undef AI_ALL_ELEMENTS
#undef AI_SCALAR
__m128 _mm_sqrt_ss(__m128), _mm_rsqrt_ss(__m128), _mm_set_ps(float, float, float, float), _mm_set_ps1(float);
__m128 _mm_setr_ps(float, float, float, float), _mm_movehl_ps(__m128, __m128), _mm_movelh_ps(__m128, __m128);
__m128 _mm_movehdup_ps(__m128), _mm_moveldup_ps(__m128), _mm_cvtepi32_ps(__m128i), _mm_cvtpd_ps(__m128d);
__m128d _mm_sqrt_sd(__m128d, __m128d), _mm_set_pd(double, double), _mm_setr_pd(double, double), _mm_load1_pd(const double *);
__m128d _mm_cvtps_pd(__m128), _mm_cvtepi32_pd(__m128i), _mm_loaddup_pd(const double *), _mm_loadh_pd(__m128d, const double *);
__m128d _mm_loadl_pd(__m128d, const double *);
float _mm_cvtss_f32(__m128);
double _mm_cvtsd_f64(__m128d);
__m128i _mm_set_epi32(int, int, int, int), _mm_setr_epi32(int, int, int, int), _mm_cvtsi32_si128(int);
__m128i _mm_cvttps_epi32(__m128), _mm_cvtps_epi32(__m128), _mm_castps_si128(__m128), _mm_srli_si128(__m128i, int);
__m128i _mm_set_epi64x(long long, long long), _mm_castpd_si128(__m128d);
__m128 _mm_castsi128_ps(__m128i), _mm_castpd_ps(__m128d);
__m128d _mm_castsi128_pd(__m128i), _mm_castps_pd(__m128);
int _mm_cvtsi128_si32(__m128i), _mm_cvtss_si32(__m128), _mm_extract_epi32(__m128i, int), _mm_movemask_epi8(__m128i);
long long _mm_cvtsi128_si64(__m128i);
__m128 _mm_cmplt_ps(__m128, __m128), _mm_cmpgt_ps(__m128, __m128), _mm_cmple_ps(__m128, __m128), _mm_cmpge_ps(__m128, __m128);
__m128d _mm_cmplt_pd(__m128d, __m128d), _mm_cmpgt_pd(__m128d, __m128d), _mm_cmple_pd(__m128d, __m128d);
__m256 _mm256_set_ps(float, float, float, float, float, float, float, float), _mm256_broadcast_ss(const float *);
__m256 _mm256_setr_ps(float, float, float, float, float, float, float, float), _mm256_permute2f128_ps(__m256, __m256, int);
__m256 _mm256_cvtepi32_ps(__m256i), _mm256_castps128_ps256(__m128), _mm256_insertf128_ps(__m256, __m128, int);
__m256 _mm256_cmp_ps(__m256, __m256, int), _mm256_permutevar8x32_ps(__m256, __m256i), _mm256_moveldup_ps(__m256);
__m256 _mm256_movehdup_ps(__m256), _mm256_maskload_ps(const float *, __m256i), _mm256_i32gather_ps(const float *, __m256i, int);
__m256 _mm256_castsi256_ps(__m256i), _mm256_castpd_ps(__m256d);
__m256d _mm256_set_pd(double, double, double, double), _mm256_setr_pd(double, double, double, double);
__m256d _mm256_broadcast_sd(const double *), _mm256_permute2f128_pd(__m256d, __m256d, int), _mm256_cvtepi32_pd(__m128i);
__m256d _mm256_castpd128_pd256(__m128d), _mm256_insertf128_pd(__m256d, __m128d, int), _mm256_cmp_pd(__m256d, __m256d, int);
__m256d _mm256_permute4x64_pd(__m256d, int), _mm256_cvtps_pd(__m128), _mm256_maskload_pd(const double *, __m256i);
__m256d _mm256_i32gather_pd(const double *, __m128i, int), _mm256_i64gather_pd(const double *, __m256i, int);
__m256d _mm256_castsi256_pd(__m256i), _mm256_castps_pd(__m256);
__m128 _mm256_extractf128_ps(__m256, int), _mm256_castps256_ps128(__m256), _mm256_cvtpd_ps(__m256d);
__m128d _mm256_extractf128_pd(__m256d, int), _mm256_castpd256_pd128(__m256d);
__m128i _mm256_extracti128_si256(__m256i, int), _mm256_castsi256_si128(__m256i), _mm256_cvtpd_epi32(__m256d);
__m256i _mm256_set_epi32(int, int, int, int, int, int, int, int), _mm256_setr_epi32(int, int, int, int, int, int, int, int);
__m256i _mm256_set_epi64x(long long, long long, long long, long long), _mm256_cvttps_epi32(__m256), _mm256_cvtps_epi32(__m256);
__m256i _mm256_castps_si256(__m256), _mm256_castpd_si256(__m256d), _mm256_permute2x128_si256(__m256i, __m256i, int);
__m256i _mm256_cvtepi8_epi16(__m128i), _mm256_cvtepu8_epi16(__m128i), _mm256_cvtepu8_epi32(__m128i), _mm256_lddqu_si256(const void *);
float _mm256_cvtss_f32(__m256);
double _mm256_cvtsd_f64(__m256d);
void _mm256_maskstore_ps(float *, __m256i, __m256), _mm256_maskstore_pd(double *, __m256i, __m256d), _mm256_zeroupper(void);
float _mm512_reduce_add_ps(__m512), _mm512_reduce_max_ps(__m512);
double _mm512_reduce_add_pd(__m512d), _mm512_reduce_max_pd(__m512d);
__m512 _mm512_mask_loadu_ps(__m512, __mmask16, const float *), _mm512_maskz_loadu_ps(__mmask16, const float *);
__m512d _mm512_mask_loadu_pd(__m512d, __mmask8, const double *), _mm512_maskz_loadu_pd(__mmask8, const double *);
void _mm512_mask_storeu_ps(float *, __mmask16, __m512), _mm512_mask_storeu_pd(double *, __mmask8, __m512d);
__m512 _mm512_i32gather_ps(__m512i, const void *, int), _mm512_cvtepi32_ps(__m512i);
__m512d _mm512_i32gather_pd(__m256i, const void *, int), _mm512_i64gather_pd(__m512i, const void *, int), _mm512_cvtepi32_pd(__m256i);
void _mm512_i32scatter_pd(void *, __m256i, __m512d, int), _mm512_i32scatter_ps(void *, __m512i, __m512, int);
__m512d _mm512_mask_add_pd(__m512d, __mmask8, __m512d, __m512d), _mm512_mask_mul_pd(__m512d, __mmask8, __m512d, __m512d);
__m512 _mm512_mask_add_ps(__m512, __mmask16, __m512, __m512), _mm512_mask_mul_ps(__m512, __mmask16, __m512, __m512);
__m512 _mm512_set_ps(float, ...), _mm512_setr_ps(float, ...);
__m512d _mm512_set_pd(double, ...), _mm512_setr_pd(double, ...);
__m512i _mm512_set_epi32(int, ...), _mm512_set_epi64(long long, ...);
__mmask8 _mm512_cmp_pd_mask(__m512d, __m512d, int);
__mmask16 _mm512_cmp_ps_mask(__m512, __m512, int);
__m512d _mm512_castpd256_pd512(__m256d), _mm512_insertf64x4(__m512d, __m256d, int);
__m256d _mm512_extractf64x4_pd(__m512d, int), _mm512_castpd512_pd256(__m512d);
void *_mm_malloc(size_t, size_t);
void _mm_free(void *), _mm_sfence(void), _mm_lfence(void), _mm_mfence(void), _mm_pause(void);
void _mm_clflush(const void *), _mm_setcsr(unsigned), _mm_stream_si64(long long *, long long);
unsigned _mm_getcsr(void);
unsigned long long __rdtsc(void), _rdtsc(void);
unsigned long long __rdtscp(unsigned *);
#define _mm_prefetch(address, hint) __builtin_prefetch(address)
int _mm_popcnt_u32(unsigned);
long long _mm_popcnt_u64(unsigned long long);
#define _MM_SET_FLUSH_ZERO_MODE(mode) ((void)0)
#define _MM_SET_DENORMALS_ZERO_MODE(mode) ((void)0)
#define _MM_FLUSH_ZERO_ON 0x8000
#define _MM_DENORMALS_ZERO_ON 0x0040
