#pragma once
#define LOG_ERR 3
#define LOG_WARNING 4
#define LOG_INFO 6
#define LOG_DEBUG 7
#define LOG_PID 1
#define LOG_USER 8
void openlog(const char *, int, int), syslog(int, const char *, ...), closelog(void);
