"""Misses of the last caches of a GPU, whose blocks in flight run together: estimates, and the fewest of any order.

All blocks of the first wave start together.  Later each starts when another ends, evenly spread over the run time of a
block.  Where a wave touches more than the last cache holds

* data that one block uses alone is read again when all others in flight have touched theirs, so that all are in step;
* data that blocks share is met again by those that are about as far: the share of the blocks that fits is in step.

No replacement is better than a least-recently-used cache of ``k`` times the capacity by more than the factor
``1 - 1/k`` (Sleator, Tarjan, *Amortized efficiency of list update and paging rules*, CACM 28(2), 1985, theorem 6).
That and the first use of each sector are certain, as far as blocks are in flight together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...ir.nodes import MemorySpace, Region
from ..hierarchy import CacheLevel
from ..program.layout import lay_out
from ..program.lines import LineCounts, Lines
from ..program.lockstep import BLOCKS, in_lockstep
from ..program.program import CountedLoop, Program
from ..results import Occupancy
from ..reuse.irregular import Floats
from ..reuse.strata import Strata

_CACHED = (MemorySpace.GLOBAL, MemorySpace.TEXTURE)
_TIMES = 2  # the capacity whose misses bound those of the last cache, ``k`` above
_ALL_BYTES = 1 << 60  # of a cache that holds everything
_ALONE = 1.5  # blocks that touch so many times the distinct sectors of an array together share little of it


class CommonMisses(Struct, frozen=True):
    """Misses of the caches that all blocks share, by cache, and the fewest of the last one."""

    read: Floats
    written: Floats
    error: Floats
    least_read: float
    least_written: float


def common_misses(
    region: Region, alone: Program, occupancy: Occupancy, units: int, caches: Sequence[CacheLevel]
) -> CommonMisses:
    """Return the misses of a kernel; ``alone`` is its program with one block after another."""
    larger = replace(caches[-1], capacity_bytes=caches[-1].capacity_bytes * _TIMES)
    parts = _parts(region, alone, occupancy, units, [*caches, larger])
    found = [Strata(program, levels, arrays=arrays).misses() for program, levels, arrays in parts]
    read: Floats = np.sum([each.read.sum(axis=0) for each in found], axis=0)
    written: Floats = np.sum([each.written.sum(axis=0) for each in found], axis=0)
    error: Floats = np.sqrt(np.sum([each.fill_error**2 for each in found], axis=0))[:-1]
    cold = Strata(alone, [replace(caches[-1], capacity_bytes=_ALL_BYTES)]).misses()
    fewest = [
        max(float(first.sum()), (1 - 1 / _TIMES) * float(kind[-1]))
        for kind, first in ((read, cold.read), (written, cold.written))
    ]
    relative: Floats = error / np.maximum((read + written)[:-1], 1.0)
    return CommonMisses(read[:-1], written[:-1], relative, *fewest)


def drop_uncached(program: Program) -> None:
    """Drop references to what the caches of all threads do not hold; memory of one thread has :mod:`.local_memory`."""
    for leaf in program.leaves:
        leaf.references = tuple(each for each in leaf.references if program.arrays[each.array].space in _CACHED)


def _parts(
    region: Region, alone: Program, occupancy: Occupancy, units: int, caches: Sequence[CacheLevel]
) -> Iterator[tuple[Program, Sequence[CacheLevel], Set[str] | None]]:
    """Yield the kernel in some order of its blocks, the caches that serve it, and the arrays that miss so (None: all).

    Of data that no block shares, each block in flight has its share of the caches.
    """
    line, lines = caches[0].line_bytes, caches[-2].lines
    concurrent = occupancy.blocks_per_unit * units
    waves = _in_step(region, alone, concurrent)
    touched = _sectors_of_wave(waves, line) if occupancy.waves > 1 else 0.0
    if touched <= lines:
        yield waves, caches, None
        return
    own = _used_alone(alone, line)
    shared = _arrays(alone) - own
    if own:
        yield alone, [replace(cache, capacity_bytes=cache.capacity_bytes // concurrent) for cache in caches], own
    if shared:
        yield _in_step(region, alone, max(1, int(concurrent * lines / touched))), caches, shared


def _in_step(region: Region, alone: Program, concurrent: int) -> Program:
    """Return the kernel with some blocks in step; block by block where references would not stay affine."""
    found = lay_out(in_lockstep(region, concurrent), unwrapped=True)
    drop_uncached(found)
    return found if _references(found) >= _references(alone) else alone


def _references(program: Program) -> int:
    return sum(len(leaf.references) for leaf in program.leaves)


def _arrays(program: Program) -> Set[str]:
    return {reference.array for leaf in program.leaves for reference in leaf.references}


def _sectors_of_wave(waves: Program, sector_bytes: int) -> float:
    """Return the distinct sectors that one wave touches, the mean over the waves."""
    inside, number = _inside_blocks(waves)
    counts = (LineCounts(waves, array, sector_bytes, writes=False) for array in sorted(_arrays(waves)))
    return sum(count(inside) for count in counts) / max(number, 1)


def _used_alone(alone: Program, sector_bytes: int) -> Set[str]:
    """Return the arrays of which each block uses a part of its own, but for its rim."""
    inside, _ = _inside_blocks(alone)
    whole = Lines(alone.children, 0)
    counts = {array: LineCounts(alone, array, sector_bytes, writes=False) for array in sorted(_arrays(alone))}
    return {array for array, count in counts.items() if count(inside) <= _ALONE * count(whole)}


def _inside_blocks(program: Program) -> tuple[Lines, int]:
    """Return what is inside of the loops over blocks, and how often these run."""
    depth, number, children = 0, 1, program.children
    while len(children) == 1 and isinstance(children[0], CountedLoop) and children[0].mapping in BLOCKS:
        low, high = children[0].range((0,) * depth)
        depth, number, children = depth + 1, number * (int(high) - int(low) + 1), tuple(children[0].children)
    return Lines(program.children, depth), number
