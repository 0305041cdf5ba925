"""Rules on speed: above the roof, or far below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...measured.results import DRAM, Fact
from ...model.projection import Bound
from ..performance import plain_level
from .codes import Code
from .reason import Case, Delivered, Reason

_SCALAR = 0.5
_SLOW = 0.9
_FASTER_CLOCK = 1.01


def _faster(case: Case) -> Iterator[Reason]:
    """Recognise a kernel faster than its bound: data were in a cache, or a ceiling, a clock or a count is wrong."""
    performance = case.performance
    allowed = 1 + case.tolerance.of("rate", "")
    seconds, least = performance.seconds, performance.predicted_seconds
    above = performance.efficiency is not None and performance.efficiency > allowed
    earlier = bool(seconds and least) and (least or 0.0) > (seconds or 0.0) * allowed
    if not above and not earlier:
        return
    is_measured = case.sample.bytes_at(DRAM) is not None  # then the rules on bytes judge what came from memory
    warm = None if is_measured else _warm(case)
    reordered = _reordered(case, allowed)
    if warm is not None:
        yield warm
        above = bool(seconds) and _seconds_inside(case, warm.names["cache"]) > (seconds or 0.0) * allowed
    elif reordered is not None:
        yield reordered
        above = False
    elif earlier and not is_measured:
        yield from _without_write_allocate(case, allowed)
    if above:
        yield from _above_roof(case)


def _warm(case: Case) -> Reason | None:
    """Return that data was in a cache before, where a level outside of a cache that holds all of it is the bound."""
    projection = case.prediction.projection
    if projection is None:
        return None
    names = projection.machine.level_names
    binding = {level for level in (case.performance.level, projection.level) if level in names}
    footprint = case.prediction.region.profile.footprint
    touched = case.prediction.number(footprint.touched.lines)
    if touched is None:
        return None
    size = touched.value * footprint.line_bytes
    for cache in projection.machine.levels:
        units = cache.instances if projection.options.cores is None else min(cache.instances, projection.options.cores)
        capacity = float(cache.capacity_bytes * units)
        if size <= capacity and any(names.index(level) > names.index(cache.name) for level in binding):
            evidence = {"footprint_bytes": size, "capacity_bytes": capacity}
            return Reason(Code.WARM_CACHES, "rate", DRAM, evidence, {"cache": cache.name})
    return None


def _without_write_allocate(case: Case, allowed: float) -> Iterator[Reason]:
    """Yield that stores read no lines, where memory bounds the kernel and the time holds without these reads."""
    projection, performance = case.prediction.projection, case.performance
    if projection is None or projection.level != projection.machine.memory.name:
        return
    moved = case.prediction.bytes_at(DRAM)
    seconds, least = performance.seconds, performance.predicted_seconds
    if moved is None or not moved.write_allocate or not seconds or not least:
        return
    if least * (1 - moved.write_allocate / moved.total.value) <= seconds * allowed:
        evidence = {"write_allocate_bytes": moved.write_allocate}
        yield Reason(Code.NO_WRITE_ALLOCATE, "time", DRAM, evidence)


def _seconds_inside(case: Case, cache: str) -> float:
    """Return the time that the levels up to a cache, and the ceiling, need for the predicted bytes and FLOPs."""
    projection, prediction = case.prediction.projection, case.prediction
    if projection is None:
        return 0.0
    names = projection.machine.level_names
    inner = [level for level in projection.levels if level.level not in names[names.index(cache) + 1 :]]
    sizes = [(prediction.number(level.bytes), level.bandwidth.rate.value) for level in inner]
    seconds = [size.value / rate for size, rate in sizes if size is not None]
    if projection.ceiling is not None and prediction.flops is not None:
        seconds.append(prediction.flops.value / projection.ceiling.rate.value)
    return max(seconds, default=0.0)


def _reordered(case: Case, allowed: float) -> Reason | None:
    """Return that sums were taken in another order, where waiting for one is the bound and the time holds without."""
    projection, performance = case.prediction.projection, case.performance
    core = None if projection is None else projection.core
    seconds, least = performance.seconds, performance.predicted_seconds
    if projection is None or core is None or projection.bound is not Bound.LATENCY or not seconds or not least:
        return None
    if core.reassociated_cycles is None or least * core.reassociated_cycles / core.cycles > seconds * allowed:
        return None
    evidence = {"cycles": core.cycles, "reassociated_cycles": core.reassociated_cycles}
    return Reason(Code.REORDERED_SUMS, "time", "", evidence, {"value": core.bottleneck.value})


def _above_roof(case: Case) -> Iterator[Reason]:
    """Yield that the kernel is faster than it can be, with what may have lifted it."""
    performance, projection = case.performance, case.prediction.projection
    efficiency = performance.efficiency
    if projection is None or efficiency is None:
        return
    evidence = {"efficiency": efficiency}
    machine = projection.machine
    names, delivered = dict[str, str](), []
    clock = case.sample.facts.get(Fact.CLOCK_HZ)
    if clock is not None and clock > _FASTER_CLOCK * machine.clock_hz:
        evidence |= {"clock_hz": clock, "machine_clock_hz": machine.clock_hz}
    if case.sample.device and not case.sample.device.isdigit():
        names = {"device": case.sample.device, "machine": machine.name}
    seconds = case.sample.seconds
    for level in projection.levels:
        moved = case.sample.bytes_at(plain_level(projection, level.level))
        if moved is None or not seconds or moved.total / seconds <= level.bandwidth.rate.value:
            continue
        evidence[f"{level.level}_bytes_per_s"] = moved.total / seconds
        delivered.append(Delivered(level.level, moved.total / seconds, level.bandwidth.rate.value))
    yield Reason(Code.ABOVE_THE_ROOF, "rate", performance.level or "", evidence, names, tuple(delivered))


def _not_vectorised(case: Case) -> Iterator[Reason]:
    """Recognise scalar instructions that do most of the work."""
    share, efficiency = case.sample.facts.get(Fact.SCALAR_SHARE), case.performance.efficiency
    if share is None or share <= _SCALAR or (efficiency is not None and efficiency >= _SLOW):
        return
    yield Reason(Code.NOT_VECTORISED, "rate", "", {"scalar_share": share})


def _part(case: Case) -> Iterator[Reason]:
    """Recognise fewer threads than the bound is for."""
    projection, threads = case.prediction.projection, case.sample.facts.get(Fact.THREADS)
    efficiency = case.performance.efficiency
    if projection is None or threads is None or projection.options.cores is not None or projection.machine.gpu:
        return
    units = projection.machine.units
    if threads >= units.count or (efficiency is not None and efficiency >= _SLOW):
        return
    evidence = {"threads": threads, "units": float(units.count)}
    yield Reason(Code.PART_OF_THE_MACHINE, "rate", "", evidence, {"unit": units.name})


SPEED_RULES: tuple[Callable[[Case], Iterator[Reason]], ...] = (_faster, _not_vectorised, _part)
