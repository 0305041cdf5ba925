#pragma once
#include <sched.h>
#include <time.h>
typedef unsigned long pthread_t;
typedef struct { long state[7]; } pthread_attr_t, pthread_mutexattr_t, pthread_condattr_t, pthread_barrierattr_t;
typedef struct { long state[5]; } pthread_mutex_t, pthread_cond_t, pthread_barrier_t, pthread_rwlock_t;
typedef unsigned pthread_key_t;
typedef int pthread_once_t, pthread_spinlock_t;
#define PTHREAD_MUTEX_INITIALIZER {{0}}
#define PTHREAD_COND_INITIALIZER {{0}}
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
void __ai_pthread(void);
// A thread runs its function where it is made.
__attribute__((annotate("model"))) static inline int pthread_create(
    pthread_t *thread, const pthread_attr_t *with, void *(*run)(void *), void *given) {
  __ai_pthread();
  run(given);
  return 0;
}
int pthread_join(pthread_t, void **);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *), pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *), pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *), pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *), pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *), pthread_cond_destroy(pthread_cond_t *);
int pthread_barrier_init(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned);
int pthread_barrier_wait(pthread_barrier_t *), pthread_barrier_destroy(pthread_barrier_t *);
int pthread_attr_init(pthread_attr_t *), pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_setscope(pthread_attr_t *, int), pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_attr_setdetachstate(pthread_attr_t *, int), pthread_detach(pthread_t), pthread_once(pthread_once_t *, void (*)(void));
int pthread_setaffinity_np(pthread_t, size_t, const cpu_set_t *);
pthread_t pthread_self(void);
void pthread_exit(void *);
