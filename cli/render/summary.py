"""What people are told of a region, as text: the content that the table, the plain text and the Markdown lay out.

Input: one file of the report. Output: one :class:`Entry` for each loop nest, and one for a function of several nests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from analyzer.counts.shapes import PerIteration
from analyzer.ir.nodes import Assumption, Launch, Mapping, RegionKind
from analyzer.ir.values import Operation
from analyzer.poly.quasi import Count
from analyzer.traffic.shapes import Convention
from roofline.hardware import WritePolicy
from roofline.projection import Bound, Moved, Projection, ProjectionOptions, moved_bytes
from roofline.ratios import Ratio, ratio
from roofline.report import FileReport, RegionReport
from roofline.units import format_rate, format_time

from .hierarchy import (
    FINDINGS,
    conditions_text,
    differences,
    ecm_text,
    findings_on_caches,
    levels_text,
    scaling_text,
    spelled,
)
from .numbers import fraction_text, has_exceptions, intensity_text, number_text, quantity_text, times

_CONVENTIONS = {
    Convention.REGISTER: "every reference of every iteration",
    Convention.COMPULSORY: "each element moved once",
    Convention.WRITE_ALLOCATE: "each element moved once, stores load their line first",
    Convention.TOUCHED_ONCE: "each element touched counted once",
    Convention.CACHED: "what the caches let through, in whole lines",
}
_NAMES = {Operation.SQRT: "square root", Operation.DIV: "division", Operation.REM: "remainder"}
_ARITHMETIC = frozenset(
    (Operation.ADD, Operation.SUB, Operation.MUL, Operation.FMA, Operation.DIV, Operation.REM, Operation.SQRT)
) | {Operation.CALL, Operation.TENSOR}
_GRID = frozenset(
    {Mapping.BLOCK_X, Mapping.BLOCK_Y, Mapping.BLOCK_Z, Mapping.THREAD_X, Mapping.THREAD_Y, Mapping.THREAD_Z}
)
_MOST_SUBJECTS = 12
_SUBJECT = re.compile(r"[\w.:\[\]]+")
_INTENSITY = re.compile(r"intensity \S+ F/B is ")


@dataclass(frozen=True)
class Moves:
    """Bytes of a region under one convention and the intensity they give; ``short`` forms fit a table."""

    region: RegionReport
    moved: Moved
    ratio: Ratio
    avoidable: bool = False

    @property
    def convention(self) -> str:
        """The name of the convention."""
        return self.moved.convention.value

    @property
    def meaning(self) -> str:
        """What the convention means."""
        told = _meaning(self.region, self.moved.convention)
        return f"{told} (this machine can avoid a part of that)" if self.avoidable else told

    @cached_property
    def bytes(self) -> str:
        """All bytes, with what holds for small sizes."""
        return quantity_text(self.moved.total, self.region.profile.values)

    @property
    def short(self) -> str:
        """All bytes for large sizes."""
        return quantity_text(self.moved.total, self.region.profile.values, short=True)

    @property
    def directions(self) -> str:
        """Bytes by direction, where the convention tells them apart."""
        moved, values = self.moved, self.region.profile.values
        if moved.convention is Convention.TOUCHED_ONCE:
            return ""
        parts = ((moved.read, "read"), (moved.write_allocate, "write-allocate"), (moved.write, "written"))
        return " + ".join(
            f"{quantity_text(part, values, short=True)} {name}" for part, name in parts if not part.upper.is_zero
        )

    @property
    def intensity(self) -> str:
        """FLOPs per byte."""
        return intensity_text(self.ratio, symbol_of(self.region))


@dataclass(frozen=True, slots=True)
class Verdict:
    """One machine's answer; ``kind`` is the bare bound, ``close`` marks one that the figures leave open.

    ``ground`` is the reason without the region's own intensity, so that it is the same for many regions.  ``levels``
    are the bytes of all levels in one line, ``check`` is what another model of the caches finds, ``findings`` are set
    conflicts and what the model leaves undecided, ``ecm`` and ``scaling`` are those of one core and of more; each is
    empty where there is nothing to tell.
    """

    machine: str
    machine_id: str
    kind: Bound
    bound: str
    rate: str
    turns: str
    time: str
    reason: str
    ground: str
    moves: Moves
    close: bool
    levels: str
    check: str
    findings: tuple[str, ...]
    ecm: tuple[str, ...]
    scaling: str


@dataclass(frozen=True)
class Entry:
    """What is told of a nest, a kernel, or a whole function; each text is made when it is first asked for."""

    region: RegionReport
    whole: RegionReport

    @property
    def title(self) -> str:
        """The place in words."""
        return title_of(self.region, self.whole)

    @cached_property
    def label(self) -> str:
        """The place in short."""
        return label_of(self.region, self.whole)

    @property
    def loops(self) -> str:
        """The ranges of the loops."""
        return _loops(self.region)

    @property
    def flops(self) -> str:
        """The FLOPs with what holds for small sizes."""
        return quantity_text(self.region.profile.work.flops, self.region.profile.values)

    @property
    def flops_short(self) -> str:
        """The FLOPs for large sizes."""
        return quantity_text(self.region.profile.work.flops, self.region.profile.values, short=True)

    @property
    def operations(self) -> str:
        """Operations by kind and precision."""
        return _operations(self.region)

    @property
    def per_iteration(self) -> str:
        """One iteration of the innermost loop."""
        iteration = self.region.profile.per_iteration
        return "" if iteration is None else iteration_text(iteration)

    @property
    def iteration_short(self) -> str:
        """The same as its quotient."""
        iteration = self.region.profile.per_iteration
        return "" if iteration is None else iteration_short(iteration)

    @cached_property
    def moves(self) -> Moves:
        """Bytes under the convention in force."""
        return Moves(self.region, self.region.moved, self.region.intensity)

    @cached_property
    def others(self) -> tuple[Moves, ...]:
        """Bytes under other conventions, where they differ."""
        return tuple(_others(self.region, self.moves))

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What each machine makes of it."""
        return tuple(_verdict(self.region, projection) for projection in self.region.projections)

    @property
    def exceptions(self) -> bool:
        """Whether the short formulas leave out what holds for small sizes."""
        profile = self.region.profile
        return any(has_exceptions(found, profile.values) for found in (profile.work.flops, self.region.moved.total))

    @property
    def advice(self) -> tuple[str, ...]:
        """What would help, with codes."""
        return tuple(f"{found.text} [{found.code}]" for found in self.region.advice)

    @property
    def levels(self) -> str:
        """Bytes and intensity of each level, as in the verdict of the headline."""
        return levels_text(self.region)

    @property
    def check(self) -> str:
        """What another model of the caches finds."""
        return differences(self.region)

    @property
    def findings(self) -> tuple[str, ...]:
        """What the models of the caches noticed."""
        return findings_on_caches(self.region)

    @cached_property
    def kept(self) -> str:
        """Up to which sizes caches keep what is reused."""
        return conditions_text(self.region)


