"""Classes of drawn functions as libraries of numbers have them: templates, ownership, operators, for :mod:`.drawn_cxx`.

Matrices and tensors of fixed size, dual and complex numbers, views with layouts, virtual methods of instances of
templates, callables in members, tuples, destructors that compute, moves, iterators that run side by side, constants
that functions compute, recursion of templates, concepts and tags.
"""

from __future__ import annotations

GENERIC_CLASSES = """
template <class T, int N> struct Fixed {
    T d[N]{};
    T& operator[](int i) { return d[i]; }
    const T& operator[](int i) const { return d[i]; }
    friend Fixed operator+(const Fixed& p, const Fixed& q) { Fixed r; for (int i = 0; i < N; i++) r[i] = p[i] + q[i];
    return r; }
    friend Fixed operator*(T s, Fixed p) { for (T& v : p.d) v *= s; return p; }
    T dot(const Fixed& o) const { T s{}; for (int i = 0; i < N; i++) s += d[i] * o.d[i]; return s; }
};
template <class T, int R, int C> struct Dense {
    std::array<T, R * C> d{};
    T& operator()(int i, int j) { return d[i * C + j]; }
    const T& operator()(int i, int j) const { return d[i * C + j]; }
    Dense<T, C, R> transposed() const { Dense<T, C, R> t; for (int i = 0; i < R; i++) for (int j = 0; j < C; j++)
    t(j, i) = (*this)(i, j); return t; }
    T trace() const { T s{}; for (int i = 0; i < R; i++) s += (*this)(i, i); return s; }
    static Dense identity() { Dense r; for (int i = 0; i < R; i++) r(i, i) = 1; return r; }
};
template <class T, int R, int K, int C> Dense<T, R, C> operator*(const Dense<T, R, K>& p, const Dense<T, K, C>& q) {
    Dense<T, R, C> r;
    for (int i = 0; i < R; i++) for (int j = 0; j < C; j++) { T s{}; for (int k = 0; k < K; k++) s += p(i, k) * q(k, j);
    r(i, j) = s; }
    return r;
}
template <class T> struct Cx { T re{}, im{};
    Cx operator+(const Cx& o) const { return {re + o.re, im + o.im}; }
    Cx operator-() const { return {-re, -im}; }
    Cx operator*(const Cx& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
    Cx& operator*=(const Cx& o) { return *this = *this * o; }
    Cx conj() const & { return {re, -im}; }
    T square() const { return re * re + im * im; } };
template <class T> struct Dual { T v, d; Dual(T v_ = T(0), T d_ = T(0)) : v(v_), d(d_) {}
    friend Dual operator+(const Dual& p, const Dual& q) { return Dual(p.v + q.v, p.d + q.d); }
    friend Dual operator*(const Dual& p, const Dual& q) { return Dual(p.v * q.v, p.v * q.d + p.d * q.v); } };
template <class T> T polynomial(T v) { return v * v * v + v * v; }
template <class T> struct Op { virtual ~Op() = default; virtual T apply(T v) const = 0;
    virtual void all(T* p, int n) const { for (int i = 0; i < n; i++) p[i] = apply(p[i]); }
    T twice(T v) const { return apply(apply(v)); } };
template <class T> struct Scale : Op<T> { T by; explicit Scale(T b) : by(b) {} T apply(T v) const override { return v
    * by; } };
template <class T> struct Lift : Op<T> { T apply(T v) const override { return v + 1; } };
template <class T> struct Step_up final : Lift<T> { T apply(T v) const override { return Lift<T>::apply(v) * 2; } };
template <class T, int K> struct Raise : Op<T> { T apply(T v) const override { T r = v; for (int k = 1; k < K; k++) r
    *= v;
    return r; } <<|void all(T* p, int n) const override { for (int i = 0; i < n; i += 2) p[i] = apply(p[i]); }>> };
template <class T> struct Shift final : Scale<T> { using Scale<T>::Scale; T apply(T v) const override { return
    <<Scale<T>::apply(v) + this->by|v + this->by>>; } };
template <class T> T through_op(const Op<T>& o, T v) { return o.apply(v) <<|+ o.twice(v)>>; }
template <class F> struct Stage { F f; int times; void run(real* p, int n) const { for (int t = 0; t < times; t++) for
    (int i
    = 0; i < n; i++) p[i] = f(p[i]); } };
template <class F> Stage(F, int) -> Stage<F>;
struct Held_call { std::function<real(real)> f; real scale = 2; real operator()(real v) const { return f(v) * scale; }
    };
inline auto split(real v) { return std::make_tuple(v + 1, v * v, v); }
inline auto first_and_rest(int n) { struct Result { int first, rest; }; return Result{n / 2, n - n / 2}; }
inline std::tuple<int, int> shape_of(int n, int m) { return {std::max(n, m), std::min(n, m)}; }
template <bool Across> struct Slice { real* d; int rows, cols;
    real& operator()(int i, int j) const { if constexpr (Across) return d[i * cols + j]; else return d[j * rows + i]; }
    Slice sub(int i, int r) const { if constexpr (Across) return {d + i * cols, r, cols}; else return {d + i, rows,
    cols}; }
    Slice<!Across> flipped() const { return {d, cols, rows}; } };
struct RowMajor { int rows, cols; int operator()(int i, int j) const { return i * cols + j; } int size() const {
    return rows
    * cols; } };
struct Padded { int rows, cols; int operator()(int i, int j) const { return (i + 1) * (cols + 2) + j + 1; } int size()
    const {
    return (rows + 2) * (cols + 2); } };
template <class Layout> class Sheet { Layout at_; std::vector<real> d_; public:
    Sheet(int rows, int cols, real v = 0) : at_{rows, cols}, d_(at_.size(), v) {}
    real& operator()(int i, int j) { return d_[at_(i, j)]; } real operator()(int i, int j) const { return d_[at_(i,
    j)]; }
    int rows() const { return at_.rows; } int cols() const { return at_.cols; }
    template <class F> void fill(F f) { for (int i = 0; i < rows(); i++) for (int j = 0; j < cols(); j++) (*this)(i,
    j) =
    f(i, j); } };
template <class L> real inner_sum(const Sheet<L>& s) { real t = 0; for (int i = 0; i < s.rows(); i++) for (int j = 0;
    j <
    s.cols(); j++) t += s(i, j); return t; }
constexpr std::array<int, 4> offsets() { std::array<int, 4> r{}; for (int k = 0; k < 4; k++) r[k] = k * k - 2; return
    r; }
constexpr int factorial(int k) { return k <= 1 ? 1 : k * factorial(k - 1); }
consteval int fibonacci(int k) { int p = 0, q = 1; for (int i = 0; i < k; i++) { int t = p + q; p = q; q = t; } return
    p; }
template <int I, class F> inline void unrolled(F&& f) { if constexpr (I > 0) { unrolled<I - 1>(f); f(I - 1); } }
template <class F, int... K> inline void each_of(std::integer_sequence<int, K...>, F f) { (f(std::integral_constant<int,
    K>{}), ...); }
template <int N> struct Sum_of { static real of(const real* p) { return p[N - 1] + Sum_of<N - 1>::of(p); } };
template <> struct Sum_of<1> { static real of(const real* p) { return p[0]; } };
template <int N> inline void butterflies(real* p) { if constexpr (N > 1) { butterflies<N / 2>(p); butterflies<N / 2>(p
    + N / 2);
    for (int i = 0; i < N / 2; i++) { real t = p[i]; p[i] = t + p[i + N / 2]; p[i + N / 2] = t - p[i + N / 2]; } } }
inline real tagged(real v, std::true_type) { return v * v; }
inline real tagged(real v, std::false_type) { return v + v + v; }
template <int N> inline real by_tag(real v) { return tagged(v, std::bool_constant<(N > 2)>{}); }
template <class T> concept Callable = requires(T t, real v) { t(v); };
template <Callable F> inline real used_as(F f, real v) { return f(v) * 2; }
template <class T> requires(!Callable<T>) inline real used_as(T t, real v) { return v + t; }
template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0> inline real scaled_by(T k, real v) { return v + v
    * k; }
template <class T, std::enable_if_t<!std::is_integral_v<T>, int> = 0> inline real scaled_by(T k, real v) { return v *
    k; }
struct Guard { real* p; real v; Guard(real* p_, real v_) : p(p_), v(v_) {} ~Guard() { *p += v; } };
struct Restore { real& r; real old; explicit Restore(real& r_) : r(r_), old(r_) {} ~Restore() { r = old; } };
class Owner { int n_; std::unique_ptr<real[]> d_; public:
    explicit Owner(int n, real v = 1) : n_(n), d_(new real[n + 1]) { for (int i = 0; i < n_; i++) d_[i] = v; }
    Owner(const Owner& o) : n_(o.n_), d_(new real[o.n_ + 1]) { for (int i = 0; i < n_; i++) d_[i] = o.d_[i]; }
    Owner(Owner&& o) noexcept : n_(o.n_), d_(std::move(o.d_)) { o.n_ = 0; }
    Owner& operator=(Owner o) noexcept { std::swap(n_, o.n_); std::swap(d_, o.d_); return *this; }
    int size() const { return n_; } real& operator[](int i) { return d_[i]; } real operator[](int i) const { return
    d_[i]; }
    real* begin() { return d_.get(); } real* end() { return d_.get() + n_; } };
inline Owner made_owner(int n, real v) { Owner r(n, v); for (real& w : r) w *= v; return r; }
inline real taken_owner(Owner o) { real s = 0; for (int i = 0; i < o.size(); i++) s += o[i]; return s; }
template <class A, class B> struct Both_at { A* p; B* q; struct Ends { A& left; B& right; };
    Ends operator*() const { return {*p, *q}; } Both_at& operator++() { ++p; ++q; return *this; }
    bool operator!=(const Both_at& o) const { return p != o.p; } };
template <class A, class B> struct Side_by_side { A* p; B* q; int n; Both_at<A, B> begin() const { return {p, q}; }
    Both_at<A, B> end() const { return {p + n, q + n}; } };
template <class A, class B> inline Side_by_side<A, B> zipped(A* p, B* q, int n) { return {p, q, n}; }
struct Upto { int n; struct At { int i; int operator*() const { return i; } At& operator++() { ++i; return *this; } bool
    operator!=(At o) const { return i != o.i; } }; At begin() const { return {0}; } At end() const { return {n}; } };
struct Animal { virtual ~Animal() {} virtual int legs() const { return <<2|3>>; } virtual real weigh(real v) const {
    return v; } };
struct Dog : Animal { int legs() const override { return 4; } real weigh(real v) const override { return v * v +
    Animal::weigh(v); } };
struct Puppy final : Dog { int legs() const override { return Dog::legs() - <<1|0>>; } };
struct Counting { inline static int made = 0; static real unit() { return 2; } int number; Counting() :
    number(++made) {} static real per(real v, int k = 3) { real s = v; for (int i = 0; i < k; i++) s += v; return s; }
    };
union Either { real one; real other; Either() {} };
struct Twin { std::array<Pair, 2> of; real total() const { real s = 0; for (const auto& [l, r] : of) s += l * r;
    return s; } };
template <class T> class Ptr { T* p_; public: explicit Ptr(T* p) : p_(p) {} T& operator*() const { return *p_; } T*
    operator->() const { return p_; } Ptr& operator++() { ++p_; return *this; } Ptr operator++(int) { Ptr r = *this;
    ++p_;
    return r; } Ptr operator+(int k) const { return Ptr(p_ + k); } bool operator<(const Ptr& o) const { return p_ <
    o.p_; }
    explicit operator bool() const { return p_ != nullptr; } };
struct Overloaded { real f(int) const { return 1; } real f(real v) const { return v * v; } real f(real v, real w)
    const { return
    v + w; } real g() & { return 1; } };
template <class... F> struct Visitor : F... { using F::operator()...; };
template <class... F> Visitor(F...) -> Visitor<F...>;
template <class T> inline T add_all(T v) { return v; }
template <class T, class... R> inline T add_all(T v, R... rest) { return v + add_all<T>(rest...); }
template <class F, class S> inline S fold_range(int n, S s, F f) { for (int i = 0; i < n; i++) s = f(s, i); return s; }
template <class F> inline void rk2(F f, real* y, int n, real h) { std::vector<real> k(n), t(n); f(y, k.data(), n); for
    (int i =
    0; i < n; i++) t[i] = y[i] + h * k[i]; f(t.data(), k.data(), n); for (int i = 0; i < n; i++) y[i] += h * k[i]; }
struct Rows_of { std::vector<int> start; std::vector<real> value; Rows_of(int n, int per) : start(n + 1), value(n *
    per) {
    start[0] = 0; for (int i = 0; i < n; i++) start[i + 1] = start[i] + per; } };
struct Cleared { real d[4]; Cleared() { for (real& v : d) v = 1; } real sum() const { real s = 0; for (real v : d) s
    += v;
    return s; } };
struct Wider : Cleared { real w; real both() const { return sum() * w; } };
struct Twofold_guard { Guard one, two; Twofold_guard(real* p, real v) : one(p, v), two(p + 1, v) {} };
struct Scaled_guard : Guard { Scaled_guard(real* p) : Guard(p, 2) {} ~Scaled_guard() { *p *= 2; } };
template <class T> struct Typed_guard { T* p; T by; ~Typed_guard() { *p -= by; } };
inline real guarded(real* p, int k) { Guard g(p, 1); if (k > 2) return *p; Guard h(p, 2); return *p * 2; }
template <class T, int N> struct Pool { T d[N]; Pool() { for (int i = 0; i < N; i++) d[i] = T(i); } };
struct Device { real* p; int n; template <class F> void launch(F f) const { for (int i = 0; i < n; i++) f(p[i], i); } };
inline Device sub_device(Device d, int k) { d.p += k; d.n -= k; return d; }
"""

