#pragma once
// Threading Building Blocks: what its patterns do.  Of a range that is split among threads the body gets the whole,
// which is what all threads together do.
#include <ai_model.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>
#define TBB_VERSION_MAJOR 2021
#define TBB_VERSION_STRING "2021.0"
extern "C" void __ai_tbb();  // the loops of the function that calls it run on several cores
namespace tbb {
struct split {};
struct auto_partitioner {};
struct simple_partitioner {};
struct static_partitioner {};
struct affinity_partitioner {};
struct task_group_context {};
template <class T> struct blocked_range {
  T first, last;
  using const_iterator = T;
  using size_type = size_t;
  AI_MODEL blocked_range(T a, T b, size_t = 1) : first(a), last(b) {}
  AI_MODEL blocked_range(blocked_range &all, split) : first(all.first), last(all.last) {}
  AI_MODEL T begin() const { return first; }
  AI_MODEL T end() const { return last; }
  AI_MODEL size_t size() const { return last - first; }
  bool empty() const;
  size_t grainsize() const;
  bool is_divisible() const;
};
template <class T, class U = T> struct blocked_range2d {
  blocked_range<T> of_rows;
  blocked_range<U> of_columns;
  AI_MODEL blocked_range2d(T a, T b, U c, U d) : of_rows(a, b), of_columns(c, d) {}
  AI_MODEL blocked_range2d(T a, T b, size_t, U c, U d, size_t) : of_rows(a, b), of_columns(c, d) {}
  AI_MODEL const blocked_range<T> &rows() const { return of_rows; }
  AI_MODEL const blocked_range<U> &cols() const { return of_columns; }
};
template <class T, class U = T, class V = T> struct blocked_range3d {
  blocked_range<T> of_pages;
  blocked_range<U> of_rows;
  blocked_range<V> of_columns;
  AI_MODEL blocked_range3d(T a, T b, U c, U d, V e, V f) : of_pages(a, b), of_rows(c, d), of_columns(e, f) {}
  AI_MODEL const blocked_range<T> &pages() const { return of_pages; }
  AI_MODEL const blocked_range<U> &rows() const { return of_rows; }
  AI_MODEL const blocked_range<V> &cols() const { return of_columns; }
};
template <class I> using ai_if_index = std::enable_if_t<std::is_integral<I>::value, int>;
template <class R> using ai_if_range = std::enable_if_t<!std::is_integral<R>::value, int>;
template <class I, class F, ai_if_index<I> = 0> AI_MODEL void parallel_for(I first, I last, const F &f) {
#pragma omp parallel for library(TBB)
  for (I i = first; i < last; ++i) f(i);
}
template <class I, class F, class P, ai_if_index<I> = 0> AI_MODEL void parallel_for(I first, I last, const F &f, P &&) {
#pragma omp parallel for library(TBB)
  for (I i = first; i < last; ++i) f(i);
}
template <class I, class F, ai_if_index<I> = 0> AI_MODEL void parallel_for(I first, I last, I step, const F &f) {
#pragma omp parallel for library(TBB)
  for (I i = first; i < last; i += step) f(i);
}
template <class R, class F, ai_if_range<R> = 0> AI_MODEL void parallel_for(const R &range, const F &f) {
  __ai_tbb();
  R own = range;
  f(own);
}
template <class R, class F, class P, ai_if_range<R> = 0> AI_MODEL void parallel_for(const R &range, const F &f, P &&) {
  __ai_tbb();
  R own = range;
  f(own);
}
template <class R, class T, class F, class J> AI_MODEL T parallel_reduce(const R &range, const T &identity, const F &f, const J &) {
  __ai_tbb();
  R own = range;
  return f(own, identity);
}
template <class R, class T, class F, class J, class P>
AI_MODEL T parallel_reduce(const R &range, const T &identity, const F &f, const J &, P &&) {
  __ai_tbb();
  R own = range;
  return f(own, identity);
}
template <class R, class B> AI_MODEL void parallel_reduce(const R &range, B &body) {
  __ai_tbb();
  R own = range;
  body(own);
}
template <class R, class T, class F, class J>
AI_MODEL T parallel_deterministic_reduce(const R &range, const T &identity, const F &f, const J &) {
  __ai_tbb();
  R own = range;
  return f(own, identity);
}
template <class I, class F> AI_MODEL void parallel_for_each(I first, I last, const F &f) {
#pragma omp parallel for library(TBB)
  for (; first != last; ++first) f(*first);
}
template <class... F> AI_MODEL void parallel_invoke(const F &...f) { (f(), ...); }
template <class I> AI_MODEL void parallel_sort(I first, I last) { std::sort(first, last); }
template <class I, class C> AI_MODEL void parallel_sort(I first, I last, C less) { std::sort(first, last, less); }
struct task_group {
  template <class F> AI_MODEL void run(const F &f) { f(); }
  template <class F> AI_MODEL void run_and_wait(const F &f) { f(); }
  AI_MODEL void wait() {}
};
struct task_arena {
  task_arena(int = -1, unsigned = 1);
  template <class F> AI_MODEL void execute(const F &f) { f(); }
  int max_concurrency() const;
};
struct global_control {
  enum parameter { max_allowed_parallelism, thread_stack_size };
  global_control(parameter, size_t);
};
struct task_scheduler_init {
  static constexpr int automatic = -1, deferred = -2;
  task_scheduler_init(int = automatic);
  AI_MODEL void initialize(int = automatic) {}
  AI_MODEL void terminate() {}
};
template <class T> struct tick_count_of;
struct tick_count {
  struct interval_t { double seconds() const; };
  static tick_count now();
  interval_t operator-(const tick_count &) const;
};
using std::atomic;
template <class T, class A = std::allocator<T>> using concurrent_vector = std::vector<T, A>;
template <class T> struct cache_aligned_allocator : std::allocator<T> {};
template <class T> struct scalable_allocator : std::allocator<T> {};
template <class T> struct enumerable_thread_specific {
  template <class... A> enumerable_thread_specific(A &&...);
  T &local();
  T *begin();
  T *end();
  template <class F> T combine(F);
};
template <class T> using combinable = enumerable_thread_specific<T>;
struct spin_mutex { struct scoped_lock { template <class... A> scoped_lock(A &&...); }; };
using mutex = spin_mutex;
using queuing_mutex = spin_mutex;
namespace this_task_arena { int max_concurrency(); int current_thread_index(); }
}
namespace oneapi { namespace tbb = ::tbb; }
