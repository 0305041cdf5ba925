#pragma once
#include <sys/time.h>
struct rusage {
  struct timeval ru_utime, ru_stime;
  long ru_maxrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock, ru_nvcsw, ru_nivcsw;
};
struct rlimit { unsigned long rlim_cur, rlim_max; };
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN (-1)
#define RLIMIT_STACK 3
int getrusage(int, struct rusage *), getrlimit(int, struct rlimit *), setrlimit(int, const struct rlimit *);
