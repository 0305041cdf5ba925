"""The reader of snippets: structure of the surface tree, types of undeclared names, recovery."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import fields

from analyzer.frontend.fragment.reader import parse_fragment
from analyzer.frontend.options import Parsed, ParseOptions
from analyzer.frontend.surface import nodes as sx
from analyzer.ir.types import ElementType, ScalarType
from analyzer.source import Language, SourceFile

INT, DOUBLE = sx.INT, sx.DOUBLE


def parse(text: str, path: str = "x.c", first_line: int = 1, **options: Any) -> Parsed:
    return parse_fragment(SourceFile(path, text, Language.C, first_line), ParseOptions(**options))


def only(text: str, **options: Any) -> sx.Function:
    parsed = parse(text, **options)
    assert [d for d in parsed.diagnostics if d.code == "AI001"] == []
    (function,) = parsed.unit.functions.values()
    return function


def walk(root: object) -> Iterator[object]:
    """Every node below, parents first, in source order; trees may be deep."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Struct):
            waiting.extend(getattr(node, item.name) for item in reversed(fields(node)))
        elif isinstance(node, tuple):
            waiting.extend(reversed(node))


def variables(text: str, **options: Any) -> dict[str, sx.Variable]:
    return {node.name: node for node in walk(only(text, **options)) if isinstance(node, sx.Variable)}


def type_of(text: str, name: str, **options: Any) -> sx.CType:
    return variables(text, **options)[name].type


def array(element: sx.CType, dimensions: int) -> sx.CType:
    for _ in range(dimensions):
        element = sx.ArrayT(element, None)
    return element


# --- bare snippets -------------------------------------------------------------------------------------------------


def test_a_bare_loop_is_a_function_named_after_the_file() -> None:
    function = only("for (i = 0; i < n; i++)\n  a[i] = 0;", path="dir/triad.c")
    assert (function.name, function.key, function.kind) == ("triad", "triad", sx.FunctionKind.FRAGMENT)
    (loop,) = function.body.statements
    assert isinstance(loop, sx.For)
    assert (loop.span.line, loop.span.end_line) == (1, 2)


def test_standard_input_has_a_name() -> None:
    assert list(parse("x = 1;", path="<stdin>").unit.functions) == ["stdin"]


def test_a_formula_needs_no_semicolon() -> None:
    assert isinstance(only("z[i] = x[i] + y[i]").body.statements[0], sx.Evaluate)


def test_what_a_snippet_only_declares_is_an_input() -> None:
    parsed = parse("double a[M][N];\ndouble s;\nfor (int j = 0; j < M; ++j) a[j][0] = s;")
    assert [(item.name, item.storage) for item in parsed.unit.globals] == [
        ("a", sx.Storage.GLOBAL),
        ("s", sx.Storage.GLOBAL),
    ]
    assert [type(item).__name__ for item in parsed.unit.functions["x"].body.statements] == ["For"]


def test_what_a_snippet_gives_a_value_is_part_of_it() -> None:
    function = only("int n = 4; double w[2] = {1, 2};\nfor (int j = 0; j < n; ++j) w[0] = j;")
    first, second, _ = function.body.statements
    assert isinstance(first, sx.Declare)
    assert isinstance(second, sx.Declare)
    assert (first.variable.storage, second.variable.storage) == (sx.Storage.LOCAL, sx.Storage.GLOBAL)


def test_declarations_beside_functions_are_globals() -> None:
    parsed = parse("const int N = 4;\ndouble w[N];\nvoid f() { for (;;) w[0] = 1; }")
    assert [(item.name, item.constant) for item in parsed.unit.globals] == [("N", True), ("w", False)]
    assert isinstance(parsed.unit.globals[0].initial, sx.Number)


@pytest.mark.parametrize("tail", ["", " ", "\n", " // x", "\n/* x"])
def test_comments_at_the_end(tail: str) -> None:
    assert isinstance(only(f"for (;;) a[i] = 0;{tail}").body.statements[0], sx.For)


def test_pragmas_go_to_the_outermost_loop_of_the_line() -> None:
    function = only(
        "#pragma omp parallel for \\\n collapse(2)\nfor (i = 0; i < n; i++) for (j = 0; j < n; j++) a[i] = j;"
    )
    outer, inner = (node for node in walk(function) if isinstance(node, sx.For))
    assert outer.pragmas == ("omp parallel for collapse(2)",)
    assert inner.pragmas == ()


def test_first_line_shifts_every_span() -> None:
    parsed = parse("for (;;) x = 1;\n}", first_line=40)
    assert [function.span.line for function in parsed.unit.functions.values()] == [40]
    assert [item.span.line for item in parsed.diagnostics] == [41]


# --- undeclared names ----------------------------------------------------------------------------------------------

