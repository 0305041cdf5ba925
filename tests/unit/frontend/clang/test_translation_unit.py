"""clang's cursors to the surface tree, construct by construct; the expected text is C with types spelled out."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.surface import nodes as sx
from analyzer.source import Language, SourceFile
from tests.surface import show, show_type

VECTORS = "typedef double row[20];\nstruct s { int a; union { int u; double d; }; double v[3]; unsigned b : 3; };\n"


def unit(text, language=Language.C):
    parsed = parse_clang(SourceFile("x.c" if language is Language.C else "x.cpp", text, language), ParseOptions())
    assert [d for d in parsed.diagnostics if d.code < "AI200"] == []
    return parsed.unit


def body(text, parameters="double *a, double *b, int n, int i, int j, float x, double y", before=""):
    """The statements of a C function."""
    function = unit(f"{VECTORS}{before}\nvoid f({parameters}) {{ {text} }}").functions["f"]
    return " ".join(show(statement) for statement in function.body.statements)


def cxx(text, parameters="", before=""):
    """The statements of the C++ function ``f`` with its standard headers."""
    includes = "".join(
        f"#include <{name}>\n" for name in ("vector", "array", "cmath", "complex", "memory", "algorithm", "limits")
    )
    functions = unit(f"{includes}{before}\nvoid f({parameters}) {{ {text} }}", Language.CXX).functions.values()
    (function,) = [function for function in functions if function.name == "f"]
    return " ".join(show(statement) for statement in function.body.statements)


EXPRESSIONS = [
    ("a[i] = b[i] * x;", "a[i] = (b[i] * x);"),
    ("a[i] = 1.0f + 1;", "a[i] = (1.0:fp32 + 1);"),
    ("a[0] = 1L + 1u + 1ull + 'c' + 0x10;", "a[0] = ((((1:int64 + 1:uint32) + 1:uint64) + 99) + 16);"),
    ("a[i] = (float)b[i];", "a[i] = (fp32)b[i];"),
    ("*a++ = *b--;", "(*(a++)) = (*(b--));"),
    ("a[i] += -y; a[i] -= +y; a[i] *= 2;", "a[i] += (-y); a[i] -= y; a[i] *= 2;"),
    ("i = ~j & 3 | 4 ^ 5;", "i = (((~j) & 3) | (4 ^ 5));"),
    ("i = (j << 2) >> 1; i %= 3; i <<= 1;", "i = ((j << 2) >> 1); i %= 3; i <<= 1;"),
    ("i = !j && (i < j || i >= n);", "i = ((!j) && ((i < j) || (i >= n)));"),
    ("a[i] = i ? x : y;", "a[i] = (i ? x : y);"),
    ("i = (j = 1, j + 1);", "i = (j = 1, (j + 1));"),
    ("i = j = n;", "i = j = n;"),
    ("3[a] = 1;", "a[3] = 1;"),
    ("i = sizeof(double) + sizeof(row);", "i = (8:uint64 + 160:uint64);"),
    ("double z[n][2 * n]; i = sizeof z;", "fp64[n][(2 * n)] z; i = ((uint64)n * ((uint64)(2 * n) * 8:uint64));"),
    ("double (*q)[n] = (double (*)[n])a; q[i][j] = 0;", "fp64[n]* q = (fp64[n]*)a; q[i][j] = 0;"),
    ("double (*q)[n][3] = (void *)a;", "fp64[n][3]* q = (void*)a;"),
    ("struct s t; t.d = t.v[1]; t.b++;", "s t; t.d = t.v[1]; (t.b++);"),
    ("struct s *t = 0; t->v[i] = t->a;", "s* t = 0; (*t).v[i] = (*t).a;"),
    ("struct s t = {.v = {1, 2}, .a = 3};", "s t = {3, 0, 0, {1, 2}};"),
    ("a = (double[]){1, 2};", "a = {1, 2};"),
    ("double z[2][2] = {{1}, {2, 3}}; int k = {4};", "fp64[2][2] z = {{1}, {2, 3}}; int32 k = 4;"),
    ("i = _Generic(y, double: 1, float: 2);", "i = 1;"),
    ("i = ({ int k = j; k + 1; });", "int32 k = j; i = (k + 1);"),
    ("i = __builtin_expect(j > 0, 1);", "i = (j > 0);"),
    ("y = __builtin_sqrt(y);", "y = sqrt(y);"),
    ("_Complex double z = y; z = z * z;", "complex_fp64 z = y; z = (z * z);"),
    ("y = __real__ (double _Complex)y;", "y = creal((complex_fp64)y);"),
    ("enum { K = 4 }; i = K * 2;", "i = (4 * 2);"),
    ('char *t = "hi";', 'int8* t = "hi";'),
    ("static double t[4]; t[0] = 1;", "fp64[4] t; t[0] = 1;"),
    ("double (*g)(double) = 0; y = g(x);", "?double (double)?* g = 0; y = <call through a pointer: x>;"),
    ("_Float16 h = x; __bf16 g; long double l = y;", "fp16 h = x; bf16 g; fp80 l = y;"),
    (
        "char p; signed char q; unsigned short r; _Bool s; unsigned long t;",
        "int8 p; int8 q; uint16 r; bool s; uint64 t;",
    ),
]


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS)
def test_expressions(text, expected):
    shown = body(text).replace("struct s", "s").replace(".0", "").replace("1:fp32", "1.0:fp32")
    assert shown == expected.replace(".0", "").replace("1:fp32", "1.0:fp32")


STATEMENTS = [
    ("for (;;) break;", "for (; ; ) break;"),
    ("for (i = 0; ; i++) continue;", "for (i = 0; ; (i++)) continue;"),
    ("for (; i < n; ) i++;", "for (; (i < n); ) (i++);"),
    ("for (; ; i += 2) ;", "for (; ; i += 2) {  }"),
    ("for (/* ; */ i = 0; i < ';'; ) ;", "for (i = 0; (i < 59); ) {  }"),
    ("for (int p = 0, q = 1; p < q; p++) ;", "for ({ int32 p = 0; int32 q = 1; }; (p < q); (p++)) {  }"),
    ("while (i < n) { i++; }", "while ((i < n)) { (i++); }"),
    ("do i--; while (i > 0);", "do (i--); while ((i > 0))"),
    ("if (i) j = 1; else if (n) j = 2; else { j = 3; }", "if (i) j = 1; else if (n) j = 2; else { j = 3; }"),
    ("int p = 1, *q, r[3];", "int32 p = 1; int32* q; int32[3] r;"),
    ("goto end; end: i = 1;", "{ goto end; } end: i = 1;"),
    ('asm volatile("nop");', "<inline assembly>;"),
    (
        "switch (i) { case 1: case 2: j = 1; break; case 3: j = 2; default: j = 3; }",
        "switch (i) { case 1: case 2: j = 1; case 3: j = 2; -> default: j = 3; -> }",
    ),
    (
        "switch (i) { case 1: if (j) break; n = 1; break; case 2: { n = 2; break; } case 3: return; }",
        "switch (i) { case 1: if (j) break; n = 1; case 2: { n = 2; } case 3: return; }",
    ),
]


@pytest.mark.parametrize(("text", "expected"), STATEMENTS)
def test_statements(text, expected):
    assert body(text) == expected


def test_a_for_header_inside_a_macro_is_sorted_by_what_its_parts_are():
    macro = "#define LOOP(i, n) for (; i < n; ++i)\n"
    assert body("LOOP(i, n) a[i] = 0;", before=macro) == "for (; (i < n); (++i)) a[i] = 0;"


def test_pragmas_go_to_the_loop_below():
    text = "\n#pragma omp parallel for\nfor (i = 0; i < n; i++) for (j = 0; j < n; j++) a[i] = 0;\n"
    assert body(text).startswith("#omp parallel for# for (i = 0")
    assert body(text).count("#omp") == 1


def test_parameters_keep_their_extents():
    function = unit(
        "void f(int n, int m, double A[n][m], double B[static 4][7], double (*C)[n], const float *restrict p) {}"
    )
    shown = [show_type(parameter.type) for parameter in function.functions["f"].parameters]
    assert shown == ["int32", "int32", "fp64[n][m]", "fp64[4][7]", "fp64[n]*", "fp32*r"]
    first = function.functions["f"].parameters
    assert first[2].type.extent.variable is first[0]


def test_structs_have_layout_and_anonymous_members_belong_to_the_outer_one():
    (variable,) = unit(VECTORS + "struct s one;").globals
    assert [(f.name, f.offset_bytes) for f in variable.type.fields] == [
        ("a", 0),
        ("u", 8),
        ("d", 8),
        ("v", 16),
        ("b", 40),
    ]
    assert variable.type.size_bytes == 48


def test_recursive_structs_end():
    (variable,) = unit("struct node { struct node *next; double x; } *head;").globals
    inner = variable.type.target
    assert inner.fields[0].type.target == inner
    assert inner.fields[1].offset_bytes == 8


def test_globals_are_one_variable_with_its_constant_value():
    found = unit("extern double a[];\nconst int N = 8;\ndouble a[16];\nvoid f(void) { a[N] = 1; }")
    a, n = sorted(found.globals, key=lambda variable: variable.name == "N")
    assert (show_type(a.type), a.storage) == ("fp64[16]", sx.Storage.GLOBAL)
    assert (n.constant, show(n.initial)) == (True, "8")


def test_vectors_have_lanes():
    store = "_mm256_storeu_pd(a, _mm256_add_pd(_mm256_loadu_pd(a), *(__m256d *)a));"
    text = f"#include <immintrin.h>\nvoid f(double *a) {{ {store} }}"
    call = unit(text).functions["f"].body.statements[0].expression
    assert call.name == "_mm256_storeu_pd"
    assert show_type(call.arguments[1].type) == "fp64x4"


def test_tgmath_and_math_keep_plain_names_and_precision():
    text = "#include <tgmath.h>\nvoid f(float x, double y, int k) { x = sqrt(x); y = pow(y, k); x = sinf(x); }"
    calls = [statement.expression.value for statement in unit(text).functions["f"].body.statements]
    assert [(call.name, show_type(call.type)) for call in calls] == [
        ("sqrt", "fp32"),
        ("pow", "fp64"),
        ("sinf", "fp32"),
    ]


# --- C++ -----------------------------------------------------------------------------------------------------------

MATRIX = """
struct Mat { int n; std::vector<double> d; Mat(int n) : n(n), d(n * n) {}
  double &operator()(int i, int j) { return d[i * n + j]; } int rows() const { return n; } };
