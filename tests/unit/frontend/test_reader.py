"""Which reader reads what."""

import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import choose, read
from analyzer.source import Language, SourceFile

FUNCTION = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n"
LOOP = "for (i = 0; i < n; i++) a[i] = 0;\n"


def source(text: str, path: str = "x.c", language: Language = Language.C) -> SourceFile:
    return SourceFile(path, text, language)


@pytest.mark.parametrize(
    ("text", "path", "language", "reader"),
    [
        (LOOP, "x.c", Language.C, "fragment"),
        (LOOP, "x.cpp", Language.CXX, "fragment"),
        ("double a[N];\n" + LOOP, "x.c", Language.C, "fragment"),
        ("a[0] = 1;", "x.c", Language.C, "fragment"),
        (FUNCTION, "x.c", Language.C, "clang"),
        (FUNCTION, "<stdin>", Language.C, "fragment"),
        (FUNCTION, "README.md", Language.C, "fragment"),
        ("#include <math.h>\n" + FUNCTION, "<stdin>", Language.C, "clang"),
        ("__global__ " + FUNCTION, "<stdin>", Language.C, "clang"),
        ("template <class T> void f(T *a) { }", "x.h", Language.C, "clang"),
        ("using namespace std;\n" + FUNCTION, "x.cpp", Language.CXX, "clang"),
        ("class A { void f() { for (;;) ; } };", "x.cpp", Language.CXX, "clang"),
        ("// for (;;) ;\n" + FUNCTION, "x.c", Language.C, "clang"),
        ("double f(a, n)\ndouble *a, (*g)();\nint n;\n{ return a[n]; }", "x.c", Language.C, "clang"),
        ("main(argc, argv) int argc; char **argv; { for (;;) ; }", "x.c", Language.C, "clang"),
        ("f(a, n); double b[n]; { " + LOOP + " }", "x.c", Language.C, "fragment"),
        ("DECLARE(a) int x; int f(int y) { return y; }\n" + LOOP, "x.c", Language.C, "fragment"),
        ("#ifdef A\nvoid f(int n) {\n#else\nvoid f(long n) {\n#endif\nfor (;;) ;\n}\n", "x.c", Language.C, "clang"),
        ("#if A\n#if B\n#endif\n#elif C\n#if D\n" + LOOP + "#endif\n#endif\nint x;", "x.c", Language.C, "fragment"),
        ("#if A\n" + LOOP + "#endif\n", "x.c", Language.C, "fragment"),
        ("int x = 3;", "x.c", Language.C, "fragment"),
        ("", "x.c", Language.C, "fragment"),
    ],
)
def test_the_text_chooses_the_reader(text: str, path: str, language: Language, reader: str) -> None:
    assert choose(source(text, path, language)) == reader


def test_the_chosen_reader_reads() -> None:
    assert read(source(LOOP), ParseOptions()).frontend == "fragment"
    assert read(source(FUNCTION), ParseOptions()).frontend == "clang"
    assert read(source(FUNCTION), ParseOptions(), "fragment").frontend == "fragment"


def test_a_type_that_nothing_declares_is_guessed_by_the_reader_of_the_file() -> None:
    parsed = read(source(FUNCTION.replace("double", "real")), ParseOptions())
    assert parsed.frontend == "clang"
    assert [(item.code, item.form) for item in parsed.diagnostics] == [("AI301", "type")]
    assert "f" in parsed.unit.functions


def test_a_number_for_a_declared_name_is_no_macro() -> None:
    parsed = read(source(FUNCTION), ParseOptions(defines={"n": "100"}))
    assert [item.name for item in parsed.unit.functions["f"].parameters] == ["n", "a"]


