"""What a roofline plot shows, as plain numbers: the roofs of each machine, a point for each region and machine."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analyzer.ir.types import ScalarType
from roofline.figures import Basis, PeakMode
from roofline.machine import Machine
from roofline.projection import Projection
from roofline.ratios import Ratio
from roofline.report import FileReport, RegionReport, Report
from roofline.units import format_rate

from .summary import label_of, regions_shown

_MODES = ((PeakMode.FMA, True, "FMA"), (PeakMode.NO_FMA, True, "no FMA"), (PeakMode.NO_FMA, False, "no FMA, no SIMD"))
_LONGEST_LABEL = 40


@dataclass(frozen=True, slots=True)
class Slope:
    """A memory roof: byte/s."""

    label: str
    bytes_per_s: float


@dataclass(frozen=True, slots=True)
class Flat:
    """A compute roof: FLOP/s."""

    label: str
    flop_per_s: float


@dataclass(frozen=True, slots=True)
class Roofs:
    """The roofs of one machine, highest first."""

    machine: str
    slopes: tuple[Slope, ...]
    flats: tuple[Flat, ...]

    @property
    def peak(self) -> float:
        """The highest compute roof."""
        return self.flats[0].flop_per_s

    @property
    def outermost(self) -> float:
        """The lowest memory roof."""
        return self.slopes[-1].bytes_per_s

    @property
    def ridge(self) -> float:
        """The intensity at which the lowest memory roof meets the highest compute roof."""
        return self.peak / self.outermost


@dataclass(frozen=True, slots=True)
class Point:
    """A region on a machine; ``others`` are the intensities at the levels that do not bind.

    ``intensity`` is None where there is nothing to place on logarithmic axes; ``why`` says so then.  ``interval`` is
    that of an intensity that depends on data.
    """

    number: int
    label: str
    machine: int
    intensity: float | None
    flop_per_s: float | None
    others: tuple[float, ...]
    bound: str
    why: str = ""
    interval: tuple[float, float] | None = None


def roofs_of(report: Report) -> tuple[Roofs, ...]:
    """The roofs of the report's machines, for the precisions that its regions compute in."""
    precisions = _precisions(report)
    several = len(report.machines) > 1
    found = (_roofs(machine, report, precisions, brief=several) for machine in report.machines)
    return tuple(roofs for roofs in found if roofs is not None)


def points_of(files: Iterable[FileReport]) -> tuple[Point, ...]:
    """One point for each region shown and machine, numbered in the order of the source."""
    return tuple(
        point
        for number, (label, part) in enumerate(labelled(files), 1)
        for point in points_of_region(part, number, label)
    )


def labelled(files: Iterable[FileReport]) -> list[tuple[str, RegionReport]]:
    """Every region shown with its label, which has the file where functions of several files share a name."""
    shown = [
        (file.profile.path.rpartition("/")[2], label_of(part, region), part)
        for file in files
        for region in file.regions
        for part in regions_shown(region)
    ]
    files_of: dict[str, set[str]] = {}
    for path, _, part in shown:
        files_of.setdefault(part.profile.function, set()).add(path)
    told = [
        (label if len(files_of[part.profile.function]) == 1 else f"{path}: {label}", part)
        for path, label, part in shown
    ]
    return [(_shortened(label), part) for label, part in told]


def _shortened(label: str) -> str:
    """Cut a long label in the middle, since its lines are what tells it from others."""
    half = (_LONGEST_LABEL - 3) // 2
    return label if len(label) <= _LONGEST_LABEL else f"{label[:half]}...{label[-half:]}"


def points_of_region(region: RegionReport, number: int, label: str) -> list[Point]:
    """The points of one region, one for each machine."""
    return [_point(projection, number, label, index) for index, projection in enumerate(region.projections)]


def _point(projection: Projection, number: int, label: str, machine: int) -> Point:
    level = projection.level
    bound = projection.bound.value if level is None else f"{projection.bound.value} ({level})"
    intensities = [found.intensity.number for found in projection.levels]
    own = projection.intensity.number
    rate = None if projection.attainable is None else projection.attainable.value
    why = ""
    if projection.bandwidth_rate is not None:
        why = f"no FLOPs: {format_rate(projection.bandwidth_rate.value, 'B/s')}"
    elif not own:
        why = "intensity depends on sizes" if projection.intensity.power else "no intensity"
    elif not rate:
        why = projection.reason
    others = tuple(float(value) for value in intensities if value and value != own)
    place = float(own) if own and rate else None
    return Point(number, label, machine, place, rate, others, bound, why, _interval(projection.intensity))


def _interval(intensity: Ratio) -> tuple[float, float] | None:
    """Both ends where they differ; 0 and infinity are among them."""
    lower, upper = intensity.lower, intensity.upper
    if intensity.power or lower is None or lower == upper:
        return None
    return float(lower), math.inf if upper is None else float(upper)


def _precisions(report: Report) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for file in report.files:
        for region in file.regions:
            for precision, flops in region.profile.work.flops_by_precision.items():
                if precision.is_float and not flops.upper.is_zero:
                    names["fp64" if precision is ScalarType.FP80 else precision.value] = None
    return tuple(names) or ("fp64",)


def _roofs(machine: Machine, report: Report, precisions: Sequence[str], *, brief: bool) -> Roofs | None:
    basis = Basis(str(report.options.get("peak", Basis.SUSTAINED.value)))
    cores = report.options.get("cores")
    slopes = []
    for name in (machine.memory.name,) if brief else machine.level_names:
        chosen = machine.bandwidth(name, basis, cores)
        if chosen is not None:
            slopes.append(Slope(f"{name} {format_rate(chosen.rate.value, 'B/s')}", chosen.rate.value))
    flats: list[Flat] = []
    for precision in precisions:
        if machine.peak_of(precision) is None:
            continue
        for mode, simd, label in _MODES[: 1 if brief else None]:
            if not simd and machine.core is None:
                continue
            peak = machine.choose_peak(precision, mode=mode, simd=simd, kind=basis, cores=cores)
            if peak is not None and all(peak.rate.value != flat.flop_per_s for flat in flats):
                text = f"{precision} {label} {format_rate(peak.rate.value)}"
                flats.append(Flat(text, peak.rate.value))
    if not slopes or not flats:
        return None
    return Roofs(
        machine.name,
        tuple(sorted(slopes, key=lambda slope: -slope.bytes_per_s)),
        tuple(sorted(flats, key=lambda flat: -flat.flop_per_s)),
    )
