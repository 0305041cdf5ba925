#pragma once
#include <stddef.h>
void *alloca(size_t);
#define alloca(size) __builtin_alloca(size)
