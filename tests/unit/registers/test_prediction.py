"""Registers of kernels against those that ``nvcc -cubin -arch=sm_80 -Xptxas=-v`` (13.0.88) allocates."""

import pytest

from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import read
from analyzer.registers.prediction import predicted_registers
from analyzer.source import Language, SourceFile

I = "int i = blockIdx.x * blockDim.x + threadIdx.x; "
COMPILED = {
    "scale": ("int n, float *x", I + "if (i < n) x[i] = 2 * x[i] + 1;", 8),
    "add": ("const float *a, const float *b, float *c, int n", I + "if (i < n) c[i] = a[i] + b[i];", 12),
    "product": (
        "const float *a, const float *b, float *c, int n",
        "int j = blockIdx.y * blockDim.y + threadIdx.y; " + I + "float s = 0;"
        "for (int k = 0; k < n; k++) s += a[j * n + k] * b[k * n + i]; c[j * n + i] = s;",
        32,
    ),
    "sums in registers": (
        "const double *a, double *c, int n",
        I + "double s[24]; for (int j = 0; j < 24; j++) s[j] = 0;"
        "for (int k = 0; k < n; k++) { double x = a[k * n + i]; for (int j = 0; j < 24; j++) s[j] = s[j] * x + j; }"
        "for (int j = 0; j < 24; j++) c[j * n + i] = s[j];",
        64,
    ),
    "a call": ("float *x", 'if (x[threadIdx.x] > 3) printf("%f", x[0]);', 24),
    "a division of doubles": ("const double *a, double *c", I + "c[i] = a[i] / c[i];", 25),
}


def predicted(text):
    parsed = read(SourceFile("x.cu", text, Language.CUDA), ParseOptions(), "clang")
    (kernel,) = lower_unit(parsed.unit, LowerOptions()).regions
    return predicted_registers(kernel)


@pytest.mark.parametrize("name", COMPILED)
def test_registers_are_those_of_the_compiler(name):
    parameters, body, registers = COMPILED[name]
    found = predicted(f"__global__ void k({parameters}) {{ {body} }}")
    assert abs(found.likely - registers) <= 0.15 * registers
    assert found.least <= registers <= found.most


def test_products_of_matrices_are_not_predicted():
    multiply = "wmma::fragment<wmma::accumulator, 16, 16, 16, float> c; wmma::mma_sync(c, a, b, c);"
    factors = "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;"
    factors += "wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;"
    assert (
        predicted(f"#include <mma.h>\nusing namespace nvcuda; __global__ void k() {{ {factors} {multiply} }}") is None
    )
