#pragma once
#include <stdint.h>
typedef enum { memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release,
  memory_order_acq_rel, memory_order_seq_cst } memory_order;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_size_t, atomic_ulong;
typedef _Atomic(_Bool) atomic_bool, atomic_flag;
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT 0
#define atomic_load(p) (*(p))
#define atomic_store(p, v) (*(p) = (v))
#define atomic_init(p, v) (*(p) = (v))
#define atomic_fetch_add(p, v) (*(p) += (v))
#define atomic_fetch_sub(p, v) (*(p) -= (v))
#define atomic_load_explicit(p, o) (*(p))
#define atomic_store_explicit(p, v, o) (*(p) = (v))
#define atomic_fetch_add_explicit(p, v, o) (*(p) += (v))
#define atomic_thread_fence(o) ((void)(o))
