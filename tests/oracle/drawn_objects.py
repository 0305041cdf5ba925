"""Objects and tables of drawn C++ functions: classes and statements of the grammar of :mod:`.drawn_cxx`.

Tables of functions, of tasks and of objects of different sizes; pointers to base classes in containers; views that
change places; early returns of functions that take an object; expression templates.  ``TABLES`` have pointers and
    whole
numbers in memory, whose references runs do not count.
"""

from __future__ import annotations

OTHERS_IN_MEMORY = "OTHERS_IN_MEMORY;"
"""In a function: memory has numbers of other types, too, so that it loads and stores more than runs count."""

OBJECTS = """
class Cells {
    int n_; real* d_;
public:
    Cells(int n, real* d) : n_(n), d_(d) {}
    int size() const { return n_; }
    real& at(int i) { return d_[i]; }
    const real& at(int i) const { return d_[i]; }
    class Cursor {
        Cells& of; int i;
    public:
        Cursor(Cells& of_) : of(of_), i(0) {}
        bool done() const { return i >= of.n_; }
        real& value() { return of.d_[i]; }
        void next() { i += <<1|2>>; }
    };
    Cursor cursor() { return Cursor(*this); }
    friend real joined(const Cells& p, const Cells& q) { real s = 0; for (int i = 0; i < p.n_; i++) s += p.d_[i] *
    q.d_[i]; return s; }
};
inline bool scaled_all(Cells& p, real s) {
    for (int i = 0; i < p.size(); i++) { if (<<i > 99|i > 5>>) return false; p.at(i) *= s; }
    return true;
}
inline bool scaled_until(Cells& p, real s) {
    for (int i = 0; i < p.size(); i++) { if (p.at(i) > 5) return false; p.at(i) *= s; }
    return true;
}
inline bool fits(const Cells& p, int m) { if (p.size() < m) return false; return <<true|p.size() > 0>>; }
struct Block { real* p; std::array<int, 2> n; };
inline int sized(const Block& b) { return b.n[0] * b.n[1]; }
struct Buffers {
    std::vector<real> now, next; int steps = 0;
    Buffers(int n) : now(n + 2), next(n + 2) {}
    void step(int n) { for (int i = 0; i < n; i++) next[i] = now[i] + now[i + 1]; <<std::swap(now,
    next)|now.swap(next)>>; steps++; }
};
struct Level { int n; std::vector<real> u; Level(int n_) : n(n_), u(n_ + 1) {} void add(real s) { for (int i = 0; i
    < n; i++) u[i] += s; } };
struct Named { int kind; real (*f)(real); };
template <class E> struct Expr { const E& self() const { return static_cast<const E&>(*this); } };
template <class L, class R> struct Sum : Expr<Sum<L, R>> {
    const L& l; const R& r;
    Sum(const L& l_, const R& r_) : l(l_), r(r_) {}
    real operator[](int i) const { return l[i] + r[i]; }
};
template <class L> struct Times : Expr<Times<L>> {
    L l; real s;
    Times(const L& l_, real s_) : l(l_), s(s_) {}
    real operator[](int i) const { return l[i] * s; }
};
struct Lazy : Expr<Lazy> {
    std::vector<real> d;
    Lazy(int n) : d(n) {}
    int size() const { return d.size(); }
    real operator[](int i) const { return d[i]; }
    real& operator[](int i) { return d[i]; }
    template <class E> Lazy& operator=(const Expr<E>& of) { const E& e = of.self(); for (int i = 0; i < size(); i++)
    d[i] = e[i]; return *this; }
};
template <class L, class R> Sum<L, R> operator+(const Expr<L>& l, const Expr<R>& r) { return {l.self(), r.self()}; }
template <class L, class R> Times<Sum<L, R>> operator*(const Sum<L, R>& l, real s) { return {l, s}; }
struct Mat2 {
    real m[2][2];
    real& operator()(int i, int j) { return m[i][j]; }
    real operator()(int i, int j) const { return m[i][j]; }
    real det() const { return m[0][0] * m[1][1] - m[0][1] * m[1][0]; }
};
inline Mat2 product(const Mat2& p, const Mat2& q) {
    Mat2 r;
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) r(i, j) = p(i, 0) * q(0, j) + p(i, 1) * q(1, j);
    return r;
}
struct Solver {
    real* p; int n; real w;
    Solver(real* p_, int n_, real w_ = 2) : p(p_), n(n_), w(w_) {}
    Solver(real* p_) : Solver(p_, 3) {}
    Solver& with(real v) { w = v; return *this; }
    Solver& sweep() { for (int i = 0; i < n; i++) p[i] = p[i] * w + p[i + 1]; return *this; }
    void run(int steps) { auto one = [this](int i) { p[i] += w; }; for (int s = 0; s < steps; s++) for (int i = 0; i
    < n; i++) one(i); }
};
struct Left { real l = 1; real left(real v) const { return l * v; } };
struct Right { real r; real right(real v) const { return v + r; } };
struct Both : Left, Right { real both(real v) const { return left(v) + right(v); } };
struct Filter { virtual ~Filter() {} virtual void run(real* p, int n) const { for (int i = 0; i < n; i++) p[i] += 1;
    } };
struct Smooth : Filter { void run(real* p, int n) const override { for (int i = 0; i < n; i++) p[i] = p[i] * 2 + p[i
    + 1]; } };
struct Twofold : Smooth { void run(real* p, int n) const override { Smooth::run(p, n); <<Filter|Smooth>>::run(p, n);
    } };
inline real graded(int i, real v) { switch (i % 4) { case 0: return v + 1; case 1: return v * v; default: return v *
    v + v; } }
inline real climbed(int k, real v) { return k <= 0 ? v : climbed(k - 1, v * <<v|2>>); }
template <class F> struct Map { F f; real operator()(real v) const { return f(v); } };
template <class F> Map(F) -> Map<F>;
template <class F, class G> auto after(F f, G g) { return [=](auto v) { return f(g(v)); }; }
template <class T, class F> void whole_of(T& v, F f) { for (auto& w : v) f(w); }
template <std::size_t... K> real summed(const real* p, std::index_sequence<K...>) { return (p[K] + ...); }
struct Policy { static real apply(real v) { return v * v; } };
struct Other { static real apply(real v) { return v + v * v; } };
template <class P, int N = 2> void worked(real* p, int n) { for (int i = 0; i < n; i++) for (int k = 0; k < N; k++)
    p[i] = P::apply(p[i]); }
"""

