#pragma once
#include_next <stdlib.h>
extern "C++" {
long abs(long);
long long abs(long long);
float abs(float);
double abs(double);
long double abs(long double);
ldiv_t div(long, long);
}
