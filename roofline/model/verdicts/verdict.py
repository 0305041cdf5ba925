"""The bound of a region on a machine: the least of its ceiling and its memory roofs, and the reason.

Input: the bytes, roofs and ceilings of a region.  Output: its :class:`~.projected.Projection`.

* A region without FLOPs is bound by its bytes, or by the instructions of the core: bytes/s and iterations/s.
* The time is a lower bound, that of the FLOPs, bytes and cycles that are certain.  Where work depends on data it may be
  less than at the attainable rate.  Bytes that may stay in the last cache of a GPU at the end are not certain.
* *Too close to call*: the intensity is within the uncertainty of the ridge, taken as the largest ratio between the
  stated figures (theoretical and measured) of the bandwidth or of the peak, at least 5 %; or calls are counted whose
  data are in no footprint, so that more may move.
"""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from analyzer.quantities.quantity import Quantity, add

from ...machine.figures import Basis
from ...machine.units import FlopRate, Intensity, Time
from ..core.ceilings import (
    Ceiling,
    ChainCeiling,
    InstructionCeiling,
    cycles_of,
    effective_ceiling,
)
from ..core.incore import CoreBound
from ..ecm import ecm_of
from ..expectation.expected import Expected, expected_launch, expected_time
from ..gpu.requests import PATH, SHARED
from ..intensity import Ratio, intensity_of, share_of, value_of
from ..levels import LevelBound
from .certain_time import certain_time, least_bytes
from .parts import Parts
from .projected import KIND_BY_CEILING, Bound, Projection, kind_of, kind_of_ceiling
from .reasons import (
    AgainstRidge,
    CoreHolds,
    InstructionsHold,
    IntensityFalls,
    IntensityGrows,
    NoBandwidth,
    NoFlops,
    NoPeak,
    NothingCounted,
    NoTraffic,
    Reason,
)

_LEAST_UNCERTAINTY = 1.05  # of a bandwidth with one figure: a choice; a regime so near a ridge is called close


