#include <stdio.h>
#include <math.h>
#define N 10000000
#define TIMES 10
static double a[N], b[N], c[N];

static void check(void)
{
  double worst = 0.0;
  for (int j = 0; j < N; j++) {
    double off = fabs(a[j] - 1.0);
    if (off > worst) worst = off;
  }
  if (worst > 1e-8) printf("failed: %g\n", worst);
}

int main(void)
{
  double scalar = 3.0;
#pragma omp parallel for
  for (int j = 0; j < N; j++) {
    a[j] = 1.0;
    b[j] = 2.0;
    c[j] = 0.0;
  }
  for (int k = 0; k < TIMES; k++) {
#pragma omp parallel for
    for (int j = 0; j < N; j++)
      c[j] = a[j];
#pragma omp parallel for
    for (int j = 0; j < N; j++)
      b[j] = scalar * c[j];
#pragma omp parallel for
    for (int j = 0; j < N; j++)
      c[j] = a[j] + b[j];
#pragma omp parallel for
    for (int j = 0; j < N; j++)
      a[j] = b[j] + scalar * c[j];
  }
  check();
  return 0;
}
