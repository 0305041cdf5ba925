#pragma once
int move_pages(int, unsigned long, void **, const int *, int *, int);
long mbind(void *, unsigned long, int, const unsigned long *, unsigned long, unsigned);
#define MPOL_BIND 2
#define MPOL_INTERLEAVE 3
