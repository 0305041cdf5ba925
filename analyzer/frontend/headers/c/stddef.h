#pragma once
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long double max_align_t;
#ifdef __cplusplus
#define NULL __null
#else
typedef __WCHAR_TYPE__ wchar_t;
#define NULL ((void *)0)
#endif
#define offsetof(type, member) __builtin_offsetof(type, member)
