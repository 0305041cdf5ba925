"""Names that nothing declares: our headers that do, headers of the project, and guesses that are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.options import Parsed, ParseOptions
from analyzer.frontend.text.includes import Folders, reached_from
from analyzer.ir.types import ScalarType
from analyzer.source import Language, SourceFile, language_of, read_source


def parsed(text: str, name: str = "x.cpp", **options: object) -> Parsed:
    return parse_clang(SourceFile(name, text, language_of(name)), ParseOptions(**options))  # type: ignore[arg-type]


def findings(found: Parsed) -> list[tuple[str, str]]:
    return [(item.code, item.form) for item in found.diagnostics]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.cpp", "#include <iostream>\nuint64_t f(uint64_t a) { return a; }"),
        ("x.cpp", "#include <vector>\nvoid f(std::vector<int> &a, int *b) { std::copy(a.begin(), a.end(), b); }"),
        ("x.cpp", '#include <cmath>\nvoid f() { throw std::invalid_argument("x"); }'),
        ("x.cpp", "#include <cstdio>\nvoid f(double *a) { memset(a, 0, 8); std::vector<int> v(INT_MAX); }"),
        ("x.cpp", "auto f(int x) { return typeid(x).name(); }"),
        ("x.cpp", "void f(double *restrict a, double *__restrict b) { a[0] = b[0]; }"),
        ("x.c", "#include <stdio.h>\nuint32_t f(size_t n) { return n + INT_MAX + DBL_MAX; }"),
    ],
)
def test_names_of_the_standard_libraries_need_no_include(name: str, text: str) -> None:
    found = parsed(text, name)
    assert findings(found) == []
    assert [function.name for function in found.unit.functions.values() if function.listed] == ["f"]


def test_what_a_source_declares_itself_is_not_touched() -> None:
    text = "#include <iostream>\nusing namespace std;\nint count = 0; int find(int x) { return count + x; }"
    assert findings(parsed(text)) == []


def test_headers_of_the_project_are_found_and_reported(tmp_path: Path) -> None:
    for path, text in (
        ("src/deep/f.cpp", '#include "top.h"\n#include <other.h>\nreal f(real x) { return x * two; }'),
        ("src/top.h", "typedef float real;"),
        ("include/other.h", "const float two = 2;"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = parse_clang(read_source(str(tmp_path / "src/deep/f.cpp")), ParseOptions())
    assert findings(found) == [("AI002", "near"), ("AI002", "near")]
    assert [Path(str(dict(item.fields)["folder"])).name for item in found.diagnostics] == ["src", "include"]
    assert len(found.unit.functions) == 1


def test_headers_in_folders_next_to_a_source_are_found_where_only_one_has_them(tmp_path: Path) -> None:
    for path, text in (
        ("src/solver/f.c", '#include "one.h"\nreal f(real x) { return x; }'),
        ("src/solver/g.c", '#include "two.h"\nfloat f(float x) { return x; }'),
        ("src/grid/one.h", "typedef float real;"),
        ("src/grid/two.h", ""),
        ("src/mesh/two.h", ""),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    one, two = (
        parse_clang(read_source(str(tmp_path / "src/solver" / name)), ParseOptions()) for name in ("f.c", "g.c")
    )
    assert findings(one) == [("AI002", "near")]
    assert findings(two) == [("AI002", "not-found")]
    reached = {item.path for item in reached_from(read_source(str(tmp_path / "src/solver/f.c")), Folders(()))}
    assert reached == {str(tmp_path / "src/grid/one.h")}


UNKNOWN = """#include "gone.h"
LIB_INLINE void triad(Index_type n, Real_ptr a, const Real_type *b) { for (Index_type i = 0; i < n; i++) a[i] = b[i]; }
double scaled(const double *a) { return lib_scale(a, WIDTH) + a[WIDTH]; }
"""


def test_types_macros_and_functions_are_guessed_and_reported() -> None:
    found = parsed(UNKNOWN)
    assert sorted(findings(found)) == [
        ("AI002", "not-found"),
        ("AI003", "constant"),
        ("AI003", "empty-macro"),
        ("AI003", "function"),
        ("AI301", "type"),
        ("AI301", "type"),
        ("AI301", "type"),
    ]
    assert {function.name for function in found.unit.functions.values()} == {"triad", "scaled"}
    taken = {dict(item.fields)["name"]: dict(item.fields)["type"] for item in found.diagnostics if item.form == "type"}
    assert taken == {"Index_type": "long", "Real_ptr": "double *", "Real_type": "double"}


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("template <class A, class B> int f(B x) { return x; }\nint g(int x) { return f<SCALAR, int>(x); }", 1),
        ("long g(long n) { return n * sizeof(SCALAR); }", 1),
    ],
)
def test_arguments_of_templates_are_types(text: str, types: int) -> None:
    assert findings(parsed(text)) == [("AI301", "type")] * types


@pytest.mark.parametrize("declared", ["double *RESTRICT x = a;", "double *const RESTRICT x = a;"])
def test_a_macro_behind_a_star_is_empty(declared: str) -> None:
    found = parsed(f"void f(double *a) {{ {declared} x[0] = 1; }}")
    assert findings(found) == [("AI003", "empty-macro")]
    assert [function.name for function in found.unit.functions.values()] == ["f"]


@pytest.mark.parametrize("name", ["x.c", "x.cpp"])
def test_macros_in_front_of_loops_and_conditions_are_empty(name: str) -> None:
    """They stand for pragmas and hints; without them clang gives the function up at the first."""
    text = """void f(int n, double *a) {
      OMP_FOR
      for (int i = 0; i < n; i++) a[i] = 0;
      UNROLL(4) for (int i = 0; i < n; i++) a[i] += 1;
      OMP(parallel for schedule(static))
      for (int i = 0; i < n; i++) { LIKELY if (a[i] > 0) a[i] *= 2; }
    }
    void g(double *a) { UNKNOWN + a[0]; while (a[0] > 1) a[0] /= 2; }"""
    found = parsed(text, name)
    names = [dict(item.fields)["name"] for item in found.diagnostics if item.form == "empty-macro"]
    assert names == ["OMP_FOR", "UNROLL", "OMP", "LIKELY"]
    assert [function.name for function in found.unit.functions.values()] == ["f", "g"]


def test_the_type_of_unknown_data_can_be_given() -> None:
    found = parsed("void f(Real_type *a) { a[0] = 1; }", element_type=ScalarType.FP32)
    assert [dict(item.fields)["type"] for item in found.diagnostics] == ["float"]


def test_a_guess_that_does_not_help_is_not_made() -> None:
    found = parsed("void f(Box *a) { a->first = 1; }\nvoid g(double *a) { a[0] = 1; }")
    assert ("AI001", "function") in findings(found)
    assert {function.name for function in found.unit.functions.values()} == {"g"}


MODELS = """#if defined(FIRST)
#define NAME 1
#elif SECOND
#define NAME 2
#else
#error "choose a model"
#endif
"""


def test_a_build_that_must_choose_is_chosen_for_and_reported() -> None:
    found = parsed(MODELS + "int f(int x) { return x + NAME; }")
    assert findings(found) == [("AI003", "choice")]
    assert dict(found.diagnostics[0].fields)["name"] == "FIRST"
    assert [function.name for function in found.unit.functions.values()] == ["f"]
    assert findings(parsed(MODELS + "int f(int x) { return x + NAME; }", defines={"SECOND": "1"})) == []


def test_the_choice_with_the_fewest_errors_is_taken() -> None:
    found = parsed(MODELS + "#ifndef SECOND\n#include <missing_model.h>\nint g() { return other(); }\n#endif\n")
    assert [dict(item.fields)["name"] for item in found.diagnostics if item.form == "choice"] == ["SECOND"]


def test_a_choice_in_a_file_of_the_host_makes_no_kernels_where_another_does(tmp_path: Path) -> None:
    (tmp_path / "gpu.h").write_text("#include <hip/hip_runtime.h>\n__global__ void k(double *x) { x[0] = 0; }\n")
    (tmp_path / "a.cpp").write_text(MODELS.replace("NAME 1", 'NAME 1\n#include "gpu.h"') + "int f() { return NAME; }")
    found = parse_clang(read_source(str(tmp_path / "a.cpp")), ParseOptions())
    assert [dict(item.fields)["name"] for item in found.diagnostics if item.form == "choice"] == ["SECOND"]


def test_what_a_build_must_give_is_taken_as_one_and_reported() -> None:
    text = "#ifndef WIDTH\n#error give WIDTH\n#endif\nvoid f(double *x) { for (int i = 0; i < WIDTH; i++) x[i] = 0; }"
    assert findings(parsed(text, "x.c")) == [("AI003", "needed")]


def test_a_macro_under_which_headers_declare_what_is_missing_is_defined(tmp_path: Path) -> None:
    (tmp_path / "all.h").write_text("#ifdef WITH_TILES\n#define TILE 8\nvoid tile(double *);\n#endif\n")
    text = '#include "all.h"\nvoid f(double *a) { for (int i = 0; i < TILE; i++) a[i] = 0; tile(a); }'
    (tmp_path / "x.cpp").write_text(text)
    source = read_source(str(tmp_path / "x.cpp"))
    found = parse_clang(source, ParseOptions())
    assert findings(found) == [("AI003", "declares")]
    assert findings(parse_clang(source, ParseOptions(defines={"WITH_TILES": "1"}))) == []
    # two conditions, or one on a platform, are no macro to choose
    (tmp_path / "all.h").write_text(
        "#ifdef A\n#ifdef B\n#define TILE 8\n#endif\n#endif\n#ifdef WIN32\n#define TILE 9\n#endif\n"
    )
    assert ("AI003", "declares") not in findings(parse_clang(source, ParseOptions()))


def test_a_choice_that_helps_nothing_is_named_in_the_hint() -> None:
    found = parsed("#if defined(A)\n#error not A either\n#else\n#error no A\n#endif\nint f() { return 1; }")
    assert findings(found) == [("AI001", "choice")]
    assert found.diagnostics[0].hint == "give one of -D A"


def test_headers_of_headers_are_found_from_the_source_too(tmp_path: Path) -> None:
    for path, text in (
        ("src/serial/f.cpp", '#include "../../driver/top.h"\nint f(int x) { return x * width; }'),
        ("src/serial/context.h", "const int width = 2;"),
        ("driver/top.h", '#include "context.h"'),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = parse_clang(read_source(str(tmp_path / "src/serial/f.cpp")), ParseOptions())
    assert findings(found) == [("AI002", "near")]


TEMPLATE = "#cmakedefine WITH_MPI\n#cmakedefine01 WITH_DOUBLE\n#define LANES @LANES@\ntypedef float real;\n"


def test_headers_that_a_build_makes_are_read_as_their_template(tmp_path: Path) -> None:
    (tmp_path / "config.h.in").write_text(TEMPLATE)
    (tmp_path / "f.c").write_text('#include "config.h"\nreal f(real x) { return x + WITH_DOUBLE + LANES; }\n')
    found = parse_clang(read_source(str(tmp_path / "f.c")), ParseOptions())
    assert findings(found) == [("AI002", "template")]
    assert [function.result.element.scalar for function in found.unit.functions.values()] == [ScalarType.FP32]
    (tmp_path / "inner").mkdir()
    confined = parse_clang(read_source(str(tmp_path / "f.c")), ParseOptions(confine=(str(tmp_path / "inner"),)))
    assert "template" not in [form for _, form in findings(confined)]


def test_a_choice_that_a_template_leaves_open_can_be_given_and_made(tmp_path: Path) -> None:
    (tmp_path / "config.h.in").write_text("#undef FIRST\n#undef SECOND\n")
    (tmp_path / "f.c").write_text('#include "config.h"\n' + MODELS + "int f(int x) { return x + NAME; }\n")
    source = read_source(str(tmp_path / "f.c"))
    assert findings(parse_clang(source, ParseOptions())) == [("AI002", "template"), ("AI003", "choice")]
    assert findings(parse_clang(source, ParseOptions(defines={"SECOND": "1"}))) == [("AI002", "template")]


@pytest.mark.parametrize("included", ['"field.h"', "<field.h>"])
def test_bodies_in_headers_that_are_found_nearby_are_of_the_project(tmp_path: Path, included: str) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "src").mkdir()
    header = (
        "struct Field { double *data; int width; double &operator()(int i, int j) { return data[i * width + j]; } };\n"
    )
    (tmp_path / "include" / "field.h").write_text(header)
    text = f"#include {included}\n" + "void f(Field a, int n) { for (int i = 0; i < n; i++) a(i, 0) *= 2.0; }\n"
    path = tmp_path / "src" / "a.cpp"
    path.write_text(text)
    found = parse_clang(read_source(str(path)), ParseOptions())
    assert any("operator()" in function.name for function in found.unit.functions.values())


def test_a_header_that_clang_names_is_included():
    text = "template <class T> T *made(void *place, int n) { return new (place) T[n]; }\n"
    text += "void f(double *x, int n) { double *y = made<double>(x, n); for (int i = 0; i < n; i++) y[i] *= 2; }\n"
    found = parse_clang(SourceFile("a.cpp", text, Language.CXX), ParseOptions())
    assert [item.code for item in found.diagnostics] == []


def test_a_constant_of_one_letter_is_guessed_and_named_where_array_types_need_it():
    text = "void f(double *x) { for (int i = 0; i < N; i++) x[i] *= 2; }\n"
    text += "void g(double (*x)[N]); void h(double (*y)[N]) { g(y); }\n"
    found = parse_clang(SourceFile("a.cpp", text, Language.CXX), ParseOptions())
    assert "f" in [function.name for function in found.unit.functions.values()]
    left_out = [item.hint for item in found.diagnostics if item.code == "AI001" and "left out" in item.message]
    assert all("-D N=VALUE" in hint for hint in left_out)
