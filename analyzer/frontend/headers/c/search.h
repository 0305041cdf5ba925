#pragma once
#include <stddef.h>
typedef struct entry { char *key; void *data; } ENTRY;
typedef enum { FIND, ENTER } ACTION;
int hcreate(size_t);
void hdestroy(void);
ENTRY *hsearch(ENTRY, ACTION);
void *tsearch(const void *, void **, int (*)(const void *, const void *)), *tfind(const void *, void *const *, int (*)(const void *, const void *));
