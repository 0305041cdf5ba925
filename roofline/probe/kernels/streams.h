/* Streams over one, two or three arrays of n vectors; n is a multiple of STREAM_STEP. */
#ifndef PROBE_STREAMS_H
#define PROBE_STREAMS_H

#include <stddef.h>

#include "vectors.h"

#define STREAM_STEP 8
#define EACH(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#define PAIRS(M) M(0, 1) M(2, 3) M(4, 5) M(6, 7)
#define STREAM_LOOP for (size_t i = 0; i < n; i += STREAM_STEP)
#define NOINLINE __attribute__((noinline))

typedef void stream(vector64 *a, vector64 *b, vector64 *c, size_t n);

static NOINLINE void stream_load(vector64 *a, vector64 *b, vector64 *c, size_t n) {
  (void)b, (void)c;
#define STEP(k) vector64 x##k = a[i + k]; KEEP(x##k);
  STREAM_LOOP { EACH(STEP) }
#undef STEP
}

/* The same one by one: as many cycles more as the width of the loads costs, where these overlap with transfers. */
static NOINLINE void stream_load_single(vector64 *a, vector64 *b, vector64 *c, size_t n) {
  (void)b, (void)c;
  const double *p = (const double *)a;
#define STEP(k) double x##k = p[i + k]; KEEP(x##k);
  for (size_t i = 0; i < n * (sizeof(vector64) / sizeof(double)); i += 8) { EACH(STEP) }
#undef STEP
}

static NOINLINE void stream_store(vector64 *a, vector64 *b, vector64 *c, size_t n) {
  (void)b, (void)c;
  vector64 x = {1.0};
  OPAQUE(x);
#define STEP(k) a[i + k] = x;
  STREAM_LOOP { EACH(STEP) __asm__ volatile("" : : : "memory"); }
#undef STEP
}

static NOINLINE void stream_update(vector64 *a, vector64 *b, vector64 *c, size_t n) {
  (void)b, (void)c;
  vector64 s = {0};
  s += 1.0;
  OPAQUE(s);
#define STEP(k) a[i + k] = s * a[i + k];
  STREAM_LOOP { EACH(STEP) }
#undef STEP
}

static NOINLINE void stream_copy(vector64 *restrict a, vector64 *restrict b, vector64 *c, size_t n) {
  (void)c;
#define LOAD(k) vector64 x##k = b[i + k]; OPAQUE(x##k);
#define STORE(k) a[i + k] = x##k;
  STREAM_LOOP { EACH(LOAD) EACH(STORE) }
#undef LOAD
#undef STORE
}

static NOINLINE void stream_triad(vector64 *restrict a, vector64 *restrict b, vector64 *restrict c, size_t n) {
  vector64 s = {0};
  s += 0.42;
  OPAQUE(s);
#define STEP(k) a[i + k] = b[i + k] + s * c[i + k];
  STREAM_LOOP { EACH(STEP) }
#undef STEP
}

static NOINLINE void stream_store_past(vector64 *a, vector64 *b, vector64 *c, size_t n) {
  (void)b, (void)c;
  vector64 x = {1.0};
  OPAQUE(x);
#define STEP(k, l) STREAM_PAIR(a + i + k, x, x);
  STREAM_LOOP { PAIRS(STEP) }
#undef STEP
  STREAM_FENCE();
}

static NOINLINE void stream_copy_past(vector64 *restrict a, vector64 *restrict b, vector64 *c, size_t n) {
  (void)c;
#define LOAD(k) vector64 x##k = b[i + k]; OPAQUE(x##k);
#define STORE(k, l) STREAM_PAIR(a + i + k, x##k, x##l);
  STREAM_LOOP { EACH(LOAD) PAIRS(STORE) }
#undef LOAD
#undef STORE
  STREAM_FENCE();
}

static NOINLINE void stream_triad_past(vector64 *restrict a, vector64 *restrict b, vector64 *restrict c, size_t n) {
  vector64 s = {0};
  s += 0.42;
  OPAQUE(s);
#define LOAD(k) vector64 x##k = b[i + k] + s * c[i + k];
#define STORE(k, l) STREAM_PAIR(a + i + k, x##k, x##l);
  STREAM_LOOP { EACH(LOAD) PAIRS(STORE) }
#undef LOAD
#undef STORE
  STREAM_FENCE();
}

/* Goes down the first columns of a matrix whose rows are so many bytes apart; no load waits for another one. */
#define COLUMNS 8
static NOINLINE void columns(const void *start, size_t rows, size_t apart) {
  for (size_t j = 0; j < COLUMNS; j++) {
    const char *p = (const char *)start + j * sizeof(double);
    for (size_t i = 0; i < rows; i++, p += apart) {
      double x = *(const double *)p;
      KEEP(x);
    }
  }
}

/* Follows a chain of addresses; each load waits for the one before. */
static NOINLINE void *chase(void *start, size_t steps) {
  void **p = start;
  for (size_t i = 0; i < steps; i++) p = *p;
  return p;
}

#endif
