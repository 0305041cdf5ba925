#include <chrono>
#include <iostream>
#include <vector>

class Matrix {
public:
    explicit Matrix(int n) : n_(n), data_(n * n) {}
    double &operator()(int i, int j) { return data_[i * n_ + j]; }
    double operator()(int i, int j) const { return data_[i * n_ + j]; }
    int size() const { return n_; }

private:
    int n_;
    std::vector<double> data_;
};

Matrix multiply(const Matrix &a, const Matrix &b) {
    int n = a.size();
    Matrix c(n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c(i, j) += a(i, k) * b(k, j);
    return c;
}

int main() {
    const int n = 500;
    Matrix a(n), b(n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a(i, j) = i - j;
            b(i, j) = 0.5 * i;
        }
    auto start = std::chrono::high_resolution_clock::now();
    Matrix c = multiply(a, b);
    auto stop = std::chrono::high_resolution_clock::now();
    std::cout << c(1, 2) << " " << std::chrono::duration<double>(stop - start).count() << "\n";
}
