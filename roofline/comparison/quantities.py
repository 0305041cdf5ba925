"""One quantity of one kernel, predicted and measured, and whether they agree.

They agree where the measured number lies within the tolerance around the predicted interval.  FLOPs are compared over
the precisions that were measured; where others are predicted they are not comparable.  A rate or a time is compared
with a bound: it differs where it beats the bound, agrees where it is near, and else is within the bound, which confirms
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from ..measured.results import Sample
from .predictions import Interval, Prediction
from .tolerance import Tolerance


class Verdict(StrEnum):
    """What a comparison gives; what holds a bound without being near it is ``WITHIN``."""

    AGREES = "agrees"
    DIFFERS = "differs"
    WITHIN = "within the bound"
    NOT_COMPARABLE = "not comparable"


class Row(Struct, frozen=True):
    """One quantity: ``quantity`` is flops, bytes, bytes read, bytes written, intensity, rate or time.

    ``ratio`` is measured over predicted; ``source`` is the metric that the measured number comes from.
    """

    quantity: str
    level: str
    unit: str
    predicted: Interval | None
    measured: float
    tolerance: float
    verdict: Verdict
    source: str = ""
    why: str = ""

    @property
    def ratio(self) -> float | None:
        """Return the quotient of measured and predicted, None where there is no prediction."""
        if self.predicted is None:
            return None
        if self.predicted.value == 0:
            return 1.0 if self.measured == 0 else None
        return self.measured / self.predicted.value


def rows_of(sample: Sample, prediction: Prediction, tolerance: Tolerance) -> Iterator[Row]:
    """Yield rows for FLOPs, bytes by level, and intensities by level."""
    if sample.flops is not None:
        allowed = tolerance.of("flops", "")
        missing = _not_measured(sample, prediction)
        if missing:
            why = f"{missing} FLOPs are predicted and were not measured"
            kept, source = Verdict.NOT_COMPARABLE, sample.flops_source
            yield Row("flops", "", "flop", prediction.flops, sample.flops, allowed, kept, source, why)
        else:
            yield judged("flops", "", "flop", prediction.flops, sample.flops, allowed, sample.flops_source, prediction)
    for measured in sample.levels:
        predicted = prediction.bytes_at(measured.level)
        allowed = tolerance.of("bytes", measured.level)
        sides = (
            ("bytes", None if predicted is None else predicted.total, measured.total),
            ("bytes read", None if predicted is None else predicted.read, measured.read),
            ("bytes written", None if predicted is None else predicted.write, measured.write),
        )
        for quantity, interval, value in sides:
            if value is not None:
                yield judged(quantity, measured.level, "byte", interval, value, allowed, measured.source, prediction)
    levels = dict.fromkeys([*(level.level for level in sample.levels), *sample.intensities])
    for level in levels:
        intensity = sample.intensity_at(level)
        if intensity is not None and not _not_measured(sample, prediction):
            allowed = tolerance.of("intensity", level)
            found = _intensity(prediction, level)
            yield judged("intensity", level, "flop/byte", found, intensity, allowed, "", prediction)


def judged(
    quantity: str,
    level: str,
    unit: str,
    predicted: Interval | None,
    measured: float,
    allowed: float,
    source: str,
    prediction: Prediction,
) -> Row:
    """Return a row with its verdict."""
    if predicted is None:
        missing = ", ".join(prediction.missing)
        options = "-D, --launch" if "." in missing else "-D"
        why = f"{missing} not known ({options})" if missing else "the prediction has no such level"
        return Row(quantity, level, unit, None, measured, allowed, Verdict.NOT_COMPARABLE, source, why)
    near = predicted.lower * (1 - allowed) <= measured <= predicted.upper * (1 + allowed)
    verdict = Verdict.AGREES if near else Verdict.DIFFERS
    return Row(quantity, level, unit, predicted, measured, allowed, verdict, source)


def held_to_bound(
    quantity: str, unit: str, bound: float, measured: float, allowed: float, source: str, why: str = ""
) -> Row:
    """Return the row of a rate and its upper bound, or of a time and its lower one."""
    is_time = quantity == "time"
    predicted = Interval(bound, bound, float("inf")) if is_time else Interval(bound, 0.0, bound)
    excess = bound / measured if is_time else measured / bound
    if excess > 1 + allowed:
        verdict = Verdict.DIFFERS
    else:
        verdict = Verdict.AGREES if excess * (1 + allowed) >= 1 else Verdict.WITHIN
    return Row(quantity, "", unit, predicted, measured, allowed, verdict, source, why)


def _intensity(prediction: Prediction, level: str) -> Interval | None:
    """Return the predicted intensity, also as a limit for large sizes."""
    found = prediction.intensity_at(level)
    number = None if found is None else found.number
    if found is None or number is None:
        return None
    lower = number if found.lower is None else found.lower
    upper = number if found.upper is None else found.upper
    return Interval(float(number), float(lower), float(upper))


def _not_measured(sample: Sample, prediction: Prediction) -> str:
    """Return precisions that are predicted, and that the tool distinguishes but did not measure."""
    if not sample.flops_by_precision:
        return ""
    flops = prediction.region.profile.work.flops_by_precision
    predicted = [precision.value for precision, count in flops.items() if not count.is_zero]
    return ", ".join(name for name in predicted if _plain(name) not in sample.flops_by_precision)


def _plain(precision: str) -> str:
    """Return the precision without its kind: ``fp64`` for ``complex_fp64``."""
    return precision.removeprefix("complex_")