SPMV = "for (i = 0; i < n; i++) for (j = row[i]; j < row[i + 1]; j++) y[i] += v[j] * x[col[j]];"


@pytest.mark.parametrize(
    ("text", "name", "ctype"),
    [
        (SPMV, "i", INT),
        (SPMV, "n", INT),
        (SPMV, "row", array(INT, 1)),
        (SPMV, "col", array(INT, 1)),
        (SPMV, "v", array(DOUBLE, 1)),
        ("a[i][j + k] = s;", "a", array(DOUBLE, 2)),
        ("a[i][j + k] = s;", "k", INT),
        ("a[i][j + k] = s;", "s", DOUBLE),
        ("k = row[i]; s += v[k];", "row", array(INT, 1)),
        ("while (p < end) *p++ = 0;", "p", sx.PointerT(DOUBLE)),
        ("while (p < end) *p++ = 0;", "end", sx.PointerT(DOUBLE)),
        ("while (j < m) { s += v[j]; j++; }", "m", INT),
        ("for (int i = lo; i < hi; i += step) x = i;", "lo", INT),
        ("for (int i = lo; i < hi; i += step) x = i;", "step", INT),
        ("for (double t = 0; t < T; t += dt) x = t;", "T", DOUBLE),
        ("for (int i = 0; i < min(n, m); i++) x = i;", "m", INT),
        ("double a[M]; a[0] = 1;", "M", INT),
        ("x = y % 4;", "y", INT),
        ("switch (c) { case 1: x = 1; }", "c", INT),
        ("void f(double *p, int n); f(q + j, m); q + j;", "q", sx.PointerT(DOUBLE)),
        ("void f(double *p, int n); f(q + j, m); q + j;", "m", INT),
        ("for (auto i = 0; i < n; i++) x = i;", "n", INT),
        ("{ double x[9]; if (x[i] < least) least = x[i]; }", "least", DOUBLE),
        ("{ double *p = A + 1; p = (double *)B; while (p < end) p++; }", "A", sx.PointerT(DOUBLE)),
        ("{ double *p = A + 1; p = (double *)B; while (p < end) p++; }", "B", sx.PointerT(DOUBLE)),
        ("{ double *p = A + 1; p = (double *)B; while (p < end) p++; }", "end", sx.PointerT(DOUBLE)),
        ("q->x = 1;", "q", sx.PointerT(sx.StructT("q", (), 0))),
    ],
)
def test_a_name_is_typed_by_its_use(text: str, name: str, ctype: sx.CType) -> None:
    variable = variables(text)[name]
    assert variable.type == ctype
    assert variable.storage is sx.Storage.UNDECLARED


def test_data_has_the_element_type() -> None:
    single = sx.ScalarT(ElementType(ScalarType.FP32))
    assert type_of("x[i] = s;", "x", element_type=ScalarType.FP32) == array(single, 1)


def test_an_undeclared_name_is_one_variable() -> None:
    found = {id(node) for node in walk(only("a[0] = 1; a[1] = 2;")) if isinstance(node, sx.Variable)}
    assert len(found) == 1


def test_members_of_an_undeclared_struct_lie_in_order_of_use() -> None:
    ctype = type_of("p[i].x += p[i].vx; p[i].id = k % 2;", "p")
    assert isinstance(ctype, sx.ArrayT)
    assert isinstance(ctype.element, sx.StructT)
    assert [(item.name, item.offset_bytes) for item in ctype.element.fields] == [("x", 0), ("vx", 8), ("id", 16)]


def test_called_names_are_no_variables() -> None:
    assert variables("x = f(y);").keys() == {"x", "y"}


def test_a_function_without_types_has_undeclared_parameters() -> None:
    function = only("kernel(a, n) { int i; for (i = 0; i < n; i++) a[i] = 0; }")
    assert [(item.name, item.type) for item in function.parameters] == [("a", array(DOUBLE, 1)), ("n", INT)]


# --- types ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("float x", "fp32"),
        ("unsigned long int x", "uint64"),
        ("long double x", "fp80"),
        ("double complex x", "complex_fp64"),
        ("float _Complex x", "complex_fp32"),
        ("size_t x", "uint64"),
        ("uint32_t x", "uint32"),
        ("__half x", "fp16"),
        ("bool x", "bool"),
        ("float4 x", "fp32x4"),
        ("__m256d x", "fp64x4"),
        ("enum E { A } x", "int32"),
        ("register unsigned x", "uint32"),
        ("idx_t x", "int32"),
        ("real x", "fp64"),
        ("typedef short T; T x", "int16"),
        ("auto x = 1.0f", "fp32"),
    ],
)
def test_scalar_types(declaration: str, expected: str) -> None:
    ctype = type_of(f"{declaration}; x = 1;", "x")
    assert isinstance(ctype, sx.ScalarT)
    assert str(ctype.element) == expected


