"""Ordinary C++ of everyday programs: ranges of own classes, pointers to members, views, bit sets, as run by hand."""

import pytest

from analyzer.quantities.quantity import Quantity
from roofline import estimate, source_text
from tests.rows import codes, file_report, rows

PARTICLE = """
#include <functional>
#include <vector>
struct P {
  double x, y; float m;
  double norm() const { return x * x + y * y; }
  void move(double s) { x += s; y += s; }
};
double total(const std::vector<P> &u, double (P::*what)() const) {
  double s = 0;
  for (auto &c : u) s += (c.*what)();
  return s;
}
"""
BOX = """
#include <vector>
template <class T> class Box {
  std::vector<T> v_;
public:
  explicit Box(int n) : v_(n) {}
  auto begin() { return v_.begin(); }
  auto end() { return v_.end(); }
};
"""
RING = """
template <class T> class Span {
  T *d; int n;
public:
  Span(T *d_, int n_) : d(d_), n(n_) {}
  class iterator {
    T *p;
  public:
    iterator(T *p_) : p(p_) {}
    T &operator*() const { return *p; }
    iterator &operator++() { ++p; return *this; }
    TEST
  };
  iterator begin() const { return {d}; }
  iterator end() const { return {d + n}; }
};
void f(double *a, int n) { for (double &v : Span<double>(a, n)) v += 1; }
"""
RANGES = "#include <ranges>\n#include <algorithm>\n#include <vector>\n"
FUNCTION = "#include <functional>\nstruct H { std::function<double(double)> g; "
FUNCTION += "double sum(int n) const { double s = 0; for (int i = 0; i < n; i++) s += g(i); return s; } };\n"
BITS = "#include <bitset>\n"


@pytest.mark.parametrize(
    ("text", "flops", "read", "written"),
    [
        (BOX + "void f(int n) { Box<double> b(n); for (auto &x : b) x *= 2; }", 1000, 0, 8000),
        (RING.replace("TEST", "bool operator!=(const iterator &o) const { return p != o.p; }"), 1000, 8000, 8000),
        (RING.replace("TEST", "bool operator==(const iterator &) const = default;"), 1000, 8000, 8000),
        (
            RING.replace("TEST", "friend bool operator!=(const iterator &a, const iterator &b) { return a.p != b.p; }"),
            *(1000, 8000, 8000),
        ),
        (PARTICLE + "void f(P *p, int n) { for (int i = 0; i < n; i++) p[i].*&P::y += 1; }", 1000, 8000, 8000),
        (
            PARTICLE + "void f(P *p, int n) { for (auto m : {&P::x, &P::y})"
            " for (int i = 0; i < n; i++) p[i].*m *= 2; }",
            *(2000, 16000, 16000),
        ),
        (
            PARTICLE + "double f(const P *p, int n) { float P::*m = &P::m; double s = 0;"
            " for (const P *q = p; q != p + n; ++q) s += q->*m; return s; }",
            *(1000, 4000, 0),
        ),
        (
            PARTICLE + "double f(int n) { std::vector<P> u(n); return total(u, &P::norm); }",
            *(4000, 0, 20000),  # zeros are stored, of 20 bytes each
        ),
        (
            PARTICLE + "void f(P *p, int n) { for (int i = 0; i < n; i++) std::invoke(&P::move, p[i], 2.0); }",
            *(2000, 16000, 16000),
        ),
        (
            PARTICLE + "double f(const P *p, int n) { auto g = std::mem_fn(&P::norm); double s = 0;"
            " for (int i = 0; i < n; i++) s += g(p[i]); return s; }",
            *(4000, 16000, 0),
        ),
        (FUNCTION + "double f(int n) { H h{[](double x) { return x * 3; }}; return h.sum(n); }", 2000, 0, 0),
        (
            "#include <functional>\n#include <vector>\n"
            "double of(const std::vector<double> &v, double s) { double t = 0; for (double x : v) t += s * x;"
            " return t; }\n"
            "double f() { std::vector<double> v(1000, 1.0);"
            " auto g = std::bind(of, std::cref(v), std::placeholders::_1); return g(2.0); }",
            *(2000, 0, 8000),  # nothing is copied
        ),
        (
            "#include <functional>\nstruct S { std::reference_wrapper<const double> x; };\n"
            "double f(const double *a, int n) { double s = 0;"
            " for (int i = 0; i < n; i++) { S o{std::cref(a[i])}; s += o.x; } return s; }",
            *(1000, 8000, 0),
        ),
        (RANGES + "void f(double *a, int n) { for (int i : std::views::iota(0, n) | std::views::reverse) a[i] *= 2; }",
         *(1000, 8000, 8000)),
        (
            RANGES + "double f(int n) { std::vector<double> v(n); double s = 0;"
            " for (double x : v | std::views::reverse) s += x; return s; }",
            *(1000, 0, 8000),
        ),
        (
            RANGES + "double f(int n) { std::vector<double> v(n); double s = 0;"
            " for (double x : v | std::views::drop(10) | std::views::take(90)) s += x; return s; }",
            *(90, 0, 8000),
        ),
        (RANGES + "void f(double *a, int n) { std::ranges::fill(a, a + n, 1.0); }", 0, 0, 8000),
        (BITS + "int f(std::bitset<6400> &b) { return b.count(); }", 0, 800, 0),
        (BITS + "void f(std::bitset<6400> &b, int n) { for (int i = 0; i < n; i++) b.set(i); }", 0, 128, 128),
        (
            "#include <string>\nvoid f(const char *a, int n) { std::string s; for (int i = 0; i < n; i++) s += a[i]; }",
            *(0, 1000, 1000),
        ),
        (
            "double f(const double *a, int n) try { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }"
            " catch (...) { return 0; }",
            *(1000, 8000, 0),
        ),
        (
            "int f(const unsigned *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += __builtin_popcount(a[i]);"
            " return s; }",
            *(0, 4000, 0),
        ),
    ],
)  # fmt: skip
def test_figures_by_hand(text: str, flops: int, read: int, written: int) -> None:
    found = rows(text)["f"]
    assert (found.flops, found.read, found.written, found.exact) == (flops, read, written, True)


