"""Rules of the language in drawn functions, where a reader of C++ goes wrong unseen, for :mod:`.drawn_cxx`.

Numbers of few bits, bit-fields and unions, signs of remainders, copies and references of objects that hold bounds,
captures by value, slices of objects, virtual calls from constructors, references to counters, exceptions, proxies.
"""

from __future__ import annotations

LANGUAGE_CLASSES = """
struct Flags { unsigned kind : 3; unsigned on : 1; int level : 4; };
union Number { int whole; unsigned bits; unsigned char bytes[4]; };
enum Option { ROUND = 1, SOLID = 2, TALL = 4 };
struct Reach { int lo, hi; int size() const { return hi - lo; } };
struct Halves { Reach of[2]; Reach& operator[](int k) { return of[k]; } };
inline Halves in_halves(int n) { return Halves{{{0, n / 2}, {n / 2, n}}}; }
inline Reach grown(Reach b, int by) { b.hi += by; return b; }
inline void grow(Reach& b, int by) { b.hi += by; }
inline void grow(Reach* b) { b->lo--; }
inline bool operator<(const Reach& p, const Reach& q) { return p.size() < q.size(); }
struct Animate { real* p; Animate(real* p_) : p(p_) { run(); } virtual ~Animate() {} virtual void run() { p[0] +=
    1; }
    virtual int times(int k = 2) const { return k; } };
struct Excited : Animate { Excited(real* p_) : Animate(p_) { <<|run();>> } void run() override { for (int i = 0; i
    < 3; i++)
    p[i] *= 2; } int times(int k = 3) const override { return k + 1; } };
inline int times_of(Animate a) { return a.times(); }
inline int times_at(const Animate& a) { return a.times(); }
struct Port { virtual ~Port() {} virtual real left(real v) const { return v; } };
struct Starboard { virtual ~Starboard() {} virtual real right(real v) const { return v + 1; } };
struct Ends : Port, Starboard { real left(real v) const override { return v * v; } real right(real v) const
    override {
    return v * v * v; } };
struct Hidden { real one(real v) const { return v; } virtual real two(real v) const { return one(v) + 1; } virtual
    ~Hidden() {} };
struct Hiding : Hidden { real one(real v) const { return v * v; } <<|real two(real v) const override { return
    one(v) * 2; }>> };
struct Slot_of { real& r; Slot_of& operator=(real v) { r = v * 2; return *this; } Slot_of& operator+=(real v) { r =
    r + v;
    return *this; } operator real() const { return r; } };
struct Doubling { real* d; Slot_of operator[](int i) { return {d[i]}; } real operator[](int i) const { return d[i];
    } };
struct Cursor { int at, step; Cursor operator++(int) { Cursor r = *this; at += step; return r; } Cursor&
    operator++() { at
    += step; return *this; } operator int() const { return at; } };
struct Box { int w = 2, h = 3; int area() const { return w * h; } };
template <class T> struct Kind_of { static const int width = 2; static real of(real v) { return v; } };
template <class T> struct Kind_of<T*> { static const int width = 3; static real of(real v) { return v * v; } };
template <> struct Kind_of<int> { static const int width = 4; static real of(real v) { return v + 1; } };
template <int N> constexpr int halves() { return N / 2; }
template <> constexpr int halves<9>() { return 7; }
template <class T, class... R> inline real weighed(real v, T, R... rest) { if constexpr (sizeof...(rest) == 0)
    return v;
    else return v * weighed(v, rest...); }
inline int wrapped_index(int i, int n) { return (i % n + n) % n; }
inline void checked(real* p, int n, int limit) { for (int i = 0; i < n; i++) { if (i == limit) throw i; p[i] += 1;
    } }
struct Tally { int* count; ~Tally() { ++*count; } };
struct Twice_called { int n; Twice_called(int n_) : n(n_) {} Twice_called() : Twice_called(4) { n++; } };
inline int sum_to(int k) { return k == 0 ? 0 : k + sum_to(k - 1); }
"""

