"""Views, projections, variants, optional values, bound functions and null pointers: counts by hand."""

import pytest

from tests.rows import codes, file_report, rows

VIEWS = "#include <ranges>\n#include <algorithm>\n#include <numeric>\n#include <vector>\nnamespace v = std::views;\n"
VIEWS += "struct P { double x, y, z, m; };\n"
VARIANT = """
#include <variant>
#include <vector>
struct Disc { double r; double area() const { return 3.14 * r * r; } };
struct Box { double w, h; double area() const { return w * h; } };
using Shape = std::variant<Disc, Box>;
"""
OPTIONAL = """
#include <optional>
std::optional<double> quotient(double a, double b) {
  if (b == 0) return std::nullopt;
  return a / b;
}
"""
BOUND = "#include <functional>\ndouble axpb(double a, double x, double b) { return a * x + b; }\n"
BLAS = "#include <cblas.h>\n"
ROW = "CblasRowMajor, CblasNoTrans"
ROWS = "struct R { double w, h; long kind; };\n"


@pytest.mark.parametrize(
    ("text", "flops", "loads", "stores"),
    [
        (
            VIEWS + "double f(const std::vector<double> &x) { double s = 0;"
            " for (double y : x | v::transform([](double a) { return a * a; })) s += y; return s; }",
            *(2000, 8000, 0),
        ),
        (
            VIEWS + "double f(const double *x, int n) { double s = 0;\n"
            "for (int i : v::iota(0, n)\n| v::filter([](int k) { return k % 4 == 0; }))\ns += x[i];\nreturn s; }",
            *(250, 2000, 0),
        ),
        (
            VIEWS + "void f(std::vector<double> &y, const std::vector<double> &x)"
            " { for (auto &&[a, b] : v::zip(y, x)) a += 2.5 * b; }",
            *(2000, 16000, 8000),
        ),
        (VIEWS + "void f(std::vector<double> &y) { for (auto [i, a] : v::enumerate(y)) a *= i; }", 1000, 8000, 8000),
        (VIEWS + "void f(double *y, int n) { for (int i : v::iota(1) | v::take(n)) y[i] *= 2; }", 1000, 8000, 8000),
        (VIEWS + "void f(std::vector<double> &y) { for (double &a : y | v::stride(4)) a *= 2; }", 250, 2000, 2000),
        (
            VIEWS + "double f(const std::vector<P> &p) { auto m = p | v::transform(&P::m);"
            " return std::accumulate(m.begin(), m.end(), 0.0); }",
            *(1000, 8000, 0),
        ),
        (
            VIEWS + "double f(const std::vector<P> &p) { return std::ranges::max(p, {}, &P::m).x; }",
            *(0, 8000 + 8, 0),
        ),
        (VIEWS + "double f(const std::vector<double> &x) { return std::ranges::min(x); }", 999, 8000, 0),
        (
            "#include <complex>\nvoid f(double *y, int n) { for (int i = 0; i < n; i++)"
            " { std::complex<double> c(y[i] + 1, 2 * y[i] - 1); y[i] = std::norm(c); } }",
            *(6000, 16000, 8000),
        ),
        (
            VIEWS + "void f(std::vector<double> &y, const std::vector<P> &p)"
            " { std::ranges::transform(p, y.begin(), [](double m) { return 2.5 * m; }, &P::m); }",
            *(1000, 8000, 8000),
        ),
        (
            VIEWS + "long f(const std::vector<P> &p)"
            " { return std::ranges::count_if(p, [](double m) { return m > 1; }, &P::m); }",
            *(0, 8000, 0),
        ),
        (
            BOUND + "void f(double *y, int n) { using namespace std::placeholders;"
            " auto g = std::bind(axpb, 2.0, _1, 1.0); for (int i = 0; i < n; i++) y[i] = g(y[i]); }",
            *(2000, 8000, 8000),
        ),
        (
            BOUND + "struct S { double w; void scale(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= w; } };"
            "void f(double *x, int n) { S s{0.5}; auto g = std::bind(&S::scale, &s, std::placeholders::_1, n); g(x); }",
            *(1000, 8000, 8000),
        ),
        (
            VARIANT + "double f(const double *x, int n) { Shape a = Disc{2}; double s = 0; for (int i = 0; i < n; i++)"
            " s += x[i] * std::visit([](const auto &q) { return q.area(); }, a); return s; }",
            *(4000, 8000, 0),
        ),
        (
            "static void add(double *y, const double *w, int n)"
            " { for (int i = 0; i < n; i++) y[i] += w ? 2 * w[i] : 1; }\n"
            "void f(double *y, int n) { add(y, nullptr, n); }",
            *(1000, 8000, 8000),
        ),
        (
            "#include <cstdlib>\nvoid f(double *y, int n) { double *t = NULL; if (!t) t = (double *)malloc(n * 8);"
            " for (int i = 0; i < n; i++) t[i] = 2 * y[i]; }",
            *(1000, 8000, 8000),
        ),
    ],
)  # fmt: skip
def test_is_exact(text: str, flops: int, loads: int, stores: int) -> None:
    found = rows(text)["f"]
    assert (found.flops, found.loads, found.stores) == (flops, loads, stores)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        (
            VARIANT + "double f(const std::vector<Shape> &v) { double s = 0; for (auto &x : v)"
            " s += std::visit([](const auto &q) { return q.area(); }, x); return s; }",
            *(2000, 3000),
        ),
        (
            VARIANT + "double f(const std::vector<Shape> &v) { double s = 0; for (auto &x : v)"
            " if (auto *b = std::get_if<Box>(&x)) s += b->w * b->h; return s; }",
            *(0, 2000),
        ),
        (
            OPTIONAL + "void f(const double *a, const double *b, double *c, int n)"
            " { for (int i = 0; i < n; i++) c[i] = quotient(a[i], b[i]).value_or(0); }",
            *(0, 1000),
        ),
        (
            ROWS + "double f(const R *v, int n) { double s = 0; for (int i = 0; i < n; i++)"
            " { const double *p = v[i].kind == 1 ? &v[i].w : nullptr; if (p != nullptr) s += *p * 2; } return s; }",
            *(0, 2000),
        ),
        (
            ROWS + "static const double *find(const R &r) { if (r.kind == 1) return &r.w; return nullptr; }\n"
            "double f(const R *v, int n) { double s = 0; for (int i = 0; i < n; i++)"
            " { auto p = find(v[i]); if (!p) continue; s += *p * 2; } return s; }",
            *(0, 2000),
        ),
        (
            "double f(const double *a, int n) { const double *best = nullptr; for (int i = 0; i < n; i++)"
            " if (a[i] > 1) best = &a[i]; double s = 0; if (best) for (int i = 0; i < n; i++) s += *best; return s; }",
            *(0, 1000),
        ),
    ],
)  # fmt: skip
def test_is_an_interval(text: str, least: int, most: int) -> None:
    (region,) = [region for region in file_report(text).regions if region.profile.name == "f"]
    flops = region.profile.work.flops
    values = dict.fromkeys(region.profile.symbols, 1000) | dict(region.profile.values)
    assert not flops.is_exact
    assert flops.lower is not None
    assert flops.upper is not None
    assert (flops.lower.evaluate(values), flops.upper.evaluate(values)) == (least, most)


