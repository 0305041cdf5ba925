#pragma once
#include <sys/types.h>
ssize_t getrandom(void *, size_t, unsigned);
