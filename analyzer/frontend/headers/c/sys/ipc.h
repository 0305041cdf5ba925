#pragma once
typedef int key_t;
#define IPC_CREAT 512
#define IPC_EXCL 1024
#define IPC_RMID 0
#define IPC_PRIVATE 0
key_t ftok(const char *, int);
