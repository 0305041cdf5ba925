"""A machine's caches as the traffic models want them.

Input: a machine and the cores in use.  Output: a :class:`~analyzer.traffic.hierarchy.Hierarchy`, None where there is
nothing to model: a machine without caches, TPUs, whose levels follow other rules, and GPUs whose file states no sectors
and warps.  The lines of a GPU's caches are
its sectors; its L1 serves one thread block at a time.

Cores in use are spread over the instances of a level (as in :mod:`roofline.machine.machine`), so that ``n`` of them
leave
``ceil(n / instances)`` to share each.  A cache on the memory side holds whatever was read, and so counts as inclusive.
Where a level states no line size that of the level inside it holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.traffic.hierarchy import CacheLevel, GpuShape, Hierarchy
from analyzer.traffic.hierarchy import Inclusion as Held

from ..machine.hardware import Gpu, Inclusion, Level, MachineKind
from ..machine.machine import Machine

_MOST_THREADS, _MOST_BLOCKS = 2048, 32  # of an SM: V100, A100, H100 (CUDA C++ Programming Guide, specifications)


def hierarchy_of(machine: Machine, cores: int | None = None) -> Hierarchy | None:
    """Return the caches that ``cores`` cores (all by default) work with.

    Raises MachineError for more than there are.
    """
    used = machine.unit_count(cores)
    if machine.kind is MachineKind.TPU or not machine.levels:
        return None
    if machine.kind is MachineKind.GPU:
        return None if machine.gpu is None else _of_gpu(machine, machine.gpu, used)
    line_bytes = machine.line_bytes
    levels = []
    for level in machine.levels:
        line_bytes = level.line_bytes or line_bytes
        levels.append(_level(level, used, line_bytes))
    return Hierarchy(tuple(levels), machine.memory.name, used)


def _of_gpu(machine: Machine, gpu: Gpu, used: int) -> Hierarchy:
    levels = tuple(
        CacheLevel(level.name, level.capacity_bytes, None, gpu.sector_bytes, per_block=level.shared_by == 1)
        for level in machine.levels
    )
    shape = GpuShape(
        gpu.warp_size,
        gpu.sector_bytes,
        gpu.shared_banks or gpu.warp_size,
        gpu.max_threads_per_unit or _MOST_THREADS,
        gpu.max_blocks_per_unit or _MOST_BLOCKS,
        gpu.shared_memory_bytes or 0,
        shared_in_l1=_holds_shared(levels, gpu.shared_memory_bytes or 0),
        registers=gpu.registers_per_unit,
        fetch_bytes=gpu.memory_fetch_bytes or gpu.sector_bytes,
        partitions=machine.levels[-1].partitions,
    )
    return Hierarchy(levels, machine.memory.name, used, shape)


def _holds_shared(levels: Sequence[CacheLevel], shared_bytes: int) -> bool:
    """Return whether shared memory is a part of L1: on AMD's GPUs it is a memory apart, and larger."""
    return bool(levels) and levels[0].capacity_bytes >= shared_bytes


def _level(level: Level, used: int, line_bytes: int) -> CacheLevel:
    return CacheLevel(
        level.name,
        level.capacity_bytes,
        level.ways,
        line_bytes,
        Held.VICTIM if level.inclusion is Inclusion.VICTIM else Held.INCLUSIVE,
        -(-used // level.instances),
        level.effective,
    )


def held_inside(machine: Machine, level: str, cores: int | None) -> int:
    """Return the most bytes that the caches inside a level hold, of all cores in use together."""
    units, found = machine.unit_count(cores), 0
    for cache in machine.levels:
        if cache.name == level:
            break
        found += cache.capacity_bytes * -(-units // cache.shared_by)
    return found
