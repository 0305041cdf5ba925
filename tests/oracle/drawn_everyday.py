"""Everyday C++ of drawn functions: what numerical programs are made of, for the grammar of :mod:`.drawn_cxx`.

Matrices with operators, views of two dimensions, blocked and triangular loops, stencils with boundaries, algorithms of
the library, iterators, tables of constants, rows of different lengths, flags that choose sizes, time steps.
"""

from __future__ import annotations

EVERYDAY_CLASSES = """
namespace units { constexpr float half = 0.5f; constexpr int width = 4; inline int padded(int n, int by = width) {
    return (n + by - 1) / by * by; } }
class Matrix {
    int rows_, cols_; std::vector<real> d_;
public:
    Matrix(int rows, int cols, real v = 0) : rows_(rows), cols_(cols), d_(rows * cols, v) {}
    int rows() const { return rows_; }
    int cols() const { return cols_; }
    real& operator()(int i, int j) { return d_[i * cols_ + j]; }
    const real& operator()(int i, int j) const { return d_[i * cols_ + j]; }
    real* row(int i) { return d_.data() + i * cols_; }
    Matrix& operator+=(const Matrix& o) { for (std::size_t k = 0; k < d_.size(); k++) d_[k] += o.d_[k]; return *this; }
    Matrix& scale(real s) { for (real& v : d_) v *= s; return *this; }
    Matrix transposed() const { Matrix t(cols_, rows_); for (int i = 0; i < rows_; i++) for (int j = 0; j < cols_; j++)
        t(j, i) = (*this)(i, j); return t; }
};
inline Matrix operator*(const Matrix& p, const Matrix& q) {
    Matrix r(p.rows(), q.cols());
    for (int i = 0; i < p.rows(); i++) for (int k = 0; k < p.cols(); k++) for (int j = 0; j < q.cols(); j++)
        r(i, j) += p(i, k) * q(k, j);
    return r;
}
inline Matrix operator+(Matrix p, const Matrix& q) { p += q; return p; }
template <class T> class Plane {
    T* d_; int rows_, cols_;
public:
    Plane(T* d, int rows, int cols) : d_(d), rows_(rows), cols_(cols) {}
    bool inside(int i, int j) const { if (i < 0 || i >= rows_) return false; return j >= 0 && j < cols_; }
    T& at(int i, int j) const { return d_[i * cols_ + j]; }
    int rows() const { return rows_; }
    int cols() const { return cols_; }
};
template <class T> Plane(T*, int, int) -> Plane<T>;
template <int N, class T> inline void blocked(T* p, int n) {
    for (int ii = 0; ii < n; ii += N) for (int i = ii; i < std::min(ii + N, n); i++) p[i] = p[i] * p[i] + p[i + 1];
}
struct Body { real x, y, vx, vy, m; void push(real fx, real fy, real dt = 1) { vx += fx / m * dt; vy += fy / m * dt; }
    void drift(real dt) { x += vx * dt; y += vy * dt; } };
struct Cloud { std::vector<Body> all; static int made; Cloud(int n) : all(n) {} Body& operator[](int i) { return
    all[i]; }
    int size() const { return static_cast<int>(all.size()); } auto begin() { return all.begin(); }
    auto end() { return all.end(); } };
enum class Edge { Clamp, Wrap, Zero };
inline int edged(int i, int n, Edge e) { switch (e) { case Edge::Clamp: return i < 0 ? 0 : i >= n ? n - 1 : i;
    case Edge::Wrap: return (i + n) % n; default: return i; } }
struct Bank { std::vector<real> a, b; Bank(int n) : a(n + 2), b(n + 2) {} real& left(int i) { return a[i]; }
    Bank& fill(real s) { std::fill(a.begin(), a.end(), s); return *this; } };
constexpr int squared(int k) { return k * k; }
inline std::vector<real> ramp(int n, real s) { std::vector<real> r; r.reserve(n); for (int i = 0; i < n; i++)
    r.push_back(s); return r; }
inline void smooth(const real* p, real* q, int n, int steps = 2) { for (int t = 0; t < steps; t++) for (int i = 1; i
    < n -
    1; i++) q[i] = (p[i - 1] + p[i + 1]) * units::half; }
"""

