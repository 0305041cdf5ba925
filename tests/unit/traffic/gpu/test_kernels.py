"""Requests and bytes of kernels, written as loops over blocks and threads."""

from random import Random

import numpy as np
import pytest
from msgspec.structs import replace

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.launches.given import parse_launch
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.launches import Launch
from analyzer.ir.nodes import Guard, Loop, Mapping, MemorySpace
from analyzer.ir.passes.substitute import bind
from analyzer.source import Language, SourceFile
from analyzer.traffic.gpu.distinct import distinct_pairs
from analyzer.traffic.gpu.kernel import kernel_traffic
from analyzer.traffic.gpu.registers import requested_references
from analyzer.traffic.gpu.requests import WarpShape, requests_of
from analyzer.traffic.gpu.threads.phases import barriers_of
from analyzer.traffic.gpu.threads.split_thread_axes import with_split_axes
from analyzer.traffic.hierarchy import CacheLevel, GpuShape, Hierarchy
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.program.program import Affine, walk
from analyzer.traffic.program.schedules.lockstep import in_lockstep
from tests.lowering import lower
from tests.oracle.threads import bank_cycles, sectors

AXES = {
    "bx": Mapping.BLOCK_X,
    "by": Mapping.BLOCK_Y,
    "tx": Mapping.THREAD_X,
    "ty": Mapping.THREAD_Y,
    "tz": Mapping.THREAD_Z,
}
GRID = "for (int by = 0; by < 3; by++) for (int bx = 0; bx < 2; bx++) "
THREADS = "for (int ty = 0; ty < 8; ty++) for (int tx = 0; tx < 32; tx++) "
BLOCK_OF_8_BY_8 = "for (int ty = 0; ty < 8; ty++) for (int tx = 0; tx < 8; tx++) "

KERNELS = {
    "copy": GRID + THREADS + "b[bx*32+tx + 64*(by*8+ty)] = a[bx*32+tx + 64*(by*8+ty)];",
    "misaligned": GRID + THREADS + "b[bx*32+tx + 1] = a[bx*32+tx + 3] + a[bx*32+tx];",
    "strided": GRID + THREADS + "b[3*(bx*32+tx)] = a[17*(bx*32+tx) + ty];",
    "columns": GRID + THREADS + "b[100*(bx*32+tx) + by*8+ty] = a[bx*32+tx + 64*(by*8+ty)];",
    "broadcast": GRID + THREADS + "b[bx*32+tx + 64*(by*8+ty)] = a[by*8+ty];",
    "small blocks": GRID + BLOCK_OF_8_BY_8 + "b[bx*8+tx + 50*(by*8+ty)] = a[bx*8+tx + 50*(by*8+ty)];",
    "guarded": GRID + THREADS + "if (bx*32+tx < 50 && by*8+ty < 20) b[bx*32+tx + 50*(by*8+ty)] = a[bx*32+tx];",
    "loop": GRID + THREADS + "for (int k = 0; k < 5; k++) b[k] = a[(by*8+ty)*5 + k] + a[k*64 + bx*32+tx];",
    "grid stride": "for (int bx = 0; bx < 3; bx++) for (int tx = 0; tx < 64; tx++) "
    "for (int i = bx*64+tx; i < 1000; i += 192) b[i] = a[i];",
    "halves": GRID + THREADS + "if (tx % 2 == 0) b[bx*32+tx] = a[bx*32+tx];",
    "rows": GRID + THREADS + "for (int k = 0; k < 5; k++) b[bx*32+tx + 50*k] = m[by*8+ty][k + bx*9];",
    "downwards": GRID + THREADS + "for (int k = 11; k > 2; k -= 4) b[64*k + tx] = m[k][bx*9 + ty] + a[64*k - tx];",
    "late start": GRID + THREADS + "for (int k = 3; k < 20; k += 7) b[40*ty + tx + k] = m[tx + 1][k - 3];",
    "triangle": GRID + BLOCK_OF_8_BY_8 + "for (int k = 0; k < 6; k++)"
    " for (int l = k; l < 6; l++) b[9*k + l] = a[l*tx];",
    "quotients of quotients": "for (int by = 0; by < 90; by++) for (int tx = 0; tx < 32; tx++)"
    " for (int k = tx; k < ((216*by + 215)/324 + 15*(216*by/324) + 10)/16 - 216*by/324 + 40; k += 32)"
    " b[3*k + by] = a[k];",
    "otherwise": GRID + THREADS + "if (tx + bx < 9) b[3*tx + ty] = m[ty][tx]; else b[tx] = m[tx][ty];",
}


