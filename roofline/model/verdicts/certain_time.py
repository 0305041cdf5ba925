"""The time of a region that is certain: what its fewest FLOPs, bytes, cycles and instructions take at least."""

from __future__ import annotations

from analyzer.traffic.results import Convention

from ...machine.figures import Basis
from ...machine.machine import Machine
from ...machine.units import Bandwidth, Time
from ..core.ceilings import (
    arithmetic_ceiling,
)
from ..gpu.requests import SHARED
from ..hierarchies import held_inside
from ..intensity import value_of
from ..levels import LevelBound
from .parts import Parts


def least_bytes(parts: Parts, level: LevelBound) -> float | None:
    """Return the bytes of a level that are certain; None where they are not known.

    Of warm caches any may have been kept from the run before, whatever they replace: what the caches inside the
    level hold is neither read nor written in each run.  So it is where caches are not modelled and what runs
    before, or an earlier repetition, touches the same data.
    """
    values = parts.profile.values
    size = value_of(level.bytes.lower, values)
    runs = _runs_that_find_data(parts)
    moved = dict(parts.served or ((parts.target.machine.memory.name, parts.moved),)).get(level.level)
    if not runs or moved is None:  # no level holds anything of shared memory, or of a path
        return size
    sizes = [value_of(part.lower, values) for part in (moved.read, moved.write_allocate, moved.write)]
    if size is None or any(each is None for each in sizes):
        return size
    read, allocated, written = (each or 0.0 for each in sizes)
    held = held_inside(parts.target.machine, level.level, parts.target.options.cores) * runs
    return min(size, max(0.0, read + allocated - held) + max(0.0, written - held))


def _runs_that_find_data(parts: Parts) -> int:
    """Return the number of runs that may find data of the runs before in caches, though no bytes are spared for it.

    The bytes of what is repeated without a model of the caches are bounded by what these hold already.
    """
    if parts.served or parts.target.options.convention is not None:
        return int(parts.target.options.warm)
    return int(parts.profile.repetitions == 1 and (parts.target.options.warm or parts.profile.finds_data))


def certain_time(parts: Parts, estimate: Time) -> Time:
    """Return the time that the fewest FLOPs, bytes, cycles and instructions take, at most the estimate.

    Of bytes under a convention that was asked for nothing is certain: the estimate follows the convention.
    """
    modelled = parts.moved.convention is Convention.CACHED
    memory = parts.target.machine.memory.name
    in_core = parts.core_seconds
    by_ports = None if in_core is None else _level_by_ports(parts.target.machine)
    levels = [each for each in parts.levels if (modelled or each.level == memory) and each.level != by_ports]
    sizes = [(least_bytes(parts, level), _fastest(parts, level)) for level in levels]
    seconds = [(size / rate).value for size, rate in sizes if size is not None]
    ceiling = arithmetic_ceiling(parts.profile, parts.ceilings)
    work = _certain_flops(parts)
    if ceiling is not None and work is not None:
        seconds.append((work / ceiling.rate).value)
    if parts.core is not None and in_core is not None:
        seconds.append(parts.core.certain_seconds / parts.target.machine.unit_count(parts.target.options.cores))
    if parts.held is not None:
        seconds.append(parts.held.seconds)
    return min(estimate, Time(max(seconds, default=0.0)))


def _certain_flops(parts: Parts) -> float | None:
    """Return the FLOPs that the units of a peak do; on a CPU no calls, minima and signs, which may be cheaper.

    Of sums in any order none of what other iterations add as well.
    """
    work, values = parts.profile.work, parts.profile.values
    flops = value_of(work.flops.lower, values)
    done = [value_of(found.lower, values) for found in (work.flop_instructions, work.fma_instructions)]
    if flops is None or parts.target.machine.gpu is not None or None in done:
        return flops
    return min(flops, max(0.0, sum(each for each in done if each is not None) - _shared_additions(parts)))


def _shared_additions(parts: Parts) -> float:
    """Return how many additions sums in another order may share."""
    loops = parts.profile.inner_loops if parts.target.options.reassociate else ()
    runs = (value_of(inner.runs.estimate, parts.profile.values) or 0.0 for inner in loops)
    return sum(number * float(inner.least.repeated.shared) for number, inner in zip(runs, loops, strict=True))


def _level_by_ports(machine: Machine) -> str | None:
    """Return the innermost cache where the loads and stores of the core say more than its bytes; None elsewhere."""
    core, levels = machine.core, machine.levels
    known = core is not None and core.loads_per_cycle is not None and core.stores_per_cycle is not None
    return levels[0].name if known and levels else None


def _fastest(parts: Parts, level: LevelBound) -> Bandwidth:
    """Return the fastest rate that was measured of a level, with any pattern, where measured figures are wanted."""
    own = level.bandwidth.rate
    if level.level == SHARED or parts.target.machine.gpu is not None or parts.target.options.basis is Basis.THEORETICAL:
        return own
    chosen = parts.target.machine.greatest_bandwidth(level.level, parts.target.options.cores, measured=True)
    return own if chosen is None else max(own, chosen.rate)
