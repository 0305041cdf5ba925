"""Advice for a region: one value for each kind, with the gain that the roofline predicts.

:mod:`roofline.report.sentences` writes them as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from analyzer.profile import RegionProfile
from analyzer.traffic.results import Blocking, CacheTraffic, Convention, Cut, RegionTraffic, Reuse

from .ceilings import CeilingName, ChainCeiling
from .gpu import SHARED, coalesced, is_conflicting, is_uncoalesced, without_conflicts
from .incore import Unit
from .intensity import limit_of, value_of
from .level_bytes import ProjectionOptions, Target, in_force, level_bytes
from .levels import host_memory
from .projection import Bound, MovedBytes, Projection, project
from .verdicts.regimes import with_regimes

_NOTICEABLE, _WORTH_BLOCKING = 1.01, 1.05
_ALLOCATING = (Convention.WRITE_ALLOCATE, Convention.CACHED)
REGISTERS = "registers"


class StreamingStores(Struct, frozen=True):
    """Non-temporal stores save the write-allocate; ``gain`` is the predicted speed-up."""

    code: ClassVar[str] = "AI401"
    gain: float


class ReuseData(Struct, frozen=True):
    """Fewer bytes from ``level`` gain in proportion, up to ``gain`` times at the named ceiling.

    ``inner`` has to hold the data instead: :data:`REGISTERS` or a cache; None where the level is the memory.
    """

    code: ClassVar[str] = "AI402"
    level: str | None
    inner: str | None
    ceiling: str
    gain: float


class ReorderSums(Struct, frozen=True):
    """Sums in another order do not wait for the latency of one addition; ``gain`` is the predicted speed-up."""

    code: ClassVar[str] = "AI403"
    gain: float


class BlockLoops(Struct, frozen=True):
    """Loops in tiles move ``after_bytes`` at ``level`` instead of ``before_bytes``.

    ``gain`` is the predicted speed-up, None without a machine.
    """

    code: ClassVar[str] = "AI405"
    cuts: tuple[Cut, ...]
    level: str
    before_bytes: Fraction
    after_bytes: Fraction
    gain: float | None


class CoalesceAccesses(Struct, frozen=True):
    """Neighbouring threads on neighbouring elements of ``arrays``; ``gain`` is the predicted speed-up."""

    code: ClassVar[str] = "AI406"
    arrays: tuple[str, ...]
    gain: float


class AvoidBankConflicts(Struct, frozen=True):
    """Rows of ``arrays`` padded or permuted, against bank conflicts; ``gain`` is the predicted speed-up."""

    code: ClassVar[str] = "AI407"
    arrays: tuple[str, ...]
    gain: float


class CopyToDevice(Struct, frozen=True):
    """``arrays`` in the memory of the host, copied to the GPU once; ``gain`` is the speed-up of each use after that."""

    code: ClassVar[str] = "AI409"
    arrays: tuple[str, ...]
    gain: float


class SplitChain(Struct, frozen=True):
    """Several chains side by side instead of the one of ``value``; ``gain`` is the most that this could be.

    ``of_loads``: what waits are loads, else sums of one thread.
    """

    code: ClassVar[str] = "AI410"
    value: str
    of_loads: bool
    gain: float


Advice = (
    StreamingStores
    | ReuseData
    | ReorderSums
    | BlockLoops
    | CoalesceAccesses
    | AvoidBankConflicts
    | CopyToDevice
    | SplitChain
)


def advice_for(
    profile: RegionProfile,
    traffic: RegionTraffic,
    moved: MovedBytes,
    projections: Sequence[Projection],
    options: ProjectionOptions,
    reuses: Sequence[Reuse] = (),
) -> tuple[Advice, ...]:
    """Return suggestions for a region, by the first machine where there is one; ``moved`` is the headline's.

    Without sizes they are for the regime of the headline: that of large sizes, where the ``reuses`` separate two.
    """
    first = projections[0] if projections else None
    advice = [*_blocking(profile, traffic, projections, options), *_streaming(profile, traffic, moved, first, reuses)]
    if first is not None and first.traffic is not None and first.traffic.requests:
        advice += _mended(profile, traffic, first.traffic, first)
    if first is not None and first.bound is Bound.MEMORY:
        by_link = first.level is not None and first.level == host_memory(first.machine)
        advice += _copied(profile, first) if by_link else _reuse(first)
    if first is not None:
        advice += _reordered(first)
        advice += _split(profile, first)
    return tuple(advice)


def _anew(
    profile: RegionProfile,
    traffic: RegionTraffic,
    projection: Projection,
    options: ProjectionOptions | None = None,
    reuses: Sequence[Reuse] = (),
) -> Projection:
    """Return the projection onto the same machine, in the same regime, of other traffic, or with other options."""
    target = Target(projection.machine, options or projection.options, projection.hierarchy)
    return with_regimes(project(profile, target, traffic, like=projection), profile, reuses)


def _streaming(
    profile: RegionProfile,
    traffic: RegionTraffic,
    moved: MovedBytes,
    projection: Projection | None,
    reuses: Sequence[Reuse],
) -> Iterator[Advice]:
    """Yield the gain of non-temporal stores, where memory binds or no machine is named."""
    if moved.convention not in _ALLOCATING or moved.write_allocate.is_zero:
        return
    spared = limit_of(profile, moved.write_allocate, moved.total)
    if spared is None or not 0 < spared < 1:
        return
    gain = float(1 / (1 - spared))
    if projection is not None:
        if projection.bound is not Bound.MEMORY or projection.level != projection.machine.memory.name:
            return
        before = projection.attainable
        after = _anew(profile, traffic, projection, replace(projection.options, nontemporal=True), reuses).attainable
        gain = after / before if before is not None and before.value and after is not None else gain
    if gain > _NOTICEABLE:
        yield StreamingStores(gain)


def _reuse(projection: Projection) -> Iterator[Advice]:
    """Yield the gain of fewer bytes from the binding level."""
    if projection.ceiling is None or projection.attainable is None or not projection.attainable.value:
        return
    room = projection.ceiling.rate / projection.attainable
    if room <= 1:
        return
    level, names = projection.level, projection.machine.level_names
    inner = None
    if level == SHARED or (level == names[0] and len(names) > 1):
        inner = REGISTERS
    elif level in names[1:-1]:
        inner = names[names.index(level) - 1]
    yield ReuseData(level, inner, projection.ceiling.name, room)


def _copied(profile: RegionProfile, projection: Projection) -> Iterator[Advice]:
    """Yield the gain of arrays in the memory of the GPU instead of that of the host."""
    times: dict[str, float] = {}
    for level in projection.levels:
        size = value_of(level.bytes.estimate, profile.values)
        if size is not None:
            times[level.level] = size / level.bandwidth.rate.value
    over_link = times.pop(projection.level or "", None)
    rest = max(times.values(), default=0.0)
    if profile.launch is not None and over_link and rest and over_link > _NOTICEABLE * rest:
        yield CopyToDevice((*profile.launch.pinned, *profile.launch.managed), over_link / rest)


def _mended(
    profile: RegionProfile, traffic: RegionTraffic, own: CacheTraffic, projection: Projection
) -> Iterator[Advice]:
    """Yield the gain of requests without waste: neighbouring threads on neighbouring elements, no bank conflicts."""
    faults = (
        (CoalesceAccesses, is_uncoalesced, coalesced),
        (AvoidBankConflicts, is_conflicting, without_conflicts),
    )
    for advice, is_faulty, mend in faults:
        arrays = tuple(dict.fromkeys(request.array for request in own.requests if is_faulty(request)))
        before = _pace(projection)
        if not arrays or not before:
            continue
        mended = mend(own, profile.values)
        models = tuple(mended if found is own else found for found in traffic.models)
        after = _pace(_anew(profile, replace(traffic, models=models), projection))
        gain = after / before if after else 1.0
        if gain > _NOTICEABLE:
            yield advice(arrays, gain)


def _pace(projection: Projection) -> float | None:
    """Return the estimated speed of a kernel: FLOP/s, or runs per second without FLOPs and with all sizes known."""
    if projection.attainable is not None:
        return projection.attainable.value
    if any(level.bytes.estimate.symbols for level in projection.levels):
        return None
    seconds = [float(level.bytes.estimate.evaluate({})) / level.bandwidth.rate.value for level in projection.levels]
    return 1 / max(seconds) if any(seconds) else None


def _reordered(projection: Projection) -> Iterator[Advice]:
    """Yield the gain of sums in another order, where a compiler's code is likely to wait for the latency of one."""
    core = projection.likely
    if core is None or core.reassociated_cycles is None or not core.chip.value:
        return
    roofs = [level.rate.value for level in projection.levels if level.rate is not None]
    roofs += [ceiling.rate.value for ceiling in projection.ceilings if ceiling.name is CeilingName.FMA]
    if projection.bound is Bound.MEMORY and projection.attainable is not None:
        roofs.append(projection.attainable.value)
    faster = 1 - core.share + core.share * core.reassociated_cycles / core.cycles
    before, after = (min(rate, *roofs) for rate in (core.chip.value, core.chip.value / faster))
    if after > _NOTICEABLE * before:
        yield ReorderSums(after / before)


