#pragma once
#include <stddef.h>
#include <sys/ipc.h>
struct shmid_ds { size_t shm_segsz; };
#define SHM_HUGETLB 2048
#define SHM_RDONLY 4096
int shmget(key_t, size_t, int), shmdt(const void *), shmctl(int, int, struct shmid_ds *);
void *shmat(int, const void *, int);
