"""What no machine can do: the physical checks on a machine file.

Input: a machine and the document it was read from. Output: nothing, or a ``MachineError`` at the line of the first
figure that breaks a rule. Figures and levels with an ``explain`` text are exempt from the rule that they would break,
because real data sheets do contradict themselves; the text then says why.

1. Clocks grow: base <= nominal <= boost, and none is above 10 GHz.
2. Instances times the units that share one cover all units, and no more units share one than there are; capacities and
   sharing grow outwards; a capacity is a whole number of sets; names of levels are unique.
3. Full-machine bandwidths shrink outwards, among data-sheet figures and among measured ones.
4. No-FMA <= FMA, additions only <= no-FMA, fp32 >= fp64.
5. Measured <= theoretical, and <= units x clock x width of the path (twice that for mixed streams on full duplex).
6. Totals agree with their parts within 5 %: peak = units x clock x FLOPs per cycle = ... x FMA units x lanes x 2.
7. A figure covers at most all units; a sector divides a line; a store costs between 1 and its upper factor.
8. Latencies grow outwards; what is far is not faster than what is near.
9. A GPU has no ``[core]`` and a CPU no ``[gpu]``; a SIMD register holds a whole number of fp64 lanes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from analyzer.data_files.toml_lines import KeyPath
from analyzer.errors import MachineError

from .figures import BandwidthFigure, Basis, Figure, FigureKind, Peak, PeakMode, Precision, full_bandwidth, rank_figures
from .hardware import Level, MachineKind
from .machine import Machine
from .toml import Document
from .units import format_bytes, format_rate

TOTALS_TOLERANCE = 0.05
_LANE = Precision.FP64.bits
_HIGHEST_CLOCK_HZ = 10e9  # the record of any processor is 9.1 GHz (CPU-Z, overclocked, cooled with liquid helium)
_ROUNDING = 1.001  # data sheets round to three or four digits


class Violation(Struct, frozen=True):
    """A broken rule with the path of the key to blame."""

    key_path: KeyPath
    message: str
    hint: str


def check_physics(machine: Machine, document: Document) -> None:
    """Raise MachineError for all broken rules."""
    broken = [_error(violation, document) for violation in find_violations(machine)]
    if broken:
        first, *others = broken
        raise MachineError(first.message, path=first.path, line=first.line, hint=first.hint, others=others)


def _error(violation: Violation, document: Document) -> MachineError:
    path = violation.key_path
    if path[-1] == "capacity_kib" and path not in document.origin.lines():
        path = (*path[:-1], "capacity_mib")
    return document.error(path, violation.message, violation.hint)


def find_violations(machine: Machine) -> Iterator[Violation]:
    """Yield every broken rule, in the order of the module's docstring."""
    yield from _kind(machine)
    yield from _clocks(machine)
    yield from _levels(machine)
    yield from _bandwidth_order(machine)
    for peak in machine.peaks:
        yield from _mixes(peak)
        yield from _peak_measured(peak)
    yield from _precisions(machine)
    yield from _bandwidth_measured(machine)
    if all(figure.value <= _HIGHEST_CLOCK_HZ for _, figure in _stated_clocks(machine)):  # else these follow from it
        yield from _path_widths(machine)
        yield from _totals(machine)
    yield from _coverage(machine)
    yield from _granularity(machine)
    yield from _latencies(machine)


def _kind(machine: Machine) -> Iterator[Violation]:
    other = {MachineKind.GPU: ("core", machine.core), MachineKind.CPU: ("gpu", machine.gpu)}.get(machine.kind)
    if other is not None and other[1] is not None:
        message = f'[{other[0]}] describes another kind of machine than `kind` = "{machine.kind.value}"'
        yield Violation((other[0],), message, "correct `kind`, or remove the table")
    if machine.core is not None and (machine.core.simd_bits < _LANE or machine.core.simd_bits % _LANE):
        message = f"{machine.core.simd_bits} bits hold no whole number of fp64 lanes"
        yield Violation(("core", "simd_bits"), message, "128 with SSE2 or NEON, 256 with AVX2, 512 with AVX-512")


def _clocks(machine: Machine) -> Iterator[Violation]:
    clock = machine.clock
    if clock.nominal is None and clock.base is None and clock.boost is None:
        yield Violation(("clock",), "[clock] states no clock rate", "write nominal_ghz or boost_ghz")
    stated = _stated_clocks(machine)
    for name, figure in stated:
        if figure.value > _HIGHEST_CLOCK_HZ:
            text = f"the {name} clock is {format_rate(figure.value, 'Hz')}, and no processor has more than 10 GHz"
            yield Violation(
                ("clock", f"{name}_ghz"), text, f"is it in MHz? {figure.value / 1e9:g} MHz is {figure.value / 1e12:g}"
            )
    for (low_name, low), (high_name, high) in pairwise(stated):
        if low.value > high.value:
            yield Violation(
                ("clock", f"{low_name}_ghz"),
                f"the {low_name} clock is above the {high_name} clock",
                "base <= nominal <= boost",
            )


