#pragma once
#include <complex>
#include <thrust/ai_thrust.h>
namespace thrust {
using std::complex;
using std::abs; using std::arg; using std::conj; using std::cos; using std::cosh; using std::exp; using std::log; using std::log10;
using std::norm; using std::polar; using std::pow; using std::sin; using std::sinh; using std::sqrt; using std::tan;
}
