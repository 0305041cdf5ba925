"""Calls of Thrust and CUB beside kernels: rows with their loops, by hand; what has no loop is named."""

import json

import pytest

from roofline import estimate

THRUST = """
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
struct Scaled { double by; __host__ __device__ double operator()(double a, double b) const { return a + by * b; } };
__global__ void scale(double *x) { x[blockIdx.x * 256 + threadIdx.x] *= 2; }
int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1 << 24;
  thrust::host_vector<double> h(n, 1.0);
  thrust::device_vector<double> x = h, y(n, 2.0);
  double *p = thrust::raw_pointer_cast(x.data());
  scale<<<n / 256, 256>>>(p);
  CALL;
}
"""
CUB = """
#include <cub/cub.cuh>
__global__ void scale(float *x) { x[blockIdx.x * 256 + threadIdx.x] *= 2; }
int main() {
  const int n = 1 << 24;
  float *x, *y; unsigned *keys, *sorted;
  cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4); cudaMalloc(&keys, n * 4); cudaMalloc(&sorted, n * 4);
  scale<<<n / 256, 256>>>(x);
  void *storage = nullptr;
  size_t bytes = 0;
  cub::CALL;
  cudaMalloc(&storage, bytes);
  cub::CALL;
}
"""
N = 1 << 24


def library_rows(tmp_path, text, call, **options):
    """FLOPs and whether they are exact, bytes of DRAM, and launches of each row but that of ``scale``; the codes."""
    path = tmp_path / "x.cu"
    path.write_text(text.replace("CALL", call))
    (file,) = json.loads(estimate(str(path), "a100", **options).to_json())["files"]
    rows = []
    for region in file["regions"]:
        if region["name"] != "scale":
            flops, memory = region["work"]["flops"], region["caches"][0]["levels"][-1]
            moved = memory["read_bytes"]["value"] + memory["write_bytes"]["value"]
            rows.append((flops["value"], flops["exactness"], moved))
    return rows, {note["code"] for note in file["diagnostics"]}


@pytest.mark.parametrize(
    ("call", "flops", "exactness", "moved"),
    [
        ("thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), Scaled{3.0})", 2 * N, "exact", 24 * N),
        ("thrust::reduce(x.begin(), x.end())", N, "lower", 8 * N),
        ("thrust::inner_product(x.begin(), x.end(), y.begin(), 0.0)", 2 * N, "lower", 16 * N),
        ("thrust::reduce(thrust::device, p, p + n)", N, "lower", 8 * N),
        ("for (int i = 0; i < 3; i++) thrust::fill(x.begin(), x.end(), i)", 0, "exact", 3 * 8 * N),
    ],
)
def test_a_call_of_thrust_on_the_device_is_a_kernel(tmp_path, call, flops, exactness, moved):
    rows, codes = library_rows(tmp_path, THRUST, call)
    assert rows == [(flops, exactness, pytest.approx(moved, rel=1e-3))]
    assert "AI201" not in codes


@pytest.mark.parametrize(
    "call",
    [
        "thrust::reduce(h.begin(), h.end())",
        "thrust::reduce(thrust::host, h.data(), h.data() + n)",
        "thrust::copy(x.begin(), x.end(), h.begin())",
    ],
)
def test_a_call_of_thrust_on_the_host_is_none(tmp_path, call):
    assert library_rows(tmp_path, THRUST, call) == ([], {"AI324"})


def test_a_call_without_a_loop_is_named_as_not_counted(tmp_path):
    assert library_rows(tmp_path, THRUST, "thrust::unique(x.begin(), x.end())") == ([], {"AI201", "AI324"})


def test_sizes_of_these_calls_are_those_of_the_command_line(tmp_path):
    rows, codes = library_rows(tmp_path, THRUST, "thrust::reduce(x.begin(), x.end())", program_arguments=("1048576",))
    assert rows == [(1 << 20, "lower", 8 << 20)]
    assert codes == set()


@pytest.mark.parametrize(
    ("call", "flops", "moved"),
    [
        ("DeviceReduce::Sum(storage, bytes, x, y, n)", (N, "lower"), 4 * N),
        ("DeviceReduce::Max(storage, bytes, x, y, n, 0)", (0, "unknown"), 4 * N),
        ("DeviceScan::ExclusiveSum(storage, bytes, x, y, n)", (N, "lower"), 8 * N),
    ],
)
def test_the_second_call_of_cub_is_a_kernel_and_the_first_asks_for_storage(tmp_path, call, flops, moved):
    rows, codes = library_rows(tmp_path, CUB, call)
    assert rows == [(*flops, pytest.approx(moved, rel=1e-3))]
    assert codes == set()


@pytest.mark.parametrize(
    ("call", "of_pass"),
    [
        ("DeviceRadixSort::SortKeys(storage, bytes, keys, sorted, n)", 8),
        ("DeviceRadixSort::SortPairs(storage, bytes, keys, sorted, x, y, n, 0, 32)", 16),
    ],
)
def test_a_radix_sort_counts_its_digits_once_and_moves_all_keys_for_each_of_four(tmp_path, call, of_pass):
    rows, codes = library_rows(tmp_path, CUB, call)
    assert [moved for _, _, moved in rows] == pytest.approx([4 * N, 4 * of_pass * N], rel=1e-3)
    assert codes == set()


def test_iterators_that_are_no_pointers_are_named_as_not_counted(tmp_path):
    call = "DeviceReduce::Sum(storage, bytes, cub::CountingInputIterator<float>(0), y, n)"
    assert library_rows(tmp_path, CUB, call) == ([], {"AI201"})