SQUARES = """
void squares(const double *x, double *y, long n) { for (long i = 0; i < n; i++) y[i] = x[i] * x[i]; }
double sum(const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
template <class F, class... A> void call(F &&f, A &&...a) { f(a...); }
"""
PARTS = "for (long t = 0; t < 8; t++)"


@pytest.mark.parametrize(
    ("text", "flops", "read", "written"),
    [
        (f"void f(double *x, double *y) {{ {PARTS} call(squares, x + 100 * t, y + 100 * t, 100); }}", 800, 6400, 6400),
        (
            f"void f(double *x, double *y) {{ {PARTS} {{ double *const &z = y + 100 * t; squares(x, z, 100); }} }}",
            800,
            800,
            6400,
        ),
        (
            f"#include <thread>\n#include <vector>\nvoid f(double *x, double *y) {{ std::vector<std::thread> all;"
            f" {PARTS} all.emplace_back(squares, x + 100 * t, y + 100 * t, 100); for (auto &t : all) t.join(); }}",
            800,
            6400,
            6400,
        ),
        (
            f"#include <future>\ndouble f(double *x) {{ double s = 0; {PARTS} {{"
            " auto part = std::async(std::launch::async, sum, x + 100 * t, 100); s += part.get(); } return s; }",
            808,
            6400,
            0,
        ),
    ],
)
def test_pointers_handed_on_by_reference_keep_where_they_point(text: str, flops: int, read: int, written: int) -> None:
    """Each of eight parts is elsewhere in the array, whatever hands it on."""
    found = rows(SQUARES + text)["f"]
    assert (found.flops, found.read, found.written) == (flops, read, written)


def test_a_pointer_to_a_member_that_is_given_is_one_of_the_members() -> None:
    found = rows(PARTICLE + "void f(P *p, int n, double P::*m) { for (int i = 0; i < n; i++) p[i].*m += 1; }")["f"]
    assert (found.flops, found.read) == (1000, 8000)


