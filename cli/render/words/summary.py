"""The content of a report on a region, as text: that which the table, the plain text and the Markdown lay out.

Input: one file of the report. Output: one :class:`Entry` for each loop nest, and one for a function of several nests.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from analyzer.ir.nodes import RegionKind
from analyzer.python.cached_property import cached_property
from analyzer.traffic.results import Convention
from roofline.machine.hardware import MachineKind, WritePolicy
from roofline.model.intensity import Ratio, ratio
from roofline.model.projection import Bound, MovedBytes, Projection, ProjectionOptions, moved_bytes
from roofline.report.advice_sentences import advice_text
from roofline.report.best import best_formula, best_text
from roofline.report.report import FileReport, RegionReport
from roofline.report.sentences import cores_text, ground_text, reason_text
from roofline.report.source_names import spelled

from .levels import conditions_text, differences, ecm_text, findings_on_caches, levels_text, scaling_text
from .names import alternatives_text, label_of, regions_shown, title_of
from .numbers import has_exceptions, intensity_text, quantity_text
from .rates import pace_text, part_text, rate_text, sizes_text, time_text
from .remarks import Remark
from .work import iteration_short, iteration_text, operations_text

_CONVENTIONS = {
    Convention.REGISTER: "every reference of every iteration",
    Convention.COMPULSORY: "each element moved once",
    Convention.WRITE_ALLOCATE: "each element moved once, stores load their line first",
    Convention.TOUCHED_ONCE: "each element touched counted once",
    Convention.CACHED: "traffic after the cache model, in whole lines",
}


class ConventionBytes(Struct, frozen=True, dict=True):
    """Bytes of a region under one convention and the intensity they give; ``short`` forms fit a table."""

    region: RegionReport
    moved: MovedBytes
    ratio: Ratio
    avoidable: bool = False

    @property
    def convention(self) -> str:
        """Return the name of the convention."""
        return self.moved.convention.value

    @property
    def meaning(self) -> str:
        """Return what the convention means."""
        meaning = _meaning(self.region, self.moved.convention)
        return f"{meaning} (this machine can avoid a part of that)" if self.avoidable else meaning

    @cached_property
    def bytes(self) -> str:
        """Return all bytes, with what holds for small sizes."""
        return quantity_text(self.moved.total, self.region.profile.values)

    @property
    def short(self) -> str:
        """Return all bytes for large sizes."""
        return quantity_text(self.moved.total, self.region.profile.values, short=True)

    @property
    def directions(self) -> str:
        """Return bytes by direction, where the convention distinguishes them."""
        moved, values = self.moved, self.region.profile.values
        if moved.convention is Convention.TOUCHED_ONCE:
            return ""
        parts = ((moved.read, "read"), (moved.write_allocate, "write-allocate"), (moved.write, "written"))
        return " + ".join(
            f"{quantity_text(part, values, short=True)} {name}" for part, name in parts if not part.is_zero
        )

    @property
    def intensity(self) -> str:
        """Return FLOPs per byte."""
        return intensity_text(self.ratio)


class Verdict(Struct, frozen=True):
    """One machine's answer; ``kind`` is the bare bound, at ``level``; ``close`` marks one that the figures leave open.

    ``ground`` is the reason without the region's own intensity, so that it is the same for many regions.  ``levels``
    are the bytes of all levels in one line, ``check`` is what another model of the caches finds, ``findings`` are set
    conflicts and what the model leaves undecided, ``ecm`` and ``scaling`` are those of one core and of more, ``cores``
    says how many run the nest and why; each is empty where there is nothing to say.  ``sizes`` are those for which the
    rate is the most.
    """

    machine: str
    machine_id: str
    kind: Bound
    level: str
    rate: str
    sizes: str
    pace: str
    time: str
    reason: str
    ground: str
    moves: ConventionBytes
    close: bool
    levels: str
    check: str
    findings: tuple[Remark, ...]
    ecm: tuple[str, ...]
    scaling: str
    cores: str

    @property
    def bound(self) -> str:
        """Return the bound with its level: ``memory (DRAM)``."""
        return f"{self.kind.value} ({self.level})" if self.level else self.kind.value


class Entry(Struct, frozen=True, dict=True):
    """The texts of a nest, a kernel, or a whole function; each text is made when it is first asked for."""

    region: RegionReport
    whole: RegionReport

    @property
    def title(self) -> str:
        """Return the location in words."""
        return title_of(self.region, self.whole)

    @cached_property
    def label(self) -> str:
        """Return the location in short."""
        return label_of(self.region, self.whole)

    @property
    def loops(self) -> str:
        """Return the ranges of the loops."""
        return _loops(self.region)

    @property
    def flops(self) -> str:
        """Return the FLOPs with what holds for small sizes."""
        return quantity_text(self.region.profile.work.flops, self.region.profile.values)

    @property
    def flops_short(self) -> str:
        """Return the FLOPs for large sizes."""
        return quantity_text(self.region.profile.work.flops, self.region.profile.values, short=True)

    @property
    def alternatives(self) -> str:
        """Return what it does for other values of flags."""
        return alternatives_text(self.region)

    @property
    def operations(self) -> str:
        """Return operations by kind and precision."""
        return operations_text(self.region)

    @property
    def per_iteration(self) -> str:
        """Return one iteration of the innermost loop."""
        iteration = self.region.profile.per_iteration
        return "" if iteration is None else iteration_text(iteration)

    @property
    def iteration_short(self) -> str:
        """Return one iteration of the innermost loop as its quotient."""
        iteration = self.region.profile.per_iteration
        return "" if iteration is None else iteration_short(iteration)

    @cached_property
    def moves(self) -> ConventionBytes:
        """Return bytes under the convention in force."""
        return ConventionBytes(self.region, self.region.moved, self.region.intensity)

    @cached_property
    def others(self) -> tuple[ConventionBytes, ...]:
        """Return bytes under other conventions, where they differ."""
        return tuple(_others(self.region, self.moves))

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Return the verdict of each machine."""
        return tuple(_verdict(self.region, projection) for projection in self.region.projections)

    @property
    def exceptions(self) -> bool:
        """Return whether the short formulas leave out what holds for small sizes."""
        profile = self.region.profile
        return any(has_exceptions(found, profile.values) for found in (profile.work.flops, self.region.moved.total))

    @property
    def advice(self) -> tuple[Remark, ...]:
        """Return what would help."""
        return tuple(Remark(advice_text(found), found.code) for found in self.region.advice)

    @property
    def best(self) -> str:
        """Return how good it could be at the level that binds, else at the memory; without sizes the least loads."""
        levels = {found.level: found for found in self.region.best}
        binding = self.region.projections[0].level if self.region.projections else None
        found = levels.get(binding or "") or next(reversed(self.region.best), None)
        if found is not None:
            return best_text(found)
        return "" if self.region.profile.least is None else best_formula(self.region.profile.least)

    @property
    def levels(self) -> str:
        """Return bytes and intensity of each level, as in the verdict of the headline."""
        return levels_text(self.region)

    @property
    def check(self) -> str:
        """Return what another model of the caches finds."""
        return differences(self.region)

    @property
    def findings(self) -> tuple[Remark, ...]:
        """Return the findings of the models of the caches."""
        return findings_on_caches(self.region)

    @cached_property
    def kept(self) -> str:
        """Return up to which sizes caches hold what is reused."""
        return conditions_text(self.region)


