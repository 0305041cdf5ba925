#pragma once
#pragma clang force_cuda_host_device begin
typedef float2 cuFloatComplex, cuComplex;
typedef double2 cuDoubleComplex;
#define AI_COMPLEX(T, C, P) \
  C make_##C(T, T); T cuCreal##P(C); T cuCimag##P(C); C cuConj##P(C); C cuCadd##P(C, C); C cuCsub##P(C, C); \
  C cuCmul##P(C, C); C cuCdiv##P(C, C); T cuCabs##P(C); C cuCfma##P(C, C, C);
AI_COMPLEX(float, cuFloatComplex, f)
AI_COMPLEX(double, cuDoubleComplex, )
cuFloatComplex make_cuComplex(float, float);
#undef AI_COMPLEX
#pragma clang force_cuda_host_device end
