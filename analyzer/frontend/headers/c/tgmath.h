#pragma once
#include <complex.h>
#include <math.h>
#define AI_TGMATH __attribute__((overloadable))
#define AI_REAL_1(f) \
  double AI_TGMATH __tg_##f(double); float AI_TGMATH __tg_##f(float); double AI_TGMATH __tg_##f(int); \
  long double AI_TGMATH __tg_##f(long double); double AI_TGMATH __tg_##f(long);
#define AI_COMPLEX_1(f) \
  AI_REAL_1(f) double _Complex AI_TGMATH __tg_##f(double _Complex); float _Complex AI_TGMATH __tg_##f(float _Complex);
#define AI_REAL_2(f) \
  double AI_TGMATH __tg_##f(double, double); float AI_TGMATH __tg_##f(float, float); \
  double AI_TGMATH __tg_##f(float, double); double AI_TGMATH __tg_##f(double, float); \
  double AI_TGMATH __tg_##f(double, int); double AI_TGMATH __tg_##f(int, double); \
  double AI_TGMATH __tg_##f(int, int); double AI_TGMATH __tg_##f(float, int); \
  long double AI_TGMATH __tg_##f(long double, long double);
AI_COMPLEX_1(acos) AI_COMPLEX_1(asin) AI_COMPLEX_1(atan) AI_COMPLEX_1(cos) AI_COMPLEX_1(sin) AI_COMPLEX_1(tan)
AI_COMPLEX_1(cosh) AI_COMPLEX_1(sinh) AI_COMPLEX_1(tanh) AI_COMPLEX_1(exp) AI_COMPLEX_1(log) AI_COMPLEX_1(sqrt)
AI_COMPLEX_1(fabs) AI_REAL_1(exp2) AI_REAL_1(expm1) AI_REAL_1(log10) AI_REAL_1(log1p) AI_REAL_1(log2) AI_REAL_1(cbrt)
AI_REAL_1(ceil) AI_REAL_1(floor) AI_REAL_1(trunc) AI_REAL_1(round) AI_REAL_1(rint) AI_REAL_1(erf) AI_REAL_1(erfc)
AI_REAL_1(tgamma) AI_REAL_1(lgamma) AI_REAL_2(pow) AI_REAL_2(fmod) AI_REAL_2(atan2) AI_REAL_2(hypot) AI_REAL_2(fmax)
AI_REAL_2(fmin) AI_REAL_2(fdim) AI_REAL_2(copysign)
double _Complex AI_TGMATH __tg_pow(double _Complex, double _Complex);
double AI_TGMATH __tg_fma(double, double, double);
float AI_TGMATH __tg_fma(float, float, float);
#undef AI_TGMATH
#undef AI_REAL_1
#undef AI_COMPLEX_1
#undef AI_REAL_2
#define acos(x) __tg_acos(x)
#define asin(x) __tg_asin(x)
#define atan(x) __tg_atan(x)
#define cos(x) __tg_cos(x)
#define sin(x) __tg_sin(x)
#define tan(x) __tg_tan(x)
#define cosh(x) __tg_cosh(x)
#define sinh(x) __tg_sinh(x)
#define tanh(x) __tg_tanh(x)
#define exp(x) __tg_exp(x)
#define log(x) __tg_log(x)
#define sqrt(x) __tg_sqrt(x)
#define fabs(x) __tg_fabs(x)
#define exp2(x) __tg_exp2(x)
#define expm1(x) __tg_expm1(x)
#define log10(x) __tg_log10(x)
#define log1p(x) __tg_log1p(x)
#define log2(x) __tg_log2(x)
#define cbrt(x) __tg_cbrt(x)
#define ceil(x) __tg_ceil(x)
#define floor(x) __tg_floor(x)
#define trunc(x) __tg_trunc(x)
#define round(x) __tg_round(x)
#define rint(x) __tg_rint(x)
#define erf(x) __tg_erf(x)
#define erfc(x) __tg_erfc(x)
#define tgamma(x) __tg_tgamma(x)
#define lgamma(x) __tg_lgamma(x)
#define pow(x, y) __tg_pow(x, y)
#define fmod(x, y) __tg_fmod(x, y)
#define atan2(x, y) __tg_atan2(x, y)
#define hypot(x, y) __tg_hypot(x, y)
#define fmax(x, y) __tg_fmax(x, y)
#define fmin(x, y) __tg_fmin(x, y)
#define fdim(x, y) __tg_fdim(x, y)
#define copysign(x, y) __tg_copysign(x, y)
#define fma(x, y, z) __tg_fma(x, y, z)
