/* Runs micro-benchmarks. Standard input, one a line: KIND THREADS BYTES SECONDS REPEATS
   (BYTES: the working set of one thread over all its arrays, 0 for arithmetic).
   Standard output: one line about the target, then for each line of input
   KIND THREADS BYTES RATE... with the rates of all threads together in bytes, FLOPs, operations or loads per second,
   one for each repeat; or "KIND THREADS BYTES error: TEXT". The last line, "pages 1 BYTES SIZE", has the mean size of
   the pages of the largest chain.
   Arguments: a list of processors to pin the threads to, such as 0,2,4; - for none. Seconds after which no further
   measurement is begun. */
#ifdef __linux__
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mman.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arithmetic.h"
#include "ports.h"
#include "streams.h"
#include "vectors.h"

#ifndef LINE_BYTES
#define LINE_BYTES 64
#endif
#define MOST_THREADS 4096
#define MOST_REPEATS 1000
#define PAGE 4096
#define HUGE_PAGE (2u << 20)
#define MOST_STEPS 16384 /* of a chain in one pass, which the next pass continues */
#define LARGEST_CACHE (512u << 20) /* bytes: above those of all processors (480 MiB of a Granite Rapids) */
#define WINDOW (4u << 20) /* bytes: 1,024 small pages, which the second-level TLB knows */
#define PLACES 8 /* places of a working set in its block: some caches predict their way by bits of the address */
#define PAD 1344 /* keeps arrays off each other's sets and off the same offset in a page */

/* A chain is in large pages where the system has them for the asking, and goes through windows in turn, so that it waits
   for lines and not for translations; or in the pages that the system gives without, and all over them. That over pages
   and a column have one line in each page, so that loads wait for translations; a packed column has the same lines
   side by side. */
enum form {
  STREAM_FORM, CHASE_FORM, GIVEN_CHASE_FORM, PAGES_CHASE_FORM, COLUMN_FORM, PACKED_COLUMN_FORM, ARITHMETIC_FORM
};

struct kind {
  const char *name;
  enum form form;
  int arrays, moved; /* arrays, and times that the bytes of one of them move */
  stream *run;
  void (*compute)(void);
  double work; /* operations of one call */
};

