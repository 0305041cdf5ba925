#pragma once
#include <stdio.h>
typedef unsigned wint_t;
size_t wcslen(const wchar_t *);
int wprintf(const wchar_t *, ...);
