#include <stdio.h>
#include <stdlib.h>

/* y = a*x + y + x*x */
static void update(int n, double a, const double *x, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] = a*x[i] + y[i] + x[i]*x[i];
}

int main(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : 1000000;
  double *x = malloc(n * sizeof(double));
  double *y = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++) {
    x[i] = i;
    y[i] = 2.0 * i;
  }
  update(n, 3.0, x, y);
  printf("%g\n", y[n - 1]);
  free(x);
  free(y);
  return 0;
}
