"""Bytes of references that random numbers choose, on an H100 (64 bytes from memory at a time, L2 of 50 MB)."""

import json

import pytest

from roofline.estimation import estimate

N = 1 << 22
PROGRAM = """#include <cstdlib>
__global__ void k(float *y, float *x, const int *idx, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { BODY }
}
int main() {
  int n = 1 << 22; size_t m = ENTRIES; float *x, *y; int *d, *h = (int *)malloc(4 * n);
  for (int i = 0; i < n; i++) h[i] = VALUE;
  cudaMalloc(&x, 4 * m); cudaMalloc(&y, 4 * n); cudaMalloc(&d, 4 * n);
  cudaMemcpy(d, h, 4 * n, cudaMemcpyHostToDevice);
  k<<<n / 256, 256>>>(y, x, d, n);
}
"""


def bytes_moved(tmp_path, body, entries, value="rand() % m"):
    source = tmp_path / "x.cu"
    source.write_text(PROGRAM.replace("BODY", body).replace("ENTRIES", entries).replace("VALUE", value))
    (region,) = json.loads(estimate(source, "h100-sxm").to_json())["files"][0]["regions"]
    levels = {each["level"]: each for each in region["caches"][0]["levels"]}
    return {name: [each[kind]["value"] / N for kind in ("read_bytes", "write_bytes")] for name, each in levels.items()}


def test_each_gather_from_a_large_table_brings_what_memory_sends(tmp_path):
    found = bytes_moved(tmp_path, "y[i] = x[idx[i]];", "1 << 28")  # 1 GiB, of which L2 holds 2 %
    assert found["L2"] == pytest.approx([4 + 32, 4], rel=0.01)
    assert found["DRAM"] == pytest.approx([4 + 64, 4], rel=0.03)


def test_a_table_that_fits_is_read_once(tmp_path):
    found = bytes_moved(tmp_path, "y[i] = x[idx[i]];", "1 << 18")  # 1 MiB, a quarter of a byte for each gather
    assert found["DRAM"][0] == pytest.approx(4 + 0.25, rel=0.01)
    assert found["L2"][0] > 30
    assert bytes_moved(tmp_path, "y[i] = x[idx[i]];", "1 << 10")["L2"][0] == pytest.approx(4, rel=0.05)  # 4 KiB, in L1


def test_atomic_updates_are_made_by_the_last_cache(tmp_path):
    found = bytes_moved(tmp_path, "atomicAdd(&x[idx[i]], 1.0f);", "1 << 28")
    assert found["L1"] == pytest.approx([4, 32], rel=0.01)
    assert found["L2"] == pytest.approx([4, 32], rel=0.01)
    assert found["DRAM"] == pytest.approx([4 + 64, 32], rel=0.06)


def test_updates_side_by_side_choose_one_line(tmp_path):
    body = "atomicAdd(&x[idx[i]], 1.0f); atomicAdd(&x[idx[i] + 1], 1.0f);"
    assert bytes_moved(tmp_path, body, "1 << 28")["DRAM"][0] == pytest.approx(4 + 64 * (1 + 1 / 16), rel=0.06)


def test_an_index_that_is_computed_from_a_random_number_is_random(tmp_path):
    found = bytes_moved(tmp_path, "int c = (int)(idx[i] * 0.5f); y[i] = x[c];", "1 << 28")
    assert found["DRAM"] == pytest.approx([4 + 64, 4], rel=0.03)


def test_neighbours_stay_neighbours(tmp_path):
    found = bytes_moved(tmp_path, "y[i] = x[idx[i]];", "1 << 28", value="i + rand() % 16")
    assert found["DRAM"][0] < 10
