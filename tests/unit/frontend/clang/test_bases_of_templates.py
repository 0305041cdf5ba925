"""Base classes of instances of templates, which depend on the arguments of the instance."""

import pytest

from tests.rows import rows

STORE = """
#include <vector>
template <class T> struct Store { std::vector<T> d; Store(int n) : d(n, T(1)) {} };
template <class T> struct Grid : Store<T> {
  int n;
  Grid(int n_) : Store<T>(n_ * n_), n(n_) {}
  T &at(int i, int j) { return this->d[i * n + j]; }
};
template <class T> struct Top : Grid<T> { T scale; Top(int n_, T s) : Grid<T>(n_), scale(s) {} };
"""
VIEW = """
template <class T> struct View {
  T *d; int k;
  View(T *d_, int k_) : d(d_), k(k_) {}
  T &operator[](int i) const { return d[i]; }
};
template <class T> struct Sums : public View<T> {
  using View<T>::d;
  Sums(T *p, int k) : View<T>(p, k) {}
  T sum() const { T s = 0; for (int i = 0; i < this->k; i++) s += d[i]; return s; }
};
template <class T, int N> struct Fixed { T v[N]; };
template <class T> struct Weighted : Fixed<T, 4> { T w; };
template <class D> struct Twice { double twice() const { return 2 * static_cast<const D *>(this)->area(); } };
template <class T> struct Square : Twice<Square<T>> { T a; Square(T a_) : a(a_) {} T area() const { return a * a; } };
template <class P> struct Logged : P { int calls = 0; double f(double x) { return P::f(x) + 1; } };
struct Line { double a, b; double f(double x) const { return a * x + b; } };
"""
N = 100


@pytest.mark.parametrize(
    ("text", "flops", "loads"),
    [
        (STORE + "double f(int n) { Grid<double> a(n); double s = 0;"
         " for (int i = 0; i < n; i++) s += a.at(i, i); return s; }", N, 8 * N),
        (STORE + "double f(int n) { Top<double> a(n, 2.0); double s = 0;"
         " for (int i = 0; i < n; i++) s += a.scale * a.at(i, i); return s; }", 2 * N, 8 * N),
        (VIEW + "double f(double *x, int n) { Sums<double> a(x, n); return a.sum(); }", N, 8 * N),
        (VIEW + "double f(double *x, int n) { Sums<double> a(x, n); double s = 0;"
         " for (int i = 0; i < n; i++) s += a[i]; return s; }", N, 8 * N),
        (VIEW + "double f(const Weighted<double> *p, int n) { double s = 0;"
         " for (int i = 0; i < n; i++) s += p[i].v[2] * p[i].w; return s; }", 2 * N, 16 * N),
        (VIEW + "double f(const double *x, int n) { double s = 0;"
         " for (int i = 0; i < n; i++) { Square<double> q(x[i]); s += q.twice(); } return s; }", 3 * N, 8 * N),
        (VIEW + "double f(const double *x, int n) { Logged<Line> g{}; double s = 0;"
         " for (int i = 0; i < n; i++) s += g.f(x[i]); return s; }", 4 * N, 8 * N),
    ],
)  # fmt: skip
def test_members_of_bases(text: str, flops: int, loads: int) -> None:
    row = rows(text, size=N)["f"]
    assert (row.flops, row.loads, row.exact) == (flops, loads, True)
