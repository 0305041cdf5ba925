#include <functional>
#include <ranges>
#include <tuple>
#include <utility>
#include <valarray>
#include <vector>
double of_arrays(int n, double k) {
    std::valarray<double> x(1.0, n), y(2.0, n);
    std::valarray<double> z = x * k + y;
    z -= x;
    z *= k;
    return z.sum();
}
void of_slices(int n, int m, double *a) {
    std::valarray<double> v(a, n * m), w(a, m);
    const double k = a[2];
    for (int i = 0; i < n; i++) v[std::slice(i * m, m, 1)] += w * k;
    a[0] = v[1] + w[1];
}
void of_numbers(int n, double *a) {
    for (int i : std::views::iota(1, n)) a[i] += a[i - 1];
    auto all = std::views::iota(0, n);
    for (auto i : all) a[i] *= 2;
}
std::pair<double, double> turned(double x, double y) { return {x - y, x + y}; }
void of_pairs(int n, double *a, double *b) {
    for (int i = 0; i < n; i++) std::tie(a[i], b[i]) = turned(a[i], b[i]);
    for (int i = 0; i < n; i++) { auto [x, y] = turned(a[i], b[i]); a[i] = x * y; }
    double x;
    std::tie(x, std::ignore) = turned(a[0], b[0]);
    a[1] = std::apply([](double p, double q) { return p * q; }, std::make_tuple(x, a[0]));
}
constexpr int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
constexpr int taps = factorial(3);
void of_constants(int n, double *a) {
    constexpr int half = factorial(4) / 8;
    for (int i = 0; i < n; i++)
        for (int k = half; k < taps; k++) a[i] += a[i + k];
}
