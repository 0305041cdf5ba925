"""Names as tools write them."""

import pytest

from roofline.comparison.names import benchmark_names, kernel_name


@pytest.mark.parametrize(
    ("text", "base", "qualified", "arguments"),
    [
        ("triad(double *, const double *, double, int)", "triad", "triad", None),
        ("triad(double*, double const *, double const *, double, int)", "triad", "triad", None),
        ("void axpy<double, (int)4>(T1 *, const T1 *, T1, int)", "axpy", "axpy", ("double", "4")),
        ("axpy<double, 4>", "axpy", "axpy", ("double", "4")),
        ("void ns::(anonymous namespace)::f<true, 3u>(int)", "f", "ns::f", ("1", "3")),
        ("void a::b::f<std::pair<int, float>, c>(g<h(int)>)", "f", "a::b::f", ("std::pair<int,float>", "c")),
        ("_Z4axpyIdLi4EEvPT_PKS0_S0_i", "axpy", "axpy", ("double", "4")),
        ("_ZN2ns5scaleEPffi", "scale", "ns::scale", None),
        ("_ZN12_GLOBAL__N_13fooEi", "foo", "foo", None),
        ("_ZN2ns5outerEZ4mainEUlvE_", "outer", "ns::outer", None),  # a lambda: the demangler gives up
        ("[loop in triad at triad.c:12]", "triad", "triad", None),
        ("[loop in ns::f<int>(int) at a.cpp:3]", "f", "ns::f", ("int",)),
        ("unsigned int f(int)", "f", "f", None),
        ("operator()", "operator()", "operator()", None),
        ("", "", "", None),
    ],
)
def test_kernel_names(text, base, qualified, arguments):
    found = kernel_name(text)
    assert (found.base, found.qualified, found.arguments) == (base, qualified, arguments)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("axpy<double, 4>", "void axpy<double, (int)4>(double *)", True),
        ("axpy<double, 4>", "void axpy<float, (int)4>(float *)", False),
        ("axpy<double, 4>", "axpy(double *)", True),
        ("scale", "ns::scale(float *)", True),
        ("a::scale", "b::scale(float *)", False),
        ("scale", "rescale(float *)", False),
    ],
)
def test_names_that_match(one, other, same):
    assert kernel_name(one).matches(kernel_name(other)) is same
    assert kernel_name(other).matches(kernel_name(one)) is same


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("BM_triad/16777216", "triad"),
        ("bench_triad", "triad"),
        ("Fixture/triad/8/threads:4", "triad"),
        ("BM_axpy<float>/n:64/real_time:1", "axpy<float>"),
        ("triad", "triad"),
    ],
)
def test_benchmark_names(text, name):
    assert benchmark_names(text)[-1] == name