MATRIX = """
struct Matrix {
  int rows, columns; double *d;
  Matrix(int r, int c) : rows(r), columns(c), d(new double[r * c]) {}
  void grow() { rows += 1; }
  Matrix transposed() const {
    Matrix made(columns, rows);
    for (int i = 0; i < rows; ++i) for (int j = 0; j < columns; ++j) made.d[j * rows + i] = d[i * columns + j];
    return made;
  }
  void after(Matrix &other, double *x) { other.grow(); for (int i = 0; i < rows; ++i) x[i] = 1; }
};
void replaced(Matrix *p, double *x) { p[1] = Matrix(3, 4); for (int i = 0; i < p[1].rows; ++i) x[i] = 1; }
"""


def test_an_object_that_is_made_changes_no_other() -> None:
    """What a constructor sets are members of its own object; a method may be called for any, and so may a copy."""
    (report,) = estimate(source_text(MATRIX, "x.cpp")).files
    symbols = {region.profile.name: region.profile.symbols for region in report.regions}
    assert {"this->rows", "this->columns"} <= set(symbols["Matrix::transposed"])
    assert [name for name in symbols["Matrix::after"] + symbols["replaced"] if "rows" not in name] == [
        "trip_L11",
        "trip_L13",
    ]
    assert "this->rows" not in symbols["Matrix::after"]


def test_a_virtual_call_operator_is_that_of_the_only_class_that_has_one() -> None:
    text = """
    struct Force { virtual ~Force() = default; virtual double operator()(double x) const = 0; };
    struct Spring final : Force {
      double k; Spring(double k) : k(k) {}
      double operator()(double x) const override { return k * x + 1; }
    };
    double f(const Force &force, const double *x, int n) {
      double s = 0;
      for (int i = 0; i < n; i++) s += force(x[i]);
      return s;
    }
    double g(const double *x, int n) { Spring spring(2); return f(spring, x, n); }
    """
    found = rows(text)
    assert (found["f"].flops, found["g"].flops, found["g"].exact) == (3000, 3000, True)


def test_a_virtual_method_behind_a_pointer_is_not_known() -> None:
    text = "struct B { virtual double f(double x) { return x; } };\n"
    text += "double f(B &b, double (B::*m)(double), int n) { double s = 0;"
    text += " for (int i = 0; i < n; i++) s += (b.*m)(i); return s; }\n"
    text += "double g(B &b, int n) { return f(b, &B::f, n); }"
    assert not rows(text)["g"].exact
    assert ("AI206", 2) in codes(text)


KERNELS = """
typedef void (*kernel)(int, double *);
static void one(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }
static void two(int n, double *a) { for (int i = 0; i < n; i++) a[i] = a[i] * 2 + 1; }
"""


@pytest.mark.parametrize(
    "body",
    [
        "kernel k = which ? one : two; k(n, a);",
        "(which ? one : two)(n, a);",
        "(*(which ? &one : &two))(n, a);",
        "kernel k = one; if (!which) k = two; k(n, a);",
    ],
)
@pytest.mark.parametrize(("which", "flops"), [(0, 2000), (1, 1000)])
def test_one_of_two_functions_runs(body: str, which: int, flops: int) -> None:
    text = f"{KERNELS}void f(int n, double *a, int which) {{ {body} }}"
    found = rows(text, "x.c", which=which)["f"]
    assert (found.flops, found.read, found.written) == (flops, 8000, 8000)


def test_functions_of_a_constant_table_run_one_after_the_other() -> None:
    table = 'static const struct { const char *name; kernel run; } all[] = {{"one", one}, {"two", two}};\n'
    loop = "void f(int n, double *a) { for (unsigned k = 0; k < sizeof all / sizeof all[0]; k++) all[k].run(n, a); }"
    found = rows(f"{KERNELS}{table}{loop}", "x.c")["f"]
    assert (found.flops, found.loads, found.exact) == (3000, 16000, True)


