#pragma once
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS = 0 };
enum cusparseOperation_t { CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE };
enum cusparseIndexBase_t { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE };
enum cusparseIndexType_t { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I };
enum cusparseMatrixType_t { CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_MATRIX_TYPE_SYMMETRIC };
enum cusparseOrder_t { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW };
enum cusparseSpMVAlg_t { CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_MV_ALG_DEFAULT = 0, CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2 };
enum cusparseSpMMAlg_t { CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1 = 4, CUSPARSE_SPMM_CSR_ALG2 = 6 };
enum cusparseAction_t { CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC };
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
#undef AI_CALL
