"""A comparison as sheets: one for each kernel, with its reasons as notes, and one for what was not joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from analyzer.counts.policy import MACHINE_CODE
from roofline.comparison.compare import Comparison, KernelComparison
from roofline.comparison.join import Unjoined
from roofline.comparison.performance import Performance
from roofline.comparison.predictions import Interval, Prediction
from roofline.comparison.quantities import Row, Verdict
from roofline.comparison.reasons.sentences import reason_text
from roofline.machine.units import format_rate, format_share, format_time

from ..typesetting.sheet import Sheet
from ..words.numbers import decimal_text, number_text

_HEADINGS = ("quantity", "level", "predicted", "measured", "ratio", "verdict")
_NUMERIC = frozenset({2, 3, 4})


def comparison_sheets(found: Comparison) -> list[Sheet]:
    """Return every kernel, then what was not joined; the last notes are about all of them."""
    sheets = [_kernel(kernel) for kernel in found.kernels]
    rest = [(_measured(unjoined), unjoined.why) for unjoined in found.unjoined]
    rest += [(_location(prediction), "predicted, not measured") for prediction in found.unmeasured]
    if rest:
        sheets.append(Sheet("not joined", ("what", "why"), tuple(dict.fromkeys(rest))))
    verdicts = tuple(_verdicts(found))
    sheets.append(Sheet(f"all: {found.verdict.value}", ("kernel", "verdict"), verdicts, notes=_notes(found)))
    return sheets


def _verdicts(found: Comparison) -> Iterator[tuple[str, str]]:
    for kernel in found.kernels:
        yield _location(kernel.pair.prediction), verdict_text(kernel)


def verdict_text(kernel: KernelComparison) -> str:
    """Return the verdict with what it rests on: how far the time is from the expected one, or from its bound."""
    found, verdict = kernel.performance, kernel.verdict.value
    expected = None if found.expected is None else found.expected.value
    seconds = expected or found.predicted_seconds
    if kernel.verdict is Verdict.DIFFERS:
        return f"{verdict}: {_differences(kernel.rows)}"
    if kernel.verdict not in (Verdict.AGREES, Verdict.WITHIN) or not found.seconds or not seconds:
        return verdict
    compared = [row for row in kernel.rows if row.quantity not in ("rate", "time")]
    if kernel.verdict is Verdict.WITHIN and any(row.verdict is Verdict.AGREES for row in compared):
        verdict = "counts agree"
    return f"{verdict}, time {_ratio(found.seconds / seconds)} times {'the expected one' if expected else 'its bound'}"


def _differences(rows: Sequence[Row]) -> str:
    """Return what differs: the counts, of which intensities and rates follow, else the figures themselves."""
    differing = [row for row in rows if row.verdict is Verdict.DIFFERS]
    counted = [row for row in differing if row.quantity == "flops" or row.quantity.startswith("bytes")]
    return ", ".join(
        f"{row.quantity}{f' of {row.level}' if row.level else ''}"
        + ("" if row.ratio is None else f" {_ratio(row.ratio)} times the predicted")
        for row in counted or differing
    )


def _ratio(value: float) -> str:
    """Return a ratio with three digits, also where the last ones are 0: 1.00 is near 1, and need not be 1.

    >>> _ratio(1.0004), _ratio(0.5), _ratio(100.2)
    ('1.00', '0.500', '100')
    """
    return f"{value:#.3g}".removesuffix(".")


def _kernel(kernel: KernelComparison) -> Sheet:
    pair = kernel.pair
    files = ", ".join(f"{PurePath(s.path).name}:{s.sample.line} ({s.format})" for s in pair.sources)
    notes = [f"measured: {files}; joined by {pair.joined_by}{_times(kernel)}", *_speed(kernel.performance)]
    notes += [f"{reason.code}: {reason_text(reason)}" for reason in kernel.reasons]
    return Sheet(
        f"{_location(pair.prediction)}: {verdict_text(kernel)}",
        _HEADINGS,
        tuple(_cells(row) for row in kernel.rows),
        _NUMERIC,
        tuple(notes),
    )


def _times(kernel: KernelComparison) -> str:
    times = kernel.pair.sample.executions
    return f"; {times} executions" if times is not None and times > 1 else ""


def _cells(row: Row) -> tuple[str, ...]:
    ratio = "" if row.ratio is None else f"{row.ratio:.4g}"
    within = f" within {format_share(row.tolerance)}" if row.verdict is Verdict.AGREES else ""
    verdict = f"{row.verdict.value}{within}{_beyond(row)}" + (f": {row.why}" if row.why else "")
    predicted = "" if row.predicted is None else _predicted(row, row.predicted)
    return (row.quantity, row.level, predicted, _number(row, row.measured), ratio, verdict)


def _beyond(row: Row) -> str:
    """Return on which side of a bound a rate or a time is, where it is not near."""
    if row.quantity not in ("rate", "time") or not row.ratio or row.verdict is Verdict.AGREES:
        return ""
    side = ("faster", "slower") if row.quantity == "time" else ("below it", "above it")
    return f", {max(row.ratio, 1 / row.ratio):.3g} times {side[row.ratio > 1]}"


def _predicted(row: Row, found: Interval) -> str:
    if row.quantity in ("rate", "time"):
        return ("<= " if row.quantity == "rate" else ">= ") + _number(row, found.value)
    if found.lower == found.upper:
        return _number(row, found.value)
    return f"~ {_number(row, found.value)} ({_number(row, found.lower)} to {_number(row, found.upper)})"


def _number(row: Row, value: float) -> str:
    match row.unit:
        case "flop/s":
            return format_rate(value)
        case "byte/s":
            return format_rate(value, "B/s")
        case "s":
            return format_time(value)
        case "flop/byte":
            return decimal_text(value)
        case _:
            return number_text(round(value))


def _speed(found: Performance) -> Iterator[str]:
    """Yield how the time is to the expected one, and how the rate is to its bound."""
    if found.seconds is not None and found.expected is not None and found.expected.value:
        expected = found.expected
        value, lower, upper = (format_time(each) for each in (expected.value, expected.lower, expected.upper))
        ratio = found.seconds / expected.value
        inside = "within" if expected.lower <= found.seconds <= expected.upper else "outside of"
        yield (
            f"expected time: {format_time(found.seconds)} is {_ratio(ratio)} times the {value} that the model expects, "
            f"{inside} its range of {lower} to {upper}"
        )
    if found.rate is None or found.bound is None or found.efficiency is None:
        return
    counted = f" (of the predicted {'bytes' if found.unit == 'B/s' else 'FLOPs'})" if found.estimated else ""
    yield (
        f"efficiency: {format_rate(found.rate, found.unit)}{counted} is {format_share(found.efficiency, 1)} "
        f"of the bound of {format_rate(found.bound, found.unit)}, {found.bound_name}"
    )
    if found.predicted is not None and found.predicted_level != found.level and found.predicted < found.bound:
        rate = format_rate(found.predicted, found.unit)
        yield f"{found.predicted_level or 'the ceiling'} was not measured: with the predicted bytes its bound is {rate}"


def _location(prediction: Prediction) -> str:
    profile = prediction.region.profile
    return f"{profile.name} ({PurePath(prediction.path).name}:{profile.span.line}-{profile.span.end_line})"


def _measured(unjoined: Unjoined) -> str:
    source = unjoined.source
    return f"{source.sample.name or 'the whole program'} ({PurePath(source.path).name}:{source.sample.line})"


def _notes(found: Comparison) -> tuple[str, ...]:
    notes = [f"FLOPs by the policy {found.policy}"]
    if found.policy == MACHINE_CODE or found.policy.startswith("nvcc-"):
        notes[0] += ", as profilers of NVIDIA count machine code (--policy)"
    if found.machine is None:
        notes.append("without a machine bytes are those of elements, and there are no bounds (--machine v100)")
    else:
        notes.append(f"{found.machine.id}: {found.machine.name} (ai-estimate machines show {found.machine.id})")
    return tuple(notes)
