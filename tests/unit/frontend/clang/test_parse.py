"""The clang reader as a whole: what it is given, what it reports, what it leaves out."""

import sys
from pathlib import Path

import pytest

from analyzer.errors import SourceError
from analyzer.frontend.clang import binding as clang_binding
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile
from tests.surface import show


def parse(text, language=Language.C, path="x.c", first_line=1, **options):
    return parse_clang(SourceFile(path, text, language, first_line), ParseOptions(**options))


def codes(parsed):
    return [diagnostic.code for diagnostic in parsed.diagnostics]


def names(parsed):
    return [function.name for function in parsed.unit.functions.values()]


def test_a_whole_file_has_no_findings():
    parsed = parse('#include <stdio.h>\nint main(void) { printf("%d", 1); return 0; }')
    assert parsed.frontend == "clang"
    assert codes(parsed) == []
    assert names(parsed) == ["main"]


def test_a_syntax_error_leaves_only_its_function_out():
    parsed = parse("void f(int n) { for (int i = 0; i < n; i++ { } }\nvoid g(void) { int k = 1; }")
    assert "AI001" in codes(parsed)
    assert "f" not in names(parsed)


def test_functions_before_an_error_are_whole():
    parsed = parse("double g(double x) { return x * x; }\nvoid f(void) { int k = nowhere + 1; }")
    assert names(parsed) == ["g"]
    assert set(codes(parsed)) == {"AI001", "AI003"}
    assert {d.span.line for d in parsed.diagnostics} == {2}


def test_a_missing_header_is_a_note_and_parsing_goes_on():
    parsed = parse('#include "none.h"\nint f(void) { return 1; }')
    assert codes(parsed) == ["AI002"]
    assert names(parsed) == ["f"]


def test_an_undeclared_function_is_called_with_unknown_type():
    parsed = parse("void f(double *a) { a[0] = mystery(a[1]); }")
    assert codes(parsed) == ["AI003"]
    assert show(parsed.unit) == "void f(fp64* a) { a[0] = mystery(a[1]); }"


def test_lines_count_from_the_first_line_of_the_block():
    function = parse("\nint f(void)\n{ return 1; }", first_line=40).unit.functions["f"]
    assert (function.span.line, function.span.end_line) == (41, 42)


def test_defines_include_dirs_and_standard_reach_clang(tmp_path):
    (tmp_path / "size.h").write_text("#define COUNT (2 * N)\n")
    text = '#include "size.h"\ndouble a[COUNT];\nvoid f(void) { for (int i = 0; i < N; i++) a[i] = 0; }'
    parsed = parse(text, include_dirs=(str(tmp_path),), defines={"N": "8"}, std="c11")
    assert codes(parsed) == []
    assert show(parsed.unit.globals[0].type.extent) == "16"


def test_functions_of_included_files_are_there_to_be_inlined(tmp_path):
    (tmp_path / "part.h").write_text(
        "static double twice(double x) { return 2 * x; }\nstatic int unused(void) { return 0; }\n"
    )
    parsed = parse('#include "part.h"\nvoid f(double *a) { a[0] = twice(a[1]); }', include_dirs=(str(tmp_path),))
    assert {f.name: f.listed for f in parsed.unit.functions.values()} == {"f": True, "twice": False}


def test_arguments_of_the_build_come_first_and_older_cxx_becomes_17():
    text = "#include <vector>\nvoid f(std::vector<double> &v) { register int k = 0; v[0] = LAST; }"
    parsed = parse(text, Language.CXX, "x.cpp", compile_args=("-std=c++11", "-DLAST=3"))
    assert codes(parsed) == []


@pytest.mark.parametrize("argument", ["-fno-such-flag", "-mfoo=3", "--weird", "-xHost", "-march=native", "main.o"])
def test_arguments_of_other_compilers_are_passed_over(argument):
    parsed = parse("void f(int *a) { a[0] = 1; }", compile_args=(argument,))
    assert (names(parsed), codes(parsed)) == (["f"], [])


@pytest.mark.parametrize("argument", ["-fopenmp", "-qopenmp"])
def test_openmp_is_read_from_the_text_and_its_macro_is_set(argument):
    text = "#ifdef _OPENMP\nvoid f(int n, int *a) {\n#pragma omp simd\nfor (int i = 0; i < n; i++) a[i] = 0; }\n#endif"
    assert "#omp simd# for" in show(parse(text, compile_args=(argument,)).unit)


def test_a_name_missing_in_many_places_is_one_finding():
    parsed = parse("void f(void) { int i = lost + lost; }\nvoid g(void) { int i = lost; }")
    assert codes(parsed).count("AI003") == 1
    assert names(parsed) == []


@pytest.mark.skipif(not Path("/usr/include/stdio.h").exists(), reason="the machine has no system headers")
def test_system_headers_give_the_same_tree():
    text = '#include <stdio.h>\n#include <math.h>\nvoid f(double *a) { a[0] = sqrt(a[1]); printf("x"); }'
    assert show(parse(text, system_headers=True).unit) == show(parse(text).unit)


@pytest.mark.skipif(not Path("/usr/include/c++").exists(), reason="the machine has no C++ headers")
def test_system_cxx_headers_give_the_same_tree():
    text = (
        "#include <vector>\n#include <cmath>\nvoid f(std::vector<double> &v) {"
        " for (auto it = v.begin(); it < v.end(); ++it) *it += std::sqrt(v[0]); for (auto &x : v) x = 1; }"
    )
    real = parse(text, Language.CXX, "x.cpp", system_headers=True)
    assert show(real.unit) == show(parse(text, Language.CXX, "x.cpp").unit)


def test_thousands_of_terms_and_branches_do_not_overflow():
    terms = " + ".join(f"a[{i}]" for i in range(3000))
    ladder = " else ".join(f"if (a[{i}] > 0) s = {i};" for i in range(1200))
    nested = "f(" * 200 + "a[0]" + ")" * 200
    text = f"double f(double);\ndouble g(double *a) {{ double s = {terms}; {ladder} return s + {nested}; }}"
    assert names(parse(text)) == ["g"]


def test_latin_text_and_offsets_after_wide_characters():
    parsed = parse("/* é ü 漢 */ void f(int n) { for (int i = 0; ; i++) { if (i > n) break; } }")
    assert "for (int32 i = 0; ; (i++))" in show(parsed.unit)


def test_without_libclang_the_message_says_what_to_install(monkeypatch):
    clang_binding.library.cache_clear()
    monkeypatch.setitem(sys.modules, "clang", None)
    with pytest.raises(SourceError, match="libclang"):
        parse("int f(void) { return 0; }")


def test_results_do_not_depend_on_the_order_of_runs():
    text = "struct p { double x, y; };\nvoid f(struct p *q, int n) { for (int i = 0; i < n; i++) q[i].x += q[i].y; }"
    assert show(parse(text).unit) == show(parse(text).unit)
