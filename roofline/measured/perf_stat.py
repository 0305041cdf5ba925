"""``perf stat`` counts to one sample: the whole program, or what it was attached to.

FLOPs are those of the FP events (:mod:`.fp_events`), bytes of memory ``cas_count_read`` and ``cas_count_write`` of all
memory controllers (in MiB where perf says so, else 64 bytes each), the time ``duration_time`` (or, at intervals, the
last stamp).  Intervals, sockets, CPUs and the kinds of cores of a hybrid processor are added up.  A counter that shared
its register with others (``pcnt-running`` below 100) is scaled by perf, and said to be an estimate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from analyzer.python.regex import regex

from .errors import MeasurementError
from .fp_events import lanes_of, work_of
from .numbers import CAS_BYTES, scale_of
from .results import DRAM, Fact, LevelBytes, Reading, Remark, Sample

_MEMORY = regex(r"cas_count[_.](?P<side>read|write|rd|wr)\b|data_(?P<data>reads|writes)\b", re.IGNORECASE)
_HYBRID = regex(r"(?:cpu_core|cpu_atom)/")
_WHOLE = 99.995


class Counter(Struct, frozen=True, kw_only=True):
    """One count: ``value`` None where it was not counted, ``running`` in percent, ``stamp`` of an interval."""

    line: int
    event: str
    value: float | None
    unit: str
    running: float | None
    stamp: float | None = None


def reading_of(counters: Sequence[Counter], path: str, name: str) -> Reading:
    """Return one sample for all counters; raises ``MeasurementError`` where they say nothing of use."""
    remarks: list[Remark] = []
    counted = [counter for counter in counters if counter.value is not None]
    alone = {_HYBRID.sub("", counter.event) for counter in counted}
    fp = [(lanes, c.value) for c in counted if c.value is not None and (lanes := lanes_of(c.event))]
    for counter in filter(_matters, counters):
        if counter.value is None and fp and lanes_of(counter.event):
            continue  # events of another vendor's processors are asked for together with one's own
        if counter.value is None:
            if _HYBRID.sub("", counter.event) not in alone:
                remarks.append(Remark(counter.line, f"{counter.event} was not counted"))
        elif counter.running is not None and counter.running < _WHOLE:
            text = f"{counter.event} ran {counter.running:g}% of the time (multiplexed): its count is an estimate"
            remarks.append(Remark(counter.line, f"{text}; measure fewer events at once"))
    work = work_of(fp)
    memory = _memory(counted, path)
    seconds = _seconds(counted)
    if work is None and memory is None:
        raise MeasurementError(
            "has no counter of FLOPs or memory that was counted",
            path=path,
            line=counters[0].line if counters else None,
            hint="perf stat -e fp_arith_inst_retired.scalar_double,... -e uncore_imc/cas_count_read/,...",
        )
    sample = Sample(
        name="",
        line=counters[0].line,
        seconds=seconds,
        flops=None if work is None else work.flops,
        flops_source="FP events",
        flops_by_precision={} if work is None else work.by_precision,
        levels=() if memory is None else (memory,),
        facts={} if work is None or work.scalar_share is None else {Fact.SCALAR_SHARE: work.scalar_share},
    )
    return Reading(path, name, (sample,), tuple(remarks))


def _matters(counter: Counter) -> bool:
    return bool(lanes_of(counter.event) or _MEMORY.search(counter.event) or counter.event == "duration_time")


def _memory(counters: Sequence[Counter], path: str) -> LevelBytes | None:
    sides: dict[str, float] = {}
    for counter in counters:
        found = _MEMORY.search(counter.event)
        if found is None or counter.value is None:
            continue
        scale = scale_of(counter.unit) if counter.unit else float(CAS_BYTES)
        if scale is None:
            raise MeasurementError(f"the unit {counter.unit!r} is not known", path=path, line=counter.line)
        side = (found["side"] or found["data"])[0].lower()
        sides[side] = sides.get(side, 0.0) + counter.value * scale
    if len(sides) < 2:
        return None
    return LevelBytes(DRAM, sides["r"] + sides["w"], "uncore CAS counts", sides["r"], sides["w"])


def _seconds(counters: Sequence[Counter]) -> float | None:
    durations = [counter for counter in counters if counter.event == "duration_time" and counter.value is not None]
    if durations:
        stamps = {counter.stamp for counter in durations}
        seconds = [(c.value or 0.0) * ((scale_of(c.unit) if c.unit else 1e-9) or 1e-9) for c in durations]
        return sum(seconds) if len(stamps) == len(durations) else max(seconds)
    stamps_seen = [counter.stamp for counter in counters if counter.stamp is not None]
    return max(stamps_seen, default=None)
