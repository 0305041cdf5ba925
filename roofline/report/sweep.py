"""One size varied: the reports of the same regions at many values of one symbol.

A region is analyzed once, symbolically, and its counts are evaluated at each value (:func:`rebound`), where they hold
for every value (:func:`is_symbolic_in`); elsewhere the caller analyzes again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from analyzer.profile import AnalyzedFile, FileProfile, RegionProfile
from analyzer.quantities.quantity import Quantity
from analyzer.traffic.results import Condition, RegionTraffic

from .regions import FileReport, file_report
from .report import Report


class SweepPoint(Struct, frozen=True):
    """The files at one value of the symbol."""

    value: int
    files: tuple[FileReport, ...]


class Breakpoint(Struct, frozen=True, kw_only=True):
    """The largest value at which a cache holds what a reuse of ``arrays`` needs; the condition is the first array's."""

    value: int
    arrays: tuple[str, ...]
    condition: Condition
    path: str
    region: str
    line: int

    @property
    def level(self) -> str:
        """Return the cache."""
        return self.condition.level


class Sweep(Struct, frozen=True):
    """The same files at many values of one symbol, in the order given; ``breakpoints`` from the least value on."""

    parameter: str
    points: tuple[SweepPoint, ...]
    breakpoints: tuple[Breakpoint, ...] = ()


def breakpoints_of(files: Sequence[AnalyzedFile], parameter: str, values: Sequence[int]) -> tuple[Breakpoint, ...]:
    """Return the values after which caches stop holding something; the files have no value for the parameter."""
    found = [
        breakpoint
        for file in files
        for region, traffic in file.regions_with_traffic
        for breakpoint in _breakpoints(file.profile.path, region, traffic, parameter)
        if min(values) <= breakpoint.value < max(values)
    ]
    return tuple(sorted(found, key=lambda breakpoint: breakpoint.value))


def _breakpoints(path: str, region: RegionProfile, traffic: RegionTraffic, parameter: str) -> Iterator[Breakpoint]:
    """Yield those of one region: arrays that a cache stops holding at the same value between the same uses are one."""
    groups: dict[tuple[int, str, str, int, bool], list[Condition]] = {}
    for reuse in traffic.reuses:
        for condition in reuse.conditions:
            if condition.parameters == (parameter,) and condition.threshold is not None:
                key = (condition.threshold, condition.level, reuse.loop, reuse.line, reuse.carried)
                groups.setdefault(key, []).append(condition)
    for (value, *_), held in groups.items():
        arrays = tuple(dict.fromkeys(condition.array for condition in held))
        yield Breakpoint(
            value=value, arrays=arrays, condition=held[0], path=path, region=region.name, line=region.span.line
        )


def rebound(file: AnalyzedFile, symbol: str, value: int) -> AnalyzedFile:
    """Return the file with a value for one symbol, in every region that has it."""
    regions = tuple(_rebound(region, symbol, value) for region in file.profile.regions)
    return replace(file, profile=replace(file.profile, regions=regions))


def is_symbolic_in(profile: FileProfile, symbol: str) -> bool:
    """Return whether :func:`rebound` equals an analysis with the value.

    Some region must have the symbol without a value, and in each such region every count must be a formula of declared
    symbols, with nothing that is estimated only for want of sizes.
    """
    having = [region for region in profile.regions if symbol in region.symbols]
    return bool(having) and all(
        symbol not in region.values and _is_formula(part) for region in having for part in (region, *region.nests)
    )


def sweep_point(files: Sequence[AnalyzedFile], report: Report, value: int) -> SweepPoint:
    """Return the files analyzed at one value, projected as the report is."""
    return SweepPoint(value, tuple(file_report(file, report.targets, report.projection) for file in files))


def changes_nothing(sweep: Sweep) -> bool:
    """Return whether every count is the same at every value: most often the name is misspelled."""
    first, *others = sweep.points
    wanted = _all_figures(first)
    return bool(others) and all(_all_figures(point) == wanted for point in others)


def _all_figures(point: SweepPoint) -> list[tuple[str, ...]]:
    return [_figures(region) for file in point.files for region in file.profile.regions]


def _figures(region: RegionProfile) -> tuple[str, ...]:
    bound = {name: value for name, value in region.values.items() if name in region.symbols}
    return (region.name, *(str(count.estimate.bind(bound)) for count in _counts(region)))


def _rebound(region: RegionProfile, symbol: str, value: int) -> RegionProfile:
    if symbol not in region.symbols:
        return region
    nests = tuple(_rebound(nest, symbol, value) for nest in region.nests)
    outside = None if region.outside is None else _rebound(region.outside, symbol, value)
    return replace(region, values={**region.values, symbol: value}, nests=nests, outside=outside)


def _is_formula(region: RegionProfile) -> bool:
    if region.per_iteration is not None and not region.per_iteration.exact:
        return False
    declared = set(region.symbols)
    return all(count.is_single and count.estimate.symbols <= declared for count in _counts(region))


def _counts(region: RegionProfile) -> Iterator[Quantity]:
    """Yield every count of a region that depends on sizes."""
    yield region.work.flops
    yield from region.work.operations.values()
    for references in (region.loads, region.stores):
        yield references.bytes
    for extent in (region.footprint.read, region.footprint.written, region.footprint.touched):
        yield extent.bytes
        yield extent.lines
    for line in region.lines:
        yield line.flops
