"""What of a kernel runs between the same barriers of a block, and at how many of them a block waits.

A barrier parts the loads of a warp: those behind it begin when those before it, of all warps, are there, and no
iteration of a loop with a barrier begins before the last one ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from msgspec import Struct

from ....ir.nodes import Barrier
from ...program.lines.lines import executions
from ...program.program import Leaf, Program
from ...program.schedules.lockstep import BLOCKS, THREADS


class Phase(Struct, frozen=True):
    """The number of a part between barriers, and whether the innermost loop around a statement ``waits`` in it."""

    number: int = 0
    waits: bool = False


def phases_of(program: Program) -> Mapping[int, Phase]:
    """Return the phase of every statement, by its ``id``."""
    found: dict[int, Phase] = {}
    number = 0
    for leaf in program.leaves:
        inner = next((loop for loop in reversed(leaf.loops) if loop.mapping not in THREADS | BLOCKS), None)
        found[id(leaf)] = Phase(number, inner is not None and any(map(is_of_all_warps, inner.leaves)))
        number += is_of_all_warps(leaf)
    return found


def barriers_of(program: Program) -> float:
    """Return at how many barriers all blocks together wait for their threads.

    A barrier inside of loops over threads (a program that runs one thread after the other) is one for all of them.
    """
    return sum(executions(leaf) / _threads_around(leaf) for leaf in program.leaves if leaf.barrier is Barrier.BLOCK)


def _threads_around(leaf: Leaf) -> int:
    """Return for how many threads of a block a statement is run by itself: one where they take it together."""
    ranges = [loop.range(()) for loop in leaf.loops if loop.mapping in THREADS]
    return prod(int(high) - int(low) + 1 for low, high in ranges)


def is_of_all_warps(leaf: Leaf) -> bool:
    """Return whether a statement is a barrier at which the warps of a block wait for one another."""
    return leaf.barrier in (Barrier.BLOCK, Barrier.DEVICE)
