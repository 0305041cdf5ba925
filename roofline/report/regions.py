"""Reports of regions and files: each region with its traffic, projected onto every machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from analyzer.diagnostics import Diagnostic
from analyzer.errors import OptionError
from analyzer.ir.nodes import Assumption, RegionKind
from analyzer.profile import AnalyzedFile, FileProfile, RegionProfile
from analyzer.quantities.quantity import Quantity
from analyzer.traffic.results import CacheTraffic, Condition, RegionTraffic, Reuse

from ..catalog import is_called
from ..model.advice.advising import advice_for
from ..model.advice.kinds import Advice, ReuseData, TransformLoops
from ..model.advice.transformed import fused
from ..model.best import BestIntensity, best_intensities
from ..model.launches import over_launches
from ..model.level_bytes import LevelBytes, Target, in_force, level_bytes, moved_bytes
from ..model.projection import Bound, MovedBytes, Projection, ProjectionOptions, Ratio, paired, project, ratio
from ..model.verdicts.decisive_conditions import decisive_conditions, reuses_within
from ..model.verdicts.reasons import NotSound
from ..model.verdicts.regimes import with_regimes
from .alternatives import Alternative, alternatives_of
from .formula import Formula
from .soundness import sound, unsound, with_sound_rates
from .spelled_notes import with_spelled_references

_AS_LONG = 0.99  # of the longest time: the same to a reader


class RegionReport(Struct, frozen=True, kw_only=True):
    """A region with its traffic, its projections (one for each machine, in order) and its nests.

    ``caches`` is the traffic whose outermost bytes are the ones ``moved``, and ``served`` are the bytes of its levels:
    those of the first machine; None and () where caches are not modelled.  ``reuses`` are those inside the region,
    where they were asked for, and ``conditions`` has of each cache the one that decides at common sizes.  ``outside``
    has the statements outside of loops, ``launches`` are those of a kernel that the region is the sum of, as far as
    they were analyzed one by one.  ``best`` is how good it could be at each level, where that was asked for.
    ``other_sizes`` are those of the other regions of a report, as far as the region was asked for with them.
    """

    profile: RegionProfile
    traffic: RegionTraffic
    moved: MovedBytes
    intensity: Ratio
    caches: CacheTraffic | None
    served: LevelBytes
    projections: tuple[Projection, ...]
    advice: tuple[Advice, ...]
    reuses: tuple[Reuse, ...]
    conditions: tuple[Condition, ...]
    nests: tuple[RegionReport, ...]
    outside: RegionReport | None = None
    launches: tuple[RegionReport, ...] = ()
    best: tuple[BestIntensity, ...] = ()
    other_sizes: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        """Return a line; the values of a region are many pages."""
        bounds = ", ".join(f"{found.bound.value}-bound on {found.machine.id}" for found in self.projections)
        span = self.profile.span
        where = f"{span.path}:{span.line}-{span.end_line}"
        return f"<{self.profile.name}, {where}: {self.flops} FLOPs{', ' if bounds else ''}{bounds}>"

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """Return what else it may do, where flags have other values than those assumed."""
        return tuple(alternatives_of(self.profile, self.moved))

    @property
    def flops(self) -> Formula:
        """Return the FLOPs."""
        return self._formula(self.profile.work.flops, is_bound=self.profile.is_bound)

    @property
    def bytes(self) -> Formula:
        """Return the bytes of memory in force: those of the caches where they are modelled."""
        return self._bytes(self.moved, self.caches)

    def bytes_of(self, projection: Projection) -> Formula:
        """Return the bytes of memory on one of the machines."""
        return self._bytes(projection.moved, projection.traffic)

    def _bytes(self, moved: MovedBytes, traffic: CacheTraffic | None) -> Formula:
        return self._formula(moved.total, is_bound=self.profile.is_bound or traffic is not None)

    @property
    def bound(self) -> Bound:
        """Return the kind of bound on the first machine."""
        return self.projections[0].bound if self.projections else Bound.UNKNOWN

    @property
    def time(self) -> float | None:
        """Return the least seconds on the first machine; None without one, or where sizes are not known."""
        time = self.projections[0].time if self.projections else None
        return None if time is None else time.value

    @property
    def expected_time(self) -> float | None:
        """Return the seconds to expect on the first machine; None where the machine or the sizes have no model."""
        expected = self.projections[0].expected if self.projections else None
        return None if expected is None else expected.time.value

    def on(self, machine: str) -> RegionReport:
        """Return the region with the figures of one of its machines; raises ``OptionError`` for another name."""
        wanted = next((each for each in self.projections if is_called(each.machine, machine)), None)
        if wanted is None:
            names = ", ".join(each.machine.id for each in self.projections) or "none"
            raise OptionError(f"there is no machine {machine} in the report", hint=f"the machines are: {names}")
        return replace(
            self,
            moved=wanted.moved,
            intensity=wanted.intensity,
            caches=wanted.traffic,
            served=wanted.served,
            projections=(wanted,),
            nests=tuple(nest.on(machine) for nest in self.nests),
            outside=None if self.outside is None else self.outside.on(machine),
            launches=tuple(launch.on(machine) for launch in self.launches),
        )

    def _formula(self, quantity: Quantity, *, is_bound: bool) -> Formula:
        profile = self.profile
        return Formula(
            quantity=quantity,
            values=profile.values,
            symbols=profile.symbols,
            is_bound=is_bound,
            others=self.other_sizes,
            flags=profile.flags,
        )

    def with_sizes(self, sizes: frozenset[str]) -> RegionReport:
        """Return the region and its nests as those of a report in which other regions have these sizes."""
        return replace(self, other_sizes=sizes, nests=tuple(nest.with_sizes(sizes) for nest in self.nests))

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """Return the assumptions of the counts and the traffic, but for the remarks of the models of the caches."""
        return (*self.profile.assumptions, *self.traffic.notes)

    @property
    def all_nests(self) -> tuple[RegionReport, ...]:
        """Return the nests, each followed by those that it only repeats."""
        return tuple(found for nest in self.nests for found in (nest, *nest.all_nests))


class FileReport(Struct, frozen=True):
    """A file with its regions."""

    profile: FileProfile
    regions: tuple[RegionReport, ...]


def file_report(file: AnalyzedFile, targets: Sequence[Target], options: ProjectionOptions) -> FileReport:
    """Return the report of one file; ``options`` are those of all targets."""
    checked = [sound(*pair) for pair in file.regions_with_traffic]
    regions = tuple(
        region_report(each.profile, with_spelled_references(each.traffic, file.profile), targets, options)
        for each in checked
    )
    found = [finding for each in checked for finding in each.diagnostics]
    found += [finding for region in regions for finding in unsound_rates(region)]
    profile = replace(file.profile, diagnostics=(*file.profile.diagnostics, *found)) if found else file.profile
    return FileReport(profile, regions)


def unsound_rates(region: RegionReport) -> Iterator[Diagnostic]:
    """Yield a finding for a region, and for each of its nests, whose rates are inconsistent."""
    if any(isinstance(projection.reason, NotSound) for projection in region.projections):
        yield unsound(region.profile, "time")
    for nest in region.nests:
        yield from unsound_rates(nest)


def region_report(
    profile: RegionProfile,
    traffic: RegionTraffic,
    targets: Sequence[Target],
    options: ProjectionOptions,
    reuses: Sequence[Reuse] | None = None,
) -> RegionReport:
    """Return one region and its nests on every machine; the first one decides which bytes the headline counts.

    ``reuses`` are those of the whole that the profile is a nest of; None where it is the whole.
    """
    own = traffic.reuses if reuses is None else reuses_within(profile, reuses)

    def inner(pairs: Iterable[tuple[RegionProfile, RegionTraffic]]) -> tuple[RegionReport, ...]:
        return tuple(region_report(part, moved, targets, options, own) for part, moved in pairs)

    parts = inner(paired(profile, traffic))
    nests = parts[: len(profile.nests)] or inner(zip(profile.nests, traffic.nests, strict=False))
    nests = _with_fusions(profile, nests)
    projections = tuple(
        with_sound_rates(project(profile, target, traffic, [part.projections[number] for part in parts]))
        for number, target in enumerate(targets)
    )
    repeated = profile.launches
    analyzed = [] if repeated is None else [one for _, one in repeated.analyzed]
    launches = tuple(
        region_report(one, moved, targets, options) for one, moved in zip(analyzed, traffic.launches, strict=True)
    )
    if repeated is not None:
        projections = tuple(
            over_launches(whole, profile, repeated.blend, [(one.profile, one.projections[number]) for one in launches])
            for number, whole in enumerate(projections)
        )
    projections = tuple(with_regimes(projection, profile, own) for projection in projections)
    caches, served, moved = _headline(profile, traffic, projections, options, parts)
    hierarchies = [target.hierarchy for target in targets] if targets else [options.hierarchy]
    hierarchy = next((found for found in hierarchies if found is not None and found.gpu is None), None)
    advice = advice_for(profile, traffic, moved, projections, options, own)
    return RegionReport(
        profile=profile,
        traffic=traffic,
        moved=moved,
        intensity=projections[0].intensity if projections else ratio(profile, profile.work.flops, moved.total),
        caches=caches,
        served=served,
        projections=projections,
        advice=advice,
        reuses=own,
        conditions=() if hierarchy is None else decisive_conditions(own, hierarchy),
        nests=_in_other_forms(nests, advice) if profile.kind is RegionKind.KERNEL and _has_form(advice) else nests,
        outside=parts[len(nests)] if len(parts) > len(nests) else None,
        launches=launches,
        best=best_intensities(profile, served, hierarchy, options, targets[0].machine if targets else None),
    )


def _has_form(advice: Sequence[Advice]) -> bool:
    return any(isinstance(each, TransformLoops) for each in advice)


def _in_other_forms(nests: tuple[RegionReport, ...], advice: tuple[Advice, ...]) -> tuple[RegionReport, ...]:
    """Return the nests of a kernel that was analyzed in another form, which says more than what reuse may gain.

    The only nest of a kernel, of which listings have a line in its place, has its ``advice``.
    """
    if len(nests) == 1:
        return (replace(nests[0], advice=advice),)
    return tuple(
        replace(nest, advice=tuple(each for each in nest.advice if not isinstance(each, ReuseData))) for nest in nests
    )


def _with_fusions(profile: RegionProfile, nests: tuple[RegionReport, ...]) -> tuple[RegionReport, ...]:
    """Return the nests with the advice to make several of them one, at the first of those that take longest."""
    made = list(nests)
    for fusion in profile.fusions:
        chosen = [nests[number] for number in fusion.nests]
        if not all(nest.projections for nest in chosen):
            continue
        firsts = [nest.projections[0] for nest in chosen]
        advice = fused([nest.profile for nest in chosen], firsts, fusion.made)
        if advice is not None:
            times = {number: nests[number].projections[0].seconds or 0.0 for number in fusion.nests}
            longest = max(times.values())
            number = next(number for number, time in times.items() if time >= _AS_LONG * longest)
            made[number] = replace(made[number], advice=(advice, *made[number].advice))
    return tuple(made)


def _headline(
    profile: RegionProfile,
    traffic: RegionTraffic,
    projections: Sequence[Projection],
    options: ProjectionOptions,
    parts: Sequence[RegionReport],
) -> tuple[CacheTraffic | None, LevelBytes, MovedBytes]:
    """Return the caches, the bytes of their levels and those of the region: of the first machine if there is one."""
    if projections:
        return projections[0].traffic, projections[0].served, projections[0].moved
    caches = in_force(traffic, options, options.hierarchy)
    served = level_bytes(caches, options, None, profile.values)
    return caches, served, moved_bytes(profile, options, levels=served, parts=[part.moved for part in parts])
