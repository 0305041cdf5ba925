#pragma once
#include <cstddef>
#include <type_traits>
namespace camp {
using idx_t = std::ptrdiff_t;
template <class T, T V> using integral_constant = std::integral_constant<T, V>;
template <idx_t N> using num = std::integral_constant<idx_t, N>;
}