CURIOUS = """
#include <vector>
template <class E> struct Expr {
  const E &self() const { return static_cast<const E &>(*this); }
  double operator[](int i) const { return self()[i]; }
  int size() const { return self().size(); }
};
struct Vec : Expr<Vec> {
  std::vector<double> v;
  double operator[](int i) const { return v[i]; }
  int size() const { return static_cast<int>(v.size()); }
};
template <class A> double sum(const Expr<A> &a) {
  double s = 0;
  for (int i = 0; i < a.size(); i++) s += a[i];
  return s;
}
template double sum(const Expr<Vec> &);
struct Base { double w; };
struct Derived : Base { double *p; int n; };
double down(const Base &b) {
  const Derived &d = static_cast<const Derived &>(b);
  double s = 0;
  for (int i = 0; i < d.n; i++) s += d.p[i] * d.w;
  return s;
}
"""


@pytest.mark.parametrize(("name", "flops"), [("sum<Vec>", 1000), ("down", 2000)])
def test_what_is_cast_to_a_derived_class_has_its_members(name: str, flops: int) -> None:
    found = rows(CURIOUS)[name]
    w = 8 if name == "down" else 0  # bytes
    assert (found.flops, found.read, found.exact) == (flops, 8000 + w, True)


def test_methods_without_loops_that_nothing_calls_are_not_missed() -> None:
    text = BOX.replace("  auto begin()", "  auto size() { return v_.size(); }\n  auto begin()")
    assert codes(text + "void f(int n) { Box<double> b(n); for (auto &x : b) x *= 2; }") == []


def test_an_object_behind_a_pointer_to_its_base_keeps_its_class() -> None:
    text = "struct Shape { virtual double area(double s) const = 0; };\n"
    text += "struct Disc : Shape { double r; Disc(double r_) : r(r_) {}\n"
    text += "double area(double s) const { return r * r * s; } };\n"
    text += "void f(double *a, int n, double x) { Disc o(x); const Shape *k = &o;"
    text += " for (int i = 0; i < n; i++) a[i] = k->area(a[i]); }"
    found = rows(text)["f"]
    assert (found.flops, found.exact) == (2000, True)


@pytest.mark.parametrize("test", ["leaf_", "leaf_ != nullptr", "nullptr != leaf_", "const double *q = leaf_; leaf_"])
def test_a_member_that_the_program_sets_to_null_may_be_null(test: str) -> None:
    """A tree's own test whether a node is a leaf decides what runs; a parameter is assumed to point at something."""
    text = """
class Node {
public:
  Node(double *leaf) : leaf_(leaf) {}
  void split() { leaf_ = nullptr; }
  double f(double *x, int n) const {
    for (int i = 0; i < n; i++) x[i] *= 2;
    %s) return x[0] * 3;
    return x[0] * x[1] + x[2] * x[3];
  }
  const double *leaf_;
};
"""
    start, _, condition = test.rpartition("; ")
    (region,) = file_report(text % (f"{start};\n if ({condition}" if start else f"if ({condition}")).regions
    flops, values = region.profile.work.flops, {"n": 10}
    assert (flops.lower.evaluate(values), flops.most.evaluate(values)) == (11, 13)


@pytest.mark.parametrize(
    ("made", "flops", "written"),
    [
        ("new (&c[i]) Cell(1.0f + x[i]);", 2, 8),
        ("Cell *p = new (c + i) Cell(x[i]); p->v += p->w;", 2, 8),
        ("new (x + i) float(2.0f * x[i]);", 1, 4),
        ("float *p = new (buffer) float[4]; p[0] = 2.0f * x[i];", 1, None),
    ],
)
def test_an_object_that_is_made_in_given_memory_is_stored_there(made: str, flops: int, written: int | None) -> None:
    text = "#include <new>\nstruct Cell { float w, v; Cell(float x) : w(x), v(2.0f * x) {} };\n"
    text += f"void f(int n, Cell *c, float *x, char *buffer) {{ for (int i = 0; i < n; i++) {{ {made} }} }}"
    (region,) = file_report(text).regions
    profile = region.profile
    assert profile.work.flops.lower.evaluate({"n": 100}) == flops * 100
    assert written is None or profile.footprint.written.bytes.lower.evaluate({"n": 100}) == written * 100


