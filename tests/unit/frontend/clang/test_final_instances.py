"""Virtual methods and inherited constructors of instances of templates, final ones too; one of two objects."""

import pytest

from tests.rows import file_report

CLASSES = """
#include <functional>
#include <memory>
template <class T> struct Op { virtual ~Op() = default; virtual T apply(T v) const = 0;
  T twice(T v) const { return apply(apply(v)); } };
template <class T> struct Scale : Op<T> { T by; explicit Scale(T b) : by(b) {} T apply(T v) const override { return v
    * by; } };
template <class T> struct Shift final : Scale<T> { using Scale<T>::Scale;
  T apply(T v) const override { return Scale<T>::apply(v) + this->by; } };
template <class T> struct Up final : Op<T> { T apply(T v) const override { return v + 1; } };
template <class T, int K> struct Raise : Op<T> { T apply(T v) const override { T r = v; for (int k = 1; k < K; k++) r
    *= v;
  return r; } };
"""
LOOP = "for (int i = 0; i < n; i++) a[i] = "


def flops_of(body: str, classes: str = CLASSES) -> tuple[float, float | None]:
    report = file_report(f"{classes}void f(double *a, int n, int m, double x) {{ {body} }}", "x.cpp")
    (region,) = [each for each in report.regions if each.profile.function == "f"]
    flops, sizes = region.profile.work.flops, {**region.profile.values, "n": 10, "m": 4}
    return flops.lower.evaluate(sizes), None if flops.upper is None else flops.upper.evaluate(sizes)


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        (f"Shift<double> r(2); {LOOP} r.apply(a[i]);", 20),
        (f"Shift<double> r(2); const Op<double> &k = r; {LOOP} k.twice(a[i]);", 40),
        (f"std::unique_ptr<Op<double>> k = std::make_unique<Up<double>>(); {LOOP} k->twice(a[i]);", 20),
        (f"std::unique_ptr<Op<double>> k = std::make_unique<Raise<double, 4>>(); {LOOP} k->apply(a[i]);", 30),
        (f"auto f = [&](auto self, int k, double v) -> double {{ return k <= 0 ? v : self(self, k - 1, v * x); }};"
         f"{LOOP} f(f, 3, a[i]);", 30),
        (f"std::function<double(int, double)> f; f = [&](int k, double v) {{ return k <= 0 ? v : f(k - 1, v * x); }};"
         f"{LOOP} f(3, a[i]);", 30),
    ],
)  # fmt: skip
def test_the_body_that_runs_is_known(body: str, flops: int) -> None:
    assert flops_of(body) == (flops, flops)


def test_either_of_two_objects_runs_one_of_their_bodies() -> None:
    """A product or two in each iteration: nothing more is certain than that of the one with less."""
    least, most = flops_of(
        f"Scale<double> p(x); Raise<double, 3> q; const Op<double> *k = n > m ? (const Op<double> *)&p : &q;"
        f"{LOOP} k->apply(a[i]);"
    )
    assert least <= 10
    assert most is None or most >= 20


ROOT = """
template <class T> struct Root { virtual T one(T v) const = 0;
  virtual void all(T *p, int n) const { for (int i = 0; i < n; i++) p[i] = one(p[i]); } };
template <class T> struct Plain : Root<T> { T one(T v) const override { return v + 1; } };
template <class T> struct Every : Root<T> { T one(T v) const override { return v * v; }
  void all(T *p, int n) const override { for (int i = 0; i < n; i += 2) p[i] = one(p[i]); } };
"""


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("Plain<double> p; const Root<double> &k = p; k.all(a, n);", 10),
        ("Every<double> p; const Root<double> &k = p; k.all(a, n);", 5),
        ("Root<double> *k = new Plain<double>; k->all(a, n); Every<double> e;", 10),
    ],
)
def test_a_method_that_an_instance_inherits_is_that_of_its_base(body: str, flops: int) -> None:
    assert flops_of(body, CLASSES + ROOT) == (flops, flops)


def test_an_object_of_an_unknown_instance_may_have_the_method_of_the_base() -> None:
    """Ten sums, or five products: those of the class that overrides the method were taken for certain."""
    unknown = "const Root<double> &k = *(Root<double> *)a; k.all(a, n);"
    least, most = flops_of(f"Plain<double> p; Every<double> e; {unknown}", CLASSES + ROOT)
    assert least <= 5
    assert most is None or most >= 10


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("switch (int k = n % 3; k) { case 1: for (int i = 0; i < n; i++) a[i] += 1; break; default: a[0] += 1; }", 10),
        ("switch (int k = n % 3) { case 1: for (int i = 0; i < n; i++) a[i] += k; }", 10),
        ("for (int i = 0; i < n; i++) switch (i) { case 0 ... 2: a[i] += 1; break; case 5: a[i] += 2; }", 4),
    ],
)
def test_headers_and_ranges_of_a_switch(body: str, flops: int) -> None:
    assert flops_of(body) == (flops, flops)


def test_what_a_constexpr_function_makes_of_numbers_is_a_number() -> None:
    made = "constexpr int made(int k) { int p = 0, q = 1; while (k-- > 0) { int t = p + q; p = q; q = t; } return p; }"
    report = file_report(f"{made} void f(double *a) {{ for (int i = 0; i < made(6); i++) a[i] += 1; }}", "x.cpp")
    (region,) = [each for each in report.regions if each.profile.function == "f"]
    assert (region.profile.work.flops.lower.evaluate({}), region.profile.work.flops.is_exact) == (8, True)
