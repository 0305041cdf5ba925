"""What a ``std::string`` is made of: how many characters it has, and how many are copied."""

import pytest

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile

TEXT = """#include <string>
static int spaces(const std::string &s) {{ int k = 0; for (char c : s) k += c == ' '; return k; }}
int f(const char *q) {{ std::string t(1000, ' '); {} }}
"""


@pytest.mark.parametrize(
    ("body", "loads"),
    [
        ("std::string u(t, 10, 200); return spaces(u);", "400"),  # read for the copy, and counted
        ("std::string u(t, 900, 200); return spaces(u);", "200"),  # it ends with the text
        ("std::string u(t, 400); return spaces(u);", "1200"),
        ("std::string u{t}; return spaces(u);", "2000"),
        ("std::string u(q, 50); return spaces(u);", "100"),
        ("std::string u(20, 'x'); return spaces(u);", "20"),
        ('return spaces("three");', "5"),
        ('std::string u = "four"; return spaces(u);', "4"),
        ('return spaces(std::string("three", 3));', "3"),
    ],
)
def test_a_text_has_the_characters_that_it_is_made_of(body, loads):
    (file,) = analyze(SourceFile("a.cpp", TEXT.format(body), Language.CXX), AnalysisOptions())
    region = next(region for region in file.profile.regions if region.name == "f")
    assert str(region.loads.elements.estimate) == loads


COMPARED = """#include <string>
void f(double *x, int n, const std::string &given) {{
    std::string kind = "b";
    if ({}) {{ for (int i = 0; i < n; i++) x[i] = x[i] * 2.0; }}
    else {}
    for (int i = 0; i < n; i++) x[i] = x[i] + 1.0;
}}
"""


@pytest.mark.parametrize("test", ['kind == "b"', '"b" == given', "kind != given", 'given < "b"'])
@pytest.mark.parametrize("other", ["return;", ";"])
def test_texts_are_compared_by_their_characters(test, other):
    text = COMPARED.format(test, other)
    (file,) = analyze(SourceFile("a.cpp", text, Language.CXX), AnalysisOptions())
    region = next(region for region in file.profile.regions if region.name == "f")
    flops = region.work.flops
    bounds = [bound.evaluate({"n": 100}) for bound in (flops.lower, flops.upper)]
    assert bounds == [0 if other == "return;" else 100, 200]
