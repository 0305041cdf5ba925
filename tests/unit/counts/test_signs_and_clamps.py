"""FLOPs of 8 threads against machine code of nvcc 13.0.88 for sm_86, run by an interpreter (``tests/oracle/sass``)."""

import pytest

from analyzer.counts.policy import load_policy
from tests.oracle.drawn_cuda import Drawn
from tests.oracle.sass.drawn_counts import predicted

KERNEL = """extern "C" __global__ void k(const T *__restrict__ a, T *__restrict__ o) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 16, n = i / 16;
  T x = a[i], y = a[i + 1], z = a[i + 2], w = a[i + 3];
  BODY
}
"""
T = "float t = x * 0.5f; "
MACHINE_CODE = {
    # the sign of a product with a literal is that of the literal
    T + "o[i] = -t;": 8,
    "o[i] = -((x + y) * 3.0f);": 16,
    "o[i] = -(x / 3.0f);": 80,
    "o[i] = -(0.5f / x);": 80,
    "o[i] = -(y * 0.5f * x);": 16,
    T + "float u = -t; o[i] = u * y; o[i + 1] = u * w;": 24,
    T + "float u = -t; o[i] = u * y; o[i + 1] = u * w; o[i + 2] = t;": 32,
    T + "o[i] = z - t; o[i + 1] = -t * y + w; o[i + 2] = t;": 32,
    T + "if (n < 2) o[i] = -t; else o[i] = y;": 2,
    "if (n < 2) o[i] = -(7.0f * x); else o[i] = x * x; o[i + 1] = x * x;": 10,
    "float t = (x * (y - x)) * 2.0f; o[i] = (y * t) * -z;": 40,
    # twice a product is an operation fused with it, which stays, where few additions use it besides
    "float t = (x + y) * w; o[i] = t * 2.0f; o[i + 1] = z + t;": 40,
    "float t = (x + y) * w; o[i] = t * 2.0f * (x * w); o[i + 1] = t + w; o[i + 2] = z + t;": 64,
    "float t = (x + y) * w; o[i] = t * 2.0f * (x * w); o[i + 1] = t + z; o[i + 2] = t + x; o[i + 3] = t + y;": 64,
    "float t = (x + y) * w; o[i] = t * 2.0f + y; o[i + 1] = z + t;": 40,
    # a negative that several read is one value
    "float t = -(x * y); o[i] = t * z; o[i + 1] = t * w;": 24,
    "float t = -x * y; o[i] = t * z; o[i + 1] = t;": 24,
    "float t = -(x * y); o[i] = t * z; o[i + 1] = t + w;": 32,
    "float t = -(x * y); o[i] = t * z; o[i + 1] = t + w; o[i + 2] = t - z;": 32,
    "float t = -(x * y); o[i] = (t + t) * t; o[i + 1] = t + w; o[i + 2] = 2 - t;": 40,
    "float t = -(x * y); o[i] = t * 4; o[i + 1] = t * z;": 32,
    "float t = -x; o[i] = t * 4 + y; o[i + 1] = t * z;": 32,
    "o[i] = fminf(-(x * y), z);": 8,
    "o[i] = fmaxf(-(x * y), z * w);": 16,
    # a sign that is taken by bits
    "o[i] = copysignf(x, -y);": 8,
    "o[i] = copysignf(x, -(y * z));": 16,
    "o[i] = copysignf(x, -(y * 0.5f));": 8,
    # clamps to one number
    "o[i] = fminf(fmaxf(x * w, 3.0f), 3.0f) + z;": 8,
    "o[i] = fmaxf(fminf(x * w, 3.0f), 3.0f) + z;": 8,
    "o[i] = fmaxf(fminf(x * w, 3.0f), 4.0f) + z;": 16,
    "o[i] = fminf(fmaxf(x * w, y), y) + z;": 16,
    # ends of branches
    "if (n < 2) o[i] = -x + -y; else o[i] = z + w;": 8,
    "if (n < 2) o[i] = x * y - -w; else o[i] = z - w;": 10,
    "if (n < 2) o[i] = (x * y) * (x * y); else o[i] = z * 7.0f; o[i + 1] = z - .5f;": 18,
    "if (n < 2) o[i] = (x + y) * (x * z); else o[i] = z * w; o[i + 1] = w * z;": 14,
    "if (n < 2) o[i] = (x * y) * (x * z); else o[i] = z + w; o[i + 1] = y * x;": 18,
}


def counted(body, element):
    text = KERNEL.replace("BODY", body).replace("T ", f"{element} ")
    (found,) = predicted(Drawn("k", text, element), load_policy("nvcc-sm_86")).values()
    assert found.least == found.estimate == found.most
    return found.estimate


@pytest.mark.parametrize("body", MACHINE_CODE)
def test_flops_are_those_of_the_machine_code(body):
    assert counted(body, "float") == MACHINE_CODE[body]


def test_a_choice_that_nothing_needs_is_not_counted():
    assert counted("float t = fabsf(w) * (y * 2.0f), u = z < 3.0f ? -t : x; o[i] = x + y;", "float") == 8


@pytest.mark.parametrize(("second", "flops"), [("__hadd2(x, y)", 16), ("__hadd2(y, x)", 32)])
def test_sums_of_halves_in_another_order_are_others(second, flops):
    assert counted(f"o[i] = __hadd2(x, y); o[i + 1] = {second};", "__half2") == flops
