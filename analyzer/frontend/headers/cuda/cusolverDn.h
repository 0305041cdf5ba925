#pragma once
#include <cublas_v2.h>
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
typedef struct syevjInfo *syevjInfo_t;
enum cusolverStatus_t { CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_NOT_INITIALIZED, CUSOLVER_STATUS_ALLOC_FAILED };
enum cusolverEigMode_t { CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR };
#define AI_CALL(name) template <class... A> cusolverStatus_t name(A &&...);
#define AI_TYPES(name) AI_CALL(cusolverDnS##name) AI_CALL(cusolverDnD##name) AI_CALL(cusolverDnC##name) AI_CALL(cusolverDnZ##name)
#define AI_SIZED(name) AI_TYPES(name) AI_TYPES(name##_bufferSize)
AI_CALL(cusolverDnCreate) AI_CALL(cusolverDnDestroy) AI_CALL(cusolverDnSetStream)
AI_CALL(cusolverDnCreateGesvdjInfo) AI_CALL(cusolverDnDestroyGesvdjInfo) AI_CALL(cusolverDnCreateSyevjInfo) AI_CALL(cusolverDnDestroySyevjInfo)
AI_CALL(cusolverDnXgesvdjSetTolerance) AI_CALL(cusolverDnXgesvdjSetMaxSweeps) AI_CALL(cusolverDnXsyevjSetTolerance) AI_CALL(cusolverDnXsyevjSetMaxSweeps)
AI_SIZED(getrf) AI_SIZED(potrf) AI_SIZED(geqrf) AI_SIZED(gesvd) AI_SIZED(gesvdj) AI_SIZED(gesvdjBatched) AI_SIZED(syevd) AI_SIZED(syevj)
AI_SIZED(heevd) AI_SIZED(ormqr) AI_SIZED(orgqr) AI_SIZED(potri) AI_TYPES(getrs) AI_TYPES(potrs) AI_TYPES(potrfBatched) AI_TYPES(potrsBatched)
#undef AI_SIZED
#undef AI_TYPES
#undef AI_CALL
