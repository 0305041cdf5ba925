#pragma once
#include <cstddef>
typedef struct ncclComm *ncclComm_t;
struct ncclUniqueId { char internal[128]; };
enum ncclResult_t { ncclSuccess, ncclUnhandledCudaError, ncclSystemError, ncclInternalError, ncclInvalidArgument, ncclInvalidUsage, ncclRemoteError, ncclInProgress };
enum ncclDataType_t {
  ncclInt8, ncclChar = 0, ncclUint8, ncclInt32, ncclInt = 2, ncclUint32, ncclInt64, ncclUint64, ncclFloat16, ncclHalf = 6, ncclFloat32,
  ncclFloat = 7, ncclFloat64, ncclDouble = 8, ncclBfloat16
};
enum ncclRedOp_t { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg };
const char *ncclGetErrorString(ncclResult_t);
#define AI_CALL(name) ncclResult_t name(...);
AI_CALL(ncclGetUniqueId) AI_CALL(ncclCommInitRank) AI_CALL(ncclCommInitAll) AI_CALL(ncclCommDestroy) AI_CALL(ncclCommFinalize)
AI_CALL(ncclCommCount) AI_CALL(ncclCommUserRank) AI_CALL(ncclAllReduce) AI_CALL(ncclReduce) AI_CALL(ncclBroadcast) AI_CALL(ncclBcast)
AI_CALL(ncclAllGather) AI_CALL(ncclReduceScatter) AI_CALL(ncclSend) AI_CALL(ncclRecv) AI_CALL(ncclGroupStart) AI_CALL(ncclGroupEnd)
#undef AI_CALL
