#include <cmath>
#include <functional>
#include <iostream>

double integrate(const std::function<double(double)> &f, double a, double b, int n) {
    double h = (b - a) / n;
    double s = 0.5 * (f(a) + f(b));
    for (int i = 1; i < n; i++)
        s += f(a + i * h);
    return s * h;
}

int main() {
    auto f = [](double x) { return x * x * std::exp(-x); };
    std::cout << integrate(f, 0.0, 1.0, 10000000) << std::endl;
    return 0;
}
