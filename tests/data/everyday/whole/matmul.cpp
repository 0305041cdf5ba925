#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <vector>

using Matrix = std::vector<double>;

void naive(const Matrix &a, const Matrix &b, Matrix &c, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

void ikj(const Matrix &a, const Matrix &b, Matrix &c, int n) {
  std::fill(c.begin(), c.end(), 0.0);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      double aik = a[i * n + k];
      for (int j = 0; j < n; j++) c[i * n + j] += aik * b[k * n + j];
    }
}

template <int B>
void blocked(const Matrix &a, const Matrix &b, Matrix &c, int n) {
  std::fill(c.begin(), c.end(), 0.0);
  for (int ii = 0; ii < n; ii += B)
    for (int kk = 0; kk < n; kk += B)
      for (int jj = 0; jj < n; jj += B)
        for (int i = ii; i < std::min(ii + B, n); i++)
          for (int k = kk; k < std::min(kk + B, n); k++)
            for (int j = jj; j < std::min(jj + B, n); j++)
              c[i * n + j] += a[i * n + k] * b[k * n + j];
}

double difference(const Matrix &x, const Matrix &y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); i++) {
    double d = x[i] - y[i];
    if (d < 0) d = -d;
    if (d > most) most = d;
  }
  return most;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  Matrix a(n * n), b(n * n), c(n * n), ref(n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i * n + j] = i + j;
      b[i * n + j] = i - j;
    }
  auto t0 = std::chrono::steady_clock::now();
  naive(a, b, ref, n);
  auto t1 = std::chrono::steady_clock::now();
  ikj(a, b, c, n);
  auto t2 = std::chrono::steady_clock::now();
  std::cout << "ikj error " << difference(c, ref) << "\n";
  blocked<50>(a, b, c, n);
  auto t3 = std::chrono::steady_clock::now();
  std::cout << "blocked error " << difference(c, ref) << "\n";
  std::chrono::duration<double> d1 = t1 - t0, d2 = t2 - t1, d3 = t3 - t2;
  std::cout << d1.count() << " " << d2.count() << " " << d3.count() << std::endl;
  return 0;
}
