"""Idioms of drawn functions: what C++ programs of numbers are written in, for the grammar of :mod:`.drawn_cxx`.

Classes that know their derived class, branches on template parameters, strides by constants of a class, iterators with
a stride, nested lambdas, tables of structures, functions that choose a size, trees of calls, walking pointers.
"""

from __future__ import annotations

IDIOM_CLASSES = """
template <class D> struct Curve { real twice(real v) const { return self().value(v) * 2; }
    real all(const real* p, int n) const { real s = 0; for (int i = 0; i < n; i++) s += self().value(p[i]); return s; }
    const D& self() const { return static_cast<const D&>(*this); } };
struct Parabola : Curve<Parabola> { real by; explicit Parabola(real v) : by(v) {} real value(real v) const { return
    v * v <<*|+>> by; } };
struct Ramp : Curve<Ramp> { real value(real v) const { return v + 1; } };
template <int K> inline real powered(real v) { if constexpr (K == 0) return 1; else if constexpr (K % 2 == 1) return v *
    powered<K - 1>(v); else { real h = powered<K / 2>(v); return h * h; } }
struct Brick { static constexpr int NX = 4, NY = 3, NZ = <<2|3>>, SY = NX, SZ = NX * NY; real* p;
    real& operator()(int i, int j, int k) const { return p[i + SY * j + SZ * k]; }
    template <class F> void each(F f) const { for (int k = 0; k < NZ; k++) for (int j = 0; j < NY; j++) for (int i = 0;
    i < NX; i++) f(i, j, k); } };
struct Step { real* p; int by; Step& operator++() { p += by; return *this; } real& operator*() const { return *p; }
    bool operator!=(const Step& o) const { return p < o.p; } };
struct Column { real* p; int n, by; Step begin() const { return {p, by}; }
    Step end() const { return {p + n * by, by}; } };
inline int chosen(int n, int m) { <<if (m > 4) return n; return n + 1;|return m > 4 ? n : n + 1;|if (m > 5) return n;
    else if (m > 3) return n + 1; return n + 2;>> }
inline real tree(const real* p, int n) { if (n <= 1) return n == 1 ? p[0] : real(0); return tree(p, n / 2) + tree(p + n
    / 2, n - n / 2); }
inline void quarters(real* p, int n) { if (n < 1) return; p[0] += 1; for (int k = 0; k < <<2|4>>; k++) quarters(p + k,
    n / 2); }
inline void ends(const real* p, int n, real& low, real& high) { low = high = p[0]; for (int i = 1; i < n; i++) {
    low += p[i]; high -= p[i]; } }
template <int R, int C> struct Tile { real v[R][C]; void clear() { for (auto& r : v) for (real& e : r) e = 0; }
    void add(const real* p, int ld) { for (int i = 0; i < R; i++) for (int j = 0; j < C; j++)
        v[i][j] += p[i * ld + j]; } };
struct Point { int di; real w; };
template <class F = real (*)(real)> inline void mapped(real* p, int n, F f = cubed) { for (int i = 0; i < n; i++) p[i] =
    f(p[i]); }
enum Axis { X, Y, Z, Axes };
template <Axis A> inline int offset(int i) { if constexpr (A == X) return i; else if constexpr (A == Y) return 4 * i;
    else return 12 * i; }
class Ring { int n_; real* p_; public: Ring(real* p, int n) : n_(n), p_(p) {} real& operator[](int i) const { return
    p_[(i % n_ + n_) % n_]; } int size() const { return n_; } };
"""

