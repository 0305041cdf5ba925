#pragma once
#include <stddef.h>
#ifndef __cplusplus
typedef unsigned short char16_t;
typedef unsigned char32_t;
#endif
