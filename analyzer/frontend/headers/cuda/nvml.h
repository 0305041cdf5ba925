#pragma once
typedef int nvmlReturn_t, nvmlClockType_t;
typedef struct nvmlDevice_st *nvmlDevice_t;
enum ai_nvml_values { NVML_SUCCESS=0, NVML_CLOCK_GRAPHICS=0, NVML_CLOCK_SM=1, NVML_CLOCK_MEM=2 };
const char *nvmlErrorString(nvmlReturn_t);
#define AI_CALL(name) template <class... A> nvmlReturn_t name(A &&...);
AI_CALL(nvmlInit) AI_CALL(nvmlShutdown) AI_CALL(nvmlDeviceGetCount) AI_CALL(nvmlDeviceGetHandleByIndex)
AI_CALL(nvmlDeviceGetHandleByPciBusId) AI_CALL(nvmlDeviceGetClockInfo) AI_CALL(nvmlDeviceGetMaxClockInfo)
AI_CALL(nvmlDeviceGetPowerUsage) AI_CALL(nvmlDeviceGetName) AI_CALL(nvmlDeviceGetTotalEnergyConsumption)
#undef AI_CALL
