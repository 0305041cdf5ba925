#pragma once
typedef int nvmlReturn_t, nvmlClockType_t;
typedef struct nvmlDevice_st *nvmlDevice_t;
enum ai_nvml_values {
  NVML_SUCCESS = 0, NVML_CLOCK_GRAPHICS = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2, NVML_TEMPERATURE_GPU = 0,
  NVML_TEMPERATURE_THRESHOLD_SHUTDOWN = 0, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN = 1, NVML_ERROR_NOT_SUPPORTED = 3
};
enum nvmlSamplingType_t { NVML_TOTAL_POWER_SAMPLES, NVML_GPU_UTILIZATION_SAMPLES, NVML_MEMORY_UTILIZATION_SAMPLES };
enum nvmlValueType_t { NVML_VALUE_TYPE_DOUBLE, NVML_VALUE_TYPE_UNSIGNED_INT, NVML_VALUE_TYPE_UNSIGNED_LONG };
union nvmlValue_t { double dVal; unsigned uiVal; unsigned long ulVal; unsigned long long ullVal; };
struct nvmlSample_t { unsigned long long timeStamp; nvmlValue_t sampleValue; };
struct nvmlUtilization_t { unsigned gpu, memory; };
struct nvmlMemory_t { unsigned long long total, free, used; };
#define nvmlClocksThrottleReasonSwPowerCap 0x4ull
#define nvmlClocksThrottleReasonHwSlowdown 0x8ull
#define nvmlClocksThrottleReasonSwThermalSlowdown 0x20ull
#define nvmlClocksThrottleReasonHwThermalSlowdown 0x40ull
#define nvmlClocksThrottleReasonHwPowerBrakeSlowdown 0x80ull
#define nvmlClocksThrottleReasonAll 0x1ffull
const char *nvmlErrorString(nvmlReturn_t);
#define AI_CALL(name) template <class... A> nvmlReturn_t name(A &&...);
AI_CALL(nvmlInit) AI_CALL(nvmlShutdown) AI_CALL(nvmlDeviceGetCount) AI_CALL(nvmlDeviceGetHandleByIndex)
AI_CALL(nvmlDeviceGetHandleByPciBusId) AI_CALL(nvmlDeviceGetClockInfo) AI_CALL(nvmlDeviceGetMaxClockInfo)
AI_CALL(nvmlDeviceGetPowerUsage) AI_CALL(nvmlDeviceGetName) AI_CALL(nvmlDeviceGetTotalEnergyConsumption)
AI_CALL(nvmlInit_v2) AI_CALL(nvmlDeviceGetCount_v2) AI_CALL(nvmlDeviceGetHandleByIndex_v2) AI_CALL(nvmlDeviceGetUtilizationRates)
AI_CALL(nvmlDeviceGetPowerManagementLimit) AI_CALL(nvmlDeviceGetTemperature) AI_CALL(nvmlDeviceGetTemperatureThreshold)
AI_CALL(nvmlDeviceGetCurrentClocksThrottleReasons) AI_CALL(nvmlDeviceGetFanSpeed) AI_CALL(nvmlDeviceGetSamples)
AI_CALL(nvmlDeviceGetMemoryInfo)
#undef AI_CALL
