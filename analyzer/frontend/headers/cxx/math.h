#pragma once
#include_next <math.h>
extern "C++" {
template <bool, class> struct ai_if {};
template <class T> struct ai_if<true, T> { using type = T; };
template <class A, class B> struct ai_mixed : ai_if<__is_arithmetic(A) && __is_arithmetic(B) &&
  (!__is_same(A, B) || __is_integral(A)), double> {};
template <> struct ai_mixed<float, double> { using type = double; };
template <> struct ai_mixed<long double, double> { using type = long double; };
template <> struct ai_mixed<double, long double> { using type = long double; };
#define AI_MATH_1(f) \
  inline float f(float); \
  inline long double f(long double); \
  template <class T> typename ai_if<__is_integral(T), double>::type f(T);
#define AI_MATH_2(f) \
  inline float f(float, float); \
  inline long double f(long double, long double); \
  template <class A, class B> typename ai_mixed<A, B>::type f(A, B);
AI_MATH_1(acos) AI_MATH_1(asin) AI_MATH_1(atan) AI_MATH_1(cos) AI_MATH_1(sin) AI_MATH_1(tan)
AI_MATH_1(acosh) AI_MATH_1(asinh) AI_MATH_1(atanh) AI_MATH_1(cosh) AI_MATH_1(sinh) AI_MATH_1(tanh)
AI_MATH_1(exp) AI_MATH_1(exp2) AI_MATH_1(expm1) AI_MATH_1(log) AI_MATH_1(log10) AI_MATH_1(log1p)
AI_MATH_1(log2) AI_MATH_1(logb) AI_MATH_1(sqrt) AI_MATH_1(cbrt) AI_MATH_1(fabs) AI_MATH_1(ceil) AI_MATH_1(floor)
AI_MATH_1(trunc) AI_MATH_1(round) AI_MATH_1(rint) AI_MATH_1(nearbyint) AI_MATH_1(erf) AI_MATH_1(erfc)
AI_MATH_1(tgamma) AI_MATH_1(lgamma)
AI_MATH_2(pow) AI_MATH_2(fmod) AI_MATH_2(remainder) AI_MATH_2(atan2) AI_MATH_2(hypot) AI_MATH_2(fmax) AI_MATH_2(fmin)
AI_MATH_2(fdim) AI_MATH_2(copysign) AI_MATH_2(nextafter)
#undef AI_MATH_1
#undef AI_MATH_2
float fma(float, float, float);
long double fma(long double, long double, long double);
float ldexp(float, int), frexp(float, int *), modf(float, float *), scalbn(float, int);
double hypot(double, double, double);
long lrint(float), lround(float);
long long llrint(float), llround(float);
int ilogb(float);
float abs(float);
double abs(double);
long double abs(long double);
long abs(long);
long long abs(long long);
int abs(int);
template <class T> typename ai_if<__is_arithmetic(T), bool>::type isnan(T);
template <class T> typename ai_if<__is_arithmetic(T), bool>::type isinf(T);
template <class T> typename ai_if<__is_arithmetic(T), bool>::type isfinite(T);
template <class T> typename ai_if<__is_arithmetic(T), bool>::type isnormal(T);
template <class T> typename ai_if<__is_arithmetic(T), bool>::type signbit(T);
template <class T> typename ai_if<__is_arithmetic(T), int>::type fpclassify(T);
}
