"""Arrays that a program fills with random numbers, on the host or by a kernel."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.host.interpreter import find_launches
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile

HEADERS = "#include <cstdlib>\n#include <vector>\n#include <random>\n#include <algorithm>\n"
KERNELS = """
struct P { float x, y; };
__device__ unsigned hash(unsigned k) { k ^= k >> 16; k *= 0x85ebca6bu; return k; }
__global__ void draw(int *a, int n) { int i = threadIdx.x; unsigned h = hash(i); a[i] = h % n; }
__global__ void near(int *a, int n) { int i = threadIdx.x; unsigned h = hash(i); a[i] = i + h % 16; }
__global__ void k(int *a, P *p) { a[0] = p[0].x; }
static void fill(int *a, int n) { for (int i = 0; i < n; i++) a[i] = rand() % n; }
static void make(int *a, int n) { fill(a, n); }
static unsigned next(unsigned *s) { *s = *s * 1664525u + 1013904223u; return *s; }
"""
MEMORY = "int *h = new int[n], *a; P *p = new P[n], *d; cudaMalloc(&a, n); cudaMalloc(&d, n);"
START = f"int n = 100000; unsigned s = 1; {MEMORY}"
COPY = "cudaMemcpy(a, h, 4 * n, cudaMemcpyHostToDevice); k<<<1, 32>>>(a, d);"


def random_arrays(body):
    text = f"{HEADERS}{KERNELS}int main() {{ {START} {body} }}"
    found = find_launches([parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit], None, None)
    return next(item.launch.random_arrays for item in found if item.kernel.endswith("k") or "@k#" in item.kernel)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) h[i] = rand() % n;",
        "for (int i = 0; i < n; i++) { int r = (int)(drand48() * n); h[i] = r; }",
        "for (int i = 0; i < n; i++) h[i] = next(&s) % n;",
        "for (int i = 0; i < n; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; h[i] = s % n; }",
        "std::mt19937 g(7); std::uniform_int_distribution<int> u(0, 9); for (int i = 0; i < n; i++) h[i] = u(g);",
        "for (int i = 0; i < n; i++) h[i] = i; for (int i = n - 1; i > 0; i--) std::swap(h[i], h[0]);"
        "for (int i = n - 1; i > 0; i--) { int j = rand() % i; int t = h[i]; h[i] = h[j]; h[j] = t; }",
        "fill(h, n);",
        "make(h, n);",
        "std::iota(h, h + n, 0); std::shuffle(h, h + n, std::mt19937(3));",
    ],
)
def test_random(body):
    assert random_arrays(body + COPY) == ("a",)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) h[i] = i;",
        "for (int i = 0; i < n; i++) h[i] = i + rand() % 16;",
        "int size = 4; size = size * 1024; for (int i = 0; i < n; i++) h[i] = i % size;",
        "for (int i = 0; i < n; i++) h[i] = rand() % n; std::sort(h, h + n);",
    ],
)
def test_in_order(body):
    assert random_arrays(body + COPY) == ()


def test_of_a_structure_and_by_a_kernel():
    body = "for (int i = 0; i < n; i++) p[i].x = rand() / (float)RAND_MAX;"
    copy = "cudaMemcpy(d, p, 8 * n, cudaMemcpyHostToDevice);"
    assert random_arrays(body + copy + "k<<<1, 32>>>(a, d);") == ("p",)
    assert random_arrays("draw<<<1, 32>>>(a, n); k<<<1, 32>>>(a, d);") == ("a",)
    assert random_arrays("near<<<1, 32>>>(a, n); k<<<1, 32>>>(a, d);") == ()
