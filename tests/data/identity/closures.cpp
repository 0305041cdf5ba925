#include <functional>
#include <utility>
void copied_early(int n, int m, double *a) {
    int k = n;
    auto g = [k, a] { for (int i = 0; i < k; i++) a[i] += 1; };
    k = m;
    g();
}
auto maker(int k) {
    return [k](double x) { double s = 0; for (int i = 0; i < k; i++) s = s + x; return s; };
}
void returned(int n, int m, double *a) {
    auto p = maker(n);
    auto q = maker(m);
    for (int i = 0; i < 3; i++) a[i] = p(a[i]) * q(a[i]);
}
void initialised(int n, int m, double *a) {
    auto g = [k = 2 * n, b = a + 1](int i) { for (int j = 0; j < k; j++) b[j] += i; };
    n = 1;
    for (int i = 0; i < m; i++) g(i);
}
void nested(int n, int m, double *a) {
    int k = n;
    auto outer = [=](int i) {
        auto inner = [&](int j) { for (int l = 0; l < k; l++) a[j] += 1; };
        inner(i);
    };
    k = 1;
    for (int i = 0; i < m; i++) outer(i);
}
struct Stepper {
    double h;
    std::function<double(double)> f;
    void set(double k) { f = [this, k](double x) { return k * x + h; }; }
    void run(int n, double *a) { for (int i = 0; i < n; i++) a[i] = f(a[i]); }
};
void member(int n, int m, double *a) {
    Stepper s;
    s.h = 2;
    s.set(3);
    s.run(n, a);
    s.f = [](double x) { return x * x; };
    s.run(m, a);
}
struct Power { int k; double operator()(double x) const { double r = x; for (int i = 0; i < k; i++) r = r * x; return r; } };
double twice(double x) { return x + x; }
double applied(const std::function<double(double)> &f, double x) { return f(x); }
double through(double (*f)(double), double x) { return f(x); }
void kinds(int n, int m, double *a) {
    Power p{m};
    std::function<double(double)> f = p, g = twice, h = [](auto x) { return x * x; };
    p.k = 1;
    for (int i = 0; i < n; i++) a[i] = f(a[i]) + g(a[i]) + h(a[i]) + applied(p, a[i]) + through([](double x) { return x * 2; }, a[i]);
}
template <class F> struct Scaled {
    F f;
    double k;
    double operator()(double x) const { return k * f(x); }
};
void wrapped(int n, int, double *a) {
    auto square = [](double x) { return x * x; };
    Scaled<decltype(square)> s{square, 3};
    for (int i = 0; i < n; i++) a[i] = s(a[i]);
}
void counter(int n, int m, double *a) {
    int k = 0;
    std::function<void(int)> step = [&k](int by) { k += by; };
    for (int i = 0; i < n; i++) step(2);
    for (int i = 0; i < k; i++) a[i] += 1;
}
void unknown(int n, double *a, const std::function<double(double)> &f) {
    for (int i = 0; i < n; i++) a[i] = f(a[i]) + 1;
}
void either(int n, double *a, double x) {
    std::function<double(double)> f = twice;
    if (x > 0) f = [](double v) { return v * v * v; };
    for (int i = 0; i < n; i++) a[i] = f(a[i]);
}
