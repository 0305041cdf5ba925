#include <array>
#include <utility>
#include <vector>
using Numbers = std::vector<double>;
struct Point { double x, y; };
struct Body { double x, y; Body(double a, double b) : x(a), y(b * 2) {} };
struct Grid { int rows, columns; Numbers u; Grid(int n, int m) : rows(n), columns(m), u(n * m, 1.0) {} };
struct Store { Numbers v; void add(double x) { v.push_back(x); } };
double sum(const Numbers& v) { double s = 0; for (std::size_t i = 0; i < v.size(); i++) s += v[i]; return s; }
double sums(const std::vector<Numbers>& v) { double s = 0; for (auto& row : v) for (double x : row) s += x; return s; }
void refill(Numbers& v, const double* a, int n) { v.clear(); for (int i = 0; i < n; i++) v.push_back(a[i]); }
double from_number(int n) { Numbers v(n); return sum(v); }
double from_value(int n) { Numbers v(n, 1.5); return sum(v); }
double from_list() { Numbers v{1.0, 2.0, 3.0}; return sum(v); }
double from_pair(const double* a, int n) { Numbers v(a, a + n); return sum(v); }
double from_local_constant() { const int side = 5; Numbers v(side * side); return sum(v); }
double from_rows(int n, int m) { std::vector<Numbers> v(n, Numbers(m)); return sums(v); }
double from_filled_rows(int n, int m) { std::vector<Numbers> v(n, Numbers(m, 2.0)); return sums(v); }
double from_resized_rows(int n, int m) { std::vector<Numbers> v(n); for (auto& row : v) row.resize(m); return sums(v); }
double from_pushed_rows(int n, int m) { std::vector<Numbers> v; for (int i = 0; i < n; i++) v.push_back(Numbers(m)); return sums(v); }
double of_points(int n) { std::vector<Point> v(n); double s = 0; for (auto& p : v) s += p.x * p.y; return s; }
double of_pushed_points(const double* a, int n) { std::vector<Point> v; v.reserve(n); for (int i = 0; i < n; i++) v.push_back({a[i], 2.0}); double s = 0; for (auto& p : v) s += p.x * p.y; return s; }
double of_made_bodies(const double* a, int n) { std::vector<Body> v; v.reserve(n); for (int i = 0; i < n; i++) v.emplace_back(a[i], a[i + 1]); double s = 0; for (auto& p : v) s += p.x * p.y; return s; }
double pushed(const double* a, int n) { Numbers v; v.reserve(n); for (int i = 0; i < n; i++) v.push_back(a[i]); return sum(v); }
double pushed_twice(const double* a, int n, int m) { Numbers v; v.reserve(n + m); for (int i = 0; i < n; i++) v.push_back(a[i]); for (int i = 0; i < m; i++) v.emplace_back(a[i] * 2); return sum(v); }
double pushed_by_lambda(const double* a, int n) { Numbers v; v.reserve(n); auto add = [&](double x) { v.push_back(x); }; for (int i = 0; i < n; i++) add(a[i]); return sum(v); }
double pushed_by_method(const double* a, int n) { Store s; s.v.reserve(n); for (int i = 0; i < n; i++) s.add(a[i]); return sum(s.v); }
double pushed_by_pointer(const double* a, int n) { Numbers v; Numbers* p = &v; p->reserve(n); for (int i = 0; i < n; i++) p->push_back(a[i]); return sum(v); }
double resized(int n) { Numbers v; v.resize(n); v.resize(2 * n); return sum(v); }
double resized_with(int n, int m) { Numbers v; v.reserve(n + m); v.resize(n, 1.0); v.resize(n + m, 2.0); return sum(v); }
double resized_by_reference(int n) { Numbers v(n); auto& w = v; w.resize(n / 2); return sum(v); }
double resized_again(int n) { Numbers v(n); v.clear(); v.resize(n / 2); v.resize(2 * n); return sum(v); }
double resized_to(int n, int m) { Numbers v(m); v.resize(n); return sum(v); }
double resized_if(int n, int m) { Numbers v; if (m > 3) v.resize(n); else v.resize(n); return sum(v); }
double assigned(int n) { Numbers v; v.reserve(n); v.assign(n, 2.0); return sum(v); }
double assigned_pair(const double* a, int n) { Numbers v; v.reserve(n); v.assign(a, a + n); return sum(v); }
double assigned_list() { Numbers v(4); v = {1.0, 2.0, 3.0}; return sum(v); }
double cleared(int n) { Numbers v(n); v.clear(); return sum(v) + 1; }
double popped(int n) { Numbers v(n); double s = 0; while (!v.empty()) { s += v.back(); v.pop_back(); } return s; }
double swapped(int n, int m) { Numbers v(n), w(m); v.swap(w); return sum(v) + sum(w) * 2; }
double exchanged(int n, int m) { Numbers v(n), w(m); std::swap(v, w); v.clear(); return sum(v) + sum(w) * 2; }
double moved(int n, int m) { Numbers v(n), w(m); w = std::move(v); v.clear(); v.resize(3); return sum(v) + sum(w); }
double copied(int n) { Numbers v(n); Numbers w = v; w.resize(2); return sum(v) + sum(w); }
double refilled(const double* a, int n, int m) { Numbers v; v.reserve(n); double s = 0; for (int k = 0; k < m; k++) { refill(v, a, n); s += sum(v); } return s; }
double handed_on(int n, int m) { Numbers v(n); double s = 0; for (int k = 0; k < m; k++) s += sum(v); return s; }
double of_objects(int n, int m) { Grid g(n, m), h = g; h.u.clear(); return sum(g.u) + sum(h.u); }
double of_array() { std::array<double, 8> v; v.fill(1.0); double s = 0; for (double x : v) s += x; return s; }
double halved(int n) { Numbers v(n); double s = 0; for (int i = 0; i < 3; i++) { v.resize(v.size() - 2); s += sum(v); } return s; }
