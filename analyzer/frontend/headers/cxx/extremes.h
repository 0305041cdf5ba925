#pragma once
namespace std {
template <class T> constexpr const T &min(const T &, const T &);
template <class T> constexpr const T &max(const T &, const T &);
}
