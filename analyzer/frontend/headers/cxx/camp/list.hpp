#pragma once
#include <cstddef>
#include <type_traits>
namespace camp {
template <class... T> struct list {
  using type = list;
  static constexpr std::ptrdiff_t size = sizeof...(T);
};
template <class L> struct size;
template <class... T> struct size<list<T...>> : std::integral_constant<std::ptrdiff_t, sizeof...(T)> {};
}
