"""Objects, tasks and pointers in short tables, and variables that change through references and pointers, by hand."""

import pytest

from tests.rows import file_report

BEFORE = """
#include <array>
#include <memory>
#include <utility>
#include <vector>
struct Task { int first, last; double *p; };
struct Level {
  int n; std::vector<double> u;
  Level(int n_) : n(n_), u(n_ + 1) {}
  void add(double s) { for (int i = 0; i < n; i++) u[i] += s; }
};
struct View { double *p; std::array<int, 2> n; };
struct Shape { virtual ~Shape() {} virtual double area(double s) const = 0; };
struct Square : Shape { double area(double s) const override { return s * s; } };
struct Cube : Shape { double area(double s) const override { return s * s * s; } };
inline bool fits(const Level &l, int m) { if (l.n < m) return false; return true; }
struct Part { int n; double w; void grow() { n += 1; } };
"""


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("std::vector<Task> v = {{0, n, a}, {1, m, b}}; for (auto &t : v) for (int i = t.first; i < t.last;"
         " i++) t.p[i] += x;", 15),
        ("const Task v[] = {{0, n, a}, {1, m, b}}; for (auto &t : v) for (int i = t.first; i < t.last; i++)"
         " t.p[i] += x;", 15),
        ("std::vector<Level> v; v.reserve(2); v.emplace_back(n); v.push_back(Level(m)); for (auto &l : v)"
         " l.add(x);", 16),
        ("Level v[] = {Level(n), Level(m)}; v[1].add(x); v[0].add(x); v[1].add(x);", 22),
        ("View p{a, {n, 3}}, q{b, {n, 3}}; for (int t = 0; t < m; t++) {"
         " for (int i = 0; i < p.n[0]; i++) for (int j = 0; j < p.n[1]; j++) q.p[i * p.n[1] + j] = p.p[i *"
         " p.n[1] + j] * x;"
         " std::swap(p, q); }", 180),
        ("std::vector<std::unique_ptr<Shape>> v; v.push_back(std::make_unique<Square>());"
         " v.push_back(std::make_unique<Cube>());"
         " for (auto &s : v) for (int i = 0; i < n; i++) a[i] = s->area(x);", 30),
        ("std::unique_ptr<Shape> s = std::make_unique<Square>(); for (int i = 0; i < n; i++) a[i] = s->area(x);"
         " s.reset(new Cube); for (int i = 0; i < m; i++) a[i] = s->area(x);", 22),
        ("Level l(n); if (!fits(l, m)) l.add(1); else if (!fits(l, n + 1)) l.add(2);", 10),
        ("int s = 3; for (int k = 0; k < n; k++) { int &r = s; r += 1; for (int i = 0; i < s; i++) a[i] += x; }", 85),
        ("int s[2] = {3, 4}; for (int k = 0; k < n; k++) { s[0] += 1; for (int i = 0; i < s[0]; i++) a[i] += x;"
         " }", 85),
        ("Part s{3, x}, t{4, x}; Part *v[] = {&s, &t};"
         " for (int k = 0; k < n; k++) { for (auto *p : v) p->grow(); for (int i = 0; i < s.n; i++) a[i] += x;"
         " }", 85),
        ("Part s{3, x}, t{4, x}; std::vector<Part *> v = {&s, &t};"
         " for (int k = 0; k < n; k++) { for (auto *p : v) p->grow(); for (int i = 0; i < s.n; i++) a[i] += x;"
         " }", 85),
    ],
)  # fmt: skip
def test_work_follows_what_tables_hold_and_what_changes_through_them(body: str, flops: int) -> None:
    """At n = 10 and m = 6; 85 is 4 + 5 + ... + 13."""
    source = f"{BEFORE}void f(double *a, double *b, int n, int m, double x) {{ {body} }}"
    region = next(one for one in file_report(source, "x.cpp").regions if one.profile.function == "f").profile
    work = region.work.flops
    assert work.is_exact
    assert work.estimate.evaluate({**region.values, "n": 10, "m": 6}) == flops


def test_a_store_through_a_pointer_that_is_not_followed_changes_what_it_may_point_at() -> None:
    body = (
        "Part s{3, x}, t{4, x}; Part *v[2]; v[0] = &s; v[1] = &t; v[m]->grow(); for (int i = 0; i < s.n;"
        " i++) a[i] += x;"
    )
    source = f"{BEFORE}void f(double *a, int m, double x) {{ {body} }}"
    region = next(one for one in file_report(source, "x.cpp").regions if one.profile.function == "f").profile
    assert region.work.flops.lower.symbols


def test_members_are_known_after_an_early_return_of_a_function_that_takes_the_object() -> None:
    """Of n additions none hangs on whether the function before returned in its loop."""
    body = "Level l(n); if (!scaled(l)) a[0] = 1; for (int i = 0; i < l.n; i++) a[i] += x;"
    scaled = "for (int i = 0; i < l.n; i++) { if (l.u[i] > 9) return false; l.u[i] *= 2; } return true;"
    source = f"{BEFORE}bool scaled(Level &l) {{ {scaled} }} void f(double *a, int n, double x) {{ {body} }}"
    region = next(one for one in file_report(source, "x.cpp").regions if one.profile.function == "f").profile
    added = [work for key, work in region.work.operations.items() if key.operation.value == "add"]
    assert [work.estimate.evaluate({**region.values, "n": 10}) for work in added if work.is_exact] == [10]
