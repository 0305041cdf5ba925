#pragma once
#include <cstddef>
namespace camp {
template <class... T> struct list {
  using type = list;
  static constexpr std::ptrdiff_t size = sizeof...(T);
};
}
