"""Drawn C++ functions: classes, views, lambdas, aggregates and containers, for runs under instrumentation.

Input: a seed.  Output: the text of a namespace that holds one function and the classes that it uses, and a second file
with the bodies of what these only declare::

    namespace n7 { ... void drawn_7(int n, int m, real *a, real *b, real *c, real x) }

Classes of one name and of different bodies in different functions and blocks, several objects of one class, objects
made on the way, members of members, views and proxies, lambdas and functors through templates, virtual calls, copies
of containers and of classes with arrays.  Pointers are assumed to have room on both sides.

The text comes from a grammar: ``<<this|that>>`` is one of these, ``@name@`` an expansion of that name, and
``#(p.~ + q.~#, #)`` a list over the members of the small vector.  A condition that depends on data is marked by
``DECIDED_BY_DATA``: bounds of such functions are counted apart.  Objects and tables are in :mod:`.drawn_objects`,
what most programs have in :mod:`.drawn_everyday`.

>>> Drawing(0).expanded("<<1|1>> @at@ #(p.~#, #)").startswith("1 ")
True
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from .drawn_control import CONTROL, CONTROL_CLASSES, UNUSUAL
from .drawn_everyday import EVERYDAY, EVERYDAY_CLASSES
from .drawn_generic import GENERIC, GENERIC_CLASSES
from .drawn_idioms import IDIOM_CLASSES, IDIOMS
from .drawn_language import LANGUAGE, LANGUAGE_CLASSES
from .drawn_objects import OBJECTS, OTHERS_IN_MEMORY, STATEMENTS, TABLES

CXX_PRELUDE = """#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
#ifndef IN_MEMORY
#define IN_MEMORY(object)
#endif
#define DECIDED_BY_DATA(condition) (condition)
#define OTHERS_IN_MEMORY
"""
DECIDED_BY_DATA = "DECIDED_BY_DATA("
CXX_PARAMETERS = "int n, int m, real *a, real *b, real *c, real x"
_STATEMENTS = (4, 8)
_DEEPEST = 3
_WITH_TABLES, _WITH_UNUSUAL = 0.4, 0.15  # of the functions
_CHOICE = re.compile(r"<<(?!<)((?:(?!<<|>>).)*?)>>", re.DOTALL)
_NAME = re.compile(r"@(\w+)@")
_WORD = re.compile(r"[A-Za-z_]\w*")
_TYPE = re.compile(r"^(?:template <.*?> )?(?:struct|class|enum class|enum|namespace|using|concept) (\w+)")
_FUNCTION = re.compile(r"\b(?!operator\b)(\w+)(?:::\w+)?\(")
_LEFT_SHIFT = "$left$"
_MEMBERS = re.compile(r"#\((.*?)#(.*?)#\)", re.DOTALL)

CLASSES = """
struct V {
    real #(~#, #);
    V operator+(@by@ o) const { @made@ }
    V operator*(real s) const { @scaled@ }
    V& operator+=(@by@ o) { #(~ += o.~;# #) return *this; }
    real dot(@by@ o) const { return #(~ * o.~# + #); }
    real norm() const { return <<|(*this).>>dot(*this); }
    V half() const { <<return *this * x;|V r = *this; r += *this; return r;>> }
    static V unit(real s) { return {#(s#, #)}; }
};
inline V operator-(@by@ p, const V& q) { @taken@ }
inline V operator*(real s, const V& p) { return p * s; }
inline V mix(V p, const V& q, real s) { <<return p * s + q;|p += q * s; return p;>> }
struct Tagged : V { real w; real weight() const { return <<norm() * w|x * w + this->x>>; } };
@field@
struct State {
    Field rho, u; int steps;
    State(int n) : rho(n), u(n), steps(0) {}
    void step() { for (int i = 0; i < rho.size; i++) rho[i] <<=|+=>> u[i] * u[i]; steps++; }
};
struct Row { real* p; real& operator[](int j) const { return p[j]; } };
struct View {
    real* d; int ld;
    Row operator[](int i) const { <<return Row{d + i * ld};|return {d + i * ld};|Row r; r.p = d + i * ld; return r;>> }
    real& operator()(int i, int j) const { return d[i * ld + j]; }
    View below(int i) const { <<return {d + i * ld, ld};|View v = *this; v.d += i * ld; return v;>> }
    real* begin() const { return d; }
    real* end() const { return d + ld; }
};
struct Pair { real left, right; };
struct Index { int i, j; };
struct Target { real& r; void add(real s) { r += s; } };
struct Particle { real at[3]; real mass; };
template <class T, int N> struct Small {
    T v[N];
    T& operator[](int i) { return v[i]; }
    T sum() const { T s = 0; for (int i = 0; i < N; i++) s += v[i]; return s; }
};
static real hidden(real v) { return <<v|v * 2|v * v + v>>; }
inline Index unflat(int k) { <<return {k / 4, k % 4};|Index r; r.i = k / 4; r.j = k % 4; return r;>> }
struct Shape {
    virtual ~Shape() {}
    virtual real area(real s) const = 0;
    virtual real twice(real s) const { return area(s) + area(s); }
};
struct Square : Shape { real area(real s) const override { return s * s<<| + 1>>; } };
struct Cube : Square {
    <<|real area(real s) const override { return s * s * s; }>>
    <<|real twice(real s) const override { return area(s) * 2; }|real twice(real s) const { return Square::area(s); }>>
};
struct Disc final : Shape {
    real r;
    Disc(real r_) : r(r_) {}
    real area(real s) const override { return r * r * s; }
};
inline real any(const Shape& shape, real s) { return shape.area(s); }
template <class F> void each(int n, <<F f|const F& f|F&& f>>) { for (int i = 0; i < n; i++) f(i); }
template <class F> real total(int n, <<F f|const F& f>>) {
    real s = 0;
    for (int i = 0; i < n; i++) s += f(i);
    return s;
}
template <class F, class T> T apply(const F& f, T v) { return f(v); }
template <class T> T doubled(const T& v) { return v + v; }
template <int N> real power(real v) { if constexpr (N == 1) return v; else return v * power<N - 1>(v); }
inline real cubed(real v) { return <<v * v * v|v * v>>; }
inline real shifted(real v) { return <<v + 1|v - 2 + v>>; }
inline real pick(const V& v, real s = 2) { return v.x * s; }
inline real pick(Pair p) { return p.left <<+|*>> p.right; }
inline real below(real v, int i, int m) { if (i > m) return v; return v + v; }
inline real through(real (*f)(real), real v) { return f(v); }
inline real called(const std::function<real(real)>& f, real v) { return f(v); }
inline std::vector<real> filled(int n, const real* p) {
    std::vector<real> r(n);
    for (int i = 0; i < n; i++) r[i] = p[i];
    return r;
}
inline real first(std::vector<real> v, int n) {
    v[0] += 1;
    real s = 0;
    for (int i = 0; i < n; i++) s += v[i];
    return s;
}
inline real whole(const std::vector<real>& v) {
    real s = 0;
    <<for (std::size_t i = 0; i < v.size(); i++) s += v[i];|for (real w : v) s += w;>>
    return s;
}
struct Place {
    real* p; int step;
    real& operator*() const { return *p; }
    Place& operator++() { <<p += step;|p = p + step;>> return *this; }
    bool operator!=(const Place& o) const { return p != o.p; }
};
struct Span {
    real* d; int n;
    @ends@
    int size() const { return n; }
    Span from(int k) const { return {d + k, n - k}; }
    real& operator[](int i) const { return d[i]; }
};
template <class T> struct Chain {
    struct Step {
        T* p;
        T& operator*() const { return *p; }
        Step& operator++() { ++p; return *this; }
        @differs@
    };
    T* d; int n;
    Step begin() const { return {d}; }
    Step end() const { return {d + n}; }
};
template <class D> struct Twice {
    const D& self() const { return static_cast<const D&>(*this); }
    real of(real v) const { return self().one(v) <<* 2|+ self().one(v)>>; }
};
struct Shifted : Twice<Shifted> { real by; real one(real v) const { return v + by; } };
template <class D> real twice(const Twice<D>& t, real v) { return t.of(v); }
template <class T, int N> struct Held {
    T v[N]; T w;
    T all() const { T s = w; for (int k = 0; k < N; k++) s += v[k]; return s; }
};
template <class T> struct Kept : Held<T, <<2|3>>> {
    T by;
    T scaled() const { return <<by * this->all()|this->v[1] * by + this->w>>; }
};
template <class T> struct Stored { std::vector<T> d; int n; Stored(int n_) : d(n_<<|, T(1)>>), n(n_) {} };
template <class T> struct Grid : Stored<T> {
    int width;
    Grid(int n_, int m_) : Stored<T>(n_ * m_), width(m_) {}
    T& at(int i, int j) { return this->d[i * width + j]; }
    T sum() const { T s = 0; for (int k = 0; k < this->n; k++) s += this->d[k]; return s; }
};
template <class P> struct Logged : P { int calls = 0; real run(real v) { calls++; return P::area(v) <<+ v|* 2>>; } };
template <class... A> real folded(A... v) { return (v <<+|*>> ...); }
template <class... A> real squares(const A&... v) { real s = 0; ((s += v * v), ...); return s; }
struct Counter {
    static constexpr int width = 3;
    real total{}; int steps{};
    Counter& operator+=(real v) { total += v; steps++; return *this; }
    explicit operator bool() const { return steps > 0; }
    operator real() const { return total; }
};
enum class Kind { Line, Bend, Turn };
inline real shaped(Kind kind, real v) {
    switch (kind) {
    case Kind::Line: return v;
    case Kind::Bend: return v * v;
    <<case Kind::Turn:|default:>> return v * v + v;
    }
    return 0;
}
inline std::optional<real> maybe(int i, int m, real v) { if (i < m) return v * 2; return {}; }
inline std::tuple<real, real> both(real p, real q) { return {p + q, p * q}; }
inline std::pair<int, real> numbered(int i, real v) { return {i / 2, v + 1}; }
inline auto adder(real k) { return [k](real v) { return v + k; }; }
struct Bag { std::vector<real> v; void add(real s) { v.push_back(s); } void grow(int n) { v.resize(n); } };
struct Far { real k; real of(real v) const; void all(real* p, int n) const; };
struct Base { virtual ~Base() {} virtual real at(real v) const; };
struct Derived : Base { real k; Derived(real k_) : k(k_) {} real at(real v) const override; };
real far_away(real v, real x);
V far_mix(const V& p, V q);
real far_sum(const std::vector<real>& v);
void far_fill(std::vector<real>& v, int n, real s);
void far_add(real* p, const real* q, int n);
"""

ELSEWHERE = """
static real hidden(real v) { return <<v * v|v + v|v>>; }
real far_away(real v, real x) { return <<hidden(v) + x|v * x|hidden(v * x) - v>>; }
V far_mix(const V& p, V q) { <<return p + q;|q += p; return q * 2;|return mix(p, q, 2);>> }
real far_sum(const std::vector<real>& v) { return <<whole(v)|whole(v) * 2>>; }
void far_fill(std::vector<real>& v, int n, real s) {
    <<v.clear(); v.reserve(n); for (int i = 0; i < n; i++) v.push_back(s);|v.resize(n); for (real& w : v) w = s + 1;>>
}
void far_add(real* p, const real* q, int n) { for (int i = 0; i < n; i++) p[i] += <<hidden(q[i])|q[i] * q[i + 1]|2>>; }
real Far::of(real v) const { return <<k * v|hidden(v) + k|this->k - v>>; }
void Far::all(real* p, int n) const { for (int i = 0; i < n; i++) p[i] = <<of(p[i])|k * p[i + 1]>>; }
real Base::at(real v) const { return <<v|v * 2>>; }
real Derived::at(real v) const { return <<k * v + hidden(v)|Base::at(v) + k>>; }
"""
"""What the classes of a function declare, in a file of its own; ``hidden`` is another function in each file."""

GRAMMAR: dict[str, Sequence[str]] = {
    "by": ["V", "const V&"],
    "made": [
        "return {#(~ + o.~#, #)};",
        "return V{#(~ + o.~#, #)};",
        "V r; #(r.~ = ~ + o.~;# #) return r;",
        "V r = {#(~ + o.~#, #)}; return r;",
        "V r{#(~ + o.~#, #)}; return r;",
    ],
    "scaled": [
        "return {#(~ * s#, #)};",
        "return V{#(~ * s#, #)};",
        "V r; #(r.~ = ~ * s;# #) return r;",
        "V r = {#(~ * s#, #)}; return r;",
        "V r{#(~ * s#, #)}; return r;",
    ],
    "taken": [
        "return {#(p.~ - q.~#, #)};",
        "return V{#(p.~ - q.~#, #)};",
        "V r; #(r.~ = p.~ - q.~;# #) return r;",
        "V r = {#(p.~ - q.~#, #)}; return r;",
        "V r{#(p.~ - q.~#, #)}; return r;",
    ],
    "field": [
        """struct Field {
    int size; std::vector<real> d;
    explicit Field(int size_) : size(size_), d(size_ + 2) <<{}|{ for (int i = 0; i < size; i++) d[i] = 1; }>>
    @methods@
};""",
        """struct Field {
    real* d; int size;
    explicit Field(int size_) : d(new real[size_ + 2]), size(size_) <<{}|{ for (int i = 0; i < size; i++) d[i] = 1; }>>
    Field(const Field& o) : d(new real[o.size + 2]), size(o.size) { for (int i = 0; i < size; i++) d[i] = o.d[i]; }
    Field& operator=(const Field& o) { for (int i = 0; i < size; i++) d[i] = o.d[i]; return *this; }
    ~Field() { delete[] d; }
    @methods@
};""",
    ],
    "methods": [
        """real& operator[](int i) { return <<d|this->d>>[i]; }
    const real& operator[](int i) const { return d[i]; }
    real operator()(int i) const { return <<d[i]|d[i] + d[i + 1]|(*this)[i]>>; }
    void axpy(real s, const Field& o) { for (int i = 0; i < size; i++) d[i] += <<s * o.d[i]|o[i]|s * o(i)>>; }
    real sum() const { real s = 0; for (int i = 0; i < size; i++) s += d[i]; return s; }
    V pair(int i) const { V r; #(r.~ = d[i];# #) return r; }"""
    ],
    "ends": [
        "real* begin() const { return d; }\n    real* end() const { return d + n; }",
        "Place begin() const { return {d, 1}; }\n    Place end() const { return {d + n, 1}; }",
        "Place begin() const { return Place{d, 1}; }\n    Place end() const { return Place{d + n, 1}; }",
    ],
    "differs": [
        "bool operator!=(const Step& o) const { return p != o.p; }",
        "friend bool operator!=(const Step& s, const Step& t) { return s.p != t.p; }",
        "bool operator==(const Step&) const = default;",
    ],
    "at": ["<<a|b|c>>[<<i|i + 1|i - 1|2 * i|i + m>>]"],
    "top": ["<<a|b|c>>[<<0|1|n>>]"],
    "real": [
        "@at@",
        "@at@ <<+|-|*>> <<@at@|x>>",
        "cubed(@at@) + <<cubed|shifted>>(@at@ * x)",
        "std::<<min|max>>(real(@at@), real(<<x|@at@>>))",
        "std::<<min|max>>({real(@at@), real(@at@), real(x)})",
        "doubled<real>(@at@)",
        "@value@.<<norm()|x|dot(@value@)>>",
        "power<2>(@at@)",
        "pick(<<@value@|@value@, x|Pair{@at@, x}>>)",
        "below(@at@, i, m)",
        "[&](real v) { return v * v; }(@at@)",
    ],
    "value": [
        "V{#(@at@#, #)}",
        "V::unit(@at@)",
        "(@value@ <<+|->> @value@)",
        "(@value@ * <<x|(x * x)|@at@>>)",
        "mix(@value@, @value@, x)",
        "@value@.half()",
        "(<<x|2>> * @value@)",
        "doubled(@value@)",
    ],
    "for": ["for (int i = 0; i < <<n|n|m|n + m>>; i++)"],
    "one": ["for (int i = 0; i < n; i++)"],
    "capture": ["[=]", "[&]"],
    "function": [
        "@capture@(int i) { @at@ = @real@; }",
        "@capture@(int i) { if (i < m) @at@ <<=|+=>> @real@; }",
        "[&](int i) { each(m, [&](int j) { @at@ += a[j] * x; }); }",
    ],
    "statement": [
        "@for@ @at@ <<=|+=>> @real@;",
        "@for@ if (<<i % 2 == 0|i < m|DECIDED_BY_DATA(a[i] > x)>>) @at@ = @real@; else @at@ += x;",
        "@for@ { <<V v = @value@;|V v; v = @value@;|const V& v = @value@;|auto v = @value@;|V v(@value@);>> "
        "@at@ = <<v.norm()|v.dot(v)|v.x * x|v.dot(@value@)>>; }",
        "@for@ { V v = @value@; <<v += v;|v += @value@;|V& w = v; w += @value@;|V w = v; v = w + v;>> @at@ = v.x; }",
        """Field f(n), g(n), h(n);
@one@ f[i] = <<g[i] * h[i]|g(i) + h(i)|g.pair(i).dot(h.pair(i))|g[i] + x>>;
<<f.axpy(x, g);|h.axpy(2, f); g.axpy(x, h);|@top@ = f.sum() + g.sum();>>""",
        """for (int k = 0; k < m; k++) {
    Field t(n);
    @one@ t[i] = @real@;
    a[k] = t.sum();
}""",
        """State s(n), r(m);
s.step(); <<r.step();|s.step();|s.rho.axpy(x, s.u);>>
@one@ s.rho[i] = s.u[i] <<+|*>> x;
for (int i = 0; i < m; i++) @at@ = r.rho[i] + r.u(i);""",
        """<<View p{a, m}, q{b, m};|View p = {a, m}; const View q{c, m};>>
@one@ for (int j = 0; j < m; j++)
    <<p[i][j]|p(i, j)|p.below(i)(0, j)>> <<=|+=>> <<q[i][j]|q(j, i)|q.below(i)[0][j]|q[i][j] * q(i, j)>> * x;""",
        """View p{a, m};
@one@ { <<auto|const auto|const Row>> row = p[i]; for (int j = 0; j < m; j++) row[j] += b[j]; }""",
        "View p{a, n};\nfor (<<real&|auto&|auto&&>> v : p) v <<*=|+=>> x;",
        "each(<<n|m>>, @function@);\neach(n, @function@);",
        "each(n, @function@);\n@top@ = total(n, @capture@(int i) { return @real@; });",
        "real s = 0;\neach(n, [&](int i) { s += @real@; });\n@top@ = s;",
        """auto f = @capture@(real v) { return v * x <<+|->> v; };
@for@ @at@ = <<f(@at@)|apply(f, real(@at@))|f(f(@at@))|f(@at@) + f(x)>>;""",
        """{ struct F { real operator()(real v) const { return <<v * v|v>>; } }; F f; (void)f;
@for@ @at@ = <<F()(@at@)|F{}(@at@)|apply(F(), real(@at@))|f(@at@)>>; }
{ struct F { real operator()(real v) const { return v + v <<+|*>> v; } }; F f; (void)f;
@for@ @at@ = <<F()(@at@)|F{}(@at@)|apply(F(), real(@at@))|f(@at@)>>; }""",
        """@for@ {
    real& r = <<i % 2 == 0|i < m|n > m>> ? <<a[i] : b[i]|a[i] : a[n + i]|c[i] : b[m + i]>>;
    r <<=|+=>> x;
}""",
        "@for@ ((<<i % 2 == 0|i < m>>) ? <<a[i] : b[i]|a[i] : a[n + i]>>) <<=|+=>> @at@;",
        "@for@ { real* r = <<i % 2 == 0|i < m>> ? &a[i] : &<<b[i]|a[i + 1]>>; *r += x; }",
        "@for@ { real& r = @at@; real& t = r; t += @at@; Target{t}.add(x); }",
        """<<Square o;|Cube o;|Disc o(x);>> <<Shape* k = &o;|const Shape* k = &o;|auto* k = &o;>> Square u; Disc w(x);
@for@ @at@ = k-><<area|twice>>(@at@);""",
        """<<Square o;|Cube o;|Disc o(x);>> <<const Shape& k = o;|auto& k = o;|Shape& k = o;>>
@for@ @at@ = <<k.area(@at@)|k.twice(@at@)|any(k, @at@)|any(o, @at@) + any(Square(), x)>>;""",
        """Field f(n);<<| f[0] = x;>>
<<Field t = f;|Field t(f);|auto t = f;|Field t(n); t = f;>>
@one@ f[i] = t[i] + t(i);
@top@ = t.sum();""",
        "std::vector<real> u(n + 2), t;\nt = u;\n@one@ u[i] = t[i] + t[i + 1];",
        "std::vector<real> u(n + 2);\nauto t = u;\nfor (auto& v : t) v += x;\n@top@ = t[0] + u[1];",
        "auto u = filled(n, a);\n<<auto t = u;|std::vector<real> t(u);|auto t = std::move(u);>>\n@one@ b[i] = t[i];",
        "std::vector<real> u(n + 1);\n@top@ = first(<<u|std::move(u)|filled(n + 1, b)>>, n);",
        """std::vector<V> v(n + 2), w(n + 2);
@one@ <<v[i] = w[i] + w[i + 1];|v[i] += w[i] * x;|v[i] = x * (w[i] - v[i]);|v[i] = w[i].half();|v[i] = @value@;>>""",
        """std::vector<V> v(n + 2), w(n + 2);
@one@ <<v[i] += @value@;|v[i].x = (v[i] + w[i]).norm();|v[i] = mix(v[i], w[i], x);>>""",
        "std::vector<V> v(n + 2), w(n + 2);\n@one@ { V t = v[i]; v[i] = w[i]; w[i] = t; }",
        "@for@ { Tagged t; #(t.~ = @at@;# #) t.w = x; @at@ = <<t.weight()|t.norm() + t.w|t.dot(t)>>; }",
        "std::array<real, 6> t; IN_MEMORY(t);\nfor (int i = 0; i < 6; i++) t[i] = a[i];\n"
        "real s = 0; for (real v : t) s += v * v; b[0] = s;",
        "Small<real, 4> t; IN_MEMORY(t.v);\n@for@ { for (int k = 0; k < 4; k++) t[k] = a[i + k]; b[i] = t.sum(); }",
        """std::vector<real> v;<<| v.reserve(1);>> v.reserve(n + m + 1);
@one@ v.push_back(<<@real@|a[i]>>);
v.push_back(x);<<| for (int i = 0; i < m; i++) v.emplace_back(b[i]);| v.pop_back(); v.push_back(x);>>
@top@ = <<whole(v)|far_sum(v)|v.back() + whole(v)>>;""",
        """std::vector<real> v(<<n|n, x|m + 1>>);
<<v.resize(2 * n);|v.clear(); v.resize(m);|v.resize(m);|std::vector<real> w(n); v.swap(w);>>
@top@ = <<whole(v)|far_sum(v)>>;""",
        """std::vector<real> v = <<{x, x, 2}|{a[0], x}|std::vector<real>(a, a + n)|filled(n, b)>>;
@top@ = whole(v) + <<whole(v)|far_sum(v)>>;""",
        """Bag p, q;
p.v.reserve(n); q.grow(m);
@one@ p.add(<<a[i]|@real@>>);
<<@top@ = whole(p.v) + whole(q.v);|Bag r = p; r.v.clear(); @top@ = whole(r.v) + whole(p.v);|
std::swap(p.v, q.v); @top@ = whole(p.v);>>""",
        """std::vector<real> v; real s = 0;
for (int k = 0; k < m; k++) {
    <<v.clear(); v.reserve(n); for (int i = 0; i < n; i++) v.push_back(a[i] + x);|far_fill(v, n, x);>>
    s += whole(v);
}
@top@ = s;""",
        """Span p{a, n + 2};
for (<<real&|auto&>> v : <<p|Span{b, m}|p.from(1)>>) v <<*=|+=|=>> x;""",
        """Span p{a, n + 2}, q = p.from(<<1|m>>);
for (int i = 0; i < <<p.size()|q.size()>>; i++) <<p[i] += q[i];|@top@ += p[i] * x;>>""",
        "std::vector<Pair> v(n);\nfor (auto& [p, q] : v) <<p = x;|{ p = x; q = p + 1; }|q += p * x;>>",
        "@for@ @at@ = <<far_away(@at@, x)|far_away(far_away(@at@, 2), x)|hidden(@at@) + far_away(x, x)>>;",
        "@for@ { V v = far_mix(@value@, @value@); @at@ = <<v.x|v.norm()>>; }",
        "<<far_add(a, b, n);|far_add(a + n, c, m);|far_add(b, b + 1, n);>>\n@for@ @at@ = hidden(@at@);",
        "Far f{x}, g{2};\n<<f.all(a, n);|g.all(b + 1, m);>>\n@for@ @at@ = <<f.of(@at@)|g.of(@at@) + f.of(x)>>;",
        """<<Derived d(x);|Base d;>> <<const Base& k = d;|auto& k = d;>> Derived e(2);
@for@ @at@ = <<k.at(@at@)|k.at(@at@) + e.at(x)>>;""",
        "@for@ { Kept<real> t; IN_MEMORY(t.v); t.w = @at@; t.by = x; for (real& v : t.v) v = @at@;"
        " @at@ = <<t.all()|t.w * t.by|t.scaled()>>; }",
        """Grid<real> g(n + 1, m + 1);
<<@one@ for (int j = 0; j < m; j++) g.at(i, j) <<=|+=>> @at@;|for (real& v : g.d) v += x;>>
@top@ = <<g.sum()|g.sum() + g.d[0] * 0>>;""",
        "Logged<Square> t; Logged<Cube> u;\n@for@ @at@ = <<t.run(@at@)|u.run(@at@)|t.run(@at@) + t.twice(x)>>;",
        "@for@ @at@ = <<folded(@at@, x, @at@)|squares(@at@, @at@)|folded(@at@, @at@)|squares(real(@at@), x, x)>>;",
        """Counter t, u;
@one@ <<t += @at@;|(t += @at@) += x;|t += real(t) * x;>>
if (<<t|!u|t.steps > 2>>) @top@ = <<t.total|t|real(t) + u.total>>;""",
        "@for@ @at@ = shaped(<<i % 3 == 0 ? Kind::Line : Kind::Bend|i < m ? Kind::Turn : Kind::Line|Kind::Turn>>,"
        " @at@);",
        "@for@ { auto r = maybe(i, m, @at@); if (<<r|r.has_value()>>) @at@ = *r; }",
        "@for@ { auto [p, q] = both(@at@, x); @at@ = p <<+|*>> q; }",
        "@for@ { <<auto [k, v]|const auto& [k, v]>> = numbered(i, @at@); <<a|b>>[k] = v; }",
        "@for@ @at@ = <<adder(x)(@at@)|adder(x * 2)(adder(x)(@at@))>>;",
        "auto f = [](auto v, auto w) { return v * w; };\n@for@ @at@ = f(@at@, <<x|2>>);",
        "auto f = [k = x * x](real v) { return v * k; };\n@for@ @at@ = <<f(@at@)|apply(f, real(@at@))>>;",
        "auto f = [k = 0](real v) mutable { k++; return v + k; };\n@for@ @at@ = f(@at@);",
        """std::vector<real> v(n + 1, x);
@top@ = std::accumulate(v.begin(), v.end(), real(<<0|x>>));
<<b[1] = std::inner_product(v.begin(), v.end(), a, real(0));|
std::transform(a, a + n, v.begin(), [&](real w) { return w * x; });|
std::for_each(v.begin(), v.end(), [&](real& w) { w += x; });|std::fill(v.begin(), v.end(), x);|
std::transform(a, a + n, b, v.begin(), [](real p, real q) { return p * q; });|std::copy(a, a + n, v.begin());>>
@top@ = v[0];""",
        """std::span<real> s(a, n + 2);
<<for (real& v : s.first(n)) v += x;|for (real& v : s.subspan(1)) v *= x;|@one@ s[i] += s[i + 1];>>""",
        "int i = n;\nwhile (i-- > 0) @at@ = @real@;",
        "int i = 0;\ndo { @at@ = @real@; i += 2; } while (i < n);",
        "@for@ { if (i == m) <<break|continue>>; @at@ = @real@; }",
        "for (auto [p, k] = std::pair{a, 0}; k < n; ++p, ++k) *p += x;",
        "static const real w[3] = {1, 2, 1};\n"
        "@one@ { real s = 0; for (int k = 0; k < 3; k++) s += w[k] * a[i + k]; b[i] = s; }",
        "std::array<real, 4> t; IN_MEMORY(t);\nfor (int i = 0; i < 4; i++) t[i] = a[i] * x;\nb[0] = t[3];",
        "@one@ for (int j = 0; j <= i; j++) <<a[i] += b[j] * x;|c[i] = a[j] + a[i];>>",
        "for (int k = 0; k < Counter::width; k++) @one@ a[i] <<+=|=>> b[k] * x;",
        "static const real k = 2;\n@for@ a[i] = b[i] * x + b[i + 1];",
        "for (int i : {1, 2, 4}) <<a[i] = b[i] + x;|@one@ a[i] += x;>>",
        "@for@ { auto [p, q] = Pair{a[i], b[i]}; c[i] = p * q + p; }",
        "@for@ { Pair pq = {a[i] + x, b[i]}; auto& [p, q] = pq; p += q; c[i] = pq.left; }",
        "@for@ { Index at = unflat(i); a[at.i * 4 + at.j] += x; }",
        "for (int i = 0; i < 24; i++) { auto [p, q] = unflat(i); if (q < 2) a[p * 4 + q] += x; }",
        "@for@ @at@ = <<through(cubed, @at@)|through(shifted, @at@)|apply(cubed, real(@at@))>>;",
        "real (*f)(real) = <<cubed|shifted>>;\n@for@ @at@ = <<f(@at@)|(*f)(@at@)|through(f, @at@)>>;",
        "std::function<real(real)> f = [=](real v) { return v * x; };\n@for@ @at@ = <<f(@at@)|called(f, @at@)>>;",
        "for (<<real&|auto&>> v : Chain<real>{<<a, n|b, m|c + 1, n>>}) v <<*=|+=|=>> x;",
        "real s = 0;\nfor (real v : Chain<real>{a, n}) s += v;\n@top@ = s;",
        """std::vector<Pair> v(n + 1);
real Pair::*f = &Pair::<<left|right>>;
@one@ <<v[i].*f = @real@;|v[i].*f += a[i];|(&v[i])->*f = v[i].left * x;>>
v[0].*f += 1;""",
        "real (V::*f)() const = &V::norm;\n@for@ { V v = @value@; @at@ = (v.*f)(); }",
        """std::vector<Pair> v(n);
for (auto f : {&Pair::left, &Pair::right}) @one@ v[i].*f = a[i] * x;""",
        "real (*f)(real) = <<n > m|m < 6>> ? cubed : shifted;\n@for@ @at@ = f(@at@);",
        "@for@ @at@ = (<<i < m|n > m|i % 2 == 0>> ? cubed : shifted)(@at@);",
        """static real (*const all[])(real) = {cubed, shifted, hidden};
for (int k = 0; k < <<3|2>>; k++) @one@ @at@ = all[k](@at@);""",
        "for (int i : std::views::iota(0, n) | std::views::reverse) @at@ = @real@;",
        """std::vector<real> v(n + 2);
for (real& w : v | std::views::<<reverse|drop(1)|take(2)>>) w <<=|+=>> x;
@top@ = v[1];""",
        "Shifted t{{}, x};\n@for@ @at@ = <<t.of(@at@)|twice(t, @at@)|t.one(@at@)>>;",
        """std::vector<Particle> p(n + 2);
@one@ { Particle t; IN_MEMORY(t.at); t = p[i]; for (int k = 0; k < 3; k++) t.at[k] += x * t.mass; p[i] = t; }""",
        """std::vector<Particle> p(n + 2);
@one@ { <<auto& t = p[i]; for (int k = 0; k < 3; k++) t.at[k] += x * t.mass;|p[i] = p[i + 1]; p[i].mass += x;>> }""",
    ],
}  # fmt: skip
GRAMMAR["table"] = [f"{OTHERS_IN_MEMORY}\n{way}" for way in TABLES]
GRAMMAR["statement"] = [*GRAMMAR["statement"], *STATEMENTS]
GRAMMAR["everyday"] = [*EVERYDAY, *IDIOMS]
GRAMMAR["control"] = CONTROL
GRAMMAR["unusual"] = UNUSUAL
GRAMMAR["generic"] = GENERIC
GRAMMAR["language"] = LANGUAGE


ALL_WAYS = [
    way
    for name in ("unusual", "control", "generic", "statement", "table", "everyday", "language")
    for way in GRAMMAR[name]
]


def cxx_function_of_seed(seed: int) -> tuple[str, str]:
    """Return the function ``drawn_SEED`` in a namespace with its classes, and the same namespace of a second file."""
    return Drawing(seed).texts()


def cxx_function_of_one_way(seed: int) -> tuple[str, str]:
    """Return a function with one statement alone, of the kind that the seed numbers."""
    return Drawing(seed).texts((ALL_WAYS[seed % len(ALL_WAYS)],))


class Drawing:
    """One function as it is drawn."""

    def __init__(self, seed: int) -> None:
        """Start with the generator of a seed."""
        self._random = random.Random(seed)
        self._seed = seed
        self._members = ("x", "y", "z")[: self._random.randint(1, 3)]

    def texts(self, ways: Sequence[str] = ()) -> tuple[str, str]:
        """Return the whole text of both files; of some ways one after the other, else of a few at random."""
        classes = self.expanded(
            "\n".join(
                part.strip()
                for part in (
                    CLASSES,
                    OBJECTS,
                    EVERYDAY_CLASSES,
                    IDIOM_CLASSES,
                    CONTROL_CLASSES,
                    GENERIC_CLASSES,
                    LANGUAGE_CLASSES,
                )
            )
        )
        drawn = [self.expanded(way) for way in ways or self._ways()]
        blocks = [block.replace("_LABEL", f"_{number}") for number, block in enumerate(drawn)]  # one for each function
        body = "\n".join(f"    {{\n{_indented(block)}\n    }}" for block in blocks)
        start = f"void drawn_{self._seed}({CXX_PARAMETERS})"
        elsewhere = self.expanded(ELSEWHERE.strip())
        items = items_of(classes)
        needed = used([*items, *items_of(elsewhere)], body)
        here = "\n".join(item for item in items if item in needed)
        there = "\n".join(item for item in items if item in needed and not item.startswith("static real hidden"))
        rest = "\n".join(item for item in items_of(elsewhere) if item in needed)
        first = f"namespace n{self._seed} {{\n{here}\n{start}\n{{\n{body}\n}}\n}}\n"
        return first, f"namespace n{self._seed} {{\n{there}\n{rest}\n}}\n"

    def _ways(self) -> Sequence[str]:
        tables = ("@table@",) if self._random.random() < _WITH_TABLES else ()
        unusual = ("@unusual@",) if self._random.random() < _WITH_UNUSUAL else ()
        ways = ("@statement@", "@everyday@", "@control@", "@generic@", "@language@", *tables, *unusual)
        return [self._random.choice(ways) for _ in range(self._random.randint(*_STATEMENTS))]

    def expanded(self, text: str, depth: int = 0) -> str:
        """Return a text of the grammar with all choices made; beyond the deepest level names are their first way."""
        while True:
            if (chosen := _CHOICE.search(text)) is not None:
                new = self._random.choice(chosen[1].split("|"))
            elif (chosen := _NAME.search(text)) is not None:
                ways = GRAMMAR[chosen[1]]
                way = self._random.choice(ways) if depth < _DEEPEST else ways[0]
                new = self.expanded(way, depth + (chosen[1] in ("real", "value")))
            elif (chosen := _MEMBERS.search(text)) is not None:
                new = chosen[2].join(chosen[1].replace("~", member) for member in self._members)
            else:
                return text.replace(_LEFT_SHIFT, "<<")
            text = text[: chosen.start()] + new + text[chosen.end() :]


def items_of(text: str) -> list[str]:
    """Return the declarations of a text, whose lines other than their first are indented or close them."""
    items: list[str] = []
    for line in text.splitlines():
        if items and (line[:1] in ("", " ", "}") or items[-1].count("{") > items[-1].count("}")):
            items[-1] += f"\n{line}"
        else:
            items.append(line)
    return items


def used(items: Sequence[str], body: str) -> set[str]:
    """Return the declarations that a body needs: of what it or what it needs names, and the operators of such types."""
    needed: set[str] = set()
    words = set(_WORD.findall(body))
    while more := {item for item in items if item not in needed and (declared(item) | enumerators(item)) & words}:
        needed |= more
        words |= {word for item in more for word in _WORD.findall(item)}
    return needed


def declared(item: str) -> set[str]:
    """Return the names that a declaration is needed for."""
    head = item.partition("{")[0]
    if (found := _TYPE.search(head) or _FUNCTION.search(head)) is not None:
        return {found[1]}
    return {word for word in _WORD.findall(head) if word[0].isupper()}


def enumerators(item: str) -> set[str]:
    """Return the names of an enumeration without a scope."""
    return set(_WORD.findall(item.partition("{")[2])) if item.startswith("enum ") else set()


def _indented(block: str) -> str:
    return "\n".join(f"        {line}" for line in block.splitlines())
