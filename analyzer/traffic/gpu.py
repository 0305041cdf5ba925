"""Bytes of a kernel at the levels of a GPU: L1 by the sectors of requests, L2 by what the blocks miss, then DRAM.

* L1 serves the sectors that the warps' requests ask for (:mod:`.requests`).
* L2 serves what misses in L1.  A block finds in L1 only what it loaded itself: reuse between blocks always misses
  there.  The resident blocks of a multiprocessor share its L1, less their shared memory.  Stores go through.
* DRAM serves what misses in L2, with as many blocks in step as the GPU holds at once, in the order of their numbers;
  L2 writes back, and a sector that is written is not read first.

Lines are sectors throughout. Reuse within L1 and L2 is that of :mod:`.strata`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, prod

import numpy as np
from numpy.typing import NDArray

from ..ir.index import const
from ..ir.nodes import Assumption, MemorySpace, Region
from ..ir.nodes import Mapping as LoopMapping
from ..poly.quantity import ZERO, Exactness, Quantity
from ..poly.quasi import polynomial
from ..source import Span
from .hierarchy import CacheLevel, GpuShape, Hierarchy
from .layout import lay_out
from .lockstep import BLOCKS, THREADS, in_lockstep
from .moves import Moves
from .program import Program, walk
from .requests import WarpShape, requests_of
from .shapes import LevelTraffic, Occupancy, Request
from .strata import Misses, Strata

_SHOWN_EFFICIENCY = 0.5
_MANY_WAVES, _SHOWN_TAIL = 8, 1.1


@dataclass(frozen=True, slots=True)
class KernelMoves:
    """Bytes of a kernel by level, the requests behind them, and how it fills the GPU."""

    moves: Moves
    requests: tuple[Request, ...]
    occupancy: Occupancy


def kernel_moves(region: Region, hierarchy: Hierarchy) -> KernelMoves:
    """Model a kernel with numbers for all sizes and its launch; raises :class:`~.program.NotNumeric`."""
    shape = hierarchy.gpu or GpuShape()
    program = lay_out(in_lockstep(region))
    warp = WarpShape(shape.warp_threads, shape.sector_bytes, shape.banks)
    requests = tuple(requests_of(program, warp))
    shared = sum(placed.size_bytes for placed in program.arrays.values() if placed.space is MemorySpace.SHARED)
    occupancy = _occupancy(program, shape, shared, hierarchy.units)
    _keep_global(program)
    waves = lay_out(in_lockstep(region, occupancy.blocks_per_unit * hierarchy.units))
    _keep_global(waves)
    caches = [_as_lru(level, shape, occupancy, shared) for level in hierarchy.levels]
    private = Strata(program, caches[:1]).misses()
    common = Strata(waves, caches[1:]).misses()
    size = float(shape.sector_bytes)
    rows = len(caches)
    read = np.concatenate([_whole(private.read), _whole(common.read)]) * size
    written = np.concatenate([_whole(private.written), _whole(common.written)]) * size
    loaded, stored = (
        sum(r.sectors for r in requests if r.write is write and r.space is not MemorySpace.SHARED) * size
        for write in (False, True)
    )
    read[0], written[0] = np.minimum(read[0], loaded), stored
    for row in range(1, rows):
        read[row] = np.minimum(read[row], read[row - 1])
        written[row] = np.minimum(written[row], written[row - 1])
    innermost = LevelTraffic(
        hierarchy.levels[0].name, "requests", shape.sector_bytes, _bytes(loaded), ZERO, _bytes(stored)
    )
    nothing = np.zeros_like(read)
    error = np.concatenate([_relative(private), _relative(common)])
    notes = (*_notes(program, requests, region.span), *_filling(occupancy, region.span))
    single = replace(program, children=program.children[:1])
    moves = Moves("analytic", single, hierarchy, read, nothing, written, nothing, nothing, error, notes, innermost)
    return KernelMoves(moves, requests, occupancy)


def _occupancy(program: Program, shape: GpuShape, shared: int, units: int) -> Occupancy:
    """Resident blocks of one multiprocessor by threads, blocks and shared memory; registers are not known."""
    threads = prod(_extents(program, THREADS).values())
    grid = prod(_extents(program, BLOCKS).values())
    warps = -(-threads // shape.warp_threads)
    limits = {
        "threads": shape.most_threads // max(1, warps * shape.warp_threads),
        "blocks": shape.most_blocks,
    }
    if shared and shape.shared_bytes:
        limits["shared memory"] = shape.shared_bytes // shared
    limit = min(limits, key=lambda name: limits[name])
    resident = max(1, limits[limit])
    return Occupancy(resident, resident * warps, limit, grid / (resident * units))


def _extents(program: Program, kinds: frozenset[LoopMapping]) -> dict[LoopMapping, int]:
    """Extents of the axes of a launch."""
    found: dict[LoopMapping, int] = {}
    for turn in walk(program.children):
        if turn.mapping in kinds:
            low, high = turn.range(())
            found[turn.mapping] = max(found.get(turn.mapping, 1), int(high) - int(low) + 1)
    return found


def _keep_global(program: Program) -> None:
    """Forget references to shared memory: they reach no cache."""
    for leaf in program.leaves:
        leaf.references = tuple(
            reference
            for reference in leaf.references
            if program.arrays[reference.array].space is not MemorySpace.SHARED
        )


def _as_lru(level: CacheLevel, shape: GpuShape, occupancy: Occupancy, shared: int) -> CacheLevel:
    """A level in sectors; of L1 what one resident block has."""
    capacity = level.capacity_bytes
    if level.per_block:
        used = shared * occupancy.blocks_per_unit if shape.shared_in_l1 else 0
        capacity = max(capacity - used, shape.sector_bytes) // occupancy.blocks_per_unit
    return replace(level, capacity_bytes=max(capacity, shape.sector_bytes), ways=None, line_bytes=shape.sector_bytes)


def _bytes(number: float) -> Quantity:
    count = polynomial(const(round(number)))
    return Quantity(count, count, count, Exactness.ESTIMATE) if round(number) else ZERO


def _filling(occupancy: Occupancy, span: Span) -> Iterator[Assumption]:
    """What is to say about the waves of a grid."""
    waves = occupancy.waves
    if waves < 1:
        yield Assumption("AI408", f"the grid has {waves:.0%} of the blocks that the GPU holds at once", span)
    elif waves < _MANY_WAVES and ceil(waves) / waves > _SHOWN_TAIL:
        idle = 1 - waves / ceil(waves)
        yield Assumption("AI408", f"{waves:.2f} waves of blocks: the last one leaves {idle:.0%} of the time idle", span)


def _whole(lines: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum over nests, a row for each cache."""
    total: NDArray[np.float64] = lines.sum(axis=0)[:, None]
    return total


