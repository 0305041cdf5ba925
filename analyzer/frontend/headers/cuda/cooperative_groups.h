#pragma once
#include <ai_async.h>
#pragma clang force_cuda_host_device begin
void __ai_gridwide();
namespace cooperative_groups { struct thread_group { __ai_model void sync() const { __syncthreads(); } unsigned size() const; unsigned num_threads() const; unsigned thread_rank() const; bool is_valid() const; };
struct thread_block : thread_group {
__ai_model static dim3 group_dim() { return blockDim; }
__ai_model static dim3 dim_threads() { return blockDim; }
__ai_model static unsigned thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__ai_model static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
__ai_model static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
__ai_model static uint3 group_index() { return blockIdx; }
__ai_model static uint3 thread_index() { return threadIdx; } };
struct grid_group : thread_group { __ai_model void sync() const { __ai_gridwide(); }
__ai_model static dim3 group_dim() { return gridDim; }
__ai_model static dim3 dim_blocks() { return gridDim; }
__ai_model static uint3 block_index() { return blockIdx; }
__ai_model static unsigned block_rank() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
__ai_model static unsigned num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
__ai_model static unsigned thread_rank() { return thread_block::thread_rank() + thread_block::size() * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)); }
__ai_model static unsigned size() { return thread_block::size() * gridDim.x * gridDim.y * gridDim.z; }
__ai_model static unsigned num_threads() { return size(); } };
template<unsigned N,class P=void> struct thread_block_tile : thread_group { thread_block_tile(); __ai_model void sync() const { __syncwarp(); }
template<class Q> thread_block_tile(const thread_block_tile<N,Q>&);
__ai_model static unsigned thread_rank() { return thread_block::thread_rank() % N; }
__ai_model static unsigned size() { return N; }
__ai_model static unsigned num_threads() { return N; }
__ai_model static unsigned meta_group_size() { return (thread_block::size() + N - 1) / N; }
__ai_model static unsigned meta_group_rank() { return thread_block::thread_rank() / N; }
template<class T> T shfl(T,int) const;
template<class T> T shfl_down(T,unsigned) const;
template<class T> T shfl_up(T,unsigned) const;
template<class T> T shfl_xor(T,unsigned) const; int any(int) const; int all(int) const; unsigned ballot(int) const;
template<class T> unsigned match_any(T) const; };
struct coalesced_group : thread_group { __ai_model void sync() const { __syncwarp(); } template<class T> T shfl(T,int) const;
template<class T> T shfl_down(T,unsigned) const; unsigned meta_group_size() const; unsigned ballot(int) const; };
thread_block this_thread_block();
grid_group this_grid();
coalesced_group coalesced_threads();
template<unsigned N,class G> thread_block_tile<N,G> tiled_partition(const G&);
thread_group tiled_partition(const thread_group&,unsigned);
template<class G> __ai_model void sync(const G& group) { group.sync(); }
template<class T> struct plus { __ai_model T operator()(T a,T b) const { return a + b; } };
template<class T> struct greater { __ai_model T operator()(T a,T b) const { return a > b ? a : b; } };
template<class T> struct less { __ai_model T operator()(T a,T b) const { return a < b ? a : b; } };
template<class G,class T,class F> T reduce(const G&,T,F);
// Butterfly of shuffles: every thread of the tile computes in each step.
template<unsigned N,class P,class T,class F> __ai_model T reduce(const thread_block_tile<N,P>&,T value,F op) {
  if (N > 16) value = op(value, (T)__shfl_xor_sync(~0u, value, 16));
  if (N > 8) value = op(value, (T)__shfl_xor_sync(~0u, value, 8));
  if (N > 4) value = op(value, (T)__shfl_xor_sync(~0u, value, 4));
  if (N > 2) value = op(value, (T)__shfl_xor_sync(~0u, value, 2));
  if (N > 1) value = op(value, (T)__shfl_xor_sync(~0u, value, 1));
  return value; }
template<class G,class T,class F> T inclusive_scan(const G&,T,F);
template<class G,class T,class F> T exclusive_scan(const G&,T,F);
template<class G,class T,class U> __ai_model void memcpy_async(const G&g,T*to,const U*from,size_t bytes) { __ai_copy_together(to, from, bytes, g.thread_rank(), g.size()); }
template<class G> __ai_model void wait(const G&) {}
template<unsigned N,class G> __ai_model void wait_prior(const G&) {}
struct multi_grid_group:thread_group{}; }
#pragma clang force_cuda_host_device end
