"""Rows of sparse matrices whose lengths data say, in kernels whose host code allocates all of them together."""

import json

import pytest

from roofline.estimation import estimate

ROWS = 1 << 16
PROGRAM = """#include <cuda_runtime.h>
struct Csr { int n; const int *ptr, *col; const double *val; };
__global__ void by_thread(Csr a, const double *x, double *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < a.n) { double s = 0; for (int k = a.ptr[r]; k < a.ptr[r + 1]; k++) s += a.val[k] * x[a.col[k]]; y[r] = s; }
}
__global__ void by_warp(Csr a, const double *x, double *y) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, r = t / 32;
  if (r < a.n) { double s = 0; for (int k = a.ptr[r] + t % 32; k < a.ptr[r + 1]; k += 32) s += a.val[k]; y[t] = s; }
}
__global__ void other(Csr a, const int *start, double *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < a.n) for (int k = start[0]; k < a.ptr[r + 1]; k++) y[k] = 0;
}
int main() {
  Csr a; a.n = 1 << 16; int *p, *c; double *v, *x, *y;
  cudaMalloc(&p, (a.n + 1) * 4); cudaMalloc(&c, a.n * 40 * 4); cudaMalloc(&v, a.n * 40 * 8);
  cudaMalloc(&x, a.n * 8); cudaMalloc(&y, a.n * 32 * 8);
  a.ptr = p; a.col = c; a.val = v;
  by_thread<<<a.n / 256, 256>>>(a, x, y);
  by_warp<<<a.n / 8, 256>>>(a, x, y);
  other<<<a.n / 256, 256>>>(a, c, y);
}
"""


@pytest.fixture(scope="module")
def regions(tmp_path_factory):
    source = tmp_path_factory.mktemp("rows") / "x.cu"
    source.write_text(PROGRAM)
    report = json.loads(estimate(source, "a100").to_json())
    return {region["name"]: region for region in report["files"][0]["regions"] if region["kind"] == "kernel"}


@pytest.mark.parametrize(("name", "flops"), [("by_thread", 2 * 40 * ROWS), ("by_warp", 40 * ROWS)])
def test_rows_have_what_was_allocated_on_average_and_at_most(regions, name, flops):
    found = regions[name]["work"]["flops"]
    assert (found["lower"], found["value"], found["upper"]) == (0, flops, flops)
    assert [note["code"] for note in regions[name]["assumptions"]].count("AI326") == 1
    levels = {each["level"]: each["read_bytes"] for each in regions[name]["caches"][0]["levels"]}
    assert levels["DRAM"]["lower"] == 0
    assert levels["DRAM"]["value"] > 0.85 * 8 * 40 * ROWS  # of a warp: a mix of rows of 32 and 64 elements


def test_other_loops_have_their_symbol(regions):
    assert regions["other"]["work"]["flops"]["value"] == 0
    assert regions["other"]["references"]["stores"]["bytes"]["value"] is None
