"""A range of one size as paths: what each region has at each value."""

from __future__ import annotations

from msgspec import Struct

from roofline.model.projection import Projection
from roofline.report.report import RegionReport
from roofline.report.sweep import Sweep

from ..words.levels import level_intensities
from .roofline import labelled


class Step(Struct, frozen=True):
    """One value of the size; ``flop_per_s`` is 0 without a machine.

    ``levels`` are the intensities of the levels where caches are modelled, ``bound`` names what binds.
    """

    value: int
    intensity: float
    flop_per_s: float
    levels: tuple[tuple[str, float], ...] = ()
    bound: str = ""


class Path(Struct, frozen=True):
    """One region on one machine over the range; values at which it has no intensity are left out."""

    label: str
    machine: int
    machine_name: str
    steps: tuple[Step, ...]


def paths_of(sweep: Sweep) -> tuple[Path, ...]:
    """Return the paths of every region shown, machine by machine."""
    steps: dict[tuple[str, int, str], list[Step]] = {}
    for point in sweep.points:
        for label, part in labelled(point.files):
            for machine, name, step in _steps(part, point.value):
                steps.setdefault((label, machine, name), []).append(step)
    return tuple(Path(label, machine, name, tuple(found)) for (label, machine, name), found in steps.items())


def without_path(sweep: Sweep) -> tuple[str, ...]:
    """Return the regions that have no intensity at any value, each with why."""
    having = {path.label for path in paths_of(sweep)}
    found: dict[str, str] = {}
    for point in sweep.points:
        for label, part in labelled(point.files):
            if label not in having:
                none = part.profile.work.flops.is_zero
                found.setdefault(label, f"{label} ({'no FLOPs' if none else 'no intensity'})")
    return tuple(found.values())


def _steps(region: RegionReport, value: int) -> list[tuple[int, str, Step]]:
    if not region.projections:
        number = region.intensity.number
        return [(0, "", Step(value, float(number), 0.0, _levels(region, None)))] if number else []
    found = []
    for machine, projection in enumerate(region.projections):
        number = projection.intensity.number
        if number and projection.attainable is not None:
            levels, bound = _levels(region, projection), projection.level or projection.bound.value
            step = Step(value, float(number), projection.attainable.value, levels, bound)
            found.append((machine, projection.machine.name, step))
    return found


def _levels(region: RegionReport, projection: Projection | None) -> tuple[tuple[str, float], ...]:
    return tuple((name, float(number)) for name, number in level_intensities(region, projection).items() if number)
