#pragma once
#include <cuComplex.h>
typedef int cufftHandle;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
enum cufftResult_t { CUFFT_SUCCESS = 0 };
typedef cufftResult_t cufftResult;
enum cufftType_t { CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c, CUFFT_Z2Z = 0x69 };
typedef cufftType_t cufftType;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
#define AI_CALL(name) template <class... A> cufftResult name(A &&...);
AI_CALL(cufftCreate) AI_CALL(cufftPlan1d) AI_CALL(cufftPlan2d) AI_CALL(cufftPlan3d) AI_CALL(cufftPlanMany) AI_CALL(cufftMakePlan1d)
AI_CALL(cufftMakePlan2d) AI_CALL(cufftMakePlan3d) AI_CALL(cufftMakePlanMany) AI_CALL(cufftSetStream) AI_CALL(cufftDestroy)
AI_CALL(cufftSetWorkArea) AI_CALL(cufftSetAutoAllocation) AI_CALL(cufftGetSize) AI_CALL(cufftExecC2C) AI_CALL(cufftExecR2C)
AI_CALL(cufftExecC2R) AI_CALL(cufftExecZ2Z) AI_CALL(cufftExecD2Z) AI_CALL(cufftExecZ2D)
#undef AI_CALL
