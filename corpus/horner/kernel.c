/* A polynomial of degree 64 by Horner's rule: much arithmetic on few bytes. */
void horner(int n, const double c[65], const double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; i++) {
    double t = x[i];
    double p = c[64];
    for (int k = 63; k >= 0; k--)
      p = p * t + c[k];
    y[i] = p;
  }
}