def _split(profile: RegionProfile, projection: Projection) -> Iterator[Advice]:
    """Yield the gain of several chains where one of loads, or of one thread of a GPU, is the bound."""
    if projection.bound is not Bound.LATENCY:
        return
    core, held = projection.core, projection.held
    if core is not None and core.bottleneck.unit is Unit.LOAD_LATENCY:
        others = [cycles for resource, cycles in core.cycles_by_resource if resource != core.bottleneck]
        if others and core.cycles > _NOTICEABLE * max(others):
            yield SplitChain(core.bottleneck.value, True, core.cycles / max(others))
    elif isinstance(held, ChainCeiling):
        sizes = [
            (value_of(level.bytes.estimate, profile.values), level.bandwidth.rate.value) for level in projection.levels
        ]
        rest = [size / rate for size, rate in sizes if size is not None]
        roof = projection.instructions
        rest += [ceiling.seconds for ceiling in (() if roof is None else roof.ceilings)]
        if any(rest) and held.seconds > _NOTICEABLE * max(rest):
            yield SplitChain(held.value, held.of_loads, held.seconds / max(rest))


def _blocking(
    profile: RegionProfile, traffic: RegionTraffic, projections: Sequence[Projection], options: ProjectionOptions
) -> Iterator[Advice]:
    """Yield the loop tiles with the least projected time; without a machine those with the least bytes of memory."""
    if not traffic.blockings:
        return
    hierarchy = traffic.blockings[0].traffic.hierarchy
    before = next((projection for projection in projections if projection.hierarchy == hierarchy), None)
    trials = [_tried(profile, traffic, blocking, before, options) for blocking in traffic.blockings]
    best = max((trial for trial in trials if trial is not None), key=lambda trial: trial.gain, default=None)
    if best is None or best.gain < _WORTH_BLOCKING:
        return
    yield BlockLoops(best.blocking.cuts, best.level, best.before, best.after, None if before is None else best.gain)


