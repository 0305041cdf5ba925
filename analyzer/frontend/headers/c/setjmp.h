#pragma once
typedef long jmp_buf[25];
/* The first return; where a jump leads back to it, the path that is counted has ended. */
static inline __attribute__((annotate("model"))) int setjmp(jmp_buf here) { return 0; }
void longjmp(jmp_buf, int);
