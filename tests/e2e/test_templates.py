"""Templates of C++: each instance is a row with its own types, and one without instances says what would make one."""

import pytest

from analyzer.diagnostics import Diagnostic
from tests.rows import Row, codes, file_report, rows

MEMBERS = """
namespace grids {
template <class T, int K = 3> class Grid {
  T *a, *b; long n;
  void hidden() { for (long i = 0; i < n; i++) a[i] += 1; }
public:
  Grid(long m);
  virtual void copy() = 0;
  void scale(int s);
  void scale(T s);
  T &operator()(int i) { return a[i]; }
  static void zero(T *x, int m) { for (int i = 0; i < m; i++) x[i] = 0; }
  T sum() { T s = 0; for (long i = 0; i < n; i++) for (int k = 0; k < K; k++) s += a[i]; return s; }
};
template <class T, int K> Grid<T, K>::Grid(long m) : n{m} { for (long i = 0; i < m; i++) a[i] = 1; }
template <class T, int K> void Grid<T, K>::scale(int s) { for (long i = 0; i < n; i++) b[i] = s * a[i]; }
template <class T, int K> void Grid<T, K>::scale(T s) { for (long i = 0; i < n; i++) b[i] = s + a[i] * s; }
"""
BODY = "{ for (int i = 0; i < n; i++) a[i] = b[i] + (T)0.5 * c[i]; }"
ARGUMENTS = "int n, T *a, const T *b, const T *c"


def test_each_instance_of_a_class_is_a_row():
    found = rows(MEMBERS + "template class Grid<float>; template class Grid<double, 2>; }")
    fields = 24  # this->a, this->b, this->n
    scale = found["Grid<float>::scale"]
    assert (scale.flops, scale.read, scale.written, scale.exact) == (2_000, 4_000 + fields, 4_000, True)
    assert found["Grid<float>::sum"].flops == 3_000
    assert found["Grid<double, 2>::sum"].flops == 2_000
    assert found["Grid<double, 2>::hidden"].written == 8_000
    assert found["Grid<float>::zero"].stores == 4_000
    assert found["Grid<float>::Grid"].stores == 4_000
    assert {name for name in found if "<float>" in name} == {
        f"Grid<float>::{name}" for name in ("scale", "sum", "hidden", "zero", "Grid")
    }


def test_overloads_have_rows_of_their_own():
    report = file_report(MEMBERS + "template class Grid<float>; }")
    lines = [region.profile.span.line for region in report.regions if region.profile.name == "Grid<float>::scale"]
    assert lines == [16, 17]


@pytest.mark.parametrize(
    ("instance", "name", "bytes_each"),
    [
        (f"template void triad<double>({ARGUMENTS.replace('T', 'double')});", "triad<double>", 8),
        (f"template void triad({ARGUMENTS.replace('T', 'float')});", "triad<float>", 4),
        ("void use(int n, double *a) { triad(n, a, a + n, a + 2 * n); }", "triad<double>", 8),
    ],
)
def test_each_instance_of_a_function_is_a_row(instance, name, bytes_each):
    text = f"template <class T> void triad({ARGUMENTS}) {BODY}\n{instance}\n"
    found = rows(text)
    assert found[name] == Row(2_000, 2_000 * bytes_each, 1_000 * bytes_each, *found[name][3:])
    assert codes(text) == []


def test_one_member_is_instantiated_alone():
    found = rows(MEMBERS + "}\ntemplate void grids::Grid<double>::scale(int);", size=10)
    assert set(found) == {"Grid<double>::scale"}
    assert found["Grid<double>::scale"].flops == 10


def test_a_specialisation_is_read_as_it_stands():
    text = "template <class T> struct S { void f(T *a, int n); };\n"
    text += "template <> void S<float>::f(float *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }\n"
    text += "template <> struct S<double> { void g(double *a, int n) { for (int i = 0; i < n; i++) a[i] += 1; } };"
    found = rows(text)
    assert {name: row.flops for name, row in found.items()} == {"S<float>::f": 0, "S<double>::g": 1_000}


def _lost(text: str) -> list[Diagnostic]:
    return [one for one in file_report(text).profile.diagnostics if one.code == "AI206"]


@pytest.mark.parametrize(
    "text",
    [
        "template <class T> T sum(const T *a, int n) { T s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }",
        f"namespace a {{ template <class T = float, int N = 4> void triad({ARGUMENTS}) {BODY} }}",
        "template <class T, int K> struct S { T *a; void f(int n) { for (int i = 0; i < n; i += K) a[i] = 0; } };",
        "namespace a { template <class T> class S { T *a; void f(int n); };\n"
        "template <class T> void S<T>::f(int n) { for (int i = 0; i < n; i++) a[i] = 0; } }",
    ],
)
def test_a_template_without_instances_says_the_line_that_makes_one(text):
    (finding,) = _lost(text)
    assert finding.hint.startswith("add to the file: template ")
    with_line = f"{text}\n{finding.hint.removeprefix('add to the file: ')}\n"
    assert len(rows(with_line)) == 1
    assert codes(with_line) == []


def test_what_takes_something_to_call_is_not_instantiated_by_a_line():
    (finding,) = _lost("template <class F> void each(int n, F &&f) { for (int i = 0; i < n; i++) f(i); }")
    assert finding.hint == "add a call of each to the file"


def test_a_method_that_is_not_called_is_reported_and_an_accessor_is_not():
    text = """template <class T> struct S {
  T *a; int n;
  T &at(int i) { return a[i]; }
  void used() { for (int i = 0; i < n; i++) a[i] = 0; }
  void unused() { for (int i = 0; i < n; i++) a[i] += 1; }
};
void f(S<double> &s) { s.used(); }"""
    (finding,) = _lost(text)
    assert finding.message.startswith("S::unused of the class template S is not analyzed")
    assert set(rows(text)) == {"S<double>::used", "f"}


@pytest.mark.parametrize("base", ["Base<double>", "Base<T>"])
def test_constructors_inherited_from_an_instance_have_its_body(base: str) -> None:
    """The n elements are made with their initial value, and summed up with a product."""
    owner = "template <class T> struct Sum" if "T" in base.removeprefix("Base") else "struct Sum"
    made = "Sum<double>" if "template" in owner else "Sum"
    source = f"""
#include <vector>
template <class T> struct Base {{ std::vector<T> v; T k; Base(int n, T k_) : v(n), k(k_) {{}} }};
{owner} : {base} {{
  using {base}::Base;
  double sum() {{ double s = 0; for (auto &x : this->v) s += x * this->k; return s; }}
}};
double f(int n) {{ {made} o(n, 2.0); return o.sum(); }}
"""
    found = rows(source)["f"]
    assert (found.flops, found.stores, found.exact) == (2000, 8000, True)
