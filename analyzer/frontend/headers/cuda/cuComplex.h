#pragma once
#pragma clang force_cuda_host_device begin
typedef float2 cuFloatComplex, cuComplex;
typedef double2 cuDoubleComplex;
// Quotients divide by the scaled norm of the divisor, magnitudes by the larger part: neither overflows.
#define AI_COMPLEX(T, C, P, ABS, SQRT, MOST) \
  __ai_model inline C make_##C(T x, T y) { C z; z.x = x; z.y = y; return z; } \
  __ai_model inline T cuCreal##P(C z) { return z.x; } \
  __ai_model inline T cuCimag##P(C z) { return z.y; } \
  __ai_model inline C cuConj##P(C z) { return make_##C(z.x, -z.y); } \
  __ai_model inline C cuCadd##P(C a, C b) { return make_##C(a.x + b.x, a.y + b.y); } \
  __ai_model inline C cuCsub##P(C a, C b) { return make_##C(a.x - b.x, a.y - b.y); } \
  __ai_model inline C cuCmul##P(C a, C b) { return make_##C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
  __ai_model inline C cuCfma##P(C a, C b, C c) { \
    T x = a.x * b.x + c.x, y = a.x * b.y + c.y; \
    return make_##C(x - a.y * b.y, a.y * b.x + y); } \
  __ai_model inline C cuCdiv##P(C a, C b) { \
    T scale = (T)1 / (ABS(b.x) + ABS(b.y)); \
    T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale; \
    T over = (T)1 / (bx * bx + by * by); \
    return make_##C((ax * bx + ay * by) * over, (ay * bx - ax * by) * over); } \
  __ai_model inline T cuCabs##P(C z) { \
    T x = ABS(z.x), y = ABS(z.y), v = x > y ? x : y, w = x > y ? y : x, t = w / v; \
    t = v * SQRT((T)1 + t * t); \
    return v == (T)0 || v > (T)MOST || w > (T)MOST ? v + w : t; }
AI_COMPLEX(float, cuFloatComplex, f, fabsf, sqrtf, 3.402823466e38f)
AI_COMPLEX(double, cuDoubleComplex, , fabs, sqrt, 1.79769313486231570e308)
__ai_model inline cuFloatComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
__ai_model inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
__ai_model inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_cuFloatComplex(z.x, z.y); }
#undef AI_COMPLEX
#pragma clang force_cuda_host_device end