class _Trial(Struct, frozen=True):
    """A blocking with its gain (in time, else in bytes) and the bytes of a level without and with it."""

    blocking: Blocking
    gain: float
    level: str
    before: Fraction
    after: Fraction


def _tried(
    profile: RegionProfile,
    traffic: RegionTraffic,
    blocking: Blocking,
    before: Projection | None,
    options: ProjectionOptions,
) -> _Trial | None:
    profile = replace(profile, nests=(), outside=None)  # tiles cross the parts of a nest: both are taken as a whole
    machine = None if before is None else before.machine
    level = blocking.traffic.levels[-1].level if before is None else before.level
    plain = in_force(traffic, options, blocking.traffic.hierarchy)
    sizes = [
        _bytes(profile, dict(level_bytes(found, options, machine, profile.values)).get(level or ""))
        for found in (plain, blocking.traffic)
    ]
    if level is None or sizes[0] is None or sizes[1] is None:
        return None
    if before is None:
        gain = float(sizes[0] / sizes[1]) if sizes[1] else 1.0
    else:
        both = (traffic, replace(traffic, models=(blocking.traffic,)))
        times = [_anew(profile, found, before).time for found in both]
        if times[0] is None or times[1] is None or not times[1].value:
            return None
        gain = times[0].value / times[1].value
    return _Trial(blocking, gain, level, sizes[0], sizes[1])


def _bytes(profile: RegionProfile, moved: MovedBytes | None) -> Fraction | None:
    """Return the bytes at the known sizes."""
    if moved is None or not moved.total.estimate.symbols <= profile.values.keys():
        return None
    return Fraction(moved.total.estimate.evaluate(profile.values))