STATEMENTS = [
    """Smooth f; Twofold g; Filter h;
<<f.run(a, n); g.run(b, m);|const Filter& k = g; k.run(a, n); h.run(b, n);|for (const Filter* k : {(const
    Filter*)&f, (const Filter*)&g}) k->run(a, n);>>""",
    """std::unique_ptr<Filter> f = std::make_unique< <<Smooth|Twofold|Filter>> >();
f->run(a, n);<<| f.reset(new Smooth); f->run(b, m);>>""",
    """Cells p(n, a), q(m, b);
<<scaled_all(p, x);|if (!DECIDED_BY_DATA(scaled_until(p, x))) return;|if (DECIDED_BY_DATA(scaled_until(p, x)))
    @top@ = x;|bool ok = scaled_all(p, x); (void)ok;>>
@top@ = <<joined(p, p)|p.at(0) * x>>;
for (int i = 0; i < p.size(); i++) p.at(i) += x;""",
    """Cells p(n, a), q(m, b);
if (!fits(p, m)) { for (int i = 0; i < p.size(); i++) p.at(i) += x; } else @top@ = joined(q, p);
for (int i = 0; i < q.size(); i++) q.at(i) = x;""",
    """Cells p(n, a);
for (auto k = p.cursor(); !k.done(); k.next()) k.value() *= x;""",
    """Buffers u(n);
for (int t = 0; t < <<3|m>>; t++) u.step(n);
@top@ = u.now[0];""",
    """real *p = a, *q = b;
for (int t = 0; t < m; t++) { @one@ q[i] = p[i] + p[i + 1]; std::swap(p, q); }""",
    """std::vector<real> p(n + 1), q(n + 1, x);
for (int t = 0; t < m; t++) { @one@ q[i] = p[i] + p[i + 1]; <<p.swap(q)|std::swap(p, q)|q = p|{ auto r =
    std::move(p); p = std::move(q); q = std::move(r); }>>; }""",
    """Lazy p(n + 1), q(n + 1), r(n + 1);
<<p = q + r;|p = p + q;|p = (q + p) * x;|p = (q + r) * x + p;|p = q + p + q;>>
@top@ = p[0];""",
    """std::vector<Mat2> v(n + 1);
@one@ <<{ v[i](0, 1) = @at@; v[i](1, 1) += x; }|a[i] = v[i].det();|v[i + 1] = v[i];>>""",
    """Solver s(a, n<<|, x>>), t(b);
<<s.sweep().with(x).sweep();|s.with(x).run(m);|Solver u = s; u.n = m; u.sweep(); s.sweep();>>
t.sweep();""",
    """Both t; t.r = x;
@for@ @at@ = <<t.both(@at@)|t.left(@at@)|t.l + t.right(@at@)>>;""",
    "@for@ @at@ = graded(<<i|i + m|n>>, @at@);",
    "@for@ @at@ = climbed(<<2|3>>, @at@);",
    """@for@ { switch (<<i % 4|i % 3|m>>) { case 0: a[i] += x; break; case 1: a[i] *= b[i];
    <<break;|[[fallthrough]];>> default: a[i] = a[i] * b[i] + x; <<continue;|break;>> } b[i] += 1; }""",
    """[&] { @for@ { switch (i % 4) { case 0: a[i] += x; break; case 1: a[i] *= b[i]; break; case 2: break; default:
    <<return;|b[i] += x; return;>> } b[i] += 1; } }();
@for@ a[i] += x;""",
    """auto f = after(cubed, <<shifted|[=](real v) { return v * x; }>>);
@for@ @at@ = f(@at@);""",
    """Map f{[=](real v) { return v * x + 1; }};
@for@ @at@ = <<f(@at@)|f(f(@at@))>>;""",
    """std::vector<real> v(n);
whole_of(v, [&](real& w) { w += x; });
whole_of(v, [](auto& w) { w *= w; });""",
    """@top@ = summed(a, std::make_index_sequence< <<3|4>> >{});
@for@ @at@ = summed(b + i, std::make_index_sequence<2>{});""",
    """worked<Policy>(a, n);
worked<Other, <<1|3>>>(b, m);""",
    """auto f = [&](auto self, int k, real v) -> real { return k <= 0 ? v : self(self, k - 1, v * x); };
@for@ @at@ = f(f, <<2|3>>, @at@);""",
    """std::variant<Square, Cube> t = <<Square{}|Cube{}>>;
@for@ @at@ = std::visit([&](const auto& k) { return k.area(@at@); }, t);""",
    "for (const auto& [p, q] : {Pair{x, 2}, Pair{x * x, 3}}) @one@ a[i] += <<p * b[i] + q|q>>;",
    "try { @for@ { if (i < 0) throw 1; @at@ = @real@; } } catch (int) { a[0] = 0; }",
    """int i = 0;
for (;;) { if (i >= n) break; @at@ = @real@; ++i; }""",
    """auto p = a, q = a + n;
while (p != q) <<*p++ *= x;|{ *p = *p * x + 1; ++p; }|{ auto& v = *p; v += x; p += 1; }>>""",
    """std::array<std::array<real, 3>, 2> t; IN_MEMORY(t);
for (auto& r : t) for (auto& v : r) v = x;
@for@ @at@ = t[<<0|1>>][i % 3];""",
    """real t[4]; IN_MEMORY(t); std::fill(t, t + 4, x);
@for@ { for (int k = 0; k < 4; k++) t[k] += a[i + k]; }
b[0] = t[0];""",
    """Pair p{x, 2}, q = p; std::swap(p.left, q.right); Pair* k = &p; <<k = &q;|>>
@for@ @at@ = k->left * @at@ + q.right;""",
    """int last = n; if (<<m > 6|n > m>>) last = m;
for (int i = 0; i < last; i++) @at@ = @real@;""",
    """const int k = std::<<min|max>>(n, m), e = std::min({n, m, 6});
for (int i = 0; i < k; i++) a[i] += x;
for (int i = e; i < std::clamp(n, 2, m + 2); i++) b[i] += x;""",
    """auto limit = [&](int i) { return <<i + m|i < 4 ? i : 4|std::min(i, m)>>; };
@one@ for (int j = 0; j < limit(i); j++) a[j] += x;""",
    """using Rows = real (*)[4]; Rows r = (Rows)a;
@one@ for (int j = 0; j < 4; j++) r[i][j] += <<x|r[i][0]>>;""",
]

