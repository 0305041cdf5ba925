#pragma once
#pragma clang force_cuda_host_device begin
namespace cooperative_groups { struct thread_group { void sync() const; unsigned size() const; unsigned num_threads() const; unsigned thread_rank() const; bool is_valid() const; };
struct thread_block : thread_group { dim3 group_index() const; dim3 thread_index() const; dim3 group_dim() const; dim3 dim_threads() const; };
struct grid_group : thread_group { dim3 group_dim() const; unsigned block_rank() const; unsigned num_blocks() const; };
template<unsigned N,class P=void> struct thread_block_tile : thread_group { thread_block_tile();
template<class Q> thread_block_tile(const thread_block_tile<N,Q>&); unsigned meta_group_size() const; unsigned meta_group_rank() const;
template<class T> T shfl(T,int) const;
template<class T> T shfl_down(T,unsigned) const;
template<class T> T shfl_up(T,unsigned) const;
template<class T> T shfl_xor(T,unsigned) const; int any(int) const; int all(int) const; unsigned ballot(int) const;
template<class T> unsigned match_any(T) const; };
struct coalesced_group : thread_group { template<class T> T shfl(T,int) const;
template<class T> T shfl_down(T,unsigned) const; unsigned meta_group_size() const; unsigned ballot(int) const; };
thread_block this_thread_block();
grid_group this_grid();
coalesced_group coalesced_threads();
template<unsigned N,class G> thread_block_tile<N,G> tiled_partition(const G&);
thread_group tiled_partition(const thread_group&,unsigned);
template<class G> void sync(const G&);
template<class T> struct plus { T operator()(T,T) const; };
template<class T> struct greater { T operator()(T,T) const; };
template<class T> struct less { T operator()(T,T) const; };
template<class G,class T,class F> T reduce(const G&,T,F);
template<class G,class T,class F> T inclusive_scan(const G&,T,F);
template<class G,class T,class F> T exclusive_scan(const G&,T,F);
template<class T> T memcpy_async(...);
struct multi_grid_group:thread_group{}; }
#pragma clang force_cuda_host_device end
