"""Google Benchmark JSON: the time of one iteration; repetitions are put together by their median.

Aggregates (mean, median, stddev, cv) repeat the iterations and are read only where these are missing
(``--benchmark_report_aggregates_only``): the median then.  A counter ``FLOPS`` or ``FLOP/s`` is what the benchmark
itself states; ``bytes_per_second`` likewise, and is compared with the compulsory bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from analyzer.python.regex import regex

from ..documents import amount, entry, line_of, lines_of, parse_json, words
from ..errors import MeasurementError
from ..importers import KernelImporter
from ..results import STATED, Fact, LevelBytes, Reading, Remark, Sample

NAME = "google-benchmark"
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_RATES = ("FLOPS", "flops", "FLOP/s", "flops_per_second", "FLOPs")
_OPTION = regex(r"/(?:iterations|repeats|threads|min_time|min_warmup_time|real_time|process_time|manual_time)\b[^/]*")
_ARGUMENT = regex(r"/(?:\w+:)?([0-9]{1,18})\b")
_MEDIAN = "median"


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return text.lstrip().startswith("{") and '"benchmarks"' in text and '"real_time"' in text


def read(text: str, path: str) -> Reading:
    """Return the samples of all benchmarks; raises ``MeasurementError``."""
    found = entry(parse_json(text, path), "benchmarks")
    if not isinstance(found, list) or not found:
        raise MeasurementError('has no "benchmarks"', path=path, line=1, hint="use --benchmark_format=json")
    remarks: list[Remark] = []
    runs: dict[str, list[Any]] = {}
    medians: dict[str, list[Any]] = {}
    lines = lines_of(text, (_name(run) for run in found))
    for run in found:
        name = _name(run)
        if not name:
            raise MeasurementError("a benchmark has no name", path=path, line=line_of(text, '"benchmarks"'))
        if entry(run, "error_occurred") is True or entry(run, "skipped") is True:
            text_of = words(run, "error_message") or words(run, "skip_message") or "no reason given"
            remarks.append(Remark(lines.get(name, 1), f"{name} did not run: {text_of}"))
        elif words(run, "run_type") == "aggregate":
            if words(run, "aggregate_name") == _MEDIAN and words(run, "aggregate_unit") != "percentage":
                medians.setdefault(name, []).append(run)
        else:
            runs.setdefault(name, []).append(run)
    chosen = {name: runs.get(name) or medians[name] for name in (*runs, *(m for m in medians if m not in runs))}
    samples = tuple(_sample(name, group, lines.get(name, 1), path) for name, group in chosen.items())
    if not samples:
        raise MeasurementError("has no benchmark that ran", path=path, line=1, hint="see their error messages")
    return Reading(path, NAME, samples, tuple(remarks))


def _name(run: Any) -> str:
    return words(run, "run_name") or words(run, "name")


def _sample(name: str, runs: list[Any], line: int, path: str) -> Sample:
    seconds = median(_seconds(run, line, path) for run in runs)
    rates = [rate for run in runs for rate in _rate(run)]
    moved = [rate for run in runs if (rate := amount(run, "bytes_per_second")) is not None]
    threads = amount(runs[0], "threads") or 1.0
    rate = median(rates) if rates else None
    levels = (LevelBytes(STATED, median(moved) * seconds, "bytes_per_second x time"),) if moved else ()
    return Sample(
        name=name,
        line=line,
        executions=len(runs),
        seconds=seconds,
        flops=None if rate is None else rate * seconds,
        flops_source="FLOPS counter x time",
        levels=levels,
        arguments=tuple(int(found) for found in _ARGUMENT.findall(_OPTION.sub("", name))),
        facts={Fact.THREADS: threads},
    )


def _seconds(run: Any, line: int, path: str) -> float:
    value, unit = amount(run, "real_time"), words(run, "time_unit") or "ns"
    if value is None or unit not in _SECONDS:
        raise MeasurementError("a benchmark has no real_time in ns, us, ms or s", path=path, line=line)
    return value * _SECONDS[unit]


def _rate(run: Any) -> Iterator[float]:
    found = next((rate for key in _RATES if (rate := amount(run, key)) is not None), None)
    if found is not None:
        yield found


IMPORTERS = (KernelImporter(name=NAME, made_by="--benchmark_format=json", recognises=recognises, read=read),)