FIXED_MATRIX = """
#include <array>
template <int R, int C, class T> struct Mat : std::array<T, R * C> {
  T &operator()(int i, int j) { return (*this)[i * C + j]; }
  const T &operator()(int i, int j) const { return (*this)[i * C + j]; }
  static Mat zero() { Mat m; m.fill(0.0); return m; }
};
template <int R, int K, int C, class T> Mat<R, C, T> operator*(const Mat<R, K, T> &a, const Mat<K, C, T> &b) {
  auto c = Mat<R, C, T>::zero();
  for (int i = 0; i < R; i++) for (int j = 0; j < C; j++) for (int k = 0; k < K; k++) c(i, j) += a(i, k) * b(k, j);
  return c;
}
"""
TEXT_OF_MEMBERS = """
#include <vector>
struct Count { long size; Count() : size(0) {} void inc() { ++size; } };
struct Log { Count w; void push() { w.inc(); } };
"""


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("Mat<2, 3, double> a; Mat<3, 4, double> b; a.fill(1); b.fill(2); auto c = a * b; return c(1, 2);", 48),
        ("Mat<2, 2, float> a; a.fill(1); float s = 0; for (float x : a) s += x; return s + a.size();", 5),
    ],
)
def test_classes_derived_from_an_array_are_arrays(body: str, flops: int) -> None:
    """A product of 2x3 and 3x4 has 2*3*4 products and sums; an array of four has four sums, and one of its size."""
    found = rows(FIXED_MATRIX + f"double f() {{ {body} }}")["f"]
    assert (found.flops, found.exact) == (flops, True)


@pytest.mark.parametrize("change", ["a.push();", "a.w.inc();", "++a.w.size;"])
def test_an_integer_in_a_member_of_a_member_moves_with_its_loop(change: str) -> None:
    """It was assumed to stay: all stores went to one element."""
    text = TEXT_OF_MEMBERS + f"void f(double *x, int n) {{ Log a; for (int i = 0; i < n; i++) {{ {change}"
    found = rows(text + " x[a.w.size] = 1; } }")["f"]
    assert (found.written, found.exact) == (8000, True)


def test_a_vector_that_nothing_initialises_is_empty_before_it_grows() -> None:
    text = "#include <vector>\nclass Scene { std::vector<double> r_; double k_ = 1; public:\n"
    text += "void add(double r) { r_.push_back(r); }\n"
    text += "double total() const { double s = 0; for (double r : r_) s += r; return s; } };\n"
    found = rows(text + "double f() { Scene s; for (int i = 0; i < 6; i++) s.add(2.0); return s.total(); }")["f"]
    assert (found.flops, found.exact) == (6, True)


@pytest.mark.parametrize(
    ("member", "bytes_of_object"),
    [
        ("std::vector<bool>", 48),
        ("std::list<int>", 32),
        ("std::deque<int>", 88),
        ("std::unordered_map<int, int>", 64),
        ("std::map<int, int>", 56),
        ("std::string", 40),
    ],
)
def test_containers_have_the_sizes_of_the_library_in_structures(member: str, bytes_of_object: int) -> None:
    """``sizeof`` with GNU's library, and 8 bytes behind it."""
    text = "".join(f"#include <{name}>\n" for name in ("vector", "list", "deque", "unordered_map", "map", "string"))
    text += f"struct S {{ {member} held; double x; }};\n"
    text += "double f(double *x) { double s = 0; for (unsigned i = 0; i < sizeof(S); i++) s += x[i]; return s; }"
    assert rows(text)["f"].flops == bytes_of_object


def test_a_bound_that_a_condition_chooses_makes_two_loops() -> None:
    """The lower triangle of 64x64 in blocks of 16: 64*65/2 elements."""
    text = "void f(double *a) { for (int ib = 0; ib < 64; ib += 16) for (int jb = 0; jb <= ib; jb += 16)"
    text += " for (int i = ib; i < ib + 16; i++)"
    text += " for (int j = jb; j < (jb == ib ? i + 1 : jb + 16); j++) a[i * 64 + j] += 1.0; }"
    found = rows(text)["f"]
    assert (found.flops, found.exact) == (2080, True)


