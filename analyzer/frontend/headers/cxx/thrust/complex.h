#pragma once
#include <complex>
#include <thrust/ai_thrust.h>
namespace thrust {
using std::complex;
}
