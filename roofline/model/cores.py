"""How many cores run a nest: all in use where it is parallel or may be, as many as its source says, or one.

Input: a profile and a target.  Output: the target with the cores that the nest uses, no more than it has independent
iterations.  A loop inside of another one that nothing but its independence makes parallel, and that has few iterations
each time, runs on one: starting threads costs more than they save.  A machine that is no CPU uses all of its units.
"""

from __future__ import annotations

from msgspec.structs import replace

from analyzer.profile import RegionProfile

from ..machine.hardware import MachineKind
from .level_bytes import Target

# Below, gcc -ftree-parallelize-loops prefers one thread: GCC manual, parameter parloops-min-per-thread of an innermost
# loop; on 64 cores it is 6,400 iterations, some microseconds of one core, about what a barrier takes.
_LEAST_PER_CORE = 100


def on_cores(profile: RegionProfile, target: Target) -> Target:
    """Return the target with the cores that a nest uses of those in use."""
    found, options = profile.parallelism, target.options
    if found is None or target.machine.kind is not MachineKind.CPU:
        return target
    most = target.machine.unit_count(options.cores)
    one = found.is_of_one_core(reassociate=options.reassociate)
    used = 1 if one else min(most, found.threads or most, found.iterations or most)
    if found.executions is not None and found.executions < _LEAST_PER_CORE * used:
        used = 1
    return target if used == most else replace(target, options=replace(options, cores=used))
