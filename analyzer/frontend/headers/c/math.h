#pragma once
typedef float float_t;
typedef double double_t;
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VALL __builtin_huge_vall()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define FP_ILOGB0 (-2147483647 - 1)
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 3
#define AI_MATH_1(name) double name(double); float name##f(float); long double name##l(long double);
#define AI_MATH_2(name) double name(double, double); float name##f(float, float); long double name##l(long double, long double);
AI_MATH_1(acos) AI_MATH_1(asin) AI_MATH_1(atan) AI_MATH_1(cos) AI_MATH_1(sin) AI_MATH_1(tan)
AI_MATH_1(acosh) AI_MATH_1(asinh) AI_MATH_1(atanh) AI_MATH_1(cosh) AI_MATH_1(sinh) AI_MATH_1(tanh)
AI_MATH_1(exp) AI_MATH_1(exp2) AI_MATH_1(exp10) AI_MATH_1(expm1) AI_MATH_1(log) AI_MATH_1(log10) AI_MATH_1(log1p)
AI_MATH_1(log2) AI_MATH_1(logb) AI_MATH_1(sqrt) AI_MATH_1(cbrt) AI_MATH_1(fabs) AI_MATH_1(ceil) AI_MATH_1(floor)
AI_MATH_1(trunc) AI_MATH_1(round) AI_MATH_1(rint) AI_MATH_1(nearbyint) AI_MATH_1(erf) AI_MATH_1(erfc)
AI_MATH_1(tgamma) AI_MATH_1(lgamma) AI_MATH_1(j0) AI_MATH_1(j1) AI_MATH_1(y0) AI_MATH_1(y1) AI_MATH_1(rsqrt)
AI_MATH_2(pow) AI_MATH_2(fmod) AI_MATH_2(remainder) AI_MATH_2(atan2) AI_MATH_2(hypot) AI_MATH_2(fmax) AI_MATH_2(fmin)
AI_MATH_2(fdim) AI_MATH_2(copysign) AI_MATH_2(nextafter)
#undef AI_MATH_1
#undef AI_MATH_2
double fma(double, double, double), ldexp(double, int), frexp(double, int *), modf(double, double *);
float fmaf(float, float, float), ldexpf(float, int), frexpf(float, int *), modff(float, float *);
long double fmal(long double, long double, long double), ldexpl(long double, int), frexpl(long double, int *);
double scalbn(double, int), scalbln(double, long), nan(const char *), jn(int, double), yn(int, double);
float scalbnf(float, int), scalblnf(float, long), nanf(const char *);
float remquof(float, float, int *);
double remquo(double, double, int *), nexttoward(double, long double), gamma(double), drem(double, double);
int ilogb(double), ilogbf(float);
long lrint(double), lrintf(float), lround(double), lroundf(float);
long long llrint(double), llrintf(float), llround(double), llroundf(float);
void sincos(double, double *, double *), sincosf(float, float *, float *);
extern int signgam;
#ifndef __cplusplus
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define fpclassify(x) __builtin_fpclassify(0, 1, 4, 3, 2, x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
#endif
