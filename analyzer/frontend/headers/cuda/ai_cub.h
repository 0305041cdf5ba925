#pragma once
#pragma clang force_cuda_host_device begin
namespace cub { enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
struct Sum{ template<class T> __ai_model T operator()(T a,T b) const { return a + b; } };
struct Max{ template<class T> __ai_model T operator()(T a,T b) const { return a > b ? a : b; } };
struct Min{ template<class T> __ai_model T operator()(T a,T b) const { return a < b ? a : b; } };
struct ArgMax{};
struct ArgMin{}; template<class K,class V> struct KeyValuePair{ K key; V value; KeyValuePair(); KeyValuePair(K,V);};
// A shuffle down in steps of 1, 2, 4, ...: a lane adds what comes from within the warp, predicated (WarpReduceShfl).
template<class T,int W=32,int A=0> struct WarpReduce { struct TempStorage{ T x; }; WarpReduce(TempStorage&);
template<class F> __ai_model static T Step(int lane,T value,F op,int distance) { if (lane + distance < W) value = op(value, (T)__shfl_down_sync(~0u, value, distance)); return value; }
template<class F> __ai_model static T Reduce(T value,F op) {
  int lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % W;
  if (W > 1) value = Step(lane, value, op, 1);
  if (W > 2) value = Step(lane, value, op, 2);
  if (W > 4) value = Step(lane, value, op, 4);
  if (W > 8) value = Step(lane, value, op, 8);
  if (W > 16) value = Step(lane, value, op, 16);
  return value; }
__ai_model static T Sum(T value) { return Reduce(value, ::cub::Sum()); } };
// Every warp by shuffles, then thread 0 over the warps (BLOCK_REDUCE_WARP_REDUCTIONS, the default).
template<class T,int BX,int ALG=BLOCK_REDUCE_WARP_REDUCTIONS,int BY=1,int BZ=1,int A=0> struct BlockReduce { struct TempStorage{ T x; }; BlockReduce(); BlockReduce(TempStorage&);
template<class F> __ai_model static T Reduce(T value,F op) {
  __shared__ T warps[(BX * BY * BZ + 31) / 32];
  int thread = threadIdx.x + BX * (threadIdx.y + BY * threadIdx.z);
  value = WarpReduce<T>::Reduce(value, op);
  if (thread % 32 == 0) warps[thread / 32] = value;
  __syncthreads();
  if (thread == 0) for (int warp = 1; warp < (BX * BY * BZ + 31) / 32; ++warp) value = op(value, warps[warp]);
  return value; }
__ai_model static T Sum(T value) { return Reduce(value, ::cub::Sum()); }
__ai_model static T Sum(T value,int) { return Reduce(value, ::cub::Sum()); }
template<class F> __ai_model static T Reduce(T value,F op,int) { return Reduce(value, op); } };
template<class T,int BX,int ALG=0,int BY=1,int BZ=1,int A=0> struct BlockScan { struct TempStorage{ T x; }; BlockScan(TempStorage&); template<class...X> void ExclusiveSum(X&&...); template<class...X> void InclusiveSum(X&&...); template<class...X> void InclusiveScan(X&&...); template<class...X> void ExclusiveScan(X&&...); };
template<class T,int W=32,int A=0> struct WarpScan { struct TempStorage{ T x; }; WarpScan(TempStorage&); template<class...X> void ExclusiveSum(X&&...); template<class...X> void InclusiveSum(X&&...); };
template<class T,int A,int B,int W=0> struct WarpExchange{ struct TempStorage{ T x; }; WarpExchange(TempStorage&); template<class...X> void StripedToBlocked(X&&...); template<class...X> void BlockedToStriped(X&&...);};
template<class T,int A,int B,int W=0> struct BlockExchange{ struct TempStorage{ T x; }; BlockExchange(TempStorage&); template<class...X> void StripedToBlocked(X&&...); template<class...X> void BlockedToStriped(X&&...);};
struct DeviceReduce{ template<class...X> static cudaError_t Sum(X&&...); template<class...X> static cudaError_t Reduce(X&&...); template<class...X> static cudaError_t Max(X&&...); template<class...X> static cudaError_t Min(X&&...); template<class...X> static cudaError_t ReduceByKey(X&&...); template<class...X> static cudaError_t ArgMax(X&&...);};
struct DeviceScan{ template<class...X> static cudaError_t ExclusiveSum(X&&...); template<class...X> static cudaError_t InclusiveSum(X&&...); template<class...X> static cudaError_t ExclusiveScan(X&&...); template<class...X> static cudaError_t InclusiveScan(X&&...);};
struct DeviceRadixSort{ template<class...X> static cudaError_t SortKeys(X&&...); template<class...X> static cudaError_t SortPairs(X&&...);};
struct DeviceSelect{ template<class...X> static cudaError_t Flagged(X&&...); template<class...X> static cudaError_t If(X&&...);}; }
#pragma clang force_cuda_host_device end
