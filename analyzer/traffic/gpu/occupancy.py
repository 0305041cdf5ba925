"""How a launch fills a GPU: blocks that a multiprocessor holds at once, and waves of them.

Registers come in portions of 256 for each warp (NVIDIA, *CUDA C++ Programming Guide*, compute capabilities; the unit of
:data:`_REGISTERS_TOGETHER` holds from compute capability 3.0 on).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, prod

from ...ir.nodes import Assumption
from ...ir.nodes import Mapping as LoopMapping
from ...source import Span
from ..hierarchy import GpuShape
from ..program.lockstep import BLOCKS, THREADS
from ..program.program import Program
from ..results import Occupancy

_MANY_WAVES, _SHOWN_TAIL = 8, 1.1
_REGISTERS_TOGETHER = 256


def occupancy_of(program: Program, shape: GpuShape, shared: int, units: int, registers: int | None) -> Occupancy:
    """Resident blocks of one multiprocessor by threads, blocks, shared memory, and registers where they are given."""
    extents = _extents(program)
    threads = prod(extent for mapping, extent in extents.items() if mapping in THREADS)
    grid = prod(extent for mapping, extent in extents.items() if mapping in BLOCKS)
    warps = -(-threads // shape.warp_threads)
    limits = {
        "threads": shape.most_threads // max(1, warps * shape.warp_threads),
        "blocks": shape.most_blocks,
    }
    if shared and shape.shared_bytes:
        limits["shared memory"] = shape.shared_bytes // shared
    if registers and shape.registers:
        of_warp = -(-registers * shape.warp_threads // _REGISTERS_TOGETHER) * _REGISTERS_TOGETHER
        limits["registers"] = shape.registers // (of_warp * warps)
    limit = min(limits, key=lambda name: limits[name])
    resident = max(1, limits[limit])
    return Occupancy(resident, resident * warps, limit, grid / (resident * units))


def _extents(program: Program) -> dict[LoopMapping, int]:
    """Extents of the axes of a launch; one that is split into digits has the product of theirs."""
    found: dict[LoopMapping, int] = {}
    for leaf in program.leaves:
        own: dict[LoopMapping, int] = {}
        for turn in leaf.loops:
            if turn.mapping in THREADS | BLOCKS:
                low, high = turn.range(())
                own[turn.mapping] = own.get(turn.mapping, 1) * (int(high) - int(low) + 1)
        for mapping, extent in own.items():
            found[mapping] = max(found.get(mapping, 1), extent)
    return found


def filling_notes(occupancy: Occupancy, span: Span) -> Iterator[Assumption]:
    """What is to say about the waves of a grid."""
    waves = occupancy.waves
    if waves < 1:
        yield Assumption.of("AI408", span, "few-blocks", waves=float(waves))
    elif waves < _MANY_WAVES and ceil(waves) / waves > _SHOWN_TAIL:
        idle = 1 - waves / ceil(waves)
        yield Assumption.of("AI408", span, "tail", waves=float(waves), idle=float(idle))