def test_an_error_in_a_template_of_the_library_loses_the_function_that_makes_it() -> None:
    text = VIEWS + "struct N {};\nvoid f(N &none) { for (auto a : none | v::drop(2)) (void)a; }"
    assert ("AI001", 8) in codes(text)


@pytest.mark.parametrize(
    ("statement", "flops", "read", "written"),
    [
        ("cblas_dscal(n, 2.0, y, 2);", 100, 800, 800),
        ("cblas_daxpy(n, 2.0, x, 1, y, -1);", 200, 1600, 800),
        ("y[0] = cblas_dnrm2(n, x, 1);", 201, 800, 8),
        (f"cblas_dgemv({ROW}, n, n, 1.0, a, n, x, 1, 0.0, y, 1);", 2 * 100**2 + 100, 8 * 100**2 + 800, 800),
        (f"cblas_dgemv({ROW}, n, n, 1.0, a, n, x, 1, 1.0, y, 1);", 2 * 100**2 + 200, 8 * 100**2 + 1600, 800),
        (
            "cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, 1.0, a, n, x, 1, 1.0, y, 1);",
            *(2 * 100**2 + 100, 8 * 100**2 + 1600, 800),
        ),
        ("cblas_dger(CblasColMajor, n, n, -1.0, x, 1, y, 1, a, n);", 2 * 100**2 + 100, 8 * 100**2 + 1600, 8 * 100**2),
        (
            "cblas_dsymv(CblasRowMajor, CblasUpper, n, 1.0, a, n, x, 1, 0.0, y, 1);",
            *(2 * 100**2 + 3 * 100, 4 * (100**2 + 100) + 800, 800),
        ),
        (
            "cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, a, n, y, 1);",
            *(100**2, 4 * (100**2 + 100) + 800, 800),
        ),
    ],
)  # fmt: skip
def test_blas_is_its_reference(statement: str, flops: int, read: int, written: int) -> None:
    text = BLAS + f"void f(int n, double *a, double *x, double *y) {{ {statement} }}"
    found = rows(text, "x.c", 100)["f"]
    assert (found.flops, found.read, found.written, found.exact) == (flops, read, written, True)