struct V { double x, y; V(double x, double y) : x(x), y(y) {}
  V operator+(const V &o) const { return V(x + o.x, y + o.y); } };
V operator*(double s, const V &v) { return {s * v.x, s * v.y}; }
"""
CXX = [
    ("for (auto &x : v) x *= 2;", "std::vector<double> &v",
     "for (int64 x_index = 0:int64; (x_index < size(v)); (++x_index)) { fp64& x = v[x_index]; x *= 2; }"),
    ("for (float x : w) s += x;", "std::array<float, 8> &w, double s",
     "for (int64 x_index = 0:int64; (x_index < 8); (++x_index)) { fp32 x = w[x_index]; s += x; }"),
    ("for (size_t i = 0; i < v.size(); i++) v[i] = std::sqrt(v[i]);", "std::vector<double> &v",
     "for (uint64 i = 0; (i < size(v)); (i++)) v[i] = sqrt(v[i]);"),
    ("for (auto it = v.begin(); it != v.end(); ++it) *it += 1;", "std::vector<double> &v",
     "for (fp64* it = v; (it != (v + size(v))); (++it)) (*it) += 1;"),
    ("v.at(1) = v.front() + v.back(); p = v.data();", "std::vector<double> &v, double *p",
     "v[1] = (v[0] + v[(size(v) - 1)]); p = v;"),
    ("z[0] = z[1] * z[2] + 2.0; z[1] += std::conj(z[0]); z[2] = {1, 2};", "std::complex<double> *z",
     "z[0] = ((z[1] * z[2]) + 2); z[1] += conj(z[0]); z[2] = {1, 2};"),
    ("x = z.real() + std::abs(z);", "std::complex<float> z, float x", "x = (creal(z) + cabs(z));"),
    ("std::vector<double> v(10), w; std::vector<std::vector<float>> u(3); u[1][2] = v[0];", "",
     "fp64* v = __ai_each(10, 0); fp64* w = new(); fp32** u = new(3); u[1][2] = v[0];"),
    ("std::unique_ptr<double[]> p(new double[n]); p[1] = 2; double *q = p.get(); delete[] q;", "int n",
     "fp64* p = new(n); p[1] = 2; fp64* q = p; free(q);"),
    ("a(i, i) += a.rows(); Mat b(3);", "Mat &a, int i", "(*operator()((&a), i, i)) += rows((&a)); Mat b = Mat(3);"),
    ("p[0] = p[1] + 2.0 * p[2]; V q{1, 2}; q = p[0];", "V *p",
     "p[0] = operator+((&p[1]), operator*(2, p[2])); V q = V(1, 2); q = p[0];"),
    ("auto l = [&](int k) { return x[k] * 2; }; x[0] = l(4);", "double *x", "lambda@0 l; x[0] = operator()((&l), 4);"),
    ("if constexpr (sizeof(int) == 4) x = 1; else x = 2;", "int x", "x = 1;"),
    ("x = static_cast<float>(y); x = float(y); x = (float)y;", "float x, double y",
     "x = (fp32)y; x = (fp32)y; x = (fp32)y;"),
    ("double &r = a[1]; r = 2; const auto k = a[0];", "double *a", "fp64& r = a[1]; r = 2; fp64 k = a[0];"),
    ("x = std::max(x, 1.0); y = std::min<int>(y, 3); std::swap(x, z);", "double x, int y, double z",
     "x = max(x, 1); y = min(y, 3); swap(x, z);"),
    ("x = std::numeric_limits<double>::epsilon() + std::numeric_limits<int>::max();", "double x",
     "x = (2.220446049250313e-16 + 2147483647);"),
    ("bool b = true; int *p = nullptr;", "", "bool b = 1:bool; int32* p = (void*)0:int64;"),
    (
        "try { x = 1; } catch (...) { x = 2; }",
        "int x",
        "{ { { x = 1; } goto behind throw 17; } throw 17: { x = 2; } } behind throw 17:",
    ),
    ("if (int k = x; k > 0) x = k;", "int x", "{ int32 k = x; if ((k > 0)) x = k; }"),
    ("g(x); g(x, 3);", "int x", "g(x, 7); g(x, 3);"),
    ("x = N::k + ns::h(x);", "int x", "x = (k + h(x));"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "parameters", "expected"), CXX)
def test_cxx(text, parameters, expected):
    before = MATRIX + "void g(int, int = 7);\nstruct N { static const int k = 3; };\nnamespace ns { int h(int); }"
    assert cxx(text, parameters, before).replace(".0", "") == expected


def functions(text):
    return {function.name: function for function in unit(text, Language.CXX).functions.values()}


def test_templates_are_their_instances():
    text = "template <class T, int N> void axpy(T a, T *x) { for (int i = 0; i < N; i++) x[i] *= a; }\n"
    found = functions(text + "void f(float *x, double *y) { axpy<float, 8>(2, x); axpy<double, 4>(2, y); }")
    assert set(found) == {"f", "axpy<float, 8>", "axpy<double, 4>"}
    assert "(i < 8)" in show(found["axpy<float, 8>"])
    assert show_type(found["axpy<float, 8>"].parameters[1].type) == "fp32*"


def test_methods_of_class_templates_are_their_instances():
    text = "template <int N> struct A { double d[N]; void z(); };\n"
    text += "template <int N> void A<N>::z() { for (int i = 0; i < N; i++) d[i] = 0; }\nvoid f(A<4> &a) { a.z(); }"
    found = functions(text)
    assert sorted(found) == ["A<4>::z", "f"]
    assert "(i < 4)" in show(found["A<4>::z"])


def test_a_template_without_instances_is_reported():
    text = "template <class T> T twice(T a) { return a + a; }"
    parsed = parse_clang(SourceFile("x.cpp", text, Language.CXX), ParseOptions())
    assert [d.code for d in parsed.diagnostics] == ["AI206"]
    assert parsed.unit.functions == {}


def test_methods_get_this_and_references_become_addresses():
    found = functions(
        "struct A { double *d; double &at(int i) { return d[i]; } A &scale(double s) { d[0] *= s; return *this; } };\n"
        "void f(A &a) { a.at(1) = 2; a.scale(3); }"
    )
    assert show(found["A::at"]) == "fp64* A::at(A* this, int32 i) { return (&(*this).d[i]); }"
    assert show(found["A::scale"]).endswith("return this; }")
    assert show(found["f"].body) == "{ (*at((&a), 1)) = 2; scale((&a), 3); }".replace("(&a)", "(&a)")


def test_overloads_have_keys_of_their_own():
    found = unit(
        "int g(int x) { return x; }\ndouble g(double x) { return x; }\nvoid f() { g(1); g(1.0); }", Language.CXX
    )
    calls = [statement.expression.function for statement in list(found.functions.values())[2].body.statements]
    assert len(set(calls)) == 2
    assert all(call in found.functions for call in calls)


def test_lambdas_see_the_variables_around_them():
    found = functions("void f(double *a) { double s = 2; auto g = [&](int i) { a[i] *= s; }; g(1); }")
    inner, outer = found["lambda"], found["f"]
    assert not inner.listed
    assert inner.body.statements[0].expression.value.variable is outer.body.statements[0].variable


def test_constructors_return_the_object():
    found = functions("struct P { double x, y; P(double a) : x(a), y(0) { y += a; } };\nvoid f(double a) { P p(a); }")
    assert show(found["P::P"].body).startswith("{ P object; P* this = (&object); object.x = a; object.y = 0")
    assert show(found["P::P"].body).endswith("(*this).y += a; return object; }")


def test_base_classes_come_first_in_the_layout():
    text = "struct A { double x; }; struct B : A { int k; double y; };\nB one;"
    (variable,) = unit(text, Language.CXX).globals
    assert [(f.name, f.offset_bytes) for f in variable.type.fields] == [("x", 0), ("k", 8), ("y", 16)]
