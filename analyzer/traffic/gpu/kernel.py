"""Bytes of a kernel at the levels of a GPU: L1 by the sectors of requests, L2 by the misses of blocks, then DRAM.

* L1 serves the sectors that the warps' requests ask for (:mod:`.requests`).
* Registers hold arrays of a thread with constant indices (:mod:`..register_arrays`), :mod:`.local_memory` has others.
* L2 serves the misses of L1.  A block hits in L1 only on its own loads: reuse between blocks always misses
  there.  The resident blocks of a multiprocessor share its L1, less their shared memory.  Stores go through.  A barrier
  of the whole device (``grid.sync()``, ``__threadfence()``) empties it.
* Memory sends some sectors together (:attr:`..hierarchy.GpuShape.fetch_bytes`): of affine references what no other one
  wants is read as well, once for each first use.
* DRAM serves the misses of L2, with as many blocks in step as the GPU holds at once, in the order of their numbers;
  L2 writes back, and a sector that is written is not read first.

Lines are sectors throughout. Reuse within L1 and L2 is that of :mod:`..reuse.strata`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...diagnostics import Field
from ...ir.index import const, var
from ...ir.nodes import Assumption, Barrier, Loop, MemorySpace, Node, Region, Statement, Strided
from ...ir.passes.drivers import outermost_loops
from ...ir.passes.given import uses_given, without_given
from ...ir.traverse import map_bodies
from ...ir.types import INT32
from ...ir.values import Access, Load
from ...source import NO_SPAN, Span
from ..hierarchy import CacheLevel, GpuShape, Hierarchy
from ..level_bytes import TrafficBytes
from ..program.layout import lay_out
from ..program.lines.lines import executions
from ..program.program import CountedLoop, Program
from ..program.schedules.lockstep import in_lockstep
from ..results import Occupancy, Request
from ..reuse.irregular import Floats
from ..reuse.strata import Misses, Strata
from ..simulation.simulate import NotFollowed
from .active_lanes import active_lanes, lanes_of_requests
from .given.levels import simulated_levels
from .given.threads import Threads
from .level_traffic import ServedSectors, asked_sectors
from .local_memory import local_sectors
from .occupancy import filling_notes, occupancy_of
from .padding import with_paddings
from .random_sectors import Sharing, with_distinct_sectors
from .requests import WarpShape, requests_of
from .threads.split_thread_axes import with_split_axes
from .waves import cached_program, common_misses, first_uses, sectors_beside

_MOST_COMPUTED = 1 << 21
"""Executions of references up to which warps are followed though all arrays are known: a second."""
_PASS_BYTES = 128  # of all banks in a cycle (CUDA C++ Programming Guide, shared memory); it orders notes alone
_OTHER_LINES = "lines that empty L1"
_SHOWN_EFFICIENCY = 0.5  # a note names requests that use less of their sectors; no number depends on it


class KernelTraffic(Struct, frozen=True):
    """Bytes of a kernel by level, the requests behind them, and how it fills the GPU."""

    moves: TrafficBytes
    requests: tuple[Request, ...]
    occupancy: Occupancy


def kernel_traffic(region: Region, hierarchy: Hierarchy, *, warm: bool = False) -> KernelTraffic:
    """Return the bytes, requests and occupancy of a kernel whose sizes and launch are numbers.

    The last cache holds nothing at the start, or what another launch of the kernel left if it is ``warm``.

    Raises :class:`~..program.program.NotNumeric` where the kernel cannot be laid out.
    """
    if not uses_given(region.body):
        return _modelled(region, hierarchy, warm=warm)
    try:
        return _followed(region, hierarchy, warm=warm)
    except NotFollowed as error:
        found = _modelled(without_given(region), hierarchy, warm=warm)
        moves = replace(found.moves, notes=(*found.moves.notes, error.note(region.span)))
        return replace(found, moves=moves)


def _followed(region: Region, hierarchy: Hierarchy, most: int | None = None, *, warm: bool) -> KernelTraffic:
    """Return the traffic of all warps of a kernel, simulated; raise ``NotFollowed`` beyond so many executions."""
    shape = hierarchy.gpu or GpuShape()
    split = with_split_axes(region)
    program = lay_out(split, unwrapped=True, pieces=False)
    threads = Threads(program, shape.warp_threads, shape.sector_bytes)
    shared = sum(array.size_bytes for array in program.arrays.values() if array.space is MemorySpace.SHARED)
    occupancy = occupancy_of(program, shape, shared, hierarchy.units, region.launch)
    caches = [_as_lru(level, shape, occupancy, shared) for level in hierarchy.levels]
    found = simulated_levels(threads, occupancy.blocks_per_unit * hierarchy.units, caches, most)
    requests = [
        tally.request(program.arrays[tally.reference.array], shape.sector_bytes, 1) for tally in threads.tallies
    ]
    if shared:
        in_step = lay_out(in_lockstep(split), unwrapped=True, pieces=False)
        warp = WarpShape(shape.warp_threads, shape.sector_bytes, shape.banks)
        requests += [each for each in requests_of(in_step, warp) if each.space is MemorySpace.SHARED]
    occupancy = replace(occupancy, active_lanes=lanes_of_requests(requests, shape.warp_threads))
    size = float(shape.sector_bytes)
    read, written = found.read[:, None] * size, found.written[:, None] * size
    fewer, dirty = np.zeros_like(read), np.zeros_like(written)
    least = found.least_read
    if warm and least + float(found.written[-1]) <= caches[-1].lines:
        read[-1] -= least * size
        written[-1] = 0.0
    if warm:
        least = max(0.0, least - caches[-1].lines)
    fewer[-1] = read[-1] - min(float(read[-1, 0]), least * size)
    dirty[-1] = min(float(written[-1, 0]), caches[-1].lines * size)
    if any(leaf.uncertain for leaf in program.leaves):
        fewer, dirty = read, written
    moves = TrafficBytes(
        "simulate",
        _one_column(program, region),
        hierarchy,
        read,
        np.zeros_like(read),
        written,
        fewer,
        np.zeros_like(read),
        np.hypot(found.read_error, found.written_error) / np.maximum(found.read + found.written, 1.0),
        (*_notes(program, requests, region.span, is_followed=True), *filling_notes(occupancy, region.span)),
        asked_sectors(hierarchy.levels[0].name, requests, shape.sector_bytes),
        (dirty, np.zeros_like(written)),
    )
    return KernelTraffic(moves, tuple(requests), occupancy)


def _modelled(region: Region, hierarchy: Hierarchy, *, warm: bool) -> KernelTraffic:
    """Return the traffic of a kernel whose references are affine, or taken to be anywhere.

    One with references that its counters alone decide, but not as affine ones, is followed where it is short.
    """
    shape = hierarchy.gpu or GpuShape()
    split = with_split_axes(region)
    in_step = in_lockstep(split)
    program = lay_out(in_step, unwrapped=True, pieces=False, computing=True)
    warp = WarpShape(shape.warp_threads, shape.sector_bytes, shape.banks)
    requests = with_paddings(tuple(requests_of(program, warp)), program, region.arrays, warp)
    shared = sum(array.size_bytes for array in program.arrays.values() if array.space is MemorySpace.SHARED)
    allocated = {} if region.launch is None else dict(region.launch.array_bytes)
    requests = with_distinct_sectors(requests, allocated)
    occupancy = occupancy_of(program, shape, shared, hierarchy.units, region.launch)
    occupancy = replace(occupancy, active_lanes=active_lanes(program, warp))
    program = cached_program(in_step)
    if _is_short_and_computed(program):
        with suppress(NotFollowed):
            return _followed(region, hierarchy, _MOST_COMPUTED, warm=warm)
    caches = [_as_lru(level, shape, occupancy, shared) for level in hierarchy.levels]
    private = Strata(_with_emptied(in_step, program, caches[0]), caches[:1], arrays=program.arrays.keys()).misses()
    common = common_misses(split, program, occupancy, hierarchy.units, caches[1:])
    levels = ServedSectors.of(program, caches, private, common, allocated, Sharing(shape, occupancy, hierarchy.units))
    innermost = asked_sectors(hierarchy.levels[0].name, requests, shape.sector_bytes)
    of_all = [request for request in requests if request.space is not MemorySpace.LOCAL]
    updated = sum(request.accesses for request in of_all if request.is_atomic and request.write)
    levels.bound_by(asked_sectors(hierarchy.levels[0].name, of_all, shape.sector_bytes), updated)
    levels.join_stores(requests)
    levels.add_local(local_sectors(program, requests, caches, occupancy, hierarchy))
    if any(leaf.uncertain for leaf in program.leaves):
        levels.limit_to_certain(*first_uses(_certain_part(in_step), shape.sector_bytes))
    levels.leave_dirty(caches[-1])
    if warm:
        levels.start_warm(caches[-1], *first_uses(program, shape.sector_bytes))
    if shape.sectors_together > 1:
        levels.fetch_together(sectors_beside(program, shape), shape.sectors_together)
    size = float(shape.sector_bytes)
    error = np.concatenate([_relative(private), common.error])
    notes = (*_notes(program, requests, region.span), *filling_notes(occupancy, region.span))
    moves = TrafficBytes(
        "analytic",
        _one_column(program, region),
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


def _one_column(program: Program, region: Region) -> Program:
    """Return a program with one child for all bytes: the nest that the kernel is, whichever loop is outermost in step.

    Of one block the threads have moved inwards, and the loops of the source are outside.
    """
    nests = {loop.source_iterator for loop in outermost_loops(region.body)}
    first = program.children[:1]
    if len(nests) == 1:
        nest = nests.pop()
        first = tuple(replace(child, nest=nest) if isinstance(child, CountedLoop) else child for child in first)
    return replace(program, children=first, origins=program.origins[:1])


def _is_short_and_computed(program: Program) -> bool:
    """Return whether counters alone decide all references, some not as affine ones, and few are executed."""
    irregular = [item for leaf in program.leaves for item in leaf.irregular]
    if not irregular or any(item.address is None for item in irregular):
        return False
    uses = (executions(leaf) * (len(leaf.references) + len(leaf.irregular)) for leaf in program.leaves)
    return sum(uses) <= _MOST_COMPUTED


def _certain_part(in_step: Region) -> Program:
    """Return the kernel without what data may skip."""
    program = cached_program(in_step)
    for leaf in program.leaves:
        leaf.references = () if leaf.uncertain else leaf.references
    return program


def _with_emptied(in_step: Region, program: Program, cache: CacheLevel) -> Program:
    """Return the program of a kernel that, at each barrier of the device, reads as many other lines as a cache holds.

    Of a cache that replaces the least recently used line nothing is left then.
    """

    if not any(leaf.barrier is Barrier.DEVICE for leaf in program.leaves):
        return program

    def changed(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(
            lines if isinstance(node, Statement) and node.barrier is Barrier.DEVICE else map_bodies(node, changed)
            for node in nodes
        )

    other = Access(_OTHER_LINES, (var(_OTHER_LINES),), (const(cache.line_bytes),), INT32)
    read = Statement(None, Load(other), NO_SPAN)
    lines = Loop(_OTHER_LINES, Strided(const(0), const(cache.lines)), (read,), NO_SPAN)
    return cached_program(replace(in_step, body=changed(in_step.body)))


def _as_lru(level: CacheLevel, shape: GpuShape, occupancy: Occupancy, shared: int) -> CacheLevel:
    """Return a level with sectors as lines; of L1 the share of one resident block."""
    capacity = level.capacity_bytes
    if level.per_block:
        resident = occupancy.blocks_at_once
        used = shared * resident if shape.shared_in_l1 else 0
        capacity = max(capacity - used, shape.sector_bytes) // resident
    return replace(level, capacity_bytes=max(capacity, shape.sector_bytes), ways=None, line_bytes=shape.sector_bytes)


def _relative(found: Misses) -> Floats:
    error: Floats = found.fill_error / np.maximum((found.read + found.written).sum(axis=0), 1.0)
    return error


def _wasted_bytes(request: Request) -> float:
    """Return the bytes over the path of L1 beyond the useful ones: of sectors, or of passes of the banks."""
    if request.space is MemorySpace.SHARED:
        return (request.passes - request.least_passes) * _PASS_BYTES
    return request.sectors * request.sector_bytes - request.useful_bytes


def _notes(
    program: Program, requests: Sequence[Request], span: Span, *, is_followed: bool = False
) -> Iterator[Assumption]:
    yield Assumption.of("AI305", span, "blocks")
    if is_followed:
        lines = [leaf.line for leaf in program.leaves if leaf.barrier is Barrier.DEVICE]
        yield from (Assumption.of("AI305", Span(span.path, line, line), "grid-barrier") for line in lines)
    yield from program.notes
    irregular = (item for leaf in program.leaves for item in leaf.irregular)
    arrays = {item.array for item in irregular if item.address is None or not is_followed}
    moved = sorted(array for array in arrays if program.arrays[array].space is MemorySpace.GLOBAL)
    if moved:
        yield Assumption.of("AI211", span, "not-affine", arrays=tuple(moved))
    padded = {request.array: request for request in requests if request.padding is not None}
    for array, request in padded.items():
        own = [each for each in requests if each.array == array]
        least = sum(each.least_passes for each in own)
        now, left = (sum(getattr(each, passes) for each in own) / least for passes in ("passes", "padded_passes"))
        where, padding = Span(span.path, request.line, request.line), request.padding or 0
        yield Assumption.of("AI407", where, "padding", array=array, padding=padding, ways=now, left=left)
    for request in sorted(requests, key=_wasted_bytes, reverse=True):
        location = Span(span.path, request.line, request.line)
        size = request.size_bytes
        step = request.step_bytes
        if request.space is MemorySpace.SHARED:
            if request.conflict_ways >= 2:
                apart: dict[str, Field] = {"step_bytes": step} if step and abs(step) > size else {}
                form, ways = "strided" if apart else "rows" if step else "conflicts", float(request.conflict_ways)
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