def _stated_clocks(machine: Machine) -> list[tuple[str, Figure]]:
    clock = machine.clock
    return [(n, f) for n, f in (("base", clock.base), ("nominal", clock.nominal), ("boost", clock.boost)) if f]


def _levels(machine: Machine) -> Iterator[Violation]:
    count = machine.units.count
    for position, level in enumerate(machine.levels):
        path: KeyPath = ("levels", position)
        if level.name in machine.level_names[:position] or level.name == machine.memory.name:
            yield Violation((*path, "name"), f"two levels are called {level.name}", "give each level its own name")
        if level.shared_by > count:
            yield Violation(
                (*path, "shared_by"),
                f"{level.name} is shared by {level.shared_by} units, and there are {count}",
                f"`shared_by` counts each {machine.units.name}, not hardware threads",
            )
        elif not (level.instances - 1) * level.shared_by < count <= level.instances * level.shared_by:
            yield Violation(
                (*path, "shared_by"),
                f"{level.instances} instances of {level.name} shared by {level.shared_by} do not fit {count} units",
                "instances x shared_by must cover all units once",
            )
        if level.line_bytes and level.ways and level.capacity_bytes % (level.line_bytes * level.ways):
            yield Violation(
                (*path, "ways"),
                f"{format_bytes(level.capacity_bytes)} of {level.name} is no whole number of sets of"
                f" {level.ways} lines of {level.line_bytes} B",
                "check capacity, ways and line_bytes",
            )
        if position and level.explain is None:
            yield from _outwards(path, machine.levels[position - 1], level)


def _outwards(path: KeyPath, inner: Level, outer: Level) -> Iterator[Violation]:
    if outer.capacity_bytes < inner.capacity_bytes:
        yield Violation(
            (*path, "capacity_kib"),
            f"{outer.name} ({format_bytes(outer.capacity_bytes)}) is smaller than"
            f" {inner.name} ({format_bytes(inner.capacity_bytes)}) inside it",
            "list levels from the innermost outwards, or say why with `explain`",
        )
    if outer.shared_by < inner.shared_by:
        yield Violation(
            (*path, "shared_by"),
            f"{outer.name} is shared by fewer units than {inner.name} inside it",
            "list levels from the innermost outwards, or say why with `explain`",
        )


def _bandwidth_order(machine: Machine) -> Iterator[Violation]:
    rungs = [(("levels", i, "bandwidth_gbs"), x.name, x, x.instances) for i, x in enumerate(machine.levels)]
    memory = machine.memory
    rows: list[tuple[KeyPath, str, Sequence[BandwidthFigure], int, bool]] = [
        (path, name, level.bandwidths, instances, level.explain is not None) for path, name, level, instances in rungs
    ]
    rows.append((("memory", "bandwidth_gbs"), memory.name, memory.bandwidths, memory.domains, bool(memory.explain)))
    for measured in (False, True):
        inner: tuple[str, float] | None = None
        for path, name, figures, instances, explained in rows:
            best = _best(figures, measured, machine.units.count, instances)
            if best is None:
                continue
            value = full_bandwidth(best, machine.units.count, instances)
            if inner and value > inner[1] * _ROUNDING and not explained and best.explain is None:
                yield Violation(
                    (*path, figures.index(best)),
                    f"{name} ({format_rate(value, 'B/s')}) is faster than"
                    f" {inner[0]} ({format_rate(inner[1], 'B/s')}) inside it",
                    "bandwidths shrink outwards; check the unit, or say why with `explain`",
                )
            inner = (name, value)


