#pragma once
// Thrust: vectors are those of the standard library, algorithms are its loops, with iterations of threads.
#include <ai_model.h>
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <ranges>
#include <tuple>
#include <utility>
#include <vector>
#define THRUST_VERSION 200000
#define THRUST_DEVICE_SYSTEM_CUDA 1
#define THRUST_DEVICE_SYSTEM_OMP 2
#define THRUST_DEVICE_SYSTEM_TBB 3
#define THRUST_DEVICE_SYSTEM_CPP 4
#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CUDA
#endif
#ifdef __CUDACC__
#pragma clang force_cuda_host_device begin
#endif
namespace thrust {
template <class T, class A = std::ai_device_allocator<T>> using device_vector = std::vector<T, A>;
template <class T, class A = std::allocator<T>> using host_vector = std::vector<T, A>;
template <class T, class A = std::allocator<T>> using universal_vector = std::vector<T, A>;
template <class T> using device_ptr = T *;
template <class T> using universal_ptr = T *;
template <class T> using device_allocator = std::ai_device_allocator<T>;
template <class T> AI_MODEL T *raw_pointer_cast(T *p) { return p; }
template <class T> AI_MODEL T *raw_pointer_cast(std::ai_device_pointer<T> p) { return p.get(); }
template <class T> AI_MODEL T *device_pointer_cast(T *p) { return p; }
template <class T> AI_MODEL T *device_malloc(size_t n) { return new T[n]; }
template <class T> AI_MODEL void device_free(T *) {}
using std::get; using std::make_pair; using std::make_tuple; using std::pair; using std::swap; using std::tie; using std::tuple;
using std::tuple_element; using std::tuple_element_t; using std::tuple_size;
using std::divides; using std::equal_to; using std::greater; using std::greater_equal; using std::less; using std::less_equal;
using std::logical_and; using std::logical_or; using std::minus; using std::modulus; using std::multiplies; using std::negate;
using std::not_equal_to; using std::plus; using std::bit_and; using std::bit_or;
template <class T = void> struct minimum { AI_MODEL T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <class T = void> struct maximum { AI_MODEL T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <> struct minimum<void> { template <class T> AI_MODEL T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <> struct maximum<void> { template <class T> AI_MODEL T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <class T = void> struct square { AI_MODEL T operator()(const T &a) const { return a * a; } };
template <class T = void> struct identity { AI_MODEL const T &operator()(const T &a) const { return a; } };
template <> struct identity<void> { template <class T> AI_MODEL T operator()(T a) const { return a; } };
template <class A, class R> struct unary_function { using argument_type = A; using result_type = R; };
template <class A, class B, class R> struct binary_function {};

// Who runs it.  Calls are qualified: names of std are found by the arguments.
struct ai_policy : std::ai_policy {
  template <class S> AI_MODEL ai_policy on(const S &) const { return {}; }
  template <class A> AI_MODEL ai_policy operator()(const A &) const { return {}; }
};
inline constexpr ai_policy device{}, host{}, seq{};
namespace cuda { inline constexpr ai_policy par{}, par_nosync{}; }
namespace hip { inline constexpr ai_policy par{}, par_nosync{}; }
namespace omp { inline constexpr ai_policy par{}; }

// Iterators.
template <class T> struct counting_iterator {
  T value;
  using value_type = T;
  using difference_type = ptrdiff_t;
  AI_MODEL explicit counting_iterator(T first) : value(first) {}
  AI_MODEL T operator*() const { return value; }
  AI_MODEL T operator[](ptrdiff_t i) const { return value + i; }
  AI_MODEL counting_iterator &operator++() { ++value; return *this; }
  AI_MODEL counting_iterator operator+(ptrdiff_t i) const { return counting_iterator(value + i); }
  AI_MODEL counting_iterator operator-(ptrdiff_t i) const { return counting_iterator(value - i); }
  AI_MODEL ptrdiff_t operator-(const counting_iterator &other) const { return value - other.value; }
  AI_MODEL bool operator!=(const counting_iterator &other) const { return value != other.value; }
  AI_MODEL bool operator==(const counting_iterator &other) const { return value == other.value; }
  AI_MODEL bool operator<(const counting_iterator &other) const { return value < other.value; }
};
template <class T> AI_MODEL counting_iterator<T> make_counting_iterator(T first) { return counting_iterator<T>(first); }
template <class T> struct constant_iterator {
  T value;
  using value_type = T;
  AI_MODEL constant_iterator(T given) : value(given) {}
  AI_MODEL T operator*() const { return value; }
  AI_MODEL constant_iterator &operator++() { return *this; }
  AI_MODEL constant_iterator operator+(ptrdiff_t) const { return *this; }
  AI_MODEL ptrdiff_t operator-(const constant_iterator &) const { return 0; }
  AI_MODEL T operator[](ptrdiff_t) const { return value; }
};
template <class T> AI_MODEL constant_iterator<T> make_constant_iterator(T value) { return {value}; }
template <class F, class I> struct transform_iterator {
  I at;
  F f;
  using value_type = decltype(std::declval<F>()(*std::declval<I>()));
  AI_MODEL transform_iterator(I from, F with) : at(from), f(with) {}
  AI_MODEL transform_iterator operator+(ptrdiff_t i) const { return transform_iterator(at + i, f); }
  AI_MODEL value_type operator*() const { return f(*at); }
  AI_MODEL transform_iterator &operator++() { ++at; return *this; }
  AI_MODEL value_type operator[](ptrdiff_t i) const { return f(at[i]); }
  AI_MODEL bool operator!=(const transform_iterator &other) const { return at != other.at; }
  AI_MODEL ptrdiff_t operator-(const transform_iterator &other) const { return at - other.at; }
};
template <class I, class F> AI_MODEL transform_iterator<F, I> make_transform_iterator(I at, F f) { return {at, f}; }
template <class I, class J> struct permutation_iterator {
  I at;
  J index;
  using value_type = typename std::iterator_traits<I>::value_type;
  AI_MODEL permutation_iterator(I from, J with) : at(from), index(with) {}
  AI_MODEL permutation_iterator operator+(ptrdiff_t i) const { return permutation_iterator(at, index + i); }
  AI_MODEL auto &operator*() const { return at[*index]; }
  AI_MODEL permutation_iterator &operator++() { ++index; return *this; }
  AI_MODEL bool operator!=(const permutation_iterator &other) const { return index != other.index; }
  AI_MODEL ptrdiff_t operator-(const permutation_iterator &other) const { return index - other.index; }
};
template <class I, class J> AI_MODEL permutation_iterator<I, J> make_permutation_iterator(I at, J index) { return {at, index}; }
template <class T> struct zip_iterator;
template <class A, class B> struct zip_iterator<tuple<A, B>> {
  A a; B b;
  using value_type = tuple<typename std::iterator_traits<A>::value_type, typename std::iterator_traits<B>::value_type>;
  using reference = tuple<decltype(std::declval<A>()[0]), decltype(std::declval<B>()[0])>;
  AI_MODEL zip_iterator(A given_a, B given_b) : a(given_a), b(given_b) {}
  AI_MODEL zip_iterator operator+(ptrdiff_t i) const { return zip_iterator(a + i, b + i); }
  AI_MODEL reference operator[](ptrdiff_t i) const { return reference(a[i], b[i]); }
  AI_MODEL reference operator*() const { return reference(a[0], b[0]); }
  AI_MODEL zip_iterator &operator++() { ++a; ++b; return *this; }
  AI_MODEL bool operator!=(const zip_iterator &other) const { return a != other.a; }
  AI_MODEL ptrdiff_t operator-(const zip_iterator &other) const { return a - other.a; }
};
template <class A, class B> AI_MODEL zip_iterator<tuple<A, B>> make_zip_iterator(const tuple<A, B> &t) {
  return {get<0>(t), get<1>(t)};
}
template <class A, class B> AI_MODEL zip_iterator<tuple<A, B>> make_zip_iterator(A a, B b) { return {a, b}; }
template <class A, class B, class C> struct zip_iterator<tuple<A, B, C>> {
  A a; B b; C c;
  using value_type = tuple<typename std::iterator_traits<A>::value_type, typename std::iterator_traits<B>::value_type, typename std::iterator_traits<C>::value_type>;
  using reference = tuple<decltype(std::declval<A>()[0]), decltype(std::declval<B>()[0]), decltype(std::declval<C>()[0])>;
  AI_MODEL zip_iterator(A given_a, B given_b, C given_c) : a(given_a), b(given_b), c(given_c) {}
  AI_MODEL zip_iterator operator+(ptrdiff_t i) const { return zip_iterator(a + i, b + i, c + i); }
  AI_MODEL reference operator[](ptrdiff_t i) const { return reference(a[i], b[i], c[i]); }
  AI_MODEL reference operator*() const { return reference(a[0], b[0], c[0]); }
  AI_MODEL zip_iterator &operator++() { ++a; ++b; ++c; return *this; }
  AI_MODEL bool operator!=(const zip_iterator &other) const { return a != other.a; }
  AI_MODEL ptrdiff_t operator-(const zip_iterator &other) const { return a - other.a; }
};
template <class A, class B, class C> AI_MODEL zip_iterator<tuple<A, B, C>> make_zip_iterator(const tuple<A, B, C> &t) {
  return {get<0>(t), get<1>(t), get<2>(t)};
}
template <class A, class B, class C> AI_MODEL zip_iterator<tuple<A, B, C>> make_zip_iterator(A a, B b, C c) { return {a, b, c}; }
template <class A, class B, class C, class D> struct zip_iterator<tuple<A, B, C, D>> {
  A a; B b; C c; D d;
  using value_type = tuple<typename std::iterator_traits<A>::value_type, typename std::iterator_traits<B>::value_type, typename std::iterator_traits<C>::value_type, typename std::iterator_traits<D>::value_type>;
  using reference = tuple<decltype(std::declval<A>()[0]), decltype(std::declval<B>()[0]), decltype(std::declval<C>()[0]), decltype(std::declval<D>()[0])>;
  AI_MODEL zip_iterator(A given_a, B given_b, C given_c, D given_d) : a(given_a), b(given_b), c(given_c), d(given_d) {}
  AI_MODEL zip_iterator operator+(ptrdiff_t i) const { return zip_iterator(a + i, b + i, c + i, d + i); }
  AI_MODEL reference operator[](ptrdiff_t i) const { return reference(a[i], b[i], c[i], d[i]); }
  AI_MODEL reference operator*() const { return reference(a[0], b[0], c[0], d[0]); }
  AI_MODEL zip_iterator &operator++() { ++a; ++b; ++c; ++d; return *this; }
  AI_MODEL bool operator!=(const zip_iterator &other) const { return a != other.a; }
  AI_MODEL ptrdiff_t operator-(const zip_iterator &other) const { return a - other.a; }
};
template <class A, class B, class C, class D> AI_MODEL zip_iterator<tuple<A, B, C, D>> make_zip_iterator(const tuple<A, B, C, D> &t) {
  return {get<0>(t), get<1>(t), get<2>(t), get<3>(t)};
}
template <class A, class B, class C, class D> AI_MODEL zip_iterator<tuple<A, B, C, D>> make_zip_iterator(A a, B b, C c, D d) { return {a, b, c, d}; }
template <class A, class B, class C, class D, class E> struct zip_iterator<tuple<A, B, C, D, E>> {
  A a; B b; C c; D d; E e;
  using value_type = tuple<typename std::iterator_traits<A>::value_type, typename std::iterator_traits<B>::value_type, typename std::iterator_traits<C>::value_type, typename std::iterator_traits<D>::value_type, typename std::iterator_traits<E>::value_type>;
  using reference = tuple<decltype(std::declval<A>()[0]), decltype(std::declval<B>()[0]), decltype(std::declval<C>()[0]), decltype(std::declval<D>()[0]), decltype(std::declval<E>()[0])>;
  AI_MODEL zip_iterator(A given_a, B given_b, C given_c, D given_d, E given_e) : a(given_a), b(given_b), c(given_c), d(given_d), e(given_e) {}
  AI_MODEL zip_iterator operator+(ptrdiff_t i) const { return zip_iterator(a + i, b + i, c + i, d + i, e + i); }
  AI_MODEL reference operator[](ptrdiff_t i) const { return reference(a[i], b[i], c[i], d[i], e[i]); }
  AI_MODEL reference operator*() const { return reference(a[0], b[0], c[0], d[0], e[0]); }
  AI_MODEL zip_iterator &operator++() { ++a; ++b; ++c; ++d; ++e; return *this; }
  AI_MODEL bool operator!=(const zip_iterator &other) const { return a != other.a; }
  AI_MODEL ptrdiff_t operator-(const zip_iterator &other) const { return a - other.a; }
};
template <class A, class B, class C, class D, class E> AI_MODEL zip_iterator<tuple<A, B, C, D, E>> make_zip_iterator(const tuple<A, B, C, D, E> &t) {
  return {get<0>(t), get<1>(t), get<2>(t), get<3>(t), get<4>(t)};
}
template <class A, class B, class C, class D, class E> AI_MODEL zip_iterator<tuple<A, B, C, D, E>> make_zip_iterator(A a, B b, C c, D d, E e) { return {a, b, c, d, e}; }
template <class A, class B, class C, class D, class E, class F> struct zip_iterator<tuple<A, B, C, D, E, F>> {
  A a; B b; C c; D d; E e; F f;
  using value_type = tuple<typename std::iterator_traits<A>::value_type, typename std::iterator_traits<B>::value_type, typename std::iterator_traits<C>::value_type, typename std::iterator_traits<D>::value_type, typename std::iterator_traits<E>::value_type, typename std::iterator_traits<F>::value_type>;
  using reference = tuple<decltype(std::declval<A>()[0]), decltype(std::declval<B>()[0]), decltype(std::declval<C>()[0]), decltype(std::declval<D>()[0]), decltype(std::declval<E>()[0]), decltype(std::declval<F>()[0])>;
  AI_MODEL zip_iterator(A given_a, B given_b, C given_c, D given_d, E given_e, F given_f) : a(given_a), b(given_b), c(given_c), d(given_d), e(given_e), f(given_f) {}
  AI_MODEL zip_iterator operator+(ptrdiff_t i) const { return zip_iterator(a + i, b + i, c + i, d + i, e + i, f + i); }
  AI_MODEL reference operator[](ptrdiff_t i) const { return reference(a[i], b[i], c[i], d[i], e[i], f[i]); }
  AI_MODEL reference operator*() const { return reference(a[0], b[0], c[0], d[0], e[0], f[0]); }
  AI_MODEL zip_iterator &operator++() { ++a; ++b; ++c; ++d; ++e; ++f; return *this; }
  AI_MODEL bool operator!=(const zip_iterator &other) const { return a != other.a; }
  AI_MODEL ptrdiff_t operator-(const zip_iterator &other) const { return a - other.a; }
};
template <class A, class B, class C, class D, class E, class F> AI_MODEL zip_iterator<tuple<A, B, C, D, E, F>> make_zip_iterator(const tuple<A, B, C, D, E, F> &t) {
  return {get<0>(t), get<1>(t), get<2>(t), get<3>(t), get<4>(t), get<5>(t)};
}
template <class A, class B, class C, class D, class E, class F> AI_MODEL zip_iterator<tuple<A, B, C, D, E, F>> make_zip_iterator(A a, B b, C c, D d, E e, F f) { return {a, b, c, d, e, f}; }
template <class A, class B, class C, class D, class E, class F, class G> struct zip_iterator<tuple<A, B, C, D, E, F, G>> {
  A a; B b; C c; D d; E e; F f; G g;
  using value_type = tuple<typename std::iterator_traits<A>::value_type, typename std::iterator_traits<B>::value_type, typename std::iterator_traits<C>::value_type, typename std::iterator_traits<D>::value_type, typename std::iterator_traits<E>::value_type, typename std::iterator_traits<F>::value_type, typename std::iterator_traits<G>::value_type>;
  using reference = tuple<decltype(std::declval<A>()[0]), decltype(std::declval<B>()[0]), decltype(std::declval<C>()[0]), decltype(std::declval<D>()[0]), decltype(std::declval<E>()[0]), decltype(std::declval<F>()[0]), decltype(std::declval<G>()[0])>;
  AI_MODEL zip_iterator(A given_a, B given_b, C given_c, D given_d, E given_e, F given_f, G given_g) : a(given_a), b(given_b), c(given_c), d(given_d), e(given_e), f(given_f), g(given_g) {}
  AI_MODEL zip_iterator operator+(ptrdiff_t i) const { return zip_iterator(a + i, b + i, c + i, d + i, e + i, f + i, g + i); }
  AI_MODEL reference operator[](ptrdiff_t i) const { return reference(a[i], b[i], c[i], d[i], e[i], f[i], g[i]); }
  AI_MODEL reference operator*() const { return reference(a[0], b[0], c[0], d[0], e[0], f[0], g[0]); }
  AI_MODEL zip_iterator &operator++() { ++a; ++b; ++c; ++d; ++e; ++f; ++g; return *this; }
  AI_MODEL bool operator!=(const zip_iterator &other) const { return a != other.a; }
  AI_MODEL ptrdiff_t operator-(const zip_iterator &other) const { return a - other.a; }
};
template <class A, class B, class C, class D, class E, class F, class G> AI_MODEL zip_iterator<tuple<A, B, C, D, E, F, G>> make_zip_iterator(const tuple<A, B, C, D, E, F, G> &t) {
  return {get<0>(t), get<1>(t), get<2>(t), get<3>(t), get<4>(t), get<5>(t), get<6>(t)};
}
template <class A, class B, class C, class D, class E, class F, class G> AI_MODEL zip_iterator<tuple<A, B, C, D, E, F, G>> make_zip_iterator(A a, B b, C c, D d, E e, F f, G g) { return {a, b, c, d, e, f, g}; }
template <class A, class B, class C, class D, class E, class F, class G, class H> struct zip_iterator<tuple<A, B, C, D, E, F, G, H>> {
  A a; B b; C c; D d; E e; F f; G g; H h;
  using value_type = tuple<typename std::iterator_traits<A>::value_type, typename std::iterator_traits<B>::value_type, typename std::iterator_traits<C>::value_type, typename std::iterator_traits<D>::value_type, typename std::iterator_traits<E>::value_type, typename std::iterator_traits<F>::value_type, typename std::iterator_traits<G>::value_type, typename std::iterator_traits<H>::value_type>;
  using reference = tuple<decltype(std::declval<A>()[0]), decltype(std::declval<B>()[0]), decltype(std::declval<C>()[0]), decltype(std::declval<D>()[0]), decltype(std::declval<E>()[0]), decltype(std::declval<F>()[0]), decltype(std::declval<G>()[0]), decltype(std::declval<H>()[0])>;
  AI_MODEL zip_iterator(A given_a, B given_b, C given_c, D given_d, E given_e, F given_f, G given_g, H given_h) : a(given_a), b(given_b), c(given_c), d(given_d), e(given_e), f(given_f), g(given_g), h(given_h) {}
  AI_MODEL zip_iterator operator+(ptrdiff_t i) const { return zip_iterator(a + i, b + i, c + i, d + i, e + i, f + i, g + i, h + i); }
  AI_MODEL reference operator[](ptrdiff_t i) const { return reference(a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]); }
  AI_MODEL reference operator*() const { return reference(a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0]); }
  AI_MODEL zip_iterator &operator++() { ++a; ++b; ++c; ++d; ++e; ++f; ++g; ++h; return *this; }
  AI_MODEL bool operator!=(const zip_iterator &other) const { return a != other.a; }
  AI_MODEL ptrdiff_t operator-(const zip_iterator &other) const { return a - other.a; }
};
template <class A, class B, class C, class D, class E, class F, class G, class H> AI_MODEL zip_iterator<tuple<A, B, C, D, E, F, G, H>> make_zip_iterator(const tuple<A, B, C, D, E, F, G, H> &t) {
  return {get<0>(t), get<1>(t), get<2>(t), get<3>(t), get<4>(t), get<5>(t), get<6>(t), get<7>(t)};
}
template <class A, class B, class C, class D, class E, class F, class G, class H> AI_MODEL zip_iterator<tuple<A, B, C, D, E, F, G, H>> make_zip_iterator(A a, B b, C c, D d, E e, F f, G g, H h) { return {a, b, c, d, e, f, g, h}; }
template <class F> struct zip_function {
  F f;
  AI_MODEL zip_function(F given) : f(given) {}
  template <class T> AI_MODEL auto operator()(const T &t) const { return std::apply(f, t); }
};
template <class F> AI_MODEL zip_function<F> make_zip_function(F f) { return {f}; }
struct discard_iterator { template <class... A> discard_iterator(A...); };

// Algorithms.
template <class I, class F> AI_MODEL I for_each(I first, I last, F f) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) f(first[i]);
  return last;
}
template <class I, class N, class F> AI_MODEL I for_each_n(I first, N n, F f) {
#pragma omp parallel for library(Thrust)
  for (N i = 0; i < n; ++i) f(first[i]);
  return first;
}
template <class I, class T> AI_MODEL void fill(I first, I last, T value) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) first[i] = value;
}
template <class I, class N, class T> AI_MODEL void fill_n(I first, N n, T value) {
#pragma omp parallel for library(Thrust)
  for (N i = 0; i < n; ++i) first[i] = value;
}
template <class I> AI_MODEL void sequence(I first, I last) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) first[i] = i;
}
template <class I, class T> AI_MODEL void sequence(I first, I last, T from) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) first[i] = from + T(i);
}
template <class I, class F> AI_MODEL void tabulate(I first, I last, F f) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) first[i] = f(i);
}
template <class I, class F> AI_MODEL void generate(I first, I last, F f) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) first[i] = f();
}
template <class I, class O> AI_MODEL O copy(I first, I last, O out) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) out[i] = first[i];
  return out + n;
}
template <class I, class N, class O> AI_MODEL O copy_n(I first, N n, O out) {
#pragma omp parallel for library(Thrust)
  for (N i = 0; i < n; ++i) out[i] = first[i];
  return out + n;
}
template <class I, class O, class F> AI_MODEL O transform(I first, I last, O out, F f) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) out[i] = f(first[i]);
  return out + n;
}
template <class I, class J, class O, class F> AI_MODEL O transform(I first, I last, J second, O out, F f) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) out[i] = f(first[i], second[i]);
  return out + n;
}
template <class I, class J, class O> AI_MODEL O gather(I first, I last, J from, O out) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) out[i] = from[first[i]];
  return out + n;
}
template <class I, class J, class O> AI_MODEL void scatter(I first, I last, J to, O out) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) out[to[i]] = first[i];
}
template <class I, class T, class F> AI_MODEL T reduce(I first, I last, T sum, F f) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) sum = f(sum, first[i]);
  return sum;
}
template <class I, class T> AI_MODEL T reduce(I first, I last, T sum) { return thrust::reduce(first, last, sum, std::plus<T>()); }
template <class I> AI_MODEL auto reduce(I first, I last) {
  return thrust::reduce(first, last, typename std::iterator_traits<I>::value_type(), std::plus<>());
}
template <class I, class G, class T, class F> AI_MODEL T transform_reduce(I first, I last, G g, T sum, F f) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) sum = f(sum, g(first[i]));
  return sum;
}
template <class I, class J, class T> AI_MODEL T inner_product(I first, I last, J second, T sum) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) sum = sum + first[i] * second[i];
  return sum;
}
template <class I, class J, class T, class F, class G> AI_MODEL T inner_product(I first, I last, J second, T sum, F f, G g) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) sum = f(sum, g(first[i], second[i]));
  return sum;
}
template <class I, class O> AI_MODEL O inclusive_scan(I first, I last, O out) { return std::inclusive_scan(first, last, out); }
template <class I, class O, class F> AI_MODEL O inclusive_scan(I first, I last, O out, F f) { return std::inclusive_scan(first, last, out, f); }
template <class I, class O> AI_MODEL O exclusive_scan(I first, I last, O out) {
  return std::exclusive_scan(first, last, out, typename std::iterator_traits<I>::value_type());
}
template <class I, class O, class T> AI_MODEL O exclusive_scan(I first, I last, O out, T sum) { return std::exclusive_scan(first, last, out, sum); }
template <class I, class O> AI_MODEL O adjacent_difference(I first, I last, O out) { return std::adjacent_difference(first, last, out); }
template <class I, class T> AI_MODEL ptrdiff_t count(I first, I last, const T &value) { return std::count(first, last, value); }
template <class I, class F> AI_MODEL ptrdiff_t count_if(I first, I last, F f) { return std::count_if(first, last, f); }
template <class I> AI_MODEL I min_element(I first, I last) { return std::min_element(first, last); }
template <class I> AI_MODEL I max_element(I first, I last) { return std::max_element(first, last); }
template <class I> AI_MODEL void sort(I first, I last) { std::sort(first, last); }
template <class I, class C> AI_MODEL void sort(I first, I last, C less) { std::sort(first, last, less); }
template <class I> AI_MODEL void stable_sort(I first, I last) { std::sort(first, last); }
template <class I, class C> AI_MODEL void stable_sort(I first, I last, C less) { std::sort(first, last, less); }
template <class I, class J, class C> AI_MODEL void sort_by_key(I first, I last, J second, C less) {
  const ptrdiff_t n = last - first;
  std::sort(first, last, less);
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) second[i] = second[i];
}
template <class I, class J> AI_MODEL void sort_by_key(I first, I last, J second) { thrust::sort_by_key(first, last, second, std::less<>()); }
template <class I, class J, class... C> AI_MODEL void stable_sort_by_key(I first, I last, J second, C... less) {
  thrust::sort_by_key(first, last, second, less...);
}
template <class I, class J, class O, class P, class... A> pair<O, P> reduce_by_key(I, I, J, O, P, A...);
template <class I, class J, class K, class O, class... A> void gather_if(I, I, J, K, O, A...);
template <class I, class J, class K, class O, class... A> void scatter_if(I, I, J, K, O, A...);
template <class I, class... A> I unique(I, I, A...);
template <class I, class J, class... A> pair<I, J> unique_by_key(I, I, J, A...);
template <class I, class O, class... A> O unique_copy(I, I, O, A...);
template <class I, class J, class O, class P, class... A> pair<O, P> unique_by_key_copy(I, I, J, O, P, A...);
template <class I, class O, class... A> O remove_copy(I, I, O, A...);
template <class I, class O, class... A> O remove_copy_if(I, I, O, A...);
template <class I, class... A> I stable_partition(I, I, A...);
template <class I, class... A> I partition_point(I, I, A...);
template <class I, class O, class P, class... A> pair<O, P> partition_copy(I, I, O, P, A...);
template <class I, class... A> pair<I, I> minmax_element(I, I, A...);
template <class I, class... A> pair<I, I> equal_range(I, I, A...);
template <class I, class... A> bool binary_search(I, I, A...);
template <class I, class J, class O, class... A> O merge(I, I, J, J, O, A...);
template <class I, class J, class O, class... A> O set_union(I, I, J, J, O, A...);
template <class I, class J, class O, class... A> O set_intersection(I, I, J, J, O, A...);
template <class I, class J, class O, class... A> O set_difference(I, I, J, J, O, A...);
template <class... A> void inclusive_scan_by_key(A...);
template <class... A> void exclusive_scan_by_key(A...);
template <class... A> void transform_inclusive_scan(A...);
template <class... A> void transform_exclusive_scan(A...);
template <class... A> void transform_if(A...);
template <class... A> void merge_by_key(A...);
template <class I> ptrdiff_t distance(I, I);
template <class I> void advance(I &, ptrdiff_t);
template <class I, class... A> I find_if(I, I, A...);
template <class I, class... A> I find_if_not(I, I, A...);
template <class I, class J, class... A> pair<I, J> mismatch(I, I, J, A...);
template <class I, class J, class... A> bool equal(I, I, J, A...);
template <class I, class F> AI_MODEL bool all_of(I first, I last, F f) { return std::count_if(first, last, f) == last - first; }
template <class I, class F> AI_MODEL bool any_of(I first, I last, F f) { return std::count_if(first, last, f) > 0; }
template <class I, class F> AI_MODEL bool none_of(I first, I last, F f) { return std::count_if(first, last, f) == 0; }
template <class I, class T> AI_MODEL void replace(I first, I last, T old, T value) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) if (first[i] == old) first[i] = value;
}
template <class I, class F, class T> AI_MODEL void replace_if(I first, I last, F f, T value) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) if (f(first[i])) first[i] = value;
}
template <class I, class O> AI_MODEL void reverse_copy(I first, I last, O out) {
  const ptrdiff_t n = last - first;
#pragma omp parallel for library(Thrust)
  for (ptrdiff_t i = 0; i < n; ++i) out[i] = first[n - 1 - i];
}
template <class I> void reverse(I, I);
template <class... A> void uninitialized_fill(A...);
template <class I, class... A> I remove(I, I, A...);
template <class I, class... A> I remove_if(I, I, A...);
template <class I, class... A> I partition(I, I, A...);
template <class I, class O, class... A> O copy_if(I, I, O, A...);
template <class I, class... A> I lower_bound(I, I, A...);
template <class I, class... A> I upper_bound(I, I, A...);
template <class I, class T> I find(I, I, const T &);
template <class I, class... A> bool is_sorted(I, I, A...);
template <class F> struct ai_not { F f; template <class... A> AI_MODEL bool operator()(A... a) const { return !f(a...); } };
template <class F> AI_MODEL ai_not<F> not_fn(F f) { return {f}; }
template <class F> AI_MODEL ai_not<F> not1(F f) { return {f}; }
#define AI_POLICY(name) \
  template <class P, std::ai_if_policy<P> = 0, class... A> AI_MODEL auto name(P &&, A... given) { return thrust::name(given...); }
