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


def test_of_one_that_other_files_may_name_it_is_assumed():
    assert flops("long n = 1000;\n" + LOOP) == ("1000", {"AI314"})


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


TABLE = "void f(double *a) { for (long i = 0; i < t[1]; i++) a[i] += 1; }\n"


@pytest.mark.parametrize("reader", ["", "long g(int i) { return t[i] + sizeof t / sizeof t[0]; }"])
def test_a_static_table_that_is_only_read_has_its_elements(reader):
    assert flops(f"static int t[3] = {{10, 20, 30}};\n{reader}\n{TABLE}")[0] == "20"
    rows = TABLE.replace("t[1]", "t[1][0]")
    assert flops(f"static int t[2][2] = {{{{10, 20}}, {{30, 40}}}};\n{rows}")[0] == "30"


@pytest.mark.parametrize(
    "writer",
    [
        "void g(int m) { t[m] = m; }",
        "void g(void) { t[1]++; }",
        "void h(int *); void g(void) { h(t); }",
        "void h(int *); void g(void) { h(&t[1]); }",
        "int *p = t;",
        "int *g(void) { return t + 1; }",
        "void g(void) { *t = 3; }",
    ],
)
def test_of_a_table_that_something_may_write_the_elements_are_not_known(writer):
    assert flops(f"static int t[3] = {{10, 20, 30}};\n{writer}\n{TABLE}")[0] != "20"


def test_of_a_table_that_other_files_may_name_the_elements_are_not_known():
    assert flops(f"int t[3] = {{10, 20, 30}};\n{TABLE}")[0] != "20"


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
