"""Globals that keep the value of their initialiser, and those that may not."""

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

LOOP = "void f(double *a) { for (long i = 0; i < n; i++) a[i] += 1; }\n"


def flops(text, language=Language.C, **defines):
    """FLOPs of ``f`` as text, and the codes of its assumptions."""
    options = AnalysisOptions(functions=("f",), defines=defines)
    (profile,) = analyze(SourceFile("x.cpp" if language is Language.CXX else "x.c", text, language), options)
    (region,) = profile.regions
    return str(region.work.flops.estimate), {each.code for each in region.assumptions}


@pytest.mark.parametrize("language", [Language.C, Language.CXX])
def test_a_static_integer_that_is_only_read_is_its_initial_value(language):
    assert flops("static long n = 1000;\n" + LOOP, language) == ("1000", set())


@pytest.mark.parametrize("language", [Language.C, Language.CXX])
def test_so_is_one_of_a_function(language):
    text = "void f(double *y) { static long M = 1000; for (int i = 0; i < M; i++) y[i] += 1; }"
    assert flops(text, language) == ("1000", set())
    assert flops(text.replace("for", "M--; for"), language)[0] != "1000"


def test_one_of_a_template_may_be_written_by_its_instances():
    text = "template <class T> void f(T *y) { static int m = 9; m++; for (int i = 0; i < m; i++) y[i] += 1; }"
    assert flops(f"{text}\nvoid g(double *y) {{ f(y); }}", Language.CXX)[0] != "9"


def test_of_one_that_other_files_may_name_it_is_assumed():
    assert flops("long n = 1000;\n" + LOOP) == ("1000", {"AI314"})


TABLE = "static int m[3] = {3, 4, 5}, t[2][2] = {{1, 2}, {6}};\n"


@pytest.mark.parametrize(
    ("bound", "trips"), [("m[1]", "4"), ("t[1][0]", "6"), ("t[1][1] + 2", "2"), ("(int)(sizeof m / sizeof m[0])", "3")]
)
def test_an_array_of_integers_that_is_only_read_has_its_elements(bound, trips):
    uses = "int sum(int k) { return m[k] + t[k][0] * (int)sizeof(t[0]); }\n"
    assert flops(TABLE + uses + LOOP.replace("< n", f"< {bound}")) == (trips, set())


@pytest.mark.parametrize(
    "writer",
    [
        "m[0] = 1;",
        "m[k]++;",
        "int *p = m; p[1] = 2;",
        "h(m);",
        "h(&m[1]);",
        "t[0][1] = 1; m[1] += 1;",
        "scanf(0, m + 1);",
    ],
)
def test_one_that_something_may_write_has_none(writer):
    uses = f"void h(int *);\nvoid g(int k) {{ {writer} }}\n"
    assert flops(TABLE + uses + LOOP.replace("< n", "< m[1]"))[0] == "m[1]"


def test_a_row_that_is_handed_on_may_be_written():
    assert (
        flops(TABLE + "void h(int *); void g(void) { h(t[1]); }\n" + LOOP.replace("< n", "< t[1][0]"))[0] == "t[1][0]"
    )


@pytest.mark.parametrize(
    "writer",
    [
        "void g(int m) { n = m; }",
        "void g(void) { n++; }",
        "void g(void) { n += 2; }",
        "void h(long *); void g(void) { h(&n); }",
        "long *p = &n;",
        "#define SET(x, y) ((x) = (y))\nvoid g(void) { SET(n, 3); }",
    ],
)
def test_what_something_may_write_is_a_symbol(writer):
    assert flops(f"static long n = 1000;\n{writer}\n{LOOP}")[0] == "n"


@pytest.mark.parametrize(
    "writer",
    [
        "void h(long &x) { x = 3; } void g() { h(n); }",
        "void g() { long &x = n; x = 3; }",
        "void g() { auto set = [&] { n = 3; }; set(); }",
        "template <class T> void g(T t) { n = t; }",
    ],
)
def test_references_may_write(writer):
    assert flops(f"static long n = 1000;\n{writer}\n{LOOP}", Language.CXX)[0] == "n"


def test_what_is_volatile_may_change():
    assert flops("static volatile long n = 1000;\n" + LOOP)[0] != "1000"


def test_a_value_that_is_given_goes_first():
    assert flops("static long n = 1000;\n" + LOOP, n="7")[0] in ("n", "7")


def test_tables_in_constant_memory_have_their_elements_unless_the_host_copies_others():
    """A lattice of two velocities: where each element lies is known as soon as the velocities are."""
    text = """__constant__ int c[2] = {0, 1};
    __global__ void k(const float *f, float *g) { int x = threadIdx.x;
      for (int q = 0; q < 2; q++) g[q * 128 + x] = f[q * 129 + x + c[q]]; }
    int main() { WRITE float *f, *g; cudaMalloc(&f, 4096); cudaMalloc(&g, 4096); k<<<1, 128>>>(f, g); }"""

    def loaded(write):
        (profile,) = analyze(SourceFile("x.cu", text.replace("WRITE", write), Language.CUDA), AnalysisOptions())
        (region,) = profile.regions
        return region.compulsory_traffic.read_bytes.is_exact

    assert loaded("")
    assert not loaded("int h[2]; cudaMemcpyToSymbol(c, h, 8);")
