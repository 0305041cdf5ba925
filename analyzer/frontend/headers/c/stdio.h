#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>
typedef struct _IO_FILE FILE;
typedef long fpos_t;
extern FILE *stdin, *stdout, *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define L_tmpnam 20
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
int printf(const char *, ...), fprintf(FILE *, const char *, ...), sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...), asprintf(char **, const char *, ...), dprintf(int, const char *, ...);
int scanf(const char *, ...), fscanf(FILE *, const char *, ...), sscanf(const char *, const char *, ...);
int vprintf(const char *, va_list), vfprintf(FILE *, const char *, va_list), vsprintf(char *, const char *, va_list);
int vsnprintf(char *, size_t, const char *, va_list), vsscanf(const char *, const char *, va_list);
int puts(const char *), fputs(const char *, FILE *), putchar(int), fputc(int, FILE *), putc(int, FILE *);
int getchar(void), fgetc(FILE *), getc(FILE *), ungetc(int, FILE *);
char *fgets(char *, int, FILE *), *gets(char *), *tmpnam(char *);
FILE *fopen(const char *, const char *), *freopen(const char *, const char *, FILE *), *fdopen(int, const char *);
FILE *tmpfile(void), *popen(const char *, const char *);
int fclose(FILE *), fflush(FILE *), feof(FILE *), ferror(FILE *), fileno(FILE *), pclose(FILE *);
int fseek(FILE *, long, int), remove(const char *), rename(const char *, const char *);
int setvbuf(FILE *, char *, int, size_t), fgetpos(FILE *, fpos_t *), fsetpos(FILE *, const fpos_t *);
int fseeko(FILE *, off_t, int);
off_t ftello(FILE *);
long ftell(FILE *);
size_t fread(void *, size_t, size_t, FILE *), fwrite(const void *, size_t, size_t, FILE *);
ssize_t getline(char **, size_t *, FILE *);
void rewind(FILE *), perror(const char *), setbuf(FILE *, char *), clearerr(FILE *);