def heading_of(file: FileReport) -> str:
    """The file with how it was read."""
    profile = file.profile
    return f"{profile.path} ({profile.language.value}, read by {profile.frontend})"


def entries_of(file: FileReport) -> tuple[Entry, ...]:
    """The entries of a file, in the order of the source."""
    return tuple(entry for region in file.regions for entry in _entries(region))


def assumptions_of(file: FileReport) -> tuple[str, ...]:
    """What was assumed, one sentence each; subjects of which the same was assumed are told together."""
    subjects: dict[tuple[str, str], list[str]] = {}
    lines: dict[tuple[str, str], int] = {}
    for region in file.regions:
        for found in (each for part in (region, *region.nests) for each in _assumed(part)):
            subject, _, rest = found.text.partition(" ")
            if not _SUBJECT.fullmatch(subject):
                subject, rest = "", found.text
            key = (rest, found.code)
            lines.setdefault(key, found.span.line)
            if subject not in subjects.setdefault(key, []):
                subjects[key].append(subject)
    return tuple(
        f"line {lines[rest, code]}: {_subjects(names)}{rest} [{code}]" for (rest, code), names in subjects.items()
    )


def _subjects(names: Sequence[str]) -> str:
    """The arrays or functions that something is assumed of; nothing where the sentence has its own subject."""
    found = [name for name in names if name]
    more = f" and {len(found) - _MOST_SUBJECTS} more" if len(found) > _MOST_SUBJECTS else ""
    told = ", ".join(found[:_MOST_SUBJECTS]) + more
    return f"{told}: each " if len(names) > 1 else f"{told} " if told else ""


