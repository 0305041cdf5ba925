"""Requests and bytes of kernels, written as loops over blocks and threads."""

from dataclasses import replace

import pytest

from analyzer.ir.bind import bind
from analyzer.ir.nodes import Guard, Loop, Mapping, MemorySpace
from analyzer.traffic.gpu import kernel_moves
from analyzer.traffic.hierarchy import CacheLevel, GpuShape, Hierarchy
from analyzer.traffic.layout import lay_out
from analyzer.traffic.lockstep import in_lockstep
from analyzer.traffic.program import walk
from analyzer.traffic.requests import WarpShape, requests_of
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
}


def kernel(body, element="double", shared=()):
    text = f"{element} a[4000], b[8000], s[1056]; {body}"
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


def named(requests):
    return {f"{'store' if each.write else 'load'} {each.text}": each for each in requests}


@pytest.mark.parametrize("element", ["double", "float"])
@pytest.mark.parametrize("name", KERNELS)
def test_requests_and_sectors_are_those_of_every_warp(name, element):
    program = lay_out(in_lockstep(kernel(KERNELS[name], element)))
    found = named(requests_of(program, WarpShape()))
    for text, (accesses, requests, moved) in sectors(program).items():
        assert found[text].accesses == pytest.approx(accesses)
        assert found[text].requests == pytest.approx(requests)
        assert found[text].sectors == pytest.approx(moved)


@pytest.mark.parametrize("element", ["double", "float"])
@pytest.mark.parametrize(
    ("index", "ways"), [("tx*32 + ty", {"float": 32, "double": 16}), ("tx*33 + ty", None), ("ty*32 + tx", None)]
)
def test_bank_conflicts_are_those_of_every_warp(index, ways, element):
    program = lay_out(in_lockstep(kernel(GRID + THREADS + f"b[tx] = s[{index}];", element, shared=("s",))))
    (request,) = [each for each in requests_of(program, WarpShape()) if each.array == "s"]
    cycles = next(number for text, number in bank_cycles(program).items() if "s[" in text)
    assert request.passes == pytest.approx(cycles)
    assert request.conflict_ways == pytest.approx(ways[element] if ways else 1)


def test_threads_move_inside_sequential_loops():
    program = lay_out(in_lockstep(kernel(KERNELS["grid stride"])))
    assert [turn.name for turn in walk(program.children)] == ["bx", "i.turn", "tx"]


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


def test_a_copy_moves_its_bytes_at_every_level():
    found = kernel_moves(kernel(KERNELS["copy"]), SMALL_GPU)
    size = 6 * 256 * 8
    assert bytes_of(found.moves.traffic(None)) == {"L1": (size, size), "L2": (size, size), "DRAM": (size, size)}


def test_columns_cost_l2_whole_sectors_and_dram_each_once():
    found = kernel_moves(kernel(KERNELS["columns"], "float"), SMALL_GPU)
    levels = bytes_of(found.moves.traffic(None))
    assert levels["L2"][1] == 6 * 256 * 32
    touched = {(100 * x + y) * 4 // 32 for x in range(64) for y in range(24)}
    assert levels["DRAM"][1] == 32 * len(touched)
    assert "AI406" in {note.code for note in found.moves.notes}


def test_blocks_find_only_their_own_lines_in_l1():
    body = GRID + THREADS + "for (int k = 0; k < 64; k++) b[bx*32+tx + 64*(by*8+ty)] = a[k];"
    levels = bytes_of(kernel_moves(kernel(body), SMALL_GPU).moves.traffic(None))
    assert levels["L2"][0] == 6 * 64 * 8
    assert levels["DRAM"][0] == 64 * 8


def test_occupancy_and_waves():
    found = kernel_moves(kernel(GRID + THREADS + "{ s[tx] = a[tx]; b[tx] = s[tx]; }", shared=("s",)), SMALL_GPU)
    assert found.occupancy.limit == "shared memory"
    assert found.occupancy.blocks_per_unit == 1
    assert found.occupancy.warps_per_unit == 8
    assert found.occupancy.waves == 3
    few = kernel_moves(
        kernel("for (int bx = 0; bx < 2; bx++) for (int tx = 0; tx < 32; tx++) b[tx] = a[tx];"), SMALL_GPU
    )
    assert few.occupancy.limit == "blocks"
    assert "AI408" in {note.code for note in few.moves.notes}