def test_an_unknown_type_is_an_assumption() -> None:
    parsed = parse("void f(real *restrict x) { for (;;) x[0] = (real)1; }")
    assert [(item.code, item.span.line) for item in parsed.diagnostics] == [("AI301", 1)]
    assert parsed.unit.functions["f"].parameters[0].type == sx.PointerT(DOUBLE, restrict=True)


def test_a_declared_type_is_no_assumption() -> None:
    assert parse("typedef float real;\nreal x[3]; x[0] = 1;").diagnostics == ()


def test_pointers_to_arrays() -> None:
    function = only("void f(int n, double (*restrict a)[n]) { double (*b)[4] = (double (*)[4])a; }")
    ctype = function.parameters[1].type
    assert isinstance(ctype, sx.PointerT)
    assert ctype.restrict
    assert isinstance(ctype.target, sx.ArrayT)
    assert isinstance(ctype.target.extent, sx.Name)
    assert ctype.target.extent.variable is function.parameters[0]


STRUCTS = {
    "struct { char c; double d; }": ([("c", 0), ("d", 8)], 16),
    "struct { int a; float b[3]; char c; }": ([("a", 0), ("b", 4), ("c", 16)], 20),
    "struct { char c; struct { int x; double y; }; }": ([("c", 0), ("x", 8), ("y", 16)], 24),
    "union { double d; int i[3]; }": ([("d", 0), ("i", 0)], 16),
    "struct { unsigned a : 1, b : 31, c : 2; long d; }": ([("a", 0), ("b", 0), ("c", 4), ("d", 8)], 16),
    "struct { float4 v; float w; }": ([("v", 0), ("w", 16)], 32),
    "struct { void *p; short s; }": ([("p", 0), ("s", 8)], 16),
}


@pytest.mark.parametrize("text", STRUCTS)
def test_structs_are_laid_out(text: str) -> None:
    ctype = type_of(f"{text} s; s;", "s")
    assert isinstance(ctype, sx.StructT)
    assert ([(item.name, item.offset_bytes) for item in ctype.fields], ctype.size_bytes) == STRUCTS[text]


def test_enumerators_and_sizeof_are_numbers() -> None:
    function = only("enum { A = 3, B }; typedef struct { char c; double d; } P; n = B * sizeof(P);")
    assert [node.value for node in walk(function) if isinstance(node, sx.Number)] == [4, 16]


@pytest.mark.parametrize(
    ("spelling", "value", "name"),
    [
        ("017", 15, "int32"),
        ("0xFFu", 255, "uint32"),
        ("3000000000", 3000000000, "int64"),
        ("1ULL", 1, "uint64"),
        ("1.5f", 1.5, "fp32"),
        ("1e-3", 1e-3, "fp64"),
        ("2.L", 2.0, "fp80"),
        ("0x1p3", 8.0, "fp64"),
        ("'a'", 97, "int32"),
        (r"'\n'", 10, "int32"),
    ],
)
def test_literals(spelling: str, value: float, name: str) -> None:
    (number,) = (node for node in walk(only(f"x = {spelling};")) if isinstance(node, sx.Number))
    assert (number.value, number.type.element.scalar.value) == (value, name)


# --- preprocessor and dialects -------------------------------------------------------------------------------------


def test_macros_are_expanded_on_their_lines() -> None:
    function = only(
        "#define N 8\n#define AT(i, j) ((i) * N + \\\n  (j))\nfor (int i = 0; i < N; i++)\n  a[AT(i, 2)] = 0;"
    )
    (loop,) = (node for node in walk(function) if isinstance(node, sx.For))
    assert (loop.span.line, loop.span.end_line) == (4, 5)
    assert [node.value for node in walk(loop.condition) if isinstance(node, sx.Number)] == [8]


def test_conditionals_take_defines() -> None:
    text = "#ifdef FAST\nfor (;;) a[0] = 0;\n#else\nwhile (1) b[0] = 0;\n#endif"
    assert variables(text).keys() == {"b"}
    assert variables(text, defines={"FAST": ""}).keys() == {"a"}


def test_a_number_that_no_directive_mentions_stays_a_symbol() -> None:
    assert "N" in variables("for (int i = 0; i < N; i++) a[i] = 0;", defines={"N": "100"})
    assert type_of("T x[3]; x[0] = 1;", "x", defines={"T": "float"}).element == sx.FLOAT  # type: ignore[union-attr]


