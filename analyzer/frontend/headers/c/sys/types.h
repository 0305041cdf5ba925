#pragma once
#include <stddef.h>
typedef long ssize_t, off_t, time_t, clock_t, suseconds_t, blksize_t, blkcnt_t;
typedef int pid_t, clockid_t, key_t;
typedef unsigned int uid_t, gid_t, mode_t, useconds_t, uint, u_int;
typedef unsigned long dev_t, ino_t, nlink_t, ulong, u_long;
typedef unsigned short ushort, u_short;
typedef unsigned char u_char;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t, off64_t;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned int u_int32_t;
typedef unsigned long u_int64_t;
