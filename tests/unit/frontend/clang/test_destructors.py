"""Destructors run where an object goes out of scope, on each way out."""

import pytest

from tests.rows import file_report

CLASSES = """
#include <vector>
struct Guard { double *p, v; Guard(double *p_, double v_) : p(p_), v(v_) {} ~Guard() { *p += v; } };
struct Holder { Guard one, two; Holder(double *p) : one(p, 1), two(p, 2) {} };
struct Derived : Guard { Derived(double *p) : Guard(p, 1) {} ~Derived() { *p *= 2; } };
template <class T> struct Typed { T *p; ~Typed() { *p += 1; } };
struct Memory { double *p; Memory(int n) : p(new double[n]) {} ~Memory() { if (p) delete[] p; p = nullptr; } };
inline double returned(double *p) { Guard g(p, 1); return *p * 2; }
inline Guard made(double *p) { Guard g(p, 1); return g; }
inline void taken(Guard g) { *g.p *= 2; }
"""


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("Guard g(a + i, x); a[i] *= 2;", 20),
        ("Guard g(a + i, x), h(a + i, x);", 20),
        ("Guard g(a + i, x); if (i == 2) continue; a[i] *= 2;", 19),
        ("Guard g(a + i, x); if (i == 2) break; a[i] *= 2;", 5),  # three objects, two products
        ("if (i < 4) { Guard g(a + i, x); }", 4),
        ("Holder h(a + i);", 20),
        ("Derived d(a + i);", 20),
        ("Typed<double> t{a + i};", 10),
        ("a[i] = returned(a + i);", 20),
        ("Guard g = made(a + i);", 10),
        ("Guard g(a + i, x); taken(g);", 30),  # the parameter is a copy, and ends too
        ("for (int j = 0; j < 2; j++) { Guard g(a + i, x); if (j == 1) break; }", 20),
        ("switch (i % 2) { case 0: { Guard g(a + i, x); break; } default: a[i] *= 2; }", 10),
        ("[&] { Guard g(a + i, x); if (i < 5) return; a[i] *= 2; }();", 15),
        ("Guard &g = *(Guard *)a; (void)g;", 0),
        ("Memory m(4); a[i] += 1;", 10),
        ("Guard *g = new Guard(a + i, x); delete g;", 10),
    ],
)
def test_a_destructor_runs_at_the_end_of_the_scope(body: str, flops: int) -> None:
    text = f"{CLASSES}void f(double *a, int n, double x) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    (region,) = [each for each in file_report(text, "x.cpp").regions if each.profile.function == "f"]
    found = region.profile.work.flops
    assert (found.lower.evaluate({"n": 10}), found.is_exact) == (flops, True)


@pytest.mark.parametrize(
    "declared",
    [
        "std::vector<Guard> v(n, Guard(a, 1));",
        "Guard *v = new Guard[2]{{a, 1}, {a, 2}}; delete[] v;",
        "Guard v[2] = {{a, 1}, {a, 2}};",
    ],
)
def test_elements_that_are_destroyed_leave_a_lower_bound(declared: str) -> None:
    text = f"{CLASSES}void f(double *a, int n) {{ {declared} for (int i = 0; i < n; i++) a[i] += 1; }}"
    report = file_report(text, "x.cpp")
    (region,) = [each for each in report.regions if each.profile.function == "f"]
    assert region.profile.work.flops.upper is None or not region.profile.work.flops.is_exact
