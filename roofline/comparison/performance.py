"""Measured performance against the bound that holds for the *measured* intensities.

``bound = min(ceiling, I_k * b_k)`` over the levels whose intensity was measured; of the others the predicted intensity
is taken only where none was measured.  Efficiency is the measured rate over that bound; without FLOPs, bytes per second
over the bandwidth; where these were not measured either, the predicted bytes are taken.
"""

from __future__ import annotations

from msgspec import Struct

from ..measured.results import DRAM, Sample
from ..model.levels import LevelBound
from ..model.projection import Projection
from .predictions import Interval, Prediction


class Performance(Struct, frozen=True):
    """Rates in ``unit`` (FLOP/s, or B/s of a kernel without FLOPs); None where something is missing.

    ``bound`` holds for the measured intensities and is that of ``level`` (None: of the ceiling); ``predicted`` and
    ``predicted_level`` are so for the predicted ones.  ``expected`` are the seconds that a run is likely to take.
    ``estimated``: the rate is of the predicted FLOPs or bytes, for none were measured.
    """

    seconds: float | None
    rate: float | None
    unit: str
    bound: float | None
    level: str | None
    predicted: float | None
    predicted_level: str | None
    predicted_seconds: float | None
    expected: Interval | None
    bound_name: str
    estimated: bool

    @property
    def efficiency(self) -> float | None:
        """Return the measured rate over the bound."""
        return self.rate / self.bound if self.rate is not None and self.bound else None


def performance_of(sample: Sample, prediction: Prediction) -> Performance:
    """Return the measured rate of the kernel and its bound."""
    projection = prediction.projection
    if projection is not None and (sample.flops == 0 or projection.bandwidth_rate is not None):
        return _of_bytes(sample, prediction, projection)
    predicted = prediction.flops
    estimated = sample.rate is None and sample.seconds is not None
    rate = sample.rate
    if rate is None and sample.seconds and predicted is not None:
        rate = predicted.value / sample.seconds
    bound, level = (None, None) if projection is None else _bound(sample, projection)
    return Performance(
        seconds=sample.seconds,
        rate=rate,
        unit="FLOP/s",
        bound=bound,
        level=level,
        predicted=None if projection is None or projection.attainable is None else projection.attainable.value,
        predicted_level=None if projection is None else projection.level,
        predicted_seconds=None if projection is None or projection.time is None else projection.time.value,
        expected=None if projection is None else _expected(projection),
        bound_name="" if projection is None else _name(projection, level),
        estimated=estimated and rate is not None,
    )


def _expected(projection: Projection) -> Interval | None:
    found = projection.expected
    return None if found is None else Interval(found.time.value, found.least.value, found.most.value)


def plain_level(projection: Projection, level: str) -> str:
    """Return the level's name in measured data."""
    return DRAM if level == projection.machine.memory.name else level


def _bound(sample: Sample, projection: Projection) -> tuple[float | None, str | None]:
    """Return the least of the ceiling and the levels, and which level it is."""
    rates: list[tuple[float, str | None]] = []
    for level in projection.levels:
        intensity = sample.intensity_at(plain_level(projection, level.level))
        if intensity is not None:
            rates.append((level.bandwidth.rate.value * intensity, level.level))
    if not rates:
        attainable = projection.attainable
        return (None, None) if attainable is None else (attainable.value, projection.level)
    if projection.ceiling is not None:
        rates.append((projection.ceiling.rate.value, None))
    return min(rates, key=lambda found: found[0])


def _name(projection: Projection, level: str | None) -> str:
    if level is not None:
        return f"memory ({level})"
    return "" if projection.ceiling is None else f"{projection.bound.value} ({projection.ceiling.name})"


def _of_bytes(sample: Sample, prediction: Prediction, projection: Projection) -> Performance:
    """Return the performance without FLOPs, by the level whose bandwidth was used most."""
    measured = {level.level: sample.bytes_at(plain_level(projection, level.level)) for level in projection.levels}
    moved = {level: found.total for level, found in measured.items() if found is not None}
    estimated = not moved
    if estimated:
        predicted_bytes = {name: prediction.bytes_at(plain_level(projection, name)) for name in measured}
        moved = {level: found.total.value for level, found in predicted_bytes.items() if found is not None}
    best: tuple[float, float, LevelBound] | None = None
    for level in projection.levels:
        if level.level in moved and sample.seconds:
            rate = moved[level.level] / sample.seconds
            share = rate / level.bandwidth.rate.value
            best = max(best, (share, rate, level), key=lambda found: found[0]) if best else (share, rate, level)
    predicted = projection.bandwidth_rate
    return Performance(
        seconds=sample.seconds,
        rate=None if best is None else best[1],
        unit="B/s",
        bound=None if best is None else best[2].bandwidth.rate.value,
        level=None if best is None else best[2].level,
        predicted=None if predicted is None else predicted.value,
        predicted_level=projection.level,
        predicted_seconds=None if projection.time is None else projection.time.value,
        expected=_expected(projection),
        bound_name="" if best is None else f"memory ({best[2].level})",
        estimated=estimated and best is not None,
    )
