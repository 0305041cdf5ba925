"""A machine's caches as the traffic models want them.

Input: a machine and the cores in use.  Output: a :class:`~analyzer.traffic.hierarchy.Hierarchy`, None where there is
nothing to model: a machine without caches, and GPUs and TPUs, whose levels follow other rules.

Cores in use are spread over the instances of a level (as in :mod:`roofline.machine`), so that ``n`` of them leave
``ceil(n / instances)`` to share each.  A cache on the memory side holds whatever was read, and so counts as inclusive.
Where a level states no line size that of the level inside it holds.
"""

from __future__ import annotations

from analyzer.traffic.hierarchy import CacheLevel, Hierarchy
from analyzer.traffic.hierarchy import Inclusion as Held

from .hardware import Inclusion, Level, MachineKind
from .machine import Machine

_LINE_BYTES = 64


def hierarchy_of(machine: Machine, cores: int | None = None) -> Hierarchy | None:
    """The caches that ``cores`` cores (all by default) work with; raises MachineError for more than there are."""
    used = machine.unit_count(cores)
    if machine.kind is not MachineKind.CPU or not machine.levels:
        return None
    line_bytes = next((level.line_bytes for level in machine.levels if level.line_bytes), _LINE_BYTES)
    levels = []
    for level in machine.levels:
        line_bytes = level.line_bytes or line_bytes
        levels.append(_level(level, used, line_bytes))
    return Hierarchy(tuple(levels), machine.memory.name, used)


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
