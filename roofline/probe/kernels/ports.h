/* Ports at each width, the front end, and the clock while vectors are computed. */
#ifndef PROBE_PORTS_H
#define PROBE_PORTS_H

#include "arithmetic.h"
#include "streams.h"
#include "vectors.h"

#define WIDTH 64
#include "width.h"
#define WIDTH 128
#include "width.h"
/* Vectors of half the width have registers of their own on x86 alone: those of SVE are of one width. */
#if VECTOR_BYTES == 32 || (VECTOR_BYTES == 64 && defined(__AVX512F__))
#define HAS_WIDTH_256 1
#define WIDTH 256
#include "width.h"
#endif
#if VECTOR_BYTES == 64
#define HAS_WIDTH_512 1
#define WIDTH 512
#include "width.h"
#endif

#define PORT_WORK (1.0 * BLOCK * CHAINS)
#define MOVE_WORK(W) (1.0 * (BLOCK / 64) * (4096 / ((W) / 8)))

/* More integer additions, loads and vector operations than a core can start: four, two and two in a group, which the
   ports of all cores known to us execute faster than their front end hands them on. None waits for another. */
typedef uint64_t word_pair __attribute__((vector_size(16)));
#define INTEGER(k) r##k += s; __asm__ volatile("" : "+r"(r##k));
#define WORD(k) do { uint64_t x = p[k]; __asm__ volatile("" : : "r"(x) : "memory"); } while (0);
#define PAIR do { word_pair x = u ^ v; KEEP(x); OPAQUE(u); } while (0);
#define GROUP(a, b, c, d) INTEGER(a) WORD(0) PAIR INTEGER(b) INTEGER(c) WORD(1) PAIR INTEGER(d)
#define TWO_GROUPS GROUP(0, 1, 2, 3) GROUP(4, 5, 6, 7)
static __attribute__((noinline)) void issue(void) {
  static _Thread_local uint64_t words[2] = {1, 2};
  uint64_t *p = words, s = 3, r0 = 0, r1 = 1, r2 = 2, r3 = 3, r4 = 4, r5 = 5, r6 = 6, r7 = 7;
  word_pair u = {1, 2}, v = {3, 4};
  __asm__ volatile("" : "+r"(p), "+r"(s));
  OPAQUE(u);
  OPAQUE(v);
  for (int turn = 0; turn < BLOCK; turn++) { TWO_GROUPS TWO_GROUPS TWO_GROUPS TWO_GROUPS }
}
#define ISSUE_WORK (64.0 * BLOCK)

/* Additions of integers that wait for no other: in vectors of full width, and one by one. */
typedef uint64_t word_full __attribute__((vector_size(VECTOR_BYTES)));
#define WORDS_START(k) word_full x##k = x + (uint64_t)(k);
#define WORDS_ADD(k) x##k += d; OPAQUE(x##k);
static __attribute__((noinline)) void integers_full(void) {
  word_full zero = {0}, x = zero + 1, d = zero + 3;
  OPAQUE(x);
  OPAQUE(d);
  ALL2(WORDS_START)
  for (int turn = 0; turn < BLOCK; turn++) { ALL2(WORDS_ADD) }
  ALL2(FINISH)
}

static __attribute__((noinline)) void integers_single(void) {
  uint64_t s = 3, r0 = 0, r1 = 1, r2 = 2, r3 = 3, r4 = 4, r5 = 5, r6 = 6, r7 = 7;
  __asm__ volatile("" : "+r"(s));
#define INTEGERS EACH(INTEGER)
  for (int turn = 0; turn < BLOCK; turn++) { INTEGERS INTEGERS INTEGERS INTEGERS }
#undef INTEGERS
}

/* FMAs that fill their units beside a chain of additions of registers. Where the chain takes a little longer than the
   FMAs, its rate is the clock under their load; where it takes less, it waits for them. */
#define TICK t += k; __asm__ volatile("" : "+r"(t));
#define TICKS_4 TICK TICK TICK TICK
#define TICKS_7 TICKS_4 TICK TICK TICK
#define TICKS_13 TICKS_7 TICKS_4 TICK TICK
#define TICKS_26 TICKS_13 TICKS_13
#define UNDER_START(n) UNDER_VECTOR x##n = x + (double)(n);
#define UNDER_FMA(n) x##n = x##n * m + x##n; OPAQUE(x##n);
#define UNDER_FUNCTION(NAME, TICKS)                                \
  static __attribute__((noinline)) void NAME(void) {               \
    UNDER_VECTOR zero = {0}, x = zero + 1.1, m = zero - 0.001;     \
    static _Thread_local uint64_t carried = 1;                     \
    uint64_t t = carried, k = 3;                                   \
    OPAQUE(x);                                                     \
    OPAQUE(m);                                                     \
    __asm__ volatile("" : "+r"(t), "+r"(k));                       \
    ALL2(UNDER_START)                                              \
    for (int turn = 0; turn < BLOCK; turn++) { ALL2(UNDER_FMA) TICKS } \
    ALL2(FINISH)                                                   \
    carried = t;                                                   \
  }
#define UNDER_VECTOR vector64
UNDER_FUNCTION(clock_full_4, TICKS_4)
UNDER_FUNCTION(clock_full_7, TICKS_7)
UNDER_FUNCTION(clock_full_13, TICKS_13)
UNDER_FUNCTION(clock_full_26, TICKS_26)
#undef UNDER_VECTOR
#undef TICK

#endif
