#pragma once
#include <alloca.h>
#include <stddef.h>
#include <sys/types.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX 1
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t), *aligned_alloc(size_t, size_t);
void *memalign(size_t, size_t), *valloc(size_t);
int posix_memalign(void **, size_t, size_t);
void free(void *), abort(void), exit(int), _Exit(int), quick_exit(int);
int atexit(void (*)(void)), system(const char *), setenv(const char *, const char *, int), putenv(char *);
int unsetenv(const char *), mkstemp(char *);
char *getenv(const char *), *realpath(const char *, char *), *mkdtemp(char *);
int abs(int);
long labs(long);
long long llabs(long long);
#define AI_QUOTIENT static __inline__ __attribute__((annotate("model"), unused))
AI_QUOTIENT div_t div(int a, int b) { div_t both = {a / b, a % b}; return both; }
AI_QUOTIENT ldiv_t ldiv(long a, long b) { ldiv_t both = {a / b, a % b}; return both; }
AI_QUOTIENT lldiv_t lldiv(long long a, long long b) { lldiv_t both = {a / b, a % b}; return both; }
#undef AI_QUOTIENT
int atoi(const char *);
long atol(const char *);
long long atoll(const char *);
double atof(const char *);
long strtol(const char *, char **, int);
long long strtoll(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
double strtod(const char *, char **);
float strtof(const char *, char **);
long double strtold(const char *, char **);
int rand(void), rand_r(unsigned *);
void srand(unsigned), srandom(unsigned);
long random(void);
double drand48(void), erand48(unsigned short[3]);
long lrand48(void), mrand48(void), nrand48(unsigned short[3]);
void srand48(long);
unsigned short *seed48(unsigned short[3]);
/* Sorting compares and moves as the data are: at least each element with the one before it. */
void __rest_of_qsort(void *, size_t);
static inline __attribute__((annotate("model"))) void qsort(void *first, size_t n, size_t size,
                                                            int (*compare)(const void *, const void *)) {
  int out_of_order = 0;
  for (size_t i = 0; i + 1 < n; i++) out_of_order += compare((char *)first + i * size, (char *)first + (i + 1) * size) > 0;
  __rest_of_qsort(first, n);
}
static inline __attribute__((annotate("model"))) void *bsearch(const void *key, const void *first, size_t n, size_t size,
                                                               int (*compare)(const void *, const void *)) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int found = compare(key, (const char *)first + middle * size);
    if (found == 0) return (char *)first + middle * size;
    if (found < 0) high = middle;
    else low = middle + 1;
  }
  return NULL;
}
int getloadavg(double[], int);
