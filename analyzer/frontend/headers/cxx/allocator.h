#pragma once
#include <cstddef>
namespace std {
template <class T> struct allocator {
  using value_type = T;
  using pointer = T *;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  allocator() noexcept;
  template <class U> allocator(const allocator<U> &) noexcept;
  template <class U> struct rebind { using other = allocator<U>; };
  T *allocate(size_t, const void * = nullptr);
  void deallocate(T *, size_t);
};
template <class A> struct allocator_traits {
  using value_type = typename A::value_type;
  using pointer = value_type *;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  template <class T> using rebind_alloc = typename A::template rebind<T>::other;
  static pointer allocate(A &a, size_t n) { return a.allocate(n); }
  static void deallocate(A &a, pointer at, size_t n) { a.deallocate(at, n); }
  template <class T, class... B> static void construct(A &, T *at, B &&...given) { *at = T(static_cast<B &&>(given)...); }
  template <class T> static void destroy(A &, T *) {}
};
}
