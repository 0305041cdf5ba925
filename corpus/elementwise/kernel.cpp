#include <cstddef>

void add(std::size_t n, const float *a, const float *b, float *c)
{
  for (std::size_t i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

void matvec(int n, const float *A, const float *x, float *y)
{
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int j = 0; j < n; ++j)
      sum += A[i * n + j] * x[j];
    y[i] = sum;
  }
}
