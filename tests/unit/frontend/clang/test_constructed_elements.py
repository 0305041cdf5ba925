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
