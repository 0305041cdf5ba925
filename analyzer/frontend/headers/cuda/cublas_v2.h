#pragma once
#include <ai_half.h>
typedef struct cublasContext *cublasHandle_t;
enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH = 8, CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR = 14, CUBLAS_STATUS_NOT_SUPPORTED = 15
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasMath_t { CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_TF32_TENSOR_OP_MATH = 3 };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77, CUBLAS_COMPUTE_64F = 70, CUBLAS_COMPUTE_32I = 72
};
const char *cublasGetStatusString(cublasStatus_t);
#define AI_CALL(name) cublasStatus_t name(...);
#define AI_EITHER(name) AI_CALL(name) AI_CALL(name##_64)
#define AI_TYPES(name) AI_EITHER(cublasS##name) AI_EITHER(cublasD##name) AI_EITHER(cublasC##name) AI_EITHER(cublasZ##name)
AI_CALL(cublasCreate) AI_CALL(cublasDestroy) AI_CALL(cublasSetStream) AI_CALL(cublasSetPointerMode)
AI_CALL(cublasSetMathMode) AI_CALL(cublasSetVector) AI_CALL(cublasGetVector) AI_CALL(cublasSetMatrix)
AI_CALL(cublasGetMatrix) AI_CALL(cublasGemmEx) AI_CALL(cublasGemmBatchedEx) AI_CALL(cublasGemmStridedBatchedEx)
AI_CALL(cublasDotEx) AI_CALL(cublasHgemm) AI_CALL(cublasHgemmBatched) AI_CALL(cublasHgemmStridedBatched)
#define AI_INDEX(type) AI_EITHER(cublasI##type##amax) AI_EITHER(cublasI##type##amin)
AI_INDEX(s) AI_INDEX(d) AI_INDEX(c) AI_INDEX(z)
AI_EITHER(cublasScnrm2) AI_EITHER(cublasDznrm2) AI_EITHER(cublasScasum) AI_EITHER(cublasDzasum) AI_EITHER(cublasCdotu)
AI_EITHER(cublasCdotc) AI_EITHER(cublasZdotu) AI_EITHER(cublasZdotc) AI_EITHER(cublasCsscal) AI_EITHER(cublasZdscal)
AI_EITHER(cublasCherk) AI_EITHER(cublasZherk) AI_TYPES(dgmm) AI_TYPES(rot) AI_TYPES(trsv) AI_TYPES(trmm) AI_TYPES(trsmBatched)
AI_TYPES(gemvBatched) AI_TYPES(gemvStridedBatched) AI_TYPES(geqrfBatched) AI_TYPES(matinvBatched)
AI_TYPES(copy) AI_TYPES(axpy) AI_TYPES(scal) AI_TYPES(dot) AI_TYPES(nrm2) AI_TYPES(asum) AI_TYPES(swap) AI_TYPES(gemv)
AI_TYPES(ger) AI_TYPES(symv) AI_TYPES(trsv) AI_TYPES(gemm) AI_TYPES(gemmBatched) AI_TYPES(gemmStridedBatched)
AI_TYPES(geam) AI_TYPES(trsm) AI_TYPES(syrk) AI_TYPES(symm) AI_TYPES(gelsBatched) AI_TYPES(getrfBatched)
AI_TYPES(getriBatched) AI_TYPES(getrsBatched)
#undef AI_INDEX
#undef AI_TYPES
#undef AI_EITHER
#undef AI_CALL
