#pragma once
#pragma clang force_cuda_host_device begin
namespace cub { enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
struct Sum{};
struct Max{};
struct Min{};
struct ArgMax{};
struct ArgMin{}; template<class K,class V> struct KeyValuePair{ K key; V value; KeyValuePair(); KeyValuePair(K,V);};
template<class T,int BX,int ALG=0,int BY=1,int BZ=1,int A=0> struct BlockReduce { struct TempStorage{ T x; }; BlockReduce(); BlockReduce(TempStorage&); T Sum(T); T Sum(T,int); template<class F> T Reduce(T,F); template<class F> T Reduce(T,F,int); };
template<class T,int W=32,int A=0> struct WarpReduce { struct TempStorage{ T x; }; WarpReduce(TempStorage&); T Sum(T); template<class F> T Reduce(T,F); };
template<class T,int BX,int ALG=0,int BY=1,int BZ=1,int A=0> struct BlockScan { struct TempStorage{ T x; }; BlockScan(TempStorage&); template<class...X> void ExclusiveSum(X&&...); template<class...X> void InclusiveSum(X&&...); template<class...X> void InclusiveScan(X&&...); template<class...X> void ExclusiveScan(X&&...); };
template<class T,int W=32,int A=0> struct WarpScan { struct TempStorage{ T x; }; WarpScan(TempStorage&); template<class...X> void ExclusiveSum(X&&...); template<class...X> void InclusiveSum(X&&...); };
template<class T,int A,int B,int W=0> struct WarpExchange{ struct TempStorage{ T x; }; WarpExchange(TempStorage&); template<class...X> void StripedToBlocked(X&&...); template<class...X> void BlockedToStriped(X&&...);};
template<class T,int A,int B,int W=0> struct BlockExchange{ struct TempStorage{ T x; }; BlockExchange(TempStorage&); template<class...X> void StripedToBlocked(X&&...); template<class...X> void BlockedToStriped(X&&...);};
struct DeviceReduce{ template<class...X> static cudaError_t Sum(X&&...); template<class...X> static cudaError_t Reduce(X&&...); template<class...X> static cudaError_t Max(X&&...); template<class...X> static cudaError_t Min(X&&...); template<class...X> static cudaError_t ReduceByKey(X&&...); template<class...X> static cudaError_t ArgMax(X&&...);};
struct DeviceScan{ template<class...X> static cudaError_t ExclusiveSum(X&&...); template<class...X> static cudaError_t InclusiveSum(X&&...); template<class...X> static cudaError_t ExclusiveScan(X&&...); template<class...X> static cudaError_t InclusiveScan(X&&...);};
struct DeviceRadixSort{ template<class...X> static cudaError_t SortKeys(X&&...); template<class...X> static cudaError_t SortPairs(X&&...);};
struct DeviceSelect{ template<class...X> static cudaError_t Flagged(X&&...); template<class...X> static cudaError_t If(X&&...);}; }
#pragma clang force_cuda_host_device end