#define PORT_KINDS(W)                                                      \
  {"fma-" #W, ARITHMETIC_FORM, 0, 0, 0, port_fma_##W, PORT_WORK},          \
  {"mix-" #W, ARITHMETIC_FORM, 0, 0, 0, port_mix_##W, PORT_WORK},          \
  {"add-" #W, ARITHMETIC_FORM, 0, 0, 0, port_add_##W, PORT_WORK},          \
  {"mul-" #W, ARITHMETIC_FORM, 0, 0, 0, port_mul_##W, PORT_WORK},          \
  {"loads-" #W, ARITHMETIC_FORM, 0, 0, 0, port_loads_##W, MOVE_WORK(W)},   \
  {"stores-" #W, ARITHMETIC_FORM, 0, 0, 0, port_stores_##W, MOVE_WORK(W)},
#define LANES64 (VECTOR_BYTES / 8)
#define LANES32 (VECTOR_BYTES / 4)
static const struct kind KINDS[] = {
    {"load", STREAM_FORM, 1, 1, stream_load, 0, 0},
    {"store", STREAM_FORM, 1, 1, stream_store, 0, 0},
    {"update", STREAM_FORM, 1, 2, stream_update, 0, 0},
    {"copy", STREAM_FORM, 2, 2, stream_copy, 0, 0},
    {"triad", STREAM_FORM, 3, 3, stream_triad, 0, 0},
    {"store-nt", STREAM_FORM, 1, 1, stream_store_past, 0, 0},
    {"copy-nt", STREAM_FORM, 2, 2, stream_copy_past, 0, 0},
    {"triad-nt", STREAM_FORM, 3, 3, stream_triad_past, 0, 0},
    {"chase", CHASE_FORM, 1, 0, 0, 0, 0},
    {"chase-given", GIVEN_CHASE_FORM, 1, 0, 0, 0, 0},
    {"chase-pages", PAGES_CHASE_FORM, 1, 0, 0, 0, 0},
    {"column", COLUMN_FORM, 1, 0, 0, 0, 0},
    {"column-packed", PACKED_COLUMN_FORM, 1, 0, 0, 0, 0},
    {"fma64", ARITHMETIC_FORM, 0, 0, 0, fma64, 2.0 * BLOCK * CHAINS * LANES64},
    {"mix64", ARITHMETIC_FORM, 0, 0, 0, mix64, 1.0 * BLOCK * CHAINS * LANES64},
    {"add64", ARITHMETIC_FORM, 0, 0, 0, add64, 1.0 * BLOCK * CHAINS * LANES64},
    {"mul64", ARITHMETIC_FORM, 0, 0, 0, mul64, 1.0 * BLOCK * CHAINS * LANES64},
    {"fma32", ARITHMETIC_FORM, 0, 0, 0, fma32, 2.0 * BLOCK * CHAINS * LANES32},
    {"mix32", ARITHMETIC_FORM, 0, 0, 0, mix32, 1.0 * BLOCK * CHAINS * LANES32},
    {"add32", ARITHMETIC_FORM, 0, 0, 0, add32, 1.0 * BLOCK * CHAINS * LANES32},
    {"mul32", ARITHMETIC_FORM, 0, 0, 0, mul32, 1.0 * BLOCK * CHAINS * LANES32},
    {"latency-fma", ARITHMETIC_FORM, 0, 0, 0, latency_fma, BLOCK},
    {"latency-add", ARITHMETIC_FORM, 0, 0, 0, latency_add, BLOCK},
    {"latency-mul", ARITHMETIC_FORM, 0, 0, 0, latency_mul, BLOCK},
    {"latency-div", ARITHMETIC_FORM, 0, 0, 0, latency_div, BLOCK},
    {"latency-sqrt-add", ARITHMETIC_FORM, 0, 0, 0, latency_sqrt_add, BLOCK},
    {"div64", ARITHMETIC_FORM, 0, 0, 0, div64_vector, ROW_OPERATIONS},
    {"sqrt64", ARITHMETIC_FORM, 0, 0, 0, sqrt64_vector, ROW_OPERATIONS},
    {"div32", ARITHMETIC_FORM, 0, 0, 0, div32_vector, ROW_OPERATIONS},
    {"sqrt32", ARITHMETIC_FORM, 0, 0, 0, sqrt32_vector, ROW_OPERATIONS},
    {"div64-scalar", ARITHMETIC_FORM, 0, 0, 0, div64_single, BLOCK},
    {"sqrt64-scalar", ARITHMETIC_FORM, 0, 0, 0, sqrt64_single, BLOCK},
    {"clock", ARITHMETIC_FORM, 0, 0, 0, clock_chain, 16.0 * BLOCK},
    {"clock-simd-4", ARITHMETIC_FORM, 0, 0, 0, clock_full_4, 4.0 * BLOCK},
    {"clock-simd-7", ARITHMETIC_FORM, 0, 0, 0, clock_full_7, 7.0 * BLOCK},
    {"clock-simd-13", ARITHMETIC_FORM, 0, 0, 0, clock_full_13, 13.0 * BLOCK},
    {"clock-simd-26", ARITHMETIC_FORM, 0, 0, 0, clock_full_26, 26.0 * BLOCK},
    {"issue", ARITHMETIC_FORM, 0, 0, 0, issue, ISSUE_WORK},
    {"integers", ARITHMETIC_FORM, 0, 0, 0, integers_full, PORT_WORK},
    {"integers-single", ARITHMETIC_FORM, 0, 0, 0, integers_single, 32.0 * BLOCK},
    {"load-single", STREAM_FORM, 1, 1, stream_load_single, 0, 0},
    PORT_KINDS(64)
    PORT_KINDS(128)
#ifdef HAS_WIDTH_256
    PORT_KINDS(256)
#endif
#ifdef HAS_WIDTH_512
    PORT_KINDS(512)
#endif
};

struct task {
  const struct kind *kind;
  int threads, repeats;
  size_t bytes, offset;
  double seconds;
  long passes;
  int failed, finished;
  double rates[MOST_REPEATS];
};

struct block {
  char *start;
  size_t bytes;
  int is_given; /* in the pages that the system gives */
  int is_filled; /* with numbers that arithmetic is fast on: addresses of a chain are not */
};

static struct task task;
static struct block blocks[MOST_THREADS];
static double begun[MOST_THREADS], ended[MOST_THREADS];
static int processors[MOST_THREADS], processor_count;
static int waiting, round_number;
static double started, latest = 1e30;
static struct { size_t bytes, page; } largest_chain;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void meet(int threads) {
  int round = __atomic_load_n(&round_number, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&waiting, 1, __ATOMIC_ACQ_REL) == threads) {
    __atomic_store_n(&waiting, 0, __ATOMIC_RELAXED);
    __atomic_add_fetch(&round_number, 1, __ATOMIC_ACQ_REL);
    return;
  }
  for (long spin = 0; __atomic_load_n(&round_number, __ATOMIC_ACQUIRE) == round; spin++)
    if (spin > 1000) sched_yield();
}

static void pin(int thread) {
#ifdef __linux__
  if (thread >= processor_count) return;
  cpu_set_t *set = CPU_ALLOC(MOST_THREADS);
  size_t size = CPU_ALLOC_SIZE(MOST_THREADS);
  CPU_ZERO_S(size, set);
  CPU_SET_S(processors[thread], size, set);
  sched_setaffinity(0, size, set);
  CPU_FREE(set);
#else
  (void)thread;
#endif
}

/* Of a column: rows of matrices that walks matter to are longer than a page, whose translations cores may hold by twos. */
#define ROW_PAGES 2

static int is_column(const struct kind *kind) { return kind->form == COLUMN_FORM || kind->form == PACKED_COLUMN_FORM; }
static int is_chain(const struct kind *kind) { return kind->form >= CHASE_FORM && kind->form <= PAGES_CHASE_FORM; }
static int is_given(const struct kind *kind) { return kind->form >= GIVEN_CHASE_FORM && kind->form <= COLUMN_FORM; }

/* Bytes from one line to the next; in pages each is a line further, so that the sets of caches are used alike. */
static size_t apart(const struct kind *kind) {
  if (kind->form == COLUMN_FORM) return ROW_PAGES * PAGE + LINE_BYTES;
  return kind->form == PAGES_CHASE_FORM ? PAGE + LINE_BYTES : LINE_BYTES;
}

static char *room(int thread, size_t bytes, int is_given) {
  struct block *block = &blocks[thread];
  if (block->bytes == bytes && block->is_given == is_given) return block->start;
  free(block->start);
  block->start = 0, block->bytes = 0;
  void *found = 0;
  if (posix_memalign(&found, bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE, bytes)) return 0;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes >= HUGE_PAGE && !is_given) madvise(found, bytes, MADV_HUGEPAGE);
#endif
  block->start = found, block->bytes = bytes, block->is_given = is_given, block->is_filled = 0;
  return block->start;
}

/* The mean size of the pages that hold an address, from what Linux says about its mapping; 0 where it says nothing. */
static size_t page_bytes(const char *address) {
  FILE *file = fopen("/proc/self/smaps", "r");
  if (!file) return 0;
  char line[512];
  unsigned long first, last, number;
  size_t mapped = 0, large = 0;
  int inside = 0;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%lx-%lx ", &first, &last) == 2)
      inside = (unsigned long)(size_t)address >= first && (unsigned long)(size_t)address < last;
    else if (inside && sscanf(line, "Rss: %lu kB", &number) == 1)
      mapped = number;
    else if (inside && sscanf(line, "AnonHugePages: %lu kB", &number) == 1)
      large = number;
  }
  fclose(file);
  if (!mapped) return 0;
  size_t small = (size_t)sysconf(_SC_PAGESIZE) / 1024, huge = HUGE_PAGE / 1024;
  size_t pages = large / huge + (mapped > large ? (mapped - large) / small : 0);
  return pages ? mapped / pages * 1024 : 0;
}

/* Links the lines of a block to one cycle, window after window, in random order within each of them, so that no
   prefetcher can follow. */
static void link_lines(char *start, size_t lines, size_t distance, size_t window) {
  uint32_t *order = malloc(lines * sizeof *order);
  if (!order) {
    task.failed = 1;
    return;
  }
  for (size_t i = 0; i < lines; i++) order[i] = (uint32_t)i;
  uint64_t state = 88172645463325252u;
  for (size_t i = lines - 1; i > 0; i--) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    size_t first = i / window * window, j = first + (size_t)(state % (i - first + 1));
    uint32_t kept = order[i];
    order[i] = order[j], order[j] = kept;
  }
  for (size_t i = 0; i < lines; i++)
    *(void **)(start + (size_t)order[i] * distance) = start + (size_t)order[i + 1 < lines ? i + 1 : 0] * distance;
  free(order);
}

struct share {
  vector64 *a, *b, *c;
  size_t vectors, steps;
  void *place;
};

static double pass_work(const struct share *share) {
  switch (task.kind->form) {
    case STREAM_FORM: return (double)share->vectors * sizeof(vector64) * task.kind->moved;
    case CHASE_FORM:
    case GIVEN_CHASE_FORM:
    case PAGES_CHASE_FORM:
    case COLUMN_FORM:
    case PACKED_COLUMN_FORM: return (double)share->steps;
    default: return task.kind->work;
  }
}

static void prepare(struct share *share, int thread) {
  const struct kind *kind = task.kind;
  memset(share, 0, sizeof *share);
  if (kind->form == ARITHMETIC_FORM) return;
  size_t step = STREAM_STEP * sizeof(vector64);
  size_t array_bytes = task.bytes / (size_t)kind->arrays / step * step;
  if (array_bytes < step) array_bytes = step;
  size_t needed = 3 * (task.bytes / LINE_BYTES * apart(kind) / 3 + step + PAD) + PLACES * PAGE;
  if (is_chain(kind)) /* whole large pages, so that misses of translations do not look like those of caches */
    needed = (needed + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  char *start = room(thread, needed, is_given(kind));
  if (!start) {
    task.failed = 1;
    return;
  }
  if (is_chain(kind)) {
    size_t lines = task.bytes / LINE_BYTES < 2 ? 2 : task.bytes / LINE_BYTES;
    blocks[thread].is_filled = 0;
    link_lines(start, lines, apart(kind), kind->form == CHASE_FORM ? WINDOW / LINE_BYTES : lines);
    if (kind->form == CHASE_FORM && task.bytes > largest_chain.bytes && thread == 0)
      largest_chain.bytes = task.bytes, largest_chain.page = page_bytes(start);
    share->steps = lines < MOST_STEPS ? lines : MOST_STEPS;
    share->place = start;
    return;
  }
  if (!blocks[thread].is_filled) /* what streams leave behind stays in range, so that once is enough */
    for (size_t i = 0; i < needed / sizeof(double); i++) ((double *)start)[i] = 1.0;
  blocks[thread].is_filled = 1;
  if (is_column(kind)) {
    share->place = start, share->steps = task.bytes / LINE_BYTES * COLUMNS;
    return;
  }
  start += task.offset;
  share->vectors = array_bytes / sizeof(vector64);
  size_t pad = array_bytes > 4 * PAGE ? PAD : 0;
  vector64 **arrays[3] = {&share->a, &share->b, &share->c};
  for (int k = 0; k < kind->arrays; k++)
    *arrays[k] = (vector64 *)(start + (size_t)k * (array_bytes + pad / sizeof(vector64) * sizeof(vector64)));
}

/* Reads the lines of a chain one after the other, which is fast: a cache that somebody else has used has them again. */
static void warm(int thread) {
  if (task.bytes > LARGEST_CACHE) return;
  const char *start = blocks[thread].start;
  for (size_t i = 0; i < task.bytes / LINE_BYTES; i++) {
    char x = start[i * apart(task.kind)];
    __asm__ volatile("" : : "r"(x));
  }
}

static void pass(struct share *share) {
  switch (task.kind->form) {
    case STREAM_FORM: task.kind->run(share->a, share->b, share->c, share->vectors); break;
    case COLUMN_FORM:
    case PACKED_COLUMN_FORM: columns(share->place, task.bytes / LINE_BYTES, apart(task.kind)); break;
    case CHASE_FORM:
    case GIVEN_CHASE_FORM:
    case PAGES_CHASE_FORM: share->place = chase(share->place, share->steps); break;
    default: task.kind->compute();
  }
  __asm__ volatile("" : : : "memory");
}

/* Runs all threads once and returns the seconds from the first start to the last end (thread 0 only). */
static double together(struct share *share, int thread) {
  if (is_chain(task.kind)) warm(thread);
  meet(task.threads);
  begun[thread] = now();
  for (long k = 0; k < task.passes; k++) pass(share);
  ended[thread] = now();
  meet(task.threads);
  double first = begun[0], last = ended[0];
  for (int k = 1; k < task.threads; k++) {
    if (begun[k] < first) first = begun[k];
    if (ended[k] > last) last = ended[k];
  }
  return last - first;
}

static void *work(void *argument) {
  int thread = (int)(size_t)argument;
  struct share share;
  pin(thread);
  prepare(&share, thread);
  meet(task.threads);
  if (task.failed) return 0;
  for (;;) {
    double seconds = together(&share, thread);
    if (thread == 0) {
      task.finished = seconds >= 0.5 * task.seconds || task.passes > (1L << 40);
      double factor = seconds > 0 ? task.seconds / seconds : 8;
      if (factor > 8) factor = 8;
      long passes = (long)((double)task.passes * factor);
      task.passes = task.finished ? (passes < 1 ? 1 : passes) : (passes <= task.passes ? task.passes + 1 : passes);
    }
    meet(task.threads);
    if (task.finished) break;
  }
  for (int k = 0; k < task.repeats; k++) {
    double seconds = together(&share, thread);
    if (thread == 0) task.rates[k] = pass_work(&share) * (double)task.passes * task.threads / seconds;
  }
  if (share.place) KEEP(*(double *)share.place);
  return 0;
}

static void *entry(void *argument) { return work(argument); }

static int run_task(void) {
  static pthread_t threads[MOST_THREADS];
  task.passes = 1, task.failed = 0, task.finished = 0;
  for (int k = 1; k < task.threads; k++)
    if (pthread_create(&threads[k], 0, entry, (void *)(size_t)k)) {
      fprintf(stderr, "cannot start %d threads\n", task.threads);
      exit(1); /* the others wait for this one for ever */
    }
  work((void *)0);
  for (int k = 1; k < task.threads; k++) pthread_join(threads[k], 0);
  return task.failed;
}

static void read_processors(const char *text) {
  while (*text && *text != '-' && processor_count < MOST_THREADS) {
    char *end;
    processors[processor_count++] = (int)strtol(text, &end, 10);
    text = *end == ',' ? end + 1 : end;
    if (end == text && *end) break;
  }
}

/* Whether a measurement would end after the last second: repeats, two more to find their length, and new pages. */
static int is_too_late(void) {
  double pages = (double)(task.bytes / LINE_BYTES * apart(task.kind)) * task.threads / 2e9;
  if (is_chain(task.kind)) pages *= 2; /* a chain is linked at random */
  return now() - started + task.seconds * (task.repeats + 2) + pages > latest;
}

int main(int count, char **arguments) {
  started = now();
  if (count > 1) read_processors(arguments[1]);
  if (count > 2) latest = atof(arguments[2]);
  printf("target %s %d %d %d\n", ISA, VECTOR_BYTES * 8, HAS_FMA, HAS_NONTEMPORAL);
  fflush(stdout);
  char name[64];
  unsigned long bytes, tasks = 0;
  while (scanf("%63s %d %lu %lf %d", name, &task.threads, &bytes, &task.seconds, &task.repeats) == 5) {
    task.kind = 0, task.bytes = bytes, task.offset = tasks++ % PLACES * PAGE;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++)
      if (!strcmp(name, KINDS[k].name)) task.kind = &KINDS[k];
    printf("%s %d %lu", name, task.threads, bytes);
    if (!task.kind || task.threads < 1 || task.threads > MOST_THREADS || task.repeats < 1 || task.repeats > MOST_REPEATS)
      printf(" error: not a measurement");
    else if (is_too_late())
      printf(" error: no time");
    else if (run_task())
      printf(" error: no memory");
    else
      for (int k = 0; k < task.repeats; k++) printf(" %.9g", task.rates[k]);
    printf("\n");
    fflush(stdout);
  }
  if (largest_chain.page) printf("pages 1 %zu %zu\n", largest_chain.bytes, largest_chain.page);
  return 0;
}