TABLES = [
    """real (*ops[2])(real) = {cubed, <<shifted|[](real v) { return v + v; }>>};
for (int k = 0; k < <<2|4|m>>; k++) @one@ a[i] = ops[k % 2](b[i]);""",
    """real (*ops[])(real) = {cubed, shifted, cubed};
for (auto op : ops) @one@ a[i] = op(a[i]);""",
    """const Named all[] = {{1, cubed}, {2, <<shifted|[](real v) { return v * 2; }>>}};
for (const <<auto& e|Named& e>> : all) @one@ a[i] = e.f(a[i]);""",
    """const Named all[] = {{1, cubed}, {2, shifted}};
for (const auto& [kind, f] : all) @one@ a[i] = <<f(a[i])|f(b[i]) * kind>>;""",
    """std::vector<std::function<real(real)>> ops = {cubed, [](real v) { return v + 1; }};
for (<<auto&|const auto&>> op : ops) @one@ a[i] = op(a[i]);""",
    """std::vector<std::function<real(real)>> ops;
ops.push_back([](real v) { return v * v; }); ops.<<push_back|emplace_back>>(shifted);
<<for (auto& op : ops) @one@ a[i] = op(a[i]);|for (int k = 0; k < 2; k++) @one@ a[i] = ops[k](a[i]);|@one@ a[i] =
    ops[1](ops[0](a[i]));>>""",
    """std::array<std::function<real(real)>, 2> ops{[](real v) { return v * v; }, [](real v) { return v + 1; }};
<<for (int k = 0; k < 2; k++) @one@ a[i] = ops[k](a[i]);|@one@ a[i] = ops[i % 2](a[i]);>>""",
    """std::vector<std::unique_ptr<Shape>> all;
all.push_back(std::make_unique<Square>()); all.push_back(std::make_unique<Cube>());
<<for (auto& s : all) @one@ a[i] = s->area(a[i]);|for (std::size_t k = 0; k < all.size(); k++) @one@ a[i] +=
    all[k]->area(x);>>""",
    """Square s; Cube t; <<const Shape* all[] = {&s, &t};|std::vector<const Shape*> all = {&s,
    &t};|std::array<Shape*, 2> all{&s, &t};>>
for (auto* k : all) @one@ a[i] = k-><<area|twice>>(b[i]);""",
    """Block in{a, {n, 3}}, out{b, {n, 3}};
for (int t = 0; t < <<2|m>>; t++) {
    for (int i = 0; i < in.n[0]; i++) for (int j = 0; j < in.n[1]; j++) out.p[i * in.n[1] + j] = in.p[i * in.n[1] +
    j] * x;
    std::swap(in, out);
}""",
    """Block p{a, {n, m}};
for (int i = 0; i < sized(p); i++) p.p[i] += x;""",
    """std::vector<std::vector<real>> g(n, std::vector<real>(m<<| + 1>>, x));
<<@one@ for (int j = 0; j < m; j++) g[i][j] += a[j];|for (auto& r : g) for (auto& v : r) v *= x;|for (auto& r : g)
    @top@ = whole(r);>>""",
    """std::vector<std::vector<real>> g(n);
@one@ g[i].resize(<<m|i + 1>>);
<<for (auto& r : g) for (auto& v : r) v *= x;|@one@ for (std::size_t j = 0; j < g[i].size(); j++) g[i][j] += x;>>""",
    """std::vector<std::vector<real>> g;
@one@ g.<<push_back(std::vector<real>(m, x))|emplace_back(m, x)>>;
for (auto& r : g) for (auto& v : r) v *= x;""",
    """std::vector<Level> all;
for (int k = <<n|16>>; k >= 2; k /= 2) all.<<emplace_back(k)|push_back(Level(k))>>;
<<for (auto& l : all) for (int i = 0; i < l.n; i++) l.u[i] *= x;|for (auto& l : all) for (auto& w : l.u) w += x;|for
    (auto& l : all) l.add(x);>>""",
    """std::vector<Level> all;
all.reserve(3); all.emplace_back(n); all.emplace_back(m); all.emplace_back(4);
<<for (auto& l : all) l.add(x);|for (int k = 0; k < 3; k++) for (int i = 0; i < all[k].n; i++) all[k].u[i] *=
    x;|all[1].add(x);|for (auto& w : all[1].u) w *= x;>>""",
    """Level all[] = {Level(n), Level(m)};
<<for (auto& l : all) l.add(x);|all[0].add(x); all[1].add(2);|for (int k = 1; k >= 0; k--) for (int i = 0; i <
    all[k].n; i++) all[k].u[i] *= x;>>""",
    """struct Task { int first, last; real* p; };
std::vector<Task> tasks = {{0, n, a}, {1, m, b}, {.first = 0, .last = 4, .p = c}};
for (auto& t : tasks) for (int i = t.first; i < t.last; i++) t.p[i] += x;""",
    """struct Task { int first, last; real* p; };
const Task tasks[] = {{0, n, a}, {1, m, b}};
for (const Task& t : tasks) for (int i = t.first; i < t.last; i++) t.p[i] *= x;""",
    """std::vector<int> s = {0, 2, <<n|m>>};
for (std::size_t k = 0; k + 1 < s.size(); k++) for (int i = s[k]; i < s[k + 1]; i++) a[i] += x;""",
    """int all[] = {n, m, 3};
<<for (int k : all) for (int i = 0; i < k; i++) a[i] += x;|for (int k = 0; k < 3; k++) for (int i = 0; i < all[k];
    i++) a[i] += x;>>""",
    """auto tasks = std::array{std::pair{a, n}, std::pair{b, m}};
for (auto [p, k] : tasks) for (int i = 0; i < k; i++) p[i] += x;""",
    """std::vector<std::pair<int, int>> ranges; ranges.push_back({0, n}); ranges.emplace_back(1, m);
for (auto [s, e] : ranges) for (int i = s; i < e; i++) a[i] *= x;""",
]
