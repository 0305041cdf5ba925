"""Numbers that only a launch tells are no literals in machine code; arrays that host code fills have known elements.

Truth: ``nvcc -arch=sm_80 -cubin`` and nvdisasm (5 FFMA for a quotient, 2 FFMA and an FADD for a reciprocal), and the
number of threads and iterations by hand.
"""

import pytest

from analyzer.counts.policy import load_policy
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region
from analyzer.source import Language, SourceFile

HEADERS = "#include <cstdlib>\n#include <cstring>\n#include <vector>\n"


def lowered(kernel, main):
    text = HEADERS + kernel + "\nint main(int argc, char **argv) { " + main + " }"
    parsed = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions())
    assert parsed.diagnostics == ()
    launches, _ = launches_of(parsed.unit, (), ("64", "8"))
    regions = lower_unit(parsed.unit, LowerOptions(launches=launches)).regions
    return next(region for region in regions if region.name == "k")


def flops(region, policy):
    profile = profile_region(region, ProfileOptions(policy=load_policy(policy)))
    count = profile.work.flops
    known = profile.values.keys() >= count.estimate.symbols
    return count.estimate.evaluate(profile.values) if known and count.is_exact else None


@pytest.mark.parametrize(
    ("value", "written", "machine"),
    [
        ("x[t] / blockDim.x", 1, 10),
        ("x[t] * (1.f / gridDim.x)", 2, 6),
        ("x[t] / 32.f", 1, 1),  # a literal: times 0.03125
        ("x[t] * (1.f / warpSize)", 2, 1),  # which is known to be 32
    ],
)
def test_extents_of_a_launch_are_no_literals(value, written, machine):
    kernel = f"__global__ void k(float *y, const float *x) {{ int t = threadIdx.x; y[t] = {value}; }}"
    region = lowered(kernel, "k<<<1, 32>>>(0, 0);")
    assert (flops(region, "source"), flops(region, "nvidia-sass")) == (32 * written, 32 * machine)


def test_numbers_computed_of_extents_are_no_literals_either():
    kernel = "__global__ void k(float *y) { int n = blockDim.x * gridDim.x; float h = 1.f / n; y[threadIdx.x] *= h; }"
    assert flops(lowered(kernel, "k<<<4, 32>>>(0);"), "nvidia-sass") == 128 * 6


def test_extents_decide_loops_and_branches():
    kernel = """__global__ void k(float *y) {
      int steps = (int)(100.f / blockDim.x);
      if (blockDim.x >= 32) for (int i = 0; i < steps; i++) y[threadIdx.x] += 2.f;
    }"""
    assert flops(lowered(kernel, "k<<<1, 32>>>(0);"), "source") == 32 * (1 + 3)  # 100 / 32 is 3.125


SUMS = """__global__ void k(float *y, const float *x, const int *p) {
  int b = blockIdx.x;
  for (int i = 0; i < BOUND; i++) y[b] += x[i];
}
void fill(int *h, int n) { for (int i = 0; i < n; i++) h[i] = rand(); }
__global__ void other(int *p) { p[threadIdx.x] = 3; }
"""
FILLED = "for (int i = 0; i < n; i++) h[i] = VALUE; "
COPIED = "int *d; cudaMalloc(&d, n * sizeof(int)); cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice); "
START = "int m = atoi(argv[1]), n = 4000; int *h = (int *)malloc(n * sizeof(int)); "


def of_rows(main, bound="p[b]", value="m", blocks="n"):
    text = (START + main).replace("VALUE", value) + f"k<<<{blocks}, 1>>>(0, 0, d);"
    return flops(lowered(SUMS.replace("BOUND", bound), text), "source")


@pytest.mark.parametrize(
    ("main", "bound", "value", "blocks", "expected"),
    [
        (FILLED + COPIED, "p[b]", "m", "n", 4000 * 64),
        (FILLED + COPIED, "p[b + 1] - p[b]", "3 * i", "n - 1", 3999 * 3),
        (FILLED + COPIED, "p[b]", "i", "n", 4000 * 3999 // 2),
        (FILLED + "int *d; cudaMallocManaged(&d, 4); d = h; ", "p[b]", "m + 1", "n", 4000 * 65),
        ("std::vector<int> v(n, m); int *h2 = v.data(); int *d = h2; ", "p[b]", "", "n", 4000 * 64),
        ("int *d; cudaMalloc(&d, n * 4); cudaMemset(d, 0, n * 4); ", "p[b]", "", "n", 0),
    ],
)
def test_elements_that_host_code_sets_by_a_closed_form(main, bound, value, blocks, expected):
    assert of_rows(main, bound, value, blocks) == expected


@pytest.mark.parametrize(
    "main",
    [
        "for (int i = 0; i < n; i++) h[i] = rand() % m; " + COPIED,
        "for (int i = 0; i < n - 1; i++) h[i] = m; " + COPIED,
        "for (int i = 1; i < n; i++) h[i] = m; " + COPIED,
        "for (int i = 0; i < n; i += 2) h[i] = m; " + COPIED,
        FILLED + "h[atoi(argv[2])] = 7; " + COPIED,
        FILLED + "h[rand() % n] = 7; " + COPIED,
        FILLED + "fill(h, n); " + COPIED,
        FILLED + "memset(h, 0, n); " + COPIED,
        FILLED + "if (rand()) h[3] = 9; " + COPIED,
        FILLED + COPIED + "other<<<1, 32>>>(d); ",
        FILLED + COPIED + "cudaMemset(d, 0, 64); ",
        FILLED + "int *d; cudaMalloc(&d, n * 8); cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice); ",
        FILLED + "int **q = (int **)malloc(8 * m); q[rand()][5] = 1; " + COPIED,
    ],
)
def test_elements_of_which_some_may_be_others_are_data(main):
    assert of_rows(main) is None
