"""The result of a projection: a region on a machine, with everything that its bound follows from.

Rates are in FLOP/s and bytes/s, times in seconds.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from analyzer.python.cached_property import cached_property
from analyzer.traffic.hierarchy import Hierarchy
from analyzer.traffic.results import CacheTraffic

from ...machine.machine import Machine
from ...machine.units import Bandwidth, FlopRate, Intensity, Time
from ..core.ceilings import Ceiling, CeilingName, ChainCeiling, CoreCycles, InstructionCeiling
from ..core.incore import CoreBound, Resource, Unit
from ..ecm import Ecm
from ..expectation.expected import Expected
from ..instructions import InstructionRoof
from ..intensity import Ratio
from ..level_bytes import LevelBytes, MovedBytes, ProjectionOptions
from ..levels import LevelBound
from .reasons import HeldUntil, Reason
from .scaling import Scaling, scaling_of


class Bound(StrEnum):
    """The kind of resource that limits a region.

    ``LATENCY``: values that wait for one another; ``ISSUE``: the loads, stores and instructions that a core can start.
    """

    MEMORY = "memory"
    COMPUTE = "compute"
    LATENCY = "latency"
    ISSUE = "issue"
    NOTHING = "nothing"
    UNKNOWN = "unknown"


BOUND_BY_CORE = frozenset((Bound.COMPUTE, Bound.LATENCY, Bound.ISSUE))
KIND_BY_CEILING = {CeilingName.ISSUE: Bound.ISSUE, CeilingName.LATENCY: Bound.LATENCY}


def kind_of(resource: Resource) -> Bound:
    """Return the kind of bound that a busy part of the core makes."""
    match resource.unit:
        case Unit.LATENCY | Unit.LOAD_LATENCY:
            return Bound.LATENCY
        case Unit.LOADS | Unit.STORES | Unit.MEMORY_OPERATIONS | Unit.FRONT_END:
            return Bound.ISSUE
        case _:
            return Bound.COMPUTE


def kind_of_ceiling(ceiling: Ceiling) -> Bound:
    """Return the kind of bound that a ceiling is: that of the busiest part of the core where it is the core's."""
    if isinstance(ceiling.source, CoreCycles):
        return kind_of(ceiling.source.bottleneck)
    return KIND_BY_CEILING.get(ceiling.name, Bound.COMPUTE)


class Projection(Struct, frozen=True, kw_only=True, dict=True):
    """A region on a machine. Rates and times are None where they depend on sizes that are not known.

    ``hierarchy`` are the caches in force, ``traffic`` the bytes between them, and ``served`` the bytes of each level
    as stores behave on this machine; None and () where caches are not modelled.  ``core`` are the fewest cycles,
    ``likely`` those of the code that a compiler would make.  ``time`` is what nothing beats, whatever conditions on
    data hold, ``estimated_time`` the least if they hold as estimated.  ``in_sequence``: the time is the sum over
    ``parts``, those of the region, and the rate follows from it.
    """

    machine: Machine
    options: ProjectionOptions
    hierarchy: Hierarchy | None
    traffic: CacheTraffic | None
    served: LevelBytes
    moved: MovedBytes
    intensity: Ratio
    levels: tuple[LevelBound, ...]
    ceilings: tuple[Ceiling, ...]
    ceiling: Ceiling | None
    core: CoreBound | None
    likely: CoreBound | None
    instructions: InstructionRoof | None
    held: InstructionCeiling | ChainCeiling | None
    ecm: Ecm | None
    expected: Expected | None
    bound: Bound
    level: str | None
    attainable: FlopRate | None
    attainable_range: tuple[FlopRate, FlopRate] | None
    bandwidth_rate: Bandwidth | None
    iterations_per_s: float | None
    time: Time | None
    estimated_time: Time | None
    close_call: bool
    reason: Reason
    in_sequence: bool = False
    parts: tuple[Projection, ...] = ()

    @property
    def seconds(self) -> float | None:
        """Return the expected time, else the least; None where it depends on sizes that are not known."""
        time = self.time if self.expected is None else self.expected.time
        return None if time is None else time.value

    @property
    def for_large_sizes(self) -> bool:
        """Return whether small sizes may run faster than the attainable rate.

        It follows from a limit of the intensity.
        """
        if self.time is None and isinstance(self.reason, HeldUntil):
            return True
        if self.attainable is None or self.time is not None:
            return False
        if self.bound in BOUND_BY_CORE and self.ceiling is not None:
            of_core = self.ceiling.is_core and self.core is not None and self.core.for_large_sizes
            return of_core or self.ceiling.name in (CeilingName.PARTIAL_FMA, CeilingName.NEEDED)
        decided = [level.intensity for level in self.levels if level.level == self.level]
        return any(not each.formula and not each.holds_for_all for each in decided)

    @cached_property
    def scaling(self) -> Scaling | None:
        """Return the attainable rates over the cores; None where there is no rate or nothing to scale."""
        numbers = [(level, level.intensity.number) for level in self.levels]
        known = [(level.level, Intensity(float(number) * level.store_factor)) for level, number in numbers if number]
        if self.attainable is None or self.ceiling is None or not known:
            return None
        if isinstance(self.reason, HeldUntil) and self.reason.intensity:
            known.append((self.reason.level, Intensity(self.reason.intensity)))
        options, ceiling = self.options, (self.ceiling.name, self.ceiling.rate)
        return scaling_of(self.machine, options.basis, options.cores, ceiling, known)
