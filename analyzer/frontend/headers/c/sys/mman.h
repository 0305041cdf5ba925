#pragma once
#include <sys/types.h>
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 32
#define MAP_HUGETLB 0x40000
#define MAP_FAILED ((void *)-1)
#define MADV_HUGEPAGE 14
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t), madvise(void *, size_t, int), mlock(const void *, size_t);