def kernel(body, element="double", shared=()):
    text = f"{element} a[4000], b[8000], s[1056], m[40][27]; {body}"
    (region,) = lower(text).regions
    region = bind(region, {})
    arrays = tuple(
        replace(array, space=MemorySpace.SHARED) if array.name in shared else array for array in region.arrays
    )
    return replace(region, body=tuple(mapped(node) for node in region.body), arrays=arrays)


def mapped(node):
    if isinstance(node, Loop):
        body = tuple(mapped(child) for child in node.body)
        return replace(node, mapping=AXES.get(node.iterator, node.mapping), body=body)
    if isinstance(node, Guard):
        return replace(node, body=tuple(mapped(child) for child in node.body))
    return node


def by_array(references):
    """The references to each array, loads apart from stores, in the order of the source."""
    found = {}
    for each in references:
        found.setdefault((each.array, each.write), []).append(each)
    return found


def pairs(requests, expected):
    """Requests of the product with the references of the oracle."""
    found, wanted = by_array(requests), by_array(expected)
    assert found.keys() == wanted.keys()
    return [pair for key in found for pair in zip(found[key], wanted[key], strict=True)]


@pytest.mark.parametrize("element", ["double", "float"])
@pytest.mark.parametrize("name", KERNELS)
def test_requests_and_sectors_are_those_of_every_warp(name, element):
    region = kernel(KERNELS[name], element)
    expected = sectors(region)
    for found, reference in pairs(requests_of(lay_out(in_lockstep(region)), WarpShape()), expected):
        assert (found.accesses, found.requests, found.sectors) == pytest.approx(tuple(expected[reference]))


@pytest.mark.parametrize("element", ["double", "float"])
@pytest.mark.parametrize(
    ("index", "ways"), [("tx*32 + ty", {"float": 32, "double": 16}), ("tx*33 + ty", None), ("ty*32 + tx", None)]
)
def test_bank_conflicts_are_those_of_every_warp(index, ways, element):
    region = kernel(GRID + THREADS + f"b[tx] = s[{index}];", element, shared=("s",))
    (request,) = [each for each in requests_of(lay_out(in_lockstep(region)), WarpShape()) if each.array == "s"]
    (cycles,) = [number for reference, number in bank_cycles(region).items() if reference.array == "s"]
    assert request.passes == pytest.approx(cycles)
    assert request.conflict_ways == pytest.approx(ways[element] if ways else 1)


@pytest.mark.parametrize(
    ("size", "apart", "cycles"), [(12, 12, 3), (12, 48, 12), (24, 24, 6), (16, 16, 4), (32, 32, 16)]
)
def test_wide_values_are_read_in_aligned_parts(size: int, apart: int, cycles: int) -> None:
    """12 bytes are three reads of a word; 32 bytes two of 16, in each of which four of eight threads share banks."""
    program = lay_out(in_lockstep(kernel("for (int tx = 0; tx < 32; tx++) b[tx] = s[tx];", "float", shared=("s",))))
    (leaf,) = program.leaves
    (read,) = [item for item in leaf.references if item.array == "s"]
    (turn,) = leaf.loops
    steps = Affine(0, ((turn.depth, apart),))
    wide = replace(read, address=steps, size_bytes=size)
    program = replace(program, leaves=(replace(leaf, references=(wide,)),))
    (found,) = [each for each in requests_of(program, WarpShape()) if each.array == "s"]
    assert found.passes == cycles


@pytest.mark.parametrize("seed", range(12))
def test_random_affine_accesses_are_those_of_every_warp(seed):
    """Sectors and passes of the banks against the enumeration of all threads."""
    draw = Random(seed)
    strides = [draw.choice([0, 1, 1, 2, 3, 8, 17, 32, 33]) for _ in range(3)]
    x, y = draw.choice([8, 24, 32, 48]), draw.choice([1, 3, 8])
    index = f"{strides[0]}*tx + {strides[1]}*ty + {strides[2]}*k + {draw.randrange(9)}"
    threads = f"for (int ty = 0; ty < {y}; ty++) for (int tx = 0; tx < {x}; tx++) "
    guard = draw.choice(["", "if (tx + ty < 20) ", "if (tx % 3 == 1) "])
    body = GRID + threads + f"for (int k = 0; k < 3; k++) {guard}b[tx + 500*k] = a[{index}] + s[{index}];"
    region = kernel(body, draw.choice(["float", "double"]), shared=("s",))
    expected, passes = sectors(region), bank_cycles(region)
    for found, reference in pairs(requests_of(lay_out(in_lockstep(region)), WarpShape()), expected):
        invariant = 3 if strides[2] == 0 and not found.write else 1
        assert found.requests * invariant == pytest.approx(expected[reference].requests)
        if found.array == "s":
            assert found.passes * invariant == pytest.approx(passes[reference])
        else:
            assert found.sectors * invariant == pytest.approx(expected[reference].sectors)


