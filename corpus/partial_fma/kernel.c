void partial_fma(int n, double a, double b, double c, double d, const double *restrict x, double *restrict y)
{
  for (int i = 0; i < n; i++) {
    double t = a * x[i] + b;
    double u = c * t + d;
    double v = a * u + c;
    double w = v + b;
    y[i] = w - d;
  }
}
