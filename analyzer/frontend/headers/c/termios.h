#pragma once
struct termios { unsigned c_iflag, c_oflag, c_cflag, c_lflag; unsigned char c_cc[32]; };
#define ICANON 2
#define ECHO 8
#define TCSANOW 0
#define VMIN 6
#define VTIME 5
int tcgetattr(int, struct termios *), tcsetattr(int, int, const struct termios *);