IDIOMS = [
    """Parabola p(x); Ramp q;
<<@for@ @at@ = p.twice(@at@);|@top@ = p.all(a, n) + q.all(b, m);|@for@ @at@ = p.twice(@at@) + q.twice(x);>>""",
    "@for@ @at@ = powered< <<2|3|5|8>> >(@at@);",
    """Brick p{a}, q{b};
<<p.each([&](int i, int j, int k) { p(i, j, k) += q(i, j, k) * x; });|
for (int k = 1; k < Brick::NZ; k++) for (int j = 0; j < Brick::NY; j++) q(1, j, k) = p(0, j, k) - p(0, j, k - 1);>>""",
    "for (real& v : Column{a, n, <<2|3|1>>}) v <<+=|*=>> x;",
    "real s = 0;\nfor (real v : Column{b + 1, m, 4}) s += v;\n@top@ = s;",
    "for (int i = 0; i < chosen(n, m); i++) a[i] += x;",
    "const int last = chosen(n, m);\nfor (int i = 0; i < last; i++) { a[i] += x; <<b[i] = a[i];|>> }",
    "@top@ = tree(<<a, n|b + 1, m|a, 2 * n>>);",
    "quarters(a, <<n|m|n + m>>);",
    "real low, high;\nends(a, n + 1, low, high);\n@top@ = low * high;",
    """Tile<<<2, 3|3, 4>>> t; IN_MEMORY(t.v); t.clear();
for (int k = 0; k < n; k++) t.add(a + k, 4);
c[0] = t.v[1][1];""",
    """OTHERS_IN_MEMORY;
static const Point stencil[] = {{-1, 1}, {0, -2}, {1, 1}};
@one@ { real s = 0; for (const Point& q : stencil) s += q.w * a[i + q.di]; b[i] = s; }""",
    "mapped(a, n); mapped(b, m, [=](real v) { return v + x; });",
    "@for@ c[offset<<<X|Y|Z>>>(i)] += x;",
    "Ring r(a, n + 1);\nfor (int i = 0; i < r.size(); i++) b[i] = r[i - 1] + r[i + 1];",
    """auto outer = [&](int i) { auto inner = [&, i](int j) { return a[i] * b[j]; };
    real s = 0; for (int j = 0; j < m; j++) s += inner(j); return s; };
@one@ c[i] = outer(i);""",
    """real *p = a, *e = a + n;
<<while (p < e) *p++ += x;|while (e-- > p) *e *= x;|while (p != e) { *p = *p * x; ++p; }|
do { *p += x; } while (++p < e);>>""",
    "for (int i = 0, j = n - 1; i < j; ++i, --j) { real t = a[i]; a[i] = a[j]; a[j] = t * x; }",
    "for (unsigned i = n; i-- > 0;) a[i] += x;\nfor (std::size_t i = 0; i < std::size_t(n); i += 3) b[i] *= x;",
    "@one@ (i % 2 ? a : b)[i] += x;",
    """std::vector<std::array<real, 3>> p(n + 1);
@one@ for (int k = 0; k < 3; k++) p[i][k] <<+=|=>> a[i] * x;
for (auto& q : p) for (real& v : q) v *= 2;""",
    """std::array<Pair, 3> t; IN_MEMORY(t); t = {{{x, 1}, {2, x}, {x, x}}};
for (const auto& p : t) for (int i = 0; i < n; i++) a[i] += p.left <<*|+>> p.right;""",
    """std::vector<real> v(n + 2, x);
for (auto k = v.begin() + 1; k < v.end(); k += 2) *k += x;
std::generate(v.begin(), v.end(), [&] { return x * 2; });
@top@ = *std::prev(v.end()) + v.front();""",
    """for (int i = 0; i < n; i++) { bool seen = false;
    for (int j = 0; j < m; j++) { if (j == i) { seen = true; break; } b[j] += x; }
    if (!seen) a[i] *= x; }""",
    "real g[Axes]; IN_MEMORY(g); for (real& v : g) v = 0;\n@one@ g[i % Axes] += a[i];\nc[0] = g[X] + g[Z];",
    """int rows = n, cols = m;
if (<<rows < cols|cols > 5>>) std::swap(rows, cols);
for (int i = 0; i < rows; i++) for (int j = 0; j < cols; j++) c[i] += x;""",
    """const int threads = <<3|4>>, chunk = (n + threads - 1) / threads;
for (int t = 0; t < threads; t++) { const int from = t * chunk, to = std::min(n, from + chunk);
    for (int i = from; i < to; i++) a[i] = a[i] * x + 1; }""",
    """auto tiled = [&](auto&& f) { for (int ii = 0; ii < n; ii += 4) for (int jj = 0; jj < m; jj += 4)
    for (int i = ii; i < std::min(ii + 4, n); i++) for (int j = jj; j < std::min(jj + 4, m); j++) f(i, j); };
tiled([&](int i, int j) { a[i] += b[j] * x; });""",
]
