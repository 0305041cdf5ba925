#pragma once
// SYCL: what kernels do on ranges, buffers and pointers.  A kernel is the loop over its work-items; those of a group run
// one after the other, which has the same work, and local memory is memory.
#include <ai_model.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#define SYCL_LANGUAGE_VERSION 202001
#define CL_SYCL_LANGUAGE_VERSION 202001
#define SYCL_EXTERNAL
namespace sycl {
using std::abs; using std::acos; using std::asin; using std::atan; using std::atan2; using std::cbrt; using std::ceil;
using std::cos; using std::cosh; using std::erf; using std::exp; using std::exp2; using std::fabs; using std::floor;
using std::fma; using std::fmax; using std::fmin; using std::fmod; using std::hypot; using std::isnan; using std::log;
using std::log10; using std::log2; using std::max; using std::min; using std::pow; using std::round; using std::sin;
using std::sinh; using std::sqrt; using std::tan; using std::tanh; using std::trunc; using std::clamp;
template <class T> AI_MODEL T rsqrt(T x) { return T(1) / std::sqrt(x); }
template <class T> AI_MODEL T mad(T a, T b, T c) { return a * b + c; }
namespace native {
using std::cos; using std::exp; using std::log; using std::pow; using std::sin; using std::sqrt; using sycl::rsqrt;
template <class T> AI_MODEL T divide(T a, T b) { return a / b; }
template <class T> AI_MODEL T recip(T a) { return T(1) / a; }
}
using std::plus; using std::multiplies; using std::bit_and; using std::bit_or; using std::logical_and; using std::logical_or;
template <class T = void> struct minimum { AI_MODEL T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <class T = void> struct maximum { AI_MODEL T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <> struct minimum<void> { template <class T> AI_MODEL T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <> struct maximum<void> { template <class T> AI_MODEL T operator()(const T &a, const T &b) const { return a < b ? b : a; } };

// Ranges and positions.
template <int D = 1> struct item;
template <int D = 1> struct nd_item;
template <int D = 1> struct range {
  size_t n0, n1, n2;
  AI_MODEL range(size_t a = 1, size_t b = 1, size_t c = 1) : n0(a), n1(b), n2(c) {}
  AI_MODEL size_t get(int axis) const { return axis == 0 ? n0 : axis == 1 ? n1 : n2; }
  AI_MODEL size_t operator[](int axis) const { return axis == 0 ? n0 : axis == 1 ? n1 : n2; }
  AI_MODEL size_t size() const { return n0 * n1 * n2; }
};
range(size_t) -> range<1>;
range(size_t, size_t) -> range<2>;
range(size_t, size_t, size_t) -> range<3>;
template <int D = 1> struct id {
  size_t i0, i1, i2;
  AI_MODEL id(size_t a = 0, size_t b = 0, size_t c = 0) : i0(a), i1(b), i2(c) {}
  AI_MODEL id(const item<D> &from) : i0(from.i0), i1(from.i1), i2(from.i2) {}
  AI_MODEL size_t get(int axis) const { return axis == 0 ? i0 : axis == 1 ? i1 : i2; }
  AI_MODEL size_t operator[](int axis) const { return axis == 0 ? i0 : axis == 1 ? i1 : i2; }
};
template <> struct id<1> {
  size_t i0;
  AI_MODEL id(size_t a = 0) : i0(a) {}
  AI_MODEL id(const item<1> &from);
  AI_MODEL operator size_t() const { return i0; }
  AI_MODEL size_t get(int) const { return i0; }
  AI_MODEL size_t operator[](int) const { return i0; }
};
template <int D> struct item {
  size_t i0, i1, i2, n0, n1, n2;
  AI_MODEL size_t get_id(int axis) const { return axis == 0 ? i0 : axis == 1 ? i1 : i2; }
  AI_MODEL id<D> get_id() const { return id<D>(i0, i1, i2); }
  AI_MODEL size_t operator[](int axis) const { return axis == 0 ? i0 : axis == 1 ? i1 : i2; }
  AI_MODEL size_t get_range(int axis) const { return axis == 0 ? n0 : axis == 1 ? n1 : n2; }
  AI_MODEL range<D> get_range() const { return range<D>(n0, n1, n2); }
  AI_MODEL size_t get_linear_id() const { return (i0 * n1 + i1) * n2 + i2; }
};
template <> struct item<1> {
  size_t i0, n0;
  AI_MODEL operator size_t() const { return i0; }
  AI_MODEL size_t get_id(int) const { return i0; }
  AI_MODEL id<1> get_id() const { return id<1>(i0); }
  AI_MODEL size_t operator[](int) const { return i0; }
  AI_MODEL size_t get_range(int) const { return n0; }
  AI_MODEL range<1> get_range() const { return range<1>(n0); }
  AI_MODEL size_t get_linear_id() const { return i0; }
};
AI_MODEL inline id<1>::id(const item<1> &from) : i0(from.i0) {}
template <int D = 1> struct nd_range {
  range<D> global, local;
  AI_MODEL nd_range(range<D> a, range<D> b) : global(a), local(b) {}
  AI_MODEL range<D> get_global_range() const { return global; }
  AI_MODEL range<D> get_local_range() const { return local; }
};
nd_range(size_t, size_t) -> nd_range<1>;
namespace access {
enum class mode { read, write, read_write, discard_write, discard_read_write, atomic };
enum class target { device, host_task, global_buffer = device, constant_buffer, local, host_buffer };
enum class address_space { global_space, local_space, private_space, generic_space, constant_space };
enum class fence_space { local_space, global_space, global_and_local };
enum class decorated { no, yes, legacy };
enum class placeholder { false_t, true_t };
}
using access_mode = access::mode;
using target = access::target;
enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };
enum class memory_scope { work_item, sub_group, work_group, device, system };
template <int D> struct group {
  size_t g0, g1, g2;
  AI_MODEL size_t get_id(int axis) const { return axis == 0 ? g0 : axis == 1 ? g1 : g2; }
  AI_MODEL size_t get_group_id(int axis) const { return axis == 0 ? g0 : axis == 1 ? g1 : g2; }
  AI_MODEL size_t operator[](int axis) const { return axis == 0 ? g0 : axis == 1 ? g1 : g2; }
};
struct sub_group {
  size_t get_local_linear_id() const;
  size_t get_local_id() const;
  size_t get_max_local_range() const;
};
template <int D> struct nd_item {
  size_t i0, i1, i2, l0, l1, l2, g0, g1, g2;
  range<D> global, local, groups;
  AI_MODEL size_t get_global_id(int axis) const { return axis == 0 ? i0 : axis == 1 ? i1 : i2; }
  AI_MODEL size_t get_local_id(int axis) const { return axis == 0 ? l0 : axis == 1 ? l1 : l2; }
  AI_MODEL size_t get_group(int axis) const { return axis == 0 ? g0 : axis == 1 ? g1 : g2; }
  AI_MODEL id<D> get_global_id() const { return item<D>{i0, i1, i2}; }
  AI_MODEL group<D> get_group() const { return {g0, g1, g2}; }
  AI_MODEL size_t get_global_range(int axis) const { return global.get(axis); }
  AI_MODEL size_t get_local_range(int axis) const { return local.get(axis); }
  AI_MODEL size_t get_group_range(int axis) const { return groups.get(axis); }
  AI_MODEL range<D> get_global_range() const { return global; }
  AI_MODEL range<D> get_local_range() const { return local; }
  AI_MODEL range<D> get_group_range() const { return groups; }
  AI_MODEL size_t get_global_linear_id() const { return (i0 * global.n1 + i1) * global.n2 + i2; }
  AI_MODEL size_t get_local_linear_id() const { return (l0 * local.n1 + l1) * local.n2 + l2; }
  AI_MODEL size_t get_group_linear_id() const { return (g0 * groups.n1 + g1) * groups.n2 + g2; }
  sub_group get_sub_group() const;
  AI_MODEL void barrier(access::fence_space = access::fence_space::global_and_local) const {}
};
template <> struct nd_item<1> {
  size_t i0, l0, g0;
  range<1> global, local, groups;
  AI_MODEL size_t get_global_id(int = 0) const { return i0; }
  AI_MODEL size_t get_local_id(int = 0) const { return l0; }
  AI_MODEL size_t get_group(int) const { return g0; }
  AI_MODEL group<1> get_group() const { return {g0, 0, 0}; }
  AI_MODEL size_t get_global_range(int) const { return global.n0; }
  AI_MODEL size_t get_local_range(int) const { return local.n0; }
  AI_MODEL size_t get_group_range(int) const { return groups.n0; }
  AI_MODEL range<1> get_global_range() const { return global; }
  AI_MODEL range<1> get_local_range() const { return local; }
  AI_MODEL range<1> get_group_range() const { return groups; }
  AI_MODEL size_t get_global_linear_id() const { return i0; }
  AI_MODEL size_t get_local_linear_id() const { return l0; }
  AI_MODEL size_t get_group_linear_id() const { return g0; }
  sub_group get_sub_group() const;
  AI_MODEL void barrier(access::fence_space = access::fence_space::global_and_local) const {}
};
template <class G> AI_MODEL void group_barrier(const G &) {}
template <class G, class T, class O> T reduce_over_group(const G &, T, O);
template <class G, class T> T group_broadcast(const G &, T, size_t = 0);
template <class G, class T> T shift_group_left(const G &, T, size_t = 1);
template <class G, class T> T shift_group_right(const G &, T, size_t = 1);
template <class G, class T> T permute_group_by_xor(const G &, T, size_t);
template <class G, class T> T select_from_group(const G &, T, size_t);
template <class G> bool any_of_group(const G &, bool);
template <class G> bool all_of_group(const G &, bool);

// Devices and queues.
struct exception : std::exception { std::string get_description() const; };
using exception_list = std::vector<std::exception_ptr>;
using async_handler = std::function<void(exception_list)>;
enum class aspect { cpu, gpu, accelerator, fp16, fp64, usm_device_allocations, usm_shared_allocations };
namespace info {
#define AI_INFO(name, type) struct name { using return_type = type; };
enum class device_type { cpu, gpu, accelerator, custom, automatic, host, all };
enum class fp_config { denorm, inf_nan };
namespace device {
AI_INFO(name, std::string) AI_INFO(vendor, std::string) AI_INFO(version, std::string) AI_INFO(driver_version, std::string)
AI_INFO(max_compute_units, unsigned) AI_INFO(max_work_group_size, size_t) AI_INFO(local_mem_size, size_t)
AI_INFO(global_mem_size, size_t) AI_INFO(native_vector_width_double, unsigned) AI_INFO(native_vector_width_float, unsigned)
AI_INFO(double_fp_config, std::vector<fp_config>) AI_INFO(device_type, info::device_type) AI_INFO(extensions, std::vector<std::string>)
}
namespace platform { AI_INFO(name, std::string) AI_INFO(version, std::string) AI_INFO(vendor, std::string) }
namespace event_profiling { AI_INFO(command_start, unsigned long) AI_INFO(command_end, unsigned long) AI_INFO(command_submit, unsigned long) }
#undef AI_INFO
}
struct context { template <class... A> context(A &&...); };
struct platform {
  static std::vector<platform> get_platforms();
  template <class P> typename P::return_type get_info() const;
};
struct device {
  template <class... A> explicit device(A &&...);
  device();
  static std::vector<device> get_devices(info::device_type = info::device_type::all);
  template <class P> typename P::return_type get_info() const;
  bool has(aspect) const;
  bool is_cpu() const;
  bool is_gpu() const;
  bool is_host() const;
  bool is_accelerator() const;
  bool has_extension(const std::string &) const;
  platform get_platform() const;
};
struct default_selector {};
struct cpu_selector {};
struct gpu_selector {};
struct host_selector {};
inline default_selector default_selector_v;
inline cpu_selector cpu_selector_v;
inline gpu_selector gpu_selector_v;
struct property_list { template <class... A> property_list(A &&...); };
namespace property {
namespace queue { struct in_order {}; struct enable_profiling {}; }
namespace buffer { struct use_host_ptr {}; }
namespace reduction { struct initialize_to_identity {}; }
struct no_init {};
}
inline property::no_init no_init;
struct event {
  AI_MODEL void wait() {}
  AI_MODEL void wait_and_throw() {}
  template <class P> typename P::return_type get_profiling_info() const;
};

// Memory.
struct ai_read {};
struct ai_write {};
inline ai_read read_only;
inline ai_write write_only;
struct ai_both {};
inline ai_both read_write;
struct handler;
template <class T, int D> struct ai_row {
  T *values;
  size_t n1, n2;
  AI_MODEL decltype(auto) operator[](size_t i) const {
    if constexpr (D == 1) return (values[i]);
    else return ai_row<T, 1>{values + i * n2, 1, 1};
  }
};
template <class T, int D = 1, access::mode M = access::mode::read_write, access::target A = access::target::device,
          access::placeholder P = access::placeholder::false_t> struct accessor;
template <class T, int D = 1, access::mode M = access::mode::read_write> struct host_accessor;
template <class T, int D = 1, class A = void> struct buffer {
  using value_type = T;
  T *values;
  size_t n0, n1, n2;
  buffer();
  template <class... B> AI_MODEL buffer(const range<D> &shape, B &&...)
      : values(new T[shape.n0 * shape.n1 * shape.n2]), n0(shape.n0), n1(shape.n1), n2(shape.n2) {}
  template <class... B> AI_MODEL buffer(T *from, const range<D> &shape, B &&...)
      : values(from), n0(shape.n0), n1(shape.n1), n2(shape.n2) {}
  template <class... B> AI_MODEL buffer(const T *from, const range<D> &shape, B &&...)
      : values((T *)from), n0(shape.n0), n1(shape.n1), n2(shape.n2) {}
  template <access::mode M, access::target B = access::target::device> AI_MODEL accessor<T, D, M, B> get_access(handler &) {
    return accessor<T, D, M, B>(values, n0, n1, n2);
  }
  template <access::mode M> AI_MODEL accessor<T, D, M> get_access() { return accessor<T, D, M>(values, n0, n1, n2); }
  AI_MODEL accessor<T, D> get_host_access() { return accessor<T, D>(values, n0, n1, n2); }
  AI_MODEL range<D> get_range() const { return range<D>(n0, n1, n2); }
  AI_MODEL size_t size() const { return n0 * n1 * n2; }
  AI_MODEL size_t get_count() const { return n0 * n1 * n2; }
};
template <class T, int D> buffer(const T *, range<D>) -> buffer<T, D>;
template <class T, int D, access::mode M, access::target A, access::placeholder P> struct accessor {
  using value_type = T;
  T *values;
  size_t n0, n1, n2;
  accessor();
  AI_MODEL accessor(T *from, size_t a, size_t b, size_t c) : values(from), n0(a), n1(b), n2(c) {}
  template <class B, class... C> AI_MODEL accessor(buffer<std::remove_const_t<T>, D, B> &of, C &&...)
      : values(of.values), n0(of.n0), n1(of.n1), n2(of.n2) {}
  AI_MODEL accessor(const range<D> &shape, handler &)
      : values(new T[shape.n0 * shape.n1 * shape.n2]), n0(shape.n0), n1(shape.n1), n2(shape.n2) {}
  AI_MODEL T &operator[](const id<D> &at) const {
    if constexpr (D == 1) return values[at.i0];
    else if constexpr (D == 2) return values[at.i0 * n1 + at.i1];
    else return values[(at.i0 * n1 + at.i1) * n2 + at.i2];
  }
  AI_MODEL decltype(auto) operator[](size_t i) const {
    if constexpr (D == 1) return (values[i]);
    else if constexpr (D == 2) return ai_row<T, 1>{values + i * n1, 1, 1};
    else return ai_row<T, 2>{values + i * n1 * n2, n1, n2};
  }
  AI_MODEL T *get_pointer() const { return values; }
  AI_MODEL T *begin() const { return values; }
  AI_MODEL T *end() const { return values + n0 * n1 * n2; }
  AI_MODEL range<D> get_range() const { return range<D>(n0, n1, n2); }
  AI_MODEL size_t size() const { return n0 * n1 * n2; }
};
template <class T, class A, class B> accessor(buffer<T, 1, A> &, B &&) -> accessor<T, 1>;
template <class T, int D, class A, class... B> accessor(buffer<T, D, A> &, B &&...) -> accessor<T, D>;
template <class T, int D, access::mode M> struct host_accessor : accessor<T, D, M> {
  template <class A, class... B> AI_MODEL host_accessor(buffer<T, D, A> &of, B &&...) : accessor<T, D, M>(of.values, of.n0, of.n1, of.n2) {}
};
template <class T, int D, class A, class... B> host_accessor(buffer<T, D, A> &, B &&...) -> host_accessor<T, D>;
template <class T, int D = 1> struct local_accessor : accessor<T, D> {
  AI_MODEL local_accessor(const range<D> &shape, handler &of) : accessor<T, D>(shape, of) {}
};
template <class T> using global_ptr = T *;
template <class T> using local_ptr = T *;
template <class T, access::address_space S, access::decorated A = access::decorated::yes> using multi_ptr = T *;
namespace usm { enum class alloc { host, device, shared, unknown }; }
struct queue;
template <class T> AI_MODEL T *malloc_device(size_t n, const queue &) { return new T[n]; }
template <class T> AI_MODEL T *malloc_shared(size_t n, const queue &) { return new T[n]; }
template <class T> AI_MODEL T *malloc_host(size_t n, const queue &) { return new T[n]; }
template <class T, class... A> AI_MODEL T *malloc_device(size_t n, const device &, const context &) { return new T[n]; }
template <class T, class... A> AI_MODEL T *malloc_shared(size_t n, const device &, const context &) { return new T[n]; }
AI_MODEL inline void *malloc_device(size_t n, const queue &) { return std::malloc(n); }
AI_MODEL inline void *malloc_shared(size_t n, const queue &) { return std::malloc(n); }
AI_MODEL inline void *malloc_host(size_t n, const queue &) { return std::malloc(n); }
AI_MODEL inline void free(void *, const queue &) {}
AI_MODEL inline void free(void *, const context &) {}
template <class T, memory_order O, memory_scope S, access::address_space A = access::address_space::generic_space>
struct atomic_ref {
  T *at;
  AI_MODEL explicit atomic_ref(T &to) : at(&to) {}
  AI_MODEL T fetch_add(T more) const { T old = *at; *at = old + more; return old; }
  AI_MODEL T fetch_sub(T less) const { T old = *at; *at = old - less; return old; }
  AI_MODEL T fetch_min(T other) const { T old = *at; *at = other < old ? other : old; return old; }
  AI_MODEL T fetch_max(T other) const { T old = *at; *at = old < other ? other : old; return old; }
  AI_MODEL T operator+=(T more) const { *at += more; return *at; }
  AI_MODEL T load() const { return *at; }
  AI_MODEL void store(T value) const { *at = value; }
};

// One call of the kernel for each work-item.
template <class T> struct ai_reduction { T *at; };
template <class T, class O, class... P> AI_MODEL ai_reduction<T> reduction(T *to, O, P &&...) { return {to}; }
template <class T, int D, class A, class O, class... P> AI_MODEL ai_reduction<T> reduction(buffer<T, D, A> &to, handler &, O, P &&...) {
  return {to.values};
}
template <class T, class F> AI_MODEL void ai_each(const range<1> &all, T &&sum, const F &f) {
#pragma omp parallel for library(SYCL)
  for (size_t i = 0; i < all.n0; ++i) f(item<1>{i, all.n0}, sum);
}
template <class T, class F> AI_MODEL void ai_each(const range<2> &all, T &&sum, const F &f) {
#pragma omp parallel for library(SYCL)
  for (size_t i = 0; i < all.n0; ++i)
    for (size_t j = 0; j < all.n1; ++j) f(item<2>{i, j, 0, all.n0, all.n1, 1}, sum);
}
template <class F> AI_MODEL void ai_each(const range<1> &all, const F &f) {
#pragma omp parallel for library(SYCL)
  for (size_t i = 0; i < all.n0; ++i) f(item<1>{i, all.n0});
}
template <class F> AI_MODEL void ai_each(const range<2> &all, const F &f) {
#pragma omp parallel for library(SYCL)
  for (size_t i = 0; i < all.n0; ++i)
    for (size_t j = 0; j < all.n1; ++j) f(item<2>{i, j, 0, all.n0, all.n1, 1});
}
template <class F> AI_MODEL void ai_each(const range<3> &all, const F &f) {
#pragma omp parallel for library(SYCL)
  for (size_t i = 0; i < all.n0; ++i)
    for (size_t j = 0; j < all.n1; ++j)
      for (size_t k = 0; k < all.n2; ++k) f(item<3>{i, j, k, all.n0, all.n1, all.n2});
}
template <class F> AI_MODEL void ai_each(const nd_range<1> &all, const F &f) {
  const size_t size = all.local.n0, groups = all.global.n0 / size;
#pragma omp parallel for library(SYCL)
  for (size_t g = 0; g < groups; ++g)
    for (size_t l = 0; l < size; ++l) f(nd_item<1>{g * size + l, l, g, all.global, all.local, range<1>(groups)});
}
template <class F> AI_MODEL void ai_each(const nd_range<2> &all, const F &f) {
  const size_t rows = all.local.n0, columns = all.local.n1;
  const range<2> groups(all.global.n0 / rows, all.global.n1 / columns);
#pragma omp parallel for library(SYCL)
  for (size_t g = 0; g < groups.n0; ++g)
    for (size_t h = 0; h < groups.n1; ++h)
      for (size_t l = 0; l < rows; ++l)
        for (size_t m = 0; m < columns; ++m)
          f(nd_item<2>{g * rows + l, h * columns + m, 0, l, m, 0, g, h, 0, all.global, all.local, groups});
}
template <class F> void ai_each(const nd_range<3> &, const F &);
template <class T, class F> AI_MODEL void ai_each(const nd_range<1> &all, T &&sum, const F &f) {
  const size_t size = all.local.n0, groups = all.global.n0 / size;
#pragma omp parallel for library(SYCL)
  for (size_t g = 0; g < groups; ++g)
    for (size_t l = 0; l < size; ++l) f(nd_item<1>{g * size + l, l, g, all.global, all.local, range<1>(groups)}, sum);
}
struct ai_unnamed;
struct interop_handle;
struct handler {
  template <class N = ai_unnamed, class F> AI_MODEL void single_task(const F &f) { f(); }
  template <class N = ai_unnamed, class F> AI_MODEL void host_task(const F &f) { f(); }
  template <class N = ai_unnamed, class F> AI_MODEL void parallel_for(const range<1> &all, const F &f) { ai_each(all, f); }
  template <class N = ai_unnamed, class F> AI_MODEL void parallel_for(const range<2> &all, const F &f) { ai_each(all, f); }
  template <class N = ai_unnamed, class F> AI_MODEL void parallel_for(const range<3> &all, const F &f) { ai_each(all, f); }
  template <class N = ai_unnamed, int D, class F> AI_MODEL void parallel_for(const nd_range<D> &all, const F &f) { ai_each(all, f); }
  template <class N = ai_unnamed, class R, class T, class F> AI_MODEL void parallel_for(const R &all, const ai_reduction<T> &to, const F &f) {
    T total{};
    ai_each(all, total, f);
    *to.at = total;
  }
  template <class A> AI_MODEL void require(A &&) {}
  template <class... A> AI_MODEL void depends_on(A &&...) {}
  AI_MODEL void memcpy(void *to, const void *from, size_t bytes) { std::memcpy(to, from, bytes); }
  AI_MODEL void memset(void *to, int value, size_t bytes) { std::memset(to, value, bytes); }
  template <class T> AI_MODEL void fill(T *to, const T &value, size_t n) { std::fill_n(to, n, value); }
  template <class T, class U> AI_MODEL void copy(const T &from, const U &to) { std::copy(from.begin(), from.end(), to.begin()); }
};
struct queue {
  template <class... A> explicit queue(A &&...);
  queue();
  template <class F> AI_MODEL event submit(const F &f) {
    handler h;
    f(h);
    return event();
  }
  template <class N = ai_unnamed, class F> AI_MODEL event single_task(const F &f) { f(); return event(); }
  template <class N = ai_unnamed, class F> AI_MODEL event parallel_for(const range<1> &all, const F &f) { ai_each(all, f); return event(); }
  template <class N = ai_unnamed, class F> AI_MODEL event parallel_for(const range<2> &all, const F &f) { ai_each(all, f); return event(); }
  template <class N = ai_unnamed, class F> AI_MODEL event parallel_for(const range<3> &all, const F &f) { ai_each(all, f); return event(); }
  template <class N = ai_unnamed, int D, class F> AI_MODEL event parallel_for(const nd_range<D> &all, const F &f) { ai_each(all, f); return event(); }
  template <class N = ai_unnamed, class R, class T, class F> AI_MODEL event parallel_for(const R &all, const ai_reduction<T> &to, const F &f) {
    T total{};
    ai_each(all, total, f);
    *to.at = total;
    return event();
  }
  AI_MODEL event memcpy(void *to, const void *from, size_t bytes) { std::memcpy(to, from, bytes); return event(); }
  AI_MODEL event memset(void *to, int value, size_t bytes) { std::memset(to, value, bytes); return event(); }
  template <class T> AI_MODEL event fill(T *to, const T &value, size_t n) { std::fill_n(to, n, value); return event(); }
  template <class T> AI_MODEL event copy(const T *from, T *to, size_t n) { std::copy_n(from, n, to); return event(); }
  template <class... A> event prefetch(A &&...);
  AI_MODEL void wait() {}
  AI_MODEL void wait_and_throw() {}
  AI_MODEL void throw_asynchronous() {}
  device get_device() const;
  context get_context() const;
};
struct stream { template <class... A> stream(A &&...); template <class T> stream &operator<<(const T &); };
inline stream endl;
}
namespace cl { namespace sycl = ::sycl; }
