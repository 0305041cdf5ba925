"""Input and output by streams: nothing that is counted, but operators of the program's own are calls."""

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

VECTOR = """
struct V { double x, y; };
std::ostream &operator<<(std::ostream &o, const V &v) { return o << v.x * 2.0 << v.y; }
"""


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ('double s = 0; for (int i = 0; i < 10; i++) s += 1.5; std::cout << "s: " << s << std::endl;', "10"),
        ("double s = 0; for (int i = 0; i < 10; i++) std::cerr << s * 2.0 << '\\n';", "10"),
        ('V v{1, 2}; for (int i = 0; i < 10; i++) std::cout << "v: " << v << "\\n";', "10"),
        ("V v{1, 2}; for (int i = 0; i < 10; i++) std::cout << v << v;", "20"),
        ("int n = 3, m = 4; double s = 0; std::cin >> n >> m; for (int i = 0; i < n + m; i++) s += 1.5;", "m + n"),
    ],
)
def test_streams_count_nothing_of_their_own(body, flops):
    text = f"#include <iostream>\n{VECTOR}\nint main() {{\n{body}\n}}\n"
    (file,) = analyze(SourceFile("x.cpp", text, Language.CXX), AnalysisOptions())
    (region,) = [region for region in file.regions if region.function == "main"]
    assert region.work.flops.is_exact
    assert str(region.work.flops.estimate) == flops
