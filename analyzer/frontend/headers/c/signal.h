#pragma once
#include <sys/types.h>
#define SIGINT 2
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGSEGV 11
#define SIGTERM 15
#define SIGALRM 14
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
typedef int sig_atomic_t;
void (*signal(int, void (*)(int)))(int);
int raise(int), kill(pid_t, int);
