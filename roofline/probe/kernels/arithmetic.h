/* Independent chains that fill the arithmetic units, and single chains that wait out a latency.

   Every function runs BLOCK turns and starts from the same values, so that nothing overflows or turns denormal. */
#ifndef PROBE_ARITHMETIC_H
#define PROBE_ARITHMETIC_H

#include <stddef.h>
#include <stdint.h>

#include "vectors.h"

#define BLOCK 1024

#define HALF(M) M(0) M(1) M(2) M(3) M(4) M(5)
#define OTHER(M) M(6) M(7) M(8) M(9) M(10) M(11)
#if VECTOR_REGISTERS >= 32
#define CHAINS 24
#define HALF2(M) HALF(M) M(12) M(13) M(14) M(15) M(16) M(17)
#define OTHER2(M) OTHER(M) M(18) M(19) M(20) M(21) M(22) M(23)
#else
#define CHAINS 12
#define HALF2(M) HALF(M)
#define OTHER2(M) OTHER(M)
#endif
#define ALL2(M) HALF2(M) OTHER2(M)

#define START(k) x##k = x + (SCALAR)(k);
#define DECLARE(k) VECTOR x##k;
#define FINISH(k) KEEP(x##k);
#define FMA(k) x##k = x##k * n + x##k; /* a form that needs no copy where the sum is overwritten */
#define MULTIPLY(k) x##k = x##k * m;
#define ADD(k) x##k = x##k + d;
#define CHAIN_FUNCTION(NAME, FIRST, SECOND)                        \
  static __attribute__((noinline)) void NAME(void) {               \
    VECTOR x = {0}, m = {0}, d = {0}, n = {0};                     \
    x += (SCALAR)1.1, m += (SCALAR)0.999, d += (SCALAR)0.001, n -= (SCALAR)0.001; \
    OPAQUE(x);                                                     \
    OPAQUE(m);                                                     \
    OPAQUE(d);                                                     \
    OPAQUE(n);                                                     \
    ALL2(DECLARE)                                                  \
    ALL2(START)                                                    \
    for (int turn = 0; turn < BLOCK; turn++) {                     \
      FIRST SECOND                                                 \
    }                                                              \
    ALL2(FINISH)                                                   \
  }

#define VECTOR vector64
#define SCALAR double
CHAIN_FUNCTION(fma64, HALF2(FMA), OTHER2(FMA))
CHAIN_FUNCTION(mix64, HALF2(MULTIPLY), OTHER2(ADD))
CHAIN_FUNCTION(add64, HALF2(ADD), OTHER2(ADD))
CHAIN_FUNCTION(mul64, HALF2(MULTIPLY), OTHER2(MULTIPLY))
#undef VECTOR
#undef SCALAR
#define VECTOR vector32
#define SCALAR float
CHAIN_FUNCTION(fma32, HALF2(FMA), OTHER2(FMA))
CHAIN_FUNCTION(mix32, HALF2(MULTIPLY), OTHER2(ADD))
CHAIN_FUNCTION(add32, HALF2(ADD), OTHER2(ADD))
CHAIN_FUNCTION(mul32, HALF2(MULTIPLY), OTHER2(MULTIPLY))
#undef VECTOR
#undef SCALAR

/* One operation after the other. Each call takes up where the last one ended: chains that start anew would overlap, as
   many instructions of them as the core looks ahead. */
#define LATENCY_FUNCTION(NAME, EXPRESSION)                         \
  static __attribute__((noinline)) void NAME(void) {               \
    static _Thread_local double carried = 1.1;                     \
    double x = carried, m = 0.999, d = 0.731, u = 1.0;             \
    OPAQUE(x);                                                     \
    OPAQUE(m);                                                     \
    OPAQUE(d);                                                     \
    OPAQUE(u); /* whose products neither vanish nor overflow */    \
    for (int turn = 0; turn < BLOCK; turn++) {                     \
      x = EXPRESSION;                                              \
      OPAQUE(x);                                                   \
    }                                                              \
    carried = x;                                                   \
    KEEP(m);                                                       \
    KEEP(d);                                                       \
  }
LATENCY_FUNCTION(latency_fma, x *m + d)
LATENCY_FUNCTION(latency_add, x + d)
LATENCY_FUNCTION(latency_mul, x *u)
LATENCY_FUNCTION(latency_div, d / x)
LATENCY_FUNCTION(latency_sqrt_add, __builtin_sqrt(x) + d)

/* Divisions and square roots of independent numbers: over an array in L1, vectorised, and one by one.  The numbers are
   in [1, 2): roots of numbers with an odd exponent take up to 6 % longer on a Zen 3. */
#define ROW 512
#define ROW_FUNCTION(NAME, SCALAR, EXPRESSION)                     \
  static __attribute__((noinline)) void NAME(void) {               \
    static _Thread_local SCALAR in[ROW] __attribute__((aligned(64))), out[ROW] __attribute__((aligned(64))); \
    for (int j = 0; in[ROW - 1] == 0; j++) in[j] = (SCALAR)(1.01 + 0.0019 * j); \
    for (int turn = 0; turn < BLOCK / 64; turn++) {                \
      for (int j = 0; j < ROW; j++) {                              \
        SCALAR x = in[j];                                          \
        out[j] = EXPRESSION;                                       \
      }                                                            \
      __asm__ volatile("" : : "r"(in), "r"(out) : "memory");       \
    }                                                              \
  }
#define ROW_OPERATIONS (ROW * (BLOCK / 64))
ROW_FUNCTION(div64_vector, double, 1.731 / x)
ROW_FUNCTION(sqrt64_vector, double, __builtin_sqrt(x))
ROW_FUNCTION(div32_vector, float, 1.731f / x)
ROW_FUNCTION(sqrt32_vector, float, __builtin_sqrtf(x))

#define SINGLE_FUNCTION(NAME, EXPRESSION)                          \
  static __attribute__((noinline)) void NAME(void) {               \
    double x = 1.37, d = 1.731;                                    \
    for (int turn = 0; turn < BLOCK; turn++) {                     \
      OPAQUE(x);                                                   \
      OPAQUE(d);                                                   \
      double y = EXPRESSION;                                       \
      KEEP(y);                                                     \
    }                                                              \
  }
SINGLE_FUNCTION(div64_single, d / x)
SINGLE_FUNCTION(sqrt64_single, __builtin_sqrt(x))

/* Additions of registers, one cycle each on every core known to us: their rate is the clock rate. */
static __attribute__((noinline)) void clock_chain(void) {
  static _Thread_local uint64_t carried = 1;
  uint64_t x = carried, k = 3;
  __asm__ volatile("" : "+r"(x), "+r"(k));
  for (int turn = 0; turn < BLOCK; turn++) {
#define TICK x += k; __asm__ volatile("" : "+r"(x));
    TICK TICK TICK TICK TICK TICK TICK TICK TICK TICK TICK TICK TICK TICK TICK TICK
#undef TICK
  }
  carried = x;
}

#endif