def _relative(found: Misses) -> NDArray[np.float64]:
    error: NDArray[np.float64] = found.fill_error / np.maximum((found.read + found.written).sum(axis=0), 1.0)
    return error


def _notes(program: Program, requests: Sequence[Request], span: Span) -> Iterator[Assumption]:
    yield Assumption("AI305", "blocks run in the order of their numbers; caches replace the least recently used", span)
    for note in program.notes:
        yield Assumption("AI306", note, span)
    arrays = sorted({item.array for leaf in program.leaves for item in leaf.irregular})
    if arrays:
        text = f"elements of {', '.join(arrays)} are not affine in the threads: their bytes are not counted"
        yield Assumption("AI211", text, span)
    for request in requests:
        place = Span(span.path, request.line, request.line)
        size = request.size_bytes
        step = request.step_bytes
        if request.space is MemorySpace.SHARED:
            if request.conflict_ways >= 2:
                text = f"{request.text}: {request.conflict_ways:.3g}-way bank conflicts"
                if step:
                    text += f", neighbouring threads are {step} bytes apart; pad the rows by one element"
                yield Assumption("AI407", text, place)
        elif step and abs(step) > size and request.efficiency < _SHOWN_EFFICIENCY:
            text = (
                f"{request.text}: neighbouring threads are {abs(step)} bytes apart, "
                f"{request.sectors_per_request:.3g} sectors per request, {request.efficiency:.0%} of them used"
            )
            yield Assumption("AI406", text, place)
