void gather_axpy(int n, double a, const double *restrict x, const int *restrict idx, double *restrict y)
{
  for (int i = 0; i < n; i++)
    y[i] = a * x[idx[i]] + y[i];
}
