"""Lines of some blocks against a count of all of them."""

import pytest

from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.program.lines.lines import LineCounts, Lines
from analyzer.traffic.program.lines.sampled import sampled_lines
from analyzer.traffic.program.schedules.lockstep import in_lockstep
from tests.unit.traffic.gpu.test_kernels import kernel

GRID = "for (int by = 0; by < 30; by++) for (int bx = 0; bx < 40; bx++) "
THREADS = "for (int ty = 0; ty < 4; ty++) for (int tx = 0; tx < 8; tx++) "
BODIES = {
    "copy": "b[bx*8 + tx + 320*(by*4 + ty)] = a[bx*8 + tx + 320*(by*4 + ty)];",
    "unaligned rows": "b[0] = a[bx*8 + tx + 321*(by*4 + ty)] + a[bx*8 + tx + 1 + 321*(by*4 + ty)];",
    "rim": "if (bx*8 + tx > 0 && by*4 + ty > 0) b[0] = a[bx*8 + tx - 1 + 320*(by*4 + ty - 1)];",
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_some_blocks_count_as_all_do(body, depth):
    program = lay_out(in_lockstep(kernel(GRID + THREADS + BODIES[body])))
    references = [(leaf, each.address) for leaf in program.leaves for each in leaf.references if each.array == "a"]
    exact = LineCounts(program, "a", 32, writes=False)(Lines(program.children, depth))
    assert sampled_lines(references, depth, 32) == pytest.approx(exact, rel=0.01)


def test_blocks_that_are_too_large_are_not_enumerated():
    body = (
        "for (int bx = 0; bx < 4; bx++) for (int k = 0; k < 99999; k++) for (int tx = 0; tx < 64; tx++) b[tx] = a[k];"
    )
    program = lay_out(in_lockstep(kernel(body)))
    references = [(leaf, each.address) for leaf in program.leaves for each in leaf.references]
    assert sampled_lines(references, 1, 32) is None


def test_conditions_that_tie_block_and_step_are_met_as_often_as_everywhere():
    """Row ``r`` has ``r + 1`` elements, each a line of its own: 1 + 2 + ... + 512 of them."""
    loops = "for (int by = 0; by < 128; by++) for (int k = 0; k < 4096; k++) for (int ty = 0; ty < 4; ty++) "
    program = lay_out(in_lockstep(kernel(loops + "if (k <= 4*by + ty) b[0] = a[4096*(4*by + ty) + k];")))
    references = [(leaf, each.address) for leaf in program.leaves for each in leaf.references if each.array == "a"]
    assert sampled_lines(references, 2, 8) == pytest.approx(512 * 513 / 2, rel=0.02)
