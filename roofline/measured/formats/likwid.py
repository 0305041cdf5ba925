"""``likwid-perfctr -O``: tables of events and metrics for each region, group and hardware thread.

What is shared by a socket (memory, L3) is counted on one thread of it, and so is summed over threads, once; time is
that of the slowest thread; intensities of single threads mean nothing and are not read.  Tables of statistics repeat
the same numbers and are passed over.  Several groups of one region are put together.  Source: LIKWID,
``src/applications/likwid.lua`` (``-O``) and the group files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct, field

from analyzer.python.regex import regex

from ..errors import MeasurementError
from ..fp_events import FpWork, lanes_of, work_of
from ..importers import KernelImporter
from ..numbers import CAS_BYTES, number
from ..results import DRAM, Fact, LevelBytes, Reading, Remark, Sample

NAME = "likwid"
_TABLE = regex(
    r"TABLE,(?:Region (?P<region>[^,]*),)?Group (?P<group>[0-9]+) (?P<kind>[^,]+),(?P<name>[^,]*),(?P<rows>[0-9]{1,9})"
)
_TIME = regex(r"Runtime \(RDTSC\) \[s\]|RDTSC Runtime \[s\]")
_RATES = {"DP [MFLOP/s]": "fp64", "SP [MFLOP/s]": "fp32", "HP [MFLOP/s]": "fp16"}
_ALIKE = 0.05  # figures of one row are rounded to two or three digits
_WRITTEN = ("Memory write data volume", "Memory evict data volume")
_VOLUMES = {
    DRAM: (("Memory data volume",), ("Memory read data volume", "Memory load data volume"), _WRITTEN),
    "L3": (("L3 data volume",), ("L3 load data volume",), ("L3 evict data volume",)),
    "L2": (("L2 data volume",), ("L2D load data volume",), ("L2D evict data volume",)),
}
_UNITS = {"[GBytes]": 1e9, "[MBytes]": 1e6, "[Bytes]": 1.0}


class _Group(Struct):
    """What one group of one region gave: values of each name by thread."""

    line: int
    events: list[tuple[str, list[float]]] = field(default_factory=list)
    metrics: dict[str, list[float]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    calls: list[float] = field(default_factory=list)
    threads: int = 0


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return any(_TABLE.match(line) for line in text.split("\n"))


def read(text: str, path: str) -> Reading:
    """Return the samples of all regions, in order; raises ``MeasurementError``."""
    regions: dict[str, list[_Group]] = {}
    remarks: list[Remark] = []
    for position, head, rows in _blocks(text, path):
        region = head["region"] or ""
        groups = regions.setdefault(region, [])
        if "STAT" in head["kind"]:
            continue
        if head["kind"].startswith("Raw") or not groups:
            groups.append(_Group(line=position))
        _fill(groups[-1], rows, path, remarks)
    if not regions:
        raise MeasurementError("has no table of LIKWID", path=path, line=1, hint="use likwid-perfctr -O -o FILE.csv")
    samples = tuple(_sample(region, groups, path, remarks) for region, groups in regions.items())
    return Reading(path, NAME, samples, tuple(remarks))


def _blocks(text: str, path: str) -> Iterator[tuple[int, Mapping[str, str], list[tuple[int, list[str]]]]]:
    """Yield line, head and rows of every table; rows are split, the empty cells at their ends taken off."""
    lines = text.split("\n")
    starts = [(at, found) for at, line in enumerate(lines) if (found := _TABLE.match(line))]
    ends = [at for at, _ in starts] + [len(lines)]
    for (start, found), end in zip(starts, ends[1:], strict=True):
        rows = []
        for at in range(start + 1, end):
            if lines[at].startswith(("STRUCT", "TABLE")):
                break
            if lines[at].strip():
                rows.append((at + 1, _cells(lines[at]) or [""]))
        wanted = int(found["rows"])
        named = [cells for _, cells in rows if not _is_heading(cells, found["kind"])]
        if len(named) < wanted:
            raise MeasurementError(
                f"the table has {len(named)} rows and should have {wanted}",
                path=path,
                line=min(end, len(lines)),
                hint="the file is cut off or damaged here",
            )
        yield start + 1, found.groupdict(), rows


def _cells(line: str) -> list[str]:
    cells = [cell.strip() for cell in line.split(",")]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _is_heading(cells: Sequence[str], kind: str) -> bool:
    """Return whether the number of rows leaves a row out: headings, and what is said of the region above them."""
    region = kind.startswith("Raw") and (cells[0] == "call count" or bool(_TIME.fullmatch(cells[0])))
    return region or cells[0] in ("Event", "Metric", "Region Info")


def _fill(group: _Group, rows: Sequence[tuple[int, list[str]]], path: str, remarks: list[Remark]) -> None:
    kind, threads = "", 0
    for line, cells in rows:
        if cells[0] in ("Event", "Metric", "Region Info"):
            kind = cells[0]
            threads = len(cells) - (2 if kind == "Event" else 1)
            group.threads = max(group.threads, threads)
            continue
        first = 2 if kind == "Event" else 1
        if len(cells) - first != threads or not kind:
            raise MeasurementError(
                f"the row has {len(cells) - first} values for {threads} threads",
                path=path,
                line=line,
                hint="the file is cut off, or was written with decimal commas (LC_ALL=C avoids them)",
            )
        values = [number(cell) for cell in cells[first:]]
        known = [0.0 if value is None else value for value in values]
        if kind == "Event":
            if None in values:
                remarks.append(Remark(line, f"{cells[0]}: {cells[first:][values.index(None)]!r} is not a count"))
            group.events.append((cells[0], known))
        elif cells[0] == "call count":
            group.calls = known
        elif _TIME.fullmatch(cells[0]):
            group.seconds = known
        else:
            group.metrics[cells[0]] = known


def _sample(region: str, groups: Sequence[_Group], path: str, remarks: list[Remark]) -> Sample:
    calls = max((max(group.calls) for group in groups if group.calls), default=0.0)
    share = 1 / calls if calls else 1.0
    if not groups:
        raise MeasurementError(f"region {region} has no table of events or metrics", path=path, line=1)
    timed = [max(group.seconds) for group in groups if group.seconds]
    if timed and max(timed) > (1 + _ALIKE) * min(timed):
        remarks.append(Remark(groups[0].line, f"region {region}: its groups took {min(timed):g} to {max(timed):g} s"))
    work, source = _work(groups)
    levels: dict[str, LevelBytes] = {}
    for group in groups:
        for found in _levels(group, share, remarks):
            levels.setdefault(found.level, found)
    facts = {Fact.THREADS: float(max(group.threads for group in groups))}
    scalar = _scalar_share(work, groups)
    if scalar is not None:
        facts[Fact.SCALAR_SHARE] = scalar
    return Sample(
        name=region,
        line=groups[0].line,
        executions=int(calls) or None,
        seconds=timed[0] * share if timed else None,
        flops=None if work is None else work.flops * share,
        flops_source=source,
        flops_by_precision={} if work is None else {name: flops * share for name, flops in work.by_precision.items()},
        levels=tuple(levels.values()),
        facts=facts,
    )


def _scalar_share(work: FpWork | None, groups: Sequence[_Group]) -> float | None:
    """Return the share of scalar instructions: by the events, else by the vectorization ratio in percent."""
    if work is not None and work.scalar_share is not None:
        return work.scalar_share
    names = ("Vectorization ratio", "Vectorization ratio [%]")
    ratio = next((group.metrics[name] for group in groups for name in names if group.metrics.get(name)), None)
    return None if ratio is None else 1 - min(100.0, sum(ratio) / len(ratio)) / 100


def _work(groups: Sequence[_Group]) -> tuple[FpWork | None, str]:
    """Return FLOPs from events, else from rates times the time of each thread; of the first group that has any."""
    for group in groups:
        counts = [(lanes, sum(values)) for name, values in group.events if (lanes := lanes_of(name))]
        found = work_of(counts)
        if found is not None:
            return found, "FP events"
    for group in groups:
        flops = {
            precision: sum(rate * 1e6 * time for rate, time in zip(group.metrics[name], group.seconds, strict=False))
            for name, precision in _RATES.items()
            if name in group.metrics and group.seconds
        }
        if flops:
            return FpWork(sum(flops.values()), flops, None), "MFLOP/s x time"
    return None, ""


def _levels(group: _Group, share: float, remarks: list[Remark]) -> Iterator[LevelBytes]:
    for level, names in _VOLUMES.items():
        total, read, write = (_volume(group, name) for name in names)
        if total is not None:
            yield LevelBytes(level, total * share, names[0][0], _times(read, share), _times(write, share))
    read, write = (_transfers(group, ending) for ending in ("RD", "WR"))
    if read is None or write is None:
        return
    whole = _volume(group, _VOLUMES[DRAM][0])
    if whole is None:
        yield LevelBytes(DRAM, (read + write) * share, "CAS_COUNT x 64", read * share, write * share)
    elif abs(read + write - whole) > _ALIKE * whole:
        volume = "the memory data volume"
        part = f"{100 * (read + write) / whole:.0f} % of {volume}" if whole else f"not 0 as {volume}"
        text = f"the counts of the memory channels shown are {part}"
        remarks.append(Remark(group.line, f"{text}, which is used"))


def _volume(group: _Group, names: Sequence[str]) -> float | None:
    """Return the bytes of the first of the metrics that the group has, summed over threads; None where it has none."""
    for name, (unit, scale) in product(names, _UNITS.items()):
        values = group.metrics.get(f"{name} {unit}")
        if values is not None:
            return sum(values) * scale
    return None


def _transfers(group: _Group, ending: str) -> float | None:
    counts = [sum(values) for name, values in group.events if re.fullmatch(rf"CAS_COUNT_{ending}", name)]
    return sum(counts) * CAS_BYTES if counts else None


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


IMPORTERS = (KernelImporter(name=NAME, made_by="likwid-perfctr -O", recognises=recognises, read=read),)
