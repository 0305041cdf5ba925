/* The widest vectors that the target has, loads that are not optimised away, and stores past the caches. */
#ifndef PROBE_VECTORS_H
#define PROBE_VECTORS_H

#if defined(__AVX512F__)
#define ISA "AVX-512"
#define VECTOR_BYTES 64
#define VECTOR_REGISTERS 32
#elif defined(__AVX__)
#if defined(__AVX2__)
#define ISA "AVX2"
#else
#define ISA "AVX"
#endif
#define VECTOR_BYTES 32
#define VECTOR_REGISTERS 16
#elif defined(__SSE2__)
#define ISA "SSE2"
#define VECTOR_BYTES 16
#define VECTOR_REGISTERS 16
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 128
#define ISA "SVE"
#define VECTOR_BYTES (__ARM_FEATURE_SVE_BITS / 8)
#define VECTOR_REGISTERS 32
#elif defined(__aarch64__)
#define ISA "NEON"
#define VECTOR_BYTES 16
#define VECTOR_REGISTERS 32
#else
#define ISA "generic"
#define VECTOR_BYTES 16
#define VECTOR_REGISTERS 16
#endif

#if defined(__FMA__) || defined(__FMA4__) || defined(__aarch64__) || defined(__FP_FAST_FMA)
#define HAS_FMA 1
#else
#define HAS_FMA 0
#endif

typedef double vector64 __attribute__((vector_size(VECTOR_BYTES)));
typedef float vector32 __attribute__((vector_size(VECTOR_BYTES)));

/* KEEP: the value must be in a register here. OPAQUE: and the compiler knows nothing of it afterwards. */
#if defined(__AVX512F__)
#define KEEP(x) __asm__ volatile("" : : "v"(x))
#define OPAQUE(x) __asm__ volatile("" : "+v"(x))
#elif defined(__x86_64__) || defined(__i386__)
#define KEEP(x) __asm__ volatile("" : : "x"(x))
#define OPAQUE(x) __asm__ volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define KEEP(x) __asm__ volatile("" : : "w"(x))
#define OPAQUE(x) __asm__ volatile("" : "+w"(x))
#else
#define KEEP(x) __asm__ volatile("" : : "m"(x))
#define OPAQUE(x) __asm__ volatile("" : "+m"(x))
#endif

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#define HAS_NONTEMPORAL 1
#if VECTOR_BYTES == 64
#define STREAM(p, x) _mm512_stream_pd((double *)(p), (__m512d)(x))
#elif VECTOR_BYTES == 32
#define STREAM(p, x) _mm256_stream_pd((double *)(p), (__m256d)(x))
#else
#define STREAM(p, x) _mm_stream_pd((double *)(p), (__m128d)(x))
#endif
#define STREAM_PAIR(p, x, y) (STREAM(p, x), STREAM((p) + 1, y))
#define STREAM_FENCE() _mm_sfence()
#elif defined(__aarch64__) && VECTOR_BYTES == 16
#define HAS_NONTEMPORAL 1
#define STREAM_PAIR(p, x, y) \
  __asm__ volatile("stnp %q1, %q2, [%0]" : : "r"(p), "w"(x), "w"(y) : "memory")
#define STREAM_FENCE() __asm__ volatile("" : : : "memory")
#else
#define HAS_NONTEMPORAL 0
#define STREAM_PAIR(p, x, y) ((p)[0] = (x), (p)[1] = (y))
#define STREAM_FENCE() __asm__ volatile("" : : : "memory")
#endif

#endif