def test_no_parser_loads_before_it_is_needed() -> None:
    code = (
        "import sys, analyzer.frontend.reader as r; from analyzer.source import *;"
        "r.choose(SourceFile('x.c', 'for(;;);', Language.C));"
        "print([m for m in ('pycparser', 'pcpp', 'clang') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_a_broken_bare_loop_is_told_by_the_snippet_reader() -> None:
    parsed = read(source("for (i = 0; i < n; i++ { a[i] = 0; }"), ParseOptions())
    assert (parsed.frontend, [item.code for item in parsed.diagnostics]) == ("fragment", ["AI001"])


def test_cpp_without_bare_statements_goes_to_clang_whatever_its_name() -> None:
    parsed = read(source("template <class T> T twice(T x) { return x + x; }", "<stdin>"), ParseOptions())
    assert parsed.frontend == "clang"


PROTOTYPE = "void *allocate(unsigned long n, int size);\nvoid rows(int n, int m);\n#ifndef N\n#define N 9\n#endif\n"


def test_a_number_for_a_name_that_a_header_declares_is_no_macro(tmp_path) -> None:
    (tmp_path / "own.h").write_text(PROTOTYPE)
    text = '#include "own.h"\nvoid f(int k, double a[N]) { for (int i = 0; i < N; i++) a[i] = 0; }\n'
    options = ParseOptions(defines={"N": "500", "n": "200", "m": "3"}, include_dirs=(str(tmp_path),))
    parsed = read(source(text), options)
    assert (parsed.frontend, parsed.diagnostics) == ("clang", ())
    (function,) = parsed.unit.functions.values()
    assert "500" in repr(function.body)


def test_no_option_hands_a_file_to_another_reader() -> None:
    text = "#include <math.h>\ntypedef struct { double x; } point;\n" + FUNCTION
    assert read(source(text), ParseOptions()).frontend == "clang"
    assert read(source(text), ParseOptions(defines={"point": "(", "x": "1 +"})).frontend == "clang"


def test_another_reader_is_reported() -> None:
    parsed = read(source(FUNCTION.replace("}", "a[0] += lost[0]; }", 1)), ParseOptions())
    assert parsed.frontend == "fragment"
    assert [item.form for item in parsed.diagnostics if item.code == "AI007"] == ["snippet"]


def test_headers_without_which_clang_does_not_understand_a_file_are_named() -> None:
    text = '#include "sizes.h"\nvoid f(Box *a) { for (int i = 0; i < 3; i++) a->x[i] = lost[i]; }'
    parsed = read(source(text), ParseOptions())
    (found,) = [item for item in parsed.diagnostics if item.code == "AI007"]
    assert "without sizes.h:" in found.message


def test_cxx_with_functions_is_never_a_snippet() -> None:
    text = "LIB_SCOPE\nif (1) { }\ntemplate <class T> void f(T *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }\n"
    assert choose(source(text)) == "clang"


def test_a_file_of_cxx_that_reaches_the_runtime_of_cuda_knows_it(tmp_path: Path) -> None:
    (tmp_path / "device.h").write_text("#include <cuda.h>\n#include <cuda_runtime.h>\n")
    text = """#include "device.h"
#ifdef __CUDACC__
#error read by nvcc
#endif
int f() { cudaDeviceProp p; size_t n; cudaSetDevice(0); cudaMemGetInfo(&n, &n); return p.major; }
"""
    parsed = read(source(text, str(tmp_path / "f.cpp"), Language.CXX), ParseOptions())
    assert not parsed.diagnostics
    assert [function.name for function in parsed.unit.functions.values()] == ["f"]


def test_a_file_of_cxx_with_an_optional_header_of_cuda_stays_one(tmp_path: Path) -> None:
    text = "#ifdef GPU\n#include <cuda_runtime.h>\n#endif\nint f() { int cudaSetDevice = 1; return cudaSetDevice; }\n"
    parsed = read(source(text, str(tmp_path / "f.cpp"), Language.CXX), ParseOptions())
    assert not parsed.diagnostics


def test_a_file_that_reaches_the_header_of_hip_is_in_hip(tmp_path: Path) -> None:
    (tmp_path / "all.h").write_text("#include <hip/hip_runtime.h>\n__global__ void k(double *a);\n")
    text = (
        '#include "all.h"\nvoid f(double *a) { hipError_t e = hipMalloc(&a, 8); for (auto i : {1}) e = hipSuccess; }\n'
    )
    parsed = read(source(text, str(tmp_path / "f.cpp"), Language.CXX), ParseOptions())
    assert not parsed.diagnostics
