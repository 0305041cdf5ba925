#pragma once
#include <sys/types.h>
int wait(int *), waitpid(pid_t, int *, int);
