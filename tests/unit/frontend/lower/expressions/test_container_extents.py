"""Extents of the elements of containers: those of the one size that they are ever given."""

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

HEAD = """#include <vector>
struct S { std::vector<double> v; S(int n) : v(n + 1) {} void set(int m) { v.resize(m); } };
"""
USE = "for (int i = 0; i < 1000; i++) v[int(x[i])] += 1;"


@pytest.mark.parametrize(
    ("body", "extent"),
    [
        (f"std::vector<double> v(40); {USE}", 40),
        (f"std::vector<double> v; v.resize(40); {USE}", 40),
        (f"std::vector<double> v; v.assign(40, 1.0); {USE}", 40),
        (f"std::vector<double> v; v = std::vector<double>(40); {USE}", 40),
        (f"S s(39); auto &v = s.v; {USE}", 40),
        (f"std::vector<double> v(10); v.resize(40); {USE}", None),
        (f"S s(39); s.set(80); auto &v = s.v; {USE}", None),
        (f"std::vector<double> v; if (b) v.resize(40); else v.resize(80); {USE}", None),
        (f"std::vector<double> v; if (b) v.resize(40); v.resize(80); {USE}", None),
        (f"std::vector<double> v; v.resize(40); {USE} v.clear(); v.resize(9); {USE}", None),
        (f"std::vector<double> v; for (int k = 1; k < 4; k++) {{ v.resize(40 * k); {USE} }}", None),
        (f"std::vector<double> v; v.push_back(1); v.push_back(2); {USE}", None),
    ],
)
def test_of_one_size(body: str, extent: int | None) -> None:
    """Data choose among as many elements as there are, else each of 1000 iterations may come to another."""
    source = SourceFile("k.cpp", f"{HEAD} void f(bool b, const double *x) {{ {body} }}", Language.CXX)
    (region,) = (each for file in analyze(source) for each in file.regions if each.function == "f")
    nest = next(each for each in reversed(region.nests) if any(a.array == "x" for a in each.footprint.arrays))
    (array,) = (each for each in nest.footprint.arrays if each.array.endswith("v"))
    most = array.written.elements.upper.evaluate({})
    assert most >= 1000 if extent is None else most == extent


def test_of_a_size_that_a_member_gives_it_in_each_iteration() -> None:
    text = """#include <vector>
struct K { int k; std::vector<int> chosen;
  K(int k, const int *p, int n) : k(k), chosen(p, p + n) {}
  void count() { std::vector<double> v(k); for (int each : chosen) v[each] += 1; } };
void f(const int *p) { K one(16, p, 1000); for (int t = 0; t < 9; t++) one.count(); }"""
    (region,) = (each for each in analyze(SourceFile("k.cpp", text, Language.CXX))[0].regions if each.function == "f")
    nest = next(each for each in reversed(region.nests) if any(a.array == "one.chosen" for a in each.footprint.arrays))
    (array,) = (each for each in nest.footprint.arrays if each.array.startswith("v"))
    assert array.written.elements.upper.evaluate({}) == 16 + 16, "those that start with 0, and those that data choose"
