"""How a launch fills a GPU: blocks that a multiprocessor holds at once, and waves of them.

Registers of a thread are given, or predicted for GPUs of NVIDIA (:mod:`...registers.prediction`).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, prod

from ...ir.launches import Launch, Registers
from ...ir.nodes import Assumption
from ...ir.nodes import Mapping as LoopMapping
from ...source import Span
from ..hierarchy import REGISTERS_TOGETHER, GpuShape
from ..program.program import Program
from ..program.schedules.lockstep import BLOCKS, THREADS
from ..results import Occupancy
from .threads.phases import barriers_of

_MANY_WAVES = 8  # from so many waves on, the last one is not reported
_SHOWN_TAIL = 1.1  # a last wave is reported where it lengthens the run by more; no number depends on either


def occupancy_of(program: Program, shape: GpuShape, shared: int, units: int, launch: Launch | None) -> Occupancy:
    """Return the resident blocks of one multiprocessor, and the waves of the grid on ``units`` of them.

    Limits are threads, blocks, ``shared`` bytes of a block, and registers of a thread.  Those that are predicted are no
    more than a block can have that runs at all.
    """
    extents = _extents(program)
    threads = prod(extent for mapping, extent in extents.items() if mapping in THREADS)
    grid = prod(extent for mapping, extent in extents.items() if mapping in BLOCKS)
    warps = max(1, -(-threads // shape.warp_threads))
    limits = {
        "threads": shape.most_threads // (warps * shape.warp_threads),
        "blocks": shape.most_blocks,
    }
    if shared and shape.shared_bytes:
        limits["shared memory"] = shape.shared_bytes // shared
    registers = None
    if shape.registers and launch is not None:
        together = REGISTERS_TOGETHER * shape.warp_threads
        most = max(1, shape.registers // (together * warps)) * REGISTERS_TOGETHER
        registers = _registers(launch, most, shape)
    if registers is not None and shape.registers:
        of_warp = ceil(registers.likely / REGISTERS_TOGETHER) * together
        limits["registers"] = shape.registers // (of_warp * warps)
    limit = min(limits, key=lambda name: limits[name])
    resident = max(1, limits[limit])
    waves, barriers = grid / (resident * units), barriers_of(program) / max(1, grid)
    is_predicted = launch is not None and launch.registers is None
    return Occupancy(resident, resident * warps, limit, waves, barriers, 1.0, registers, is_predicted)


def _registers(launch: Launch, most: int, shape: GpuShape) -> Registers | None:
    """Return the registers of a thread, those that are predicted as far as there are so many for each of a block."""
    if launch.registers is not None:
        return Registers(launch.registers, launch.registers, launch.registers)
    found = dict(launch.predicted_registers).get(shape.free_registers or 0)
    if found is None:
        return None
    return Registers(min(found.likely, most), min(found.least, most), min(found.most, most))


def _extents(program: Program) -> dict[LoopMapping, int]:
    """Return the extents of the axes of a launch; a split axis has the product of the extents of its parts."""
    found: dict[LoopMapping, int] = {}
    for leaf in program.leaves:
        own: dict[LoopMapping, int] = {}
        for loop in leaf.loops:
            if loop.mapping in THREADS | BLOCKS:
                low, high = loop.range(())
                own[loop.mapping] = own.get(loop.mapping, 1) * (int(high) - int(low) + 1)
        for mapping, extent in own.items():
            found[mapping] = max(found.get(mapping, 1), extent)
    return found


def filling_notes(occupancy: Occupancy, span: Span) -> Iterator[Assumption]:
    """Yield the notes on a grid that leaves multiprocessors idle."""
    waves, most = occupancy.waves, occupancy.blocks_per_unit
    if waves * most < 1:
        yield Assumption.of("AI408", span, "few-blocks", idle=float(1 - waves * most))
    elif waves < 1:
        yield Assumption.of("AI408", span, "part", blocks=float(waves * most), most=most)
    elif waves < _MANY_WAVES and ceil(waves) / waves > _SHOWN_TAIL:
        idle = 1 - waves / ceil(waves)
        form = "tail" if occupancy.registers is None else "tail-with-registers"
        yield Assumption.of("AI408", span, form, waves=float(waves), most=most, idle=float(idle))
