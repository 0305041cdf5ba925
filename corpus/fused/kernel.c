void fused(int n, const double *restrict buffer, const double *restrict b, const double *restrict d,
           double *restrict a, double *restrict c)
{
  for (int i = 0; i < n; ++i) {
    a[i] = buffer[i] + b[i];
    c[i] = buffer[i] + d[i];
  }
}

void split(int n, const double *restrict buffer, const double *restrict b, const double *restrict d,
           double *restrict a, double *restrict c)
{
  for (int i = 0; i < n; ++i)
    a[i] = buffer[i] + b[i];
  for (int i = 0; i < n; ++i)
    c[i] = buffer[i] + d[i];
}
