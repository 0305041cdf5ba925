"""Elements of arrays of objects are constructed one after the other, where they are."""

import pytest

from tests.rows import file_report

CLASSES = """
#include <vector>
struct Filled { double d[8]; Filled() { for (int i = 0; i < 8; i++) d[i] = 1; } };
struct Summed { double v; Summed() : v(0) { for (int i = 0; i < 3; i++) v += 2; } };
struct Member { Summed s[4]; double w; Member() : w(1) {} };
struct Derived : Member { Summed last; Derived() { w *= 2; } };
struct Generated : Member { double z; };
struct Holder { Filled f; double z; };
struct Array { Summed s[2]; };
template <class T> struct Typed : Summed { T y; Typed() : y(1) {} };
template <class T, int N> struct Block { T d[N]; Block() { for (int i = 0; i < N; i++) d[i] = 1; } };
"""


@pytest.mark.parametrize(
    ("body", "flops", "loads", "stores"),
    [
        ("Filled b[4]; for (int i = 0; i < n; i++) a[i] = b[i % 4].d[2];", 0, 10, 4 * 8 + 10),
        ("Filled b[2][2]; for (int i = 0; i < n; i++) a[i] = b[1][i % 2].d[2];", 0, 10, 4 * 8 + 10),
        ("Filled *b = new Filled[n]; for (int i = 0; i < n; i++) a[i] = b[i].d[2];", 0, 10, 80 + 10),
        ("std::vector<Filled> b(n); for (int i = 0; i < n; i++) a[i] = b[i].d[2];", 0, 10, 80 + 10),
        ("auto *b = new Block<double, 8>[n]; for (int i = 0; i < n; i++) a[i] = b[i].d[2];", 0, 10, 80 + 10),
        ("for (int i = 0; i < n; i++) { Summed b[4]; a[i] = b[1].v; }", 10 * 4 * 3, 10, 10 * 4 + 10),
        ("for (int i = 0; i < n; i++) { Member b; a[i] = b.w; }", 10 * 4 * 3, 0, 10 * 4 + 10),
        ("for (int i = 0; i < n; i++) { Generated b; a[i] = b.w; }", 120, 0, 10 * 4 + 10),
        ("for (int i = 0; i < n; i++) { Holder b; a[i] = 2; }", 0, 0, 10 * 8 + 10),
        ("for (int i = 0; i < n; i++) { Array b; a[i] = 2; }", 60, 0, 10 * 2 + 10),
        ("for (int i = 0; i < n; i++) { Typed<double> b; a[i] = b.v; }", 30, 0, 10),
        ("for (int i = 0; i < n; i++) { Derived b; a[i] = b.w; }", 10 * (4 * 3 + 3 + 1), 0, 10 * 4 + 10),
    ],
)
def test_each_runs_the_constructor(body: str, flops: int, loads: int, stores: int) -> None:
    report = file_report(f"{CLASSES}void f(double *a, int n) {{ {body} }}", "x.cpp")
    (region,) = [each.profile for each in report.regions if each.profile.function == "f"]
    counts = (region.work.flops, region.loads.elements, region.stores.elements)
    assert [(count.lower.evaluate({"n": 10}), count.is_exact) for count in counts] == [
        (flops, True),
        (loads, True),
        (stores, True),
    ]


OPEN = """
#include <array>
#include <vector>
struct Default { double x = 0; double y; };
struct Said { double x = 0; double y; Said() = default; };
struct Made { double x; double y; Made() : x(0) {} };
struct Plain { double x; double y; };
struct Method { double x; double y; double z; Method() { set(2); } void set(double v) { x = v; } };
struct Base { double x; double y; Base() : x(1) {} };
struct Derived : Base { double v; double w; Derived() { v = 2; } };
struct Generated : Base { double z; };
struct Nested { Made m; double z; Nested() : z(1) {} };
struct Pointers { double *p; double x; double *q; Pointers() : p(nullptr) {} };
struct Held { double z; Made m[4]; Held() : z(1) {} };
struct Listed { double z; Made m[4]; Listed() : z(1), m{} {} };
template <class T> struct Typed { T x; T y; Typed() : x(1) {} };
template <class T> struct Argument { T x; T y; T z; Argument(T v = 1) : x(v), y(v) {} };
struct TypedHolder { double z; Typed<double> m; TypedHolder() : z(1) {} };
std::array<Made, 4> made() { std::array<Made, 4> r; for (int i = 0; i < 4; i++) r[i].y = 2; return r; }
"""


@pytest.mark.parametrize(
    ("made", "stores"),
    [
        ("Default p[10]", 10),
        ("Default p[10]{}", 20),
        ("Default *p = new Default[n]", 10),
        ("Default *p = new Default[n]()", 20),
        ("std::vector<Default> p(n)", 20),
        ("Said p[10]", 10),
        ("Said *p = new Said[n]", 10),
        ("Said *p = new Said[n]()", 20),
        ("Made p[10]", 10),
        ("Made p[10]{}", 10),
        ("Made *p = new Made[n]()", 10),
        ("std::vector<Made> p(n)", 10),
        ("Plain *p = new Plain[n]", 0),
        ("Plain *p = new Plain[n]()", 20),
        ("Method p[10]", 10),
        ("Derived p[10]", 20),
        ("Generated *p = new Generated[n]", 10),
        ("Generated *p = new Generated[n]()", 30),
        ("std::vector<Generated> p(n)", 30),
        ("Nested p[10]", 20),
        ("Pointers p[10]", 10),
        ("Held p[10]", 10 + 40),
        ("Listed p[10]", 10 + 40),
        ("std::array<Made, 10> p", 10),
        ("std::array<Made, 4> p = made()", 4 + 4),
        ("auto *p = new Typed<double>[n]", 10),
        ("std::vector<Typed<double>> p(n); a[0] = p[0].x", 10 + 1),
        ("std::vector<TypedHolder> p(n); a[0] = p[0].z", 20 + 1),  # z and the first member of m
        ("auto p = std::make_unique<Typed<double>[]>(n); a[0] = p[0].x", 10 + 1),
        ("auto p = std::make_unique<Plain[]>(n)", 20),
        ("auto p = std::make_unique<Made[]>(n)", 10),
        ("std::vector<Made> p; p.resize(n)", 10),
        ("std::vector<Argument<double>> p; p.resize(n); a[0] = p[0].x", 20 + 1),
        ("std::vector<Plain> p; p.resize(n)", 20),
        ("Made p[10]; for (int i = 0; i < 10; i++) p[i] = Made()", 20),
        ("Made p[10], q; for (int i = 0; i < 10; i++) p[i] = q", 10 + 20),
    ],
)
def test_what_nothing_initialises_is_not_stored(made: str, stores: int) -> None:
    report = file_report(f"{OPEN}void f(double *a, int n) {{ {made}; for (int k = 0; k < n; k++) a[k] = k; }}", "x.cpp")
    (region,) = [each.profile for each in report.regions if each.profile.function == "f"]
    count = region.stores.elements
    assert (count.lower.evaluate({"n": 10}), count.is_exact) == (stores + 10, True)
