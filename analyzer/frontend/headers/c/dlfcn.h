#pragma once
int dlclose(void *);
void *dlopen(const char *, int), *dlsym(void *, const char *);
#define RTLD_LAZY 1
#define RTLD_NOW 2
