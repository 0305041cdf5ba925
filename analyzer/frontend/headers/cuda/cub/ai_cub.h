#pragma once
#pragma clang force_cuda_host_device begin
namespace cub { enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
struct Sum{ template<class T> __ai_model T operator()(T a,T b) const { return a + b; } };
struct Max{ template<class T> __ai_model T operator()(T a,T b) const { return a > b ? a : b; } };
struct Min{ template<class T> __ai_model T operator()(T a,T b) const { return a < b ? a : b; } };
template<class K,class V> struct KeyValuePair{ K key; V value; KeyValuePair() = default; KeyValuePair(K k,V v) : key(k), value(v) {} };
// Of equal values the one with the smaller key.
struct ArgMax{ template<class P> __ai_model P operator()(P a,P b) const { return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a; } };
struct ArgMin{ template<class P> __ai_model P operator()(P a,P b) const { return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a; } };
#define AI_STEPS if (W > 1) value = Step(lane, value, op, 1); if (W > 2) value = Step(lane, value, op, 2); if (W > 4) value = Step(lane, value, op, 4); if (W > 8) value = Step(lane, value, op, 8); if (W > 16) value = Step(lane, value, op, 16);
// A shuffle down in steps of 1, 2, 4, ...: a lane adds what comes from within the warp, predicated (WarpReduceShfl).
template<class T,int W=32,int A=0> struct WarpReduce { struct TempStorage{ T x; }; WarpReduce(TempStorage&);
template<class F> __ai_model static T Step(int lane,T value,F op,int distance) { if (lane + distance < W) value = op(value, (T)__shfl_down_sync(~0u, value, distance)); return value; }
template<class F> __ai_model static T Reduce(T value,F op) {
  int lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % W;
  AI_STEPS
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
template<int I> __ai_model static T Sum(T (&values)[I]) { return Reduce(values, ::cub::Sum()); }
template<int I,class F> __ai_model static T Reduce(T (&values)[I],F op) { T value = values[0]; for (int i = 1; i < I; ++i) value = op(value, values[i]); return Reduce(value, op); }
template<class F> __ai_model static T Reduce(T value,F op,int) { return Reduce(value, op); } };
struct Difference{ template<class T> __ai_model T operator()(T a,T b) const { return a - b; } };
struct Equality{ template<class T> __ai_model bool operator()(T a,T b) const { return a == b; } };
struct Inequality{ template<class T> __ai_model bool operator()(T a,T b) const { return a != b; } };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
// Thread by thread its own elements, or (striped) every BX-th one; what exchanges them in between moves no global memory.
template<class T,int BX,int I,int ALG=BLOCK_LOAD_DIRECT,int BY=1,int BZ=1,int A=0> struct BlockLoad { struct TempStorage{ T x; }; BlockLoad(); BlockLoad(TempStorage&);
template<class P> __ai_model static void Load(P from,T (&to)[I]) { for (int i = 0; i < I; ++i) to[i] = from[ALG == BLOCK_LOAD_DIRECT ? threadIdx.x * I + i : threadIdx.x + i * BX]; }
template<class P> __ai_model static void Load(P from,T (&to)[I],int n) { for (int i = 0; i < I; ++i) { int at = ALG == BLOCK_LOAD_DIRECT ? threadIdx.x * I + i : threadIdx.x + i * BX; if (at < n) to[i] = from[at]; } }
template<class P,class D> __ai_model static void Load(P from,T (&to)[I],int n,D other) { for (int i = 0; i < I; ++i) { int at = ALG == BLOCK_LOAD_DIRECT ? threadIdx.x * I + i : threadIdx.x + i * BX; to[i] = other; if (at < n) to[i] = from[at]; } } };
template<class T,int BX,int I,int ALG=BLOCK_STORE_DIRECT,int BY=1,int BZ=1,int A=0> struct BlockStore { struct TempStorage{ T x; }; BlockStore(); BlockStore(TempStorage&);
template<class P> __ai_model static void Store(P to,T (&from)[I]) { for (int i = 0; i < I; ++i) to[ALG == BLOCK_STORE_DIRECT ? threadIdx.x * I + i : threadIdx.x + i * BX] = from[i]; }
template<class P> __ai_model static void Store(P to,T (&from)[I],int n) { for (int i = 0; i < I; ++i) { int at = ALG == BLOCK_STORE_DIRECT ? threadIdx.x * I + i : threadIdx.x + i * BX; if (at < n) to[at] = from[i]; } } };
template<class T,int BX,int I,class...R> struct BlockRadixSort { struct TempStorage{ T x; }; BlockRadixSort(); BlockRadixSort(TempStorage&); template<class...X> void Sort(X&&...); template<class...X> void SortDescending(X&&...); template<class...X> void SortBlockedToStriped(X&&...); template<class...X> void SortDescendingBlockedToStriped(X&&...); };
template<class T,int BX,int BINS=0,int ALG=0> struct BlockHistogram { struct TempStorage{ T x; }; BlockHistogram(); BlockHistogram(TempStorage&); template<class...X> void Histogram(X&&...); template<class...X> void InitHistogram(X&&...); template<class...X> void Composite(X&&...); };
template<class T,int BX,int BY=1,int BZ=1> struct BlockDiscontinuity { struct TempStorage{ T x; }; BlockDiscontinuity(); BlockDiscontinuity(TempStorage&); template<class...X> void FlagHeads(X&&...); template<class...X> void FlagTails(X&&...); };
template<class T,int BX,int BY=1,int BZ=1> struct BlockAdjacentDifference { struct TempStorage{ T x; }; BlockAdjacentDifference(); BlockAdjacentDifference(TempStorage&); template<class...X> void SubtractLeft(X&&...); template<class...X> void SubtractRight(X&&...); };
template<int W,class T> __ai_model T ShuffleDown(T value,int distance,int last,unsigned mask) { return __shfl_down_sync(mask, value, distance, W); }
template<int W,class T> __ai_model T ShuffleUp(T value,int distance,int first,unsigned mask) { return __shfl_up_sync(mask, value, distance, W); }
template<int W,class T> __ai_model T ShuffleIndex(T value,int from,unsigned mask) { return __shfl_sync(mask, value, from, W); }
__ai_model inline unsigned LaneId() { return threadIdx.x % 32; }
__ai_model inline unsigned WarpId() { return threadIdx.x / 32; }
template<int W> unsigned WarpMask(unsigned);
template<class P> __ai_model auto ThreadLoad(P from) { return *from; }
template<int M,class P> __ai_model auto ThreadLoad(P from) { return *from; }
template<int M,class P,class T> __ai_model void ThreadStore(P to,T value) { *to = value; }
template<class T> struct DoubleBuffer { T* d_buffers[2]; int selector; DoubleBuffer(); __ai_model DoubleBuffer(T* one,T* other) { d_buffers[0] = one; d_buffers[1] = other; selector = 0; }
__ai_model T* Current() { return d_buffers[selector]; }
__ai_model T* Alternate() { return d_buffers[selector ^ 1]; } };
template<class T,class O=ptrdiff_t> struct CountingInputIterator { T value; CountingInputIterator(T); T operator[](O) const; T operator*() const; CountingInputIterator operator+(O) const; };
template<class T,class O=ptrdiff_t> struct ConstantInputIterator { T value; ConstantInputIterator(T); T operator[](O) const; T operator*() const; ConstantInputIterator operator+(O) const; };
template<class V,class F,class I,class O=ptrdiff_t> struct TransformInputIterator { I from; F f; TransformInputIterator(I,F); V operator[](O) const; V operator*() const; TransformInputIterator operator+(O) const; };
template<class V,class F,class I> struct ArgIndexInputIterator { ArgIndexInputIterator(I); };
template<int M,class T,class O=ptrdiff_t> struct CacheModifiedInputIterator { T* from; CacheModifiedInputIterator(T*); T operator[](O) const; T operator*() const; };
struct CachingDeviceAllocator { CachingDeviceAllocator(bool = false,bool = false); CachingDeviceAllocator(unsigned,unsigned,unsigned,size_t); template<class...X> cudaError_t DeviceAllocate(X&&...); template<class...X> cudaError_t DeviceFree(X&&...); cudaError_t FreeAllCached(); };
template<class...X> cudaError_t __rest_of_ArgMax(X&...);
template<class...X> cudaError_t __rest_of_ArgMin(X&...);
template<class...X> cudaError_t __rest_of_Batched(X&...);
template<class...X> cudaError_t __rest_of_Bulk(X&...);
template<class...X> cudaError_t __rest_of_CsrMV(X&...);
template<class...X> cudaError_t __rest_of_Encode(X&...);
template<class...X> cudaError_t __rest_of_ExclusiveScan(X&...);
template<class...X> cudaError_t __rest_of_ExclusiveScanByKey(X&...);
template<class...X> cudaError_t __rest_of_ExclusiveSum(X&...);
template<class...X> cudaError_t __rest_of_ExclusiveSumByKey(X&...);
template<class...X> cudaError_t __rest_of_Flagged(X&...);
template<class...X> cudaError_t __rest_of_ForEach(X&...);
template<class...X> cudaError_t __rest_of_ForEachN(X&...);
template<class...X> cudaError_t __rest_of_HistogramEven(X&...);
template<class...X> cudaError_t __rest_of_HistogramRange(X&...);
template<class...X> cudaError_t __rest_of_If(X&...);
template<class...X> cudaError_t __rest_of_InclusiveScan(X&...);
template<class...X> cudaError_t __rest_of_InclusiveScanByKey(X&...);
template<class...X> cudaError_t __rest_of_InclusiveSum(X&...);
template<class...X> cudaError_t __rest_of_InclusiveSumByKey(X&...);
template<class...X> cudaError_t __rest_of_Max(X&...);
template<class...X> cudaError_t __rest_of_Min(X&...);
template<class...X> cudaError_t __rest_of_MultiHistogramEven(X&...);
template<class...X> cudaError_t __rest_of_MultiHistogramRange(X&...);
template<class...X> cudaError_t __rest_of_NonTrivialRuns(X&...);
template<class...X> cudaError_t __rest_of_Reduce(X&...);
template<class...X> cudaError_t __rest_of_ReduceByKey(X&...);
template<class...X> cudaError_t __rest_of_SortKeys(X&...);
template<class...X> cudaError_t __rest_of_SortKeysDescending(X&...);
template<class...X> cudaError_t __rest_of_SortPairs(X&...);
template<class...X> cudaError_t __rest_of_SortPairsDescending(X&...);
template<class...X> cudaError_t __rest_of_StableSortKeys(X&...);
template<class...X> cudaError_t __rest_of_StableSortPairs(X&...);
template<class...X> cudaError_t __rest_of_SubtractLeft(X&...);
template<class...X> cudaError_t __rest_of_SubtractLeftCopy(X&...);
template<class...X> cudaError_t __rest_of_SubtractRight(X&...);
template<class...X> cudaError_t __rest_of_Sum(X&...);
template<class...X> cudaError_t __rest_of_TransformReduce(X&...);
template<class...X> cudaError_t __rest_of_Unique(X&...);
template<class...X> cudaError_t __rest_of_UniqueByKey(X&...);
#define AI_DEVICE(name, ...) struct name { __VA_ARGS__ };
// Kernels of the library: which memory they change is in their arguments, what they do there is not known.
#define AI_CALL(name) template<class...X> __ai_model static cudaError_t name(X&&...given) { return __rest_of_##name(given...); }
AI_DEVICE(DeviceRunLengthEncode, AI_CALL(Encode) AI_CALL(NonTrivialRuns))
AI_DEVICE(DeviceHistogram, AI_CALL(HistogramEven) AI_CALL(HistogramRange) AI_CALL(MultiHistogramEven) AI_CALL(MultiHistogramRange))
AI_DEVICE(DeviceSegmentedReduce, AI_CALL(Sum) AI_CALL(Max) AI_CALL(Min) AI_CALL(Reduce) AI_CALL(ArgMin) AI_CALL(ArgMax))
AI_DEVICE(DeviceSegmentedRadixSort, AI_CALL(SortKeys) AI_CALL(SortPairs) AI_CALL(SortKeysDescending) AI_CALL(SortPairsDescending))
AI_DEVICE(DeviceSegmentedSort, AI_CALL(SortKeys) AI_CALL(SortPairs) AI_CALL(StableSortKeys) AI_CALL(StableSortPairs))
AI_DEVICE(DeviceMergeSort, AI_CALL(SortKeys) AI_CALL(SortPairs) AI_CALL(StableSortKeys) AI_CALL(StableSortPairs))
AI_DEVICE(DevicePartition, AI_CALL(Flagged) AI_CALL(If))
AI_DEVICE(DeviceSpmv, AI_CALL(CsrMV))
AI_DEVICE(DeviceAdjacentDifference, AI_CALL(SubtractLeft) AI_CALL(SubtractLeftCopy) AI_CALL(SubtractRight))
AI_DEVICE(DeviceFor, AI_CALL(Bulk) AI_CALL(ForEach) AI_CALL(ForEachN))
AI_DEVICE(DeviceCopy, AI_CALL(Batched))
AI_DEVICE(DeviceMemcpy, AI_CALL(Batched))
// A shuffle up in steps of 1, 2, 4, ...: a lane adds what comes from within the warp (WarpScanShfl).
template<class T,int W=32,int A=0> struct WarpScan { struct TempStorage{ T x; }; WarpScan(TempStorage&);
template<class F> __ai_model static T Step(int lane,T value,F op,int distance) { T other = (T)__shfl_up_sync(~0u, value, distance); if (lane >= distance) value = op(other, value); return value; }
__ai_model static int Lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % W; }
template<class F> __ai_model static T Scanned(T value,F op) {
  int lane = Lane();
  AI_STEPS
  return value; }
template<class F> __ai_model static T Before(T value,F op,T first) {
  T other = (T)__shfl_up_sync(~0u, Scanned(value, op), 1);
  return Lane() > 0 ? other : first; }
__ai_model static void InclusiveSum(T in,T& out) { out = Scanned(in, ::cub::Sum()); }
__ai_model static void InclusiveSum(T in,T& out,T& all) { out = Scanned(in, ::cub::Sum()); all = (T)__shfl_sync(~0u, out, W - 1); }
template<class F> __ai_model static void InclusiveScan(T in,T& out,F op) { out = Scanned(in, op); }
__ai_model static void ExclusiveSum(T in,T& out) { out = Before(in, ::cub::Sum(), T(0)); }
__ai_model static void ExclusiveSum(T in,T& out,T& all) { out = Before(in, ::cub::Sum(), T(0)); all = (T)__shfl_sync(~0u, out, W - 1); }
template<class F> __ai_model static void ExclusiveScan(T in,T& out,T first,F op) { out = Before(in, op, first); }
template<class...X> void Sum(X&&...); template<class...X> void Scan(X&&...); };
// All threads store, each of one warp combines its part in turn, the warp scans, and each goes through its part again
// (BLOCK_SCAN_RAKING, the default).
template<class T,int BX,int ALG=BLOCK_SCAN_RAKING,int BY=1,int BZ=1,int A=0> struct BlockScan { struct TempStorage{ T x; }; BlockScan(); BlockScan(TempStorage&);
static constexpr int THREADS = BX * BY * BZ, PART = (BX * BY * BZ + 31) / 32;
template<class F> __ai_model static T Scanned(T value,F op,bool inclusive,T first,T& all) {
  __shared__ T parts[THREADS]; __shared__ T total;
  int thread = threadIdx.x + BX * (threadIdx.y + BY * threadIdx.z);
  parts[thread] = value;
  __syncthreads();
  if (thread < 32) {
    T sum = parts[thread * PART];
    for (int i = 1; i < PART; ++i) sum = op(sum, parts[thread * PART + i]);
    T before = WarpScan<T>::Before(sum, op, first);
    for (int i = 0; i < PART; ++i) {
      T each = parts[thread * PART + i], with = op(before, each);
      parts[thread * PART + i] = inclusive ? with : before;
      before = with; }
    if (thread == 31) total = before; }
  __syncthreads();
  all = total;
  return parts[thread]; }
template<class F,int I> __ai_model static void All(T (&in)[I],T (&out)[I],F op,bool inclusive,T first,T& all) {
  T sum = in[0];
  for (int i = 1; i < I; ++i) sum = op(sum, in[i]);
  T before = Scanned(sum, op, false, first, all);
  for (int i = 0; i < I; ++i) { T with = op(before, in[i]); out[i] = inclusive ? with : before; before = with; } }
__ai_model static void InclusiveSum(T in,T& out) { T all; out = Scanned(in, ::cub::Sum(), true, T(0), all); }
__ai_model static void InclusiveSum(T in,T& out,T& all) { out = Scanned(in, ::cub::Sum(), true, T(0), all); }
__ai_model static void ExclusiveSum(T in,T& out) { T all; out = Scanned(in, ::cub::Sum(), false, T(0), all); }
__ai_model static void ExclusiveSum(T in,T& out,T& all) { out = Scanned(in, ::cub::Sum(), false, T(0), all); }
template<class F> __ai_model static void InclusiveScan(T in,T& out,F op) { T all; out = Scanned(in, op, true, T(0), all); }
template<class F> __ai_model static void ExclusiveScan(T in,T& out,T first,F op) { T all; out = Scanned(in, op, false, first, all); }
template<int I> __ai_model static void InclusiveSum(T (&in)[I],T (&out)[I]) { T all; All(in, out, ::cub::Sum(), true, T(0), all); }
template<int I> __ai_model static void InclusiveSum(T (&in)[I],T (&out)[I],T& all) { All(in, out, ::cub::Sum(), true, T(0), all); }
template<int I> __ai_model static void ExclusiveSum(T (&in)[I],T (&out)[I]) { T all; All(in, out, ::cub::Sum(), false, T(0), all); }
template<int I> __ai_model static void ExclusiveSum(T (&in)[I],T (&out)[I],T& all) { All(in, out, ::cub::Sum(), false, T(0), all); }
// With a prefix of the blocks before, which a function object works out, or over arrays with other operations.
template<class X,class Y,class Z,class...R> void InclusiveSum(X&&,Y&&,Z&&,R&&...); template<class X,class Y,class Z,class...R> void ExclusiveSum(X&&,Y&&,Z&&,R&&...);
template<class X,class Y,class Z,class U,class...R> void InclusiveScan(X&&,Y&&,Z&&,U&&,R&&...); template<class X,class Y,class Z,class U,class V,class...R> void ExclusiveScan(X&&,Y&&,Z&&,U&&,V&&,R&&...);
template<int I,class...X> void InclusiveScan(T (&)[I],T (&)[I],X&&...); template<int I,class...X> void ExclusiveScan(T (&)[I],T (&)[I],X&&...); };
template<class T,int A,int B,int W=0> struct WarpExchange{ struct TempStorage{ T x; }; WarpExchange(TempStorage&); template<class...X> void StripedToBlocked(X&&...); template<class...X> void BlockedToStriped(X&&...);};
template<class T,int A,int B,int W=0> struct BlockExchange{ struct TempStorage{ T x; }; BlockExchange(TempStorage&); template<class...X> void StripedToBlocked(X&&...); template<class...X> void BlockedToStriped(X&&...);};
// Kernels with their loops. A call with null asks for the size of the temporary storage.
// The tag (int before long) prefers the model, of pointers, to what takes all other arguments.
#define AI_MODELED(name) template<class...X> __ai_model static cudaError_t ai_##name(long,X&&...given) { return __rest_of_##name(given...); } \
  template<class...X> __ai_model static cudaError_t name(X&&...given) { return ai_##name(0, given...); }
#define AI_QUERY if (!storage) { bytes = 1; return cudaSuccess; }
template<class I,class O,class N,class F> __ai_model void ai_reduce(I *in,O *out,N n,F op) {
  auto value = in[0];
#pragma omp parallel for library(CUB)
  for (N i = 0; i < n; ++i) value = op(value, in[i]);
  *out = value; }
template<class I,class O,class N> __ai_model void ai_scan(I *in,O *out,N n,bool with) {
  auto value = in[0];
#pragma omp parallel for library(CUB)
  for (N i = 0; i < n; ++i) { if (!with) out[i] = value; value = value + in[i]; if (with) out[i] = value; } }
// Digits of 8 bits: all are counted in one pass, then a pass for each moves all keys, and values with them
// (A. Adinets, D. Merrill, Onesweep: a faster least significant digit radix sort for GPUs, arXiv:2206.01784).
template<class K,class N> __ai_model void ai_count(K *keys,N n) {
  int digits = 0;
#pragma omp parallel for library(CUB)
  for (N i = 0; i < n; ++i) digits += keys[i] != K(); }
template<class K,class S,class N> __ai_model void ai_move(K *keys,S *sorted,N n) {
#pragma omp parallel for library(CUB)
  for (N i = 0; i < n; ++i) sorted[i] = keys[i]; }
template<class K,class S,class V,class T,class N> __ai_model void ai_move(K *keys,S *sorted,V *from,T *to,N n) {
#pragma omp parallel for library(CUB)
  for (N i = 0; i < n; ++i) { sorted[i] = keys[i]; to[i] = from[i]; } }
#define AI_REDUCED(name) template<class P,class I,class O,class N,class...R> __ai_model static cudaError_t ai_##name(int,P *storage,size_t &bytes,I *in,O *out,N n,R...) { AI_QUERY ai_reduce(in, out, n, ::cub::name()); return cudaSuccess; }
#define AI_SCANNED(name,with) template<class P,class I,class O,class N,class...R> __ai_model static cudaError_t ai_##name(int,P *storage,size_t &bytes,I *in,O *out,N n,R...) { AI_QUERY ai_scan(in, out, n, with); return cudaSuccess; }
#define AI_SORTED(name) template<class P,class K,class S,class N,class...R> __ai_model static cudaError_t ai_##name(int,P *storage,size_t &bytes,K *keys,S *sorted,N n,R...) { AI_QUERY ai_count(keys, n); for (int pass = 0; pass < int(sizeof(K)); ++pass) ai_move(keys, sorted, n); return cudaSuccess; }
#define AI_SORTED_PAIRS(name) template<class P,class K,class S,class V,class T,class N,class...R> __ai_model static cudaError_t ai_##name(int,P *storage,size_t &bytes,K *keys,S *sorted,V *from,T *to,N n,R...) { AI_QUERY ai_count(keys, n); for (int pass = 0; pass < int(sizeof(K)); ++pass) ai_move(keys, sorted, from, to, n); return cudaSuccess; }
struct ai_reductions { AI_REDUCED(Sum) AI_REDUCED(Max) AI_REDUCED(Min) AI_MODELED(Sum) AI_MODELED(Max) AI_MODELED(Min) };
struct ai_scans { AI_SCANNED(InclusiveSum, true) AI_SCANNED(ExclusiveSum, false) AI_MODELED(InclusiveSum) AI_MODELED(ExclusiveSum) };
struct ai_sorts {
  AI_SORTED(SortKeys) AI_SORTED(SortKeysDescending) AI_SORTED_PAIRS(SortPairs) AI_SORTED_PAIRS(SortPairsDescending)
  AI_MODELED(SortKeys) AI_MODELED(SortKeysDescending) AI_MODELED(SortPairs) AI_MODELED(SortPairsDescending) };
struct ai_reductions {
  AI_REDUCED(Sum, ::cub::Sum()) AI_REDUCED(Max, ::cub::Max()) AI_REDUCED(Min, ::cub::Min())
  AI_MODELED(Sum) AI_MODELED(Max) AI_MODELED(Min) };
struct ai_scans {
  AI_SCANNED(InclusiveSum, , out[i] = value) AI_SCANNED(ExclusiveSum, out[i] = value, )
  AI_MODELED(InclusiveSum) AI_MODELED(ExclusiveSum) };
AI_DEVICE(DeviceReduce : ai_reductions, AI_CALL(Reduce) AI_CALL(ReduceByKey) AI_CALL(ArgMax) AI_CALL(ArgMin) AI_CALL(TransformReduce))
AI_DEVICE(DeviceScan : ai_scans, AI_CALL(ExclusiveScan) AI_CALL(InclusiveScan) AI_CALL(ExclusiveSumByKey) AI_CALL(InclusiveSumByKey) AI_CALL(ExclusiveScanByKey) AI_CALL(InclusiveScanByKey))
AI_DEVICE(DeviceRadixSort : ai_sorts, )
AI_DEVICE(DeviceSelect, AI_CALL(Flagged) AI_CALL(If) AI_CALL(Unique) AI_CALL(UniqueByKey))
#undef AI_MODELED
#undef AI_QUERY
#undef AI_REDUCED
#undef AI_SCANNED
#undef AI_SORTED
#undef AI_SORTED_PAIRS
#undef AI_DEVICE
#undef AI_CALL
#undef AI_STEPS
template<class T> struct Log2; }
#pragma clang force_cuda_host_device end