VIEW = """
#include <array>
#include <cstddef>
template <class T, std::size_t Rank> class View {
  T *d; std::array<std::size_t, Rank> ext{}, str{};
public:
  template <class... I> View(T *p, I... e) : d(p), ext{static_cast<std::size_t>(e)...} {
    std::size_t s = 1;
    for (std::size_t r = Rank; r-- > 0;) { str[r] = s; s *= ext[r]; }
  }
  template <class... I> T &operator()(I... i) const {
    std::size_t r = 0, o = 0;
    ((o += static_cast<std::size_t>(i) * str[r++]), ...);
    return d[o];
  }
  std::size_t extent(std::size_t r) const { return ext[r]; }
};
"""


def test_views_that_hold_their_extents_and_strides_in_arrays_are_followed() -> None:
    """A stencil over 30x40 has 28*38 sums, reads rows 0 to 28 of columns 0 to 38 but for one corner, and writes inside.

    Of ``in`` it takes (i, j - 1) and (i - 1, j) for 1 <= i < 29, 1 <= j < 39: 28*38 + 28*38 - 27*37 elements.
    """
    text = VIEW + "void f(double *a, double *b, int n, int m) { View<double, 2> in(a, n, m), out(b, n, m);"
    text += " for (std::size_t i = 1; i + 1 < in.extent(0); i++) for (std::size_t j = 1; j + 1 < in.extent(1); j++)"
    text += " out(i, j) = in(i, j - 1) + in(i - 1, j); }"
    (region,) = [each for each in file_report(text).regions if each.profile.function == "f"]
    profile, sizes = region.profile, {"n": 30, "m": 40}
    assert profile.work.flops.lower.evaluate(sizes) == profile.work.flops.estimate.evaluate(sizes) == 28 * 38
    moved = {each.array: each for each in profile.footprint.arrays}
    assert moved["a"].read.elements.estimate.evaluate(sizes) == 2 * 28 * 38 - 27 * 37
    assert moved["b"].written.elements.estimate.evaluate(sizes) == 28 * 38


def test_short_arrays_are_followed_from_store_to_store() -> None:
    text = "void f(double *x, int n, int m) { int e[2] = {n, n}; x[e[1]] = 0; e[1] = m;"
    text += "for (int i = 0; i < e[0]; i++) for (int j = 0; j < e[1]; j++) x[i * 100 + j] += 1; }"
    (region,) = file_report(text).regions
    assert region.profile.work.flops.is_exact
    assert region.profile.work.flops.estimate.evaluate({"n": 7, "m": 5}) == 35


CHANGED = "void f(double *x, int n, int m) { int e[2] = {n, n}; %s"
CHANGED += "for (int i = 0; i < e[0]; i++) for (int j = 0; j < e[1]; j++) x[i * 100 + j] += 1; }"


def test_short_arrays_that_loops_change_are_known_where_their_counters_decide() -> None:
    (region,) = file_report(CHANGED % "for (int k = 0; k < m; k++) e[k % 2]++; ").regions
    assert region.profile.work.flops.estimate.evaluate({"n": 7, "m": 5}) == (7 + 3) * (7 + 2)
    (region,) = file_report(CHANGED % "for (int k = 0; k < m; k++) e[k * k % n % 2]++; ").regions
    assert region.profile.work.flops.estimate.symbols - {"n", "m"}


def test_elements_that_sizes_choose_are_either() -> None:
    (region,) = file_report(CHANGED % "if (m > 4) e[0] = m; ").regions
    flops = region.profile.work.flops
    assert flops.is_exact
    assert flops.estimate.evaluate({"n": 7, "m": 5}) == 5 * 7
    assert flops.estimate.evaluate({"n": 7, "m": 4}) == 7 * 7


