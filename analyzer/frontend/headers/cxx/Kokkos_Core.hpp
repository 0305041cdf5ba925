#pragma once
// Kokkos: what its patterns and views do.  A pattern is the loop over its range, in the order of the host (the right-most
// index is the fastest one), and its iterations are those of threads.
#include <ai_model.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <string>
#include <typeinfo>
#include <utility>
#define KOKKOS_LAMBDA [=]
#define KOKKOS_CLASS_LAMBDA [ =, *this ]
#define KOKKOS_FUNCTION
#define KOKKOS_INLINE_FUNCTION inline
#define KOKKOS_FORCEINLINE_FUNCTION inline
#define KOKKOS_DEFAULTED_FUNCTION inline
#define KOKKOS_RESTRICT __restrict
#define KOKKOS_ASSERT(...) ((void)0)
#define KOKKOS_VERSION 40000
#define KOKKOS_IF_ON_HOST(code) { KOKKOS_IMPL_STRIP code }
#define KOKKOS_IF_ON_DEVICE(code)
#define KOKKOS_IMPL_STRIP(...) __VA_ARGS__
namespace Kokkos {
using std::abs; using std::acos; using std::asin; using std::atan; using std::atan2; using std::cbrt; using std::ceil;
using std::cos; using std::cosh; using std::exp; using std::fabs; using std::floor; using std::fma; using std::fmax;
using std::fmin; using std::fmod; using std::hypot; using std::isfinite; using std::isnan; using std::log; using std::log10;
using std::log2; using std::max; using std::min; using std::pow; using std::round; using std::sin; using std::sinh;
using std::sqrt; using std::swap; using std::tan; using std::tanh; using std::erf; using std::erfc;
template <class T> AI_MODEL T rsqrt(T x) { return T(1) / sqrt(x); }

struct InitializationSettings {
  AI_MODEL InitializationSettings &set_device_id(int) { return *this; }
  AI_MODEL InitializationSettings &set_num_threads(int) { return *this; }
  AI_MODEL InitializationSettings &set_print_configuration(bool) { return *this; }
  AI_MODEL InitializationSettings &set_disable_warnings(bool) { return *this; }
};
AI_MODEL inline void initialize() {}
AI_MODEL inline void initialize(int &, char **) {}
AI_MODEL inline void initialize(const InitializationSettings &) {}
AI_MODEL inline void finalize() {}
bool is_initialized();
AI_MODEL inline void fence() {}
AI_MODEL inline void fence(const std::string &) {}
AI_MODEL inline void print_configuration(std::ostream &, bool = false) {}
void abort(const char *);
struct ScopeGuard { template <class... A> ScopeGuard(A &&...); };
struct Timer { Timer(); double seconds() const; void reset(); };
template <class... A> void printf(const char *, A...);

struct LayoutRight { LayoutRight(); template <class... A> explicit LayoutRight(A...); };
struct LayoutLeft { LayoutLeft(); template <class... A> explicit LayoutLeft(A...); };
struct LayoutStride { LayoutStride(); template <class... A> explicit LayoutStride(A...); };
struct HostSpace { static const char *name(); };
struct ai_space {
  using execution_space = ai_space;
  using memory_space = HostSpace;
  using array_layout = LayoutRight;
  using size_type = size_t;
  template <class... A> ai_space(A &&...);
  static const char *name();
  static int concurrency();
  AI_MODEL void fence() const {}
  AI_MODEL void fence(const std::string &) const {}
};
using Serial = ai_space; using OpenMP = ai_space; using Threads = ai_space; using Cuda = ai_space; using HIP = ai_space;
using SYCL = ai_space; using DefaultExecutionSpace = ai_space; using DefaultHostExecutionSpace = ai_space;
using CudaSpace = HostSpace; using CudaUVMSpace = HostSpace; using CudaHostPinnedSpace = HostSpace; using SharedSpace = HostSpace;
using DefaultMemorySpace = HostSpace;
template <class E, class M> struct Device { using execution_space = E; using memory_space = M; };
enum MemoryTraitsFlags { Unmanaged = 1, RandomAccess = 2, Atomic = 4, Restrict = 8, Aligned = 16 };
template <unsigned> struct MemoryTraits {};
using MemoryManaged = MemoryTraits<0>;
using MemoryUnmanaged = MemoryTraits<Unmanaged>;
struct ALL_t {};
inline ALL_t ALL;
struct ai_property {};
inline ai_property WithoutInitializing, AllowPadding, SequentialHostInit;
struct ai_allocation {};
template <class... A> ai_allocation view_alloc(const A &...);
inline ai_allocation ViewAllocateWithoutInitializing(const std::string &);

template <class D> struct ai_elements { using type = D; static constexpr int rank = 0; };
template <class D> struct ai_elements<D *> { using type = typename ai_elements<D>::type; static constexpr int rank = ai_elements<D>::rank + 1; };
template <class D, size_t N> struct ai_elements<D[N]> {
  using type = typename ai_elements<D>::type;
  static constexpr int rank = ai_elements<D>::rank + 1;
};
template <class D, int R> constexpr size_t ai_static_extent() {
  constexpr int rank = ai_elements<D>::rank;
  if constexpr (R >= rank) return 1;
  else if constexpr (std::is_pointer<D>::value) return R == rank - 1 ? 0 : ai_static_extent<std::remove_pointer_t<D>, R>();
  else if constexpr (std::is_array<D>::value) return 0;
  else return 0;
}
template <class... P> struct ai_is_left { static constexpr bool value = false; };
template <class F, class... P> struct ai_is_left<F, P...> {
  static constexpr bool value = std::is_same<F, LayoutLeft>::value || ai_is_left<P...>::value;
};

template <class D, class... P> struct View {
  using data_type = D;
  using value_type = typename ai_elements<D>::type;
  using non_const_value_type = std::remove_const_t<value_type>;
  using const_value_type = const value_type;
  using element_type = value_type;
  using reference_type = value_type &;
  using pointer_type = value_type *;
  using size_type = size_t;
  using execution_space = ai_space;
  using memory_space = HostSpace;
  using device_type = Device<ai_space, HostSpace>;
  using array_layout = std::conditional_t<ai_is_left<P...>::value, LayoutLeft, LayoutRight>;
  using HostMirror = View;
  using host_mirror_type = View;
  using const_type = View;
  static constexpr unsigned rank = ai_elements<D>::rank;
  static constexpr unsigned Rank = rank;
  value_type *values;
  size_t n0, n1, n2, n3, n4;
  View();
  AI_MODEL View(const std::string &, size_t a, size_t b = 1, size_t c = 1, size_t d = 1, size_t e = 1)
      : values(new value_type[a * b * c * d * e]), n0(a), n1(b), n2(c), n3(d), n4(e) {}
  AI_MODEL View(const char *, size_t a, size_t b = 1, size_t c = 1, size_t d = 1, size_t e = 1)
      : values(new value_type[a * b * c * d * e]), n0(a), n1(b), n2(c), n3(d), n4(e) {}
  AI_MODEL View(const ai_allocation &, size_t a, size_t b = 1, size_t c = 1, size_t d = 1, size_t e = 1)
      : values(new value_type[a * b * c * d * e]), n0(a), n1(b), n2(c), n3(d), n4(e) {}
  AI_MODEL View(value_type *given, size_t a = 1, size_t b = 1, size_t c = 1, size_t d = 1, size_t e = 1)
      : values(given), n0(a), n1(b), n2(c), n3(d), n4(e) {}
  explicit View(const std::string &);
  template <class E, class... Q> AI_MODEL View(const View<E, Q...> &other)
      : values(other.values), n0(other.n0), n1(other.n1), n2(other.n2), n3(other.n3), n4(other.n4) {}
  AI_MODEL value_type &operator()() const { return values[0]; }
  AI_MODEL value_type &operator()(size_t i) const { return values[i]; }
  AI_MODEL value_type &operator[](size_t i) const { return values[i]; }
  AI_MODEL value_type &operator()(size_t i, size_t j) const {
    if constexpr (ai_is_left<P...>::value) return values[i + n0 * j];
    else return values[i * n1 + j];
  }
  AI_MODEL value_type &operator()(size_t i, size_t j, size_t k) const {
    if constexpr (ai_is_left<P...>::value) return values[i + n0 * (j + n1 * k)];
    else return values[(i * n1 + j) * n2 + k];
  }
  AI_MODEL value_type &operator()(size_t i, size_t j, size_t k, size_t l) const {
    if constexpr (ai_is_left<P...>::value) return values[i + n0 * (j + n1 * (k + n2 * l))];
    else return values[((i * n1 + j) * n2 + k) * n3 + l];
  }
  AI_MODEL value_type &operator()(size_t i, size_t j, size_t k, size_t l, size_t m) const {
    if constexpr (ai_is_left<P...>::value) return values[i + n0 * (j + n1 * (k + n2 * (l + n3 * m)))];
    else return values[(((i * n1 + j) * n2 + k) * n3 + l) * n4 + m];
  }
  template <class... A> AI_MODEL value_type &access(A... at) const { return (*this)(at...); }
  AI_MODEL value_type *data() const { return values; }
  AI_MODEL size_t extent(int axis) const {
    return axis == 0 ? n0 : axis == 1 ? n1 : axis == 2 ? n2 : axis == 3 ? n3 : n4;
  }
  AI_MODEL int extent_int(int axis) const { return int(extent(axis)); }
  AI_MODEL size_t extent_0() const { return n0; }
  AI_MODEL size_t size() const {
    if constexpr (rank <= 1) return n0;
    else if constexpr (rank == 2) return n0 * n1;
    else if constexpr (rank == 3) return n0 * n1 * n2;
    else return n0 * n1 * n2 * n3 * n4;
  }
  AI_MODEL size_t span() const { return size(); }
  size_t stride(int) const;
  std::string label() const;
  bool is_allocated() const;
  int use_count() const;
};
template <class D, class... P> AI_MODEL View<D, P...> create_mirror_view(const View<D, P...> &view) { return view; }
template <class S, class D, class... P> View<D, P...> create_mirror_view_and_copy(const S &, const View<D, P...> &);
template <class D, class... P> View<D, P...> create_mirror(const View<D, P...> &);
template <class D, class... P> void resize(View<D, P...> &, size_t, size_t = 1, size_t = 1);
template <class D, class... P> void realloc(View<D, P...> &, size_t, size_t = 1, size_t = 1);
template <class V, class... A> auto subview(const V &, A...) -> View<typename V::value_type *>;
template <class D, class... P, class E, class... Q>
AI_MODEL void deep_copy(const View<D, P...> &to, const View<E, Q...> &from) {
  const size_t n = to.size();
#pragma omp parallel for library(Kokkos)
  for (size_t i = 0; i < n; ++i) to.values[i] = from.values[i];
}
template <class D, class... P> AI_MODEL void deep_copy(const View<D, P...> &to, const typename View<D, P...>::value_type &value) {
  const size_t n = to.size();
#pragma omp parallel for library(Kokkos)
  for (size_t i = 0; i < n; ++i) to.values[i] = value;
}
template <class T, class D, class... P>
AI_MODEL std::enable_if_t<std::is_arithmetic<T>::value> deep_copy(T &to, const View<D, P...> &from) {
  to = from.values[0];
}

enum class Iterate { Default, Left, Right };
template <unsigned N, Iterate A = Iterate::Default, Iterate B = Iterate::Default> struct Rank { static constexpr int value = N; };
struct Dynamic {};
struct Static {};
template <class S> struct Schedule {};
template <class T> struct IndexType {};
template <unsigned T, unsigned B = 0> struct LaunchBounds {};
struct ChunkSize { explicit ChunkSize(int); };
template <class... P> struct RangePolicy {
  size_t first, last;
  AI_MODEL RangePolicy(size_t a, size_t b) : first(a), last(b) {}
  AI_MODEL RangePolicy(size_t a, size_t b, ChunkSize) : first(a), last(b) {}
  AI_MODEL RangePolicy(const ai_space &, size_t a, size_t b) : first(a), last(b) {}
};
RangePolicy(long, long) -> RangePolicy<>;
struct ai_point {
  long i0, i1, i2, i3;
  AI_MODEL ai_point(long a, long b, long c = 0, long d = 0) : i0(a), i1(b), i2(c), i3(d) {}
};
template <class... P> struct ai_rank_of;
template <unsigned N, Iterate A, Iterate B, class... P> struct ai_rank_of<Rank<N, A, B>, P...> { static constexpr int value = N; };
template <class F, class... P> struct ai_rank_of<F, P...> : ai_rank_of<P...> {};
template <class... P> struct MDRangePolicy {
  ai_point first, last;
  static constexpr int rank = ai_rank_of<P...>::value;
  AI_MODEL MDRangePolicy(ai_point a, ai_point b) : first(a), last(b) {}
  AI_MODEL MDRangePolicy(ai_point a, ai_point b, ai_point) : first(a), last(b) {}
  AI_MODEL MDRangePolicy(const ai_space &, ai_point a, ai_point b) : first(a), last(b) {}
};

// One call of the functor for each point of the range.
template <class N, class F> AI_MODEL std::enable_if_t<std::is_integral<N>::value> parallel_for(N n, const F &f) {
#pragma omp parallel for library(Kokkos)
  for (N i = 0; i < n; ++i) f(i);
}
template <class... P, class F> AI_MODEL void parallel_for(const RangePolicy<P...> &range, const F &f) {
  const long last = range.last;
#pragma omp parallel for library(Kokkos)
  for (long i = range.first; i < last; ++i) f(i);
}
template <class... P, class F> AI_MODEL void parallel_for(const MDRangePolicy<P...> &range, const F &f) {
  if constexpr (MDRangePolicy<P...>::rank == 2) {
#pragma omp parallel for library(Kokkos)
    for (long i = range.first.i0; i < range.last.i0; ++i)
      for (long j = range.first.i1; j < range.last.i1; ++j) f(i, j);
  } else if constexpr (MDRangePolicy<P...>::rank == 3) {
#pragma omp parallel for library(Kokkos)
    for (long i = range.first.i0; i < range.last.i0; ++i)
      for (long j = range.first.i1; j < range.last.i1; ++j)
        for (long k = range.first.i2; k < range.last.i2; ++k) f(i, j, k);
  } else {
#pragma omp parallel for library(Kokkos)
    for (long i = range.first.i0; i < range.last.i0; ++i)
      for (long j = range.first.i1; j < range.last.i1; ++j)
        for (long k = range.first.i2; k < range.last.i2; ++k)
          for (long l = range.first.i3; l < range.last.i3; ++l) f(i, j, k, l);
  }
}

// A reduction joins what each thread has: the functor adds to one value here, as one thread does.
struct ai_reducer {};
#define AI_REDUCER(name) \
  template <class T, class S = HostSpace> struct name : ai_reducer { \
    using value_type = T; \
    T *target; \
    AI_MODEL name(T &given) : target(&given) {} \
  };
AI_REDUCER(Sum) AI_REDUCER(Prod) AI_REDUCER(Min) AI_REDUCER(Max) AI_REDUCER(LAnd) AI_REDUCER(LOr)
#undef AI_REDUCER
template <class T, class I> struct ValLocScalar { T val; I loc; };
template <class T, class I, class S = HostSpace> struct MinLoc : ai_reducer {
  using value_type = ValLocScalar<T, I>;
  value_type *target;
  AI_MODEL MinLoc(value_type &given) : target(&given) {}
};
template <class T, class I, class S = HostSpace> struct MaxLoc : MinLoc<T, I, S> {
  using MinLoc<T, I, S>::MinLoc;
};
template <class R> using ai_if_reducer = std::enable_if_t<std::is_base_of<ai_reducer, R>::value>;
template <class R> using ai_if_value = std::enable_if_t<!std::is_base_of<ai_reducer, R>::value>;
template <class N, class F, class T> AI_MODEL std::enable_if_t<std::is_integral<N>::value> ai_reduced(N n, const F &f, T &sum) {
#pragma omp parallel for library(Kokkos)
  for (N i = 0; i < n; ++i) f(i, sum);
}
template <class... P, class F, class T> AI_MODEL void ai_reduced(const RangePolicy<P...> &range, const F &f, T &sum) {
  const long last = range.last;
#pragma omp parallel for library(Kokkos)
  for (long i = range.first; i < last; ++i) f(i, sum);
}
template <class... P, class F, class T> AI_MODEL void ai_reduced(const MDRangePolicy<P...> &range, const F &f, T &sum) {
  if constexpr (MDRangePolicy<P...>::rank == 2) {
#pragma omp parallel for library(Kokkos)
    for (long i = range.first.i0; i < range.last.i0; ++i)
      for (long j = range.first.i1; j < range.last.i1; ++j) f(i, j, sum);
  } else {
#pragma omp parallel for library(Kokkos)
    for (long i = range.first.i0; i < range.last.i0; ++i)
      for (long j = range.first.i1; j < range.last.i1; ++j)
        for (long k = range.first.i2; k < range.last.i2; ++k) f(i, j, k, sum);
  }
}
template <class R, class F, class T> AI_MODEL ai_if_value<T> parallel_reduce(R range, const F &f, T &sum) {
  T total{};
  ai_reduced(range, f, total);
  sum = total;
}
template <class R, class F, class T> AI_MODEL ai_if_reducer<T> parallel_reduce(R range, const F &f, const T &reducer) {
  typename T::value_type total{};
  ai_reduced(range, f, total);
  *reducer.target = total;
}
template <class R, class F, class T> AI_MODEL ai_if_value<T> parallel_scan(const R &range, const F &f, T &sum) {
  T total{};
  ai_scanned(range, f, total);
  sum = total;
}
template <class N, class F> AI_MODEL std::enable_if_t<std::is_integral<N>::value> parallel_scan(N n, const F &f) {
  N total = 0;
  for (N i = 0; i < n; ++i) f(i, total, true);
}

// Teams: the league is parallel, the threads and lanes of a team share a range.
template <class... P> struct TeamPolicy;
struct ai_member {
  int league, leagues, size;
  AI_MODEL int league_rank() const { return league; }
  AI_MODEL int league_size() const { return leagues; }
  int team_rank() const;
  AI_MODEL int team_size() const { return size; }
  AI_MODEL void team_barrier() const {}
  template <class T> void team_broadcast(T &, int) const;
  template <class T> T team_reduce(T) const;
};
template <class... P> struct TeamPolicy {
  using member_type = ai_member;
  int leagues, threads;
  template <class S> AI_MODEL TeamPolicy(int a, S, int = 1) : leagues(a), threads(1) {}
  AI_MODEL TeamPolicy(int a, int b, int = 1) : leagues(a), threads(b) {}
  template <class A> TeamPolicy &set_scratch_size(int, A);
};
struct AUTO_t {};
inline AUTO_t AUTO;
struct ai_share { long first, last; };
template <class M> AI_MODEL ai_share TeamThreadRange(const M &, long n) { return {0, n}; }
template <class M> AI_MODEL ai_share TeamThreadRange(const M &, long a, long b) { return {a, b}; }
template <class M> AI_MODEL ai_share TeamVectorRange(const M &, long n) { return {0, n}; }
template <class M> AI_MODEL ai_share TeamVectorRange(const M &, long a, long b) { return {a, b}; }
template <class M> AI_MODEL ai_share ThreadVectorRange(const M &, long n) { return {0, n}; }
template <class M> AI_MODEL ai_share ThreadVectorRange(const M &, long a, long b) { return {a, b}; }
struct ai_single {};
template <class M> ai_single PerTeam(const M &);
template <class M> ai_single PerThread(const M &);
template <class F> AI_MODEL void single(ai_single, const F &f) { f(); }
template <class... P, class F> AI_MODEL void parallel_for(const TeamPolicy<P...> &policy, const F &f) {
#pragma omp parallel for library(Kokkos)
  for (int i = 0; i < policy.leagues; ++i) f(ai_member{i, policy.leagues, policy.threads});
}
template <class F> AI_MODEL void parallel_for(const ai_share &range, const F &f) {
  for (long i = range.first; i < range.last; ++i) f(i);
}
template <class... P, class F, class T> AI_MODEL void ai_reduced(const TeamPolicy<P...> &policy, const F &f, T &sum) {
#pragma omp parallel for library(Kokkos)
  for (int i = 0; i < policy.leagues; ++i) f(ai_member{i, policy.leagues, policy.threads}, sum);
}
template <class F, class T> AI_MODEL void ai_reduced(const ai_share &range, const F &f, T &sum) {
  for (long i = range.first; i < range.last; ++i) f(i, sum);
}

// The same with a name in front.
template <class L> using ai_if_label = std::enable_if_t<std::is_convertible<L, std::string>::value, int>;
template <class R, class F> AI_MODEL void parallel_for(const std::string &, const R &range, const F &f) { parallel_for(range, f); }
template <class R, class F, class T> AI_MODEL void parallel_reduce(const std::string &, const R &range, const F &f, T &&sum) {
  parallel_reduce(range, f, sum);
}
template <class R, class F> AI_MODEL void parallel_scan(const std::string &, const R &range, const F &f) { parallel_scan(range, f); }

template <class T> AI_MODEL void atomic_add(T *to, const T value) {
#pragma omp atomic
  *to += value;
}
template <class T> AI_MODEL void atomic_inc(T *to) { *to += 1; }
template <class T> AI_MODEL T atomic_fetch_add(T *to, const T value) {
  T old = *to;
  *to = old + value;
  return old;
}
template <class T, size_t N = 0> struct Array {
  T items[N];
  AI_MODEL T &operator[](size_t i) { return items[i]; }
  AI_MODEL const T &operator[](size_t i) const { return items[i]; }
  AI_MODEL size_t size() const { return N; }
};
namespace Profiling {
AI_MODEL inline void pushRegion(const std::string &) {}
AI_MODEL inline void popRegion() {}
}
}
