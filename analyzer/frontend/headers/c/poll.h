#pragma once
struct pollfd { int fd; short events, revents; };
#define POLLIN 1
#define POLLOUT 4
#define POLLERR 8
int poll(struct pollfd *, unsigned long, int);
