"""Misses of the last caches of a GPU, whose blocks in flight run together: estimates, and the fewest of any order.

All blocks of the first wave start together.  Later each starts when another ends, evenly spread over the run time of a
block.  Where a wave touches more than the last cache holds

* data that one block uses alone is read again, after whole loops, when all others in flight have touched theirs: it has
  its share of the cache, and what does not fit there misses again;
* data that blocks share is met again by those that are about as far.  In the first waves all blocks in flight are in
  step, as they started together; later the share of the blocks that fits is, which is the most in any case.

No replacement is better than a least-recently-used cache of ``k`` times the capacity by more than the factor
``1 - 1/k`` (Sleator, Tarjan, *Amortized efficiency of list update and paging rules*, CACM 28(2), 1985, theorem 6).
That and the first use of each sector are certain, as far as blocks are in flight together.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...ir.nodes import MemorySpace, Region
from ..hierarchy import CacheLevel, GpuShape
from ..program.layout import lay_out
from ..program.lines.lines import LineCounts, Lines
from ..program.program import CountedLoop, Program
from ..program.schedules.lockstep import BLOCKS, THREADS, in_lockstep
from ..results import Occupancy
from ..reuse.irregular import Floats
from ..reuse.line_uses.pairs import Scope
from ..reuse.strata import Misses, Strata

_CACHED = (MemorySpace.GLOBAL, MemorySpace.TEXTURE)
_TIMES = 2  # the capacity whose misses bound those of the last cache, ``k`` above
_MOST_STATEMENTS = 64  # with the pieces of addresses, each of which costs as much as a statement
_WAVES_IN_STEP = 8
"""Waves whose blocks are in step.

Of 5 on an H100 (``tests/data/gpu/worked_with/dgemm_reg4x4.cu``) 223 MB were read, 200 in step and 300 apart; of 10 on
an RTX 3080 (minkowski of gpuFLOPBench) 256 MB, 99 in step and 275 apart.
"""
_ALL_BYTES = 1 << 60  # of a cache that holds everything
_ALONE = 1.5  # times the distinct sectors of an array, from which on blocks share little of it (tests.bench.gpu_caches)


class CommonMisses(Struct, frozen=True):
    """Misses of the caches that all blocks share, by cache: estimates, the most, and the fewest of the last one."""

    read: Floats
    written: Floats
    error: Floats
    least_read: float
    least_written: float
    most_read: Floats
    most_written: Floats


def common_misses(
    region: Region, alone: Program, occupancy: Occupancy, units: int, caches: Sequence[CacheLevel]
) -> CommonMisses:
    """Return the misses of a kernel; ``alone`` is its program with one block after another."""
    levels = [*caches, replace(caches[-1], capacity_bytes=caches[-1].capacity_bytes * _TIMES)]
    concurrent = occupancy.blocks_per_unit * units
    waves = _in_step(region, alone, concurrent)
    line = caches[-1].line_bytes
    touched = _sectors_of_wave(waves, line) if occupancy.waves > 1 else 0.0
    is_overfull = touched > caches[-1].lines
    own = _used_alone(alone, line) if is_overfull else frozenset()
    fitting = _in_step(region, alone, max(1, int(concurrent * caches[-1].lines / touched))) if is_overfull else waves
    is_shared = is_overfull and own != _arrays(alone)
    found = Strata(waves if is_shared else fitting, levels).misses()
    read, written = _sums(found)
    most_read, most_written = read, written
    if is_overfull:
        again_read, again_written = _read_again(alone, concurrent, levels, own)
        apart = _sums(Strata(fitting, levels).misses()) if is_shared else (read, written)
        most_read = np.maximum(read, apart[0]) + again_read
        most_written = np.maximum(written, apart[1]) + again_written
        read, written = read + again_read, written + again_written
        if occupancy.waves > _WAVES_IN_STEP:
            read, written = most_read, most_written
    least_read, least_written = (
        max(first, (1 - 1 / _TIMES) * float(kind[-1]))
        for kind, first in zip((read, written), first_uses(alone, caches[-1].line_bytes), strict=True)
    )
    return CommonMisses(
        read=read[:-1],
        written=written[:-1],
        error=found.fill_error[:-1] / np.maximum((read + written)[:-1], 1.0),
        least_read=least_read,
        least_written=least_written,
        most_read=most_read[:-1],
        most_written=most_written[:-1],
    )


def _sums(found: Misses) -> tuple[Floats, Floats]:
    """Return the sectors of each cache that all nests read and write."""
    return found.read.sum(axis=0), found.written.sum(axis=0)


def _read_again(alone: Program, concurrent: int, caches: Sequence[CacheLevel], own: Set[str]) -> tuple[Floats, Floats]:
    """Return the misses of blocks on arrays that they used before and no other uses, with their share of the caches.

    Only reuses over whole loops: between those of a few instructions the other blocks do not touch much.
    """
    shares = [replace(cache, capacity_bytes=cache.capacity_bytes // concurrent) for cache in caches]
    return Strata(alone, shares, arrays=own).again(_spans_loops)


def _spans_loops(scope: Scope) -> bool:
    """Return whether sequential loops run between the two uses of a reuse within a block."""
    inside = any(isinstance(child, CountedLoop) and child.mapping not in THREADS for child in scope.children)
    return inside and not (scope.carried and scope.loop is not None and scope.loop.mapping in BLOCKS)


def first_uses(program: Program, sector_bytes: int) -> tuple[float, float]:
    """Return the distinct sectors that are read, but for those written first, and those written."""
    found = Strata(program, [CacheLevel("", _ALL_BYTES, None, sector_bytes)]).misses()
    return float(found.read.sum()), float(found.written.sum())


def sectors_beside(program: Program, shape: GpuShape) -> float:
    """Return the sectors that come with those read first, as memory sends several together."""
    wanted, _ = first_uses(program, shape.sector_bytes)
    parts, _ = first_uses(program, shape.fetch_bytes)
    return max(0.0, parts * shape.sectors_together - wanted)


def cached_program(in_step: Region) -> Program:
    """Lay out a kernel with only the references to what the caches of all threads hold.

    Memory of one thread has :mod:`.local_memory`.
    """
    found = lay_out(in_step, unwrapped=True)
    if len(found.leaves) > _MOST_STATEMENTS:
        found = lay_out(in_step, unwrapped=True, pieces=False)
    for leaf in found.leaves:
        leaf.references = tuple(each for each in leaf.references if found.arrays[each.array].space in _CACHED)
    return found


def _in_step(region: Region, alone: Program, concurrent: int) -> Program:
    """Return the kernel with some blocks in step; block by block where references would not stay affine."""
    found = cached_program(in_lockstep(region, concurrent))
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
