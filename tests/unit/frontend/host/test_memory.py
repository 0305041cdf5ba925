"""What host code knows of its variables, and how much that is."""

from __future__ import annotations

from random import Random

import pytest

from analyzer.frontend.host.memory import COUNT, Memory
from analyzer.frontend.host.values import UNKNOWN, Fields, Reference
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
