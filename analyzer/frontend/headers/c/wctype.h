#pragma once
#include <wchar.h>
typedef unsigned long wctype_t;
int iswalpha(wint_t), iswdigit(wint_t), iswspace(wint_t), iswupper(wint_t), iswlower(wint_t), iswalnum(wint_t), iswprint(wint_t);
wint_t towupper(wint_t), towlower(wint_t);
