"""The report: one immutable tree per run, of which renderers are functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from msgspec import Struct

from analyzer.profile import FileProfile, RegionProfile
from analyzer.traffic.results import CacheTraffic, Condition, Reuse

from ..machine.machine import Machine
from ..model.advice import Advice, advice_for
from ..model.decisive_conditions import decisive_conditions, reuses_within
from ..model.launches import over_launches
from ..model.level_bytes import cache_traffic, hierarchy_in_force, level_moves
from ..model.projection import Moved, Projection, ProjectionOptions, Ratio, moved_bytes, project, ratio


class RegionReport(Struct, frozen=True):
    """A region with its projections (one for each machine, in order) and its nests.

    ``caches`` is the traffic whose outermost bytes are the ones ``moved``, and ``served`` are the bytes of its levels;
    None and () where caches are not modelled.  ``reuses`` are those inside the region, where they were asked for, and
    ``conditions`` has of each cache the one that decides at common sizes.  ``outside`` has the statements outside of
    loops, ``launches`` are those of a kernel that the region is the sum of, as far as they were analyzed one by one.
    """

    profile: RegionProfile
    moved: Moved
    intensity: Ratio
    caches: CacheTraffic | None
    served: tuple[tuple[str, Moved], ...]
    projections: tuple[Projection, ...]
    advice: tuple[Advice, ...]
    reuses: tuple[Reuse, ...]
    conditions: tuple[Condition, ...]
    nests: tuple[RegionReport, ...]
    outside: RegionReport | None = None
    launches: tuple[RegionReport, ...] = ()

    @property
    def all_nests(self) -> tuple[RegionReport, ...]:
        """The nests, each followed by those that it only repeats."""
        return tuple(found for nest in self.nests for found in (nest, *nest.all_nests))


class FileReport(Struct, frozen=True):
    """A file with its regions."""

    profile: FileProfile
    regions: tuple[RegionReport, ...]


class Report(Struct, frozen=True):
    """Everything that one run found; ``files`` may be made one by one, each time they are asked for."""

    version: str
    options: Mapping[str, Any]
    machines: tuple[Machine, ...]
    files: Sequence[FileReport]


class _Projected(Sequence[FileReport]):
    """Reports of files, made when asked for: profiles of many files need not be in memory together."""

    def __init__(self, files: Sequence[FileProfile], project: Callable[[FileProfile], FileReport]) -> None:
        self._files = files
        self._project = project

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, place: int) -> FileReport: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[FileReport]: ...

    def __getitem__(self, place: int | slice) -> FileReport | Sequence[FileReport]:
        if isinstance(place, slice):
            return [self._project(file) for file in self._files[place]]
        return self._project(self._files[place])


def make_report(
    files: Sequence[FileProfile],
    machines: Sequence[Machine],
    projection: ProjectionOptions,
    *,
    version: str,
    options: Mapping[str, Any],
) -> Report:
    """Project every region of every file onto every machine: a tuple of files at once, others as they are asked for."""

    def projected(file: FileProfile) -> FileReport:
        return FileReport(file, tuple(region_report(region, machines, projection) for region in file.regions))

    reports = tuple(map(projected, files)) if isinstance(files, tuple) else _Projected(files, projected)
    return Report(version, options, tuple(machines), reports)


def region_report(
    profile: RegionProfile,
    machines: Sequence[Machine],
    options: ProjectionOptions,
    reuses: Sequence[Reuse] | None = None,
) -> RegionReport:
    """One region and its nests on every machine; the first machine decides which bytes the headline counts.

    ``reuses`` are those of the whole that the profile is a nest of; None where it is the whole.
    """
    machine = machines[0] if machines else None
    moved = moved_bytes(profile, options, machine)
    own = profile.reuses if reuses is None else reuses_within(profile, reuses)
    hierarchies = (hierarchy_in_force(options, machine) for machine in machines or (None,))
    hierarchy = next((found for found in hierarchies if found is not None and found.gpu is None), None)
    parts = tuple(region_report(part, machines, options, own) for part in profile.parts)
    projections = tuple(
        project(profile, machine, options, [part.projections[number] for part in parts])
        for number, machine in enumerate(machines)
    )
    repeated = profile.launches
    launches = () if repeated is None else tuple(region_report(one, machines, options) for _, one in repeated.analyzed)
    if repeated is not None:
        projections = tuple(
            over_launches(whole, profile, repeated.blend, [(one.profile, one.projections[place]) for one in launches])
            for place, whole in enumerate(projections)
        )
    nests = parts[: len(profile.nests)] or tuple(region_report(nest, machines, options, own) for nest in profile.nests)
    return RegionReport(
        profile,
        moved,
        ratio(profile, profile.work.flops, moved.total),
        cache_traffic(profile, options, machine),
        level_moves(profile, options, machine),
        projections,
        advice_for(profile, moved, projections, options),
        own,
        () if hierarchy is None else decisive_conditions(own, hierarchy),
        nests,
        parts[len(nests)] if len(parts) > len(nests) else None,
        launches,
    )
