"""Compute ceilings of a machine for a region's mix of precisions and FMA share.

Precisions mix by time, ``1 / sum(share_p / peak_p)``; the ceiling for a share alpha of FMA instructions lies between
the no-FMA and the FMA peak, ``no_fma + alpha * (fma - no_fma)``, which is ``(1 + alpha)/2`` of the FMA peak where the
no-FMA peak is half of it (Yang et al., arXiv 2009.02449, partial-FMA ceiling).  FLOPs that a compiler computes once,
since they repeat others or stay the same in a loop, take no time: the ceiling of needed FLOPs is that of the others
times all over the others, and may be above every peak.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Union

from msgspec import Struct
from msgspec.structs import replace

from analyzer.counts.results import InnerLoop
from analyzer.ir.types import ScalarType
from analyzer.ir.values import ARITHMETIC, SUMS
from analyzer.profile import RegionProfile

from ...machine.figures import Basis, PeakMode
from ...machine.machine import Machine
from ...machine.units import FlopRate, InstructionRate, Intensity
from ..intensity import limit_of, ratio, share_of, value_of
from .incore import CoreAssumption, CoreBound, Resource, core_bound
from .least_core import least_core, without_reuse

_TENSOR = "tensor_"
_OTHER_ARITHMETIC = ARITHMETIC - SUMS


class CeilingName(StrEnum):
    """The resource that a horizontal roof limits."""

    FMA = "FMA"
    PARTIAL_FMA = "partial FMA"
    NEEDED = "needed FLOPs"
    NO_FMA = "no FMA"
    ADD_ONLY = "add only"
    SCALAR = "no FMA, no SIMD"
    MATRIX = "matrix"
    CORE = "core throughput"
    INTEGER = "integer operations"
    ISSUE = "instruction issue"
    LATENCY = "latency"


class PeakFigures(Struct, frozen=True):
    """The peaks of the precisions that mix, each with the phrase that names kind and source of its figure."""

    peaks: tuple[tuple[str, str], ...]


class PartlyFused(Struct, frozen=True):
    """This share of the floating-point instructions is FMA."""

    share: float


class ComputedOnce(Struct, frozen=True):
    """This share of the FLOPs is computed before: outside of the loop, or for the same value in an iteration."""

    share: float


class CoreCycles(Struct, frozen=True):
    """The cycles of one core for so many iterations, which the busiest resource takes.

    The iterations are of the loop at ``line``, which has this ``share`` of the cycles.
    """

    cycles: float
    iterations: int
    bottleneck: Resource
    assumptions: tuple[CoreAssumption, ...]
    line: int
    share: float


class InstructionCeiling(Struct, frozen=True):
    """Instructions that a region has at least, and how many of them a machine does per second (warps' on a GPU)."""

    name: CeilingName
    instructions: float
    rate: InstructionRate

    @property
    def seconds(self) -> float:
        """Return the time that they take at least."""
        return self.instructions / self.rate.value


class ChainCeiling(Struct, frozen=True):
    """A value that one thread hands on: so many ``iterations`` of the loop at ``line`` wait ``cycles`` each.

    ``of_loads``: what waits is a load for the load before it, in the innermost cache.
    """

    value: str
    cycles: float
    iterations: float
    line: int
    seconds: float
    of_loads: bool

    @property
    def name(self) -> CeilingName:
        """Return the kind of ceiling."""
        return CeilingName.LATENCY


CeilingSource = Union[PeakFigures, PartlyFused, ComputedOnce, CoreCycles, InstructionCeiling, ChainCeiling]


class Ceiling(Struct, frozen=True):
    """A horizontal roof: name, rate, the ridge against the outermost level, and the origin of the rate."""

    name: CeilingName
    rate: FlopRate
    ridge: Intensity | None
    source: CeilingSource

    @property
    def is_core(self) -> bool:
        """Return whether the throughput of the core is the roof."""
        return self.name is CeilingName.CORE


def _shares(profile: RegionProfile) -> dict[ScalarType, Fraction]:
    """Return the part of the FLOPs that each precision has."""
    found = {
        precision: limit_of(profile, flops, profile.work.flops) or Fraction(0)
        for precision, flops in profile.work.flops_by_precision.items()
    }
    return {precision: share for precision, share in found.items() if share}


class _Needed(Struct, frozen=True):
    """FLOPs that are not computed before, by precision and for each FLOP of the source, and their share of FMA."""

    shares: Mapping[ScalarType, Fraction]
    fused: Fraction


def _needed(profile: RegionProfile, shares: Mapping[ScalarType, Fraction]) -> _Needed | None:
    """Return the FLOPs of a region that must be computed; None where those are all, or where sizes decide."""
    loops = [inner for inner in profile.inner_loops if inner.iteration.repeated.flops]
    if not loops:
        return None
    needed = dict(shares)
    fused, every = (
        limit_of(profile, each, profile.work.flops) or Fraction(0)
        for each in (profile.work.fma_instructions, profile.work.flop_instructions)
    )
    for inner in loops:
        runs, repeated = share_of(profile, inner.runs, profile.work.flops), inner.iteration.repeated
        if runs is None:
            return None
        for precision, flops in repeated.flops.items():
            needed[precision] = max(Fraction(0), needed.get(precision, Fraction(0)) - runs * flops)
        fused -= runs * repeated.fma_instructions
        every -= runs * repeated.flop_instructions
    return _Needed(needed, min(Fraction(1), max(Fraction(0), fused / every)) if every > 0 else Fraction(1))


def compute_ceilings(
    profile: RegionProfile, machine: Machine, basis: Basis, cores: int | None, core: CoreBound | None
) -> tuple[Ceiling, ...]:
    """Return the compute ceilings for the region's mix of precisions, highest first; ``core`` is its core's bound."""
    shares = _shares(profile) or {ScalarType.FP64: Fraction(1)}
    needed = _needed(profile, shares)
    outer = machine.bandwidth(machine.memory.name, basis, cores)
    found: list[Ceiling] = []

    def mixed(
        mode: PeakMode, *, simd: bool = True, parts: Mapping[ScalarType, Fraction] = shares
    ) -> tuple[FlopRate, PeakFigures] | None:
        seconds, peaks = 0.0, []
        for precision, share in parts.items():
            name = "fp64" if precision is ScalarType.FP80 else precision.value.removeprefix(_TENSOR)
            unit = PeakMode.MATRIX if precision.value.startswith(_TENSOR) else mode
            peak = machine.choose_peak(name, mode=unit, simd=simd, kind=basis, cores=cores)
            if peak is None:
                return None
            seconds += float(share) / peak.rate.value
            peaks.append((name, peak.text))
        return (FlopRate(1 / seconds), PeakFigures(tuple(peaks))) if seconds else None

    def put(name: CeilingName, rate: FlopRate, source: CeilingSource) -> None:
        found.append(Ceiling(name, rate, None if outer is None else rate / outer.rate, source))

    if all(precision.value.startswith(_TENSOR) for precision in shares):
        matrix = mixed(PeakMode.MATRIX)
        if matrix is not None:
            put(CeilingName.MATRIX, *matrix)
        return tuple(found)
    fma, plain = mixed(PeakMode.FMA), mixed(PeakMode.NO_FMA)
    alpha = fma_share(profile)
    if fma is not None:
        put(CeilingName.FMA, *fma)
    if fma is not None and plain is not None and alpha is not None and 0 < alpha < 1:
        partial = plain[0].value + float(alpha) * (fma[0].value - plain[0].value)
        put(CeilingName.PARTIAL_FMA, FlopRate(partial), PartlyFused(float(alpha)))
    if needed is not None:
        pair = mixed(PeakMode.NO_FMA, parts=needed.shares), mixed(PeakMode.FMA, parts=needed.shares)
        rates = [found[0].value for found in pair if found is not None]
        if rates:
            rate = rates[0] + float(needed.fused) * (rates[-1] - rates[0])
            put(CeilingName.NEEDED, FlopRate(rate), ComputedOnce(1 - float(sum(needed.shares.values()))))
    if plain is not None:
        put(CeilingName.NO_FMA, *plain)
    if core is not None and core.chip.value:
        put(CeilingName.CORE, core.chip, cycles_of(core))
    adds = mixed(PeakMode.ADD_ONLY)
    if adds is not None:
        put(CeilingName.ADD_ONLY, *adds)
    scalar = mixed(PeakMode.NO_FMA, simd=False)
    if scalar is not None and machine.core is not None:
        put(CeilingName.SCALAR, *scalar)
    return tuple(sorted(found, key=lambda ceiling: -ceiling.rate.value))


def with_instructions(
    profile: RegionProfile, ceilings: tuple[Ceiling, ...], holding: InstructionCeiling | ChainCeiling | None
) -> tuple[Ceiling, ...]:
    """Return the ceilings of a kernel, with that of what holds it where it is below that of its arithmetic."""
    if holding is None or not holding.seconds:
        return ceilings
    flops, others = value_of(profile.work.flops.estimate, profile.values), arithmetic_ceiling(profile, ceilings)
    if not flops or others is None or flops / holding.seconds >= others.rate.value:
        return ceilings
    rate = FlopRate(flops / holding.seconds)
    ridge = None if others.ridge is None else Intensity(others.ridge.value * (rate / others.rate))
    found = Ceiling(holding.name, rate, ridge, holding)
    return tuple(sorted((*ceilings, found), key=lambda ceiling: -ceiling.rate.value))


def cycles_of(core: CoreBound) -> CoreCycles:
    """Return the cycles of the loop that takes most of them."""
    return CoreCycles(core.cycles, core.iterations, core.bottleneck, core.assumptions, core.line, core.share)


def core_of(
    profile: RegionProfile, machine: Machine, cores: int | None, *, reassociate: bool = False
) -> CoreBound | None:
    """Return P_max of a region, over all of its innermost loops; None without a loop or without core data.

    The loops run one after the other: ``P_max = F / sum(t_i)``.  Without sizes that is the limit for large ones; where
    there is none it is at most P_max of the fastest loop.  Short loops may be written out, which takes less where the
    loop around then loads what the short one loaded again and again.
    """

    def least(inner: InnerLoop) -> CoreBound | None:
        return least_core(inner, machine, profile.values, cores, reassociate=reassociate)

    def in_registers(inner: InnerLoop, bound: CoreBound | None) -> tuple[InnerLoop, CoreBound | None]:
        held = without_reuse(inner, reassociate=reassociate)
        return held, bound if held is inner else least(held)

    bounds = [(loops, [*map(least, loops)]) for loops in (profile.inner_loops, profile.written_loops) if loops]
    ways = [_of_all(profile, machine, loops, found, cores) for loops, found in bounds]
    found = min((way for way in ways if way is not None), key=_quickness, default=None)
    if found is None or found.nest_seconds is None:
        return found
    certain = [_nest_seconds([*map(in_registers, *each)], profile.values) for each in bounds]
    least_of_ways = min((each for each in certain if each is not None), default=0.0)
    return replace(found, certain_seconds=max(least_of_ways, _once_seconds(profile, machine, cores)))


def _once_seconds(profile: RegionProfile, machine: Machine, cores: int | None) -> float:
    """Return what one core takes at least to load or store each element once, in vectors; 0 where none were counted."""
    core, distinct = machine.core, profile.distinct
    if core is None or distinct is None:
        return 0.0
    moved = distinct.traffic
    bytes_per_s = machine.core_hz(cores) * machine.scaling.flops * core.simd_bits / 8
    ports = ((moved.read_bytes, core.loads_per_cycle), (moved.write_bytes, core.stores_per_cycle))
    sizes = ((value_of(size.lower, profile.values) or 0.0, per_cycle) for size, per_cycle in ports if per_cycle)
    return max((size / per_cycle / bytes_per_s for size, per_cycle in sizes), default=0.0)


def _quickness(bound: CoreBound) -> tuple[float, float]:
    """Return what orders bounds of one nest: its seconds, or without sizes its rate."""
    return (0.0 if bound.nest_seconds is None else bound.nest_seconds, -bound.per_core.value)


def likely_core_of(
    profile: RegionProfile, machine: Machine, cores: int | None, *, reassociate: bool = False
) -> CoreBound | None:
    """Return what the core is likely to take for all innermost loops of a region, as a compiler would translate them.

    None without a loop or without core data.
    """
    found = [core_bound(inner.iteration, machine, cores, reassociate=reassociate) for inner in profile.inner_loops]
    return _of_all(profile, machine, profile.inner_loops, found, cores)


def _of_all(
    profile: RegionProfile,
    machine: Machine,
    inner_loops: Sequence[InnerLoop],
    found: Sequence[CoreBound | None],
    cores: int | None,
) -> CoreBound | None:
    values = profile.values
    bounds = [(inner, bound) for inner, bound in zip(inner_loops, found, strict=True) if bound is not None]
    if not bounds:
        return None
    whole = _nest_seconds(bounds, values)
    if len(inner_loops) == 1:
        alone = bounds[0][1]
        for_large_sizes = alone.for_large_sizes or not _is_all_work(profile, inner_loops[0])
        return replace(alone, for_large_sizes=for_large_sizes, nest_seconds=whole)
    return replace(_of_several(profile, machine, inner_loops, found, cores), nest_seconds=whole)


def _nest_seconds(bounds: Sequence[tuple[InnerLoop, CoreBound | None]], values: Mapping[str, int]) -> float | None:
    """Return what one core takes at least for all iterations of some loops; None without sizes."""
    parts = [(value_of(inner.runs.lower, values), bound.seconds) for inner, bound in bounds if bound is not None]
    known = [runs * seconds for runs, seconds in parts if runs is not None]
    return sum(known) if len(known) == len(parts) else None


def _of_several(
    profile: RegionProfile,
    machine: Machine,
    inner_loops: Sequence[InnerLoop],
    found: Sequence[CoreBound | None],
    cores: int | None,
) -> CoreBound:
    """Return the bound of a nest with several innermost loops: the longest of them, at the rate of all."""
    bounds = [bound for bound in found if bound is not None]
    fastest = max(bounds, key=lambda bound: bound.per_core.value)
    shares = [share_of(profile, inner.runs, profile.work.flops) for inner in inner_loops]
    if None in shares:
        return replace(fastest, for_large_sizes=True)
    seconds = [
        0.0 if bound is None else float(share or 0) * bound.seconds for share, bound in zip(shares, found, strict=True)
    ]
    longest = max(range(len(seconds)), key=seconds.__getitem__)
    bound = found[longest]
    if bound is None or not seconds[longest]:
        return fastest
    return bound.among(seconds[longest], sum(seconds), machine.unit_count(cores))


def _is_all_work(profile: RegionProfile, inner: InnerLoop) -> bool:
    """Return whether all FLOPs of a region are those of one loop, whatever the sizes."""
    runs = ratio(profile, profile.work.flops, inner.runs)
    return runs.exact or (runs.number == inner.iteration.flops and runs.holds_for_all)


def fma_share(profile: RegionProfile) -> Fraction | None:
    """Return FMA instructions among the floating-point arithmetic instructions (alpha); None where there are none."""
    return limit_of(profile, profile.work.fma_instructions, profile.work.flop_instructions)


def effective_ceiling(profile: RegionProfile, ceilings: tuple[Ceiling, ...]) -> Ceiling | None:
    """Return the least of the ceiling for the region's FMA share and those of the core and its instructions."""
    by_name = {ceiling.name: ceiling for ceiling in ceilings}
    apart = (CeilingName.CORE, CeilingName.INTEGER, CeilingName.ISSUE, CeilingName.LATENCY)
    holding = (*map(by_name.get, apart), arithmetic_ceiling(profile, ceilings))
    return min((found for found in holding if found is not None), key=lambda found: found.rate.value, default=None)


def arithmetic_ceiling(profile: RegionProfile, ceilings: tuple[Ceiling, ...]) -> Ceiling | None:
    """Return the ceiling for the region's needed FLOPs, or for its FMA share; None where no peak is known."""
    alpha = fma_share(profile)
    wanted = (
        (CeilingName.ADD_ONLY, CeilingName.NO_FMA)
        if _only_adds(profile)
        else (CeilingName.FMA,)
        if alpha == 1
        else (CeilingName.PARTIAL_FMA, CeilingName.NO_FMA)
        if alpha
        else (CeilingName.NO_FMA,)
    )
    by_name = {ceiling.name: ceiling for ceiling in ceilings}
    chosen = (CeilingName.NEEDED, *wanted, CeilingName.FMA, CeilingName.MATRIX)
    return next((by_name[name] for name in chosen if name in by_name), None)


def _only_adds(profile: RegionProfile) -> bool:
    """Return whether all floating-point arithmetic is additions and subtractions."""
    kinds = {key.operation for key in profile.work.operations if key.precision.is_float}
    return bool(kinds & SUMS) and not kinds & _OTHER_ARITHMETIC
