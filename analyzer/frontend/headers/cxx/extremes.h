#pragma once
#include <ai_model.h>
namespace std {
template <bool> struct ai_only {};
template <> struct ai_only<true> { using type = int; };
// Of numbers it is one operation, of objects what their operator does.
template <class T, typename ai_only<!__is_class(T)>::type = 0> constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T, typename ai_only<!__is_class(T)>::type = 0> constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T, typename ai_only<__is_class(T)>::type = 0> AI_MODEL constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T, typename ai_only<__is_class(T)>::type = 0> AI_MODEL constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
}
