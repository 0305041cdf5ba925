#pragma once
#include <stddef.h>
typedef struct { size_t gl_pathc; char **gl_pathv; size_t gl_offs; } glob_t;
enum { GLOB_ERR = 1, GLOB_MARK = 2, GLOB_NOSORT = 4, GLOB_NOSPACE = 1, GLOB_ABORTED = 2, GLOB_NOMATCH = 3 };
int glob(const char *, int, int (*)(const char *, int), glob_t *);
void globfree(glob_t *);
