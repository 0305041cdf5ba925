#pragma once
#define LC_ALL 6
#define LC_NUMERIC 1
char *setlocale(int, const char *);