def test_transforms_are_named_where_their_bodies_are_not_known() -> None:
    text = "#include <fftw3.h>\nvoid f(int n, double *a, fftw_plan p) { for (int i = 0; i < n; i++) {\n"
    text += "fftw_execute(p);\na[i] *= 2; } }"
    assert [found for found in codes(text, "x.c") if found[0] == "AI201"] == [("AI201", 3)]


@pytest.mark.parametrize(
    ("statement", "flops", "read", "written"),
    [
        (f"cblas_dgemm({ROW}, CblasNoTrans, n, n, m, 2, a, m, b, n, 0, c, n);", 2 * 20**2 * 50, 2 * 20 * 50, 20**2),
        (f"cblas_dgemm({ROW}, CblasTrans, n, m, n, 2, a, n, b, n, 1, c, m);", 40000, 400 + 1000 + 1000, 20 * 50),
        (
            "cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, n, m, n, 2, a, n, b, n, 0, c, n);",
            *(40000, 400 + 1000, 20 * 50),
        ),
        (
            "cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, m, 1, a, m, 0, c, n);",
            *(20 * 21 * 50, 20 * 50, 20 * 21 // 2),
        ),
        (
            "cblas_dsyr2k(CblasRowMajor, CblasUpper, CblasNoTrans, n, m, 1, a, m, b, m, 0, c, n);",
            *(2 * 20 * 21 * 50, 2 * 20 * 50, 20 * 21 // 2),
        ),
        (
            "cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, n, m, 1, a, n, b, m, 0, c, m);",
            *(2 * 20 * 20 * 50, 20 * 21 // 2 + 20 * 50, 20 * 50),
        ),
        (
            "cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, m, 1, a, n, c, m);",
            *(20 * 19 * 50, 20 * 21 // 2 + 20 * 50, 20 * 50),
        ),
        (
            "cblas_dtrmm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasUnit, n, m, 1, a, m, c, m);",
            *(50 * 49 * 20, 50 * 51 // 2 + 20 * 50, 20 * 50),
        ),
    ],
)  # fmt: skip
def test_products_of_matrices_are_the_least_of_any_order(statement: str, flops: int, read: int, written: int) -> None:
    text = BLAS + f"void f(int n, int m, const double *a, const double *b, double *c) {{ {statement} }}"
    found = rows(text, "x.c", n=20, m=50)["f"]
    assert (found.flops, found.read, found.written, found.exact) == (flops, 8 * read, 8 * written, False)
    assert ("AI201", 2) in codes(text, "x.c")


def test_sorting_in_c_compares_neighbours_at_least() -> None:
    text = "#include <stdlib.h>\n#include <setjmp.h>\nstatic jmp_buf here;\n"
    text += "static int order(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b;"
    text += " return (x > y) - (x < y); }\n"
    text += "void f(int n, double *a) { if (setjmp(here)) return; qsort(a, n, sizeof *a, order); }"
    found = rows(text, "x.c")["f"]
    assert (found.loads, found.exact) == (2 * 8 * 999, False)


@pytest.mark.parametrize(
    ("member", "stride"), [("std::string s", 40), ("std::vector<int> s", 32), ("std::function<void()> s", 40)]
)
def test_objects_of_the_library_have_their_size(member: str, stride: int) -> None:
    text = "#include <string>\n#include <vector>\n#include <functional>\n"
    text += f"struct P {{ {member}; double m; }};\ndouble f(int n) {{ double *x = new double[n]; double s = 0;"
    text += " for (int i = 0; i < n * (int)sizeof(P) / 8; i++) s += x[i]; return s; }"
    assert rows(text)["f"].flops == stride / 8 * 1000


@pytest.mark.parametrize(
    "call",
    [
        "std::partial_sort(x, x + 3, x + n, [&](double a, double b) { return a > b; });",
        "std::nth_element(x, x + 3, x + n, [](double a, double b) { return a > b; });",
        "std::stable_partition(x, x + n, [](double a) { return a < 3; });",
    ],
)
def test_a_function_without_a_body_that_takes_a_lambda_leaves_the_rest_of_its_caller(call):
    text = f"#include <algorithm>\nvoid f(double *x, int n) {{ {call} for (int i = 0; i < n; i++) x[i] += 1; }}"
    assert (rows(text)["f"].flops, codes(text)) == (1000, [("AI201", 2)])


def test_string_h_declares_the_functions_of_strings_h():
    """As the headers of glibc do."""
    text = (
        "#include <string.h>\nint f(int n, int *x) { int s = 0; for (int i = 0; i < n; i++) s += x[ffs(i)]; return s; }"
    )
    assert (codes(text, "x.c"), rows(text, "x.c")["f"].loads) == ([], 4000)


@pytest.mark.parametrize(
    "row",
    [
        "std::span<double> row(int i) { return std::span<double>(d).subspan(i * m, m); }",
        "std::span<const double> row(int i) const { return std::span<const double>(d).subspan(i * m, m); }",
        "std::span<double> row(int i) { return std::span{d}.subspan(i * m, m); }",
        "std::span<double> row(int i) { std::span<double> all(d); return all.subspan(i * m).first(m); }",
        "std::span<double> row(int i) { return {d.data() + i * m, (std::size_t)m}; }",
    ],
)
@pytest.mark.parametrize(
    "loop", ["for (double x : a.row(i)) s += x;", "for (std::size_t j = 0; j < a.row(i).size(); j++) s += a.row(i)[j];"]
)
def test_rows_that_a_method_gives_as_views(row: str, loop: str) -> None:
    text = "#include <span>\n#include <vector>\n"
    text += f"struct A {{ int m; std::vector<double> d; A(int n, int m) : m(m), d(n * m, 1.0) {{}} {row} }};\n"
    text += f"double f(int n, int m) {{ A a(n, m); double s = 0; for (int i = 0; i < n; i++) {loop} return s; }}"
    found = rows(text, n=30, m=20)["f"]
    assert (found.flops, found.written, found.exact, codes(text)) == (600, 4800, True, [])
