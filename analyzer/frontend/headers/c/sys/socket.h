#pragma once
#include <stddef.h>
#include <sys/types.h>
typedef unsigned socklen_t;
typedef unsigned short sa_family_t;
struct sockaddr { sa_family_t sa_family; char sa_data[14]; };
struct sockaddr_storage { sa_family_t ss_family; char ai_rest[126]; };
enum { SOCK_STREAM = 1, SOCK_DGRAM = 2, AF_UNSPEC = 0, AF_UNIX = 1, AF_INET = 2, AF_INET6 = 10, SOL_SOCKET = 1, SO_REUSEADDR = 2 };
enum { SHUT_RD, SHUT_WR, SHUT_RDWR, SO_KEEPALIVE = 9, SO_REUSEPORT = 15, SOMAXCONN = 4096 };
int socket(int, int, int);
int bind(int, const struct sockaddr *, socklen_t);
int listen(int, int);
int accept(int, struct sockaddr *, socklen_t *);
int connect(int, const struct sockaddr *, socklen_t);
int shutdown(int, int);
int setsockopt(int, int, int, const void *, socklen_t);
int getsockopt(int, int, int, void *, socklen_t *);
int getsockname(int, struct sockaddr *, socklen_t *);
ssize_t send(int, const void *, size_t, int);
ssize_t recv(int, void *, size_t, int);
ssize_t sendto(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
ssize_t recvfrom(int, void *, size_t, int, struct sockaddr *, socklen_t *);
