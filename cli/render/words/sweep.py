"""A range of one size as tables: one for each region and machine, one row for each value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from roofline.machine.units import format_rate
from roofline.model.intensity import number
from roofline.model.projection import Projection
from roofline.report.report import RegionReport
from roofline.report.sentences import condition_text
from roofline.report.sweep import Breakpoint, Sweep

from ..typesetting.sheet import Sheet, render_markdown_sheet, render_plain
from .levels import has_conditions, level_intensities
from .rates import bound_text, expected_time_text

_SPEED = ("bound", "attainable", "time")
_DIGITS = 4


def render_sweep_table(sweep: Sweep, *, markdown: bool = False) -> str:
    """Render every region of the first value's files, in order."""
    sheets = list(sweep_sheets(sweep))
    return "\n".join(map(render_markdown_sheet, sheets)) if markdown else render_plain(sheets)


def sweep_sheets(sweep: Sweep) -> Iterator[Sheet]:
    """Yield one sheet for each region and machine; a level that serves nothing has no intensity.

    Regions of which no figure changes are named by one sheet at the end.
    """
    first, same = sweep.points[0], dict[str, None]()
    for file_position, file in enumerate(first.files):
        for region in file.regions:
            machines = len(region.projections) or 1
            for machine in range(machines):
                found = [
                    (point.value, each)
                    for point in sweep.points
                    for each in _same(point.files[file_position].regions, region)
                ]
                sheet = _sheet(sweep, file.profile.path, region, machine, found)
                if len({row[1:] for row in sheet.rows}) == 1 < len(sheet.rows):
                    same[f"{file.profile.path}:{region.profile.span.line} {region.profile.name}".strip()] = None
                else:
                    yield sheet
    if same:
        yield Sheet(f"no figure depends on {sweep.parameter}: {', '.join(same)}", (), (), frozenset(), ())


def _sheet(
    sweep: Sweep, path: str, region: RegionReport, machine: int, found: Sequence[tuple[int, RegionReport]]
) -> Sheet:
    """Return the values with intensities, by level where caches are modelled, and where caches stop holding data."""
    levels = list(dict.fromkeys(name for _, part in found for name in _levels(part, machine)))
    projection = region.projections[machine] if region.projections else None
    location = (path, region.profile.name, region.profile.span.line)
    are_its_own = projection is None or has_conditions(region, projection)
    breaks = [each for each in sweep.breakpoints if are_its_own and (each.path, each.region, each.line) == location]
    marks = _marks(breaks, [value for value, _ in found])
    rows = [
        (*_row(value, part, machine, levels), *([mark] if breaks else []))
        for (value, part), mark in zip(found, marks, strict=True)
    ]
    intensities = [f"{name} FLOP/byte" for name in levels] or ["intensity"]
    headings = (sweep.parameter, "FLOPs", "bytes", *intensities, *_SPEED, *(["passed"] if breaks else []))
    numeric = frozenset(range(len(headings))) - {headings.index("bound"), len(headings) - bool(breaks)}
    notes = tuple(f"[{number}] {condition_text(each.condition, each.arrays)}" for number, each in enumerate(breaks, 1))
    return Sheet(_title(path, region, machine), headings, tuple(rows), numeric, notes)


def _marks(breaks: Sequence[Breakpoint], values: Sequence[int]) -> list[str]:
    """Return for each value the numbers of the breakpoints between the value before it and itself."""
    numbered = list(enumerate(breaks, 1))
    befores = [0, *values][: len(values)]
    return [
        " ".join(f"[{number}]" for number, each in numbered if before <= each.value < value)
        for before, value in zip(befores, values, strict=True)
    ]


def _levels(region: RegionReport, machine: int) -> dict[str, Fraction | None]:
    return level_intensities(region, region.projections[machine] if region.projections else None)


def _title(path: str, region: RegionReport, machine: int) -> str:
    name = region.profile.name or f"line {region.profile.span.line}"
    on = f" on {region.projections[machine].machine.name}" if region.projections else ""
    return f"{path}:{region.profile.span.line}: {name}{on}"


def _same(regions: Sequence[RegionReport], wanted: RegionReport) -> list[RegionReport]:
    """Return the region of another value at the same location of the source."""
    location = (wanted.profile.name, wanted.profile.span)
    return [region for region in regions if (region.profile.name, region.profile.span) == location][:1]


def _row(value: int, region: RegionReport, machine: int, levels: Sequence[str]) -> tuple[str, ...]:
    profile = region.profile
    projection = region.projections[machine] if region.projections else None
    moved = region.moved if projection is None else projection.moved
    flops = number(profile.work.flops.estimate, profile.values)
    size = number(moved.total.estimate, profile.values)
    intensities = [(region.intensity if projection is None else projection.intensity).number]
    if levels:
        known = _levels(region, machine)
        intensities = [known.get(name) for name in levels]
    return (
        str(value),
        "-" if flops is None else format_rate(flops, "", digits=_DIGITS).rstrip(),
        "-" if size is None else format_rate(size, "B", digits=_DIGITS),
        *("-" if intensity is None else f"{float(intensity):.4g}" for intensity in intensities),
        *_speed(projection),
    )


def _speed(projection: Projection | None) -> tuple[str, str, str]:
    if projection is None:
        return "-", "-", "-"
    bound = bound_text(projection)
    if projection.attainable is not None:
        rate = format_rate(projection.attainable.value)
    else:
        rate = "-" if projection.bandwidth_rate is None else format_rate(projection.bandwidth_rate.value, "B/s")
    return f"{bound}?" if projection.close_call else bound, rate, expected_time_text(projection, _DIGITS) or "-"
