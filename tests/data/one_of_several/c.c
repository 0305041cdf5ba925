#include <stdio.h>
#include <stdlib.h>
#define N 40000

static void pair(double *to, const double *from) {
  for (int i = 0; i < N; i++) to[i] = from[i] + 1; /* line 6 */
}

static double *picked(int c, double *x, double *y) {
  if (c > 1) return x;
  return y;
}

int main(int argc, char **argv) {
  static double a[N], b[N], c[N], d[N], o[N], e[N], f[N], g[N], h[N];
  static int k[N];
  double *of[3] = {e, f, g};
  for (int i = 0; i < N; i++) k[i] = (i * 7919) % 5 - 2;
  double *x = a, *y = b, *z = c;
  for (int t = 0; t < 7; t++) {
    for (int i = 1; i < N - 1; i++) y[i] = x[i - 1] + x[i + 1]; /* line 21 */
    double *s = x;
    x = y;
    y = s;
  }
  x = a, y = b;
  for (int t = 0; t < 5; t++) {
    for (int i = 0; i < N; i++) z[i] = x[i] * y[i]; /* line 28 */
    double *s = x;
    x = y;
    y = z;
    z = s;
  }
  for (int i = 0; i < N; i++) {
    double *p = k[i] > 0 ? c : d;
    o[i] = 2 * p[i] + c[i]; /* line 36 */
  }
  for (int r = 0; r < 3; r++)
    for (int i = 0; i < N; i++) of[r][i] = of[0][i] + 1; /* line 39 */
  double *q = picked(argc, h, e);
  for (int i = 0; i < N; i++) q[i] = h[i] + 1; /* line 41 */
  pair(argc > 1 ? f : g, f);
  double *last = a;
  for (int t = 0; t < 4; t++) {
    for (int i = 0; i < N; i++) last[i] += 1; /* line 45 */
    last = b;
  }
  printf("%f %f %f %f\n", o[5], q[6], x[7], last[8]);
  return argv == 0;
}
