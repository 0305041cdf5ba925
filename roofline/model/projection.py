"""The roofline: what a machine makes of a region's work and bytes.

``P = min(P_ceiling, I_k * b_k)`` over the memory levels k for which bytes are known (Williams, Waterman, Patterson,
*Roofline*, CACM 52(4), 2009; hierarchical form: Yang et al., *Hierarchical roofline analysis*, arXiv 2009.02449).

* The compute ceiling is that for the mix of precisions and the FMA share (:mod:`.ceilings`), on a CPU at most the
  core's throughput (:mod:`.incore`).
* Every level has the bytes that the model of the caches finds (:mod:`.level_bytes`).  Without one they follow a
  convention (:class:`~analyzer.traffic.results.Convention`) and move over the outermost level; the register-level
  references move over the innermost one.
* A region without FLOPs is bound by its bytes: bytes/s and iterations/s.
* The time is a lower bound.  On a GPU, whose kernels often do what data decide, it is that of the FLOPs and bytes that
  are certain, and may be less than the attainable rate tells; what may stay in the last cache at the end is not.
* *Too close to call*: the intensity is within the uncertainty of the ridge, taken as the largest ratio between the
  stated figures (theoretical and measured) of the bandwidth or of the peak, at least 5 %.

Everything is worked out for known sizes, and as limits for large symbols where sizes are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from analyzer.domains.quantity import Quantity, add
from analyzer.domains.quasipolynomial import Count
from analyzer.profile import RegionProfile
from analyzer.traffic.hierarchy import Hierarchy
from analyzer.traffic.results import CacheTraffic, Convention, RegionTraffic

from ..machine.figures import Basis
from ..machine.machine import Machine
from ..machine.units import Bandwidth, FlopRate, Intensity, Time
from .ceilings import Ceiling, compute_ceilings, core_of, effective_ceiling, fma_share
from .ecm import Ecm, ecm_of
from .gpu import SHARED, InstructionRoof, instruction_roof
from .incore import CoreBound
from .intensity import Ratio, ratio
from .level_bytes import LevelBytes, Moved, ProjectionOptions, Target, in_force, level_bytes, moved_bytes
from .levels import LevelBound, level_bounds
from .reasons import (
    AgainstRidge,
    IntensityFalls,
    IntensityGrows,
    LongestPart,
    NoBandwidth,
    NoFlops,
    NoPeak,
    NothingCounted,
    NoTraffic,
    Reason,
)
from .scaling import Scaling, scaling_of

__all__ = [
    "Bound",
    "Ceiling",
    "LevelBound",
    "Moved",
    "Projection",
    "ProjectionOptions",
    "Ratio",
    "fma_share",
    "moved_bytes",
    "project",
    "ratio",
]

_LEAST_UNCERTAINTY = 1.05
NO_TRAFFIC = RegionTraffic()


class Bound(Enum):
    """What limits a region."""

    MEMORY = "memory"
    COMPUTE = "compute"
    NOTHING = "nothing"
    UNKNOWN = "unknown"


class Projection(Struct, frozen=True, kw_only=True, dict=True):
    """A region on a machine. Rates and times are None where they depend on sizes that are not known.

    ``hierarchy`` are the caches in force, ``traffic`` what moves between them, and ``served`` the bytes of each level
    as stores behave on this machine; None and () where caches are not modelled.  ``in_sequence``: the time is the sum
    over ``parts``, those of the region, and the rate follows from it.
    """

    machine: Machine
    options: ProjectionOptions
    hierarchy: Hierarchy | None
    traffic: CacheTraffic | None
    served: LevelBytes
    moved: Moved
    intensity: Ratio
    levels: tuple[LevelBound, ...]
    ceilings: tuple[Ceiling, ...]
    ceiling: Ceiling | None
    core: CoreBound | None
    instructions: InstructionRoof | None
    ecm: Ecm | None
    bound: Bound
    level: str | None
    attainable: FlopRate | None
    attainable_range: tuple[FlopRate, FlopRate] | None
    bandwidth_rate: Bandwidth | None
    iterations_per_s: float | None
    time: Time | None
    close_call: bool
    reason: Reason
    in_sequence: bool = False
    parts: tuple[Projection, ...] = ()

    @cached_property
    def scaling(self) -> Scaling | None:
        """The attainable rates over the cores; None where there is no rate or nothing to scale."""
        numbers = [(level, level.intensity.number) for level in self.levels]
        known = [(level.level, Intensity(float(number) * level.beside)) for level, number in numbers if number]
        if self.attainable is None or self.ceiling is None or not known:
            return None
        options, ceiling = self.options, (self.ceiling.name, self.ceiling.rate)
        return scaling_of(self.machine, options.basis, options.cores, ceiling, known)


def project(
    profile: RegionProfile,
    target: Target,
    traffic: RegionTraffic = NO_TRAFFIC,
    parts: Sequence[Projection] = (),
    like: Projection | None = None,
) -> Projection:
    """Project a region onto a machine; ``parts`` are the projections of its parts, where they were made already.

    Parts run one after the other: their times add up.  ``like`` is a projection of the same region onto the same
    machine with other bytes or options, from which what does not depend on them is taken.
    """
    found = parts or _parts(profile, target, traffic, like)
    if len(found) == 1:
        return found[0]
    whole = _project(profile, target, in_force(traffic, target.options, target.hierarchy), found, like)
    return _in_sequence(whole, profile, found) if found else whole


def _parts(profile: RegionProfile, target: Target, traffic: RegionTraffic, like: Projection | None) -> list[Projection]:
    pairs = list(paired(profile, traffic))
    likes = (like,) * len(pairs) if like is None or len(pairs) == 1 else like.parts
    return [project(part, target, moved, like=own) for (part, moved), own in zip(pairs, likes, strict=True)]


def paired(profile: RegionProfile, traffic: RegionTraffic) -> Iterator[tuple[RegionProfile, RegionTraffic]]:
    """Yield each part of a region with its traffic."""
    return zip(profile.parts, traffic.parts or (NO_TRAFFIC,) * len(profile.parts), strict=False)


def _in_sequence(whole: Projection, profile: RegionProfile, parts: Sequence[Projection]) -> Projection:
    """Return the projection of a region whose parts run one after the other: the sum of their times.

    What binds the part that takes longest binds the region.
    """
    seconds = [part.time.value if part.time is not None else 0.0 for part in parts]
    nests = parts[: len(profile.nests)]
    unknown = any(part.time is None and part.bound is not Bound.NOTHING for part in nests)
    total, flops = sum(seconds), _value(profile.work.flops.estimate, profile.values)
    if unknown or flops is None or not total:
        return replace(whole, time=None, parts=tuple(parts))
    longest = max(range(len(parts)), key=seconds.__getitem__)
    main, span = parts[longest], profile.parts[longest].span
    size = _value(whole.moved.total.estimate, profile.values)
    return replace(
        whole,
        bound=main.bound,
        level=main.level,
        attainable=FlopRate(flops / total) if flops else None,
        attainable_range=_range_in_sequence(profile, parts, seconds) if flops else None,
        bandwidth_rate=Bandwidth(size / total) if size and not flops else None,
        iterations_per_s=None,
        time=Time(total),
        close_call=main.close_call,
        reason=LongestPart(seconds[longest] / total, span.line, span.end_line, main.reason),
        in_sequence=True,
        parts=tuple(parts),
    )


def _range_in_sequence(
    profile: RegionProfile, parts: Sequence[Projection], seconds: Sequence[float]
) -> tuple[FlopRate, FlopRate] | None:
    """Return the rates over all parts where each has the lower, or the upper, of the rates that it may have."""
    flops = float(profile.work.flops.estimate.evaluate(profile.values))
    ends = []
    for end in (0, 1):
        times = [
            time * part.attainable.value / part.attainable_range[end].value
            if part.attainable is not None and part.attainable_range is not None and part.attainable_range[end].value
            else time
            for part, time in zip(parts, seconds, strict=True)
        ]
        ends.append(FlopRate(flops / sum(times)))
    return None if all(part.attainable_range is None for part in parts) else (ends[0], ends[1])


def _project(
    profile: RegionProfile,
    target: Target,
    traffic: CacheTraffic | None,
    parts: Sequence[Projection],
    like: Projection | None,
) -> Projection:
    machine, options = target.machine, target.options
    requests = () if traffic is None else traffic.requests
    served = level_bytes(traffic, options, machine, profile.values)
    moved = moved_bytes(profile, options, machine, levels=served, parts=[part.moved for part in parts])
    if like is not None and like.options.reassociate == options.reassociate:
        core, instructions = like.core, like.instructions
    else:
        core = core_of(profile, machine, options.cores, reassociate=options.reassociate)
        instructions = instruction_roof(profile, requests, machine, options.cores)
    return _Verdict(
        profile=profile,
        target=target,
        traffic=traffic,
        moved=moved,
        served=served,
        core=core,
        ceilings=compute_ceilings(profile, machine, options.basis, options.cores, core),
        levels=level_bounds(profile, target, requests, moved, served),
        instructions=instructions,
    ).projection()


class _Verdict(Struct, frozen=True, kw_only=True):
    """Puts the parts together and says why."""

    profile: RegionProfile
    target: Target
    traffic: CacheTraffic | None
    moved: Moved
    served: LevelBytes
    core: CoreBound | None
    ceilings: tuple[Ceiling, ...]
    levels: tuple[LevelBound, ...]
    instructions: InstructionRoof | None

    @property
    def machine(self) -> Machine:
        return self.target.machine

    @property
    def options(self) -> ProjectionOptions:
        return self.target.options

    def projection(self) -> Projection:
        if self._is_none(self.profile.work.flops) or any(level.intensity.number == 0 for level in self.levels):
            return self._without_flops()
        ceiling = effective_ceiling(self.profile, self.ceilings)
        numbered = [level for level in self.levels if level.rate is not None]
        binding = min(numbered, key=lambda level: level.rate.value if level.rate else 0.0, default=None)
        outer = next((level for level in self.levels if level.level == self.machine.memory.name), None)
        grows = outer is not None and outer.intensity.value is not None and outer.intensity.power != 0
        if outer is not None and grows:
            return self._growing(ceiling, outer)
        if ceiling is not None and self._moves_nothing():
            return self._make(ceiling, Bound.COMPUTE, None, ceiling.rate, NoTraffic(ceiling))
        if binding is None or binding.rate is None or ceiling is None:
            return self._make(ceiling, Bound.UNKNOWN, None, None, self._missing(ceiling))
        attainable = min(ceiling.rate, binding.rate, key=lambda rate: rate.value)
        memory = attainable is binding.rate
        close = self._is_close(ceiling, binding)
        return self._make(
            ceiling,
            Bound.MEMORY if memory else Bound.COMPUTE,
            binding,
            attainable,
            self._reason(ceiling, binding, memory, close),
            close,
        )

    def _make(
        self,
        ceiling: Ceiling | None,
        bound: Bound,
        binding: LevelBound | None,
        attainable: FlopRate | None,
        reason: Reason,
        close: bool = False,
    ) -> Projection:
        flops = _value(self.profile.work.flops.estimate, self.profile.values)
        time = None if flops is None or attainable is None else flops / attainable
        if self.machine.gpu is not None and time is not None:
            time = self._certain_time(ceiling, time)
        per_iteration = self.profile.per_iteration
        iterations = None
        if attainable is not None and per_iteration is not None and per_iteration.flops:
            iterations = attainable.value / float(per_iteration.flops)
        return Projection(
            machine=self.machine,
            options=self.options,
            hierarchy=self.target.hierarchy,
            traffic=self.traffic,
            served=self.served,
            moved=self.moved,
            intensity=ratio(self.profile, self.profile.work.flops, self.moved.total),
            levels=self.levels,
            ceilings=self.ceilings,
            ceiling=ceiling,
            core=self.core,
            instructions=self.instructions,
            ecm=ecm_of(self.profile, self.machine, self.core, self.served, self.options.basis),
            bound=bound,
            level=binding.level if binding is not None and bound is Bound.MEMORY else None,
            attainable=attainable,
            attainable_range=self._range(ceiling, binding),
            bandwidth_rate=None,
            iterations_per_s=iterations,
            time=time,
            close_call=close,
            reason=reason,
        )

    def _range(self, ceiling: Ceiling | None, binding: LevelBound | None) -> tuple[FlopRate, FlopRate] | None:
        """Attainable rates at both ends of an intensity that is an interval."""
        if ceiling is None or binding is None or binding.intensity.lower is None:
            return None
        ends = (binding.intensity.lower, binding.intensity.upper)
        rates = [
            ceiling.rate
            if end is None
            else min(ceiling.rate, binding.bandwidth.rate * Intensity(float(end)), key=lambda rate: rate.value)
            for end in ends
        ]
        return (rates[0], rates[1])

    def _without_flops(self) -> Projection:
        """No FLOPs: the bytes over the memory bandwidth are the bound."""
        outer = self._slowest()
        if outer is None or self._is_none(outer.bytes):
            return self._make(None, Bound.NOTHING, None, None, NothingCounted())
        size = _value(outer.bytes.estimate, self.profile.values)
        rate = outer.bandwidth.rate
        made = self._make(None, Bound.MEMORY, outer, None, NoFlops(outer.level, outer.bandwidth))
        time = None if size is None else size / rate
        if self.machine.gpu is not None and time is not None:
            time = self._certain_time(None, time)
        return replace(
            made,
            bandwidth_rate=rate,
            iterations_per_s=self._iterations_per_s(outer),
            time=time,
        )

    def _iterations_per_s(self, level: LevelBound) -> float | None:
        """Return iterations of the innermost loop per second, at the bytes of a level that belong to one of them."""
        one, register = self.profile.per_iteration, self.profile.register_traffic
        if one is None:
            return None
        references = add((register.read_bytes, register.write_allocate_bytes, register.write_bytes))
        share = ratio(self.profile, level.bytes, references).number
        moved = float(one.load_bytes + one.store_bytes) * float(share or 0)
        return level.bandwidth.rate.value / moved if moved else None

    def _certain_time(self, ceiling: Ceiling | None, estimate: Time) -> Time:
        """The time that the fewest FLOPs, bytes and instructions take; the estimate where nothing is certain."""
        values = self.profile.values
        modelled = self.moved.convention is Convention.CACHED
        levels = [level for level in self.levels if modelled or level.level == self.machine.memory.name]
        flops = self.profile.work.flops
        for ends in ("lower", "estimate"):
            sizes = [(_value(getattr(level.bytes, ends), values), level.bandwidth.rate) for level in levels]
            seconds = [(size / rate).value for size, rate in sizes if size is not None]
            work = _value(getattr(flops, ends), values)
            if ceiling is not None and work is not None:
                seconds.append((work / ceiling.rate).value)
            roof = self.instructions
            if roof is not None and roof.warp_instructions:
                seconds.append(roof.warp_instructions / roof.rate.value)
            if any(seconds):
                return Time(max(seconds))
        return estimate

    def _slowest(self) -> LevelBound | None:
        """The level that takes longest for its bytes; the memory where that is not known."""
        memory = next((level for level in self.levels if level.level == self.machine.memory.name), None)
        seconds = [
            (size / level.bandwidth.rate.value, level)
            for level in self.levels
            if (size := _value(level.bytes.estimate, self.profile.values)) is not None
        ]
        if self.moved.convention is not Convention.CACHED or len(seconds) < len(self.levels):
            return memory
        return max(seconds, key=lambda pair: pair[0])[1] if seconds else memory

    def _growing(self, ceiling: Ceiling | None, outer: LevelBound) -> Projection:
        """Intensity depends on sizes that are not known: say how, and where the ridge is crossed."""
        value, power = outer.intensity.value, outer.intensity.power
        names = sorted(self.profile.work.flops.estimate.symbols - self.profile.values.keys())
        symbol = names[0] if len(names) == 1 else None
        factor = float(value or 0)
        if power < 0 or ceiling is None or not value:
            return self._make(ceiling, Bound.UNKNOWN, None, None, IntensityFalls(symbol, factor, power))
        inner = min((level for level in self.levels if level.rate), key=_rate_of, default=None)
        memory = inner is not None and inner.rate is not None and inner.rate < ceiling.rate
        limit = inner.rate if memory and inner is not None and inner.rate is not None else ceiling.rate
        reason = IntensityGrows(
            symbol=symbol,
            factor=factor,
            power=power,
            level=outer.level,
            threshold=((limit / outer.bandwidth.rate).value / factor) ** (1 / power),
            beyond=inner.level if memory and inner is not None else None,
            ceiling=ceiling,
        )
        return self._make(ceiling, Bound.MEMORY if memory else Bound.COMPUTE, inner if memory else None, limit, reason)

    def _moves_nothing(self) -> bool:
        """Whether no level has any bytes to move."""
        return self._is_none(self.moved.total) and all(self._is_none(level.bytes) for level in self.levels)

    def _is_none(self, quantity: Quantity) -> bool:
        """Whether there is nothing of a quantity, whatever the sizes or at the known ones."""
        return quantity.upper.is_zero or _value(quantity.upper, self.profile.values) == 0

    def _missing(self, ceiling: Ceiling | None) -> Reason:
        if ceiling is None:
            return NoPeak(self.machine.name, tuple(self.profile.work.flops_by_precision))
        return NoBandwidth(self.machine.name, self.machine.memory.name)

    def _is_close(self, ceiling: Ceiling, binding: LevelBound) -> bool:
        if binding.rate is None or not binding.rate.value:
            return False
        apart = binding.rate.value / ceiling.rate.value
        uncertainty = self._uncertainty(binding.level)
        return 1 / uncertainty < apart < uncertainty

    def _uncertainty(self, level: str) -> float:
        """Largest ratio between the stated figures of the bandwidth, and of the peaks in use."""
        spread = [_LEAST_UNCERTAINTY]
        if level != SHARED:
            rates = [self.machine.bandwidth(level, basis, self.options.cores) for basis in Basis]
            values = [chosen.rate.value for chosen in rates if chosen is not None]
            spread.append(max(values) / min(values))
        for precision in self.profile.work.flops_by_precision:
            if self.machine.peak_of(precision.value) is None:
                continue
            peaks = [self.machine.peak(precision.value, kind=basis, cores=self.options.cores) for basis in Basis]
            known = [peak.value for peak in peaks if peak is not None]
            if known:
                spread.append(max(known) / min(known))
        return max(spread)

    def _reason(self, ceiling: Ceiling, binding: LevelBound, memory: bool, close: bool) -> AgainstRidge:
        return AgainstRidge(
            below=memory,
            level=binding.level,
            outermost=binding.level == self.machine.memory.name,
            intensity=float(binding.intensity.number or 0),
            ridge=ceiling.rate / binding.bandwidth.rate,
            ceiling=ceiling,
            bandwidth=binding.bandwidth,
            close=close,
        )


def _value(count: Count, values: Mapping[str, int]) -> float | None:
    return float(count.evaluate(values)) if count.symbols <= values.keys() else None


def _rate_of(level: LevelBound) -> float:
    return level.rate.value if level.rate is not None else float("inf")
