"""Registers of kernels against those that ``nvcc -cubin -arch=sm_80 -Xptxas=-v`` (13.0.88) allocates, and for sm_86."""

import pytest

from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import read
from analyzer.registers.prediction import predicted_registers
from analyzer.source import Language, SourceFile

FREE = (32, 40)  # registers with which all threads of a multiprocessor are resident: 2048 of sm_80, 1536 of sm_86
I = "int i = blockIdx.x * blockDim.x + threadIdx.x; "
ABSTRACT = "struct Abstract { __device__ virtual int f(int) = 0; }; "
COMPILED = {
    "scale": ("int n, float *x", I + "if (i < n) x[i] = 2 * x[i] + 1;", 8, 8),
    "add": ("const float *a, const float *b, float *c, int n", I + "if (i < n) c[i] = a[i] + b[i];", 12, 12),
    "product": (
        "const float *a, const float *b, float *c, int n",
        "int j = blockIdx.y * blockDim.y + threadIdx.y; " + I + "float s = 0;"
        "for (int k = 0; k < n; k++) s += a[j * n + k] * b[k * n + i]; c[j * n + i] = s;",
        32,
        40,
    ),
    "sums in registers": (
        "const double *a, double *c, int n",
        I + "double s[24]; for (int j = 0; j < 24; j++) s[j] = 0;"
        "for (int k = 0; k < n; k++) { double x = a[k * n + i]; for (int j = 0; j < 24; j++) s[j] = s[j] * x + j; }"
        "for (int j = 0; j < 24; j++) c[j * n + i] = s[j];",
        64,
        64,
    ),
    "a call": ("float *x", 'if (x[threadIdx.x] > 3) printf("%f", x[0]);', 24, 24),
    "a division of doubles": ("const double *a, double *c", I + "c[i] = a[i] / c[i];", 25, 26),
    "a selection in an unrolled loop": (
        "const float *a, const float *b, float *c, int n",
        I + "float m = 0; for (int k = 0; k < n; k++) { float x = a[k] + b[i * n + k]; if (x > m) m = x; } c[i] = m;",
        30,
        37,
    ),
    "loads that pass stores to another array": (
        "const int *__restrict__ a, float *__restrict__ c, float f, int n",
        I + "for (int j = 0; j < n; j++) c[i * n + j] = a[i * n + j] * f;",
        32,
        32,
    ),
    "addresses in branches": (
        "float *x, int n, int m",
        I + "if (i < n) x[i] = x[n - i]; else if (i < m) x[i] = x[m - i]; else if (i < n + m) x[i] = x[n + m - i];"
        "else if (i < n * m) x[i] = x[n * m - i]; else if (i < 4 * n) x[i] = x[4 * n - i];"
        "else if (i < 5 * m) x[i] = x[5 * m + 3 * i];",
        9,
        9,
    ),
    "arrays in shared memory": (
        "const float *a, float *c",
        "__shared__ float s[256], t[256], u[256], v[256]; int j = threadIdx.x; " + I + "s[j] = a[i]; t[j] = s[j] * 2;"
        "u[j] = t[j] * s[j]; v[j] = u[j] + t[j]; __syncthreads(); j = 255 - j; c[i] = s[j] + t[j] + u[j] + v[j];",
        16,
        16,
    ),
    "a share of a range": (
        "const float *a, float *c, int n",
        I + "for (int k = i; k < n; k += blockDim.x * gridDim.x) c[k] = a[k] * 2;",
        12,
        12,
    ),
    "a share of a range in signed steps, which is unrolled": (
        "float *__restrict__ a, const float *__restrict__ b, int n",
        I + "int s = blockDim.x * gridDim.x; for (int k = i; k < n; k += s) a[k] *= b[k];",
        24,
        24,
    ),
    "a share of a range with an unsigned end": (
        "float *__restrict__ a, const float *__restrict__ b, size_t n",
        I + "int s = blockDim.x * gridDim.x; for (int k = i; k < n; k += s) a[k] *= b[k];",
        12,
        12,
    ),
    "an int up to an unsigned end": (
        "float *__restrict__ a, const float *__restrict__ b, size_t n",
        I + "for (int k = i; k < n; k++) a[k] *= b[k];",
        12,
        12,
    ),
    "a method that may be of any class": (
        "Abstract *p, int *o",
        "o[threadIdx.x] = p->f(3);",
        24,
        24,
    ),
    "a remainder by a number": ("int *x, int n", I + "x[i] = (x[i] ^ n) * 26822093 % 1024;", 8, 8),
    "addresses in flight": (
        "const double *a, double *c, int n",
        I + "c[i] = a[i]; c[i + n] = a[i + n] * 2; c[i + 2 * n] = a[i + 2 * n] * 3;",
        20,
        20,
    ),
}


def predicted(text):
    parsed = read(SourceFile("x.cu", text, Language.CUDA), ParseOptions(), "clang")
    (kernel,) = lower_unit(parsed.unit, LowerOptions()).regions
    return predicted_registers(kernel, FREE)


@pytest.mark.parametrize("name", COMPILED)
def test_registers_are_those_of_the_compiler(name):
    parameters, body, *registers = COMPILED[name]
    found = predicted(f"{ABSTRACT}__global__ void k({parameters}) {{ {body} }}")
    for free, allocated in zip(FREE, registers, strict=True):
        assert abs(found[free].likely - allocated) <= 0.15 * allocated
        assert found[free].least <= allocated <= found[free].most


def test_a_search_by_halves_is_not_unrolled():
    halves = "while (high - low > 1) { unsigned m = low + (high - low) / 2; if (z < v[m]) high = m; else low = m; }"
    body = f"{I} float z = y[i]; unsigned low = 0, high = n; {halves} y[i] = low;"
    found = predicted(f"__global__ void k(const float *v, float *y, int n) {{ {body} }}")
    assert found[40].least <= 12 <= found[40].likely < 20  # 12 by nvcc, for sm_80 and sm_86


def test_products_of_matrices_are_not_predicted():
    multiply = "wmma::fragment<wmma::accumulator, 16, 16, 16, float> c; wmma::mma_sync(c, a, b, c);"
    factors = "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;"
    factors += "wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;"
    assert predicted(f"#include <mma.h>\nusing namespace nvcuda; __global__ void k() {{ {factors} {multiply} }}") == {}