AI_POLICY(for_each) AI_POLICY(for_each_n) AI_POLICY(fill) AI_POLICY(fill_n) AI_POLICY(sequence)
AI_POLICY(tabulate) AI_POLICY(generate) AI_POLICY(copy) AI_POLICY(copy_n) AI_POLICY(transform)
AI_POLICY(gather) AI_POLICY(scatter) AI_POLICY(reduce) AI_POLICY(transform_reduce)
AI_POLICY(inner_product) AI_POLICY(inclusive_scan) AI_POLICY(exclusive_scan) AI_POLICY(count)
AI_POLICY(sort_by_key) AI_POLICY(stable_sort_by_key) AI_POLICY(count_if) AI_POLICY(min_element) AI_POLICY(max_element) AI_POLICY(sort) AI_POLICY(unique)
AI_POLICY(remove) AI_POLICY(remove_if) AI_POLICY(partition) AI_POLICY(copy_if) AI_POLICY(stable_sort)
AI_POLICY(lower_bound) AI_POLICY(upper_bound) AI_POLICY(reduce_by_key)
AI_POLICY(unique_by_key) AI_POLICY(unique_copy) AI_POLICY(remove_copy_if) AI_POLICY(stable_partition)
AI_POLICY(minmax_element) AI_POLICY(merge) AI_POLICY(find) AI_POLICY(find_if) AI_POLICY(all_of) AI_POLICY(any_of)
AI_POLICY(none_of) AI_POLICY(replace) AI_POLICY(replace_if) AI_POLICY(equal) AI_POLICY(is_sorted) AI_POLICY(reverse)
AI_POLICY(adjacent_difference) AI_POLICY(gather_if) AI_POLICY(scatter_if)
#undef AI_POLICY
namespace placeholders { using namespace std::placeholders; }
}
#ifdef __CUDACC__
#pragma clang force_cuda_host_device end
#endif
