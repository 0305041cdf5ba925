"""Rules on speed: above the roof, or far below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...measured.results import Fact
from ..performance import plain_level
from .codes import Code
from .reason import Case, Delivered, Reason

_SCALAR = 0.5
_SLOW = 0.9
_FASTER_CLOCK = 1.01


def _above_roof(case: Case) -> Iterator[Reason]:
    """Recognise a kernel faster than its bound: a ceiling, a clock or a count is wrong."""
    performance, projection = case.performance, case.prediction.projection
    efficiency = performance.efficiency
    if projection is None or efficiency is None or efficiency <= 1 + case.tolerance.of("rate", ""):
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


SPEED_RULES: tuple[Callable[[Case], Iterator[Reason]], ...] = (_above_roof, _not_vectorised, _part)
