"""Sizes of containers: of constructors and methods, and symbols where they are not known or rows may differ."""

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

DECLARED = "#include <vector>\nvoid shrink(std::vector<double> &);\nvoid look(const std::vector<double> &);\n"
OPEN = "2*n*w[].size"
LOOPS = """
for (std::size_t i = 0; i < w.size(); i++) for (std::size_t j = 0; j < w[i].size(); j++) s += w[i][j];
for (auto &row : w) for (double v : row) s += v;
"""


@pytest.mark.parametrize(
    ("made", "loops", "flops"),
    [
        ("std::vector<double> w(n);", "for (auto v : w) s += v;", "n"),
        ("const int k = 1000; std::vector<double> w(k);", "for (auto v : w) s += v;", "1000"),
        (
            "std::vector<std::vector<double>> w(n); for (int i = 0; i < n; i += 2) w[i].resize(m);",
            LOOPS,
            "2*n*w[].size",
        ),
        ("std::vector<std::vector<double>> w(n); for (int i = 0; i < n; i++) w[i].resize(i);", LOOPS, OPEN),
        ("std::vector<double> w(n); if (m > 3) w.push_back(1);", "for (auto v : w) s += v;", "w.size"),
        ("std::vector<double> w(n); shrink(w);", "for (auto v : w) s += v;", "w.size"),
        ("std::vector<double> w(n); look(w);", "for (auto v : w) s += v;", "n"),
        ("std::vector<double> w(n); w.insert(w.begin(), 2.0);", "for (auto v : w) s += v;", "n + 1"),
        (
            "std::vector<double> w; for (int i = 0; i < n; i++) { w.push_back(i); if (w[i] > 2) break; }",
            "for (auto v : w) s += v;",
            "w.size",
        ),
        ("std::vector<std::vector<double>> w(n, std::vector<double>(m));", LOOPS, "2*m*n"),
    ],
)
def test_a_container_has_the_size_that_it_was_given(made, loops, flops):
    text = f"{DECLARED}double f(int n, int m) {{ {made} double s = 0; {loops} return s; }}\n"
    (file,) = analyze(SourceFile("x.cpp", text, Language.CXX), AnalysisOptions())
    assert [str(region.work.flops.estimate) for region in file.regions] == [flops]
