"""Functions that a macro makes, and those of instances of final class templates, are rows like others."""

import pytest

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile

LOOP = "for (int i = 0; i < n; i++) x[i] *= 2;"


def rows(text, language=Language.CXX):
    (file,) = analyze(SourceFile("a.cpp", text, language), AnalysisOptions(frontend="clang"))
    return {region.name: region.work.flops.estimate.evaluate({"n": 5}) for region in file.profile.regions}


@pytest.mark.parametrize("language", [Language.C, Language.CXX])
def test_a_macro_makes_functions(language):
    text = f"#define BODY(name) void name(double *x, int n) {{ {LOOP} }}\nBODY(f)\nBODY(g)\n"
    assert rows(text, language) == {"f": 5, "g": 5}


def test_a_macro_makes_methods():
    text = (
        f"struct K {{ void run(double *, int); }};\n#define RUN(c) void c::run(double *x, int n) {{ {LOOP} }}\nRUN(K)\n"
    )
    assert rows(text) == {"K::run": 5}


def test_what_a_macro_writes_is_not_kept():
    text = "int size = 4;\n#define SET(name) void name(int n) { size = n; }\nSET(set)\n"
    loop = LOOP.replace("n;", "size;")
    (file,) = analyze(SourceFile("a.cpp", f"{text}void f(double *x) {{ {loop} }}", Language.CXX), AnalysisOptions())
    assert file.profile.regions[0].work.flops.estimate.symbols == {"size"}


def test_members_of_instances_of_a_final_template():
    text = (
        "template <int N> class X final { public: X(double *x); void go(double *x); };\n"
        "template <int N> X<N>::X(double *x) { for (int i = 0; i < N; i++) x[i] = x[i] * 2 + 1; }\n"
        "template <int N> void X<N>::go(double *x) { for (int i = 0; i < N; i++) x[i] *= 2; }\n"
        "template class X<8>;\n"
    )
    assert rows(text) == {"X<8>::X": 16, "X<8>::go": 8}
