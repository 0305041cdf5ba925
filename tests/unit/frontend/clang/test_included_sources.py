"""Functions of included files that are no headers: rows of the file that includes them."""

import pytest

from analyzer.parallelism import Ground
from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile

LOOPS = "for (int i = 0; i < n; i++) a[i] = a[i] * a[i] + 1;"
TWICE = "#define REAL float\n#define F(x) x##_float\n{0}#undef REAL\n#undef F\n#define REAL double\n#define F(x) x\n{0}"


def rows(folder, name, included, text, language=Language.C):
    """FLOPs of the functions that are rows, by name."""
    (folder / name).write_text(included)
    path = folder / ("x.cpp" if language is Language.CXX else "x.c")
    (profile,) = analyze(SourceFile(str(path), text.replace("PART", f'#include "{name}"\n'), language))
    return {each.name: str(each.work.flops.estimate) for each in profile.regions}


def test_an_included_source_defines_functions_of_the_file(tmp_path):
    part = f"static void g(double *a, int n) {{ {LOOPS} }}\nvoid f(double *a, int n) {{ g(a, n); g(a, n); }}\n"
    assert rows(tmp_path, "part.c", part, "PART") == {"f": "4*n", "g": "2*n"}


@pytest.mark.parametrize("name", ["part_source.c", "part.h", "part.def"])
def test_one_text_that_is_included_for_several_types_makes_a_row_of_each(tmp_path, name):
    part = f"void F(f)(REAL *a, int n) {{ {LOOPS} }}\n"
    assert rows(tmp_path, name, part, TWICE.format("PART")) == {"f_float": "2*n", "f": "2*n"}


@pytest.mark.parametrize("name", ["part.cpp", "part.inc"])
def test_so_do_namespaces_and_methods(tmp_path, name):
    part = f"namespace m {{ void f(double *a, int n) {{ {LOOPS} }} }}\nvoid A::g(double *a, int n) {{ {LOOPS} }}\n"
    text = "struct A { void g(double *a, int n); };\nPART"
    assert rows(tmp_path, name, part, text, Language.CXX) == {"f": "2*n", "A::g": "2*n"}


@pytest.mark.parametrize("kind", ["static", "inline", "static inline", ""])
def test_a_header_has_no_rows(tmp_path, kind):
    part = f"{kind} void g(double *a, int n) {{ {LOOPS} }}\n"
    assert rows(tmp_path, "part.h", part, "PART void f(double *a) { g(a, 8); }") == {"f": "16"}


def test_a_global_that_an_included_file_writes_has_no_known_value(tmp_path):
    text = "static int n = 4;\nPART" + "void f(double *a) { for (int i = 0; i < n; i++) a[i] += 1; }"
    for name in ("part.c", "part.h"):
        assert rows(tmp_path, name, "void set(int k) { n = k; }\n", text)["f"] == "n"
    assert rows(tmp_path, "part.h", "static inline int read(void) { return n; }\n", text)["f"] == "4"


def test_a_macro_of_a_header_makes_a_loop_parallel(tmp_path):
    """``FOR`` as its header defines it, and ``LOOP`` whose own loop the pragma is for."""
    macros = """#define P(x) _Pragma(#x)
    #ifdef _OPENMP
    #define FOR(with) P(omp parallel for with)
    #define LOOP(body) P(omp parallel for) for (int i = 0; i < n; i++) { body; }
    #endif
    """
    (tmp_path / "macros.h").write_text(macros)
    text = """#include "macros.h"
    double f(const double *a, int n) { double s = 0;
      FOR(reduction(+ : s))
      for (int i = 0; i < n; i++) s += a[i];
      return s; }
    void g(double *a, const double *b, int n) { LOOP(a[i] = b[i]) }"""
    path = tmp_path / "x.c"
    (profile,) = analyze(SourceFile(str(path), text, Language.C), AnalysisOptions(defines={"_OPENMP": "202011"}))
    assert [nest.parallelism.ground for each in profile.regions for nest in each.nests] == [Ground.PRAGMA] * 2
