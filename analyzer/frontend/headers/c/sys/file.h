#pragma once
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_UN 8
int flock(int, int);
