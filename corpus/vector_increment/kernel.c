#include <stdlib.h>

#define LENGTH 1048576

int main(void)
{
  double *x = (double *)malloc(LENGTH * sizeof(double));
  double *y = (double *)malloc(LENGTH * sizeof(double));
  double *z = (double *)malloc(LENGTH * sizeof(double));
  for (int i = 0; i < LENGTH; i++) {
    z[i] = x[i] + y[i];
  }
  free(x);
  free(y);
  free(z);
  return 0;
}
