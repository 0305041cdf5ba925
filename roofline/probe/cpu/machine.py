"""A machine of the results of :file:`kernels/cpu.c`.

* Clocks, ports, latencies and divisions: :mod:`.core`; paths between caches: :mod:`.paths`.
* Peaks are of all cores together. What all cores do is at least what one does while the others rest.
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

from analyzer.cache_lines import DEFAULT_LINE_BYTES

from ...machine.figures import BandwidthFigure, Figure, FigureKind, Peak, Precision
from ...machine.hardware import Level, MachineKind, Memory, Source, Units, WriteAllocate, WritePolicy
from ...machine.machine import Machine
from ...machine.units import format_bytes, format_rate, format_share
from ..statistics import SAME, Sample
from .core import clock, core, core_hertz
from .paths import Path, loads_overlap, paths
from .plan import DRAM, STREAMS, WorkingSet
from .run import PROBE, SYSTEM, Run
from .topology import Topology

_BITS = {Precision.FP64: 64, Precision.FP32: 32}  # in the names of the measurements
# How much faster non-temporal stores are: twice where every line is read first, as fast where none is.
_ALLOCATES, _PARTLY = 1.6, 1.15
_LARGE_ENOUGH = 2.0  # times the last cache: less leaves half of the working set in it
_WHOLE_CACHE = 0.75  # of the stated capacity: what is had of a cache at its least, others using some of it
_STOLEN = 0.02  # of the time
_BUSY = 0.3  # load for each core before the run
_GIB = 1 << 30  # bytes
_WHOLE = ("load", "update")
_MOST_NAMES = 6  # in a sentence
_ASSUMED = "write-back and write-allocate are assumed"


def cpu_machine(machine_id: str, topology: Topology, run: Run) -> Machine:
    """Put the machine together; its figures may break physical rules still."""
    cores = len(topology.processors)
    results = _Results(run, cores)
    hertz = core_hertz(run, cores)
    line_bytes = next((cache.line_bytes for cache in topology.caches if cache.line_bytes), DEFAULT_LINE_BYTES)
    overlap = loads_overlap(run, hertz, line_bytes)
    ways = tuple(paths(run, hertz, line_bytes, overlap=overlap))
    levels = tuple(
        results.level(topology, index, hertz, path) for index, path in enumerate(ways[: len(topology.caches)])
    )
    return Machine(
        id=machine_id,
        name=f"{topology.model} ({_counted(cores)}, {hertz / 1e9:.2f} GHz, {run.target.isa}), measured {run.date}",
        vendor=topology.vendor,
        kind=MachineKind.CPU,
        clock=clock(run, cores),
        units=Units("core", cores, SYSTEM, topology.threads_per_core),
        core=replace(core(run, cores), loads_overlap=overlap),
        peaks=tuple(peak for precision in _BITS if (peak := results.peak(precision)) is not None),
        levels=levels,
        memory=results.memory(topology),
        write_allocate=results.write_allocate(),
        discrepancies=tuple(results.remarks(topology)),
        notes=(*_virtual(topology, run), *topology.notes, *results.one_core(), *results.pages(), *results.left_out()),
        sources=(
            Source(PROBE, f"measured on {run.date} by ai-estimate machines measure", "benchmark", note=run.tool),
            Source(SYSTEM, "the operating system of this machine on its hardware", "operating system"),
        ),
    )


def _virtual(topology: Topology, run: Run) -> Iterator[str]:
    if topology.virtual:
        yield (
            "a virtual machine: cores and caches are what the host shows; not known are who else uses the outer caches"
            " and the memory, whether a core is a whole one, the size of the host's pages, and the kind of memory"
        )
        if topology.highest_hz is None:
            yield "the host hides the frequency: clocks are those of additions that wait for one another"
        if not topology.has_counters:
            yield "the host hides the hardware counters: nothing could be held against them"
        if run.stolen is not None:
            yield f"the host took {format_share(run.stolen, 1)} of the time of its virtual cores (steal)"


class _Results(Struct, frozen=True):
    run: Run
    cores: int

    def find(self, kind: str, threads: int = 1, size: int = 0) -> Sample | None:
        return self.run.find(kind, threads, size)

    def alone(self, kind: str, size: int) -> Sample | None:
        """Return what one core does while the others rest, where all of them have sets of ``size`` bytes."""
        memory = self.run.sets[-1]
        return self.find(kind, 1, memory.alone_bytes if size == memory.bytes else size)

    def together(self, kind: str, size: int = 0) -> tuple[Sample, str] | None:
        """Return what all cores do at once, and how: one core's rate where they were slower than that."""
        everyone, one = self.find(kind, self.cores, size), self.alone(kind, size)
        if everyone is None or one is None or everyone.best >= one.best:
            return None if everyone is None else (everyone, everyone.text)
        slower = f"{_counted(self.cores)} together reached {everyone.figure / 1e9:g} G, which is less"
        return one, f"{one.text}; {slower}"

    def peak(self, precision: Precision) -> Peak | None:
        bits = _BITS[precision]
        fma = self._peak_figures(f"fma{bits}") if self.run.target.has_fma else ()
        plain = self._peak_figures(f"mix{bits}")
        adds = self._peak_figures(f"add{bits}")
        if fma and plain and fma[0].value < plain[0].value <= SAME * fma[0].value:
            text = "as fast as FMA within the spread: additions and multiplications have units of their own"
            plain = (replace(plain[0], explain=text),)
        if plain and adds and plain[0].value < adds[0].value <= SAME * plain[0].value:
            adds = (replace(adds[0], explain="as fast as the mix within the spread: the same units serve both"),)
        return Peak(precision, fma, plain, adds) if fma or plain else None

    def _peak_figures(self, kind: str) -> tuple[Figure, ...]:
        found = self.together(kind)
        if found is None:
            return ()
        sample, text = found
        how = f"{self._who(sample)}, {text}"
        return (Figure(value=sample.figure, kind=FigureKind.MEASURED, source=PROBE, how=how),)

    def level(self, topology: Topology, position: int, hertz: float, path: Path | None) -> Level:
        cache, working = topology.caches[position], self.run.sets[position]
        chain = self.run.chain(position)
        found = "the sweep over working sets" if cache.line_bytes is None else "the system"
        share = self._share(topology, position)
        return Level(
            name=working.level,
            capacity_bytes=cache.capacity_bytes,
            shared_by=cache.shared_by,
            instances=cache.instances,
            sources=(SYSTEM, PROBE) if cache.line_bytes is not None else (PROBE,),
            line_bytes=cache.line_bytes,
            ways=cache.ways,
            write_back=True,
            write_allocate=True,
            bytes_per_cycle=None if path is None else path.bytes_per_cycle,
            duplex=None if path is None else path.duplex,
            transfers_overlap=None if path is None else path.overlaps,
            latency_cycles=None if chain is None else round(hertz / chain.best, 1),
            bandwidths=tuple(self._bandwidths(working, inside=position == 0)),
            effective=share,
            effective_why=None if share == 1.0 else f"{'; '.join(self._knee(topology, position))}: others use the rest",
            note="; ".join((f"capacity and sharing from {found}", *self._knee(topology, position), _ASSUMED)),
        )

    def _share(self, topology: Topology, position: int) -> float:
        """Return the share of a cache that is ours: all of it, but of an outer one that others use much of."""
        reach, stated = self.run.reach, topology.caches[position].capacity_bytes
        is_last = bool(position) and position + 1 == len(topology.caches)
        if reach is None or not is_last or reach.bytes >= _WHOLE_CACHE * stated:
            return 1.0
        return float(f"{reach.bytes / stated:.3g}")

    def _knee(self, topology: Topology, position: int) -> Iterator[str]:
        """Yield where loads from the last cache become slower."""
        reach = self.run.reach
        if reach is not None and position and position + 1 == len(topology.caches):
            seen, most = format_bytes(reach.bytes), format_bytes(reach.largest_bytes)
            yield f"chains of loads over up to {most} found {seen} of it"

    def memory(self, topology: Topology) -> Memory:
        working, chain = self.run.sets[-1], self.run.chain(-1)
        figures = tuple(self._bandwidths(working, inside=False))
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
            latency_s=None if chain is None else float(f"{1 / chain.best:.3g}"),
            page_walk_s=self.run.page_walk_s,
            column_walk_s=self.run.column_walk_s,
            tlb_pages=self.run.tlb_pages,
            sources=(PROBE,),
            note=f"working set {format_bytes(working.bytes * self.cores)} over all cores,"
            f" {format_bytes(working.alone_bytes)} of one core alone",
        )

    def _bandwidths(self, working: WorkingSet, *, inside: bool) -> Iterator[BandwidthFigure]:
        counted = {"load": None, "update": None, "copy": False, "triad": False, "store": False}
        counted |= {"copy-nt": True, "triad-nt": True, "store-nt": True}
        roofs = STREAMS if inside else _WHOLE
        for threads in dict.fromkeys((self.cores, 1)):
            found = {name: self._rate(name, threads, working.bytes_of(threads)) for name in counted}
            made = [(name, *rate) for name, rate in found.items() if rate is not None]
            roof = max((sample.best for name, sample, _ in made if name in roofs), default=0.0)
            made.sort(key=lambda item: not (item[0] in roofs and item[1].best == roof))
            for pattern, sample, text in made:
                each = " each" if sample.threads > 1 else ""
                yield BandwidthFigure(
                    value=sample.figure,
                    kind=FigureKind.MEASURED,
                    source=PROBE,
                    how=f"{self._who(sample)} on {format_bytes(working.bytes_of(sample.threads))}{each}, {text}",
                    pattern=pattern,
                    units=None if threads == self.cores else threads,
                    counts_write_allocate=None if inside else counted[pattern],
                )

    def _rate(self, kind: str, threads: int, size: int) -> tuple[Sample, str] | None:
        if threads == self.cores:
            return self.together(kind, size)
        sample = self.find(kind, threads, size)
        return None if sample is None else (sample, sample.text)

    def _who(self, sample: Sample) -> str:
        return "one core" if sample.threads == 1 else f"{sample.threads} cores"

    def write_allocate(self) -> WriteAllocate:
        """Return the cost of ordinary stores, from the gain of stores past the caches."""
        size = self.run.sets[-1].bytes
        plain, past = self.find("store", self.cores, size), self.find("store-nt", self.cores, size)
        if plain is None or past is None:
            text = "Not measured, because no non-temporal stores are known here; assumed to read the line first."
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

    def pages(self) -> Iterator[str]:
        """Yield the pages of the chain of loads through memory, whose translations it may miss."""
        size = self.run.sets[-1].chain_bytes
        found = self.find("pages", 1, size)
        stated = "of a size that is not known" if found is None else f"of {format_bytes(int(found.best))} in the mean"
        order = f"{format_bytes(size)}, in random order in 4 MiB at a time"
        yield f"latency of memory: a chain of loads over {order}, in pages {stated}"

    def left_out(self) -> Iterator[str]:
        """Yield the measurements that there was no time for."""
        if self.run.left_out:
            yield f"{self.run.seconds:g} s were too short for {_listed(self.run.left_out)}: they are left out"

    def remarks(self, topology: Topology) -> Iterator[str]:
        """Yield doubts about the figures that break no physical check."""
        unsteady = self.run.samples.unsteady
        total = len(self.run.samples.samples)
        if unsteady:
            names = _listed(sample.kind for sample in unsteady)
            which = f"{len(unsteady)} of {total}: {names}"
            yield f"unsteady: half of the repeats are 20 % or more below the best in {which}"
        slower = _listed(sample.kind for sample in self._slower_together())
        if slower:
            yield f"{self.cores} cores together were slower than one in {slower}: were other programs running?"
        if self.run.load is not None and self.run.load > _BUSY * self.cores:
            yield f"the machine was busy before the run: load {self.run.load:.2g} on {_counted(self.cores)}"
        if self.run.stolen is not None and self.run.stolen > _STOLEN:
            taken = format_share(self.run.stolen, 1)
            yield f"the host took {taken} of the time of the virtual cores: rates may be too low"
        yield from self._hollow(topology)
        yield from (f"not measured: {failure}" for failure in self.run.failures)

    def _hollow(self, topology: Topology) -> Iterator[str]:
        """Yield outer caches that hold less than the system says: others use them, or it says too much."""
        reach, last = self.run.reach, topology.caches[-1]
        stated, seen = format_bytes(last.capacity_bytes), "" if reach is None else format_bytes(reach.bytes)
        if self._share(topology, len(topology.caches) - 1) < 1.0:
            yield f"L{last.level} has less for us than the system says: {seen} of {stated}"

    def _slower_together(self) -> Iterator[Sample]:
        if self.cores == 1:
            return
        for sample in self.run.samples.samples:
            one = self.alone(sample.kind, sample.bytes)
            if sample.threads == self.cores and one is not None and sample.best < one.best:
                yield sample


def _counted(cores: int) -> str:
    return "1 core" if cores == 1 else f"{cores} cores"


def _listed(names: Iterable[str]) -> str:
    found = list(dict.fromkeys(names))
    return ", ".join(found[:_MOST_NAMES]) + (
        f" and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    )
