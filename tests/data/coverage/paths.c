#define SCALE(n, x, f) do { for (int q = 0; q < (n); q++) (x)[q] *= (f); } while (0)

static double until(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] > 6.5)
      break;
    s += x[i] * x[i];
  }
  return s;
}

static int first(const double *x, int n, double limit) {
  for (int i = 0; i < n; i++) {
    double y = x[i] + 1.0;
    if (y > limit)
      return i;
  }
  return -1;
}

static double both(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] > 2.0 && x[i] * x[i] < 50.0)
      s += 1.0;
    else if (!(x[i] > 1.0) || x[i] - 8.0 > 0.5)
      s -= x[i];
  }
  return s;
}

static double norm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i];
  return s;
}

static int shrink(double *x, int n) {
  int rounds = 0;
  while (norm(x, n) > 1.0 && rounds < 50) {
    SCALE(n, x, 0.5);
    rounds++;
  }
  return rounds;
}

int main(void) {
  double x[10];
  for (int i = 0; i < 10; i++)
    x[i] = i;
  double s = until(x, 10) + both(x, 10);
  for (int k = 0; k < 4; k++)
    s += first(x, 10, k + 2.5);
  return s + shrink(x, 10) > 0 ? 0 : 1;
}