def test_the_address_of_what_is_not_followed_leaves_lower_bounds() -> None:
    """The inner call of a recursion returns an object whose method is called: its work is missing from all figures."""
    text = "struct V { double x, y; V operator*(double s) const { return {x * s, y * s}; } };\n"
    text += "struct S { int deepest; V trace(V o, int d) const {"
    text += " if (d > deepest || o.x < 0) return {0, 1}; return trace(o, d + 1) * 0.2; } };\n"
    text += "void f(const S &s, double *x, int n) { for (int i = 0; i < n; i++) { V r = s.trace({x[i], 1.0}, 0);"
    text += " x[i] = r.x; } }"

    def flops(text: str) -> Quantity:
        (region,) = [each for each in file_report(text).regions if each.profile.function == "f"]
        return region.profile.work.flops

    assert flops(text).upper is None
    known = flops(text.replace("d > deepest", "d > 2"))  # three calls, each of two products, unless x[i] < 0
    assert (known.lower.evaluate({"n": 10}), known.most.evaluate({"n": 10})) == (0, 60)


GRID = """
#include <utility>
#include <vector>
class Grid {
  std::vector<double> d; int n;
public:
  explicit Grid(int n_) : d(n_, 1.0), n(n_) {}
  Grid(Grid &&o) noexcept : d(std::move(o.d)), n(std::exchange(o.n, 0)) {}
  Grid &operator=(Grid &&o) noexcept {
    if (this != &o) { d = std::move(o.d); n = std::exchange(o.n, 0); }
    return *this;
  }
  double sum() const { double s = 0; for (int i = 0; i < n; i++) s += d[i]; return s; }
};
struct Pair { std::vector<double> u, v; };
static double sum(const std::vector<double> &v) { double s = 0; for (double x : v) s += x; return s; }
struct Held { std::vector<double> d; template <class V> explicit Held(V &&v) : d(std::forward<V>(v)) {} };
"""


@pytest.mark.parametrize(
    ("body", "flops", "stores"),
    [  # what is moved from is empty, and nothing is copied
        ("Grid a(10), b(20); a = std::move(b); return a.sum() + 2 * b.sum();", 20 + 2, 30),
        ("Grid a(10), b(20); std::swap(a, b); return b.sum();", 10, 30),
        ("Grid a(10); Grid b = std::move(a); return a.sum() + b.sum();", 10 + 1, 10),
        (
            "Pair p{std::vector<double>(10, 1.0), std::vector<double>(20, 1.0)}; Pair q; q = std::move(p);"
            " return sum(q.u) + sum(p.v);",
            *(10 + 1, 30),
        ),
        ("std::vector<double> v(10, 1.0); Held a(v), b(std::move(v)); return sum(v) + sum(b.d);", 10 + 1, 20),
        (
            "std::vector<double> v(10, 1.0); auto w = std::exchange(v, std::vector<double>(3, 2.0));"
            " return sum(v) + sum(w);",
            *(13 + 1, 13),
        ),
    ],
)
def test_what_is_moved_leaves_nothing_behind(body: str, flops: int, stores: int) -> None:
    row = rows(f"{GRID}double f() {{ {body} }}")["f"]
    assert (row.flops, row.stores, row.exact) == (flops, 8 * stores, True)


@pytest.mark.parametrize(
    "cast", ["static_cast<const std::vector<double> &>(v)", "static_cast<std::vector<double> &>(v)"]
)
def test_a_cast_to_a_reference_moves_nothing(cast: str) -> None:
    """All 10 elements are added of both, which are one container and its copy."""
    copies = f"std::vector<double> v(10, 1.0), w; w = {cast}; std::vector<double> x({cast});"
    body = f"{copies} return sum(v) + sum(w) + sum(x);"
    row = rows(f"{GRID}double f() {{ {body} }}")["f"]
    assert (row.flops, row.stores, row.exact) == (3 * 10 + 2, 8 * 30, True)


