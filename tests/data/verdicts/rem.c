void a(int n, float *restrict y, const float *restrict x) {
  int i = 0;
  for (; i + 3 < n; i += 4) { y[i] = x[i]; y[i+1] = x[i+1]; y[i+2] = x[i+2]; y[i+3] = x[i+3]; }
  for (; i < n; ++i) y[i] = 2*x[i];
}
void c(int n, float *restrict y, const float *restrict x) {
  int i = 0;
  for (i = 0; i <= n - 4; i += 4) { y[i] = x[i]; y[i+1] = x[i+1]; y[i+2] = x[i+2]; y[i+3] = x[i+3]; }
  for (; i < n; ++i) y[i] = 2*x[i];
}
void d(int n, float *restrict y, const float *restrict x) {
  int i = 0;
  for (; i < n - 3; i += 4) { y[i] = x[i]; y[i+1] = x[i+1]; y[i+2] = x[i+2]; y[i+3] = x[i+3]; }
  for (; i < n; i++) y[i] = 2*x[i];
}
