#include <stdio.h>
#include <stdlib.h>

static double rows(int n, int m, const double *x, const int *row, double *y) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    for (int k = row[i]; k < row[i + 1]; k++)
      s += x[k];
    if (x[i] > 0.5 && y[i] < 2) y[i] += s;
    else
      y[i] -= s;
  }
  for (int j = 0; j < m; j++) y[j] *= 2;
  while (s > 1) {
    s /= 2;
  }
  return s;
}

static int first_above(int n, const double *x, double limit, int mode) {
  for (int i = 0; i < n; i++) {
    if (mode == 3)
      limit *= 0.5;
    if (x[i] > limit)
      return i;
  }
  return n;
}

int main(void) {
  int n = 100;
  double *x = malloc(1000 * sizeof *x), *y = calloc(n, sizeof *y);
  int row[101];
  for (int i = 0; i < 1000; i++) x[i] = (i * 37 % 100) / 100.0;
  for (int i = 0; i <= n; i++) row[i] = i * i / 10;
  printf("%g %d\n", rows(n, n / 2, x, row, y), first_above(n, x, 1e10, 3));
  free(x);
  free(y);
  return 0;
}
