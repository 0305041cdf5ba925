"""HIP on AMD's GPUs, by hand: wavefronts of 64, four SIMDs a CU, 64 KiB of LDS apart from L1, 512 registers a lane."""

import pytest

from analyzer.ir.nodes import MemorySpace
from roofline import estimate, source_text
from roofline.catalog import find_machine
from roofline.model.hierarchies import hierarchy_of

GROUPS = 1 << 14


def kernel(body, launch, machine, **options):
    text = f"""#include <hip/hip_runtime.h>
    __global__ void k(float *a, const float *b, int n) {{ {body} }}
    int main() {{
      float *a, *b; hipMalloc(&a, 1 << 28); hipMalloc(&b, 1 << 28);
      {launch}; hipDeviceSynchronize();
    }}"""
    (region,) = estimate(source_text(text, "k.hip"), machine, **options).regions
    return region.projections[0]


GGL = f"hipLaunchKernelGGL(k, dim3({GROUPS}), dim3(256), 0, 0, a, b, {GROUPS * 256})"
CHEVRONS = f"k<<<{GROUPS}, 256>>>(a, b, {GROUPS * 256})"
COPY = "int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x; a[i] = 2 * b[i];"


@pytest.mark.parametrize("launch", [GGL, CHEVRONS])
def test_both_ways_to_launch_are_the_same(launch):
    """4 wavefronts a group; 8 a SIMD are 32 a CU, 8 groups.  64 floats are two sectors of 128 bytes."""
    found = kernel(COPY, launch, "mi300x")
    assert found.traffic.occupancy.warps_per_unit == 32
    assert found.traffic.occupancy.blocks_per_unit == 8
    assert float(found.traffic.occupancy.waves) == GROUPS / (8 * 304)
    for request in found.traffic.requests:
        assert request.requests == GROUPS * 4
        assert request.sectors_per_request == 2
    assert found.expected.least.value <= found.expected.time.value <= found.expected.most.value


@pytest.mark.parametrize(("floats", "groups"), [(4096, 4), (8192, 2), (12288, 1)])
def test_lds_limits_the_groups_of_a_cu(floats, groups):
    body = f"__shared__ float s[{floats}]; s[threadIdx.x] = b[threadIdx.x]; a[threadIdx.x] = s[255 - threadIdx.x];"
    found = kernel(body, CHEVRONS, "mi250x").traffic.occupancy
    assert (found.blocks_per_unit, found.limit) == (groups, "shared memory")


@pytest.mark.parametrize(("machine", "waves"), [("mi100", 40), ("mi210", 32), ("mi250x", 32), ("mi300x", 32)])
def test_waves_of_a_cu(machine, waves):
    assert kernel(COPY, CHEVRONS, machine).traffic.occupancy.warps_per_unit == waves


def test_lds_has_32_banks_for_64_lanes():
    """Words in order take two passes of 32 banks, every other word four."""
    for step, passes in ((1, 2), (2, 4)):
        body = "__shared__ float s[512]; s[threadIdx.x] = b[threadIdx.x]; __syncthreads();"
        body += f" a[threadIdx.x] = s[{step} * threadIdx.x];"
        loads = [
            request
            for request in kernel(body, CHEVRONS, "mi300x").traffic.requests
            if request.space is MemorySpace.SHARED and not request.write
        ]
        assert [load.passes / load.requests for load in loads] == [passes]


def test_lds_is_no_part_of_l1():
    for name in ("mi100", "mi210", "mi250x", "mi300a", "mi300x", "mi325x", "mi355x"):
        shape = hierarchy_of(find_machine(name)).gpu
        assert (shape.warp_threads, shape.shared_in_l1) == (64, False)
        assert shape.most_threads == (2560 if name == "mi100" else 2048)
        assert shape.registers == (65536 if name == "mi100" else 131072)
    assert hierarchy_of(find_machine("v100")).gpu.shared_in_l1
