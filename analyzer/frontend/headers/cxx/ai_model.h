#pragma once
#include <type_traits>
// What a function of the library does, in source: it is inlined like a function of the user.
#define AI_MODEL __attribute__((annotate("model")))
extern "C" void __ai_parallel();  // the loops of the function that calls it run on several cores
namespace std {
struct ai_policy { static constexpr bool ai_is_parallel = false; };
template <class P> using ai_if_policy = enable_if_t<is_base_of<ai_policy, remove_cvref_t<P>>::value, int>;
}
// The overload with an execution policy in front; the names it forwards to are declared before.
#define AI_WITH_POLICY(name) \
  template <class P, ai_if_policy<P> = 0, class... A> AI_MODEL auto name(P &&, A... given) { \
    if constexpr (remove_cvref_t<P>::ai_is_parallel) __ai_parallel(); \
    return ::std::name(given...); \
  }
