"""One machine as frozen values, and the ceilings it offers.

Input: the values that :mod:`roofline.machine.schema` read from a TOML document. Output: peaks and bandwidths for ``n``
cores. A *unit* is what the work is spread over: a core of a CPU, an SM of an NVIDIA GPU, a CU of an AMD GPU.

Rules, where ``n`` of ``N`` units are used:

* a peak scales with ``n / N``, one that was measured also with the clock of one core alone, where that was measured;
  without SIMD it is divided by the lanes of the precision;
* a level of ``m`` instances gives ``min(n, m) / m`` of its full bandwidth (for a private level this is ``n / N``;
  threads are taken to be spread over the instances, since a ceiling is an upper bound);
* below the full machine a bandwidth is also at most ``n`` times that of a single unit: the fastest measured one where
  it is known and a sustained figure is wanted, the width of its path times the clock where that is known and a
  theoretical one is wanted; and at most what the levels inside it deliver to the same units;
* :meth:`Machine.greatest_bandwidth` is the most that anything stated allows, for bounds that nothing may beat;
  :meth:`Machine.bandwidth_of_mix` what was measured with the pattern most like a loop, for times to expect;
* a what-if factor (:meth:`Machine.scaled`) multiplies every rate and leaves the figures, which are facts, alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile

from msgspec import Struct, field
from msgspec.structs import replace

from analyzer.cache_lines import DEFAULT_LINE_BYTES
from analyzer.errors import MachineError

from .figures import (
    BandwidthFigure,
    Basis,
    ChosenBandwidth,
    ChosenPeak,
    Figure,
    FigureKind,
    Peak,
    PeakMode,
    Precision,
    describe_figure,
    filling,
    full_bandwidth,
    rank_figures,
    rate_of,
    spread_of,
)
from .hardware import Clock, Core, Gpu, Level, MachineKind, Memory, Scaling, Source, Units, WriteAllocate
from .streams import is_past_caches
from .units import Bandwidth, FlopRate, InstructionRate, Intensity, TransactionRate

_MOST_CHOICES = 4096  # of peaks and bandwidths that are remembered: some machines, some numbers of cores


class Machine(Struct, frozen=True, kw_only=True, cache_hash=True):
    """A machine: identity, clocks, units, peaks, levels from L1 outwards, memory, and where every figure comes from."""

    id: str
    name: str
    vendor: str
    kind: MachineKind
    clock: Clock
    units: Units
    peaks: tuple[Peak, ...]
    levels: tuple[Level, ...]
    memory: Memory
    write_allocate: WriteAllocate
    aliases: tuple[str, ...] = ()
    architecture: str | None = None
    scope: str | None = None
    core: Core | None = None
    gpu: Gpu | None = None
    other_memories: tuple[Memory, ...] = ()
    discrepancies: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    scaling: Scaling = field(default_factory=Scaling)

    @property
    def clock_hz(self) -> float:
        """Return the clock that the peaks assume.

        Nominal (else boost) of a CPU or TPU, boost (else nominal) of a GPU.
        """
        first, second = self.clock.nominal, self.clock.boost
        if self.kind is MachineKind.GPU:
            first, second = second, first
        chosen = first or second or self.clock.base
        if chosen is None:
            raise MachineError(f"machine {self.id} states no clock")
        return chosen.value

    def core_hz(self, cores: int | None) -> float:
        """Return the clock of ``cores`` at work: :attr:`clock_hz`, of one alone the faster one that was measured."""
        boost = self.clock.boost
        if cores != 1 or boost is None or boost.kind is not FigureKind.MEASURED:
            return self.clock_hz
        return max(boost.value, self.clock_hz)

    @property
    def level_names(self) -> tuple[str, ...]:
        """Return names from the innermost cache to main memory."""
        return (*(level.name for level in self.levels), self.memory.name)

    def level(self, name: str) -> Level | None:
        """Return a cache level by name, None for main memory and unknown names."""
        return next((level for level in self.levels if level.name == name), None)

    def peak_of(self, precision: str) -> Peak | None:
        """Return every stated peak of a precision."""
        return next((peak for peak in self.peaks if peak.precision == precision), None)

    def source(self, source_id: str) -> Source | None:
        """Return the source with this id."""
        return next((source for source in self.sources if source.id == source_id), None)

    def scaled(self, *, flops: float = 1.0, bandwidth: float = 1.0) -> Machine:
        """Return the machine of a what-if question: every peak and instruction rate, every bandwidth times a factor."""
        for name, factor in (("flops", flops), ("bandwidth", bandwidth)):
            if not 0 < factor < float("inf"):
                raise MachineError(f"what-if factor for {name} must be a positive number, not {factor}")
        return replace(self, scaling=Scaling(self.scaling.flops * flops, self.scaling.bandwidth * bandwidth))

    def peak(
        self,
        precision: str,
        *,
        fma: bool = True,
        simd: bool = True,
        kind: str = Basis.THEORETICAL,
        cores: int | None = None,
    ) -> FlopRate | None:
        """Return the compute ceiling in FLOP/s, None where the machine states none; see :meth:`choose_peak`."""
        mode = PeakMode.FMA if fma else PeakMode.NO_FMA
        chosen = self.choose_peak(precision, mode=mode, simd=simd, kind=kind, cores=cores)
        return None if chosen is None else chosen.rate

    def choose_peak(
        self,
        precision: str,
        *,
        mode: PeakMode = PeakMode.FMA,
        simd: bool = True,
        kind: str = Basis.THEORETICAL,
        cores: int | None = None,
    ) -> ChosenPeak | None:
        """Return a compute ceiling and the figure it rests on.

        ``kind`` is ``theoretical`` or ``sustained``. Without SIMD (CPUs only: a GPU lane is a thread) the vector figure
        is divided by the lanes. Raises MachineError when more cores are asked for than there are.
        """
        return self._chosen_peak(precision, mode, simd, Basis(kind), cores)

    @lru_cache(maxsize=_MOST_CHOICES)  # noqa: B019  # few machines are made, and each is small
    def _chosen_peak(
        self, precision: str, mode: PeakMode, simd: bool, basis: Basis, cores: int | None
    ) -> ChosenPeak | None:
        share = self.unit_count(cores) / self.units.count
        peak = self.peak_of(precision)
        figures = () if peak is None else peak.figures(mode)
        if not figures or (not simd and (self.core is None or mode is PeakMode.MATRIX)):
            return None
        figure = rank_figures(figures, basis)[0]
        lanes = 1 if simd or self.core is None else self.core.lanes_of(precision)
        faster = self.core_hz(cores) / self.clock_hz if figure.kind is FigureKind.MEASURED else 1.0
        rate = FlopRate(figure.value * share * faster * self.scaling.flops / lanes)
        return ChosenPeak(
            rate=rate,
            figure=figure,
            basis=basis,
            precision=Precision(precision),
            mode=mode,
            text=self._describe(figure, basis),
        )

    def bandwidth(
        self, level_name: str, kind: str = Basis.SUSTAINED, cores: int | None = None
    ) -> ChosenBandwidth | None:
        """Return the bandwidth ceiling of a level or a memory for ``cores`` units and the figure it rests on.

        None where no figure is known. Raises MachineError for an unknown level or too many cores.
        """
        return self._chosen_bandwidth(level_name, Basis(kind), cores)

    @lru_cache(maxsize=_MOST_CHOICES)  # noqa: B019  # few machines are made, and each is small
    def _chosen_bandwidth(self, level_name: str, basis: Basis, cores: int | None) -> ChosenBandwidth | None:
        figures, instances, path = self._level_data(level_name)
        used, total = self.unit_count(cores), self.units.count
        ranked = rank_figures(filling(figures, total, instances), basis, units=total)
        if not ranked:
            return self._of_one_unit(level_name, basis, used)
        figure = ranked[0]
        rate = rate_of(figure, total, instances, used)
        text = self._describe(figure, basis)
        if figure.units is not None and figure.units < total:
            text = f"{text}; measured with {figure.units} of {total} x {self.units.name}"
        if used < total:
            for limit, reason in self._part_limits(level_name, basis, used, path):
                if limit < rate:
                    rate, text = limit, f"{text}; limited by {reason}"
        return self._chosen(level_name, rate, figure, basis, text)

    def greatest_bandwidth(
        self, level_name: str, cores: int | None = None, *, measured: bool = False
    ) -> ChosenBandwidth | None:
        """Return the most bus bytes/s that any figure of a level allows ``cores`` units; None where none is known.

        With ``measured`` the fastest pattern that was measured, where one was.
        """
        return self._greatest_bandwidth(level_name, cores, measured)

    @lru_cache(maxsize=_MOST_CHOICES)  # noqa: B019  # few machines are made, and each is small
    def _greatest_bandwidth(self, level_name: str, cores: int | None, measured: bool) -> ChosenBandwidth | None:
        figures, instances, path = self._level_data(level_name)
        used, total = self.unit_count(cores), self.units.count
        full = filling(figures, total, instances)
        if measured:
            full = tuple(each for each in full if each.kind is FigureKind.MEASURED) or full
        if not full:
            return self._of_one_unit(level_name, Basis.SUSTAINED, used)
        figure = max(full, key=lambda each: full_bandwidth(each, total, instances))
        rate = rate_of(figure, total, instances, used)
        text = self._describe(figure, Basis.SUSTAINED)
        singles = [each.bus_value / each.units for each in figures if each.units and each.kind is FigureKind.MEASURED]
        if used < total and any(each.units == 1 for each in figures):
            level = self.level(level_name)
            both = 2 if level is not None and level.duplex == "full" else 1
            single = max(*singles, (path or 0.0) * self.clock_hz * both)
            if used * single < rate:
                rate, text = used * single, f"{text}; limited by {used} x what one {self.units.name} draws"
        return self._chosen(level_name, rate, figure, Basis.SUSTAINED, text)

    @lru_cache(maxsize=_MOST_CHOICES)  # noqa: B019  # few machines are made, and each is small
    def bandwidth_spread(self, level_name: str) -> float:
        """Return the ratio of the most to the least bandwidth that units may have of a level; see :func:`spread_of`."""
        figures, instances, _ = self._level_data(level_name)
        return spread_of(figures, self.units.count, instances)

    def bandwidth_of_mix(
        self,
        level_name: str,
        mix: tuple[float, float, float],
        cores: int | None = None,
        *,
        working_set_bytes: float | None = None,
        past_caches: bool = False,
    ) -> ChosenBandwidth | None:
        """Return the bus bytes/s measured with the pattern that moves bytes in the proportions of ``mix``.

        Stores go ``past_caches`` where patterns of such stores are wanted, as far as there are any.

        ``mix`` has bytes that are read, those of lines that are read because a store missed, and those written.  None
        where nothing was measured; of several figures of the pattern the one of the whole machine (and of one unit,
        for a part of it) counts.  A working set larger than one partition of a level has its far figures.
        """
        figures, instances, _ = self._level_data(level_name)
        level = self.level(level_name)
        if level is not None and level.far_bandwidths and working_set_bytes is not None:
            near = level.capacity_bytes / level.partitions
            figures = level.moving(level.far_bandwidths) if working_set_bytes > near else figures
        used, total = self.unit_count(cores), self.units.count
        every = [f for f in filling(figures, total, instances) if f.kind is FigureKind.MEASURED]
        measured = [f for f in every if is_past_caches(f.pattern) is past_caches] or every
        ordered = sorted(rank_figures(measured, Basis.SUSTAINED, units=total), key=lambda figure: figure.distance(mix))
        if not ordered:
            return self._of_one_unit(level_name, Basis.SUSTAINED, used)
        figure = ordered[0]
        rate = rate_of(figure, total, instances, used)
        text = self._describe(figure, Basis.SUSTAINED)
        alone = [each for each in figures if each.units == 1 and each.kind is FigureKind.MEASURED]
        alone = [each for each in alone if is_past_caches(each.pattern) is past_caches] or alone
        nearest = min(alone, key=lambda each: each.distance(mix), default=None)
        if used < total and nearest is not None and used * nearest.bus_value < rate:
            rate = used * nearest.bus_value
            text = f"{text}; limited by {used} x the measured {nearest.pattern} of one {self.units.name}"
        return self._chosen(level_name, rate, figure, Basis.SUSTAINED, text)

    def ridge(
        self,
        precision: str,
        level_name: str,
        *,
        kind: str = Basis.SUSTAINED,
    ) -> Intensity | None:
        """Return the intensity at which a level's bandwidth just feeds the compute ceiling."""
        peak = self.peak(precision, kind=kind)
        bandwidth = self.bandwidth(level_name, kind)
        return None if peak is None or bandwidth is None else peak / bandwidth.rate

    def instruction_rate(self, cores: int | None = None) -> InstructionRate | None:
        """Return the peak of the instruction roofline: warp instructions/s of a GPU, instructions/s of a CPU."""
        if self.gpu is not None:
            per_cycle: float | None = self.gpu.schedulers_per_unit * self.gpu.issue_per_scheduler
        else:
            per_cycle = None if self.core is None else self.core.issue_width
        if per_cycle is None:
            return None
        return InstructionRate(self.unit_count(cores) * per_cycle * self.clock_hz * self.scaling.flops)

    def integer_rate(self, cores: int | None = None) -> InstructionRate | None:
        """Return the integer instructions/s of all units that do integers; None where they are not stated."""
        if self.gpu is not None:
            lanes = (self.gpu.int32_per_cycle or 0.0) + (self.gpu.int32_multiply_per_cycle or 0.0)
            per_cycle = lanes / self.gpu.warp_size
        else:
            core = self.core
            per_cycle = 0.0 if core is None else core.integer_units or core.scalar_integer_units or 0.0
        if not per_cycle:
            return None
        return InstructionRate(self.unit_count(cores) * per_cycle * self.clock_hz * self.scaling.flops)

    def transaction_rate(
        self, level_name: str, kind: str = Basis.SUSTAINED, cores: int | None = None
    ) -> TransactionRate | None:
        """Return how many sectors (on a CPU: lines) per second a level delivers."""
        chosen = self.bandwidth(level_name, kind, cores)
        size = self.transaction_bytes(level_name)
        return None if chosen is None or size is None else chosen.rate.transactions(size)

    def latency_s(self, name: str) -> float | None:
        """Return the seconds of a dependent load from a level or the memory; None where they are not stated."""
        if name == self.memory.name:
            return self.memory.latency_s
        level = self.level(name)
        return None if level is None or level.latency_cycles is None else level.latency_cycles / self.clock_hz

    @property
    def line_bytes(self) -> int:
        """Return the bytes of a line of the innermost cache that states them."""
        return next((level.line_bytes for level in self.levels if level.line_bytes), DEFAULT_LINE_BYTES)

    def transaction_bytes(self, name: str) -> int | None:
        """Return the bytes of a transaction of a level: a sector of a GPU, a line of a CPU (of its last cache)."""
        if self.gpu is not None:
            return self.gpu.sector_bytes
        level = self.level(name) or (self.levels[-1] if self.levels else None)
        return None if level is None else level.line_bytes

    def unit_count(self, cores: int | None) -> int:
        """Return how many units are used (all by default), or raise MachineError when there are not that many."""
        if cores is None:
            return self.units.count
        if not 1 <= cores <= self.units.count:
            raise MachineError(
                f"{self.name} has {self.units.count} {self.units.name}s, not {cores}",
                hint=f"choose a number from 1 to {self.units.count}",
            )
        return cores

    def _part_limits(self, level_name: str, basis: Basis, used: int, path: float | None) -> Iterator[tuple[float, str]]:
        """Yield what else bounds a level's byte/s (before what-if factors) when only a part of the machine is used."""
        figures, _, _ = self._level_data(level_name)
        alone = [figure.bus_value for figure in figures if figure.units == 1 and figure.kind is FigureKind.MEASURED]
        single = max(alone, default=None)
        if basis is Basis.SUSTAINED and single is not None:
            yield used * single, f"{used} x the measured bandwidth of one {self.units.name}"
        elif basis is Basis.THEORETICAL and path is not None:
            yield used * path * self.clock_hz, f"the width of its path to {used} x {self.units.name}"
        inside = takewhile(lambda name: name != level_name, (level.name for level in self.levels))
        for inner in inside:
            chosen = self.bandwidth(inner, basis, used)
            if chosen is not None:
                yield chosen.rate.value / self.scaling.bandwidth, f"{inner} of {used} x {self.units.name}"

    def _of_one_unit(self, level_name: str, basis: Basis, used: int) -> ChosenBandwidth | None:
        """Return the bandwidth of one unit where only that is known; None for more of them, which share the level."""
        figures, _, _ = self._level_data(level_name)
        alone = [figure for figure in figures if figure.units == 1]
        if used > 1 or not alone:
            return None
        figure = max(alone, key=lambda each: each.bus_value)
        return self._chosen(level_name, figure.bus_value, figure, basis, self._describe(figure, basis))

    def _chosen(
        self, level_name: str, rate: float, figure: BandwidthFigure, basis: Basis, text: str
    ) -> ChosenBandwidth:
        """Return the ceiling of so many byte/s, before what-if factors."""
        return ChosenBandwidth(level_name, Bandwidth(rate * self.scaling.bandwidth), figure, basis, text)

    def _describe(self, figure: Figure, basis: Basis) -> str:
        source = self.source(figure.source)
        return describe_figure(figure, basis, figure.source if source is None else source.title)

    def _level_data(self, name: str) -> tuple[tuple[BandwidthFigure, ...], int, float | None]:
        for memory in (self.memory, *self.other_memories):
            if name == memory.name:
                return memory.bandwidths, memory.domains, None
        level = self.level(name)
        if level is None:
            raise MachineError(
                f"{self.name} has no memory level {name!r}", hint=f"its levels are {', '.join(self.level_names)}"
            )
        return level.moving(level.bandwidths), level.instances, level.bytes_per_cycle
