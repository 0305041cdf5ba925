#pragma once
#include <time.h>
typedef unsigned long thrd_t;
typedef struct { long state[5]; } mtx_t, cnd_t;
typedef unsigned tss_t;
typedef int once_flag;
typedef int (*thrd_start_t)(void *);
#ifndef __cplusplus
#define thread_local _Thread_local
#endif
#define ONCE_FLAG_INIT 0
enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
enum { mtx_plain, mtx_recursive, mtx_timed };
void __ai_c_thread(void);
// A thread runs its function where it is made.
__attribute__((annotate("model"))) static inline int thrd_create(thrd_t *thread, thrd_start_t run, void *given) {
  __ai_c_thread();
  run(given);
  return 0;
}
int thrd_join(thrd_t, int *), thrd_detach(thrd_t), thrd_equal(thrd_t, thrd_t), thrd_sleep(const struct timespec *, struct timespec *);
thrd_t thrd_current(void);
void thrd_yield(void), thrd_exit(int), call_once(once_flag *, void (*)(void));
int mtx_init(mtx_t *, int), mtx_lock(mtx_t *), mtx_unlock(mtx_t *), mtx_trylock(mtx_t *);
void mtx_destroy(mtx_t *);
int cnd_init(cnd_t *), cnd_signal(cnd_t *), cnd_broadcast(cnd_t *), cnd_wait(cnd_t *, mtx_t *);
void cnd_destroy(cnd_t *);