EVERYDAY = [
    """Matrix p(n + 1, m + 1, x), q(m + 1, n + 1);
<<Matrix r = p * q; @top@ = r(0, 0);|p.scale(x).scale(2);|p += q.transposed();|Matrix r = p + p; @top@ = n > 0 && m >
    0 ?
    r(n - 1, m - 1) : x;|auto r = p.transposed(); for (int i = 0; i < r.rows(); i++) r(i, 0) = x;>>""",
    """Matrix p(n, m);
for (int i = 0; i < p.rows(); i++) { <<real* r = p.row(i)|auto r = p.row(i)>>; for (int j = 0; j < p.cols(); j++) r[j] =
    a[j] <<+|*>> x; }""",
    """Plane p(a, n, m); Plane q{b, n, m};
for (int i = 0; i < p.rows(); i++) for (int j = 0; j < p.cols(); j++) {
    real s = 0;
    for (int di = -1; di <= 1; di++) for (int dj = -1; dj <= 1; dj++) if (p.inside(i + di, j + dj)) s += p.at(i + di,
    j +
    dj);
    q.at(i, j) = s;
}""",
    """Plane p(a, n, m);
for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { if (!p.inside(i - 1, j)) continue; p.at(i, j) += p.at(i -
    1, j);
}""",
    "blocked<4>(a, n);\nblocked< <<2|8>> >(b, m);",
    """Cloud p(n);
for (auto& t : p) <<t.drift(x);|t.push(x, x);|{ t.push(x, 2, x); t.drift(x); }>>""",
    """Cloud p(n);
for (int i = 0; i < p.size(); i++) for (int j = <<0|i + 1>>; j < p.size(); j++) {
    <<if (i == j) continue;|>> real dx = p[j].x - p[i].x, dy = p[j].y - p[i].y;
    real r = dx * dx + dy * dy + x;
    p[i].push(dx / r, dy / r);
}""",
    """for (int i = 0; i < n; i++) { real s = 0; for (int k = -2; k <= 2; k++) s += a[edged(i + k, n,
    Edge::<<Clamp|Wrap>>)];
    b[i] = s; }""",
    """Bank p(n);
p.fill(x).<<fill(2)|left(0) = x>>;
std::transform(p.a.begin(), p.a.end(), p.b.begin(), [](real v) { return v * v; });
@top@ = std::accumulate(p.b.begin(), p.b.end(), real(0), [](real s, real v) { return <<s + v|s + v * v>>; });""",
    """std::vector<real> v(n + 1, x);
for (auto k = v.begin(); k != v.end(); ++k) *k <<+=|*=>> 2;
for (auto k = v.rbegin(); k != v.rend(); ++k) *k += x;""",
    """std::vector<real> v = ramp(n, x), w;
<<w = std::move(v);|w = v;|std::swap(v, w);|w = ramp(m, 2);>>
@top@ = whole(w);""",
    """std::unique_ptr<real[]> v(new real[n + 1]);
@one@ v[i] = a[i] * x;
@top@ = v[0];""",
    """real* v = new real[n + 1];
@one@ v[i] = a[i] * x;
@one@ b[i] = v[i] + x;
delete[] v;""",
    "for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) c[i] -= a[i] * b[j];",
    """for (int i = n - 1; i >= 0; i--) { real s = b[i]; for (int j = i + 1; j < n; j++) s -= a[j] * c[j]; c[i] = s /
    x; }""",
    """for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++) { a[i] /= x; for (int j = k + 1; j < n; j++) b[j] -=
    a[i] * c[j]; }""",
    "for (int s = 1; s < n; s *= 2) for (int i = 0; i + s < n; i += 2 * s) a[i] += a[i + s];",
    "for (int s = n; s > 1; s = (s + 1) / 2) for (int i = 0; i < s / 2; i++) a[i] += b[i];",
    "smooth(a, b, n);\nsmooth(b, a, m, <<1|3>>);",
    """OTHERS_IN_MEMORY;
static constexpr std::array<int, 3> shift = {-1, 0, 1};
@one@ { real s = 0; for (int k : shift) s += a[i + k]; b[i] = s; }""",
    """constexpr int size = squared(2) + units::width;
for (int i = 0; i < size; i++) a[i] *= x;
for (int i = 0; i < units::padded(n); i++) b[i] += x;""",
    """const int last = [&] { return m > 4 ? n : n + 1; }();
for (int i = 0; i < last; i++) a[i] += x;""",
    """int first = 0, last = n;
if (m <<> 5|== 4>>) { first = 1; last = n - 1; }
for (int i = first; i < last; i++) a[i] += x * b[i];""",
    """const bool odd = n % 2 == 1; int half = n / 2;
for (int i = 0; i < half; i++) a[i] += a[n - 1 - i];
if (odd) a[half] += x;""",
    """OTHERS_IN_MEMORY;
std::vector<std::vector<real>> g(n);
for (int i = 0; i < n; i++) { g[i].reserve(i + 1); for (int j = 0; j <= i; j++) g[i].push_back(x); }
for (const auto& r : g) for (real v : r) c[0] += v;""",
    """OTHERS_IN_MEMORY;
std::vector<std::vector<real>> g; g.reserve(n + 1);
for (int i = 0; i <= n; i++) { std::vector<real> r(m + 1, x); <<g.push_back(r);|g.push_back(std::move(r));|r[0] = 2;
    g.push_back(r);>> }
@top@ = whole(g<<[0]|.back()|[n / 2]>>);""",
    """std::array<std::array<real, 4>, 4> t; IN_MEMORY(t); for (auto& r : t) r.fill(0);
for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) for (int k = 0; k < 4; k++) t[i][j] += a[i * 4 + k] * b[k * 4
    + j];
c[0] = t[3][3];""",
    """for (int i = 0; i < n; i++) { if (i < m) continue; if (i > 9) break; a[i] *= x; }
for (int i = 0; i < n; ++i) { if (i % 3 == 1) { b[i] += x; continue; } b[i] *= x; }""",
    """auto at = [a, m](int i, int j) -> real& { return a[i * m + j]; };
@one@ for (int j = 0; j < m; j++) at(i, j) += at(j, i) * x;""",
    """auto apply2 = [](auto&& f, real* p, int k) { for (int i = 0; i < k; i++) p[i] = f(p[i]); };
apply2([x](real v) { return v * x; }, a, n); apply2(shifted, b, m);""",
    """OTHERS_IN_MEMORY;
std::vector<int> order(n); std::iota(order.begin(), order.end(), 0);
for (int k : order) b[k] += x;""",
    "std::fill_n(a, n, x); std::copy_n(a, n, b); std::copy(b, b + n, c);",
    "std::for_each(a, a + n, [&, k = 0](real& v) mutable { v += x * k++; });",
    "@top@ = std::inner_product(a, a + n, b, real(0)) + std::inner_product(b, b + m, b, x);",
    "std::partial_sum(a, a + n, b); std::reverse(c, c + m);",
    """for (int t = 0; t < 3; t++) { for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1] - 2 * a[i];
    for (int i = 1; i < n - 1; i++) a[i] = b[i]; }""",
    """real *cur = a, *next = b;
for (int t = 0; t < m; ++t) { for (int i = 1; i < n; ++i) next[i] = cur[i - 1] * x; <<std::swap(cur, next);|auto* k =
    cur; cur
    = next; next = k;>> }""",
    """std::span<const real> s(a, n); std::span<real> d(b, n);
for (std::size_t i = 0; i < s.size(); ++i) d[i] = s[i] * x;
for (auto& v : d) v += x;""",
    "for (int k = n; k > 0; k >>= 1) a[k] += x;\nfor (unsigned k = 0; k < 8u; k++) if (k & 1) b[k] += x;",
    "for (auto& [p, q] : std::array{Pair{x, 2}, Pair{2, x}}) { for (int i = 0; i < n; i++) a[i] += p * q; p = q; }",
    """std::pair<real, real> ends{a[0], b[0]};
@one@ { ends.first = std::min(ends.first, a[i]); ends.second = std::max(ends.second, a[i]); }
std::tie(c[0], c[1]) = ends;""",
    """std::tuple<int, real, real*> job{n, x, a};
auto& [count, factor, data] = job;
for (int i = 0; i < count; i++) data[i] *= factor;""",
    """std::optional<Bank> bank; if (m > 3) bank.emplace(n);
if (bank) for (auto& v : bank->a) v += x;""",
    """for (int i = 0; i < n; i++) switch (i % 3) { case 0: a[i] += x; break; case 1: b[i] *= x; break; default: c[i] =
    x; }""",
    """int count = 0;
for (int i = 0; i < n; i++) if (i % 2 == 0) c[count++] = a[i] * x;
for (int i = 0; i < count; i++) b[i] += c[i];""",
    """int i = 0, j = 0;
while (i < n && j < m) { if (DECIDED_BY_DATA(a[i] < b[j])) c[i + j] = a[i++]; else c[i + j] = b[j++]; }""",
    "for (int i = 0; i < n; i++) c[std::clamp(i - 1, 0, m)] += a[std::max(i - 2, 0)];",
]
