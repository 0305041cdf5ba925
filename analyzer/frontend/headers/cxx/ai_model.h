#pragma once
#include <type_traits>
// What a function of the library does, in source: it is inlined like a function of the user.
#define AI_MODEL __attribute__((annotate("model")))
namespace std {
struct ai_policy {};
template <class P> using ai_if_policy = enable_if_t<is_base_of<ai_policy, remove_cvref_t<P>>::value, int>;
}
// The overload with an execution policy in front; the names it forwards to are declared before.
#define AI_WITH_POLICY(name) \
  template <class P, ai_if_policy<P> = 0, class... A> AI_MODEL auto name(P &&, A... given) { return name(given...); }