def entries_of(file: FileReport) -> tuple[Entry, ...]:
    """Return the entries of a file, in the order of the source."""
    return tuple(entry for region in file.regions for entry in _entries(region))


def _meaning(region: RegionReport, convention: Convention) -> str:
    """Return what the convention means, with the model of the caches where there is one."""
    models = [found.model for found in region.traffic.models]
    model = f" ({models[0]} model)" if convention is Convention.CACHED and models else ""
    return _CONVENTIONS[convention] + model


def _entries(region: RegionReport) -> Iterator[Entry]:
    for part in regions_shown(region):
        yield Entry(part, region)


def _loops(region: RegionReport) -> str:
    """Return the ranges of the loops, outermost first; of several nests only how many there are."""
    loops = region.profile.loops
    if region.profile.launch is not None:
        return "; ".join(spelled(loop.trip_text) for loop in loops if not loop.mapping.is_of_grid)
    outermost = sum(1 for loop in loops if loop.depth == 0)
    if outermost > 1 and region.profile.kind is not RegionKind.LOOP:
        return f"{outermost} loop nests"
    return "; ".join(spelled(loop.trip_text) for loop in loops)


def _others(region: RegionReport, chosen: ConventionBytes) -> Iterator[ConventionBytes]:
    """Yield the conventions that are not in force, where they give other bytes."""
    profile = region.profile
    seen = {chosen.bytes}
    for convention in (found for found in Convention if found is not Convention.CACHED):
        moved = moved_bytes(profile, ProjectionOptions(convention=convention))
        found = ConventionBytes(region, moved, ratio(profile, profile.work.flops, moved.total))
        if found.bytes not in seen:
            seen.add(found.bytes)
            yield found


def _verdict(region: RegionReport, projection: Projection) -> Verdict:
    levels = levels_text(region, projection)
    loads_lines = projection.moved.convention in (Convention.WRITE_ALLOCATE, Convention.CACHED)
    avoidable = loads_lines and projection.machine.write_allocate.policy is WritePolicy.PARTIAL
    return Verdict(
        projection.machine.name,
        projection.machine.id,
        projection.bound,
        part_text(projection),
        rate_text(projection),
        sizes_text(projection),
        pace_text(projection),
        time_text(projection),
        reason_text(projection.reason),
        ground_text(projection.reason),
        ConventionBytes(region, projection.moved, projection.intensity, avoidable),
        projection.close_call,
        levels,
        differences(region, projection),
        findings_on_caches(region, projection),
        tuple(ecm_text(projection)),
        scaling_text(projection.scaling) if levels else "",
        _cores(region, projection),
    )


def _cores(region: RegionReport, projection: Projection) -> str:
    """Return on how many of several cores a nest runs, and why; empty where one is in use, and off CPUs."""
    found, caches, machine = region.profile.parallelism, projection.hierarchy, projection.machine
    used = machine.unit_count(projection.options.cores)
    most = machine.units.count if caches is None else caches.units
    if found is None or machine.kind is not MachineKind.CPU or max(used, most) < 2:
        return ""
    return cores_text(found, used)
