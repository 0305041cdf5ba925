"""What host code knows of its variables, and how much that is."""

from __future__ import annotations

from random import Random

import pytest

from analyzer.frontend.host.memory import COUNT, Memory, Run
from analyzer.frontend.host.values import UNKNOWN, Fields, Reference, Unknown
from analyzer.frontend.surface import nodes as sx
from analyzer.ir.types import INT32
from analyzer.source import Span

NAMES = [sx.Variable(name, sx.ScalarT(INT32), sx.Storage.LOCAL, Span("f.c", 1, 1)) for name in "abc"]
PATHS = ["", ".x", "[0]", "[1]", "[1].x", ".x[2]"]


def parts_of(memory: Memory) -> int:
    return sum(len(memory.of(variable) or ()) for variable in memory.variables())


@pytest.mark.parametrize("seed", range(20))
def test_the_size_is_that_of_all_parts(seed: int) -> None:
    """Following a program costs steps by this size: where it drifts below zero, nothing ends it."""
    draw = Random(seed)
    memory, other = Memory(), Memory()
    for _ in range(60):
        name, path = draw.choice(NAMES), draw.choice(PATHS)
        match draw.randrange(9):
            case 0:
                memory.store((name, path), Fields({".x": 1, ".y[3]": 2}))
            case 1:
                memory.fill((name, path), 0)
            case 2:
                memory.store((name, COUNT), 4)
            case 3:
                memory.fill_elements(name, "", draw.choice([5, Fields({".x": 1})]))
            case 4:
                memory.put(name, draw.choice([None, {"": 1}, {".x": 1, ".y": 2}]))
            case 5:
                memory.moved(Reference(name, "[0]"), Reference(draw.choice(NAMES), "[0]"))
            case 6:
                memory, other = memory.copy(), memory
            case 7:
                memory.agree(other, UNKNOWN)
            case _:
                memory.store((name, path), draw.choice([7, UNKNOWN]))
        assert memory.size == parts_of(memory)
        assert other.size == parts_of(other)


def test_what_is_not_kept_is_not_what_fills_the_array() -> None:
    """``a = {0}; a[i] = 7`` for more elements than are kept: those beyond are unknown, and are no zeros."""
    memory, (array, other, _) = Memory(), NAMES
    for variable in (array, other):
        memory.fill_elements(variable, "", 0)
    for index in range(30_000):
        memory.store((array, f"[{index}]"), 7)
    assert memory.read((array, "[100]")) == 7
    assert isinstance(memory.read((array, "[29000]")), Unknown)
    assert memory.read((other, "[29000]")) == 0
    memory.fill_elements(array, "", 3)
    assert memory.read((array, "[29000]")) == 3


@pytest.mark.parametrize("filled", ["", "elements", "all"])
def test_numbers_that_are_copied_are_what_each_one_was(filled: str) -> None:
    """``b[9 ..] = a[5 ..]`` as if read and stored one by one, whatever fills ``a``."""
    memory, (source, target, _) = Memory(), NAMES
    if filled == "elements":
        memory.fill_elements(source, "", 2)
    elif filled == "all":
        memory.fill((source, "[0]"), 2)
    memory.store((source, "[6]"), 8)
    memory.fill_elements(target, "", 1)
    runs = [Run(name, "", first, 3, is_plain=True) for name, first in ((source, 5), (target, 9))]
    assert memory.copy_run(runs[0], runs[1], UNKNOWN)
    rest = 2 if filled else UNKNOWN
    assert [memory.read((target, f"[{index}]")) for index in range(8, 13)] == [1, rest, 8, rest, 1]
    assert memory.size == parts_of(memory)
