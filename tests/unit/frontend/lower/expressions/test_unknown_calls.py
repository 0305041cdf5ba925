"""What a function without a body may change through its arguments has any value afterwards."""

import pytest

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile

TEXT = """
struct P { int n; double x; void fix(); };
struct K { void get(int &n); static void got(int &n); K(int &n); K(); virtual void over(int &n); };
struct L : K { void over(int &n) override; };
void get(int &n); void by_value(int n); void seen(const int &n);
void fill(P *p); void fill_in(P &p); void show(const P &p);
void f(double *x, K &k) { int n = 4; P p; p.n = 4; CALL; for (int i = 0; i < SIZE; i++) x[i] *= 2; }
"""


def flops_after(call, size):
    text = TEXT.replace("CALL", call).replace("SIZE", size)
    (file,) = analyze(SourceFile("a.cpp", text, Language.CXX), AnalysisOptions())
    (nest,) = file.profile.regions[0].nests
    return nest.work.flops.estimate


@pytest.mark.parametrize("call", ["get(n)", "k.get(n)", "K::got(n)", "K made(n)", "k.over(n)", "get(*&n)"])
def test_a_number_given_by_reference_is_lost(call):
    (symbol,) = flops_after(call, "n").symbols
    assert flops_after(call, "n").evaluate({symbol: 9}) == 9


@pytest.mark.parametrize("call", ["fill(&p)", "fill_in(p)", "p.fix()"])
def test_the_members_of_an_object_are_lost(call):
    (symbol,) = flops_after(call, "p.n").symbols
    assert flops_after(call, "p.n").evaluate({symbol: 9}) == 9


@pytest.mark.parametrize(("call", "size"), [("by_value(n)", "n"), ("seen(n)", "n"), ("show(p)", "p.n")])
def test_what_is_only_read_keeps_its_value(call, size):
    assert flops_after(call, size).evaluate({}) == 4


def test_what_an_unknown_function_returns_is_memory_that_is_not_told_apart():
    text = """struct H { int n; double x[4]; }; struct H *get(void);
    void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= get()->x[1] + ((struct H *)get())->x[2]; }"""
    (file,) = analyze(SourceFile("a.c", text, Language.C), AnalysisOptions())
    (region,) = file.profile.regions
    assert [str(found.what) for found in region.work.not_counted] == ["call of get"]
    assert [str(found.what) for found in region.work.not_located] == ["result of get"]
    assert str(region.loads.elements.estimate) == "3*n"
    assert region.footprint.touched.bytes.upper is None
