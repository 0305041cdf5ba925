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
        ("std::vector<std::vector<double>> w(n); for (int i = 0; i < n; i++) w[i].resize(i);", LOOPS, "n^2 - n"),
        (  # only odd rows have elements
            "std::vector<std::vector<double>> w(n); for (int i = 0; i < n; i++) { if (i % 2 == 0) continue;"
            " w[i].resize(m); }",
            LOOPS,
            OPEN,
        ),
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


GRID = "std::vector<std::vector<double>> w(n, std::vector<double>(m));"
ROWS = "std::vector<std::vector<double>> w;"
SUM = "for (auto &row : w) for (double v : row) s += v;"


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        (f"{ROWS} for (int i = 0; i < n; i++) w.emplace_back(m, 2.0); {SUM}", "m*n"),
        (f"{ROWS} for (int i = 0; i < n; i++) w.push_back(std::vector<double>(i + 1)); {SUM}", "1/2*n^2 + 1/2*n"),
        (f"{ROWS} std::vector<double> r(m); for (int i = 0; i < n; i++) w.push_back(r); {SUM}", "m*n"),
        (f"{ROWS} std::vector<double> r(m); w.assign(n, r); {SUM} for (double v : r) s += v;", "m*n + m"),
        (  # each row has grown by as many elements as iterations before the sum
            f"{GRID} for (int t = 0; t < 3; t++) {{ {SUM} for (int i = 0; i < n; i++) w[i].push_back(1); }}",
            "3*m*n + 3*n",
        ),
        (  # rows of two lengths, of which the first one grows
            f"{GRID} for (int t = 0; t < 3; t++) {{ {SUM} w[0].push_back(1); }}",
            "3*n*w[].size",
        ),
        (  # row i has got i elements, one by one
            f"{ROWS} w.resize(n); for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) w[i].push_back(1); {SUM}",
            "1/2*n^2 - 1/2*n",
        ),
        (  # emptied and filled in each iteration: 0 elements first, then n
            f"{GRID} for (int t = 0; t < 3; t++) {{ w[0].clear(); for (double v : w[0]) s += v;"
            " for (int j = 0; j < n; j++) w[0].push_back(1); for (double v : w[0]) s += v; }",
            "3*n",
        ),
    ],
)
def test_rows_have_the_elements_that_loops_have_given_them(body, flops):
    text = f"{DECLARED}double f(int n, int m) {{ double s = 0; {body} return s; }}\n"
    (file,) = analyze(SourceFile("x.cpp", text, Language.CXX), AnalysisOptions())
    assert [str(region.work.flops.estimate) for region in file.regions] == [flops]


def test_a_row_that_is_pushed_back_is_copied():
    text = f"{DECLARED}void f(int n, int m) {{ {ROWS} std::vector<double> r(m); w.reserve(n);"
    text += " for (int i = 0; i < n; i++) w.push_back(r); }\n"
    (file,) = analyze(SourceFile("x.cpp", text, Language.CXX), AnalysisOptions())
    (region,) = file.regions
    assert str(region.loads.elements.estimate) == "m*n + n"  # of r, and where each row is
    assert str(region.stores.elements.estimate) == "m*n + m + n"  # zeros in r, copies of r, pointers to them


TEXTS = """#include <string>
#include <iostream>
#include <iterator>
double f(int n, const double *x, std::string t) {
  double z = 0; std::string s; %s for (char c : s) z += x[1]; return z; }
"""


@pytest.mark.parametrize(
    ("filled", "size"),
    [
        ("", "0"),
        ("for (int i = 0; i < n; i++) s.push_back('a');", "n"),
        ('s = "hello";', "5"),
        ("std::cin >> s;", None),
        ("auto *p = &s; std::cin >> *p;", None),
        ("while (std::cin >> s) {}", None),
        ("s.replace(0, 0, t);", None),
        ("s = std::string(std::istreambuf_iterator<char>(std::cin), {});", None),
    ],
)
def test_texts_start_empty_and_have_the_characters_that_are_put_there(filled: str, size: str | None) -> None:
    """What the library puts there is not known."""
    (file,) = analyze(SourceFile("k.cpp", TEXTS % filled, Language.CXX))
    (region,) = file.profile.regions
    found = region.work.flops.estimate
    if size is None:
        assert found.symbols - {"n"}
    else:
        n = 7
        assert found.evaluate({"n": n}) == (n if size == "n" else int(size))