def _assumed(region: RegionReport) -> Iterator[Assumption]:
    """What the counts of a region rest on, those of its caches included but for findings, which are told apart."""
    yield from region.profile.assumptions
    if region.caches is not None:
        yield from (note for note in region.caches.notes if note.code not in FINDINGS)


def regions_shown(region: RegionReport) -> tuple[RegionReport, ...]:
    """What is shown of a region: its only nest where that is all of it, else the nests and then the whole."""
    nests = region.nests
    if not nests:
        return (region,)
    if len(nests) == 1 and _same(nests[0].profile.work.flops.estimate, region.profile.work.flops.estimate):
        return nests
    return (*nests, region)


def _same(one: Count, other: Count) -> bool:
    return one is other or str(one) == str(other)


def title_of(region: RegionReport, whole: RegionReport) -> str:
    """The place in words: ``triad, lines 3-4``; bare loops have only lines, a whole of several nests says so."""
    lines = lines_of(region)
    place = f"line {lines}" if "-" not in lines else f"lines {lines}"
    name = region.profile.function + _launched(region.profile.launch)
    return f"{name}, {place}{_whole(region, whole)}" if name else f"{place}{_whole(region, whole)}"


def _launched(launch: Launch | None) -> str:
    """How a kernel is launched, as CUDA spells it: ``<<<4x2, 256>>>``."""
    if launch is None:
        return ""
    grid, block = (_dimensions(values) for values in (launch.grid, launch.block))
    return f" <<<{grid}, {block}>>> ({launch.source})"


def _dimensions(values: Sequence[int | None]) -> str:
    texts = ["?" if value is None else str(value) for value in values]
    while len(texts) > 1 and texts[-1] == "1":
        texts.pop()
    return "x".join(texts)


def label_of(region: RegionReport, whole: RegionReport) -> str:
    """The place in short: ``triad:3-4``."""
    name = region.profile.function
    lines = lines_of(region)
    place = f"{name}:{lines}" if name else f"line {lines}" if "-" not in lines else f"lines {lines}"
    return place + _whole(region, whole)


def _whole(region: RegionReport, whole: RegionReport) -> str:
    return ", all loops" if region is whole and len(whole.nests) > 1 else ""


def lines_of(region: RegionReport) -> str:
    """The first and last line as ``3-7``."""
    span = region.profile.span
    return str(span.line) if span.line == span.end_line else f"{span.line}-{span.end_line}"


def symbol_of(region: RegionReport) -> str:
    """The one size without a value that the FLOPs depend on, ``N`` where there are several."""
    profile = region.profile
    free = sorted(profile.work.flops.estimate.symbols - profile.values.keys())
    return free[0] if len(free) == 1 else "N"


def _meaning(region: RegionReport, convention: Convention) -> str:
    """What the convention means, with the model of the caches where there is one."""
    models = [found.model for found in region.profile.caches]
    model = f" ({models[0]} model)" if convention is Convention.CACHED and models else ""
    return _CONVENTIONS[convention] + model


def iteration_text(iteration: PerIteration) -> str:
    """One iteration of the innermost loop: FLOPs by kind, loads, stores, and their quotient."""
    kinds = ", ".join(f"{number_text(share)} {name}" for name, share in operation_shares(iteration))
    moved = iteration.load_bytes + iteration.store_bytes
    parts = [
        times(iteration.flops, "FLOP") + (f" ({kinds})" if kinds else ""),
        f"{times(iteration.loads, 'load')} and {times(iteration.stores, 'store')} ({number_text(moved)} bytes)",
    ]
    if iteration.intensity is not None:
        parts.append(f"{fraction_text(iteration.intensity)} FLOP/byte")
    return ("" if iteration.exact else "on average ") + ", ".join(parts)


def iteration_short(iteration: PerIteration) -> str:
    """One iteration of the innermost loop as its quotient: ``2 FLOP / 24 B = 1/12``."""
    moved = iteration.load_bytes + iteration.store_bytes
    quotient = "" if iteration.intensity is None else f" = {iteration.intensity}"
    return f"{number_text(iteration.flops)} FLOP / {number_text(moved)} B{quotient}"


