"""Kernels on memory of the host are bound by the link: 16 lanes of 8 GT/s carry 15.754 GB/s in each direction."""

from __future__ import annotations

import pytest

from roofline.estimation import estimate, source_text
from roofline.model.intensity import value_of
from roofline.model.projection import Bound
from roofline.options import EstimateOptions

NUMBER = 1 << 20
LINK = 15.754e9


def projected(allocation: str, arguments: str = "h, d", machine: str = "v100", times: int = 1):
    text = f"""
    __global__ void scale(const float *in, float *out) {{ int i = 256*blockIdx.x + threadIdx.x; out[i] = 2*in[i]; }}
    int main() {{
      float *h, *d, *v;
      size_t bytes = {NUMBER}*sizeof(float);
      cudaMalloc((void **)&d, bytes);
      {allocation}
      for (int t = 0; t < {times}; t++) scale<<<{NUMBER // 256}, 256>>>({arguments});
    }}"""
    (region,) = estimate(source_text(text, "scale.cu"), machine, EstimateOptions()).regions
    return region, region.projections[0]


@pytest.mark.parametrize(
    ("allocation", "arguments"),
    [
        ("cudaMallocHost((void **)&h, bytes);", "h, d"),
        ("cudaMallocHost(&h, bytes);", "d, h"),
        ("cudaHostAlloc(&h, bytes, cudaHostAllocMapped);", "h, d"),
        ("cudaHostAlloc(&v, bytes, cudaHostAllocMapped); cudaHostGetDevicePointer(&h, v, 0);", "h, d"),
    ],
)
def test_pinned_memory_is_read_over_the_link(allocation: str, arguments: str):
    region, found = projected(allocation, arguments)
    assert (found.bound, found.level) == (Bound.MEMORY, "host")
    assert found.time.value == pytest.approx(4 * NUMBER / LINK)
    assert [advice.code for advice in region.advice] == ["AI409"]


def test_both_directions_move_at_the_same_time():
    _, found = projected("cudaMallocHost(&h, bytes); cudaMallocHost(&v, bytes);", "h, v")
    assert found.time.value == pytest.approx(4 * NUMBER / LINK)


def test_managed_memory_moves_at_most_once():
    """It may be on the GPU already, so that the least time is that of the GPU's own memory."""
    _, found = projected("cudaMallocManaged(&h, bytes);")
    _, own = projected("cudaMalloc(&h, bytes);")
    assert (found.level, own.level) == ("host", "DRAM")
    assert found.attainable_range[1].value == pytest.approx(own.attainable_range[1].value)
    assert found.attainable.value == pytest.approx(LINK / 4)
    assert found.time == own.time


def test_managed_memory_stays_where_a_series_of_launches_uses_it():
    _, often = projected("cudaMallocManaged(&h, bytes);", times=10)
    of_link = {level.level: level.bytes for level in often.levels}["host"]
    assert [value_of(count, {}) for count in (of_link.estimate, of_link.lower, of_link.upper)] == [
        4 * NUMBER,
        0,
        10 * 4 * NUMBER,
    ]
    assert NUMBER * 10 / often.attainable.value == pytest.approx(4 * NUMBER / LINK)


def test_managed_memory_that_a_kernel_only_writes_is_made_on_the_gpu():
    """No page of it is anywhere before; nothing comes over the link."""
    _, found = projected("cudaMallocManaged(&h, bytes);", "d, h")
    assert found.level == "DRAM"
    assert "host" not in {level.level for level in found.levels}


def test_each_of_several_launches_reads_pinned_memory_anew():
    _, found = projected("cudaMallocHost(&h, bytes);", times=10)
    assert found.time.value == pytest.approx(10 * 4 * NUMBER / LINK)


def test_a_copy_in_device_memory_is_not_over_the_link():
    allocation = "cudaMallocHost(&h, bytes); cudaMalloc(&v, bytes); cudaMemcpy(v, h, bytes, cudaMemcpyHostToDevice);"
    _, found = projected(allocation, "v, d")
    assert found.level == "DRAM"
    assert "host" not in {level.level for level in found.levels}


def test_the_link_is_that_of_the_machine():
    _, found = projected("cudaMallocHost(&h, bytes);", machine="gh200")
    assert found.level == "LPDDR"
