#pragma once
// RAJA: what its loops, views and reductions do.  A policy says who runs the iterations; their work is the same.
#include <RAJA/config.hpp>
#include <RAJA/util/macros.hpp>
#include <RAJA/util/types.hpp>
#include <RAJA/util/Timer.hpp>
#include <RAJA/internal/MemUtils_CPU.hpp>
#include <ai_model.h>
#include <algorithm>
#include <camp/camp.hpp>
#include <camp/resource.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>
namespace RAJA {
// Policies: those with threads or a device behind them are parallel.
struct ai_serial {};
struct ai_parallel {};
#define AI_SERIAL(name) struct name : ai_serial {};
#define AI_PARALLEL(name) struct name : ai_parallel {};
AI_SERIAL(seq_exec) AI_SERIAL(loop_exec) AI_SERIAL(simd_exec) AI_SERIAL(seq_segit) AI_SERIAL(seq_work) AI_SERIAL(seq_launch_t)
AI_SERIAL(seq_reduce) AI_SERIAL(seq_atomic) AI_SERIAL(seq_region) AI_SERIAL(seq_multi_reduce) AI_SERIAL(loop_atomic)
AI_PARALLEL(omp_parallel_for_exec) AI_PARALLEL(omp_for_exec) AI_PARALLEL(omp_for_nowait_exec) AI_PARALLEL(omp_reduce)
AI_PARALLEL(omp_for_nowait_static_exec) AI_PARALLEL(omp_for_static_exec) AI_PARALLEL(omp_parallel_collapse_exec)
AI_PARALLEL(omp_parallel_for_segit) AI_PARALLEL(omp_reduce_ordered) AI_PARALLEL(omp_atomic) AI_PARALLEL(omp_parallel_region)
AI_PARALLEL(omp_launch_t) AI_PARALLEL(omp_multi_reduce) AI_PARALLEL(omp_target_parallel_collapse_exec) AI_PARALLEL(omp_work)
AI_PARALLEL(omp_target_reduce) AI_PARALLEL(tbb_for_exec) AI_PARALLEL(tbb_reduce) AI_PARALLEL(auto_atomic) AI_PARALLEL(builtin_atomic)
AI_PARALLEL(cuda_reduce) AI_PARALLEL(hip_reduce) AI_PARALLEL(sycl_reduce) AI_PARALLEL(cuda_atomic) AI_PARALLEL(hip_atomic)
template <size_t N, bool Async = false> AI_PARALLEL(cuda_exec)
template <size_t N, bool Async = false> AI_PARALLEL(hip_exec)
template <size_t N, bool Async = false> AI_PARALLEL(sycl_exec)
template <size_t N = 256> AI_PARALLEL(omp_target_parallel_for_exec)
template <bool Async = false, int N = 0> AI_PARALLEL(cuda_launch_t)
template <bool Async = false, int N = 0> AI_PARALLEL(hip_launch_t)
template <bool Async = false, int N = 0> AI_PARALLEL(sycl_launch_t)
AI_PARALLEL(cuda_block_x_direct) AI_PARALLEL(hip_block_x_direct) AI_PARALLEL(cuda_thread_x_loop) AI_PARALLEL(hip_thread_x_loop)
#undef AI_SERIAL
#undef AI_PARALLEL
template <class P> constexpr bool ai_is_parallel = std::is_base_of<ai_parallel, P>::value;

// Ranges.
template <class T> struct TypedRangeSegment {
  T first, last;
  using value_type = T;
  AI_MODEL TypedRangeSegment(T a, T b) : first(a), last(b) {}
  template <class A, class B> AI_MODEL TypedRangeSegment(A a, B b) : first(a), last(b) {}
  AI_MODEL T size() const { return last - first; }
  std::ai_counter<T> begin() const;
  std::ai_counter<T> end() const;
};
template <class T> struct TypedRangeStrideSegment {
  T first, last, step;
  using value_type = T;
  template <class A, class B, class C> AI_MODEL TypedRangeStrideSegment(A a, B b, C c) : first(a), last(b), step(c) {}
  AI_MODEL T size() const { return (last - first + step - 1) / step; }
};
template <class T> struct TypedListSegment {
  const T *items;
  long count;
  using value_type = T;
  template <class... R> AI_MODEL TypedListSegment(const T *given, size_t n, R &&...) : items(given), count(n) {}
  AI_MODEL long size() const { return count; }
};
using RangeSegment = TypedRangeSegment<Index_type>;
using RangeStrideSegment = TypedRangeStrideSegment<Index_type>;
using ListSegment = TypedListSegment<Index_type>;
template <class T> AI_MODEL TypedRangeSegment<T> make_range(T a, T b) { return {a, b}; }
template <class T> struct Span {
  T first;
  long count;
  AI_MODEL Span(T a, long n) : first(a), count(n) {}
  AI_MODEL T begin() const { return first; }
  AI_MODEL T end() const { return first + count; }
  AI_MODEL long size() const { return count; }
};
template <class T, class N> AI_MODEL Span<T> make_span(T first, N n) { return Span<T>(first, n); }

// Reductions: one value, as one thread has it.
template <class P, class T> struct ReduceSum {
  mutable T value;
  ReduceSum();
  AI_MODEL explicit ReduceSum(T first, T = T()) : value(first) {}
  AI_MODEL const ReduceSum &operator+=(T more) const { value += more; return *this; }
  AI_MODEL operator T() const { return value; }
  AI_MODEL T get() const { return value; }
  AI_MODEL void reset(T first) { value = first; }
};
template <class P, class T> struct ReduceMin {
  mutable T value;
  AI_MODEL explicit ReduceMin(T first = std::numeric_limits<T>::max(), T = T()) : value(first) {}
  AI_MODEL const ReduceMin &min(T other) const { value = std::min(value, other); return *this; }
  AI_MODEL operator T() const { return value; }
  AI_MODEL T get() const { return value; }
};
template <class P, class T> struct ReduceMax {
  mutable T value;
  AI_MODEL explicit ReduceMax(T first = std::numeric_limits<T>::lowest(), T = T()) : value(first) {}
  AI_MODEL const ReduceMax &max(T other) const { value = std::max(value, other); return *this; }
  AI_MODEL operator T() const { return value; }
  AI_MODEL T get() const { return value; }
};
template <class P, class T, class I = Index_type> struct ReduceMinLoc {
  ReduceMinLoc(T, I);
  const ReduceMinLoc &minloc(T, I) const;
  T get() const;
  I getLoc() const;
  operator T() const;
};
template <class P, class T, class I = Index_type> struct ReduceMaxLoc {
  ReduceMaxLoc(T, I);
  const ReduceMaxLoc &maxloc(T, I) const;
  T get() const;
  I getLoc() const;
  operator T() const;
};
namespace operators {
template <class T = double> using plus = std::plus<T>;
template <class T = double> struct minimum { AI_MODEL T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <class T = double> struct maximum { AI_MODEL T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
}
namespace expt {
template <class T> struct ai_target { T *at; };
template <template <class...> class Op, class T> AI_MODEL ai_target<T> Reduce(T *to) { return {to}; }
struct KernelName { KernelName(const char *); };
template <class T, class I = Index_type> struct ValLoc { T val; I loc; };
}

// One call of the body for each point of a range.
template <class P, class T, class F> AI_MODEL void forall(const TypedRangeSegment<T> &range, const F &f) {
  if constexpr (ai_is_parallel<P>) {
#pragma omp parallel for library(RAJA)
    for (T i = range.first; i < range.last; ++i) f(i);
  } else {
    for (T i = range.first; i < range.last; ++i) f(i);
  }
}
template <class P, class T, class F> AI_MODEL void forall(const TypedRangeStrideSegment<T> &range, const F &f) {
  if constexpr (ai_is_parallel<P>) {
#pragma omp parallel for library(RAJA)
    for (T i = range.first; i < range.last; i += range.step) f(i);
  } else {
    for (T i = range.first; i < range.last; i += range.step) f(i);
  }
}
template <class P, class T, class F> AI_MODEL void forall(const TypedListSegment<T> &list, const F &f) {
  if constexpr (ai_is_parallel<P>) {
#pragma omp parallel for library(RAJA)
    for (long i = 0; i < list.count; ++i) f(list.items[i]);
  } else {
    for (long i = 0; i < list.count; ++i) f(list.items[i]);
  }
}
template <class P, class T, class V, class F>
AI_MODEL void forall(const TypedRangeSegment<T> &range, const expt::ai_target<V> &to, const F &f) {
  V total = *to.at;
  if constexpr (ai_is_parallel<P>) {
#pragma omp parallel for library(RAJA)
    for (T i = range.first; i < range.last; ++i) f(i, total);
  } else {
    for (T i = range.first; i < range.last; ++i) f(i, total);
  }
  *to.at = total;
}
template <class P, class S, class F> AI_MODEL void forall(camp::resources::Resource, const S &range, const F &f) {
  forall<P>(range, f);
}
template <class P, class F> AI_MODEL void region(const F &f) { f(); }

// Launches: a body around loops over teams and threads.
template <class... P> struct ai_first;
template <class F, class... P> struct ai_first<F, P...> { using type = F; };
template <class... P> struct LaunchPolicy {};
template <class... P> struct LoopPolicy { using host = typename ai_first<P...>::type; };
struct Teams { template <class... A> Teams(A...); };
struct Threads { template <class... A> Threads(A...); };
struct LaunchParams { template <class... A> LaunchParams(A...); };
struct LaunchContext { AI_MODEL void teamSync() const {} };
enum class ExecPlace { HOST, DEVICE };
template <class P, class F> AI_MODEL void launch(const LaunchParams &, const F &f) { f(LaunchContext()); }
template <class P, class F> AI_MODEL void launch(ExecPlace, const LaunchParams &, const F &f) { f(LaunchContext()); }
template <class P, class R, class F> AI_MODEL void launch(R, const LaunchParams &, const F &f) { f(LaunchContext()); }
template <class P, class C, class S, class F> AI_MODEL void loop(const C &, const S &range, const F &f) {
  forall<typename P::host>(range, f);
}
namespace expt {
using RAJA::ExecPlace; using RAJA::launch; using RAJA::LaunchContext; using RAJA::LaunchPolicy; using RAJA::loop;
using RAJA::LoopPolicy; using RAJA::Teams; using RAJA::Threads; using RAJA::seq_launch_t; using RAJA::omp_launch_t;
using RAJA::cuda_launch_t; using RAJA::hip_launch_t; using RAJA::sycl_launch_t;
using Grid = RAJA::LaunchParams;
}

// Nested loops: the statements of a policy over a tuple of ranges.
template <class... S> struct KernelPolicy {};
namespace statement {
template <int N, class P, class... S> struct For {};
template <int N, class... A> struct Lambda {};
template <class P, class A, class... S> struct Collapse {};
template <class... S> struct Region {};
}
template <int... N> struct ArgList {};
template <int... N> struct Segs {};
template <int... N> struct Params {};
template <int... N> struct Offsets {};
using camp::make_tuple;
using camp::tuple;
struct ai_point { Index_type i0, i1, i2, i3; };
template <int N> AI_MODEL ai_point ai_moved(ai_point p, Index_type i) {
  if constexpr (N == 0) p.i0 = i;
  else if constexpr (N == 1) p.i1 = i;
  else if constexpr (N == 2) p.i2 = i;
  else p.i3 = i;
  return p;
}
template <class S> struct ai_run;
template <int N, class... A> struct ai_run<statement::Lambda<N, A...>> {
  template <int D, class R, class F> static AI_MODEL void run(const R &, const ai_point &p, const F &f) {
    if constexpr (D == 1) f(p.i0);
    else if constexpr (D == 2) f(p.i0, p.i1);
    else if constexpr (D == 3) f(p.i0, p.i1, p.i2);
    else f(p.i0, p.i1, p.i2, p.i3);
  }
};
template <int N, class P, class S> struct ai_run<statement::For<N, P, S>> {
  template <int D, class R, class F> static AI_MODEL void run(const R &ranges, const ai_point &p, const F &f) {
    if constexpr (ai_is_parallel<P>) {
#pragma omp parallel for library(RAJA)
      for (Index_type i = camp::get<N>(ranges).first; i < camp::get<N>(ranges).last; ++i) ai_run<S>::template run<D>(ranges, ai_moved<N>(p, i), f);
    } else {
      for (Index_type i = camp::get<N>(ranges).first; i < camp::get<N>(ranges).last; ++i) ai_run<S>::template run<D>(ranges, ai_moved<N>(p, i), f);
    }
  }
};
template <class P> struct ai_policy_of;
template <class S> struct ai_policy_of<KernelPolicy<S>> { using type = S; };
template <class P, class... R, class F> AI_MODEL void kernel(const tuple<R...> &ranges, const F &f) {
  const ai_point p{0, 0, 0, 0};
  ai_run<typename ai_policy_of<P>::type>::template run<sizeof...(R)>(ranges, p, f);
}
template <class P, class... A> void kernel_param(A &&...);
template <class P, class... A> void kernel_resource(A &&...);
template <class P, class... A> void kernel_param_resource(A &&...);

// Views.
template <size_t N, class I = Index_type, long Stride = -1> struct Layout {
  I n0, n1, n2, n3;
  AI_MODEL Layout(I a = 1, I b = 1, I c = 1, I d = 1) : n0(a), n1(b), n2(c), n3(d) {}
};
template <class T, class L, class P = T *> struct View {
  T *values;
  L layout;
  template <class I, std::enable_if_t<std::is_integral<I>::value, int> = 0> AI_MODEL View(T *given, I n) : values(given), layout(n) {}
  template <class I, class J> AI_MODEL View(T *given, I n, J m) : values(given), layout(n, m) {}
  template <class I, class J, class K> AI_MODEL View(T *given, I n, J m, K l) : values(given), layout(n, m, l) {}
  template <class A, std::enable_if_t<!std::is_integral<A>::value, int> = 0> AI_MODEL View(T *given, const A &shape) : values(given), layout{shape.n0, shape.n1, shape.n2, shape.n3} {}
  AI_MODEL T &operator()(Index_type i) const { return values[i]; }
  AI_MODEL T &operator[](Index_type i) const { return values[i]; }
  AI_MODEL T &operator()(Index_type i, Index_type j) const { return values[i * layout.n1 + j]; }
  AI_MODEL T &operator()(Index_type i, Index_type j, Index_type k) const {
    return values[(i * layout.n1 + j) * layout.n2 + k];
  }
  AI_MODEL T &operator()(Index_type i, Index_type j, Index_type k, Index_type l) const {
    return values[((i * layout.n1 + j) * layout.n2 + k) * layout.n3 + l];
  }
};
template <class T, class L, class... I> using TypedView = View<T, L>;
template <class... A> Layout<3> make_permuted_layout(A...);
template <class... A> Layout<3> make_offset_layout(A...);

// Atomic updates, scans and sorts.
template <class P, class T, class V> AI_MODEL T atomicAdd(T *to, V more) { T old = *to; *to = old + more; return old; }
template <class P, class T, class V> AI_MODEL T atomicSub(T *to, V less) { T old = *to; *to = old - less; return old; }
template <class P, class T, class V> AI_MODEL T atomicMin(T *to, V other) { T old = *to; *to = std::min(old, T(other)); return old; }
template <class P, class T, class V> AI_MODEL T atomicMax(T *to, V other) { T old = *to; *to = std::max(old, T(other)); return old; }
template <class P, class A, class B> AI_MODEL void exclusive_scan(const A &from, const B &to) {
  std::exclusive_scan(from.begin(), from.end(), to.begin(), 0);
}
template <class P, class A, class B> AI_MODEL void inclusive_scan(const A &from, const B &to) {
  std::inclusive_scan(from.begin(), from.end(), to.begin());
}
template <class P, class A> AI_MODEL void sort(const A &all) { std::sort(all.begin(), all.end()); }
template <class P, class... A> void sort_pairs(A &&...);
template <class P, class... A> void exclusive_scan_inplace(A &&...);
template <class P, class... A> void inclusive_scan_inplace(A &&...);
template <class T> AI_MODEL T power_of_2_mod(T a, T b) { return a & (b - 1); }
}
