#pragma once
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define CUDART_VERSION 12000
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef cudaStream_t CUstream;
extern "C" unsigned __cudaPushCallConfiguration(dim3 g, dim3 b, size_t s=0, void* st=0);
extern "C" int cudaConfigureCall(dim3 g, dim3 b, size_t s=0, void* st=0);
enum cudaError { cudaSuccess=0, cudaErrorInvalidValue=1, cudaErrorMemoryAllocation=2, cudaErrorInitializationError=3, cudaErrorNoDevice=100, cudaErrorInvalidDevice=101, cudaErrorNotSupported=801, cudaErrorUnknown=999, cudaErrorNotReady=600, cudaErrorInvalidDeviceFunction=98, cudaErrorPeerAccessAlreadyEnabled=704, cudaErrorInvalidConfiguration=9, cudaErrorLaunchFailure=719 };
typedef cudaError cudaError_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum ai_flags { cudaHostAllocDefault=0, cudaHostAllocPortable=1, cudaHostAllocMapped=2, cudaHostAllocWriteCombined=4, cudaHostRegisterDefault=0, cudaHostRegisterPortable=1, cudaHostRegisterMapped=2, cudaEventDefault=0, cudaEventBlockingSync=1, cudaEventDisableTiming=2, cudaStreamNonBlocking=1, cudaDeviceScheduleAuto=0, cudaDeviceScheduleSpin=1, cudaDeviceScheduleYield=2, cudaDeviceScheduleBlockingSync=4, cudaDeviceMapHost=8, cudaMemAttachGlobal=1, cudaMemAttachHost=2, cudaMemAttachSingle=4, cudaArrayDefault=0, cudaArrayLayered=1, cudaArraySurfaceLoadStore=2, cudaCpuDeviceId=-1, cudaOccupancyDefault=0 };
#define cudaStreamDefault 0
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount };
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock=1, cudaDevAttrMaxBlockDimX=2, cudaDevAttrMaxBlockDimY=3, cudaDevAttrMaxBlockDimZ=4,
  cudaDevAttrMaxGridDimX=5, cudaDevAttrMaxGridDimY=6, cudaDevAttrMaxGridDimZ=7, cudaDevAttrMaxSharedMemoryPerBlock=8,
  cudaDevAttrTotalConstantMemory=9, cudaDevAttrWarpSize=10, cudaDevAttrMaxPitch=11,
  cudaDevAttrMaxRegistersPerBlock=12, cudaDevAttrClockRate=13, cudaDevAttrTextureAlignment=14,
  cudaDevAttrGpuOverlap=15, cudaDevAttrMultiProcessorCount=16, cudaDevAttrKernelExecTimeout=17,
  cudaDevAttrIntegrated=18, cudaDevAttrCanMapHostMemory=19, cudaDevAttrComputeMode=20,
  cudaDevAttrMaxTexture1DWidth=21, cudaDevAttrMaxTexture2DWidth=22, cudaDevAttrMaxTexture2DHeight=23,
  cudaDevAttrMaxTexture3DWidth=24, cudaDevAttrMaxTexture3DHeight=25, cudaDevAttrMaxTexture3DDepth=26,
  cudaDevAttrMaxTexture2DLayeredWidth=27, cudaDevAttrMaxTexture2DLayeredHeight=28,
  cudaDevAttrMaxTexture2DLayeredLayers=29, cudaDevAttrSurfaceAlignment=30, cudaDevAttrConcurrentKernels=31,
  cudaDevAttrEccEnabled=32, cudaDevAttrPciBusId=33, cudaDevAttrPciDeviceId=34, cudaDevAttrTccDriver=35,
  cudaDevAttrMemoryClockRate=36, cudaDevAttrGlobalMemoryBusWidth=37, cudaDevAttrL2CacheSize=38,
  cudaDevAttrMaxThreadsPerMultiProcessor=39, cudaDevAttrAsyncEngineCount=40, cudaDevAttrUnifiedAddressing=41,
  cudaDevAttrMaxTexture1DLayeredWidth=42, cudaDevAttrMaxTexture1DLayeredLayers=43,
  cudaDevAttrMaxTexture2DGatherWidth=45, cudaDevAttrMaxTexture2DGatherHeight=46, cudaDevAttrMaxTexture3DWidthAlt=47,
  cudaDevAttrMaxTexture3DHeightAlt=48, cudaDevAttrMaxTexture3DDepthAlt=49, cudaDevAttrPciDomainId=50,
  cudaDevAttrTexturePitchAlignment=51, cudaDevAttrMaxTextureCubemapWidth=52,
  cudaDevAttrMaxTextureCubemapLayeredWidth=53, cudaDevAttrMaxTextureCubemapLayeredLayers=54,
  cudaDevAttrMaxSurface1DWidth=55, cudaDevAttrMaxSurface2DWidth=56, cudaDevAttrMaxSurface2DHeight=57,
  cudaDevAttrMaxSurface3DWidth=58, cudaDevAttrMaxSurface3DHeight=59, cudaDevAttrMaxSurface3DDepth=60,
  cudaDevAttrMaxSurface1DLayeredWidth=61, cudaDevAttrMaxSurface1DLayeredLayers=62,
  cudaDevAttrMaxSurface2DLayeredWidth=63, cudaDevAttrMaxSurface2DLayeredHeight=64,
  cudaDevAttrMaxSurface2DLayeredLayers=65, cudaDevAttrMaxSurfaceCubemapWidth=66,
  cudaDevAttrMaxSurfaceCubemapLayeredWidth=67, cudaDevAttrMaxSurfaceCubemapLayeredLayers=68,
  cudaDevAttrMaxTexture1DLinearWidth=69, cudaDevAttrMaxTexture2DLinearWidth=70,
  cudaDevAttrMaxTexture2DLinearHeight=71, cudaDevAttrMaxTexture2DLinearPitch=72,
  cudaDevAttrMaxTexture2DMipmappedWidth=73, cudaDevAttrMaxTexture2DMipmappedHeight=74,
  cudaDevAttrComputeCapabilityMajor=75, cudaDevAttrComputeCapabilityMinor=76,
  cudaDevAttrMaxTexture1DMipmappedWidth=77, cudaDevAttrStreamPrioritiesSupported=78,
  cudaDevAttrGlobalL1CacheSupported=79, cudaDevAttrLocalL1CacheSupported=80,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor=81, cudaDevAttrMaxRegistersPerMultiprocessor=82,
  cudaDevAttrManagedMemory=83, cudaDevAttrIsMultiGpuBoard=84, cudaDevAttrMultiGpuBoardGroupID=85,
  cudaDevAttrHostNativeAtomicSupported=86, cudaDevAttrSingleToDoublePrecisionPerfRatio=87,
  cudaDevAttrPageableMemoryAccess=88, cudaDevAttrConcurrentManagedAccess=89, cudaDevAttrComputePreemptionSupported=90,
  cudaDevAttrCanUseHostPointerForRegisteredMem=91, cudaDevAttrCooperativeLaunch=95,
  cudaDevAttrCooperativeMultiDeviceLaunch=96, cudaDevAttrMaxSharedMemoryPerBlockOptin=97,
  cudaDevAttrCanFlushRemoteWrites=98, cudaDevAttrHostRegisterSupported=99,
  cudaDevAttrPageableMemoryAccessUsesHostPageTables=100, cudaDevAttrDirectManagedMemAccessFromHost=101,
  cudaDevAttrMaxBlocksPerMultiprocessor=106, cudaDevAttrMaxPersistingL2CacheSize=108,
  cudaDevAttrMaxAccessPolicyWindowSize=109, cudaDevAttrSparseCudaArraySupported=112,
  cudaDevAttrHostRegisterReadOnlySupported=113, cudaDevAttrTimelineSemaphoreInteropSupported=114,
  cudaDevAttrMemoryPoolsSupported=115, cudaDevAttrGPUDirectRDMASupported=116,
  cudaDevAttrGPUDirectRDMAFlushWritesOptions=117, cudaDevAttrGPUDirectRDMAWritesOrdering=118,
  cudaDevAttrMemoryPoolSupportedHandleTypes=119, cudaDevAttrClusterLaunch=120,
  cudaDevAttrDeferredMappingCudaArraySupported=121, cudaDevAttrIpcEventSupport=125, cudaDevAttrMemSyncDomainCount=126,
  cudaDevAttrNumaConfig=130, cudaDevAttrNumaId=131, cudaDevAttrMpsEnabled=133, cudaDevAttrHostNumaId=134,
  cudaDevAttrD3D12CigSupported=135, cudaDevAttrVulkanCigSupported=138, cudaDevAttrGpuPciDeviceId=139,
  cudaDevAttrGpuPciSubsystemId=140, cudaDevAttrHostNumaMemoryPoolsSupported=142,
  cudaDevAttrHostNumaMultinodeIpcSupported=143, cudaDevAttrHostMemoryPoolsSupported=144,
  cudaDevAttrOnlyPartialHostNativeAtomicSupported=147
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize=8, cudaFuncAttributePreferredSharedMemoryCarveout=9 };
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly=1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone };
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
enum cudaMemPoolAttr { cudaMemPoolReuseFollowEventDependencies=1, cudaMemPoolReuseAllowOpportunistic, cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold };
enum ai_texture_kinds { cudaTextureType1D=1, cudaTextureType2D=2, cudaTextureType3D=3 };
enum cudaDataType_t { CUDA_R_32F=0, CUDA_R_64F=1, CUDA_R_16F=2, CUDA_R_8I=3, CUDA_C_32F=4, CUDA_C_64F=5, CUDA_R_32I=10, CUDA_R_16BF=14, CUDA_R_8F_E4M3=28, CUDA_R_8F_E5M2=29 };
typedef cudaDataType_t cudaDataType;
struct cudaExtent { size_t width,height,depth; }; struct cudaPos { size_t x,y,z; }; struct cudaPitchedPtr { void* ptr; size_t pitch,xsize,ysize; };
struct cudaChannelFormatDesc { int x,y,z,w; cudaChannelFormatKind f; };
typedef struct cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;
typedef struct ai_texture *cudaTextureObject_t, *cudaSurfaceObject_t;
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
struct cudaMemcpy3DParms { cudaArray_t srcArray; cudaPos srcPos; cudaPitchedPtr srcPtr; cudaArray_t dstArray; cudaPos dstPos; cudaPitchedPtr dstPtr; cudaExtent extent; cudaMemcpyKind kind; };
struct cudaResourceDesc { cudaResourceType resType; union { struct { cudaArray_t array; } array; struct { void* devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear; struct { void* devPtr; cudaChannelFormatDesc desc; size_t width,height,pitchInBytes; } pitch2D; } res; };
struct cudaTextureDesc { cudaTextureAddressMode addressMode[3]; cudaTextureFilterMode filterMode; cudaTextureReadMode readMode; int sRGB; float borderColor[4]; int normalizedCoords; unsigned maxAnisotropy; };
struct cudaDeviceProp { char name[256]; size_t totalGlobalMem,sharedMemPerBlock; int regsPerBlock,warpSize; size_t memPitch; int maxThreadsPerBlock; int maxThreadsDim[3]; int maxGridSize[3]; int clockRate; size_t totalConstMem; int major,minor; size_t textureAlignment; int deviceOverlap,multiProcessorCount,kernelExecTimeoutEnabled,integrated,canMapHostMemory,computeMode,maxTexture1D; int maxTexture2D[2]; int concurrentKernels,ECCEnabled,pciBusID,pciDeviceID,pciDomainID,tccDriver,asyncEngineCount,unifiedAddressing,memoryClockRate,memoryBusWidth,l2CacheSize,maxThreadsPerMultiProcessor; size_t sharedMemPerMultiprocessor; int regsPerMultiprocessor,managedMemory,cooperativeLaunch,concurrentManagedAccess,pageableMemoryAccess,maxBlocksPerMultiProcessor; size_t sharedMemPerBlockOptin; int persistingL2CacheMaxSize; };
struct cudaFuncAttributes { size_t sharedSizeBytes,constSizeBytes,localSizeBytes; int maxThreadsPerBlock,numRegs,ptxVersion,binaryVersion,cacheModeCA,maxDynamicSharedSizeBytes; };
struct cudaPointerAttributes { int type,device; void *devicePointer,*hostPointer; };
struct cudaKernelNodeParams { void* func; dim3 gridDim,blockDim; unsigned sharedMemBytes; void** kernelParams; void** extra; };
struct cudaMemsetParams { void* dst; size_t pitch; unsigned value,elementSize; size_t width,height; };
struct cudaHostNodeParams { void (*fn)(void*); void* userData; };
enum cudaLaunchAttributeID { cudaLaunchAttributeIgnore, cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeCooperative, cudaLaunchAttributeClusterDimension=4, cudaLaunchAttributeProgrammaticStreamSerialization=6 };
union cudaLaunchAttributeValue { struct { unsigned x,y,z; } clusterDim; int cooperative,programmaticStreamSerializationAllowed,priority; };
struct cudaLaunchAttribute { cudaLaunchAttributeID id; cudaLaunchAttributeValue val; };
struct cudaLaunchConfig_t { dim3 gridDim,blockDim; size_t dynamicSmemBytes; cudaStream_t stream; cudaLaunchAttribute* attrs; unsigned numAttrs; };
struct cudaMemLocation { int type,id; };
inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t x, size_t y) { return cudaPitchedPtr{p, pitch, x, y}; }
inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return cudaExtent{w, h, d}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }
const char* cudaGetErrorString(cudaError_t); const char* cudaGetErrorName(cudaError_t);
template<class T> cudaChannelFormatDesc cudaCreateChannelDesc(); cudaChannelFormatDesc cudaCreateChannelDesc(int,int,int,int,cudaChannelFormatKind);
#define AI_CALL(name) template <class... A> cudaError_t name(A &&...); cudaError_t name(...);
AI_CALL(cudaOccupancyMaxPotentialBlockSizeVariableSMem) AI_CALL(cudaArrayGetInfo) AI_CALL(cudaArrayGetMemoryRequirements) AI_CALL(cudaArrayGetPlane)
AI_CALL(cudaArrayGetSparseProperties) AI_CALL(cudaBindSurfaceToArray) AI_CALL(cudaBindTexture)
AI_CALL(cudaBindTexture2D) AI_CALL(cudaBindTextureToArray) AI_CALL(cudaChooseDevice) AI_CALL(cudaCreateSurfaceObject)
AI_CALL(cudaCreateTextureObject) AI_CALL(cudaCtxResetPersistingL2Cache) AI_CALL(cudaDestroyExternalMemory)
AI_CALL(cudaDestroyExternalSemaphore) AI_CALL(cudaDestroySurfaceObject) AI_CALL(cudaDestroyTextureObject)
AI_CALL(cudaDeviceCanAccessPeer) AI_CALL(cudaDeviceDisablePeerAccess) AI_CALL(cudaDeviceEnablePeerAccess)
AI_CALL(cudaDeviceFlushGPUDirectRDMAWrites) AI_CALL(cudaDeviceGetAttribute) AI_CALL(cudaDeviceGetByPCIBusId)
AI_CALL(cudaDeviceGetCacheConfig) AI_CALL(cudaDeviceGetDefaultMemPool) AI_CALL(cudaDeviceGetGraphMemAttribute)
AI_CALL(cudaDeviceGetLimit) AI_CALL(cudaDeviceGetMemPool) AI_CALL(cudaDeviceGetNvSciSyncAttributes)
AI_CALL(cudaDeviceGetP2PAttribute) AI_CALL(cudaDeviceGetPCIBusId) AI_CALL(cudaDeviceGetSharedMemConfig)
AI_CALL(cudaDeviceGetStreamPriorityRange) AI_CALL(cudaDeviceGetTexture1DLinearMaxWidth)
AI_CALL(cudaDeviceGraphMemTrim) AI_CALL(cudaDeviceReset) AI_CALL(cudaDeviceSetCacheConfig)
AI_CALL(cudaDeviceSetGraphMemAttribute) AI_CALL(cudaDeviceSetLimit) AI_CALL(cudaDeviceSetMemPool)
AI_CALL(cudaDeviceSetSharedMemConfig) AI_CALL(cudaDeviceSynchronize) AI_CALL(cudaDriverGetVersion)
AI_CALL(cudaEventCreate) AI_CALL(cudaEventCreateWithFlags) AI_CALL(cudaEventDestroy) AI_CALL(cudaEventElapsedTime)
AI_CALL(cudaEventQuery) AI_CALL(cudaEventRecord) AI_CALL(cudaEventRecordWithFlags) AI_CALL(cudaEventSynchronize)
AI_CALL(cudaExternalMemoryGetMappedBuffer) AI_CALL(cudaExternalMemoryGetMappedMipmappedArray) AI_CALL(cudaFree)
AI_CALL(cudaFreeArray) AI_CALL(cudaFreeAsync) AI_CALL(cudaFreeHost) AI_CALL(cudaFreeMipmappedArray)
AI_CALL(cudaFuncGetAttributes) AI_CALL(cudaFuncGetName) AI_CALL(cudaFuncSetAttribute) AI_CALL(cudaFuncSetCacheConfig)
AI_CALL(cudaFuncSetSharedMemConfig) AI_CALL(cudaGetChannelDesc) AI_CALL(cudaGetDevice) AI_CALL(cudaGetDeviceCount)
AI_CALL(cudaGetDeviceFlags) AI_CALL(cudaGetDeviceProperties) AI_CALL(cudaGetDriverEntryPoint)
AI_CALL(cudaGetExportTable) AI_CALL(cudaGetKernel) AI_CALL(cudaGetLastError) AI_CALL(cudaGetMipmappedArrayLevel)
AI_CALL(cudaGetSurfaceObjectResourceDesc) AI_CALL(cudaGetSymbolAddress) AI_CALL(cudaGetSymbolSize)
AI_CALL(cudaGetTextureObjectResourceDesc) AI_CALL(cudaGetTextureObjectResourceViewDesc)
AI_CALL(cudaGetTextureObjectTextureDesc) AI_CALL(cudaGraphAddChildGraphNode) AI_CALL(cudaGraphAddDependencies)
AI_CALL(cudaGraphAddDependencies_v2) AI_CALL(cudaGraphAddEmptyNode) AI_CALL(cudaGraphAddEventRecordNode)
AI_CALL(cudaGraphAddEventWaitNode) AI_CALL(cudaGraphAddExternalSemaphoresSignalNode)
AI_CALL(cudaGraphAddExternalSemaphoresWaitNode) AI_CALL(cudaGraphAddHostNode) AI_CALL(cudaGraphAddKernelNode)
AI_CALL(cudaGraphAddMemAllocNode) AI_CALL(cudaGraphAddMemFreeNode) AI_CALL(cudaGraphAddMemcpyNode)
AI_CALL(cudaGraphAddMemcpyNode1D) AI_CALL(cudaGraphAddMemcpyNodeFromSymbol) AI_CALL(cudaGraphAddMemcpyNodeToSymbol)
AI_CALL(cudaGraphAddMemsetNode) AI_CALL(cudaGraphAddNode) AI_CALL(cudaGraphAddNode_v2)
AI_CALL(cudaGraphChildGraphNodeGetGraph) AI_CALL(cudaGraphClone) AI_CALL(cudaGraphConditionalHandleCreate)
AI_CALL(cudaGraphCreate) AI_CALL(cudaGraphDebugDotPrint) AI_CALL(cudaGraphDestroy) AI_CALL(cudaGraphDestroyNode)
AI_CALL(cudaGraphEventRecordNodeGetEvent) AI_CALL(cudaGraphEventRecordNodeSetEvent)
AI_CALL(cudaGraphEventWaitNodeGetEvent) AI_CALL(cudaGraphEventWaitNodeSetEvent)
AI_CALL(cudaGraphExecChildGraphNodeSetParams) AI_CALL(cudaGraphExecDestroy)
AI_CALL(cudaGraphExecEventRecordNodeSetEvent) AI_CALL(cudaGraphExecEventWaitNodeSetEvent)
AI_CALL(cudaGraphExecExternalSemaphoresSignalNodeSetParams) AI_CALL(cudaGraphExecExternalSemaphoresWaitNodeSetParams)
AI_CALL(cudaGraphExecGetFlags) AI_CALL(cudaGraphExecHostNodeSetParams) AI_CALL(cudaGraphExecKernelNodeSetParams)
AI_CALL(cudaGraphExecMemcpyNodeSetParams) AI_CALL(cudaGraphExecMemcpyNodeSetParams1D)
AI_CALL(cudaGraphExecMemcpyNodeSetParamsFromSymbol) AI_CALL(cudaGraphExecMemcpyNodeSetParamsToSymbol)
AI_CALL(cudaGraphExecMemsetNodeSetParams) AI_CALL(cudaGraphExecNodeSetParams) AI_CALL(cudaGraphExecUpdate)
AI_CALL(cudaGraphExternalSemaphoresSignalNodeGetParams) AI_CALL(cudaGraphExternalSemaphoresSignalNodeSetParams)
AI_CALL(cudaGraphExternalSemaphoresWaitNodeGetParams) AI_CALL(cudaGraphExternalSemaphoresWaitNodeSetParams)
AI_CALL(cudaGraphGetEdges) AI_CALL(cudaGraphGetEdges_v2) AI_CALL(cudaGraphGetNodes) AI_CALL(cudaGraphGetRootNodes)
AI_CALL(cudaGraphHostNodeGetParams) AI_CALL(cudaGraphHostNodeSetParams) AI_CALL(cudaGraphInstantiate)
AI_CALL(cudaGraphInstantiateWithFlags) AI_CALL(cudaGraphInstantiateWithParams)
AI_CALL(cudaGraphKernelNodeCopyAttributes) AI_CALL(cudaGraphKernelNodeGetAttribute)
AI_CALL(cudaGraphKernelNodeGetParams) AI_CALL(cudaGraphKernelNodeSetAttribute) AI_CALL(cudaGraphKernelNodeSetParams)
AI_CALL(cudaGraphLaunch) AI_CALL(cudaGraphMemAllocNodeGetParams) AI_CALL(cudaGraphMemFreeNodeGetParams)
AI_CALL(cudaGraphMemcpyNodeGetParams) AI_CALL(cudaGraphMemcpyNodeSetParams) AI_CALL(cudaGraphMemcpyNodeSetParams1D)
AI_CALL(cudaGraphMemcpyNodeSetParamsFromSymbol) AI_CALL(cudaGraphMemcpyNodeSetParamsToSymbol)
AI_CALL(cudaGraphMemsetNodeGetParams) AI_CALL(cudaGraphMemsetNodeSetParams) AI_CALL(cudaGraphNodeFindInClone)
AI_CALL(cudaGraphNodeGetDependencies) AI_CALL(cudaGraphNodeGetDependencies_v2) AI_CALL(cudaGraphNodeGetDependentNodes)
AI_CALL(cudaGraphNodeGetDependentNodes_v2) AI_CALL(cudaGraphNodeGetEnabled) AI_CALL(cudaGraphNodeGetType)
AI_CALL(cudaGraphNodeSetEnabled) AI_CALL(cudaGraphNodeSetParams) AI_CALL(cudaGraphReleaseUserObject)
AI_CALL(cudaGraphRemoveDependencies) AI_CALL(cudaGraphRemoveDependencies_v2) AI_CALL(cudaGraphRetainUserObject)
AI_CALL(cudaGraphUpload) AI_CALL(cudaGraphicsMapResources) AI_CALL(cudaGraphicsResourceGetMappedMipmappedArray)
AI_CALL(cudaGraphicsResourceGetMappedPointer) AI_CALL(cudaGraphicsResourceSetMapFlags)
AI_CALL(cudaGraphicsSubResourceGetMappedArray) AI_CALL(cudaGraphicsUnmapResources)
AI_CALL(cudaGraphicsUnregisterResource) AI_CALL(cudaHostAlloc) AI_CALL(cudaHostGetDevicePointer)
AI_CALL(cudaHostGetFlags) AI_CALL(cudaHostRegister) AI_CALL(cudaHostUnregister) AI_CALL(cudaImportExternalMemory)
AI_CALL(cudaImportExternalSemaphore) AI_CALL(cudaInitDevice) AI_CALL(cudaIpcCloseMemHandle)
AI_CALL(cudaIpcGetEventHandle) AI_CALL(cudaIpcGetMemHandle) AI_CALL(cudaIpcOpenEventHandle)
AI_CALL(cudaIpcOpenMemHandle) AI_CALL(cudaLaunchCooperativeKernel) AI_CALL(cudaLaunchCooperativeKernelMultiDevice)
AI_CALL(cudaLaunchHostFunc) AI_CALL(cudaLaunchKernel) AI_CALL(cudaLaunchKernelEx) AI_CALL(cudaLaunchKernelExC)
AI_CALL(cudaMalloc) AI_CALL(cudaMalloc3D) AI_CALL(cudaMalloc3DArray) AI_CALL(cudaMallocArray) AI_CALL(cudaMallocAsync)
AI_CALL(cudaMallocFromPoolAsync) AI_CALL(cudaMallocHost) AI_CALL(cudaMallocManaged) AI_CALL(cudaMallocMipmappedArray)
AI_CALL(cudaMallocPitch) AI_CALL(cudaMemAdvise) AI_CALL(cudaMemAdvise_v2) AI_CALL(cudaMemGetInfo)
AI_CALL(cudaMemPoolCreate) AI_CALL(cudaMemPoolDestroy) AI_CALL(cudaMemPoolExportPointer)
AI_CALL(cudaMemPoolExportToShareableHandle) AI_CALL(cudaMemPoolGetAccess) AI_CALL(cudaMemPoolGetAttribute)
AI_CALL(cudaMemPoolImportFromShareableHandle) AI_CALL(cudaMemPoolImportPointer) AI_CALL(cudaMemPoolSetAccess)
AI_CALL(cudaMemPoolSetAttribute) AI_CALL(cudaMemPoolTrimTo) AI_CALL(cudaMemPrefetchAsync)
AI_CALL(cudaMemPrefetchAsync_v2) AI_CALL(cudaMemRangeGetAttribute) AI_CALL(cudaMemRangeGetAttributes)
AI_CALL(cudaMemcpy) AI_CALL(cudaMemcpy2D) AI_CALL(cudaMemcpy2DArrayToArray) AI_CALL(cudaMemcpy2DAsync)
AI_CALL(cudaMemcpy2DFromArray) AI_CALL(cudaMemcpy2DFromArrayAsync) AI_CALL(cudaMemcpy2DToArray)
AI_CALL(cudaMemcpy2DToArrayAsync) AI_CALL(cudaMemcpy3D) AI_CALL(cudaMemcpy3DAsync) AI_CALL(cudaMemcpy3DPeer)
AI_CALL(cudaMemcpy3DPeerAsync) AI_CALL(cudaMemcpyArrayToArray) AI_CALL(cudaMemcpyAsync) AI_CALL(cudaMemcpyFromArray)
AI_CALL(cudaMemcpyFromArrayAsync) AI_CALL(cudaMemcpyFromSymbol) AI_CALL(cudaMemcpyFromSymbolAsync)
AI_CALL(cudaMemcpyPeer) AI_CALL(cudaMemcpyPeerAsync) AI_CALL(cudaMemcpyToArray) AI_CALL(cudaMemcpyToArrayAsync)
AI_CALL(cudaMemcpyToSymbol) AI_CALL(cudaMemcpyToSymbolAsync) AI_CALL(cudaMemset) AI_CALL(cudaMemset2D)
AI_CALL(cudaMemset2DAsync) AI_CALL(cudaMemset3D) AI_CALL(cudaMemset3DAsync) AI_CALL(cudaMemsetAsync)
AI_CALL(cudaMipmappedArrayGetMemoryRequirements) AI_CALL(cudaMipmappedArrayGetSparseProperties)
AI_CALL(cudaOccupancyAvailableDynamicSMemPerBlock) AI_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
AI_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) AI_CALL(cudaOccupancyMaxActiveClusters)
AI_CALL(cudaOccupancyMaxPotentialBlockSize) AI_CALL(cudaOccupancyMaxPotentialClusterSize) AI_CALL(cudaPeekAtLastError)
AI_CALL(cudaPointerGetAttributes) AI_CALL(cudaProfilerStart) AI_CALL(cudaProfilerStop) AI_CALL(cudaRuntimeGetVersion)
AI_CALL(cudaSetDevice) AI_CALL(cudaSetDeviceFlags) AI_CALL(cudaSetDoubleForDevice) AI_CALL(cudaSetDoubleForHost)
AI_CALL(cudaSetValidDevices) AI_CALL(cudaSignalExternalSemaphoresAsync)
AI_CALL(cudaSignalExternalSemaphoresAsync_ptsz) AI_CALL(cudaSignalExternalSemaphoresAsync_v2)
AI_CALL(cudaStreamAddCallback) AI_CALL(cudaStreamAttachMemAsync) AI_CALL(cudaStreamBeginCapture)
AI_CALL(cudaStreamBeginCaptureToGraph) AI_CALL(cudaStreamCopyAttributes) AI_CALL(cudaStreamCreate)
AI_CALL(cudaStreamCreateWithFlags) AI_CALL(cudaStreamCreateWithPriority) AI_CALL(cudaStreamDestroy)
AI_CALL(cudaStreamEndCapture) AI_CALL(cudaStreamGetAttribute) AI_CALL(cudaStreamGetCaptureInfo)
AI_CALL(cudaStreamGetCaptureInfo_ptsz) AI_CALL(cudaStreamGetCaptureInfo_v2) AI_CALL(cudaStreamGetCaptureInfo_v3)
AI_CALL(cudaStreamGetFlags) AI_CALL(cudaStreamGetId) AI_CALL(cudaStreamGetPriority) AI_CALL(cudaStreamIsCapturing)
AI_CALL(cudaStreamQuery) AI_CALL(cudaStreamSetAttribute) AI_CALL(cudaStreamSynchronize)
AI_CALL(cudaStreamUpdateCaptureDependencies) AI_CALL(cudaStreamUpdateCaptureDependencies_v2)
AI_CALL(cudaStreamWaitEvent) AI_CALL(cudaThreadExchangeStreamCaptureMode) AI_CALL(cudaThreadExit)
AI_CALL(cudaThreadGetCacheConfig) AI_CALL(cudaThreadGetLimit) AI_CALL(cudaThreadSetCacheConfig)
AI_CALL(cudaThreadSetLimit) AI_CALL(cudaThreadSynchronize) AI_CALL(cudaUnbindTexture) AI_CALL(cudaUserObjectCreate)
AI_CALL(cudaUserObjectRelease) AI_CALL(cudaUserObjectRetain) AI_CALL(cudaWaitExternalSemaphoresAsync)
AI_CALL(cudaWaitExternalSemaphoresAsync_ptsz) AI_CALL(cudaWaitExternalSemaphoresAsync_v2)
#undef AI_CALL