GENERIC = [
    """OTHERS_IN_MEMORY;
Fixed<real, <<3|4>>> p, q; p[0] = x; q[1] = a[0];
@for@ { <<p = p + q|q = x * p + q|p = p + x * (p + q)>>; @at@ = p.dot(q); }""",
    """OTHERS_IN_MEMORY;
Dense<real, 2, 3> p; Dense<real, 3, 2> q; p(0, 1) = x; q(2, 1) = x;
@for@ { auto r = p * q; @at@ = r.trace() <<|+ (q * p).trace()>>; }
<<auto t = p.transposed(); b[0] = t(1, 0);|b[0] = (Dense<real, 3, 3>::identity() * q)(0, 0);>>""",
    """OTHERS_IN_MEMORY;
std::vector<Dense<real, 2, 2>> v(n + 1);
@one@ { v[i](0, 1) = x; v[i + 1] = v[i] * v[i]; }
@top@ = v[0].trace();""",
    """@for@ { Cx<real> z{@at@, x}, w{x, 1}; <<z *= w; @at@ = z.re;|@at@ = (z * w + z).square();|@at@ = (-z *
    w.conj()).im;|
    for (int k = 0; k < 3; k++) z = z * z + w; @at@ = z.square();>> }""",
    """std::vector<Cx<real>> z(n + 1);
@one@ <<z[i] = z[i] * z[i + 1] + Cx<real>{a[i], x};|z[i] *= Cx<real>{x, x};|a[i] = z[i].square();>>""",
    """@for@ { Dual<real> v(@at@, 1); @at@ = <<polynomial(v).d|polynomial(v).v + (v * v).d|polynomial(real(@at@))>>;
    }""",
    """@for@ { using Second = Dual<Dual<real>>; Second v(Dual<real>(@at@, 1), Dual<real>(1, 0)); @at@ =
    polynomial(v).d.d; }""",
    """Scale<real> p(x); Raise<real, <<2|3>>> q; Shift<real> r(2);
<<@for@ @at@ = p.apply(@at@) + q.twice(x) + r.apply(@at@);|@for@ @at@ = through_op<real>(p, @at@) +
    through_op<real>(q, x);|
p.all(a, n); q.all(b, m);|const Op<real>& k = r; k.all(a, n);|for (const Op<real>* k : {(const Op<real>*)&p, (const
    Op<real>*)&r})
    k->all(a, n);|const Op<real>* k = n > m ? (const Op<real>*)&p : &q; @for@ @at@ = k->apply(@at@);>>""",
    """std::unique_ptr<Op<real>> k = std::make_unique<<<Lift|Step_up>><real>>();
<<k->all(a, n);|@for@ @at@ = k->twice(@at@);>>
k = std::make_unique<Raise<real, 2>>();
@for@ @at@ = through_op(*k, real(@at@));""",
    """OTHERS_IN_MEMORY;
std::vector<std::unique_ptr<Op<real>>> all;
all.push_back(std::make_unique<Lift<real>>()); all.emplace_back(new Raise<real, 3>);
<<for (const auto& k : all) k->all(a, n);|@one@ for (auto& k : all) a[i] = k->apply(a[i]);|@one@ a[i] =
    all[1]->twice(a[i]);>>""",
    "Stage s{[=](real v) { return v * x + 1; }, <<2|m>>};\ns.run(a, n);\nStage{cubed, 1}.run(b, m);",
    """Held_call f{[=](real v) { return v * x; }};
@for@ @at@ = <<f(@at@)|f(f(@at@))>>;
f.scale = x; f.f = shifted;
@for@ @at@ = f(@at@);""",
    """struct Job { std::function<void(int)> f; int n; };
Job one{[&](int i) { a[i] += x; }, n}, two{[&](int i) { b[i] *= a[i]; }, m};
for (int i = 0; i < one.n; i++) one.f(i);
<<for (int i = 0; i < two.n; i++) two.f(i);|std::swap(one, two); for (int i = 0; i < one.n; i++) one.f(i);>>""",
    """@for@ { <<auto [p, q, r] = split(@at@); @at@ = p * q + r;|const auto t = split(@at@); @at@ = std::get<1>(t) +
    std::get<0>(t);|real p, q; std::tie(p, q, std::ignore) = split(@at@); @at@ = p - q;>> }""",
    "@for@ @at@ = std::apply([](auto p, auto q, auto r) { return p * q * r; }, split(@at@));",
    """auto [first, rest] = first_and_rest(n);
for (int i = 0; i < first; i++) a[i] += x;
for (int i = first; i < first + rest; i++) a[i] *= x;""",
    """const auto [rows, cols] = shape_of(n, m);
for (int i = 0; i < rows; i++) for (int j = 0; j < cols; j++) a[i] += b[j];""",
    """auto v = std::make_unique<real[]>(n + 1);
@one@ v[i] = a[i] * x;
<<real* p = v.get(); for (int i = 0; i < n; i++) p[i] += x;|auto w = std::move(v); @one@ w[i] += x;|@one@ b[i] = v[i]
    + v[i + 1];>>""",
    """auto v = std::make_shared<std::vector<real>>(n + 1);
auto w = v;
@one@ (*w)[i] = a[i] * x;
for (real& t : *v) t += x;""",
    """Slice<<<true|false>>> p{a, n, m}; auto q = p.flipped();
for (int i = 0; i < p.rows; i++) for (int j = 0; j < p.cols; j++) p(i, j) <<+= x|*= q(j, i)>>;
for (int j = 0; j < p.sub(1, 2).cols; j++) p.sub(1, 2)(0, j) += x;""",
    """Sheet<<<RowMajor|Padded>>> s(n, m), t(n, m, x);
s.fill([&](int i, int j) { return <<a[i] * b[j]|t(i, j) + x>>; });
@top@ = inner_sum(s) + inner_sum(t);""",
    """Sheet<Padded> s(n, m), t(n, m);
for (int k = 0; k < 2; k++) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) t(i, j) = s(i - 1, j) + s(i + 1,
    j) + s(i, j);
    std::swap(s, t); }
@top@ = s(0, 0);""",
    """OTHERS_IN_MEMORY;
constexpr auto at = offsets();
@one@ { real s = 0; for (int k : at) s += a[i + k]; b[i] = s; }""",
    "for (int i = 0; i < factorial(3) + fibonacci(<<5|6>>); i++) a[i] += x;",
    "constexpr int k = factorial(<<3|4>>) / 2;\nif constexpr (k > 6) @one@ a[i] += x; else @one@ b[i] *= x;",
    "@one@ unrolled< <<3|4>> >([&](int k) { a[i] += b[i + k] * x; });",
    """@one@ each_of(std::make_integer_sequence<int, 3>{}, [&](auto k) { if constexpr (k.value > 0) a[i] += b[i +
    k.value]; });""",
    "@for@ @at@ = Sum_of< <<3|5>> >::of(a + i);",
    "@one@ butterflies< <<2|4|8>> >(a + <<8 * i|i>>);",
    """@for@ @at@ = by_tag< <<2|3>> >(@at@) + <<used_as(cubed, @at@)|used_as(x, @at@)|used_as([=](real v) { return v +
    x; }, @at@)>>;""",
    "@for@ @at@ = <<scaled_by(2, @at@)|scaled_by(x, @at@)|scaled_by(i, @at@)>>;",
    "@for@ { Guard g(a + i, x); b[i] *= 2; <<if (i == 2) continue; c[i] += x;|if (i > m) break;|Guard h(b, b[i]);>> }",
    "@for@ { Restore r(a[i]); a[i] *= x; b[i] += a[i]; }",
    "[&] { Guard g(c, x); if (n > 5) return; @one@ a[i] += x; }();",
    """@for@ { <<Twofold_guard g(a + i, x); b[i] *= 2;|Scaled_guard g(a + i); if (i % 2) continue; c[i] =
    x;|Typed_guard<real> g{a + i, x}; b[i] = a[i];|for (int k = 0; k < 3; k++) { Guard g(a + i, x); if (k == 1) break;
    }>> }""",
    "@for@ @at@ = guarded(a + i, <<i|m|n>>);",
    """<<Cleared* v = new Cleared[n + 1];|auto* v = new Wider[n + 1];|auto* v = new Pool<real, 4>[n + 1];>>
@one@ v[i].d[1] = v[i].d[0] + x;
delete[] v;""",
    """Owner p(n), q(m, x);
<<Owner r = p; r[0] = x; @top@ = r[0] + p[0];|Owner r = std::move(p); for (real& v : r) v += x; @top@ =
    taken_owner(q);|p = q;
    for (real& v : p) v *= x;|p = made_owner(m, x); @top@ = taken_owner(p);|q = std::move(p); for (real& v : q) v += 1;|
    @top@ = taken_owner(made_owner(n, x)) + taken_owner(q);>>""",
    """OTHERS_IN_MEMORY;
std::vector<Owner> all; all.reserve(2); all.emplace_back(n, x); all.push_back(Owner(m));
for (auto& o : all) for (real& v : o) v += x;""",
    "for (auto [p, q] : zipped(a, b, n)) <<p += q * x;|{ p *= x; q = p; }>>",
    "for (auto&& t : zipped(a, c, m)) t.left += t.right;",
    "for (int i : Upto{n}) for (int j : Upto{<<m|i|3>>}) a[i] += b[j];",
    """Dog d; Puppy p; Animal o;
<<for (int k = 0; k < d.legs() + p.legs(); k++) a[k] += x;|const Animal& t = p; for (int k = 0; k < t.legs(); k++)
    a[k] += t.weigh(x);|
@for@ @at@ = d.weigh(@at@) + o.weigh(x);|for (const Animal* t : {(const Animal*)&o, (const Animal*)&d, (const
    Animal*)&p}) for (int k = 0; k <
    t->legs(); k++) a[k] = t->weigh(a[k]);>>""",
    "@for@ @at@ = Counting::per(@at@<<|, 2|, m>>) * Counting::unit();",
    "OTHERS_IN_MEMORY;\nCounting p, q;\nif (q.number - p.number == 1) @one@ a[i] += x; else b[0] = x;",
    "@for@ { Either e; e.one = @at@; @at@ = e.one * x; }",
    "std::vector<Twin> v(n + 1);\n@one@ { v[i].of[0] = {x, a[i]}; v[i].of[1].left += x; }\n@top@ = v[0].total();",
    "for (Ptr<real> p(a), e(a + n); p < e; <<++p|p++>>) *p += x;",
    "std::vector<Pair> v(n + 1);\nPtr<Pair> p(v.data());\n@one@ { p->left += x; (p + 1)->right = x; p++; }",
    "Overloaded o;\n@for@ @at@ = <<o.f(@at@)|o.f(3) + o.f(@at@, x)|o.f(o.f(@at@)) + o.g()>>;",
    """OTHERS_IN_MEMORY;
std::vector<std::variant<Square, Disc>> all; all.reserve(2); all.push_back(Square{}); all.push_back(Disc(x));
for (const auto& s : all) @one@ a[i] += std::visit([&](const auto& k) { return k.area(x); }, s);""",
    """std::variant<int, real> v = <<3|x>>;
@for@ @at@ = std::visit(Visitor{[&](int k) { return x * k; }, [&](real w) { return w * w + x; }}, v);""",
    "@for@ @at@ = <<add_all(real(@at@), x, x)|add_all(real(@at@))|add_all(x, real(@at@), x, x)>>;",
    "@top@ = fold_range(n, real(0), [&](real s, int i) { return s + a[i] <<* b[i]|>>; });\n"
    "const int k = fold_range(m, 0, [](int s, int i) { return s + i; });\nfor (int i = 0; i < k; i++) c[i] += x;",
    "rk2([x](const real* p, real* q, int k) { for (int i = 0; i < k; i++) q[i] = p[i] * x; }, a, <<n|m>>, x);",
    """OTHERS_IN_MEMORY;
Rows_of r(n, <<3|m>>);
for (int i = 0; i < n; i++) for (int k = r.start[i]; k < r.start[i + 1]; k++) a[i] += r.value[k] * b[k -
    r.start[i]];""",
    """Device d{a, n};
d.launch([=](real& v, int i) { v += x * i; });
sub_device(d, <<0|m>>).launch([&](real& v, int i) { v *= b[i]; });""",
    """std::function<real(int, real)> f;
f = [&](int k, real v) -> real { return k <= 0 ? v : f(k - 1, v * x); };
@for@ @at@ = f(<<2|3>>, @at@);""",
    """auto f = [&](auto&& self, int k) -> void { if (k < 1) return; a[k] += x; self(self, k <<- 1|/ 2>>); };
f(f, n);""",
    """auto f = [](real k) { return [=](real w) { return [=](real v) { return v * k + w; }; }; };
@for@ @at@ = f(x)(2)(@at@);""",
    "std::vector<real> v(n + 1, x);\nauto f = [v = std::move(v)](int i) { return v[i] * 2; };\n@one@ a[i] = f(i);",
    "auto [lo, hi] = std::minmax(n, m);\nfor (int i = lo; i < hi; i++) a[i] += x;",
    """std::vector<real> v(n + 1, x), w(v);
<<std::transform(v.begin(), v.end(), w.begin(), v.begin(), std::plus<>{});|std::transform(v.cbegin(), v.cend(),
    w.begin(),
    std::negate<real>());|@top@ = std::transform_reduce(v.begin(), v.end(), w.begin(), real(0));|@top@ =
    std::reduce(v.begin(),
    v.end(), real(0));|std::adjacent_difference(v.begin(), v.end(), w.begin());|std::swap_ranges(v.begin(), v.end(),
    w.begin());|
@top@ = std::accumulate(v.rbegin(), v.rend(), real(1), std::multiplies<real>());|std::for_each_n(v.begin(), n,
    [&](real& t) { t += x; });|
std::generate_n(v.begin(), n, [k = 0]() mutable { return real(k++); });|std::ranges::for_each(v, [&](real& t) { t *=
    x; });|
std::ranges::fill(v, x);|std::ranges::transform(v, w.begin(), [&](real t) { return t + x; });>>""",
    "for (int i : std::views::iota(0, n) | std::views::filter([](int k) { return k % 2 == 0; })) a[i] += x;",
    "for (real v : std::span(a, n) | std::views::transform([&](real w) { return w * x; })) b[0] += v;",
    """std::vector<real> v(n + 2);
for (auto k = std::next(v.begin()); k != v.end(); k = std::next(k)) *k = *std::prev(k) + x;
for (auto k = v.cbegin(), e = v.cend(); k != e; ++k) c[k - v.cbegin()] = *k;
for (std::size_t i = v.size(); i-- > 1;) v[i] -= v[i - 1];""",
    """OTHERS_IN_MEMORY;
std::vector<std::tuple<int, real, real>> v; v.reserve(n + 1);
for (int i = 0; i < n; i++) v.emplace_back(i, x, a[i]);
for (const auto& [k, p, q] : v) b[k] += p * q;""",
    """OTHERS_IN_MEMORY;
std::vector<std::vector<real>> g(n, std::vector<real>(m));
<<for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) g[i][j] = a[j] * b[i];|for (auto& r : g)
    std::fill(r.begin(), r.end(), x);|
for (std::size_t i = 0; i < g.size(); i++) for (std::size_t j = 0; j < g[i].size(); j++) g[i][j] += x;|for (auto& r :
    g) for
    (auto k = r.begin(); k != r.end(); ++k) *k += x;|for (int i = 0; i + 1 < n; i++) g[i].swap(g[i + 1]); for (auto& r
    : g) for (auto& v : r) v +=
    x;|auto h = g; for (auto& r : h) for (real v : r) c[0] += v;>>""",
    """OTHERS_IN_MEMORY;
std::vector<std::vector<std::vector<real>>> g(2, std::vector<std::vector<real>>(n, std::vector<real>(m, x)));
for (auto& p : g) for (auto& r : p) for (auto& v : r) v *= 2;
for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) g[0][i][j] += g[1][i][j];""",
    """std::array<std::array<Pair, 2>, 3> t; IN_MEMORY(t);
for (int k = 0; k < 3; k++) for (int j = 0; j < 2; j++) t[k][j] = {a[k], x};
@one@ for (auto& r : t) for (auto& [p, q] : r) p += q;""",
    "struct Local { int n; real* p; auto begin() const { return p; } auto end() const { return p + n; } };\n"
    "for (const Local& l : {Local{n, a}, Local{m, b}}) for (real& v : l) v += x;",
    """OTHERS_IN_MEMORY;
using Method = real (Overloaded::*)(real) const;
Method all[] = {&Overloaded::f, &Overloaded::f}; Overloaded o;
for (auto f : all) @one@ a[i] = (o.*f)(a[i]);""",
    """const auto f = std::bind([](real p, real q) { return p * q; }, std::placeholders::_1, x);
@for@ @at@ = f(real(@at@));""",
    """@for@ @at@ = <<std::invoke(cubed, @at@)|std::invoke(&V::x,
    @value@)|std::ref(cubed)(@at@)|std::multiplies<real>{}(@at@, x)>>;""",
    "std::optional<real> last;\n@one@ { if (last) a[i] += *last; last = x; }\n@top@ = last.value_or(x);",
    "std::optional<int> k; if (m > 4) k = n;\nfor (int i = 0; i < k.value_or(3); i++) a[i] += x;",
    "OTHERS_IN_MEMORY;\nstd::vector<bool> seen(n + 1);\n@one@ seen[i] = i % 2;\n@one@ a[i] += x;",
    """std::vector<real> v; v.reserve(2 * n + 2);
@one@ { v.push_back(x); if (i % 2) v.push_back(a[i]); }
<<while (!v.empty()) { c[0] += v.back(); v.pop_back(); }|for (real w : v) c[0] += w;>>""",
    """real t[2][3]; IN_MEMORY(t);
for (auto& r : t) for (auto& v : r) v = x;
@one@ for (const auto& r : t) for (real v : r) a[i] += v;""",
    "for (const auto* p : {a, b}) @one@ c[i] += p[i];",
    "int done = 0;\nauto step = [&done, n] { return done++ < n; };\nwhile (step()) a[done] += x;",
    "struct Cursor { int at, end; explicit operator bool() const { return at < end; } int next() { return at++; } };\n"
    "for (Cursor k{0, n}; k;) a[k.next()] += x;",
]
