#pragma once
// What vector instructions do beyond the operators of C: names without a body that the table of known functions has.
// V __ai_shuffle_V(...) moves lanes, __ai_convert_V converts, __ai_compare_V, __ai_select_V and __ai_bits_V compare,
// choose and combine bits; __ai_fma_V, __ai_sqrt_V, ... are the functions of that name on all lanes.
#ifdef __cplusplus
#define AI_ANY (...)
extern "C" {
#else
#define AI_ANY ()
#endif
#define AI_FN static __inline__ __attribute__((annotate("model"), unused))
#define AI_PRIMITIVES(V) \
  V __ai_shuffle_##V AI_ANY, __ai_convert_##V AI_ANY, __ai_compare_##V AI_ANY, __ai_select_##V AI_ANY; \
  V __ai_bits_##V AI_ANY, __ai_min_##V AI_ANY, __ai_max_##V AI_ANY, __ai_abs_##V AI_ANY;
#define AI_FLOATING_PRIMITIVES(V) \
  AI_PRIMITIVES(V) \
  V __ai_fma_##V AI_ANY, __ai_sqrt_##V AI_ANY, __ai_rsqrt_##V AI_ANY, __ai_rcp_##V AI_ANY, __ai_fabs_##V AI_ANY; \
  V __ai_fmin_##V AI_ANY, __ai_fmax_##V AI_ANY, __ai_floor_##V AI_ANY, __ai_ceil_##V AI_ANY, __ai_rint_##V AI_ANY;
#define AI_SUM2(a, op) (a[0] op a[1])
#define AI_SUM4(a, op) (AI_SUM2(a, op) op a[2] op a[3])
#define AI_SUM8(a, op) (AI_SUM4(a, op) op a[4] op a[5] op a[6] op a[7])
#define AI_SUM16(a, op) \
  (AI_SUM8(a, op) op a[8] op a[9] op a[10] op a[11] op a[12] op a[13] op a[14] op a[15])
void __ai_nontemporal(void);
int __ai_shuffle_int AI_ANY;
long long __ai_shuffle_long AI_ANY;
#ifdef __cplusplus
}
#endif
