"""What host code knows of memory of which library functions cleared or copied so many bytes; by hand."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.host.interpreter import find_launches
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile

INCLUDES = (
    "#include <cstdlib>\n#include <cstring>\n#include <vector>\n__global__ void k(int n, float *x) { x[n] = 0; }\n"
)

OTHER = "struct P { int a, b; }; struct Q { int a[4], b; };\n__constant__ int limits[4];\n"
LAUNCH = " k<<<1, 1>>>(n, x); }"


def launches(text):
    parsed = parse_clang(SourceFile("x.cu", INCLUDES + text, Language.CUDA), ParseOptions())
    assert [found for found in parsed.diagnostics if found.code in ("AI001", "AI003")] == []
    return find_launches([parsed.unit], None, None)


def value(body):
    text = f"{OTHER}int main(int argc, char **argv) {{ int n = 0; float *x = 0; {body}{LAUNCH}"
    (found,) = launches(text)
    return found.arguments.get("n")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a[4] = {1, 2, 3, 4}; memset(a, 0, 8); n = 10 * a[3] + a[1];", 40),
        ("int a[4] = {1, 2, 3, 4}; memset(a + 1, 0, 8); n = 10 * a[0] + a[3] + a[2];", 14),
        ("int a[4] = {1, 2, 3, 4}; memset(a, 0, sizeof a); n = 7 + a[3];", 7),
        ("int a[4] = {1, 2, 3, 4}; memset(a, 0, 6); n = a[0];", None),
        ("int a[4] = {1, 2, 3, 4}; memset(a, 0, argc); n = a[0];", None),
        ("int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; memset(a[1], 0, 12); n = 10 * a[0][2] + a[1][2];", 30),
        ("int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; memset(a, 0, 12); n = 10 * a[0][2] + a[1][2];", 6),
        ("int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; memset(a[0], 0, 24); n = a[1][2];", None),
        ("P s = {3, 4}; memset(&s.b, 0, 4); n = s.a + s.b;", 3),
        ("P s = {3, 4}; memset(&s, 0, 4); n = s.b;", None),
        ("P s = {3, 4}; memset(&s.a, 0, 8); n = s.b;", None),
        ("P s = {3, 4}; memset(&s, 0, sizeof s); n = 6 + s.b;", 6),
        ("Q s = {{3, 4, 5, 6}, 9}; memset(s.a, 0, 8); n = 10 * s.a[2] + s.a[1] + s.b;", 59),
        ("Q s = {{3, 4, 5, 6}, 9}; memset(s.a, 0, 20); n = s.b;", None),
        ("int *p = (int *)malloc(16); p[0] = 3; p[3] = 4; memset(p, 0, 12); n = 10 * p[3] + p[0];", 40),
        ("int *p = (int *)malloc(16); p[0] = 3; p[3] = 4; memset((char *)p + 4, 0, 8); n = p[2];", None),
        ("P *p = (P *)malloc(16); p[0].b = 3; p[1].b = 4; memset(p + 1, 0, 8); n = 10 * p[0].b + p[1].b;", 30),
        ("std::vector<int> v(4, 5); memset(v.data(), 0, 8); n = 10 * v[3] + v[1];", 50),
        ("std::vector<int> v(4, 5); memset(&v[0], 0, v.size() * sizeof(int)); n = 1 + v[3];", 1),
    ],
)
def test_bytes_that_are_cleared(body, expected):
    assert value(body) == expected


SOURCE = "int c[4] = {5, 6, 7, 8}; "


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a[4] = {1, 2, 3, 4}; memcpy(a, c, 8); n = 100 * a[1] + 10 * a[2] + a[3];", 634),
        ("int a[4] = {1, 2, 3, 4}; memcpy(a + 1, c + 2, 8); n = 100 * a[0] + 10 * a[1] + a[2];", 178),
        ("memmove(c + 1, c, 12); n = 100 * c[1] + 10 * c[2] + c[3];", 567),
        ("int a[4] = {1, 2, 3, 4}; memcpy(a, c, argc); n = a[3];", None),
        ("int a[4] = {1, 2, 3, 4}; memcpy(a, c, 6); n = a[0];", None),
        ("int a[4]; memcpy(&a[1], &c[3], 4); n = a[1];", 8),
        ("float f = 2; memcpy(&n, &f, 4);", None),
        ("P s = {1, 2}; memcpy(&s, c, 8); n = s.b;", None),
        ("P s = {1, 2}, t = {3, 4}; memcpy(&s, &t, sizeof s); n = s.b;", 4),
        ("P s = {1, 2}, t = {3, 4}; memcpy(&s.b, &t.b, 4); n = 10 * s.a + s.b;", 14),
        ("int *p = (int *)calloc(4, 4); memcpy(p + 1, c, 8); n = 100 * p[1] + 10 * p[2] + p[3];", 560),
        ("int *p = (int *)calloc(4, 4), a[4] = {1, 2, 3, 4}; memcpy(a, p, 8); n = 10 * a[1] + a[2];", 3),
        ("int *p = (int *)calloc(4, 4), a[4]; memcpy(p, a, 8); n = p[1];", None),
        ("P *p = (P *)calloc(2, 8), t; t.a = 3; memcpy(p, &t, 8); n = p[0].b;", None),
        ("P *p = (P *)calloc(2, 8), t; t.a = 3; memcpy(p, &t, 8); n = p[0].a + p[1].b;", 3),
        ("void *p; cudaMallocManaged(&p, 16); cudaMemcpy(p, c, 16, cudaMemcpyHostToDevice); n = ((int *)p)[2];", 7),
    ],
)
def test_bytes_that_are_copied(body, expected):
    assert value(SOURCE + body) == expected


@pytest.mark.parametrize(
    ("copies", "expected"),
    [
        ("cudaMemcpyToSymbol(limits, c, 16);", {0: 5, 1: 6, 2: 7, 3: 8}),
        ("cudaMemcpyToSymbol(limits, c, 16); cudaMemcpyToSymbol(limits, c + 2, 8);", {0: 7, 1: 8, 2: 7, 3: 8}),
        ("cudaMemcpyToSymbol(limits, c, 16); cudaMemcpyToSymbol(limits, c, 8, 8);", {}),
    ],
)
def test_bytes_that_are_copied_to_a_symbol(copies, expected):
    (found,) = launches(
        f"{OTHER}__global__ void q(float *x) {{ x[0] = limits[0] + limits[1] + limits[2] + limits[3]; }}\n"
        f"int main() {{ float *x = 0; {SOURCE}{copies} q<<<1, 1>>>(x); }}"
    )
    assert dict(found.arguments) == {f"limits[{index}]": number for index, number in expected.items()}