@pytest.mark.parametrize("most", [5, 1 << 61])
def test_distinct_pairs_are_sorted(most):
    owner, value = np.array([2, 0, 2, 0, 2]), np.array([most, -3, most, 7, -most])
    assert [each.tolist() for each in distinct_pairs(owner, value)] == [[0, 0, 2, 2], [-3, 7, -most, most]]


def test_threads_move_inside_sequential_loops():
    program = lay_out(in_lockstep(kernel(KERNELS["grid stride"])))
    assert [turn.name for turn in walk(program.children)] == ["bx", "i.iteration", "tx"]


def test_concurrent_blocks_take_every_step_together():
    body = GRID + THREADS + "for (int k = 0; k < 5; k++) b[k] += a[(by*8+ty)*5 + k];"
    program = lay_out(in_lockstep(kernel(body), concurrent=2))
    assert [turn.name for turn in walk(program.children)] == ["by", "k", "bx", "ty", "tx"]
    program = lay_out(in_lockstep(kernel(body), concurrent=4))
    assert [turn.name for turn in walk(program.children)] == ["by.wave", "k", "by", "bx", "ty", "tx"]


SMALL_GPU = Hierarchy(
    (CacheLevel("L1", 16 << 10, None, 32, per_block=True), CacheLevel("L2", 1 << 20, None, 32)),
    "DRAM",
    2,
    GpuShape(most_threads=1024, most_blocks=16, shared_bytes=16 << 10),
)


def bytes_of(traffic):
    return {
        level.level: tuple(int(q.estimate.evaluate({})) for q in (level.read_bytes, level.write_bytes))
        for level in traffic.levels
    }


@pytest.mark.parametrize(("step", "times"), [(1, 1), (4, 1), (8, 2), (16, 2)])
def test_memory_that_sends_pairs_of_sectors_reads_what_is_beside_a_lone_one(step, times):
    """256 doubles a block, ``step`` of them apart: from 64 bytes on each is a sector, of a pair that no other is of.

    An H100 reads 400 MB of DRAM for 6.25 million floats, each 128 bytes from the next one.
    """
    body = f"for (int bx = 0; bx < 4; bx++) for (int tx = 0; tx < 32; tx++) b[bx*32+tx] = a[{step}*(bx*32+tx)];"
    pairs = replace(SMALL_GPU, gpu=replace(SMALL_GPU.gpu, fetch_bytes=64))
    one, two = (kernel_traffic(kernel(body), each).moves.traffic(None) for each in (SMALL_GPU, pairs))
    before, after = bytes_of(one), bytes_of(two)
    assert after == {**before, "DRAM": (times * before["DRAM"][0], before["DRAM"][1])}
    least = two.levels[-1].read_bytes.lower
    assert least.evaluate({}) == before["DRAM"][0]


def test_a_copy_moves_its_bytes_at_every_level():
    found = kernel_traffic(kernel(KERNELS["copy"]), SMALL_GPU)
    size = 6 * 256 * 8
    assert bytes_of(found.moves.traffic(None)) == {"L1": (size, size), "L2": (size, size), "DRAM": (size, size)}


