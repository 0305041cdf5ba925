"""``perf stat -j``: one JSON object for each count; several on a line and commas behind them are accepted.

``counter-value`` is a text; ``interval`` is the time stamp of ``-I``.  Objects that only hold a metric are passed over,
and commas before a closing brace, which some versions of perf write, do not matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analyzer.data_files.documents import decode_json, json_decoder
from analyzer.python.regex import regex

from ..errors import MeasurementError
from ..importers import KernelImporter
from ..numbers import number
from ..perf_stat import Counter, reading_of
from ..results import Reading

NAME = "perf-json"
_COMMA = regex(r",\s*+\}")
_BETWEEN = regex(r"[, \t]*+")


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return '"counter-value"' in text and '"event"' in text


def read(text: str, path: str) -> Reading:
    """Return one sample for the whole program; raises ``MeasurementError``."""
    counters = [_counter(line, found, path) for line, found in _objects(text, path) if not _is_metric(found)]
    if not counters:
        raise MeasurementError("has no counter", path=path, line=1, hint="use perf stat -j")
    return reading_of(counters, path, NAME)


def _is_metric(found: dict[str, Any]) -> bool:
    return "counter-value" not in found and "metric-value" in found


def _objects(text: str, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, content in enumerate(text.split("\n"), start=1):
        rest = "" if content.startswith("#") else _COMMA.sub("}", content).strip().strip("[],").strip()
        for found in decode_json(_values, rest, path, error=MeasurementError, line=line) if rest else ():
            if not isinstance(found, dict):
                raise MeasurementError("is not a JSON object", path=path, line=line, hint="use perf stat -j")
            yield line, found


def _values(text: str) -> list[Any]:
    """Return the documents that stand behind each other on a line."""
    decoder = json_decoder(nan_is_null=True)
    found: list[Any] = []
    at = 0
    while at < len(text):
        value, end = decoder.raw_decode(text, at)
        found.append(value)
        between = _BETWEEN.match(text, end)
        at = end if between is None else between.end()
    return found


def _counter(line: int, found: dict[str, Any], path: str) -> Counter:
    event, value = found.get("event"), found.get("counter-value")
    running = found.get("pcnt-running")
    if not isinstance(event, str) or not isinstance(value, str | int | float) or isinstance(value, bool):
        raise MeasurementError(
            'the object has no "event" or no "counter-value"', path=path, line=line, hint="use perf stat -j"
        )
    if running is not None and not isinstance(running, int | float):
        raise MeasurementError('"pcnt-running" is not a number', path=path, line=line)
    count = number(str(value))
    if count is None and not str(value).startswith("<"):
        raise MeasurementError(f"{value!r} is not a count", path=path, line=line, hint="measure with LC_ALL=C")
    stamp = found.get("interval")
    moment = float(stamp) if isinstance(stamp, int | float) else None
    unit = found.get("unit")
    return Counter(
        line=line, event=event, value=count, unit=unit if isinstance(unit, str) else "", running=running, stamp=moment
    )


IMPORTERS = (KernelImporter(name=NAME, made_by="perf stat -j", recognises=recognises, read=read),)
