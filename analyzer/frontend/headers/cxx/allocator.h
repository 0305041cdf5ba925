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
};
}
