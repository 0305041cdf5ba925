#pragma once
typedef struct { unsigned long bits[16]; } cpu_set_t;
#define CPU_ZERO(set) ((void)(set))
#define CPU_SET(cpu, set) ((void)(cpu), (void)(set))
#define CPU_ISSET(cpu, set) ((void)(cpu), (void)(set), 0)
int sched_yield(void), sched_getcpu(void), sched_setaffinity(int, unsigned long, const cpu_set_t *);
int sched_getaffinity(int, unsigned long, cpu_set_t *);
