#pragma once
#define AI_MARK(name) template <class... A> __ai_model inline int name(A &&...) { return 0; }
AI_MARK(nvtxRangePush) AI_MARK(nvtxRangePushA) AI_MARK(nvtxRangePop) AI_MARK(nvtxRangeStartA) AI_MARK(nvtxRangeEnd)
AI_MARK(nvtxMark) AI_MARK(nvtxMarkA) AI_MARK(nvtxNameCudaStreamA) AI_MARK(nvtxNameCudaEventA) AI_MARK(nvtxNameOsThreadA)
AI_MARK(nvtxRangePushEx)
#undef AI_MARK
struct nvtxEventAttributes_t {
  unsigned short version, size;
  unsigned category;
  int colorType;
  unsigned color;
  int messageType;
  union { const char *ascii; } message;
};
enum ai_nvtx_values { NVTX_VERSION = 3, NVTX_EVENT_ATTRIB_STRUCT_SIZE = 48, NVTX_COLOR_ARGB = 1, NVTX_MESSAGE_TYPE_ASCII = 1 };
