#pragma once
#include <time.h>
struct stat { dev_t st_dev; ino_t st_ino; mode_t st_mode; off_t st_size; time_t st_mtime; };
int stat(const char *, struct stat *), fstat(int, struct stat *), mkdir(const char *, mode_t);
#define S_ISDIR(mode) (((mode) & 0170000) == 0040000)
#define S_ISREG(mode) (((mode) & 0170000) == 0100000)
#define S_IRWXU 0700
#define S_IRWXG 0070
#define S_IRWXO 0007
#define S_IRUSR 0400
#define S_IWUSR 0200
