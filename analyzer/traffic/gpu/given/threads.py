"""The requests of all warps of a kernel whose given arrays choose elements, block by block: program -> transactions.

All threads of some consecutive blocks are expanded at once, loop by loop, in numpy.  A transaction is one sector that
one execution of one reference by one warp asks for.  Blocks of a wave and the warps in them take every step together,
so that transactions are in the order of the statement and of its sequential counters, then of block and warp.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ....ir.nodes import MemorySpace
from ...program.addresses.given import holding
from ...program.program import CountedLoop, Irregular, Leaf, Placed, Program, Reference, hull
from ...program.schedules.lockstep import BLOCKS, THREADS
from ...results import Request
from ...simulation.simulate import NotFollowed
from ..irregular_requests import requested_irregular
from ..registers import WITHOUT_REQUESTS, requested_references
from ..threads.phases import Phase, phases_of

Ints = NDArray[np.int64]

_MOST_TOGETHER = 1 << 17  # threads that are expanded at once
_LARGEST_STEP = 1 << 62  # of 64 bits with a sign
_APART_BYTES = 1 << 40  # between arrays: the layout has room for affine references alone


class Transactions(Struct, frozen=True, eq=False):
    """Sectors in the order in which warps ask for them, with the ``blocks`` that do, and whether they store."""

    sectors: Ints
    blocks: Ints
    stored: NDArray[np.bool_]


class Tally(Struct):
    """What the requests of one reference add up to."""

    leaf: Leaf
    reference: Reference | Irregular
    iterations: int
    phase: Phase
    accesses: int = 0
    requests: int = 0
    sectors: int = 0
    useful_bytes: int = 0

    def request(self, placed: Placed, sector_bytes: int, scale: float) -> Request:
        """Return the totals of all blocks, of which those looked at are one in ``scale``.

        From another start of the array a sector reaches into at most two, and two into at least one.
        """
        return Request(
            self.reference.text,
            self.reference.array,
            self.leaf.line,
            self.reference.write,
            self.reference.size_bytes,
            placed.space,
            self.accesses * scale,
            self.requests * scale,
            self.sectors * scale,
            self.useful_bytes * scale,
            0.0,
            0.0,
            None,
            sector_bytes,
            is_certain=not self.leaf.uncertain,
            iterations=self.iterations,
            is_atomic=self.reference.atomic,
            phase=self.phase.number,
            waits=self.phase.waits,
            sectors_error=1.0 if placed.shifts else 0.0,
        )


class Threads:
    """The threads of a kernel, with its loops over blocks outermost and those over threads inside of these."""

    def __init__(self, program: Program, warp_threads: int, sector_bytes: int) -> None:
        """Raise ``NotFollowed`` where an element is not known, or in memory whose traffic no cache here sees."""
        self._program = program
        self._warp = warp_threads
        self._sector = sector_bytes
        self._apart = {array: number * _APART_BYTES for number, array in enumerate(program.arrays)}
        self._uses: list[tuple[Leaf, Reference | Irregular, frozenset[int], Tally]] = []
        self._phases = phases_of(program)
        requested, others = requested_references(program), requested_irregular(program)
        for leaf in program.leaves:
            for each in requested.get(id(leaf), ()):
                self._add(leaf, each.reference, each.invariant, each.iterations)
            for other in others.get(id(leaf), ()):
                self._add(leaf, other.reference, frozenset(), other.iterations)
        if not self._uses:
            raise NotFollowed(0, is_drawn=True)
        self._extents = _extents(self._uses[0][0], BLOCKS)
        self._lanes = _extents(self._uses[0][0], THREADS)
        self.blocks = prod(self._extents)
        self._steps = self._radices()

    def _add(self, leaf: Leaf, use: Reference | Irregular, invariant: frozenset[int], iterations: int) -> None:
        space = self._program.arrays[use.array].space
        if space in WITHOUT_REQUESTS:
            return
        is_given = any(loop.length is not None for loop in leaf.loops)
        if space is MemorySpace.LOCAL or use.address is None or (space is MemorySpace.SHARED and is_given):
            raise NotFollowed(0, is_drawn=True)
        if space is MemorySpace.SHARED:  # whose requests need no caches
            return
        self._uses.append((leaf, use, invariant, Tally(leaf, use, iterations, self._phases[id(leaf)])))

    @property
    def tallies(self) -> list[Tally]:
        """Return the totals of what was expanded."""
        return [tally for *_, tally in self._uses]

    def transactions(self, first: int, last: int) -> Transactions:
        """Return what the blocks from ``first`` to the one before ``last`` ask for, all of them in step."""
        found: list[tuple[Ints, Ints, Ints, NDArray[np.bool_]]] = []
        together = max(1, _MOST_TOGETHER // prod(self._lanes))
        for begin in range(first, last, together):
            found.extend(self._of_blocks(begin, min(last, begin + together)))
        if not found:
            nothing = np.zeros(0, dtype=np.int64)
            return Transactions(nothing, nothing, nothing.astype(bool))
        steps, owners, sectors, stored = (np.concatenate(part) for part in zip(*found, strict=True))
        order = _order(steps, owners)
        warps = self._warps
        return Transactions(sectors[order], owners[order] // warps, stored[order])

    @property
    def _warps(self) -> int:
        return -(-prod(self._lanes) // self._warp)

    def _of_blocks(self, first: int, last: int) -> Iterator[tuple[Ints, Ints, Ints, NDArray[np.bool_]]]:
        known: dict[int, tuple[list[Ints], Ints, Ints]] = {}
        for number, (leaf, use, invariant, tally) in enumerate(self._uses):
            if id(leaf) not in known:
                known[id(leaf)] = self._expanded(leaf, first, last)
            counters, owner, steps = known[id(leaf)]
            once = np.ones(len(owner), dtype=bool)
            for depth in invariant:
                low, _ = leaf.loops[depth].range(counters)
                once &= counters[depth] == low
            assert use.address is not None
            address: Any = use.address.at(counters)
            address = np.broadcast_to(np.asarray(address, dtype=np.int64), once.shape)[once] + self._apart[use.array]
            found = self._grouped(address, owner[once], steps[once] * len(self._uses) + number, use, tally)
            yield (*found, np.full(len(found[0]), use.write))

    def _grouped(
        self, address: Ints, owner: Ints, steps: Ints, use: Reference | Irregular, tally: Tally
    ) -> tuple[Ints, Ints, Ints]:
        """Return the step, the warp and the sector of each transaction of one reference, and count them."""
        first, last = address // self._sector, (address + use.size_bytes - 1) // self._sector
        crosses = last > first
        sectors = np.concatenate([first, last[crosses]])
        steps_, owner_ = np.concatenate([steps, steps[crosses]]), np.concatenate([owner, owner[crosses]])
        steps_, owner_, sectors = _distinct(steps_, owner_, sectors)
        tally.accesses += len(address)
        tally.requests += int((_differs(steps_) | _differs(owner_)).sum())
        tally.sectors += len(sectors)
        tally.useful_bytes += len(_distinct(steps, owner, address)[0]) * use.size_bytes
        return steps_, owner_, sectors

    def _expanded(self, leaf: Leaf, first: int, last: int) -> tuple[list[Ints], Ints, Ints]:
        """Return the counters of all executions of a statement in some blocks, their warps, and their steps."""
        block = np.arange(first, last)
        counters: list[Ints] = []
        thread = np.zeros(len(block), dtype=np.int64)
        blocks_left = self.blocks
        for loop in leaf.loops:
            mask = holding(loop.tests, counters, len(block))
            counters = [column[mask] for column in counters]
            block, thread = block[mask], thread[mask]
            low, high = (np.broadcast_to(np.asarray(end, np.int64), block.shape) for end in loop.range(counters))
            if loop.mapping in BLOCKS:
                extent = self._extents[len([each for each in leaf.loops[: loop.depth] if each.mapping in BLOCKS])]
                blocks_left //= extent
                counters.append(low + block // blocks_left % extent)
                continue
            trips = np.maximum(high - low + 1, 0)
            owner = np.repeat(np.arange(len(block)), trips)
            number = np.arange(len(owner)) - np.repeat(np.cumsum(trips) - trips, trips)
            counters = [*(column[owner] for column in counters), low[owner] + number]
            block, thread = block[owner], thread[owner]
            if loop.mapping in THREADS:
                extent = self._lanes[len([each for each in leaf.loops[: loop.depth] if each.mapping in THREADS])]
                thread = thread * extent + number
        mask = holding(leaf.tests, counters, len(block))
        counters = [column[mask] for column in counters]
        owner = block[mask] * self._warps + thread[mask] // self._warp
        return counters, owner, self._step(leaf, counters, len(owner))

    def _step(self, leaf: Leaf, counters: Sequence[Ints], rows: int) -> Ints:
        """Return the place of executions in the order of the statements and of the sequential counters."""
        step = np.zeros(rows, dtype=np.int64)
        for depth, (places, values) in enumerate(self._steps):
            position = leaf.positions[depth] if depth < len(leaf.positions) else 0
            step = step * places + position
            is_counted = depth < len(leaf.loops) and _is_sequential(leaf.loops[depth])
            step = step * values + (counters[depth] if is_counted else 0)
        return step

    def _radices(self) -> list[tuple[int, int]]:
        """Return for each depth how many positions and counters there are at most."""
        leaves = {id(leaf): leaf for leaf, *_ in self._uses}.values()
        found = []
        for depth in range(max(len(leaf.positions) for leaf in leaves)):
            places = max((leaf.positions[depth] for leaf in leaves if depth < len(leaf.positions)), default=0) + 1
            values = max((_longest(leaf, depth) for leaf in leaves), default=1)
            found.append((places, values))
        if prod(places * values for places, values in found) * len(self._uses) > _LARGEST_STEP:
            raise NotFollowed(0, is_drawn=True)
        return found


def _extents(leaf: Leaf, axes: frozenset[Any]) -> list[int]:
    """Return the extents of the loops over blocks or threads."""
    found = []
    for loop in leaf.loops:
        if loop.mapping in axes:
            low, high = loop.range(())
            found.append(int(high) - int(low) + 1)
    return found


def _is_sequential(loop: CountedLoop) -> bool:
    return loop.mapping not in BLOCKS | THREADS


def _longest(leaf: Leaf, depth: int) -> int:
    """Return one more than the greatest value of a sequential counter."""
    if depth >= len(leaf.loops) or not _is_sequential(leaf.loops[depth]):
        return 1
    ranges = hull(leaf.loops)
    if ranges is not None and ranges[depth][0] < 0:
        raise NotFollowed(0, is_drawn=True)
    return 1 if ranges is None else ranges[depth][1] + 1


def _distinct(steps: Ints, owners: Ints, values: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct triples, sorted."""
    if not len(steps):
        return steps, owners, values
    low, wide = int(values.min()), int(values.max() - values.min()) + 1
    many = int(owners.max()) + 1
    if (int(steps.max()) + 1) * many * wide < _LARGEST_STEP:
        found = sorted_distinct((steps * many + owners) * wide + (values - low))
        rest = found // wide
        return rest // many, rest % many, found % wide + low
    order = np.lexsort((values, owners, steps))
    steps, owners, values = steps[order], owners[order], values[order]
    fresh = _differs(steps) | _differs(owners) | _differs(values)
    return steps[fresh], owners[fresh], values[fresh]


def sorted_distinct(values: Ints) -> Ints:
    """Return the distinct values, sorted; numpy's ``unique`` hashes them, which takes ten times as long."""
    found = np.sort(values)
    return found[_differs(found)]


def _order(steps: Ints, owners: Ints) -> Ints:
    """Return the order by step, then owner."""
    many = int(owners.max()) + 1
    if (int(steps.max()) + 1) * many < _LARGEST_STEP:
        return np.argsort(steps * many + owners, kind="stable")
    return np.lexsort((owners, steps))


def _differs(values: Ints) -> NDArray[np.bool_]:
    """Return where a value differs from the one before."""
    found = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found
