#pragma once
#pragma clang force_cuda_host_device begin
typedef float2 hipFloatComplex, hipComplex;
typedef double2 hipDoubleComplex;
// As HIP has them: quotients divide by the squared norm of the divisor, which may overflow, and magnitudes are its root.
#define AI_COMPLEX(T, C, P, SQRT) \
  __ai_model inline C make_##C(T x, T y) { C z; z.x = x; z.y = y; return z; } \
  __ai_model inline T hipCreal##P(C z) { return z.x; } \
  __ai_model inline T hipCimag##P(C z) { return z.y; } \
  __ai_model inline C hipConj##P(C z) { return make_##C(z.x, -z.y); } \
  __ai_model inline T hipCsqabs##P(C z) { return z.x * z.x + z.y * z.y; } \
  __ai_model inline T hipCabs##P(C z) { return SQRT(hipCsqabs##P(z)); } \
  __ai_model inline C hipCadd##P(C a, C b) { return make_##C(a.x + b.x, a.y + b.y); } \
  __ai_model inline C hipCsub##P(C a, C b) { return make_##C(a.x - b.x, a.y - b.y); } \
  __ai_model inline C hipCmul##P(C a, C b) { return make_##C(a.x * b.x - a.y * b.y, a.y * b.x + a.x * b.y); } \
  __ai_model inline C hipCfma##P(C a, C b, C c) { \
    T x = a.x * b.x + c.x, y = b.x * a.y + c.y; \
    return make_##C(-(a.y * b.y) + x, a.x * b.y + y); } \
  __ai_model inline C hipCdiv##P(C a, C b) { \
    T norm = hipCsqabs##P(b); \
    return make_##C((a.x * b.x + a.y * b.y) / norm, (a.y * b.x - a.x * b.y) / norm); }
AI_COMPLEX(float, hipFloatComplex, f, sqrtf)
AI_COMPLEX(double, hipDoubleComplex, , sqrt)
__ai_model inline hipFloatComplex make_hipComplex(float x, float y) { return make_hipFloatComplex(x, y); }
__ai_model inline hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) { return make_hipDoubleComplex(z.x, z.y); }
__ai_model inline hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) { return make_hipFloatComplex(z.x, z.y); }
#undef AI_COMPLEX
#pragma clang force_cuda_host_device end
