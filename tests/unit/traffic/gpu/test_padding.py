"""Padding of shared memory, against kernels whose arrays are declared with longer rows, each thread enumerated."""

import pytest
from msgspec.structs import replace

from analyzer.ir.index import const
from analyzer.ir.nodes import MemorySpace
from analyzer.ir.passes.substitute import bind
from analyzer.traffic.gpu.padding import with_paddings
from analyzer.traffic.gpu.requests import WarpShape, requests_of
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.program.schedules.lockstep import in_lockstep
from tests.lowering import lower
from tests.oracle.threads import bank_cycles

from .test_kernels import mapped

WIDE = "for (int ty = 0; ty < 8; ty++) for (int tx = 0; tx < 32; tx++) "
SQUARE = "for (int ty = 0; ty < 16; ty++) for (int tx = 0; tx < 16; tx++) "
NARROW = "for (int ty = 0; ty < 32; ty++) for (int tx = 0; tx < 8; tx++) "
CASES = [
    (WIDE + "o[ty*32+tx] = s[tx][ty];", "float", 32),
    (WIDE + "o[ty*32+tx] = s[tx][ty];", "double", 32),
    (SQUARE + "o[ty*16+tx] = s[ty][tx] + s[ty+1][tx+1];", "float", 18),
    (SQUARE + "o[ty*16+tx] = s[tx][ty];", "float", 22),
    (NARROW + "o[ty*8+tx] = s[ty][tx] + s[tx][ty];", "float", 22),
    (NARROW + "o[ty*8+tx] = s[ty][tx];", "double", 40),
]


def kernel(body, element, row):
    (region,) = lower(f"{element} o[2048], s[64][{row}]; {body}").regions
    region = bind(region, {})
    arrays = (replace(each, space=MemorySpace.SHARED) if each.name == "s" else each for each in region.arrays)
    return replace(region, body=tuple(map(mapped, region.body)), arrays=tuple(arrays))


def cycles(body, element, row):
    found = bank_cycles(kernel(body, element, row))
    return sum(number for reference, number in found.items() if reference.array == "s")


@pytest.mark.parametrize(("body", "element", "row"), CASES)
def test_the_padding_is_the_least_with_the_fewest_passes(body, element, row):
    region = kernel(body, element, row)
    program = lay_out(in_lockstep(region))
    requests = with_paddings(tuple(requests_of(program, WarpShape())), program, region.arrays, WarpShape())
    own = [each for each in requests if each.array == "s"]
    by_padding = {padding: cycles(body, element, row + padding) for padding in range(33)}
    best = min(by_padding, key=lambda padding: (by_padding[padding], padding))
    assert {each.padding for each in own} == {best if best else None}
    assert sum(each.passes for each in own) == by_padding[0]
    if best:
        assert sum(each.padded_passes for each in own) == pytest.approx(by_padding[best])


def test_rows_of_one_dimension_are_those_that_counters_step_by():
    region = kernel(WIDE + "o[ty*32+tx] = s[0][tx*22 + ty*704];", "float", 22)
    flat = replace(region, arrays=tuple(replace(each, extents=(const(1408),)) for each in region.arrays))
    program = lay_out(in_lockstep(region))
    requests = with_paddings(tuple(requests_of(program, WarpShape())), program, flat.arrays, WarpShape())
    assert {each.padding for each in requests if each.array == "s"} == {1}
