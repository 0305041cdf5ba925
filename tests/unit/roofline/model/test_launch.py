"""The expected time of a launch, by hand on a V100: 80 SMs at 1.53 GHz, 64 warps, 32 lanes of fp64 each."""

import pytest
from msgspec.structs import replace

from analyzer.counts.results import OperationKey
from analyzer.ir.nodes import MemorySpace
from analyzer.ir.types import ScalarType
from analyzer.ir.values import Operation
from analyzer.traffic.results import Request
from cli.render.text.derivation import render_derivation
from roofline import estimate, source_text
from roofline.model.expectation.gpu.ends import End, sectors_of
from roofline.model.expectation.gpu.instructions import function_of, functions
from roofline.model.expectation.gpu.memory import unit_cycles

CLOCK = 1.53e9


def report_of(body, launch="<<<1 << 14, 256>>>", machine="v100"):
    text = f"""
    __global__ void k(float *a, const float *b, const float *c, double *d, const int *next, int n) {{ {body} }}
    int main() {{
      float *a, *b, *c; double *d; int *p;
      cudaMalloc(&a, 1 << 28); cudaMalloc(&b, 1 << 28); cudaMalloc(&c, 1 << 28); cudaMalloc(&d, 1 << 28);
      cudaMalloc(&p, 1 << 28);
      k{launch}(a, b, c, d, p, 1 << 14);
    }}"""
    return estimate(source_text(text, "k.cu"), machine)


def region_of(*arguments, **options):
    (region,) = report_of(*arguments, **options).regions
    return region


def expected(body, launch="<<<1 << 14, 256>>>", machine="v100"):
    return region_of(body, launch, machine).projections[0].expected


def request(accesses=32.0, sectors=4.0, *, step=4, guess=False, size=4, certain=True):
    return Request(
        "a[i]",
        "a",
        1,
        False,
        size,
        MemorySpace.GLOBAL,
        accesses,
        1.0,
        sectors,
        accesses * size,
        0,
        0,
        step,
        32,
        guess,
        certain,
    )


INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def test_a_triad_takes_the_measured_bandwidth_and_the_start():
    """16.8 MB an array: three arrays, over what V100 moves; other parts lengthen it by a few percent."""
    found = expected(f"{INDEX} a[i] = b[i] + 3.0f * c[i];")
    dram = dict(found.launch.levels)["DRAM"]
    assert found.launch.holder == "DRAM"
    assert dram + 1.7e-6 < found.time.value < 1.1 * dram + 1.7e-6
    assert found.least.value <= found.time.value <= found.most.value


def test_the_bound_is_the_least_of_the_range():
    region = region_of(f"{INDEX} a[i] = b[i] + 3.0f * c[i];")
    found = region.projections[0]
    assert found.time.value <= found.expected.least.value


def test_barriers_take_time_and_keep_a_block_from_hiding_its_loads():
    """One block: 100 barriers take 20 cycles each, and its loads wait one after the other, behind what it does."""
    body = "__shared__ float s[256]; for (int k = 0; k < 100; k++) {{ s[threadIdx.x] += b[threadIdx.x + 256 * k]; {} }}"
    launch = "<<<1, 256>>>"
    free, waits = (expected(body.format(barrier), launch).launch for barrier in ("", "__syncthreads();"))
    assert waits.units >= free.units
    assert waits.alone > free.alone + waits.units + 100 * 20 / CLOCK
    warps = expected(body.format("__syncwarp();"), launch).launch
    assert warps.alone < waits.alone


def test_barriers_alone_are_bound_by_the_threads_that_arrive():
    """256 threads at 16 a cycle: 16 cycles for each of 1,000 barriers of a block; on 80 SMs two blocks of 160 each."""
    body = "for (int k = 0; k < 1000; k++) __syncthreads(); a[threadIdx.x] = 1;"
    found = expected(body, "<<<160, 256>>>").launch
    assert (found.busiest, found.units) == ("barriers", pytest.approx(2 * 1000 * 16 / CLOCK))


def test_the_path_of_l1_is_twice_as_wide_on_the_large_gpus():
    """5 sectors of 32 bytes: 2.5 cycles at 64 bytes, 1.25 at 128."""
    one = [request(sectors=5.0)]
    assert [unit_cycles(one, 128, End.LIKELY, target) for target in ("sm_86", "sm_80")] == [2.5, 1.25]


def test_words_of_shared_memory_that_data_choose_meet_in_banks():
    """32 words in 32 banks: the fullest has 3.5 on average."""
    one = replace(request(guess=True), space=MemorySpace.SHARED, passes=1.0, is_scattered=True)
    assert unit_cycles([one], 128, End.LIKELY) == pytest.approx(3.52, abs=0.01)
    assert unit_cycles([one], 128, End.LEAST) == 1


def test_small_launches_take_the_start():
    found = expected(f"{INDEX} a[i] = b[i];", "<<<1, 32>>>")
    assert found.launch.holder == "start"
    assert 1.7e-6 < found.time.value < 3e-6


