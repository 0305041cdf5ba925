"""A range of one size as tables: one for each region and machine, one row for each value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline.primitive import number
from roofline.projection import Projection
from roofline.report import RegionReport
from roofline.sweep import Sweep
from roofline.units import format_bytes, format_rate, format_time

from .sheet import Sheet, render_markdown_sheet, render_plain

_HEADINGS = ("FLOPs", "bytes", "intensity", "bound", "attainable", "time")


def render_sweep_table(sweep: Sweep, *, markdown: bool = False) -> str:
    """Render every region of the first value's files, in order."""
    sheets = list(sweep_sheets(sweep))
    return "\n".join(map(render_markdown_sheet, sheets)) if markdown else render_plain(sheets)


def sweep_sheets(sweep: Sweep) -> Iterator[Sheet]:
    """One sheet for each region and machine."""
    first = sweep.points[0]
    for file_position, file in enumerate(first.files):
        for region in file.regions:
            machines = len(region.projections) or 1
            for machine in range(machines):
                rows = [
                    _row(point.value, found, machine)
                    for point in sweep.points
                    for found in _same(point.files[file_position].regions, region)
                ]
                headings = (sweep.parameter, *_HEADINGS)
                numeric = frozenset({0, 1, 2, 3, 5, 6})
                yield Sheet(_title(file.profile.path, region, machine), headings, tuple(rows), numeric)


def _title(path: str, region: RegionReport, machine: int) -> str:
    name = region.profile.name or f"line {region.profile.span.line}"
    on = f" on {region.projections[machine].machine.name}" if region.projections else ""
    return f"{path}:{region.profile.span.line}: {name}{on}"


def _same(regions: Sequence[RegionReport], wanted: RegionReport) -> list[RegionReport]:
    """The region of another value that is the same place of the source."""
    place = (wanted.profile.name, wanted.profile.span)
    return [region for region in regions if (region.profile.name, region.profile.span) == place][:1]


def _row(value: int, region: RegionReport, machine: int) -> tuple[str, ...]:
    profile = region.profile
    projection = region.projections[machine] if region.projections else None
    moved = region.moved if projection is None else projection.moved
    flops = number(profile.work.flops.estimate, profile.values)
    size = number(moved.total.estimate, profile.values)
    intensity = (region.intensity if projection is None else projection.intensity).number
    return (
        str(value),
        "-" if flops is None else f"{flops:.6g}",
        "-" if size is None else format_bytes(size),
        "-" if intensity is None else f"{float(intensity):.4g}",
        *_speed(projection),
    )


def _speed(projection: Projection | None) -> tuple[str, str, str]:
    if projection is None:
        return "-", "-", "-"
    bound = projection.bound.value if projection.level is None else f"{projection.bound.value} ({projection.level})"
    if projection.attainable is not None:
        rate = format_rate(projection.attainable.value)
    else:
        rate = "-" if projection.bandwidth_rate is None else format_rate(projection.bandwidth_rate.value, "B/s")
    time = "-" if projection.time is None else format_time(projection.time.value)
    return f"{bound}, close" if projection.close_call else bound, rate, time
