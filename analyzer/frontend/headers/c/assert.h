#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) ((void)(__VA_ARGS__))
#endif
#ifndef __cplusplus
#define static_assert _Static_assert
#endif
