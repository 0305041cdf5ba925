"""A report against measured files: joined, judged, explained.

A kernel *differs* where a quantity does (FLOPs, bytes, intensities, a rate or a time that beats its bound, and a time
outside of the tolerance where one was asked for), *agrees* where at least one agrees, none differs and the time is near
the range of expected times (without these near its bound), is *within the bound* where the time is not, or where only
bounds were compared and none is near, and is *not comparable* else.  All kernels together agree where each does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from analyzer.diagnostics import Diagnostic

from ..machine.machine import Machine
from ..measured.repeats import combined, scaled
from ..measured.results import Reading, Sample
from ..report.report import Report
from .join import NameMap, Pair, Unjoined, join
from .performance import Performance, performance_of
from .predictions import Interval, Prediction, predictions_of
from .quantities import Row, Verdict, held_to_bound, judged, rows_of
from .reasons.explain import reasons_for
from .reasons.reason import Reason
from .tolerance import Tolerance


class CompareOptions(Struct, frozen=True):
    """How to compare: ``repeated`` is how launches are put together, ``executions`` how often the region ran."""

    tolerance: Tolerance = field(default_factory=Tolerance)
    mappings: tuple[NameMap, ...] = ()
    repeated: str = "median"
    executions: int = 1


class KernelComparison(Struct, frozen=True):
    """One joined kernel."""

    pair: Pair
    rows: tuple[Row, ...]
    performance: Performance
    reasons: tuple[Reason, ...]
    verdict: Verdict


class Comparison(Struct, frozen=True):
    """Everything that was compared, and what could not be."""

    version: str
    policy: str
    options: CompareOptions
    machine: Machine | None
    readings: tuple[Reading, ...]
    kernels: tuple[KernelComparison, ...]
    unjoined: tuple[Unjoined, ...]
    unmeasured: tuple[Prediction, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on all kernels together: that of the one that agrees least among those compared."""
        return _first({kernel.verdict for kernel in self.kernels}, (Verdict.DIFFERS, Verdict.WITHIN, Verdict.AGREES))


def compare(
    report: Report,
    readings: Sequence[Reading],
    options: CompareOptions,
    *,
    policy: str = "source",
    policies: Callable[[Prediction], Mapping[str, float]] = lambda prediction: {},
) -> Comparison:
    """Compare the first machine's predictions; ``policies`` gives the FLOPs of a region under other policies."""
    predictions = tuple(predictions_of(report))
    prepared = [
        replace(
            reading,
            samples=tuple(_of_one(sample, options) for sample in combined(reading.samples, options.repeated)),
        )
        for reading in readings
    ]
    pairs, unjoined = join(prepared, predictions, options.mappings)
    kernels = tuple(_kernel(pair, options.tolerance, policies) for pair in pairs)
    return Comparison(
        version=report.version,
        policy=policy,
        options=options,
        machine=report.machines[0] if report.machines else None,
        readings=tuple(readings),
        kernels=kernels,
        unjoined=unjoined,
        diagnostics=tuple(dict.fromkeys(each for file in report.files for each in file.profile.diagnostics)),
        unmeasured=tuple(_unmeasured(predictions, [pair.prediction for pair in pairs])),
    )


def _of_one(sample: Sample, options: CompareOptions) -> Sample:
    return sample if options.executions == 1 else scaled(sample, 1 / options.executions)


def _unmeasured(predictions: Sequence[Prediction], joined: Sequence[Prediction]) -> Iterator[Prediction]:
    """Yield functions and kernels of which neither the whole nor a nest was measured."""
    measured = {id(prediction) for prediction in joined}
    whole: Prediction | None = None
    touched = False
    for prediction in predictions:
        if not prediction.is_nest:
            if whole is not None and not touched:
                yield whole
            whole, touched = prediction, False
        touched = touched or id(prediction) in measured
    if whole is not None and not touched:
        yield whole


def _kernel(
    pair: Pair, tolerance: Tolerance, policies: Callable[[Prediction], Mapping[str, float]]
) -> KernelComparison:
    counts = tuple(rows_of(pair.sample, pair.prediction, tolerance))
    performance = performance_of(pair.sample, pair.prediction)
    rows = (*counts, *_speed_rows(performance, tolerance, pair.prediction))
    reasons = reasons_for(pair.sample, pair.prediction, counts, performance, tolerance, policies)
    return KernelComparison(pair, rows, performance, reasons, _verdict(rows, performance, tolerance))


def _verdict(rows: Sequence[Row], performance: Performance, tolerance: Tolerance) -> Verdict:
    """Return the verdict on a kernel: counts that agree are not enough where the time is far off."""
    found = _first({row.verdict for row in rows}, (Verdict.DIFFERS, Verdict.AGREES, Verdict.WITHIN))
    speed = {row.quantity: row.verdict for row in rows if row.quantity in ("rate", "time")}
    if found is not Verdict.AGREES or not speed or tolerance.has("time"):
        return found
    seconds, expected = performance.seconds, performance.expected
    if seconds and expected is not None:
        allowed = tolerance.of("time", "")
        is_near = expected.lower * (1 - allowed) <= seconds <= expected.upper * (1 + allowed)
    else:
        is_near = speed.get("time", speed.get("rate")) is Verdict.AGREES
    return Verdict.AGREES if is_near else Verdict.WITHIN


def _speed_rows(performance: Performance, tolerance: Tolerance, prediction: Prediction) -> Iterator[Row]:
    """Yield the rate and the time, each with its bound; a tolerance of the time is one around the bound."""
    rate, bound = performance.rate, performance.bound
    if rate is not None and bound:
        unit = "flop/s" if performance.unit == "FLOP/s" else "byte/s"
        counted = "FLOPs" if performance.unit == "FLOP/s" else "bytes"
        why = f"the {counted} are the predicted ones" if performance.estimated else ""
        yield held_to_bound("rate", unit, bound, rate, tolerance.of("rate", ""), performance.bound_name, why)
    seconds, least = performance.seconds, performance.predicted_seconds
    if seconds and least:
        allowed = tolerance.of("time", "")
        if tolerance.has("time"):
            yield judged("time", "", "s", Interval(least, least, least), seconds, allowed, "", prediction)
        else:
            yield held_to_bound("time", "s", least, seconds, allowed, "")


def _first(verdicts: Collection[Verdict], order: Sequence[Verdict]) -> Verdict:
    """Return the verdict on several quantities or kernels together: the first of an order that there is."""
    return next((verdict for verdict in order if verdict in verdicts), Verdict.NOT_COMPARABLE)