@pytest.mark.parametrize(
    "made",
    [
        "int w[] = {3, 5, 2};",
        "int *w = new int[3]{3, 5, 2};",
        "std::vector<int> w{3, 5, 2};",
        "std::array<int, 3> w{3, 5, 2};",
        "std::vector<int> w; w.push_back(3); w.push_back(5); w.push_back(2);",
    ],
)
def test_numbers_that_the_function_lists_bound_its_loops(made: str) -> None:
    layer = "double layer(const double *x, int n, int m) { double s = 0;"
    layer += " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += x[i] * x[j]; return s; }\n"
    text = "double f(const double *x) { %s double s = 0; for (int l = 0; l + 1 < 3; l++) s += layer(x, w[l], w[l + 1]);"
    row = rows("#include <array>\n#include <vector>\n" + layer + text % made + " return s; }")["f"]
    assert (row.flops, row.exact) == (2 * (3 * 5 + 5 * 2) + 2, True)


def test_virtual_methods_of_instances_of_templates_run() -> None:
    text = "#include <memory>\n"
    text += "template <class T> struct Op { virtual ~Op() = default; virtual T of(const T *x, int n) const = 0; };\n"
    sums = "template <class T> struct %s : %s { T of(const T *x, int n) const override"
    sums += " { T s = 0; for (int i = 0; i < n; i++) s += %s; return s; } };\n"
    text += sums % ("Sum", "Op<T>", "x[i]") + sums % ("Norm", "Sum<T>", "x[i] * x[i]")
    text += (
        "double f(const double *x) { std::unique_ptr<Op<double>> a = std::make_unique<Sum<double>>(); Norm<double> b;"
    )
    text += " const Op<double> &r = b; return a->of(x, 100) + r.of(x, 10); }\n"
    text += "double g(const Op<double> &a, const double *x) { return a.of(x, 100); }\n"
    found = rows(text)
    assert (found["f"].flops, found["f"].exact) == (100 + 20 + 1, True)
    assert {"Sum<double>::of", "Norm<double>::of"} <= found.keys()
    (region,) = [each for each in file_report(text).regions if each.profile.function == "g"]
    assert region.profile.work.flops.lower.evaluate({}) == 100
    assert region.profile.work.flops.upper is not None
    assert region.profile.work.flops.upper.evaluate({}) == 200


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        (  # of 9, 8 and 7 elements
            "std::vector<double> v(10, 1.0), w; for (int l = 0; l < 3; l++) { w.clear();"
            " for (std::size_t i = 0; i + 1 < v.size(); i++) w.push_back(v[i] + v[i + 1]);"
            " std::swap(v, w); } return v[0];",
            9 + 8 + 7,
        ),
        (  # the vector of one iteration is not the one before, which the other variable holds
            "std::vector<double> v(1, 0.0); while (v.size() < 16) { std::vector<double> w;"
            " for (double x : v) { w.push_back(x + 1); w.push_back(x * 2); } v = std::move(w); }"
            " double s = 0; for (double x : v) s += x; return s;",
            2 * (1 + 2 + 4 + 8) + 16,
        ),
    ],
)
def test_containers_that_change_their_sizes_in_each_of_few_iterations_are_followed(body: str, flops: int) -> None:
    row = rows(f"{GRID}double f() {{ {body} }}")["f"]
    assert (row.flops, row.exact) == (flops, True)


def test_arguments_of_the_type_of_a_member_are_no_value_of_it() -> None:
    text = "#include <array>\n#include <vector>\n"
    text += "template <int R> struct Box { std::array<int, R> shape, stride; std::vector<double> d;"
    text += " explicit Box(std::array<int, R> s) : shape(s) {"
    text += " int n = 1; for (int k = R - 1; k >= 0; k--) { stride[k] = n; n *= s[k]; } d.assign(n, 1.0); } };\n"
    text += "struct S { std::array<double, 3> a; int k; S() : k(1) {} };\n"
    text += "double f() { Box<2> b({8, 6}); double s = 0; for (double x : b.d) s += x; return s; }\n"
    text += "void g(double *x, int n) { for (int i = 0; i < n; i++) { S o; o.a[0] = i; x[i] = o.a[0]; } }"
    found = rows(text)
    assert (found["f"].flops, found["f"].exact) == (48, True)
    assert found["g"].stores == 2 * 8 * 1000