def test_headers_are_notes_and_standard_ones_are_silent() -> None:
    parsed = parse('#include <math.h>\n#include "mine.h"\nfor (;;) a[0] = 0;')
    assert [(item.code, item.span.line) for item in parsed.diagnostics] == [("AI002", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "static inline double f(double x) __attribute__((pure)); for (;;) x[0] = f(1);",
        "double * __restrict__ p; for (;;) p[0] = 0;",
        "EXPORT void f(void) { for (;;) ; }",
        "for (int i = 0; i < n; i++) y[i] = std::sqrt(static_cast<double>(x[i]));",
        'for (i = 0; i < n; i++) { __asm__ volatile ("nop" ::: "memory"); a[i] = 0; }',
        "[[maybe_unused]] int x = 0; for (;;) x++;",
        'extern double f(const char *, ...); for (;;) x = f("a", 1);',
        "constexpr int N = 3; for (;;) x = N;",
        "for (;;) p = (double *)__builtin_assume_aligned(q, 64);",
    ],
)
def test_dialects(text: str) -> None:
    assert any(isinstance(node, sx.For) for node in walk(only(text)))


# --- statements ----------------------------------------------------------------------------------------------------


def test_breaks_of_a_switch_are_absorbed() -> None:
    function = only("switch (c) { case 1: case 2: x = 1; break; case 3: { x = 2; break; } default: for (;;) break; }")
    (switch,) = function.body.statements
    assert isinstance(switch, sx.Switch)
    assert [(len(case.labels), case.falls_through) for case in switch.cases] == [(2, False), (1, False), (1, True)]
    assert sum(isinstance(node, sx.Break) for node in walk(switch)) == 1


def test_what_is_not_modelled_stays_visible() -> None:
    function = only('goto end; end: asm("nop");')
    reasons = [str(node.what) for node in walk(function) if isinstance(node, sx.OpaqueStatement)]
    assert reasons == ["inline assembly"]


def test_an_initialiser_may_name_its_variable() -> None:
    function = only("void f(int n) { double (*b)[n] = malloc(n * sizeof *b); }")
    assert not any(isinstance(node, sx.OpaqueExpression) for node in walk(function))


def test_functions_of_the_text_are_called_by_key() -> None:
    parsed = parse("double sq(double x) { return x * x; }\nfor (;;) y[i] = sq(y[i]) + other(1);")
    calls = [node for node in walk(parsed.unit.functions["x"]) if isinstance(node, sx.Call)]
    assert [(call.function, call.type) for call in calls] == [("sq", DOUBLE), ("other", sx.UnknownT("other"))]


# --- recovery ------------------------------------------------------------------------------------------------------

GOOD = "void good(double *a) { for (int i = 0; i < 9; i++) a[i] = 0; }\n"


@pytest.mark.parametrize(
    ("bad", "line"),
    [
        ("void bad() {\n for (int i = 0; i < 9; i++ { x[i] = 0; }\n}\n", 2),
        ("void bad() {\n for (;;) {\n x = 0;\n}\n", 1),
        ("void bad() {\n x = = 1;\n}\n", 2),
        ("void bad() {\n x = foo(1,\n ;\n}\n", 3),
        ("void bad() {\n ...\n}\n", 2),
        ("int x = ;\n", 1),
        ("}\n", 1),
        ("for (i = 0; i < n; i++\n  x[i] = 0;\n", 1),
    ],
)
def test_an_error_leaves_the_other_functions(bad: str, line: int) -> None:
    for text, shift in ((bad + GOOD, 0), (GOOD + bad, 1)):
        parsed = parse(text)
        assert list(parsed.unit.functions) == ["good"]
        assert [(item.code, item.span.line) for item in parsed.diagnostics] == [("AI001", line + shift)]


@pytest.mark.parametrize("text", ["", "\n", "}{", "for", "(((", '"', "'", "#", "#define", "#if", "/*", "\\", "@", "\0"])
def test_rubbish_is_no_traceback(text: str) -> None:
    assert parse(text).unit.path == "x.c"


@pytest.mark.slow
def test_deep_nesting_is_an_error_with_a_line() -> None:
    for text in ("x = " + "-" * 9000 + "1;", "{" * 9000 + "}" * 9000, "x = 1" + " + 1" * 9000 + ";"):
        assert [item.code for item in parse(text).diagnostics] == ["AI001"]


@pytest.mark.slow
def test_a_long_sum_is_read() -> None:
    assert len(variables("x = " + " + ".join(f"a{i}" for i in range(1000)) + ";")) == 1001


def test_line_markers_of_a_preprocessor_are_passed_over() -> None:
    function = only('# 1 "x.h" 1\n#line 70\nfor (;;) a[0] = 0;')
    assert function.span.line == 3


def test_a_use_before_its_declaration_ends() -> None:
    assert parse("f]n = x) int n; *x;").unit.path == "x.c"
