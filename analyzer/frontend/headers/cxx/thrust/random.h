#pragma once
#include <random>
#include <thrust/ai_thrust.h>
namespace thrust {
using std::default_random_engine; using std::minstd_rand; using std::normal_distribution;
using std::uniform_int_distribution; using std::uniform_real_distribution;
using std::minstd_rand0; using std::ranlux24; using std::ranlux48;
namespace random {
using std::default_random_engine; using std::minstd_rand; using std::normal_distribution;
using std::uniform_int_distribution; using std::uniform_real_distribution;
}
}
