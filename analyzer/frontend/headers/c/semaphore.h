#pragma once
typedef struct { long state[4]; } sem_t;
int sem_init(sem_t *, int, unsigned), sem_wait(sem_t *), sem_trywait(sem_t *), sem_post(sem_t *), sem_destroy(sem_t *);
int sem_getvalue(sem_t *, int *);
