#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#pragma clang force_cuda_host_device begin
// Products of matrix tiles by the 32 threads of a warp together: each has a 32nd of the elements and of the work.
// The order of elements within a fragment is that of rows, which is not specified.
template<class T> void __ai_tensor(int flops, T multiplied);
namespace nvcuda { namespace wmma {
struct matrix_a; struct matrix_b; struct accumulator; struct row_major; struct col_major;
namespace precision { struct tf32; }
enum layout_t { mem_row_major, mem_col_major };
template<class T> struct __stored { typedef T type; };
template<> struct __stored<precision::tf32> { typedef float type; };
template<class U,int M,int N,int K> struct __tile;
template<int M,int N,int K> struct __tile<matrix_a,M,N,K> { enum { rows = M, columns = K }; };
template<int M,int N,int K> struct __tile<matrix_b,M,N,K> { enum { rows = K, columns = N }; };
template<int M,int N,int K> struct __tile<accumulator,M,N,K> { enum { rows = M, columns = N }; };
template<class L> struct __order { enum { by_column = 0 }; };
template<> struct __order<col_major> { enum { by_column = 1 }; };
template<class U,int M,int N,int K,class T,class L=void> struct fragment {
  typedef typename __stored<T>::type element_type; typedef element_type storage_element_type;
  enum { num_elements = __tile<U,M,N,K>::rows * __tile<U,M,N,K>::columns / 32, num_storage_elements = num_elements };
  element_type x[num_elements]; };
template<class U,int M,int N,int K,class T,class L,class V> __ai_model void fill_fragment(fragment<U,M,N,K,T,L>&,const V&) {}
template<class T> __ai_model T __float_to_tf32(T value) { return value; }
template<int ELEMENTS,int WIDTH,class T> __ai_model void __load(const T*p,unsigned ldm) {
  int lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
  for (int e = 0; e < ELEMENTS / 32; ++e) { T element = p[(32 / WIDTH * e + lane / WIDTH) * ldm + lane % WIDTH]; } }
template<int ELEMENTS,int WIDTH,class T> __ai_model void __store(T*p,unsigned ldm) {
  int lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
  for (int e = 0; e < ELEMENTS / 32; ++e) p[(32 / WIDTH * e + lane / WIDTH) * ldm + lane % WIDTH] = 0; }
template<class U,int M,int N,int K,class T,class L,class P> __ai_model void load_matrix_sync(fragment<U,M,N,K,T,L>&,const P*p,unsigned ldm) {
  __load<__tile<U,M,N,K>::rows*__tile<U,M,N,K>::columns,__order<L>::by_column ? __tile<U,M,N,K>::rows : __tile<U,M,N,K>::columns>(p, ldm); }
template<int M,int N,int K,class T,class P> __ai_model void load_matrix_sync(fragment<accumulator,M,N,K,T>&,const P*p,unsigned ldm,layout_t layout) {
  if (layout == mem_col_major) __load<M*N,M>(p, ldm); else __load<M*N,N>(p, ldm); }
template<int M,int N,int K,class T,class P> __ai_model void store_matrix_sync(P*p,const fragment<accumulator,M,N,K,T>&,unsigned ldm,layout_t layout) {
  if (layout == mem_col_major) __store<M*N,M>(p, ldm); else __store<M*N,N>(p, ldm); }
template<int M,int N,int K,class T,class A,class LA,class LB,class C> __ai_model void mma_sync(fragment<accumulator,M,N,K,C>&,const fragment<matrix_a,M,N,K,T,LA>&,const fragment<matrix_b,M,N,K,T,LB>&,const fragment<accumulator,M,N,K,A>&,bool=false) {
  __ai_tensor(2 * M * N * K / 32, (T*)0); }
} }
#pragma clang force_cuda_host_device end