class Verdict(Parts, frozen=True, kw_only=True):
    """The projection that the parts lead to."""

    @property
    def _intensity(self) -> Ratio:
        """Return the intensity of the bytes in force."""
        return intensity_of(
            self.profile, self.moved.total, follows_convention=self.target.options.convention is not None
        )

    def projection(self) -> Projection:
        """Return the projection of the region."""
        if self._is_none(self.profile.work.flops) or any(level.intensity.number == 0 for level in self.levels):
            return self._without_flops()
        ceiling = effective_ceiling(self.profile, self.ceilings)
        numbered = [level for level in self.levels if level.rate is not None]
        binding = min(numbered, key=lambda level: level.rate.value if level.rate else 0.0, default=None)
        outer = next((level for level in self.levels if level.level == self.target.machine.memory.name), None)
        grows = outer is not None and bool(outer.intensity.formula)
        if outer is not None and grows:
            return self._growing(ceiling, outer)
        if ceiling is not None and self._moves_nothing():
            return self._make(ceiling, kind_of_ceiling(ceiling), None, ceiling.rate, NoTraffic(ceiling))
        if binding is None or binding.rate is None or ceiling is None:
            return self._make(ceiling, Bound.UNKNOWN, None, None, self._missing(ceiling))
        attainable = min(ceiling.rate, binding.rate, key=lambda rate: rate.value)
        memory = attainable is binding.rate
        spread = self._spread_around(ceiling, binding)
        return self._make(
            ceiling,
            Bound.MEMORY if memory else kind_of_ceiling(ceiling),
            binding,
            attainable,
            self._reason(ceiling, binding, memory, spread),
            spread is not None,
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
        flops = value_of(self.profile.work.flops.estimate, self.profile.values)
        estimated = None if flops is None or attainable is None else flops / attainable
        time = None if estimated is None else certain_time(self, estimated)
        per_iteration = self.profile.per_iteration
        iterations = None
        if attainable is not None and per_iteration is not None and per_iteration.flops:
            iterations = attainable.value / float(per_iteration.flops)
        return Projection(
            machine=self.target.machine,
            options=self.target.options,
            hierarchy=self.target.hierarchy,
            traffic=self.traffic,
            served=self.served,
            moved=self.moved,
            intensity=self._intensity,
            levels=self.levels,
            ceilings=self.ceilings,
            ceiling=ceiling,
            core=self.core,
            likely=self.likely,
            instructions=self.instructions,
            held=self.held,
            ecm=ecm_of(self.profile, self.target.machine, self.likely, self.served, self.target.options.basis),
            expected=self._expected(time),
            bound=bound,
            level=binding.level if binding is not None and bound is Bound.MEMORY else None,
            attainable=attainable,
            attainable_range=self._range(ceiling, binding),
            bandwidth_rate=None,
            iterations_per_s=iterations,
            time=time,
            estimated_time=estimated,
            close_call=close or (bound is not Bound.MEMORY and bool(self.profile.work.not_located)),
            reason=reason,
        )

    def _range(self, ceiling: Ceiling | None, binding: LevelBound | None) -> tuple[FlopRate, FlopRate] | None:
        """Return attainable rates at both ends of an intensity that is an interval."""
        if ceiling is None or binding is None or binding.intensity.lower is None:
            return None
        least = min(ceiling.rate, _rate_at(binding, binding.intensity.lower) or ceiling.rate)
        ends = [found.number if found.lower is None else found.upper for found in (e.intensity for e in self.levels)]
        most = [_rate_at(level, end) for level, end in zip(self.levels, ends, strict=True)]
        return (least, min((ceiling.rate, *(rate for rate in most if rate is not None))))

    def _without_flops(self) -> Projection:
        """Return the projection of a region without FLOPs: its bytes over the memory bandwidth are the bound."""
        outer = self._slowest()
        if outer is not None and self._is_none(outer.bytes):
            outer = None
        core, pace = self.core, None if outer is None else self._iterations_per_s(outer)
        if core is not None and self._core_holds(core, outer, pace):
            return self._by_core(core)
        held = self.held
        if held is not None and held.seconds > self._seconds_of(outer):
            return self._by_instructions(held)
        if outer is None:
            return self._make(None, Bound.NOTHING, None, None, NothingCounted())
        size = value_of(outer.bytes.estimate, self.profile.values)
        rate = outer.bandwidth.rate
        made = self._make(None, Bound.MEMORY, outer, None, NoFlops(outer.level, outer.bandwidth))
        timed = self._timed(made, None if size is None else size / rate)
        time, estimated = timed.time, timed.estimated_time
        if time is not None and estimated is not None and pace is not None and time.value:
            pace *= estimated / time
        return replace(timed, bandwidth_rate=rate, iterations_per_s=pace)

    def _timed(self, made: Projection, estimated: Time | None) -> Projection:
        """Return a projection with its estimated least time, what of that is certain, and the expected time."""
        time = None if estimated is None else certain_time(self, estimated)
        return replace(made, time=time, estimated_time=estimated, expected=self._expected(time))

    def _core_holds(self, core: CoreBound, level: LevelBound | None, pace: float | None) -> bool:
        """Return whether the core takes longer for its instructions than a level for its bytes."""
        seconds = self.core_seconds
        size = None if level is None else value_of(level.bytes.estimate, self.profile.values)
        if seconds is not None and (level is None or size is not None):
            return seconds > (0.0 if level is None else (size or 0.0) / level.bandwidth.rate.value)
        if level is not None and self._part_of_references(level) == 0:
            return True  # iterations outnumber bytes without bound
        units = self.target.machine.unit_count(self.target.options.cores)
        return pace is not None and len(self.profile.inner_loops) == 1 and units / core.seconds < pace

    def _by_core(self, core: CoreBound) -> Projection:
        """Return the projection of a region without FLOPs that the core's instructions bound."""
        units = self.target.machine.unit_count(self.target.options.cores)
        made = self._make(None, kind_of(core.bottleneck), None, None, CoreHolds(cycles_of(core)))
        inner_loops, values, seconds = self.profile.inner_loops, self.profile.values, self.core_seconds
        is_known = seconds is not None and all(
            value_of(inner.runs.estimate, values) is not None for inner in inner_loops
        )
        pace = units / core.seconds if len(inner_loops) == 1 else None
        return replace(self._timed(made, Time(seconds or 0.0) if is_known else None), iterations_per_s=pace)

    def _by_instructions(self, held: InstructionCeiling | ChainCeiling) -> Projection:
        """Return the projection of a kernel without FLOPs that its instructions, or a chain of them, bound."""
        kind = KIND_BY_CEILING.get(held.name, Bound.COMPUTE)
        made = self._make(None, kind, None, None, InstructionsHold(held))
        return self._timed(made, Time(held.seconds))

    def _seconds_of(self, level: LevelBound | None) -> float:
        """Return the time of the bytes of a level; of those that are certain where no more is known."""
        if level is None:
            return 0.0
        size = value_of(level.bytes.estimate, self.profile.values)
        return (least_bytes(self, level) or 0.0 if size is None else size) / level.bandwidth.rate.value

    def _expected(self, time: Time | None) -> Expected | None:
        if self.target.machine.gpu is None or self.traffic is None:
            uncached = (
                (self.target.machine.memory.name, self.moved),
            ) * 2  # what the core asks for is what memory serves
            return expected_time(self.profile, self.target, self.served or uncached, time)
        from ..expectation.gpu.memory import MovedByLevel  # here, as few machines are GPUs

        return expected_launch(self.profile, self.target, self.traffic, MovedByLevel(self.served, self.levels), time)

    def _iterations_per_s(self, level: LevelBound) -> float | None:
        """Return iterations of the innermost loop per second, at the bytes of a level that belong to one of them."""
        one = self.profile.per_iteration
        if one is None:
            return None
        moved = float(one.load_bytes + one.store_bytes) * float(self._part_of_references(level) or 0)
        return level.bandwidth.rate.value / moved if moved else None

    def _part_of_references(self, level: LevelBound) -> Fraction | None:
        """Return bytes of a level over those of all references, for large sizes; None where it is not known."""
        register = self.profile.register_traffic
        references = add((register.read_bytes, register.write_allocate_bytes, register.write_bytes))
        return share_of(self.profile, level.bytes, references)

    def _slowest(self) -> LevelBound | None:
        """Return the level that takes longest for its bytes; the memory where that is not known."""
        memory = next((level for level in self.levels if level.level == self.target.machine.memory.name), None)
        seconds = [
            (size / level.bandwidth.rate.value, level)
            for level in self.levels
            if (size := value_of(level.bytes.estimate, self.profile.values)) is not None
        ]
        if len(seconds) < len(self.levels):
            return memory
        return max(seconds, key=lambda pair: pair[0])[1] if seconds else memory

    def _growing(self, ceiling: Ceiling | None, outer: LevelBound) -> Projection:
        """Return the projection for an intensity of unknown sizes: how it grows, and where the ridge is crossed."""
        value, power, formula = outer.intensity.value, outer.intensity.power, outer.intensity.formula
        symbol = outer.intensity.symbols[0] if len(outer.intensity.symbols) == 1 and power else None
        factor = float(value or 0)
        if power < 0 or ceiling is None or not value:
            return self._make(ceiling, Bound.UNKNOWN, None, None, IntensityFalls(symbol, factor, power, formula))
        inner = min((level for level in self.levels if level.rate), key=_rate_of, default=None)
        memory = inner is not None and inner.rate is not None and inner.rate < ceiling.rate
        limit = inner.rate if memory and inner is not None and inner.rate is not None else ceiling.rate
        ridge = (limit / outer.bandwidth.rate).value
        reason = IntensityGrows(
            symbol=symbol,
            factor=factor,
            power=power,
            formula=formula,
            level=outer.level,
            ridge=ridge,
            threshold=None if symbol is None else (ridge / factor) ** (1 / power),
            beyond=inner.level if memory and inner is not None else None,
            ceiling=ceiling,
        )
        kind = Bound.MEMORY if memory else kind_of_ceiling(ceiling)
        return self._make(ceiling, kind, inner if memory else None, limit, reason)

    def _moves_nothing(self) -> bool:
        """Return whether no level has any bytes to move, of those counted."""
        values = self.profile.values
        moved = (self.moved.total, *(level.bytes for level in self.levels))
        return all(quantity.estimate.bind(values).is_zero for quantity in moved)

    def _is_none(self, quantity: Quantity) -> bool:
        """Return whether nothing of a quantity is counted, whatever the sizes or at the known ones."""
        most = quantity.estimate if quantity.upper is None else quantity.upper
        return most.is_zero or most.bind(self.profile.values).is_zero

    def _missing(self, ceiling: Ceiling | None) -> Reason:
        if ceiling is None:
            return NoPeak(self.target.machine.name, tuple(self.profile.work.flops_by_precision))
        flops = self.profile.work.flops.estimate.bind(self.profile.values)
        if self.levels and flops.generic.constant == 0:
            return NothingCounted(large=not flops.is_zero)
        return NoBandwidth(self.target.machine.name, self.target.machine.memory.name)

    def _spread_around(self, ceiling: Ceiling, binding: LevelBound) -> float | None:
        """Return the spread of the figures where ceiling and level are within it of each other, else None."""
        if binding.rate is None or not binding.rate.value:
            return None
        distance = binding.rate.value / ceiling.rate.value
        spread = self._spread(binding.level)
        return spread if 1 / spread < distance < spread else None

    def _spread(self, level: str) -> float:
        """Return the largest ratio between the figures of the bandwidth, and of the peaks in use."""
        spread = [_LEAST_UNCERTAINTY]
        if level not in (SHARED, PATH):
            spread.append(self.target.machine.bandwidth_spread(level))
        for precision in self.profile.work.flops_by_precision:
            if self.target.machine.peak_of(precision.value) is None:
                continue
            peaks = [
                self.target.machine.peak(precision.value, kind=basis, cores=self.target.options.cores)
                for basis in Basis
            ]
            known = [peak.value for peak in peaks if peak is not None]
            if known:
                spread.append(max(known) / min(known))
        return max(spread)

    def _reason(self, ceiling: Ceiling, binding: LevelBound, memory: bool, spread: float | None) -> AgainstRidge:
        return AgainstRidge(
            below=memory,
            level=binding.level,
            outermost=binding.level == self.target.machine.memory.name,
            intensity=float(binding.intensity.number or 0),
            ridge=ceiling.rate / binding.bandwidth.rate,
            ceiling=ceiling,
            bandwidth=binding.bandwidth,
            spread=spread,
        )


def _rate_at(level: LevelBound, intensity: Fraction | None) -> FlopRate | None:
    return None if intensity is None else level.bandwidth.rate * Intensity(float(intensity))


def _rate_of(level: LevelBound) -> float:
    return level.rate.value if level.rate is not None else float("inf")
