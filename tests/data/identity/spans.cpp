#include <array>
#include <span>
#include <vector>
double sum(std::span<const double> x) { double s = 0; for (std::size_t i = 0; i < x.size(); i++) s += x[i]; return s; }
double of_pointer(double* a, int n) { return sum(std::span<const double>(a, n)); }
double of_vector(int n) { std::vector<double> v(n); return sum(v); }
double of_rest(int n) { std::vector<double> v(n); return sum(std::span<const double>(v).subspan(2)); }
double of_start(int n) { std::vector<double> v(n); std::span<double> s(v.data(), 5); double t = 0; for (double x : s) t += x; return t; }
double of_parts(int n) { std::vector<double> v(n); std::span<double> s(v); auto u = s.subspan(2, 4); double t = 0; for (double x : u) t += x; for (double x : s.first(3)) t += x; for (double x : s.last(2)) t += x; return t; }
double of_rows(double* a, int n, int m) { double t = 0; for (int i = 0; i < n; i++) { std::span<double> r(a + i * m, m); for (double x : r) t += x; } return t; }
double of_array() { std::array<double, 12> v; v.fill(2.0); return sum(v); }
