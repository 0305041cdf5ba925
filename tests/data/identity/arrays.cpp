#include <array>
#include <cstddef>
using Triple = std::array<double, 3>;
struct Vector {
    Triple v;
    Vector operator+(const Vector &o) const { return {{v[0] + o.v[0], v[1] + o.v[1], v[2] + o.v[2]}}; }
};
struct Shape {
    std::array<std::size_t, 2> extents;
    template <class... E> Shape(E... e) : extents{static_cast<std::size_t>(e)...} {}
};
Triple made(double a, double b) { return {a, b, 2.0}; }
Triple named(double a, double b) { Triple r; r[0] = a; r[1] = b; r[2] = a * b; return r; }
double sum(const Triple &v) { return v[0] + v[1] + v[2]; }
void in_two_braces(int n, double *a) {
    for (int i = 0; i < n; i++) { Triple t = {{a[i], a[i + 1], 2.0}}; a[i] = t[0] + t[2]; }
}
void of_a_member(int n, double *a) {
    for (int i = 0; i < n; i++) { Shape s(n, i); a[i] = s.extents[1]; }
}
void returned_list(int n, double *a) {
    for (int i = 0; i < n; i++) { auto t = made(a[i], a[i + 1]); a[i] = t[0] + t[2]; }
}
void returned_name(int n, double *a) {
    for (int i = 0; i < n; i++) { auto t = named(a[i], a[i + 1]); a[i] = t[0] + t[2]; }
}
void given(int n, double *a) {
    for (int i = 0; i < n; i++) a[i] = sum({a[i], a[i + 1], 2.0}) + sum(made(a[i], 1.0));
}
void added(int n, double *a) {
    for (int i = 0; i < n; i++) { Vector p{{a[i], 1.0, 2.0}}, q = p; Vector r = p + q; a[i] = r.v[2]; }
}
