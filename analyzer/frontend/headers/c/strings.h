#pragma once
#include <string.h>
int ffs(int), ffsl(long), ffsll(long long);
