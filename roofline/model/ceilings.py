"""Compute ceilings of a machine for a region's mix of precisions and FMA share.

Precisions mix by time, ``1 / sum(share_p / peak_p)``; the ceiling for a share alpha of FMA instructions lies between
the no-FMA and the FMA peak, ``no_fma + alpha * (fma - no_fma)``, which is ``(1 + alpha)/2`` of the FMA peak where the
no-FMA peak is half of it (Yang et al., arXiv 2009.02449, partial-FMA ceiling).
"""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct

from analyzer.ir.types import ScalarType
from analyzer.ir.values import Operation
from analyzer.profile import RegionProfile

from ..machine.figures import Basis, PeakMode
from ..machine.machine import Machine
from ..machine.units import FlopRate, Intensity
from .incore import CoreBound, core_bound
from .intensity import ratio

CORE = "core throughput"
ADD_ONLY = "add only"
MATRIX = "matrix"
_TENSOR = "tensor_"
_ADDITIONS = frozenset((Operation.ADD, Operation.SUB))
_OTHER_ARITHMETIC = frozenset(operation for operation in Operation if operation.is_arithmetic) - _ADDITIONS


class Ceiling(Struct, frozen=True):
    """A horizontal roof: name, rate, and the ridge against the outermost level."""

    name: str
    rate: FlopRate
    ridge: Intensity | None
    text: str


def _shares(profile: RegionProfile) -> dict[ScalarType, Fraction]:
    """The part of the FLOPs that each precision has."""
    found = {
        precision: ratio(profile, flops, profile.work.flops).number or Fraction(0)
        for precision, flops in profile.work.flops_by_precision.items()
    }
    return {precision: share for precision, share in found.items() if share}


def compute_ceilings(
    profile: RegionProfile, machine: Machine, basis: Basis, cores: int | None, core: CoreBound | None
) -> tuple[Ceiling, ...]:
    """Return the compute ceilings for the region's mix of precisions, highest first; ``core`` is its core's bound."""
    shares = _shares(profile) or {ScalarType.FP64: Fraction(1)}
    outer = machine.bandwidth(machine.memory.name, basis, cores)
    found: list[Ceiling] = []

    def mixed(mode: PeakMode, *, simd: bool = True) -> tuple[FlopRate, str] | None:
        seconds, texts = 0.0, []
        for precision, share in shares.items():
            name = "fp64" if precision is ScalarType.FP80 else precision.value.removeprefix(_TENSOR)
            unit = PeakMode.MATRIX if precision.value.startswith(_TENSOR) else mode
            peak = None
            if machine.peak_of(name) is not None:
                peak = machine.choose_peak(name, mode=unit, simd=simd, kind=basis, cores=cores)
            if peak is None:
                return None
            seconds += float(share) / peak.rate.value
            texts.append(f"{name}: {peak.text}")
        return FlopRate(1 / seconds), "; ".join(texts)

    def put(name: str, rate: FlopRate, text: str) -> None:
        found.append(Ceiling(name, rate, None if outer is None else rate / outer.rate, text))

    if all(precision.value.startswith(_TENSOR) for precision in shares):
        matrix = mixed(PeakMode.MATRIX)
        if matrix is not None:
            put(MATRIX, *matrix)
        return tuple(found)
    fma, plain = mixed(PeakMode.FMA), mixed(PeakMode.NO_FMA)
    alpha = fma_share(profile)
    if fma is not None:
        put("FMA", *fma)
    if fma is not None and plain is not None and alpha is not None and 0 < alpha < 1:
        partial = plain[0].value + float(alpha) * (fma[0].value - plain[0].value)
        put("partial FMA", FlopRate(partial), f"{float(alpha):.0%} of the instructions are FMA")
    if plain is not None:
        put("no FMA", *plain)
    if core is not None and core.chip.value:
        turn = f"{core.iterations} iterations" if core.iterations > 1 else "1 iteration"
        put(CORE, core.chip, "; ".join((f"{core.cycles:.4g} cycles for {turn}: {core.bottleneck}", *core.assumptions)))
    adds = mixed(PeakMode.ADD_ONLY)
    if adds is not None:
        put(ADD_ONLY, *adds)
    scalar = mixed(PeakMode.NO_FMA, simd=False)
    if scalar is not None and machine.core is not None:
        put("no FMA, no SIMD", *scalar)
    return tuple(sorted(found, key=lambda ceiling: -ceiling.rate.value))


def core_of(
    profile: RegionProfile, machine: Machine, cores: int | None, *, reassociate: bool = False
) -> CoreBound | None:
    """P_max of the region's dominant loop; None without a loop or without core data."""
    if profile.per_iteration is None:
        return None
    return core_bound(profile.per_iteration, machine, cores, reassociate=reassociate)


def fma_share(profile: RegionProfile) -> Fraction | None:
    """FMA instructions among the floating-point arithmetic instructions (alpha); None where there are none."""
    return ratio(profile, profile.work.fma_instructions, profile.work.flop_instructions).number


def effective_ceiling(profile: RegionProfile, ceilings: tuple[Ceiling, ...]) -> Ceiling | None:
    """The least of the ceiling for the region's FMA share and the core's throughput."""
    alpha = fma_share(profile)
    wanted = (
        (ADD_ONLY, "no FMA")
        if _only_adds(profile)
        else ("FMA",)
        if alpha == 1
        else ("partial FMA", "no FMA")
        if alpha
        else ("no FMA",)
    )
    by_name = {ceiling.name: ceiling for ceiling in ceilings}
    arithmetic = next((by_name[name] for name in (*wanted, "FMA", MATRIX) if name in by_name), None)
    holding = [ceiling for ceiling in (by_name.get(CORE), arithmetic) if ceiling is not None]
    return min(holding, key=lambda ceiling: ceiling.rate.value, default=None)


def _only_adds(profile: RegionProfile) -> bool:
    """Whether all floating-point arithmetic is additions and subtractions."""
    kinds = {key.operation for key in profile.work.operations if key.precision.is_float}
    return bool(kinds & _ADDITIONS) and not kinds & _OTHER_ARITHMETIC
