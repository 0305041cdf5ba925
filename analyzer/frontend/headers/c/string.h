#pragma once
#include <stddef.h>
#include <strings.h>
void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t), *memset(void *, int, size_t);
void *memchr(const void *, int, size_t), *mempcpy(void *, const void *, size_t);
int memcmp(const void *, const void *, size_t);
#define AI_STRING static __inline__ __attribute__((annotate("model"), unused))
AI_STRING char *strcpy(char *to, const char *from) {
  size_t at = 0;
  while ((to[at] = from[at])) at++;
  return to;
}
AI_STRING char *strcat(char *to, const char *from) {
  size_t end = 0, at = 0;
  while (to[end]) end++;
  while ((to[end + at] = from[at])) at++;
  return to;
}
AI_STRING char *strncpy(char *to, const char *from, size_t most) {
  char last = 1;
  for (size_t at = 0; at < most; at++) {
    if (last) last = from[at];
    to[at] = last;
  }
  return to;
}
#undef AI_STRING
char *strncat(char *, const char *, size_t), *strchr(const char *, int), *strrchr(const char *, int);
char *strstr(const char *, const char *), *strtok(char *, const char *), *strtok_r(char *, const char *, char **);
char *strdup(const char *), *strndup(const char *, size_t), *strerror(int), *strpbrk(const char *, const char *);
char *strsep(char **, const char *), *stpcpy(char *, const char *), *strcasestr(const char *, const char *);
int strcmp(const char *, const char *), strncmp(const char *, const char *, size_t);
int strcoll(const char *, const char *), strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, size_t);
size_t strlen(const char *), strnlen(const char *, size_t), strspn(const char *, const char *);
size_t strcspn(const char *, const char *);
void bzero(void *, size_t), bcopy(const void *, void *, size_t);
