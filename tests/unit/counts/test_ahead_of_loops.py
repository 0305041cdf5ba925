"""What leaves loops that conditions are in: FLOPs of 8 threads by machine code of nvcc 13.0.88 for sm_86, which ran."""

import pytest

from analyzer.counts.policy import load_policy
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region
from tests.oracle.drawn_cuda import Drawn
from tests.oracle.sass.drawn_counts import THREADS, Counted, predicted, region_of

KERNEL = """extern "C" __global__ void k(const T *__restrict__ a, T *__restrict__ o) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 16, n = i / 16;
  T x = a[i], y = a[i + 1], z = a[i + 2], w = a[i + 3];
  for (int k = 0; k < 4 + n; k++) BODY
  o[i + 15] = z;
}
"""
EXACT = {
    # the product of three is computed before the loop, although no thread takes the branch
    "if (k > n + 100) o[i + k] = (x * y + z) * w * a[i + k];": 24,
    "if (n > 100) o[i + k] = (x * y + z) * w * a[i + k];": 24,
    "for (int m = 0; m < 3 + n; m++) if (m > n + 100) o[i + k] = (x * y + z) * w * a[i + k];": 24,
    "if (k > n + 100) o[i + k] = x / y * a[i + k];": 80,
    "{ T e = a[i + k]; if (n > 100) e = e * x + y * w; z += e; }": 68,
    "{ T e = a[i + k]; if (n > 100) e = (e * x + y) * e * e; z += e; }": 240,
}
BETWEEN = {
    # functions stay where they are written
    ("float", "if (k > n + 100) o[i + k] = logf(x) * a[i + k];"): 8,
    ("float", "if (n > 100) o[i + k] = expf(x) * a[i + k];"): 0,
    ("float", "if (a[i + k] > 100) o[i + k] = (x * y + z) * w * a[i + k];"): 24,
    ("float", "o[i + k] = sinf(x) * a[i + k];"): 762,
    ("float", "o[i + k] = tgammaf(x) * a[i + k];"): 2970,
    ("float", "o[i + k] = remainderf(x, y) * a[i + k];"): 305,
    ("double", "o[i + k] = sin(x) * a[i + k];"): 1434,
    ("double", "o[i + k] = tanh(x) * a[i + k];"): 1989,
}
UNIFORM = """__global__ void k(const float *__restrict__ a, float *__restrict__ o, float s, int n, int d) {
  for (int i = threadIdx.x; i < n; i += 32) {
    float e = a[i];
    if (d > 30) e = (s * s + d) * a[i];
    o[i] = e;
  }
}
"""


def counted(body: str, element: str) -> Counted:
    text = KERNEL.replace("BODY", body).replace("T ", f"{element} ")
    found = predicted(Drawn("k", text, element), load_policy("nvcc-sm_86"))
    return found["fp64" if element == "double" else "fp32"]


@pytest.mark.parametrize("body", EXACT)
def test_arithmetic_is_computed_ahead_of_conditions(body):
    found = counted(body, "float")
    assert found.least == found.estimate == found.most == EXACT[body]


@pytest.mark.parametrize(("element", "body"), BETWEEN)
def test_functions_may_stay_in_loops(element, body):
    found = counted(body, element)
    assert found.least <= BETWEEN[element, body] <= found.most


def test_a_loop_may_be_two_by_a_condition_that_it_does_not_change():
    work = profile_region(region_of(UNIFORM, "k", THREADS), ProfileOptions(policy=load_policy("nvcc-sm_86"))).work
    sizes = {"n": 3200, "d": 10}
    assert work.flops.lower.evaluate(sizes) == 0  # nvcc: the sum is in the branch that `d > 30` takes
    assert work.flops.upper.evaluate(sizes) > 0
