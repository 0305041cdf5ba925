"""A machine of the results of :file:`kernels/cpu.c`.

* The clock is the rate of dependent integer additions, one cycle each: ``boost`` on one core, ``nominal`` on all.
* Peaks are of all cores together. Units per cycle, latencies and divisions are of one core, over its clock; a number
  of units within a tenth of a multiple of one half is taken for it.
* A roof is the highest rate of those patterns of ordinary loads and stores that move just the bytes they count, and
  comes first among the bandwidths of a level: loads, and updates in place (``a[i] = s * a[i]``, as in the Empirical
  Roofline Tool); in the innermost cache every pattern. Farther out copy, triad and store count useful bytes alone
  (``counts_write_allocate = false``); with non-temporal stores they count all bytes, but ordinary code has none.
* The cost of a store follows from the gain of non-temporal stores, two times where lines are read first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from ..machine.figures import BandwidthFigure, Figure, FigureKind, Peak, Precision
from ..machine.hardware import Clock, Core, Level, MachineKind, Memory, Source, Units, WriteAllocate, WritePolicy
from ..machine.machine import Machine
from ..machine.units import format_bytes, format_rate
from .cpu_plan import DRAM, STREAMS, WorkingSet
from .statistics import Sample, Samples
from .topology import Topology

PROBE, SYSTEM = "probe", "system"
_BITS = {Precision.FP64: 64, Precision.FP32: 32}
_HALF, _NEAR = 2, 0.1  # units per cycle are multiples of one half: a half-rate pipe is a unit every other cycle
# How much faster non-temporal stores are: twice where every line is read first, as fast where none is.
_ALLOCATES, _PARTLY = 1.6, 1.15
_LARGE_ENOUGH = 2.0  # times the last cache: less leaves half of the working set in it
_SHARE = 0.75  # of one core's clock: below it that of all cores at once is taken for disturbed
_SAME = 1.1  # the spread of rates that are the same
_BUSY = 0.3  # load for each core before the run
_GIB = 1 << 30
_WHOLE = ("load", "update")
_MOST_NAMES = 6
_LIKE_MEMORY = 0.7  # a cache whose loads take nearly as long as those of memory did not hold the set


class Target(Struct, frozen=True):
    """The target of the compiler."""

    isa: str
    simd_bits: int
    has_fma: bool
    has_nontemporal: bool

    @classmethod
    def parse(cls, text: str) -> Target:
        """Read ``ISA BITS FMA NONTEMPORAL``."""
        isa, bits, fma, nontemporal = text.rsplit(maxsplit=3)
        return cls(isa, int(bits), fma == "1", nontemporal == "1")


class Run(Struct, frozen=True, kw_only=True):
    """The results with their conditions; ``memory_factor`` is the working set of memory over the last cache."""

    target: Target
    samples: Samples
    sets: tuple[WorkingSet, ...]
    memory_factor: float
    tool: str
    date: str
    load: float | None = None
    failures: tuple[str, ...] = ()


def cpu_machine(machine_id: str, topology: Topology, run: Run) -> Machine:
    """Put the machine together; its figures may break physical rules still."""
    cores = len(topology.processors)
    results = _Results(run, cores)
    clock = results.clock()
    hertz = results.core_hertz
    levels = tuple(results.level(topology, position, hertz) for position in range(len(topology.caches)))
    return Machine(
        id=machine_id,
        name=f"{topology.model} ({_counted(cores)}, {hertz / 1e9:.2f} GHz, {run.target.isa}), measured {run.date}",
        vendor=topology.vendor,
        kind=MachineKind.CPU,
        clock=clock,
        units=Units("core", cores, SYSTEM, topology.threads_per_core),
        core=results.core(hertz),
        peaks=tuple(peak for precision in _BITS if (peak := results.peak(precision)) is not None),
        levels=levels,
        memory=results.memory(topology),
        write_allocate=results.write_allocate(),
        discrepancies=tuple(results.remarks(topology)),
        notes=(*_virtual(topology), *topology.notes, *results.one_core(), *results.latencies(hertz)),
        sources=(
            Source(PROBE, f"ai-estimate machines measure, {run.date}; {run.tool}", "benchmark"),
            Source(SYSTEM, "the operating system of this machine on its hardware", "operating system"),
        ),
    )


def _virtual(topology: Topology) -> Iterator[str]:
    if topology.virtual:
        yield (
            "a virtual machine: cores and caches are what the host shows; not known are who else uses the outer caches"
            " and the memory, whether a core is a whole one, and the kind of memory"
        )


class _Results(Struct, frozen=True):
    run: Run
    cores: int

    def find(self, kind: str, threads: int = 1, size: int = 0) -> Sample | None:
        return self.run.samples.find(kind, threads, size)

    @property
    def core_hertz(self) -> float:
        """Return the clock of one core at work; the fastest seen, because whatever disturbs makes it look slower."""
        rates = [
            sample.best / threads for threads in {1, self.cores} if (sample := self.find("clock", threads)) is not None
        ]
        return max(rates, default=1e9)

    def clock(self) -> Clock:
        highest = self.core_hertz
        how = "dependent integer additions, one a cycle"
        boost = Figure(value=round(highest, -5), kind=FigureKind.MEASURED, source=PROBE, how=f"{how}; one core")
        together = self.find("clock", self.cores)
        if together is None or self.cores == 1:
            return Clock(nominal=replace(boost, how=how))
        rate = together.best / self.cores
        text = f"{how}; all cores at once, {together.text}"
        if rate < _SHARE * highest:
            explain = f"doubtful: all cores at once reached {format_rate(rate, 'Hz')}, so one core's clock stands here"
            return Clock(nominal=replace(boost, explain=explain), boost=boost)
        return Clock(
            nominal=Figure(value=round(rate, -5), kind=FigureKind.MEASURED, source=PROBE, how=text), boost=boost
        )

    def peak(self, precision: Precision) -> Peak | None:
        bits = _BITS[precision]
        fma = self._peak_figures(f"fma{bits}") if self.run.target.has_fma else ()
        plain = self._peak_figures(f"mix{bits}")
        adds = self._peak_figures(f"add{bits}")
        if fma and plain and fma[0].value < plain[0].value <= _SAME * fma[0].value:
            text = "as fast as FMA within the spread: additions and multiplications have units of their own"
            plain = (replace(plain[0], explain=text),)
        if plain and adds and plain[0].value < adds[0].value <= _SAME * plain[0].value:
            adds = (replace(adds[0], explain="as fast as the mix within the spread: the same units serve both"),)
        return Peak(precision, fma, plain, adds) if fma or plain else None

    def _peak_figures(self, kind: str) -> tuple[Figure, ...]:
        sample = self.find(kind, self.cores)
        if sample is None:
            return ()
        return (
            Figure(
                value=sample.figure, kind=FigureKind.MEASURED, source=PROBE, how=f"{self._who(sample)}, {sample.text}"
            ),
        )

    def core(self, hertz: float) -> Core:
        """Return units, latencies and divisions of one core in cycles of its clock."""
        bits = self.run.target.simd_bits
        lanes64 = max(1, bits // 64)

        def per_cycle(kind: str, work: float, size: int = 0) -> float | None:
            sample = self.find(kind, 1, size)
            return None if sample is None else _tidy(sample.best / (hertz * work))

        def cycles(kind: str, lanes: int = 1) -> float | None:
            sample = self.find(kind)
            return None if sample is None else round(hertz * lanes / sample.best, 1)

        inner = self.run.sets[0].bytes if len(self.run.sets) > 1 else 0
        adding, root = cycles("latency-add"), cycles("latency-sqrt-add")
        return Core(
            isa=self.run.target.isa,
            simd_bits=bits,
            sources=(PROBE,),
            arithmetic_per_cycle=per_cycle("mix64", lanes64),
            fma_units=per_cycle("fma64", 2 * lanes64) if self.run.target.has_fma else None,
            add_units=per_cycle("add64", lanes64),
            mul_units=per_cycle("mul64", lanes64),
            loads_per_cycle=per_cycle("load", bits / 8, inner) if inner else None,
            stores_per_cycle=per_cycle("store", bits / 8, inner) if inner else None,
            fma_latency_cycles=cycles("latency-fma") if self.run.target.has_fma else None,
            add_latency_cycles=adding,
            mul_latency_cycles=cycles("latency-mul"),
            div_cycles=cycles("div64", lanes64),
            sqrt_cycles=cycles("sqrt64", lanes64),
            div_fp32_cycles=cycles("div32", 2 * lanes64),
            sqrt_fp32_cycles=cycles("sqrt32", 2 * lanes64),
            div_scalar_cycles=cycles("div64-scalar"),
            sqrt_scalar_cycles=cycles("sqrt64-scalar"),
            div_latency_cycles=cycles("latency-div"),
            sqrt_latency_cycles=None if adding is None or root is None else round(max(0.1, root - adding), 1),
        )

    def level(self, topology: Topology, position: int, hertz: float) -> Level:
        cache, working = topology.caches[position], self.run.sets[position]
        chase = self.find("chase", 1, working.bytes)
        found = "the sweep over working sets" if cache.line_bytes is None else "the system"
        return Level(
            name=working.level,
            capacity_bytes=cache.capacity_bytes,
            shared_by=cache.shared_by,
            instances=cache.instances,
            sources=(SYSTEM if cache.line_bytes is not None else PROBE,),
            line_bytes=cache.line_bytes,
            ways=cache.ways,
            write_back=True,
            write_allocate=True,
            latency_cycles=None if chase is None else round(hertz / chase.best, 1),
            bandwidths=tuple(self._bandwidths(working, inside=position == 0)),
            note=f"capacity and sharing from {found}; write-back and write-allocate are assumed",
        )

    def memory(self, topology: Topology) -> Memory:
        working = self.run.sets[-1]
        figures = tuple(self._bandwidths(working, inside=False))
        if not figures:
            figures = (
                BandwidthFigure(value=1e9, kind=FigureKind.DERIVED, source=PROBE, how="nothing could be measured"),
            )
        doubt = ""
        if self.run.memory_factor < _LARGE_ENOUGH:
            doubt = f"; too little memory was free: {self.run.memory_factor:.2g} times the last cache"
        marked = tuple(replace(figure, how=f"{figure.how}{doubt}") for figure in figures)
        return Memory(
            name=DRAM,
            technology="not known",
            bandwidths=marked,
            capacity_bytes=None
            if topology.memory_bytes is None
            else int(round(topology.memory_bytes / _GIB, 2) * _GIB),
            domains=topology.domains,
            note=f"working set {format_bytes(working.bytes * self.cores)} over all cores",
        )

    def _bandwidths(self, working: WorkingSet, *, inside: bool) -> Iterator[BandwidthFigure]:
        counted = {"load": None, "update": None, "copy": False, "triad": False, "store": False}
        counted |= {"copy-nt": True, "triad-nt": True, "store-nt": True}
        roofs = STREAMS if inside else _WHOLE
        for threads in dict.fromkeys((self.cores, 1)):
            found = {name: self.find(name, threads, working.bytes) for name in counted}
            made = [(name, sample) for name, sample in found.items() if sample is not None]
            roof = max((sample.best for name, sample in made if name in roofs), default=0.0)
            made.sort(key=lambda item: not (item[0] in roofs and item[1].best == roof))
            for pattern, sample in made:
                flag = counted[pattern]
                each = " each" if threads > 1 else ""
                yield BandwidthFigure(
                    value=sample.figure,
                    kind=FigureKind.MEASURED,
                    source=PROBE,
                    how=f"{self._who(sample)} on {format_bytes(working.bytes)}{each}, {sample.text}",
                    pattern=pattern,
                    units=None if threads == self.cores else threads,
                    counts_write_allocate=None if inside else flag,
                )

    def _who(self, sample: Sample) -> str:
        return "one core" if sample.threads == 1 else f"{sample.threads} cores"

    def write_allocate(self) -> WriteAllocate:
        """Return the cost of ordinary stores, from the gain of stores past the caches."""
        size = self.run.sets[-1].bytes
        plain, past = self.find("store", self.cores, size), self.find("store-nt", self.cores, size)
        if plain is None or past is None:
            text = "Not measured, because no non-temporal stores are known here; taken to read the line first."
            return WriteAllocate(WritePolicy.ALLOCATE, text, 2.0, 2.0)
        gain = past.best / plain.best
        rates = f"{format_rate(plain.best, 'B/s')} ordinary, {format_rate(past.best, 'B/s')} non-temporal"
        if gain >= _ALLOCATES:
            text = f"Ordinary stores read the line first: {rates}."
            return WriteAllocate(WritePolicy.ALLOCATE, text, 2.0, 2.0, PROBE)
        if gain >= _PARTLY:
            text = f"Ordinary stores read part of the lines first: {rates}."
            return WriteAllocate(WritePolicy.PARTIAL, text, 1.0, 2.0, PROBE)
        text = f"Non-temporal stores gain nothing ({rates}): lines may or may not be read first."
        return WriteAllocate(WritePolicy.PARTIAL, text, 1.0, 2.0, PROBE)

    def one_core(self) -> Iterator[str]:
        """Yield the peaks of one core, for which a machine file has no key."""
        if self.cores == 1:
            return
        rates = []
        for precision, bits in _BITS.items():
            for kind, name in (("fma", "FMA"), ("mix", "no FMA")):
                sample = self.find(f"{kind}{bits}")
                if sample is not None and (kind != "fma" or self.run.target.has_fma):
                    rates.append(f"{precision.value} {name} {format_rate(sample.best)}")
        if rates:
            yield f"one core alone: {', '.join(rates)}"

    def latencies(self, hertz: float) -> Iterator[str]:
        chase = self.find("chase", 1, self.run.sets[-1].bytes)
        if chase is not None:
            cycles = f"{hertz / chase.best:.3g} cycles"
            yield f"latency of memory: {1e9 / chase.best:.3g} ns, {cycles} (with translation misses)"

    def remarks(self, topology: Topology) -> Iterator[str]:
        """Yield doubts about the figures that break no physical check."""
        unsteady = self.run.samples.unsteady
        total = len(self.run.samples.samples)
        if unsteady:
            names = _listed(sample.kind for sample in unsteady)
            yield f"unsteady: half of the repeats are 20% or more below the best in {len(unsteady)} of {total}: {names}"
        slower = _listed(sample.kind for sample in self._slower_together())
        if slower:
            yield f"{self.cores} cores together were slower than one in {slower}: were other programs running?"
        if self.run.load is not None and self.run.load > _BUSY * self.cores:
            yield f"the machine was busy before the run: load {self.run.load:.2g} on {_counted(self.cores)}"
        yield from self._hollow()
        yield from (f"not measured: {failure}" for failure in self.run.failures)

    def _hollow(self) -> Iterator[str]:
        """Yield outer caches that hold less than the system says: others use them, or it says too much."""
        memory = self.find("chase", 1, self.run.sets[-1].bytes)
        for working in self.run.sets[:-1]:
            cache = self.find("chase", 1, working.bytes)
            if memory and cache and memory.best > _LIKE_MEMORY * cache.best:
                yield (
                    f"loads from {format_bytes(working.bytes)} take {1e9 / cache.best:.3g} ns, from memory"
                    f" {1e9 / memory.best:.3g} ns: {working.level} has less for us than the system says"
                )

    def _slower_together(self) -> Iterator[Sample]:
        if self.cores == 1:
            return
        for sample in self.run.samples.samples:
            one = self.find(sample.kind, 1, sample.bytes)
            if sample.threads == self.cores and one is not None and sample.best < one.best:
                yield sample


def _tidy(value: float) -> float:
    """Return a multiple of one half where it is within a tenth of one, else three digits."""
    near = round(value * _HALF) / _HALF
    if near and abs(value - near) <= _NEAR * near:
        return near
    return float(f"{value:.3g}")


def _counted(cores: int) -> str:
    return "1 core" if cores == 1 else f"{cores} cores"


def _listed(names: Iterable[str]) -> str:
    found = list(dict.fromkeys(names))
    return ", ".join(found[:_MOST_NAMES]) + (
        f" and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    )
