#undef assert
#define assert(...) ((void)0)
#ifndef __cplusplus
#define static_assert _Static_assert
#endif
