"""Bytes of a kernel at the levels of a GPU: L1 by the sectors of requests, L2 by the misses of blocks, then DRAM.

* L1 serves the sectors that the warps' requests ask for (:mod:`.requests`).
* L2 serves the misses of L1.  A block hits in L1 only on its own loads: reuse between blocks always misses
  there.  The resident blocks of a multiprocessor share its L1, less their shared memory.  Stores go through.
* DRAM serves the misses of L2, with as many blocks in step as the GPU holds at once, in the order of their numbers;
  L2 writes back, and a sector that is written is not read first.

Lines are sectors throughout. Reuse within L1 and L2 is that of :mod:`..reuse.strata`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...diagnostics import Field
from ...ir.nodes import Assumption, MemorySpace, Region
from ...source import Span
from ..hierarchy import CacheLevel, GpuShape, Hierarchy
from ..level_bytes import TrafficBytes
from ..program.layout import lay_out
from ..program.lines import LineCounts, Lines
from ..program.lockstep import BLOCKS, in_lockstep
from ..program.program import CountedLoop, Program
from ..results import Occupancy, Request
from ..reuse.irregular import Floats
from ..reuse.strata import Misses, Strata
from .level_traffic import ServedSectors, asked_sectors
from .occupancy import filling_notes, occupancy_of
from .requests import WarpShape, requests_of
from .split_thread_axes import with_split_axes

_SHOWN_EFFICIENCY = 0.5  # a note names requests that use less of their sectors; no number depends on it
_ON_CHIP = (MemorySpace.SHARED, MemorySpace.LOCAL)


class KernelTraffic(Struct, frozen=True):
    """Bytes of a kernel by level, the requests behind them, and how it fills the GPU."""

    moves: TrafficBytes
    requests: tuple[Request, ...]
    occupancy: Occupancy


def kernel_traffic(region: Region, hierarchy: Hierarchy) -> KernelTraffic:
    """Return the bytes, requests and occupancy of a kernel whose sizes and launch are numbers.

    Raises :class:`~..program.program.NotNumeric` where the kernel cannot be laid out.
    """
    shape = hierarchy.gpu or GpuShape()
    split = with_split_axes(region)
    program = lay_out(in_lockstep(split), unwrapped=True)
    warp = WarpShape(shape.warp_threads, shape.sector_bytes, shape.banks)
    requests = tuple(requests_of(program, warp))
    shared = sum(array.size_bytes for array in program.arrays.values() if array.space is MemorySpace.SHARED)
    registers = region.launch.registers if region.launch is not None else None
    occupancy = occupancy_of(program, shape, shared, hierarchy.units, registers)
    _drop_uncached(program)
    caches = [_as_lru(level, shape, occupancy, shared) for level in hierarchy.levels]
    waves = _waves(split, program, occupancy, hierarchy.units, caches[-1])
    private, common = Strata(program, caches[:1]).misses(), Strata(waves, caches[1:]).misses()
    levels = ServedSectors.of(program, caches, private, common)
    innermost = asked_sectors(hierarchy.levels[0].name, requests, shape.sector_bytes)
    levels.bound_by(innermost)
    levels.limit_to_certain(program, shape.sector_bytes)
    levels.leave_dirty(caches[-1])
    size = float(shape.sector_bytes)
    error = np.concatenate([_relative(private), _relative(common)])
    notes = (*_notes(program, requests, region.span), *filling_notes(occupancy, region.span))
    single = replace(program, children=program.children[:1], origins=program.origins[:1])
    moves = TrafficBytes(
        "analytic",
        single,
        hierarchy,
        levels.read[:, None] * size,
        np.zeros_like(levels.read)[:, None],
        levels.written[:, None] * size,
        (levels.read - levels.least_read)[:, None] * size,
        (levels.most_read - levels.read)[:, None] * size,
        error,
        notes,
        innermost,
        (
            (levels.written - levels.least_written)[:, None] * size,
            (levels.most_written - levels.written)[:, None] * size,
        ),
    )
    return KernelTraffic(moves, requests, occupancy)


def _waves(region: Region, alone: Program, occupancy: Occupancy, units: int, last: CacheLevel) -> Program:
    """Return the kernel with those blocks in step that share data in the last cache.

    All blocks of the first wave start together.  Later each starts when another ends, evenly spread over the run time
    of a block.  Where a wave touches more than the cache holds, only the share of its blocks that fits is in step.
    """
    concurrent = occupancy.blocks_per_unit * units
    waves = _in_step(region, alone, concurrent)
    if occupancy.waves <= 1:
        return waves
    touched = _sectors_of_wave(waves, last.line_bytes)
    if touched <= last.lines:
        return waves
    return _in_step(region, alone, max(1, int(concurrent * last.lines / touched)))


def _in_step(region: Region, alone: Program, concurrent: int) -> Program:
    """Return the kernel with some blocks in step; block by block where references would not stay affine."""
    found = lay_out(in_lockstep(region, concurrent), unwrapped=True)
    _drop_uncached(found)
    return found if _references(found) >= _references(alone) else alone


def _references(program: Program) -> int:
    return sum(len(leaf.references) for leaf in program.leaves)


def _sectors_of_wave(waves: Program, sector_bytes: int) -> float:
    """Return the distinct sectors that one wave touches, the mean over the waves."""
    depth, number, children = 0, 1, waves.children
    while len(children) == 1 and isinstance(children[0], CountedLoop) and children[0].mapping in BLOCKS:
        low, high = children[0].range((0,) * depth)
        depth, number, children = depth + 1, number * (int(high) - int(low) + 1), tuple(children[0].children)
    arrays = {reference.array for leaf in waves.leaves for reference in leaf.references}
    counts = (LineCounts(waves, array, sector_bytes, writes=False) for array in arrays)
    return sum(count(Lines(waves.children, depth)) for count in counts) / max(number, 1)


def _drop_uncached(program: Program) -> None:
    """Drop references to shared and thread-local memory: they reach no cache, unless registers spill."""
    for leaf in program.leaves:
        leaf.references = tuple(each for each in leaf.references if program.arrays[each.array].space not in _ON_CHIP)


def _as_lru(level: CacheLevel, shape: GpuShape, occupancy: Occupancy, shared: int) -> CacheLevel:
    """Return a level with sectors as lines; of L1 the share of one resident block."""
    capacity = level.capacity_bytes
    if level.per_block:
        used = shared * occupancy.blocks_per_unit if shape.shared_in_l1 else 0
        capacity = max(capacity - used, shape.sector_bytes) // occupancy.blocks_per_unit
    return replace(level, capacity_bytes=max(capacity, shape.sector_bytes), ways=None, line_bytes=shape.sector_bytes)


def _relative(found: Misses) -> Floats:
    error: Floats = found.fill_error / np.maximum((found.read + found.written).sum(axis=0), 1.0)
    return error


def _notes(program: Program, requests: Sequence[Request], span: Span) -> Iterator[Assumption]:
    yield Assumption.of("AI305", span, "blocks")
    yield from program.notes
    arrays = {item.array for leaf in program.leaves for item in leaf.irregular}
    moved = sorted(array for array in arrays if program.arrays[array].space is MemorySpace.GLOBAL)
    if moved:
        yield Assumption.of("AI211", span, "not-affine", arrays=tuple(moved))
    for request in requests:
        location = Span(span.path, request.line, request.line)
        size = request.size_bytes
        step = request.step_bytes
        if request.space is MemorySpace.SHARED:
            if request.conflict_ways >= 2:
                apart: dict[str, Field] = {"step_bytes": step} if step else {}
                form, ways = "strided" if step else "conflicts", float(request.conflict_ways)
                yield Assumption.of("AI407", location, form, reference=request.text, ways=ways, **apart)
        elif step and abs(step) > size and request.efficiency < _SHOWN_EFFICIENCY:
            yield Assumption.of(
                "AI406",
                location,
                "apart",
                reference=request.text,
                step_bytes=abs(step),
                sectors=float(request.sectors_per_request),
                efficiency=float(request.efficiency),
            )