LANGUAGE = [
    """signed char k = <<120|n|100>>;
k += <<10|m|100>>;
for (int i = 0; i < k; i++) a[i] += x;
if (k < 0) b[0] += x;""",
    """unsigned char k = <<n - 3|250|m>>;
k = k <<+ 8|* 2|- m>>;
for (int i = 0; i < k; i++) a[i] += x;""",
    """std::<<uint8_t|int8_t|uint16_t>> k = n;
k -= 3;
if (k > 100) b[0] = x; else @one@ a[i] *= x;""",
    """Flags f{<<5|6>>, 1, -3};
f.kind += <<4|n>>; f.level <<+= 9|= 9|--|-= 6>>;
for (unsigned i = 0; i < f.kind; i++) a[i] += x;
if (f.level < 0) b[0] += x; else @one@ b[i] *= x;""",
    """Flags f{}; f.kind = n; f.on = m; f.level = m;
@one@ if (f.on) a[i] += x;
for (int i = 0; i < f.level; i++) b[i] += x;
for (unsigned i = 0; i < f.kind; i++) c[i] += x;""",
    """Number u; u.whole = <<-1|n - 5|m>>;
if (u.bits > 6) @one@ a[i] += x; else b[0] *= x;""",
    """OTHERS_IN_MEMORY;
Number u; u.bits = 0x<<0201|0103|0302>>;
for (int i = 0; i < u.bytes[0]; i++) a[i] += x;
for (int i = 0; i < u.bytes[1]; i++) b[i] *= x;""",
    """int f = ROUND | <<TALL|SOLID>>;
if (n > m) f &= ~ROUND; else f |= SOLID;
@one@ { if (f & ROUND) a[i] += x; if (f & SOLID) b[i] *= x; if ((f & (TALL | SOLID)) == TALL) c[i] = x; }""",
    "@one@ if ((i - <<3|n|m>>) % 3 == <<0|1|-1|-2>>) a[i] += x;",
    "@one@ if ((i - 5) / 2 == <<0|-1|1>>) a[i] += x; else b[i] *= x;",
    "@one@ if (((i - 4) >> 1) <<== -1|!= -1|> -2>>) a[i] += x; else b[i] *= x;",
    "@one@ if (((i - 3) & 3) == <<1|2>>) a[i] += x;",
    """int k = <<-7|-n|m - n>>;
for (int i = 0; i < -(k / 2); i++) a[i] += x;
for (int i = 0; i < k % 4 + 4; i++) b[i] += x;""",
    "@one@ a[wrapped_index(i - <<3|m>>, n)] += b[i] * x;",
    """OTHERS_IN_MEMORY;
Reach b[3] = {{0, 2}, {2, n}, {1, m}};
<<for (Reach p : b) p.hi = 0;|for (Reach& p : b) p.hi -= 1;|std::swap(b[0], b[1]);|b[2] = b[1]; b[1].hi =
    1;|grow(b[1], 2);|
grow(&b[2]);|grown(b[0], 3);|b[0] = grown(b[1], 2);|Reach t = b[1]; t.hi = 9;|Reach& t = b[1]; t.hi = 9;>>
for (const auto& p : b) for (int i = p.lo; i < p.hi; i++) a[i] += x;""",
    """OTHERS_IN_MEMORY;
Halves h = in_halves(n), k = h;
<<k[0].hi = 1;|h[1] = k[0];|grow(h[0], 1);|std::swap(h[0], h[1]);|auto& q = h; q[0].lo = 1;>>
for (int p = 0; p < 2; p++) { for (int i = h[p].lo; i < h[p].hi; i++) a[i] += x; for (int i = k[p].lo; i <
    k[p].hi; i++)
    b[i] *= x; }""",
    """std::pair<int, int> range{1, n};
<<auto [p, q] = range; q = 2;|auto& [p, q] = range; q = m;|auto copy = range; copy.second =
    1;|std::swap(range.first, range.second);|
std::tie(range.first, range.second) = std::make_tuple(range.second - n, range.first + m);>>
for (int i = range.first; i < range.second; i++) a[i] += x;""",
    """int k = <<2|m>>;
<<auto f = [k] { return k; };|auto f = [&k] { return k; };|auto f = [k = k + 1] { return k; };|auto f = [=] {
    return k; };|auto f = [&] {
    return k; };>>
k = <<5|n>>;
for (int i = 0; i < f(); i++) a[i] += x;""",
    """auto f = [k = 0]() mutable { return ++k; };
f(); auto g = f; g(); g();
for (int i = 0, e = f(); i < e; i++) a[i] += x;
for (int i = 0, e = g(); i < e; i++) b[i] *= x;""",
    """int k = 3, l = n; int& r = k; <<int* q = &l; r = *q; *q = 2;|r = l; l = 1;|std::swap(k, l);|int t =
    std::exchange(r, l); l = t;>>
for (int i = 0; i < k; i++) a[i] += x;
for (int i = 0; i < l; i++) b[i] *= x;""",
    """int i; int& r = i;
for (i = 0; i < n; i++) { a[i] += x; <<r += 1|if (i < 3) r++|int* q = &r; *q += 2>>; }""",
    """int k = 0; int* q = &k;
@one@ { if (i < m) ++*q; a[k] += x; }
for (int i = 0; i < k; i++) b[i] *= x;""",
    """Excited e(a); Animate s = e; Animate& r = e;
s.run(); r.run();
for (int i = 0; i < <<s.times()|r.times()|e.times()|times_of(e)|times_at(e)>>; i++) b[i] += x;""",
    """Ends e; <<Port& l = e; Starboard& r = e;|Port* l_ = &e; Port& l = *l_; const Starboard& r = e;|Port l = e;
    Starboard r = e;>>
@for@ @at@ = l.left(@at@) + r.right(x);""",
    """Hiding h; <<Hidden& k = h;|Hiding& k = h;|Hidden k = h;>>
@for@ @at@ = k.one(@at@) + k.two(x);""",
    """Doubling p{a}; <<|const Doubling& q = p; b[0] = q[1];>>
@one@ { <<p[i] = b[i];|p[i] += b[i];|p[i] = real(p[i]) + x;|b[i] = p[i];|auto t = p[i]; t =
    x;|real t = p[i]; t = x;>> }""",
    "for (Cursor c{0, <<1|2>>}; c < n; <<c++|++c>>) a[c] += x;",
    """Cursor c{0, 2};
while (<<c++|++c>> < n) a[c] += x;""",
    """Box p{.h = n}, q{4}, r; <<|r = q;|p = {};|std::swap(p, r);|r = {1};>>
for (int i = 0; i < p.area(); i++) a[i] += x;
for (int i = 0; i < q.area() + r.area(); i++) b[i] *= x;""",
    """for (int k = 0; k < Kind_of<<<int|real|real*|int*>>>::width; k++) @one@ a[i] = Kind_of<<<int|real|const
    real*>>>::of(a[i]);""",
    "for (int k = 0; k < halves<<<8|9|11>>>(); k++) @one@ a[i] += x;",
    "@for@ @at@ = weighed(@at@, 1, <<2|2, 'c'|2.5f, 1, x>>);",
    "try { checked(a, n, <<3|m|20>>); @one@ b[i] += x; } catch (int k) { for (int i = 0; i < k; i++) c[i] *= x; }",
    "try { @one@ { if (i > <<2|m>>) throw 1; a[i] += x; } } catch (...) { b[0] += x; }",
    """int k = 0;
{ Tally t{&k}; @one@ { Tally u{&k}; a[i] += x; } }
for (int i = 0; i < k; i++) b[i] *= x;""",
    """Twice_called t, u(<<n|3>>);
for (int i = 0; i < t.n; i++) a[i] += x;
for (int i = 0; i < u.n; i++) b[i] *= x;""",
    "for (int i = 0; i < sum_to(<<3|4>>); i++) a[i] += x;",
    """int k = 0;
@one@ if (i % 2 && k++ < m) a[i] += x;
for (int i = 0; i < k; i++) b[i] *= x;""",
    """int k = 0;
@one@ if (i < m || ++k > 2) a[i] += x;
for (int i = 0; i < k; i++) b[i] *= x;""",
    """int j = 1;
int k = (j += n, j * 2);
for (int i = 0; i < k; i++) a[i] = (b[i] += x, c[i]);""",
    """OTHERS_IN_MEMORY;
const int dims[3] = {n, m, <<2|n + m>>};
for (int d : dims) for (int i = 0; i < d; i++) a[i] += x;""",
    """OTHERS_IN_MEMORY;
std::array<int, 3> dims = {n, m, 2}; <<dims[1] = 3;|std::swap(dims[0], dims[2]);|auto copy = dims; copy[0] =
    1;>>
for (int d : dims) for (int i = 0; i < d; i++) a[i] += x;
for (int i = 0; i < dims[0] * dims[1]; i++) b[i] *= x;""",
    """int i = 0, k;
while ((k = i * 2) < n) { a[k] += x; i++; }""",
    """int j = m;
for (int i = 0; i < n && j > 0; i++, j -= 2) a[i] += b[j];""",
    "@one@ { switch (i % 3) { case 0: continue; case 1: break; default: a[i] += x; } b[i] += x; }",
    """@one@ { if (i == 2) continue; switch (m) { case 5: a[i] += x; break; case 9: if (i > 4) break; [[fallthrough]];
    default: b[i] *= x; } c[i] += x; }""",
    """real* __restrict p = a; const real* __restrict q = b;
@one@ p[i] = <<q[i] * x|p[i] + q[i]|q[0] + q[i]>>;""",
    """real* p = n > m ? a : nullptr;
if (p) @one@ p[i] += x; else b[0] *= x;""",
    """const auto [lo, hi] = std::minmax({n, m, 4});
for (int i = lo; i < hi; i++) a[i] += x;""",
    """const int k = std::clamp(n, 3, 9);
for (int i = 0; i < k; i++) a[i] += x;""",
    """OTHERS_IN_MEMORY;
static constexpr int sizes[] = {1, 2, 4};
for (int s : sizes) for (int i = 0; i < s; i++) a[i] += x;""",
    """std::array<std::array<real, 3>, 3> t; IN_MEMORY(t);
for (auto& r : t) r.fill(x);
@one@ for (int k = 0; k < 3; k++) a[i] += t[k][i % 3];""",
    """std::array<Pair, 4> t; IN_MEMORY(t);
for (auto& p : t) { p.left = x; p.right = a[0]; }
@for@ @at@ = t[i & 3].left * x;""",
    """auto outer = [&](int i) { auto inner = [&, i](int j) { a[i] += b[j]; }; for (int j = 0; j < m; j++) inner(j); };
each(n, outer);""",
    "@top@ = std::transform_reduce(a, a + n, b, real(0));",
    "@top@ = std::transform_reduce(a, a + n, real(0), std::plus<>{}, [&](real v) { return v * x; });",
    "@top@ = <<std::reduce(a, a + n, real(0))|std::accumulate(a, a + m, x, [](real p, real q) { return p * q; })>>;",
    "std::generate(a, a + n, [&, k = 0]() mutable { return x * k++; });",
    "std::partial_sum(a, a + n + 1, b);",
    """std::<<reverse(a, a + n)|swap_ranges(a, a + n, b)|fill_n(a, n, x)|copy_n(a, m, b)|for_each_n(a, n, [&](real& v)
    { v += x; })>>;""",
    """std::vector<real> v(n + 1, x);
for (auto it = v.rbegin(); it != v.rend(); ++it) *it += x;
@top@ = v.front();""",
    "for (auto it = std::make_reverse_iterator(a + n); it != std::make_reverse_iterator(a); ++it) *it *= x;",
    """OTHERS_IN_MEMORY;
std::vector<int> p(n);
std::iota(p.begin(), p.end(), 1);
for (int k : p) a[k] += x;""",
    """OTHERS_IN_MEMORY;
std::vector<bool> seen(n);
@one@ if (i % 3 == 0) seen[i] = true;
@one@ if (!seen[i]) a[i] += x;""",
    """std::vector<real> v(n, x);
<<v.insert(v.begin(), x);|v.erase(v.begin(), v.begin() + n / 2);|v.push_back(x); v.pop_back();>>
for (std::size_t i = 0; i < v.size(); i++) a[i] += x;""",
    """std::vector<real> v(n), w(m); <<v = std::move(w);|v.swap(w);|w = v;|auto t = std::move(v); w = t;>>
for (std::size_t i = 0; i < w.size(); i++) a[i] += x;""",
    """for (real v : {a[0], x, b[1]}) c[0] += v;
for (auto [p, q] : {Reach{0, n}, Reach{1, m}}) for (int i = p; i < q; i++) a[i] += x;""",
    """const Reach p{0, n}, q{1, m};
const Reach& most = p < q ? q : p;
for (int i = most.lo; i < most.hi; i++) a[i] += x;""",
    """const Reach p{0, n}, q{1, m};
const Reach& most = std::max(p, q);
for (int i = most.lo; i < most.hi; i++) a[i] += x;""",
    """Animate one(a); Excited two(b);
for (Animate* k : {&one, static_cast<Animate*>(&two)}) { k->run(); if (auto* e = dynamic_cast<Excited*>(k))
    e->p[5] += x; }""",
    """OTHERS_IN_MEMORY;
int count[3] = {0, 0, 0};
@one@ count[i % 3]++;
for (int i = 0; i < count[<<0|1|2>>]; i++) a[i] += x;""",
    """OTHERS_IN_MEMORY;
int total = 0;
for (int k : {n, m, 3}) total += k;
for (int i = 0; i < total; i++) a[i] += x;""",
    """std::optional<Reach> k;
if (<<n > 3|true|m < 0>>) k = Reach{1, n};
if (k) for (int i = k->lo; i < k->hi; i++) a[i] += x; else b[0] += x;""",
    """std::variant<int, Reach> v = <<n|Reach{1, n}>>;
if (auto* p = std::get_if<Reach>(&v)) for (int i = p->lo; i < p->hi; i++) a[i] += x; else @one@ b[i] *= x;""",
    """long long k = n * 1000000000ll;
if (k > 2147483647) @one@ a[i] += x; else b[0] *= x;""",
    """int lo = 0, hi = n - 1;
while (lo < hi) { std::swap(a[lo], a[hi]); lo++; hi--; }""",
    "for (int i = 0; i < n; i++) { int k = i; while (k --> 0) { if (k == 2) break; a[k] += x; } }",
    """unsigned d = m - n;
if (d < 5u) @one@ a[i] += x; else b[0] += x;""",
    """bool first = true;
@one@ { if (!first) a[i] += x; first = false; b[i] *= x; }""",
    """int last = 0;
@one@ { for (int j = last; j < i; j++) a[j] += x; last = i; }""",
    """goto test_LABEL;
body_LABEL: a[0] += x; n--;
test_LABEL: if (n > 0) goto body_LABEL;""",
]
