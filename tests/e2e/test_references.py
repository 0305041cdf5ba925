"""What a name refers to: references by other names, members that are references, tuples; by hand for n = 1,000."""

import pytest

from analyzer.profile import LoopMapping
from tests.rows import file_report, rows

D = 8_000  # bytes of a thousand doubles
LOOP = "for (long i = 0; i < n; ++i)"
VIEW = """struct View {
  using reference = double &;
  double *p;
  reference operator[](long i) const { return p[i]; }
  decltype(auto) at(long i) const { return (p[i]); }
  auto &get(long i) const { return p[i]; }
};
"""
PAIR = "struct Both { double &x; const double &y; };\n"
MADE = "struct Made { double &x; const double &y; Made(double &a, const double &b) : x(a), y(b) {} };\n"
BODY = """struct Body {
  View &to; const View &from; const double s;
  Body(View &a, const View &b, double c) : to(a), from(b), s(c) {}
  void operator()(long i) const { to[i] += s * from[i]; }
};
template <class F> void each(long n, const F &f) { for (long i = 0; i < n; ++i) f(i); }
"""
TUPLES = "#include <tuple>\nstd::tuple<double, double> two(double x) { return std::make_tuple(x + 1, x * 2); }\n"
TWO, THREE = "double *a, double *b, long n", "double *a, double *b, View v, long n"

# what is declared before, parameters, body, FLOPs, bytes read, bytes written
CASES = {
    "typedef": (VIEW, THREE, f"{LOOP} v[i] += 1.0;", 1_000, D, D),
    "decltype": (VIEW, THREE, f"{LOOP} v.at(i) += 1.0;", 1_000, D, D),
    "deduced": (VIEW, THREE, f"{LOOP} v.get(i) += 1.0;", 1_000, D, D),
    "typedef_variable": (VIEW, THREE, f"{LOOP} {{ View::reference r = v[i]; r += 1.0; }}", 1_000, D, D),
    "decltype_variable": (VIEW, THREE, f"{LOOP} {{ decltype(auto) r = v[i]; r += 1.0; }}", 1_000, D, D),
    "aggregate": (PAIR, TWO, f"{LOOP} {{ Both r{{a[i], b[i]}}; r.x += r.y; }}", 1_000, 2 * D, D),
    "constructor": (MADE, TWO, f"{LOOP} {{ Made r(a[i], b[i]); r.x += r.y; }}", 1_000, 2 * D, D),
    "of_a_value": (MADE, TWO, f"{LOOP} {{ Made r(a[i], 2.0 * b[i]); r.x = r.y; }}", 1_000, D, D),
    "functor": (VIEW + BODY, TWO, "View x{a}, y{b}; each(n, Body(x, y, 2.0));", 2_000, 2 * D, D),
    "bindings_of_a_tuple": (TUPLES, TWO, f"{LOOP} {{ auto [u, v] = two(a[i]); b[i] = u * v; }}", 3_000, D, D),
    "get": (TUPLES, TWO, f"{LOOP} {{ auto t = two(a[i]); b[i] = std::get<0>(t) - std::get<1>(t); }}", 3_000, D, D),
    "tie": (TUPLES, TWO, f"{LOOP} {{ double u, v; std::tie(u, v) = two(a[i]); b[i] = u + v; }}", 3_000, D, D),
    "tuple_of_references": (
        TUPLES,
        TWO,
        f"{LOOP} {{ std::tuple<double &, double &> t(a[i], b[i]); std::get<0>(t) += std::get<1>(t); }}",
        1_000,
        2 * D,
        D,
    ),
    "pair": (
        TUPLES,
        TWO,
        f"{LOOP} {{ auto p = std::make_pair(a[i], 1.0f); b[i] = p.first + std::get<1>(p); }}",
        1_000,
        D,
        D,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_referred_to_is_read_and_written(case):
    before, parameters, body, flops, read, written = CASES[case]
    row = rows(f"{before}void f({parameters}) {{ {body} }}")["f"]
    assert (row.flops, row.read, row.written, row.exact) == (flops, read, written, True)


def test_a_virtual_call_of_a_constructor_is_that_of_its_own_class():
    text = """struct Base { virtual ~Base(); virtual void fill(double v) = 0; };
struct Own : Base {
  double *x; long n;
  Own(double *p, long m) : x(p), n(m) { fill(1.0); }
  void fill(double v) override { for (long i = 0; i < n; ++i) x[i] = v; }
};
struct Other : Own { using Own::Own; void fill(double) override {} };
"""
    row = rows(text)["Own::Own"]
    assert (row.stores, row.exact) == (D, True)


INCLUDED = """#pragma once
template <class T> void scale(T *x, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) x[i] *= 2;
}
"""


def test_pragmas_are_read_in_every_instance_and_in_included_files(tmp_path):
    (tmp_path / "scale.h").write_text(INCLUDED)
    own = INCLUDED.replace("scale", "own").removeprefix("#pragma once\n")
    text = f'{own}#include "{tmp_path}/scale.h"\n' + "".join(
        f"void {name}_{kind}({kind} *x, long n) {{ {name}(x, n); }}\n"
        for name in ("own", "scale")
        for kind in ("float", "double")
    )
    regions = [region.profile for region in file_report(text).regions if "<" not in region.profile.name]
    assert [region.name for region in regions] == ["own_float", "own_double", "scale_float", "scale_double"]
    assert {region.loops[0].mapping for region in regions} == {LoopMapping.THREADS}