def _best(figures: Sequence[BandwidthFigure], measured: bool, units: int, instances: int) -> BandwidthFigure | None:
    """Return the figure that represents a level in the comparison of levels: one that fills whole instances."""
    shared_by = -(-units // instances)
    pool = [
        figure
        for figure in figures
        if (figure.kind is FigureKind.MEASURED) is measured
        and figure.other_device is None
        and (figure.units or units) % shared_by == 0
    ]
    ranked = rank_figures(pool, Basis.SUSTAINED if measured else Basis.THEORETICAL, units=units)
    return ranked[0] if ranked else None


def _mixes(peak: Peak) -> Iterator[Violation]:
    pairs = ((PeakMode.NO_FMA, PeakMode.FMA, "no-FMA", "FMA"), (PeakMode.ADD_ONLY, PeakMode.NO_FMA, "add", "no-FMA"))
    for small, large, small_name, large_name in pairs:
        for measured in (False, True):
            least = [f for f in peak.figures(small) if (f.kind is FigureKind.MEASURED) is measured]
            most = [f.value for f in peak.figures(large) if (f.kind is FigureKind.MEASURED) is measured]
            for figure in least:
                if most and figure.value > max(most) * _ROUNDING and figure.explain is None:
                    yield Violation(
                        _peak_path(peak, small, figure),
                        f"the {peak.precision} {small_name} peak is above the {large_name} peak",
                        "a core without separate pipes reaches half of its FMA peak without FMA",
                    )


def _precisions(machine: Machine) -> Iterator[Violation]:
    double, single = machine.peak_of(Precision.FP64), machine.peak_of(Precision.FP32)
    if double is None or single is None:
        return
    for mode in (PeakMode.FMA, PeakMode.NO_FMA):
        high = [figure.value for figure in single.figures(mode)]
        for figure in double.figures(mode):
            if high and figure.value > max(high) * _ROUNDING and figure.explain is None:
                yield Violation(
                    _peak_path(double, mode, figure),
                    "the fp64 peak is above the fp32 peak",
                    "check that the two are not exchanged",
                )


def _peak_measured(peak: Peak) -> Iterator[Violation]:
    for mode in PeakMode:
        for figure in _too_fast(peak.figures(mode)):
            yield Violation(
                _peak_path(peak, mode, figure),
                f"the measured {peak.precision} peak is above the theoretical one",
                "check both, or say why with `explain`",
            )


def _bandwidth_measured(machine: Machine) -> Iterator[Violation]:
    rows: list[tuple[KeyPath, str, Sequence[BandwidthFigure]]] = [
        (("levels", position), level.name, level.bandwidths) for position, level in enumerate(machine.levels)
    ]
    rows.append((("memory",), machine.memory.name, machine.memory.bandwidths))
    rows += [(("other_memories", i), memory.name, memory.bandwidths) for i, memory in enumerate(machine.other_memories)]
    for path, name, figures in rows:
        for figure in _too_fast(figures):
            yield Violation(
                (*path, "bandwidth_gbs", figures.index(figure)),
                f"the measured bandwidth of {name} is above the theoretical one",
                "check both, or say why with `explain`",
            )


def _path_widths(machine: Machine) -> Iterator[Violation]:
    """Catch runs whose working set sat in an inner level: they are faster than the path of the level they name."""
    clock = max(figure.value for figure in (machine.clock.boost, machine.clock.nominal, machine.clock.base) if figure)
    for position, level in enumerate(machine.levels):
        for index, figure in enumerate(level.bandwidths):
            if level.bytes_per_cycle is None or figure.kind is not FigureKind.MEASURED or figure.explain is not None:
                continue
            ways = 2 if level.duplex == "full" and figure.pattern not in ("load", "read") else 1
            limit = (figure.units or machine.units.count) * level.bytes_per_cycle * clock * ways
            if figure.value > limit * (1 + TOTALS_TOLERANCE):
                yield Violation(
                    ("levels", position, "bandwidth_gbs", index),
                    f"{format_rate(figure.value, 'B/s')} measured from {level.name} exceed its path of"
                    f" {level.bytes_per_cycle:g} B/cycle ({format_rate(limit, 'B/s')})",
                    "did the working set fit an inner level? say why not with `explain`",
                )


def _too_fast(figures: Sequence[BandwidthFigure] | Sequence[Figure]) -> Iterator[BandwidthFigure | Figure]:
    """Yield the measured figures that exceed every data-sheet figure for the same thing."""
    limits = [figure.value for figure in figures if figure.kind is not FigureKind.MEASURED]
    for figure in figures:
        measured = figure.kind is FigureKind.MEASURED and figure.explain is None
        if measured and limits and figure.value > max(limits) * _ROUNDING:
            yield figure


def _totals(machine: Machine) -> Iterator[Violation]:
    for precision, flops in machine.units.flops_per_cycle:
        expected = machine.units.count * machine.clock_hz * flops
        peak = machine.peak_of(precision)
        ranked = rank_figures(() if peak is None else peak.figures(PeakMode.FMA), Basis.THEORETICAL)
        if peak is None or not ranked or ranked[0].kind is FigureKind.MEASURED or ranked[0].explain is not None:
            continue
        if abs(ranked[0].value - expected) > TOTALS_TOLERANCE * expected:
            yield Violation(
                _peak_path(peak, PeakMode.FMA, ranked[0]),
                f"the {precision} peak is {format_rate(ranked[0].value)}, but {machine.units.count} units x"
                f" {format_rate(machine.clock_hz, 'Hz')} x {flops:g} FLOP/cycle is {format_rate(expected)}",
                "they must agree within 5 %; say why not with `explain`",
            )
    core = machine.core
    per_cycle = dict(machine.units.flops_per_cycle).get(Precision.FP64)
    if core is not None and core.fma_units is not None and per_cycle is not None:
        expected = core.fma_units * core.lanes_of(Precision.FP64) * 2
        if abs(per_cycle - expected) > TOTALS_TOLERANCE * expected:
            yield Violation(
                ("units", "flops_per_cycle"),
                f"{per_cycle:g} fp64 FLOP/cycle disagree with {core.fma_units:g} FMA units of"
                f" {core.lanes_of(Precision.FP64)} lanes ({expected:g})",
                "FLOPs per cycle = FMA units x lanes x 2",
            )


def _coverage(machine: Machine) -> Iterator[Violation]:
    rows: list[tuple[KeyPath, Sequence[BandwidthFigure]]] = [
        (("levels", position, "bandwidth_gbs"), level.bandwidths) for position, level in enumerate(machine.levels)
    ]
    rows.append((("memory", "bandwidth_gbs"), machine.memory.bandwidths))
    for path, figures in rows:
        for position, figure in enumerate(figures):
            if figure.units is not None and figure.units > machine.units.count:
                yield Violation(
                    (*path, position, "units"),
                    f"a figure covers {figure.units} units, but there are {machine.units.count}",
                    "leave `units` out when the whole machine took part",
                )
    if not machine.memory.bandwidths:
        yield Violation(("memory",), "[memory] states no bandwidth", "add `bandwidth_gbs`")


def _granularity(machine: Machine) -> Iterator[Violation]:
    gpu, write = machine.gpu, machine.write_allocate
    if gpu is not None and gpu.line_bytes % gpu.sector_bytes:
        yield Violation(("gpu", "sector_bytes"), "a sector must divide a line", "check sector_bytes and line_bytes")
    if gpu is not None and (gpu.memory_fetch_bytes or gpu.sector_bytes) % gpu.sector_bytes:
        yield Violation(
            ("gpu", "memory_fetch_bytes"), "memory sends whole sectors", "check memory_fetch_bytes and sector_bytes"
        )
    if not 1 <= write.store_factor_min <= write.store_factor_max:
        yield Violation(
            ("write_allocate", "store_factor_min"),
            "the store factors must satisfy 1 <= store_factor_min <= store_factor_max",
            "1: a store costs its own bytes; 2: the line is read as well",
        )


def _latencies(machine: Machine) -> Iterator[Violation]:
    stated: list[tuple[KeyPath, str, float]] = [
        (("levels", index, "latency_cycles"), level.name, level.latency_cycles)
        for index, level in enumerate(machine.levels)
        if level.latency_cycles is not None and level.explain is None
    ]
    if machine.memory.latency_s is not None:
        cycles = machine.memory.latency_s * machine.clock_hz
        stated.append((("memory", "latency_ns"), machine.memory.name, cycles))
    for (_, inner, shorter), (path, outer, longer) in pairwise(stated):
        if longer < shorter:
            yield Violation(
                path,
                f"{outer} ({longer:g} cycles) answers sooner than {inner} ({shorter:g} cycles) inside it",
                "latencies grow outwards, or say why with `explain`",
            )
    for index, level in enumerate(machine.levels):
        yield from _far(index, level, machine.units.count)


def _far(index: int, level: Level, units: int) -> Iterator[Violation]:
    for position, figure in enumerate(level.far_bandwidths):
        near = max((full_bandwidth(each, units, level.instances) for each in level.bandwidths), default=None)
        if near is not None and full_bandwidth(figure, units, level.instances) > near:
            yield Violation(
                ("levels", index, "far_bandwidth_gbs", position),
                f"{level.name} is faster far than near",
                "`far_bandwidth_gbs` is for data larger than one partition",
            )
    if (level.far_latency_cycles or level.latency_cycles or 0) < (level.latency_cycles or 0):
        yield Violation(
            ("levels", index, "far_latency_cycles"), f"{level.name} answers sooner far than near", "exchange the two"
        )


def _peak_path(peak: Peak, mode: PeakMode, figure: Figure) -> KeyPath:
    unit = "gops" if peak.precision is Precision.INT8 else "gflops"
    stated = mode if figure in getattr(peak, mode.value) else PeakMode.NO_FMA
    figures: tuple[Figure, ...] = getattr(peak, stated.value)
    return ("peaks", peak.precision.value, f"{stated.value}_{unit}", figures.index(figure))
