#pragma once
#include <random>
#include <thrust/ai_thrust.h>
namespace thrust {
using std::default_random_engine; using std::minstd_rand; using std::normal_distribution;
using std::uniform_int_distribution; using std::uniform_real_distribution;
namespace random {
using std::default_random_engine; using std::minstd_rand; using std::normal_distribution;
using std::uniform_int_distribution; using std::uniform_real_distribution;
}
}
