template <class T>
T positive(int n, const T *x) {
  T s = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      s += x[i];
  return s;
}

int main() {
  double a[100];
  float b[20];
  for (int i = 0; i < 100; i++)
    a[i] = i % 3;
  for (int i = 0; i < 20; i++)
    b[i] = i % 2;
  return positive(100, a) + positive(20, b) == 0;
}
