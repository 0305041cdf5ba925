#pragma once
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseSpSMDescr *cusparseSpSMDescr_t;
typedef struct csrilu02Info *csrilu02Info_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS = 0, CUSPARSE_STATUS_NOT_INITIALIZED, CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_INVALID_VALUE, CUSPARSE_STATUS_ARCH_MISMATCH, CUSPARSE_STATUS_EXECUTION_FAILED = 6, CUSPARSE_STATUS_INTERNAL_ERROR, CUSPARSE_STATUS_ZERO_PIVOT = 9, CUSPARSE_STATUS_NOT_SUPPORTED, CUSPARSE_STATUS_INSUFFICIENT_RESOURCES };
enum cusparseOperation_t { CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE };
enum cusparseIndexBase_t { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE };
enum cusparseIndexType_t { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I };
enum cusparseMatrixType_t { CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_MATRIX_TYPE_SYMMETRIC };
enum cusparseOrder_t { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW };
enum cusparseSpMVAlg_t { CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_MV_ALG_DEFAULT = 0, CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2 };
enum cusparseSpMMAlg_t { CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1 = 4, CUSPARSE_SPMM_CSR_ALG2 = 6 };
enum cusparseAction_t { CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC };
enum cusparseFillMode_t { CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER };
enum cusparseDiagType_t { CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT };
enum cusparseDirection_t { CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN };
enum cusparseSolvePolicy_t { CUSPARSE_SOLVE_POLICY_NO_LEVEL, CUSPARSE_SOLVE_POLICY_USE_LEVEL };
enum cusparseSpMatAttribute_t { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE };
enum cusparseSpGEMMAlg_t { CUSPARSE_SPGEMM_DEFAULT };
enum cusparseSpSVAlg_t { CUSPARSE_SPSV_ALG_DEFAULT };
enum cusparseSpSMAlg_t { CUSPARSE_SPSM_ALG_DEFAULT };
enum cusparseSDDMMAlg_t { CUSPARSE_SDDMM_ALG_DEFAULT };
enum cusparseDenseToSparseAlg_t { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT };
enum cusparseSparseToDenseAlg_t { CUSPARSE_SPARSETODENSE_ALG_DEFAULT };
enum cusparseCsr2CscAlg_t { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1 };
const char *cusparseGetErrorString(cusparseStatus_t);
#define AI_CALL(name) template <class... A> cusparseStatus_t name(A &&...);
AI_CALL(cusparseCreate) AI_CALL(cusparseDestroy) AI_CALL(cusparseSetStream) AI_CALL(cusparseCreateMatDescr) AI_CALL(cusparseSetMatType)
AI_CALL(cusparseSetMatIndexBase) AI_CALL(cusparseDestroyMatDescr) AI_CALL(cusparseCreateCsr) AI_CALL(cusparseCreateCoo)
AI_CALL(cusparseCreateDnVec) AI_CALL(cusparseCreateDnMat) AI_CALL(cusparseDestroySpMat) AI_CALL(cusparseDestroyDnVec)
AI_CALL(cusparseDestroyDnMat) AI_CALL(cusparseSpMV_bufferSize) AI_CALL(cusparseSpMV) AI_CALL(cusparseSpMV_preprocess)
AI_CALL(cusparseSpMM_bufferSize) AI_CALL(cusparseSpMM) AI_CALL(cusparseXcoo2csr) AI_CALL(cusparseXcsr2coo)
AI_CALL(cusparseDenseToSparse_bufferSize) AI_CALL(cusparseDenseToSparse_analysis) AI_CALL(cusparseDenseToSparse_convert)
AI_CALL(cusparseSpGEMM_createDescr) AI_CALL(cusparseSpGEMM_destroyDescr) AI_CALL(cusparseSpGEMM_compute) AI_CALL(cusparseSpGEMM_copy)
AI_CALL(cusparseScsrgeam2_bufferSizeExt) AI_CALL(cusparseDcsrgeam2_bufferSizeExt) AI_CALL(cusparseXcsrgeam2Nnz)
AI_CALL(cusparseScsrgeam2) AI_CALL(cusparseDcsrgeam2) AI_CALL(cusparseCsr2cscEx2_bufferSize) AI_CALL(cusparseCsr2cscEx2)
AI_CALL(cusparseSDDMM_bufferSize) AI_CALL(cusparseSDDMM) AI_CALL(cusparseSpSV_createDescr) AI_CALL(cusparseSpSV_destroyDescr)
AI_CALL(cusparseSpSV_bufferSize) AI_CALL(cusparseSpSV_analysis) AI_CALL(cusparseSpSV_solve) AI_CALL(cusparseSgtsv2StridedBatch)
AI_CALL(cusparseDgtsv2StridedBatch) AI_CALL(cusparseSpGEMM_workEstimation) AI_CALL(cusparseSpMatGetSize) AI_CALL(cusparseCsrSetPointers) AI_CALL(cusparseSetPointerMode)
AI_CALL(cusparseAxpby) AI_CALL(cusparseCreateCsrilu02Info) AI_CALL(cusparseCreateIdentityPermutation)
AI_CALL(cusparseCreateSpVec) AI_CALL(cusparseCsrSetStridedBatch) AI_CALL(cusparseDcsrilu02)
AI_CALL(cusparseDcsrilu02_analysis) AI_CALL(cusparseDcsrilu02_bufferSize) AI_CALL(cusparseDestroyCsrilu02Info)
AI_CALL(cusparseDestroySpVec) AI_CALL(cusparseDnMatSetStridedBatch) AI_CALL(cusparseGather) AI_CALL(cusparseSDDMM_preprocess)
AI_CALL(cusparseSnnz) AI_CALL(cusparseSpMatSetAttribute) AI_CALL(cusparseSpSM_analysis) AI_CALL(cusparseSpSM_bufferSize)
AI_CALL(cusparseSpSM_createDescr) AI_CALL(cusparseSpSM_destroyDescr) AI_CALL(cusparseSpSM_solve)
AI_CALL(cusparseSparseToDense) AI_CALL(cusparseSparseToDense_bufferSize) AI_CALL(cusparseXcsrilu02_zeroPivot)
AI_CALL(cusparseXcsrsort) AI_CALL(cusparseXcsrsort_bufferSizeExt) AI_CALL(cusparseRot) AI_CALL(cusparseScatter)
AI_CALL(cusparseSpVV) AI_CALL(cusparseSpVV_bufferSize) AI_CALL(cusparseSpVecSetValues) AI_CALL(cusparseSpVecGetValues)
AI_CALL(cusparseDnVecSetValues) AI_CALL(cusparseDnVecGetValues) AI_CALL(cusparseCreateCsc) AI_CALL(cusparseCreateBlockedEll)
AI_CALL(cusparseSpVecGet) AI_CALL(cusparseDnVecGet) AI_CALL(cusparseDnMatGet) AI_CALL(cusparseDnMatSetValues)
AI_CALL(cusparseSpMatSetValues) AI_CALL(cusparseCsrGet)
#undef AI_CALL
