"""A call whose result names an object, or a container that goes on to exist, runs once where that is copied or read."""

import pytest

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile

HEAD = """#include <utility>
#include <vector>
using V = std::vector<float>;
struct L {
  V y;
  L(int n) : y(n) {}
  const V &get() { for (float &x : y) x *= 2; return y; }
  V &change() { for (float &x : y) x *= 2; return y; }
};
struct K { V v; K(const V &w) : v(w) {} };
float sum(V v) { float s = 0; for (float x : v) s += x; return s; }
"""


@pytest.mark.parametrize(
    ("statements", "flops"),
    [
        ("V z(10); z = l.get(); return z[0];", 10),
        ("V z = l.get(); return z[0];", 10),
        ("auto z = l.get(); return z[0];", 10),
        ("return sum(l.get());", 20),
        ("V z; z = std::move(l.change()); return z[0];", 10),
        ("std::vector<V> zs; zs.push_back(l.get()); return zs[0][0];", 10),
        ("std::vector<V> zs(2); zs[0] = l.get(); return zs[0][0];", 10),
        ("K k(l.get()); return k.v[0];", 10),
        ("V z(10), w(10); z = w = l.get(); return z[0];", 10),
        ("float s = 0; for (float x : l.get()) s += x; return s;", 20),
        ("for (float &x : l.change()) x += 1; return 0;", 20),
    ],
)
def test_a_call_that_gives_a_container_by_reference_runs_once(statements, flops):
    """Ten products of the call, and ten sums where the container is summed up."""
    text = f"{HEAD}float f() {{ L l(10); {statements} }}"
    (file,) = analyze(SourceFile("a.cpp", text, Language.CXX), AnalysisOptions(functions=("f",)))
    (region,) = file.profile.regions
    assert region.work.flops.is_exact
    assert region.work.flops.estimate.evaluate({}) == flops
