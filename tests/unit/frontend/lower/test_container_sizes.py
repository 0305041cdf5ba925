"""Sizes of containers: those of constructors, and symbols where a row may have another one than the whole."""

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

LOOPS = """
for (std::size_t i = 0; i < w.size(); i++) for (std::size_t j = 0; j < w[i].size(); j++) s += w[i][j];
for (auto &row : w) for (double v : row) s += v;
"""


@pytest.mark.parametrize(
    ("made", "loops", "flops"),
    [
        ("std::vector<double> w(n);", "for (auto v : w) s += v;", "n"),
        ("const int k = 1000; std::vector<double> w(k);", "for (auto v : w) s += v;", "1000"),
        ("std::vector<std::vector<double>> w(n, std::vector<double>(m));", LOOPS, "2*n*w[].size"),
    ],
)
def test_a_container_has_the_size_of_its_constructor(made, loops, flops):
    text = f"#include <vector>\ndouble f(int n, int m) {{ {made} double s = 0; {loops} return s; }}\n"
    (file,) = analyze(SourceFile("x.cpp", text, Language.CXX), AnalysisOptions())
    assert [str(region.work.flops.estimate) for region in file.regions] == [flops]
