#pragma once
#ifdef __cplusplus
extern "C" {
#endif
void err(int, const char *, ...) __attribute__((noreturn));
void errx(int, const char *, ...) __attribute__((noreturn));
void warn(const char *, ...);
void warnx(const char *, ...);
#ifdef __cplusplus
}
#endif
