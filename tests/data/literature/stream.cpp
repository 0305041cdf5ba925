// Five kernels on vectors, as members of a class template: copy, mul, add, triad, dot.
template <class T>
class Vectors {
 public:
  long n;
  T *a, *b, *c;
  void copy() {
    for (long i = 0; i < n; i++) c[i] = a[i];
  }
  void mul(T s) {
    for (long i = 0; i < n; i++) b[i] = s * c[i];
  }
  void add() {
    for (long i = 0; i < n; i++) c[i] = a[i] + b[i];
  }
  void triad(T s) {
    for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i];
  }
  T dot() {
    T sum = 0;
    for (long i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
  }
};
template class Vectors<double>;
