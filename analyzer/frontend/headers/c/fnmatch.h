#pragma once
#define FNM_PATHNAME 1
#define FNM_NOMATCH 1
int fnmatch(const char *, const char *, int);
