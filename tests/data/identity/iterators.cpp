#include <utility>
#include <vector>
struct Place {
    double* p; int step;
    double& operator*() const { return *p; }
    Place& operator++() { p += step; return *this; }
    bool operator!=(const Place& o) const { return p != o.p; }
};
struct Strided { double* d; int n, step; Place begin() const { return {d, step}; } Place end() const { return {d + n * step, step}; } };
struct Number { int i; int operator*() const { return i; } Number& operator++() { ++i; return *this; } bool operator!=(const Number& o) const { return i < o.i; } };
struct Upto { int n; Number begin() const { return {0}; } Number end() const { return {n}; } };
struct Pair { double left, right; };
void over_object(double* a, int n) { Strided s{a, n, 1}; for (double& x : s) x *= 2; }
void over_made(double* a, int n) { for (double& x : Strided{a, n, 3}) x *= 2; }
void over_numbers(double* a, int n) { for (int i : Upto{n}) a[i] = a[i] * 2 + 1; }
void by_hand(double* a, int n) { Strided s{a, n, 2}; for (auto it = s.begin(); it != s.end(); ++it) *it += 1; }
double of_pairs(int n) { std::vector<Pair> v(n); double s = 0; for (auto& [x, y] : v) { x = 1; s += x * y; } return s; }
double of_copies(int n) { std::vector<std::pair<double, double>> v(n); double s = 0; for (const auto& [x, y] : v) s += x * y; return s; }
double once_more(const std::vector<double>& v, int n) { double s = 0; for (int i = 0; i < n; i++) s += v[i]; return s; }
double repeated(const std::vector<double>& v, int n, int m) { double s = 0; for (int k = 0; k < m; k++) s += once_more(v, n); return s; }
double of_handed(int n, int m) { std::vector<double> v(n); return repeated(v, n, m); }