def operation_shares(iteration: PerIteration) -> Iterator[tuple[str, Fraction]]:
    """Name and number of the floating-point operations of one iteration."""
    for key, share in iteration.operations.items():
        if key.precision.is_float and key.operation in _ARITHMETIC and share:
            yield key.function or _NAMES.get(key.operation, key.operation.value), share


def _entries(region: RegionReport) -> Iterator[Entry]:
    for part in regions_shown(region):
        yield Entry(part, region)


def _loops(region: RegionReport) -> str:
    """The ranges of the loops, outermost first; of several nests only how many there are."""
    loops = region.profile.loops
    if region.profile.launch is not None:
        return "; ".join(spelled(loop.trip_text) for loop in loops if loop.mapping not in _GRID)
    outermost = sum(1 for loop in loops if loop.depth == 0)
    if outermost > 1 and region.profile.kind is not RegionKind.LOOP:
        return f"{outermost} loop nests"
    return "; ".join(spelled(loop.trip_text) for loop in loops)


def _operations(region: RegionReport) -> str:
    """Operations of the whole region by kind and precision."""
    profile = region.profile
    found = []
    for key, count in profile.work.operations.items():
        if key.precision.is_float and key.operation in _ARITHMETIC and not count.upper.is_zero:
            name = key.function or _NAMES.get(key.operation, key.operation.value)
            found.append(f"{key.precision.value} {name} {quantity_text(count, profile.values, short=True)}")
    return ", ".join(found)


def _others(region: RegionReport, chosen: Moves) -> Iterator[Moves]:
    """The conventions that are not in force, where they give other bytes."""
    profile = region.profile
    seen = {chosen.bytes}
    for convention in (found for found in Convention if found is not Convention.CACHED):
        moved = moved_bytes(profile, ProjectionOptions(convention=convention))
        found = Moves(region, moved, ratio(profile, profile.work.flops, moved.total))
        if found.bytes not in seen:
            seen.add(found.bytes)
            yield found


def _verdict(region: RegionReport, projection: Projection) -> Verdict:
    bound = projection.bound.value
    if projection.level is not None:
        bound = f"{bound} ({projection.level})"
    levels = levels_text(region, projection)
    loads_lines = projection.moved.convention in (Convention.WRITE_ALLOCATE, Convention.CACHED)
    avoidable = loads_lines and projection.machine.write_allocate.policy is WritePolicy.PARTIAL
    return Verdict(
        projection.machine.name,
        projection.machine.id,
        projection.bound,
        bound,
        rate_text(projection),
        turns_text(projection),
        "" if projection.time is None else format_time(projection.time.value),
        projection.reason,
        _ground(projection.reason),
        Moves(region, projection.moved, projection.intensity, avoidable),
        projection.close_call,
        levels,
        differences(region, projection),
        findings_on_caches(region, projection),
        tuple(ecm_text(projection)),
        scaling_text(projection.scaling) if levels else "",
    )


def turns_text(projection: Projection) -> str:
    """Iterations per second of a region without FLOPs."""
    turns = projection.iterations_per_s
    bare = projection.bandwidth_rate is not None and turns is not None
    return format_rate(turns or 0, " iterations/s") if bare else ""


def _ground(reason: str) -> str:
    """What follows "intensity 0.08333 F/B is"; the whole sentence where it starts otherwise.

    >>> _ground("intensity 0.125 F/B is below the ridge 7.1 F/B"), _ground("no FLOPs: DRAM is the bound")
    ('below the ridge 7.1 F/B', 'no FLOPs: DRAM is the bound')
    """
    found = _INTENSITY.match(reason)
    return reason[found.end() :] if found else reason


def rate_text(projection: Projection) -> str:
    """The attainable rate: FLOP/s, an interval of them, or bytes/s where there are no FLOPs."""
    if projection.attainable_range is not None:
        low, high = (format_rate(rate.value) for rate in projection.attainable_range)
        if low != high:
            return f"{low} to {high}"
    if projection.attainable is not None:
        return format_rate(projection.attainable.value)
    if projection.bandwidth_rate is not None:
        return format_rate(projection.bandwidth_rate.value, "B/s")
    return "nothing to bound" if projection.bound is Bound.NOTHING else "unknown"
