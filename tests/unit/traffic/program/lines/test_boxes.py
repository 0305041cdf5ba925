"""Lines of boxes by enumeration against isl, and in a program that isl takes minutes for."""

import random

import pytest

from analyzer.domains.isl.sets import points
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.program.lines.boxes import lines_of_boxes
from analyzer.traffic.program.lines.lines import LineCounts, Lines, _text_of
from tests.unit.traffic.gpu.test_kernels import kernel

ROW = "for (int e = 0; e < 40; e++) for (int k = 0; k < 6; k++) for (int j = 0; j < 6; j++) "
POINT = "for (int i = 0; i < 6; i++) for (int l = 0; l < 6; l++) "


def drawn(seed: int) -> str:
    """Return loops with references to one array, whose strides are multiples of lines, parts of them, or neither."""
    draw = random.Random(seed)
    names = "ijkl"[: draw.randint(2, 4)]
    loops = "".join(
        f"for (int {name} = {draw.randint(0, 2)}; {name} < {draw.randint(3, 9)}; {name}++) " for name in names
    )
    common = {name: draw.choice([1, 3, 4, 8, 12, 16]) for name in names}
    terms = [
        " + ".join(f"{common[n] if draw.random() < 0.7 else draw.randint(0, 9)}*{n}" for n in names)
        for _ in range(draw.randint(1, 3))
    ]
    return f"{loops} b[0] = {' + '.join(f'a[{term} + {draw.randint(0, 5)}]' for term in terms)};"


@pytest.mark.parametrize("seed", range(40))
def test_boxes_count_as_isl_does(seed: int) -> None:
    program = lay_out(kernel(drawn(seed)))
    found = [(leaf, each) for leaf in program.leaves for each in leaf.references if each.array == "a"]
    for depth in range(len(found[0][0].loops) + 1):
        pieces = "; ".join(_text_of(leaf, each.address, depth, 32) for leaf, each in found)
        exact = points(f"{{ {pieces} }}").count({}).evaluate({})
        assert lines_of_boxes([(leaf, each.address) for leaf, each in found], depth, 32) == exact


def test_three_directions_of_an_element_are_counted_at_once() -> None:
    """An element of 216 numbers has 54 lines of 32 bytes; the rows through each of its points are read."""
    text = f"{ROW}{POINT} b[0] = a[216*e + 36*k + 6*j + l] + a[216*e + 36*k + 6*l + i] + a[216*e + 36*l + 6*j + i];"
    program = lay_out(kernel(text))
    count = LineCounts(program, "a", 32, writes=False)
    assert [count(Lines(program.children, depth)) for depth in (0, 1)] == [40 * 54, 40 * 54]
    six = range(6)
    rows = [
        {(36 * k + 6 * j + m) // 4 for m in six}
        | {(36 * k + 6 * m + i) // 4 for m in six}
        | {(36 * m + 6 * j + i) // 4 for m in six}
        for k in six
        for j in six
        for i in six
    ]
    assert count(Lines(program.children, 4)) == 40 * sum(map(len, rows))


def test_triangles_and_large_boxes_are_left_to_isl() -> None:
    for loops in ("for (int i = 0; i < 9; i++) for (int j = 0; j < i; j++)", "for (int i = 0; i < 9999999; i++)"):
        program = lay_out(kernel(f"{loops} b[0] = a[i];"))
        references = [(leaf, each.address) for leaf in program.leaves for each in leaf.references if each.array == "a"]
        assert lines_of_boxes(references, 0, 32) is None