def test_columns_cost_l2_whole_sectors_and_dram_each_once():
    found = kernel_traffic(kernel(KERNELS["columns"], "float"), SMALL_GPU)
    levels = bytes_of(found.moves.traffic(None))
    assert levels["L2"][1] == 6 * 256 * 32
    touched = {(100 * x + y) * 4 // 32 for x in range(64) for y in range(24)}
    assert levels["DRAM"][1] == 32 * len(touched)
    assert "AI406" in {note.code for note in found.moves.notes}


@pytest.mark.parametrize(("capacity", "moved"), [(32 << 10, 0), (16 << 10, 6 * 256 * 8)])
def test_a_launch_finds_what_the_one_before_left_in_l2_where_all_of_it_fits(capacity, moved):
    """A copy of 12 KiB to 12 KiB; of a cache that is smaller the first sectors are gone when they are read again."""
    gpu = replace(SMALL_GPU, levels=(SMALL_GPU.levels[0], replace(SMALL_GPU.levels[1], capacity_bytes=capacity)))
    found = kernel_traffic(kernel(KERNELS["copy"]), gpu, warm=True).moves.traffic(None)
    assert bytes_of(found)["DRAM"] == (moved, moved)
    assert bytes_of(found)["L2"] == (6 * 256 * 8, 6 * 256 * 8)
    (memory,) = (level for level in found.levels if level.level == "DRAM")
    assert memory.read_bytes.lower.evaluate({}) == 0  # another order of replacement keeps more


def test_blocks_find_only_their_own_lines_in_l1():
    body = GRID + THREADS + "for (int k = 0; k < 64; k++) b[bx*32+tx + 64*(by*8+ty)] = a[k];"
    levels = bytes_of(kernel_traffic(kernel(body), SMALL_GPU).moves.traffic(None))
    assert levels["L2"][0] == 6 * 64 * 8
    assert levels["DRAM"][0] == 64 * 8


def test_occupancy_and_waves():
    found = kernel_traffic(kernel(GRID + THREADS + "{ s[tx] = a[tx]; b[tx] = s[tx]; }", shared=("s",)), SMALL_GPU)
    assert found.occupancy.limit == "shared memory"
    assert found.occupancy.blocks_per_unit == 1
    assert found.occupancy.warps_per_unit == 8
    assert found.occupancy.waves == 3
    few = kernel_traffic(
        kernel("for (int bx = 0; bx < 2; bx++) for (int tx = 0; tx < 32; tx++) b[tx] = a[tx];"), SMALL_GPU
    )
    assert few.occupancy.limit == "blocks"
    assert "AI408" in {note.code for note in few.moves.notes}


ROW = "for (int tx = 0; tx < 32; tx++) "


def requests_by_array(body, element="float", shared=()):
    return {each.array: each for each in requests_of(lay_out(in_lockstep(kernel(body, element, shared))), WarpShape())}


def test_an_element_is_loaded_once_in_a_turn_and_an_invariant_one_once_in_a_loop():
    found = requests_by_array(ROW + "for (int k = 0; k < 5; k++) b[tx + 32*k] = a[tx]*a[tx] + s[k];")
    assert found["a"].requests == 1
    assert found["s"].requests == 5
    assert found["b"].requests == 5


def test_neighbours_do_not_move_together():
    plain = list(requests_of(lay_out(in_lockstep(kernel(ROW + "b[tx] = a[4*tx] + a[4*tx + 1];"))), WarpShape()))
    assert sorted(each.array for each in plain) == ["a", "a", "b"]


@pytest.mark.parametrize(("aligned", "sizes"), [(4, [4, 4, 4]), (8, [4, 8]), (16, [12])])
def test_members_move_together_as_far_as_elements_are_aligned(aligned, sizes):
    """Three members of four: one by one, as a pair and one, at once; a structure of floats is aligned to 4 bytes."""
    region = kernel(ROW + "m[0][0].x = a[tx].y + a[tx].z + a[tx].w;", "struct { float x, y, z, w; }")
    assert {array.aligned_bytes for array in region.arrays} == {4}
    region = replace(region, arrays=tuple(replace(array, aligned_bytes=aligned) for array in region.arrays))
    program = lay_out(in_lockstep(region))
    requested = [each.reference for found in requested_references(program).values() for each in found]
    assert sorted(each.size_bytes for each in requested if not each.write) == sizes


def test_what_another_reference_may_change_is_loaded_every_time():
    found = requests_by_array(ROW + "for (int k = 0; k < 5; k++) { b[k] = a[tx]; a[k] = 0; }")
    assert {each.requests for each in found.values()} == {5}


def test_what_is_stored_in_a_loop_without_a_barrier_is_stored_once():
    """As in machine code (:mod:`tests.oracle.test_barriers`)."""
    found = requests_by_array(ROW + "for (int k = 0; k < 5; k++) s[tx] = a[tx + 32*k];", shared=("s",))
    assert found["s"].requests == 1


def test_wide_loads_of_shared_memory_may_serve_four_iterations():
    body = "for (int k = 0; k < 8; k++) b[tx + 32*k] = s[8*tx + k];"
    found = requests_by_array(ROW + body, shared=("s",))["s"]
    assert found.passes == 8 * 8
    assert found.certain_passes == 2 * 8
    other = requests_by_array(ROW + body.replace("8*tx + k", "tx + 32*k"), shared=("s",))["s"]
    assert other.certain_passes == other.passes


def test_what_unrolled_loops_inside_of_a_loop_vary_in_is_held_in_registers():
    """Four results of a thread in each of two directions: 4 + 4 loads for 16 products, as of nvcc -O3."""
    loops = "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) "
    body = loops + "b[512*i + 128*j + tx] = a[tx + 32*i] * s[tx + 32*j];"
    found = requests_by_array(ROW + body, shared=("s",))
    assert (found["a"].requests, found["s"].requests) == (4, 4)
    long = requests_by_array(ROW + body.replace("j < 4", "j < 80"), shared=("s",))
    assert long["s"].requests == 4 * 80


def test_a_bound_takes_neighbours_of_an_aligned_word_as_one_request():
    """Of 32 lanes that are two words apart one load of 8 bytes takes 2 cycles, two loads of 4 bytes 2 each."""
    two = requests_by_array(ROW + "b[tx] = s[2*tx] + s[2*tx + 1];", shared=("s",))["s"]
    assert (two.passes, two.certain_passes) == (2, 1)
    three = requests_by_array(ROW + "b[tx] = s[2*tx + 1] + s[2*tx + 2];", shared=("s",))["s"]
    assert three.certain_passes == three.passes == 2


def test_a_row_that_data_choose_for_a_warp_is_read_in_its_sectors():
    """32 doubles from anywhere in a sector touch 8 sectors, or 9 from 3 of 4 starts; of elements each has its own."""
    row = requests_by_array("for (int ty = 0; ty < 8; ty++) " + ROW + "b[tx + 32*ty] = p[index[ty] + tx];")["p"]
    assert (row.requests, row.sectors, row.is_scattered) == (8, 8 * (8 + 3 / 4), False)
    own = requests_by_array("for (int ty = 0; ty < 8; ty++) " + ROW + "b[tx + 32*ty] = p[index[tx] + ty];")["p"]
    assert (own.requests, own.sectors, own.is_scattered) == (8, 8 * 32, True)
    same = requests_by_array("for (int ty = 0; ty < 8; ty++) " + ROW + "b[tx + 32*ty] = p[index[ty]];")["p"]
    assert (same.requests, same.sectors) == (8, 8)
    banks = requests_by_array(
        "for (int ty = 0; ty < 8; ty++) " + ROW + "b[tx + 32*ty] = s[index[ty] + 4*tx];", shared=("s",)
    )["s"]
    assert (banks.requests, banks.passes) == (8, 8 * 4)


def test_gathers_have_the_elements_of_their_rows_or_one_window_for_each_thread():
    """Of 1,536 threads rows of 9 have 9 elements of 8 bytes each; three neighbours have as many as one."""
    at, threads = "bx*32+tx + 64*(by*8+ty)", 6 * 256
    indices = [f"index[{at} + {threads}*{number}]" for number in range(3)]

    def read(loop, *loads):
        body = f"{GRID}{THREADS}{loop} b[{at}] = {' + '.join(loads)};"
        return bytes_of(kernel_traffic(kernel(body), SMALL_GPU).moves.traffic(None))["DRAM"][0]

    assert read("for (int k = 0; k < 9; k++)", f"p[index[{at}] + k]") == threads * (4 + 9 * 8)
    assert read("", *(f"p[{index}]" for index in indices)) == threads * (3 * 4 + 8)
    assert read("", f"p[{at}]", *(f"p[{index}]" for index in indices)) == threads * (3 * 4 + 8)


def test_a_wide_load_may_serve_iterations_of_the_loop_that_is_left_to_a_reference():
    """``s`` is hoisted out of the loop over j, and its four neighbours may be one load of 16 bytes."""
    body = "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) b[512*i + 128*j + tx] = s[4*tx + i] * a[tx + 32*j];"
    found = requests_by_array(ROW + body, shared=("s",))["s"]
    assert (found.requests, found.iterations) == (4, 4)


def test_remainders_and_quotients_of_threads_are_affine_in_their_digits():
    split = kernel(GRID + THREADS + "b[(tx % 8)*32 + tx/8] = a[tx];")
    region = with_split_axes(split)
    program = lay_out(in_lockstep(region), unwrapped=True)
    assert not any(leaf.irregular for leaf in program.leaves)
    expected = sectors(split)
    for found, reference in pairs(requests_of(program, WarpShape()), expected):
        assert found.sectors == expected[reference].sectors == 6 * 8 * 8


def test_a_neighbour_that_wraps_around_is_followed():
    body = "for (int bx = 0; bx < 100; bx++) for (int tx = 0; tx < 32; tx++) "
    body += "b[bx*32+tx] = a[(bx*32+tx+1) % 3200] + a[bx*32+tx];"
    found = kernel_traffic(kernel(body), SMALL_GPU)
    assert bytes_of(found.moves.traffic(None))["DRAM"] == (3200 * 8, 3200 * 8)


@pytest.mark.parametrize(
    ("index", "step"),
    [
        ("(tx + 1) % 32", 4),
        ("128 * ((tx + 1) % 25)", 512),
        ("(tx + 1) / 4", 0),
        ("tx * tx", None),
    ],
)
def test_most_neighbours_of_a_warp_are_so_far_apart(index, step):
    """Clamped and periodic indices step as plain ones but at their ends; squares have no step."""
    assert requests_by_array(ROW + f"b[tx] = a[{index}];")["a"].step_bytes == step


def test_quotients_without_a_period_are_counted():
    body = "for (int bx = 0; bx < 30; bx++) for (int tx = 0; tx < 32; tx++) b[(bx*32+tx)/7] = 1;"
    found = kernel_traffic(kernel(body), SMALL_GPU)
    assert bytes_of(found.moves.traffic(None))["DRAM"] == (0, -(-(960 // 7 + 1) * 8 // 32) * 32)
    assert "AI211" not in {note.code for note in found.moves.notes}


def test_gathers_are_between_nothing_and_a_sector_for_each():
    body = GRID + THREADS + "b[bx*32+tx + 64*(by*8+ty)] = a[(int) s[bx*32+tx + 64*(by*8+ty)]];"
    (level,) = [
        level for level in kernel_traffic(kernel(body), SMALL_GPU).moves.traffic(None).levels if level.level == "L1"
    ]
    least, most = (int(count.evaluate({})) for count in (level.read_bytes.lower, level.read_bytes.upper))
    threads = 6 * 256
    assert least == threads * 8 + threads // 32 * 32
    assert most == threads * 8 + threads * 32


def test_a_gathered_element_that_is_updated_is_read_and_written():
    """As many elements as threads, assumed to follow each other: read once, as their indices are, and written."""
    body = GRID + THREADS + "a[(int) s[bx*32+tx + 64*(by*8+ty)]] += 1;"
    threads = 6 * 256
    levels = bytes_of(kernel_traffic(kernel(body), SMALL_GPU).moves.traffic(None))
    assert levels["DRAM"] == (threads * (8 + 8), threads * 8)


@pytest.mark.parametrize(
    ("between", "loads"),
    [("", 0), ("b[bx*32+tx] = 1;", 0), ("a[tx] = 1;", 1), ("a[(tx*ty) % 7] = 1;", 1)],
)
def test_a_gathered_element_that_was_stored_is_not_loaded(between, loads):
    """Nothing else was stored to its array in between: ``store, load`` by each of 6 * 8 warps."""
    body = GRID + THREADS + f"{{ int k = (int) s[bx*32+tx]; a[k] = 2; {between} b[bx*32+tx + 64*(by*8+ty)] = a[k]; }}"
    read = [each for each in kernel_traffic(kernel(body), SMALL_GPU).requests if each.array == "a" and not each.write]
    assert sum(each.requests for each in read) == 6 * 8 * loads


def test_what_data_decides_is_not_certain():
    body = GRID + THREADS + "if (a[bx*32+tx] > 0) b[bx*32+tx + 64*(by*8+ty)] = 1;"
    levels = kernel_traffic(kernel(body), SMALL_GPU).moves.traffic(None).levels
    written = levels[-1].write_bytes
    assert int(written.estimate.evaluate({})) == 6 * 256 * 8
    assert int(written.lower.evaluate({})) == 0


def test_what_fits_in_the_last_cache_may_stay_there():
    written = kernel_traffic(kernel(KERNELS["copy"]), SMALL_GPU).moves.traffic(None).levels[-1].write_bytes
    assert int(written.lower.evaluate({})) == 0
    small = replace(SMALL_GPU, levels=(SMALL_GPU.levels[0], replace(SMALL_GPU.levels[1], capacity_bytes=4096)))
    written = kernel_traffic(kernel(KERNELS["copy"]), small).moves.traffic(None).levels[-1].write_bytes
    assert int(written.lower.evaluate({})) == 6 * 256 * 8 - 4096


def test_whole_blocks_fill_the_threads():
    """1024 threads hold 10 blocks of 96 and a part of one more."""
    region = kernel("for (int bx = 0; bx < 64; bx++) for (int tx = 0; tx < 96; tx++) b[96*bx + tx] = a[tx];")
    occupancy = kernel_traffic(region, SMALL_GPU).occupancy
    assert (occupancy.limit, occupancy.blocks_per_unit, occupancy.warps_per_unit) == ("threads", 10, 30)
    assert occupancy.waves == 64 / (10 * 2)


def test_registers_limit_the_blocks():
    region = kernel(GRID + THREADS + "b[tx] = a[tx];")
    shape = replace(SMALL_GPU, gpu=replace(SMALL_GPU.gpu, registers=32768))
    launch = Launch((2, 3, 1), (32, 8, 1), None, "test", registers=65)
    held = kernel_traffic(replace(region, launch=launch), shape).occupancy
    assert (held.limit, held.blocks_per_unit) == ("registers", 32768 // (72 * 32 * 8))
    assert kernel_traffic(region, shape).occupancy.limit == "threads"


@pytest.mark.parametrize(("rows", "read_again"), [(16, 8), (32, 32)])
def test_later_waves_share_only_what_is_near(rows, read_again):
    """Rows of blocks that read the same columns one after the other find them in L2 only if these fit.

    Else two rows in flight share them in the first eight waves, and none in more.
    """
    body = f"for (int by = 0; by < {rows}; by++) for (int bx = 0; bx < 4; bx++) for (int tx = 0; tx < 32; tx++) "
    body += "for (int k = 0; k < 64; k++) b[bx*32 + tx + 128*by] += a[k*128 + bx*32 + tx];"
    gpu = replace(SMALL_GPU.gpu, most_blocks=4)
    large = replace(SMALL_GPU, gpu=gpu)
    small = replace(large, levels=(SMALL_GPU.levels[0], replace(SMALL_GPU.levels[1], capacity_bytes=16 << 10)))
    columns, own = 64 * 128 * 4, rows * 512
    assert bytes_of(kernel_traffic(kernel(body, "float"), large).moves.traffic(None))["DRAM"][0] == columns + own
    read = bytes_of(kernel_traffic(kernel(body, "float"), small).moves.traffic(None))["DRAM"][0]
    assert read == pytest.approx(read_again * columns + own, rel=0.1)


def test_a_block_waits_once_at_a_barrier_of_all_of_its_threads():
    """Threads that are followed one after the other reach it one by one: 3 blocks of 64 wait at 5 barriers each."""
    text = """__global__ void f(float *x) {
  for (int k = 0; k < 5; k++) { x[64*blockIdx.x + threadIdx.x] += k; __syncthreads(); }
}"""
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    launches, _ = launches_of(unit, [parse_launch("f:grid=3x1x1,block=64")], None, {})
    (region,) = (bind(found, {}) for found in lower_unit(unit, LowerOptions(launches=launches)).regions)
    assert barriers_of(lay_out(in_lockstep(region))) == 15
    assert barriers_of(lay_out(region)) == 15


def test_what_few_threads_run_is_sampled_where_they_are():
    """Of 9 million pairs of counters 135 have quotients that add up to 1994 or more: 15 pairs of quotients."""
    body = "for (int i = 0; i < 3000; i++) for (int j = 0; j < 3000; j++) if (i/3 + j/3 >= 1994) a[tx] = i;"
    (request,) = requests_of(lay_out(in_lockstep(kernel("for (int tx = 0; tx < 64; tx++) " + body))), WarpShape())
    pairs = sum(i // 3 + j // 3 >= 1994 for i in range(2980, 3000) for j in range(2980, 3000))
    assert pairs == 135
    assert (request.accesses, request.requests) == (64 * pairs, 2 * pairs)
