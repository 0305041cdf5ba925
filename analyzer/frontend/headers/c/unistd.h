#pragma once
#include <sys/types.h>
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_ONLN 84
#define _SC_CLK_TCK 2
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define R_OK 4
#define W_OK 2
#define F_OK 0
extern char *optarg;
extern int optind, opterr, optopt;
unsigned sleep(unsigned), alarm(unsigned);
int usleep(useconds_t), close(int), access(const char *, int), isatty(int), unlink(const char *), rmdir(const char *);
int chdir(const char *), gethostname(char *, size_t), getopt(int, char *const[], const char *), getpagesize(void);
int pipe(int[2]), dup2(int, int), ftruncate(int, off_t), fsync(int), execvp(const char *, char *const[]);
pid_t getpid(void), getppid(void), fork(void);
long sysconf(int), syscall(long, ...);
char *getcwd(char *, size_t);
ssize_t read(int, void *, size_t), write(int, const void *, size_t);
off_t lseek(int, off_t, int);
void *sbrk(long);
void _exit(int);
