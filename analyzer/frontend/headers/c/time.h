#pragma once
#include <stddef.h>
#include <sys/types.h>
struct timespec { time_t tv_sec; long tv_nsec; };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; };
#define CLOCKS_PER_SEC ((clock_t)1000000)
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define TIME_UTC 1
clock_t clock(void);
time_t time(time_t *), mktime(struct tm *);
double difftime(time_t, time_t);
char *ctime(const time_t *), *asctime(const struct tm *);
struct tm *localtime(const time_t *), *gmtime(const time_t *), *localtime_r(const time_t *, struct tm *);
struct tm *gmtime_r(const time_t *, struct tm *);
size_t strftime(char *, size_t, const char *, const struct tm *);
int clock_gettime(clockid_t, struct timespec *), clock_getres(clockid_t, struct timespec *);
int nanosleep(const struct timespec *, struct timespec *), timespec_get(struct timespec *, int);