def test_a_tail_is_a_round_of_its_own():
    """640 blocks of 1024 threads: 8 a SM, of which 2 are held at once: 4 rounds; one block more is a fifth."""
    body = f"{INDEX} float x = i; for (int j = 0; j < n; j++) x = x * 1.5f + 2.0f; a[i] = x;"
    whole, more = (expected(body, f"<<<{blocks}, 1024>>>").launch for blocks in (640, 641))
    assert whole.rounds == 4
    assert more.rounds == 5
    assert more.units / whole.units == pytest.approx(9 / 8 * 640 / 641, rel=0.01)


def test_doubles_take_their_units():
    """64 FMAs of 32 lanes and cycle: 2 FLOPs a lane; on an RTX 3080 there are two lanes instead of 32."""
    body = f"{INDEX} double x = d[i]; for (int j = 0; j < n; j++) x = x * 1.5 + 2.0; d[i] = x;"
    big, small = expected(body).launch, expected(body, machine="rtx3080").launch
    assert small.busiest == "fp64"
    fmas = 2**14 * 256 * 2**14
    assert small.units == pytest.approx(fmas / 2 / 68 / 1.71e9, rel=0.01)
    assert big.units < small.units / 10


def test_a_column_of_a_matrix_takes_a_tag_for_each_row():
    """32 lines of one sector, each looked up in a cycle; in order the four sectors are one line of 128 bytes."""
    assert unit_cycles([request(sectors=32.0, step=512)], 128, End.LIKELY) == 32
    assert unit_cycles([request()], 128, End.LIKELY) == 2  # 64 bytes a cycle
    assert unit_cycles([request(sectors=1.0, step=0)], 128, End.LIKELY) == 1


def test_elements_that_data_choose_are_between_the_fewest_and_the_most_sectors():
    found = request(sectors=32.0, step=None, guess=True)
    assert [sectors_of(found, end) for end in End] == [1.0, pytest.approx((4 * 32) ** 0.5), 32.0]
    assert sectors_of(request(certain=False), End.LEAST) == 0


def test_atomic_sums_of_one_element_wait_for_one_another():
    """3.2 cycles each for floating-point numbers; integers of a warp are added up before."""
    found = expected(f"{INDEX} atomicAdd(a, b[i]);")
    assert dict(found.launch.levels)["atomic updates"] == pytest.approx(2**22 * 3.2 / CLOCK)
    apart = expected(f"{INDEX} atomicAdd(a + i, b[i]);")
    assert "atomic updates" not in dict(apart.launch.levels)


def test_calls_are_as_many_instructions_as_in_machine_code():
    row = function_of(OperationKey(Operation.CALL, ScalarType.FP32, "expf"))
    assert (row.fp32, row.special) == (6, 1)
    division = function_of(OperationKey(Operation.DIV, ScalarType.FP64)).fp64
    assert division == 8, "7 FMAs and a product: the 15 FLOPs that profilers record"
    assert function_of(OperationKey(Operation.ADD, ScalarType.FP64)) is None
    assert function_of(OperationKey(Operation.CALL, ScalarType.FP32, "unheard_of")).other > 0
    assert all(part >= 0 for row in functions().values() for part in (row.fp32, row.fp64, row.special, row.other))


def test_a_longer_chain_of_loads_takes_longer_with_few_warps():
    body = f"{INDEX} float x = 0; for (int j = 0; j < n; j++) x += b[j * 32 + i]; a[i] = x;"
    few = expected(body, "<<<1, 32>>>")
    assert few.launch.holder == "latency"
    assert few.launch.alone > 2**14 * 4 / CLOCK


def test_explain_says_what_the_time_is_made_of():
    text = " ".join(render_derivation(report_of(f"{INDEX} a[i] = b[i];")).split())
    assert "in nine of ten launches (start 1.7 us; then, overlapping:" in text


def test_without_sizes_nothing_is_expected():
    text = "__global__ void k(float *a, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = 1; }"
    (region,) = estimate(source_text(text, "k.cu"), "v100").regions
    assert region.projections[0].expected is None


def test_threads_of_a_block_add_to_one_number_in_shared_memory_one_after_the_other():
    """A scalar is as slow as the element of an array that all threads share; numbers of their own are not."""
    head, tail = "__shared__ float s; __shared__ float t[256]; ", " __syncthreads(); a[i] = s + t[0];"
    scalar, element, own = (
        expected(f"{head}{INDEX} atomicAdd(&{where}, b[i]);{tail}").launch.alone
        for where in ("s", "t[0]", "t[threadIdx.x]")
    )
    assert scalar == pytest.approx(element, rel=0.1)
    assert scalar > 3 * own


def test_lanes_that_only_do_not_store_compute():
    """2000 FMAs of all threads, on 64 lanes of 80 SMs; of those in the branch each takes its warp."""
    chain = "float v = threadIdx.x; for (int t = 0; t < 2000; t++) v = v * 0.5f + 1.0f;"
    everywhere = expected(f"{chain} if (threadIdx.x % 32 == 0) a[blockIdx.x * 8 + threadIdx.x / 32] = v;").launch
    assert everywhere.units == pytest.approx(2000 * (1 << 22) / 64 / 80 / CLOCK, rel=0.02)
    alone = expected(f"if (threadIdx.x % 32 == 0) {{ {chain} a[blockIdx.x * 8 + threadIdx.x / 32] = v; }}").launch
    assert alone.units == pytest.approx(everywhere.units, rel=0.02)
