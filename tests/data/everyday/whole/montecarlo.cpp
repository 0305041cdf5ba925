#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

struct XorShift {
  uint64_t s;
  explicit XorShift(uint64_t seed) : s(seed) {}
  uint64_t next() {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s;
  }
  double uniform() { return (next() >> 11) * (1.0 / 9007199254740992.0); }
};

double pi(long samples) {
  XorShift rng(42);
  long inside = 0;
  for (long i = 0; i < samples; ++i) {
    double x = rng.uniform();
    double y = rng.uniform();
    if (x * x + y * y < 1.0) ++inside;
  }
  return 4.0 * inside / samples;
}

template <class F>
double integrate(F f, double a, double b, long n) {
  double h = (b - a) / n, sum = 0.5 * (f(a) + f(b));
  for (long i = 1; i < n; ++i) sum += f(a + i * h);
  return h * sum;
}

double european_call(double s0, double strike, double r, double vol, double t, long paths) {
  XorShift rng(7);
  double drift = (r - 0.5 * vol * vol) * t, sigma = vol * std::sqrt(t), sum = 0;
  for (long p = 0; p < paths; ++p) {
    double u1 = rng.uniform(), u2 = rng.uniform();
    double z = std::sqrt(-2.0 * std::log(u1 + 1e-300)) * std::cos(6.283185307179586 * u2);
    double st = s0 * std::exp(drift + sigma * z);
    double payoff = st - strike;
    sum += payoff > 0 ? payoff : 0.0;
  }
  return std::exp(-r * t) * sum / paths;
}

int main(int argc, char **argv) {
  long n = argc > 1 ? std::atol(argv[1]) : 10000000;
  std::printf("pi = %.6f\n", pi(n));
  double k = 2.0;
  double area = integrate([k](double x) { return x * x * k + 1.0; }, 0.0, 1.0, n);
  std::printf("area = %.6f\n", area);
  std::printf("call = %.4f\n", european_call(100, 105, 0.01, 0.2, 1.0, n));
  return 0;
}
