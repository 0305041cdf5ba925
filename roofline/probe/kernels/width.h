/* Instructions of one width: WIDTH bits of doubles (64: one). Included once for each width; every function runs
   PORT_INSTRUCTIONS(WIDTH) of them, so that its rate over the clock is how many start in a cycle. */
#define GLUE_(a, b) a##_##b
#define GLUE(a, b) GLUE_(a, b)
#define NAMED(what) GLUE(what, WIDTH)
#define PORT_BYTES 4096

#if WIDTH == 64
typedef double NAMED(lane);
#else
typedef double NAMED(lane) __attribute__((vector_size(WIDTH / 8)));
#endif

#define VALUE NAMED(lane)
#define PORT_START(k) VALUE x##k = x + (double)(k);
#define PORT_FINISH(k) KEEP(x##k);
#define PORT_FMA(k) x##k = x##k * n + x##k; OPAQUE(x##k);
#define PORT_ADD(k) x##k = x##k + d; OPAQUE(x##k);
#define PORT_MULTIPLY(k) x##k = x##k * m; OPAQUE(x##k);
#define PORT_FUNCTION(WHAT, STEPS)                                 \
  static __attribute__((noinline)) void NAMED(WHAT)(void) {        \
    VALUE zero = {0}, x = zero + 1.1, m = zero + 0.999, d = zero + 0.001, n = zero - 0.001; \
    OPAQUE(x);                                                     \
    OPAQUE(m);                                                     \
    OPAQUE(d);                                                     \
    OPAQUE(n);                                                     \
    ALL2(PORT_START)                                               \
    for (int turn = 0; turn < BLOCK; turn++) { STEPS }        \
    ALL2(PORT_FINISH)                                              \
    KEEP(m);                                                       \
    KEEP(d);                                                       \
    KEEP(n);                                                       \
  }
PORT_FUNCTION(port_fma, ALL2(PORT_FMA))
PORT_FUNCTION(port_mix, HALF2(PORT_MULTIPLY) OTHER2(PORT_ADD))
PORT_FUNCTION(port_add, ALL2(PORT_ADD))
PORT_FUNCTION(port_mul, ALL2(PORT_MULTIPLY))

/* Loads and stores that hit the innermost cache: the same page again and again. */
#define PORT_PAGE static _Thread_local char page[PORT_BYTES] __attribute__((aligned(64)))
#define PORT_LOOP                                                  \
  for (int turn = 0; turn < BLOCK / 64; turn++)                    \
    for (size_t i = 0; i < PORT_BYTES / sizeof(VALUE); i += 8)
static __attribute__((noinline)) void NAMED(port_loads)(void) {
  PORT_PAGE;
  const VALUE *p = (const VALUE *)page;
  __asm__ volatile("" : "+r"(p) : : "memory");
#define PORT_LOAD(k) VALUE x##k = p[i + k]; KEEP(x##k);
  PORT_LOOP { EACH(PORT_LOAD) __asm__ volatile("" : : : "memory"); }
#undef PORT_LOAD
}

static __attribute__((noinline)) void NAMED(port_stores)(void) {
  PORT_PAGE;
  VALUE *p = (VALUE *)page, x = {0};
  __asm__ volatile("" : "+r"(p) : : "memory");
  OPAQUE(x);
#define PORT_STORE(k) p[i + k] = x; __asm__ volatile("" : : : "memory");
  PORT_LOOP { EACH(PORT_STORE) }
#undef PORT_STORE
}

#undef GLUE_
#undef GLUE
#undef NAMED
#undef PORT_BYTES
#undef VALUE
#undef PORT_START
#undef PORT_FINISH
#undef PORT_FMA
#undef PORT_ADD
#undef PORT_MULTIPLY
#undef PORT_FUNCTION
#undef PORT_PAGE
#undef PORT_LOOP
#undef WIDTH
