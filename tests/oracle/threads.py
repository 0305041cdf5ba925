"""Brute force over the threads of a kernel: every request of every warp, one by one.

The kernel is given as loops over blocks and threads, as :func:`analyzer.traffic.program.lockstep.in_lockstep` leaves
them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from analyzer.ir.nodes import Mapping
from analyzer.traffic.program.lockstep import THREADS
from analyzer.traffic.program.program import Leaf, Program, Reference

_AXES = {Mapping.THREAD_X: 0, Mapping.THREAD_Y: 1, Mapping.THREAD_Z: 2}


def executions(leaf: Leaf) -> Iterator[tuple[int, ...]]:
    """Counters of all executions of a statement."""

    def run(counters: list[int]) -> Iterator[tuple[int, ...]]:
        if len(counters) == len(leaf.loops):
            if all(bool(test.holds(counters)) for test in leaf.tests):
                yield tuple(counters)
            return
        low, high = leaf.loops[len(counters)].range(counters)
        for value in range(int(low), int(high) + 1):
            yield from run([*counters, value])

    yield from run([])


def sectors(program: Program, sector_bytes: int = 32, warp: int = 32) -> dict[str, tuple[int, int, int]]:
    """For each reference's text: accesses of threads, requests of warps, and sectors that these move."""
    found = {}
    for leaf in program.leaves:
        for reference in leaf.references:
            groups = _requests(leaf, reference, warp)
            touched = sum(
                len({(a + byte) // sector_bytes for a in addresses for byte in (0, reference.size_bytes - 1)})
                for addresses in groups.values()
            )
            accesses = sum(len(addresses) for addresses in groups.values())
            found[f"{'store' if reference.write else 'load'} {reference.text}"] = (accesses, len(groups), touched)
    return found


def bank_cycles(program: Program, banks: int = 32, warp: int = 32) -> dict[str, int]:
    """For each reference's text the cycles of shared memory: words of the busiest bank, per part of a warp."""
    found = {}
    for leaf in program.leaves:
        for reference in leaf.references:
            together = warp * 4 // max(4, reference.size_bytes)
            total = 0
            for addresses in _requests(leaf, reference, together).values():
                words = defaultdict(set)
                for address in addresses:
                    words[address // 4 % banks].add(address // 4)
                total += max(len(part) for part in words.values())
            found[f"{'store' if reference.write else 'load'} {reference.text}"] = total
    return found


def _requests(leaf: Leaf, reference: Reference, warp: int) -> dict[tuple[object, ...], list[int]]:
    """Addresses by request: the same step of the threads of one warp."""
    threads = [turn for turn in leaf.loops if turn.mapping in THREADS]
    extents = {}
    for turn in threads:
        low, high = turn.range(())
        extents[_AXES[turn.mapping]] = int(high) - int(low) + 1
    groups = defaultdict(list)
    for counters in executions(leaf):
        number, stride = 0, 1
        for axis in sorted(extents):
            turn = next(turn for turn in threads if _AXES[turn.mapping] == axis)
            number += counters[turn.depth] * stride
            stride *= extents[axis]
        rest = tuple(value for turn, value in zip(leaf.loops, counters, strict=True) if turn.mapping not in THREADS)
        groups[(*rest, number // warp)].append(int(reference.address.at(counters)))
    return groups
