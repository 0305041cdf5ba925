#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <vector>

class Laplacian {
public:
  explicit Laplacian(int m) : m_(m) {}
  int size() const { return m_ * m_; }
  void operator()(const std::vector<double> &x, std::vector<double> &y) const {
    for (int i = 0; i < m_; ++i)
      for (int j = 0; j < m_; ++j) {
        int p = i * m_ + j;
        double v = 4.0 * x[p];
        if (i > 0) v -= x[p - m_];
        if (i < m_ - 1) v -= x[p + m_];
        if (j > 0) v -= x[p - 1];
        if (j < m_ - 1) v -= x[p + 1];
        y[p] = v;
      }
  }

private:
  int m_;
};

double dot(const std::vector<double> &a, const std::vector<double> &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void axpy(double alpha, const std::vector<double> &x, std::vector<double> &y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += alpha * x[i];
}

template <class Operator>
int solve(const Operator &A, const std::vector<double> &b, std::vector<double> &x, int max_iterations, double tolerance) {
  const int n = A.size();
  std::vector<double> r(b), p(b), q(n);
  double rho = dot(r, r);
  const double stop = tolerance * tolerance * rho;
  int it = 0;
  for (; it < max_iterations && rho > stop; ++it) {
    A(p, q);
    double alpha = rho / dot(p, q);
    axpy(alpha, p, x);
    axpy(-alpha, q, r);
    double next = dot(r, r);
    double beta = next / rho;
    rho = next;
    for (int i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
  }
  return it;
}

int main(int argc, char **argv) {
  int m = argc > 1 ? std::atoi(argv[1]) : 3000;
  int iterations = argc > 2 ? std::atoi(argv[2]) : 100;
  Laplacian A(m);
  std::vector<double> b(A.size(), 1.0), x(A.size(), 0.0);
  int used = solve(A, b, x, iterations, 1e-8);
  std::vector<double> residual(A.size());
  A(x, residual);
  axpy(-1.0, b, residual);
  std::cout << used << " iterations, residual " << std::sqrt(dot(residual, residual)) << '\n';
}
