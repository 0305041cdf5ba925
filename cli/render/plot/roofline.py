"""The roofline as a picture: log-log, roofs labelled along their lines, regions as points (matplotlib, no display).

Up to eight regions are named next to their points; more are numbered, with a list on the right. Points that would lie
on one another share a label. A range of one size is drawn as a path, with the attainable rate over the size right of
it. Regions that have no place on the axes are named in the list or below it. One machine has a colour for each level,
which its roof shares with the points by its bytes, and one for each precision; several machines have a colour each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from analyzer.errors import OptionError
from roofline.machine.units import format_rate
from roofline.report.report import Report
from roofline.report.sweep import Sweep

from ...visible import visible
from ..plot_data.instructions import instruction_points_of, instruction_roofs_of
from ..plot_data.paths import Path, paths_of, without_path
from ..plot_data.roofline import Measured, Point, Roofs, hottest, limits, points_of, ranges_text, roofs_of
from ..words.numbers import decimal_text
from .labels import Anchor, Placer, draw, pixels
from .layout import (
    CEILING_COLORS,
    COLORS,
    DPI,
    FLOPS,
    INSTRUCTIONS,
    LEVEL_COLORS,
    MARKERS,
    MOST_LISTED,
    MOST_NAMED,
    SIZE,
    Scale,
    around,
    caption_of,
    clusters,
    frame,
    legend_rows,
    listed_paths,
    listed_points,
    set_scales,
    write_caption,
    write_legend,
    write_list,
)
from .points import Spot, bars_of, draw_points, gaps_of, own_roofs_of, reaches_of, spots_of
from .sizes import HEIGHT, draw_levels, halved, has_levels, mark_bounds, mark_breakpoints, notes_on

_MOST_NAMED = 8
_MOST_NUMBERS = 6
_LONGEST_NUMBERS = 30
_MOST_NAMES_DRAWN = 24
_LONGEST_LABEL = 48
_LIFTS = (10.0, -10.0, -8.5, 8.5)
_DASHES: tuple[Any, ...] = ("-", "--", ":", "-.", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3)))
_NO_MACHINE = "no machine: name one with --machine to see its roofs"
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "svg.fonttype": "none",
    "svg.hashsalt": "ai-estimate",
    "axes.linewidth": 0.8,
    "axes.edgecolor": "#444444",
}


def render_plot(report: Report, suffix: str, measured: Sequence[Measured] = ()) -> bytes:
    """Render as ``svg``, ``png`` or ``pdf``; ``measured`` are the partners of points."""
    with matplotlib.rc_context(_STYLE):
        return _bytes(drawn(report, measured), suffix)


def render_points(report: Report, points: Sequence[Point], suffix: str) -> bytes:
    """Render points that are not those of the report, as those measured, below its roofs."""
    with matplotlib.rc_context(_STYLE):
        return _bytes(_drawn_points(report, points), suffix)


def render_instructions(report: Report, suffix: str) -> bytes:
    """Render the instruction roofline; raises ``OptionError`` where no machine says how many instructions it starts."""
    roofs = instruction_roofs_of(report)
    if not roofs:
        hint = "add --machine v100, for one"
        raise OptionError("no machine that is named states how many instructions it starts", hint=hint)
    with matplotlib.rc_context(_STYLE):
        points = instruction_points_of(report.files)
        return _bytes(_drawn_points(report, points, roofs, INSTRUCTIONS), suffix)


def figure_of(report: Report) -> Figure:
    """Return the roofline plot as a figure, for notebooks and programs."""
    return drawn(report)


def render_sweep(report: Report, sweep: Sweep, suffix: str) -> bytes:
    """Render a range of one size: paths on the roofline, and what becomes of them over the size."""
    with matplotlib.rc_context(_STYLE):
        return _bytes(drawn_sweep(report, sweep), suffix)


def drawn(report: Report, measured: Sequence[Measured] = ()) -> Figure:
    """Draw the figure that :func:`render_plot` renders."""
    return _drawn_points(report, points_of(report.files, measured))


def _drawn_points(
    report: Report, points: Sequence[Point], roofs: Sequence[Roofs] | None = None, scale: Scale = FLOPS
) -> Figure:
    """Draw points with their names, or with their numbers where the names do not fit: of many only the hottest."""
    points = hottest(points, MOST_NAMED) if len({point.number for point in points}) > MOST_LISTED else points
    placed = [p for p in points if p.intensity is not None and p.flop_per_s is not None]
    few = len({point.number for point in points}) <= _MOST_NAMED and len(placed) <= _MOST_NAMES_DRAWN
    with matplotlib.rc_context(_STYLE):
        shown = roofs_of(report) if roofs is None else roofs
        figure, fits = _drawn(report, points, shown, scale, named=few)
        return figure if fits else _drawn(report, points, shown, scale, named=False)[0]


def _drawn(
    report: Report, points: Sequence[Point], roofs: Sequence[Roofs], scale: Scale, *, named: bool
) -> tuple[Figure, bool]:
    """Return the figure, and whether every name fits."""
    rows = [] if named else listed_points(points, scale)
    caption = caption_of(*_notes(report, points, scale, named=named))
    figure, (axes,) = frame((8.0,), above=legend_rows(roofs), rows=rows, caption=caption).figure()
    colors = _level_colors(roofs)
    levels = named and bool(colors)
    reaches = reaches_of(points, levels=levels)
    lines = [*bars_of(points), *own_roofs_of(points), *reaches, *gaps_of(points)]
    placer = _roofline(axes, roofs, list(spots_of(points, levels=levels)), lines, scale)
    draw_points(axes, points, colors, levels=levels)
    placed = [p for p in points if p.intensity is not None and p.flop_per_s is not None]
    fits = _labels(axes, placer, [point for point in placed if point.number], named=named)
    write_list(figure, axes, rows)
    write_caption(figure, caption)
    return figure, fits


def drawn_sweep(report: Report, sweep: Sweep) -> Figure:
    """Draw the figure that :func:`render_sweep` renders."""
    paths = paths_of(sweep)
    few = len({path.label for path in paths}) <= _MOST_NAMED
    with matplotlib.rc_context(_STYLE):
        figure, fits = _drawn_sweep(report, sweep, paths, named=few)
        return figure if fits else _drawn_sweep(report, sweep, paths, named=False)[0]


def _drawn_sweep(report: Report, sweep: Sweep, paths: Sequence[Path], *, named: bool) -> tuple[Figure, bool]:
    """Return the figure, and whether every name fits."""
    roofs = roofs_of(report)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(path.label for path in paths), 1)}
    rows = [] if named else listed_paths(paths)
    notes = [*([] if report.machines else [_NO_MACHINE]), *notes_on(sweep)]
    caption = caption_of(notes, without_path(sweep))
    plots = (7.6, 5.0) if roofs else (7.5,)
    above = max(legend_rows(roofs), len(numbers) if named else 0)
    split = has_levels(paths)
    laid_out = frame(plots, above=above, rows=rows, caption=caption, **({"height": HEIGHT} if split else {}))
    figure, (*left, right) = laid_out.figure()
    fits = True
    for axes in left:
        spots = [(step.intensity, step.flop_per_s) for path in paths for step in path.steps]
        placer = _roofline(axes, roofs, spots, ())
        fits = _paths(axes, placer, paths, sweep.parameter, numbers, named=named)
    _over_size(right, paths, sweep.parameter, numbers, rates=bool(report.machines), named=named)
    if split:
        lower = halved(right)
        draw_levels(lower, paths)
        mark_bounds(right, paths if report.machines else ())
        mark_breakpoints(right, lower, sweep.breakpoints)
    write_list(figure, right, rows)
    write_caption(figure, caption)
    return figure, fits


def _notes(report: Report, points: Sequence[Point], scale: Scale, *, named: bool) -> tuple[list[str], list[str]]:
    """Return what the marks mean, and what is not on the plot and why; a list has the latter itself."""
    if not report.machines:
        return [_NO_MACHINE], []
    one = len(report.machines) == 1
    reasons = [(p.label, p.why if one else p.why_short) for p in points if p.intensity is None]
    hollow = one and named and any(p.others for p in points if p.intensity)
    notes = [f"filled: by the {scale.moved} of memory; hollow: by those of the level of that colour"] if hollow else []
    notes += ["bars: ranges that data or the contents of caches leave open"] * any(
        p.interval for p in points if p.intensity
    )
    reaches = reaches_of(points, levels=one and named)
    notes += ["pale bars: to the intensity that no order of the operations exceeds"] * any(reaches)
    own = dict.fromkeys(p.bound for p in points if any(own_roofs_of([p])))
    notes += [f"short dashes: the roof of a point, by {', '.join(own)}"] if own else []
    notes += ["crosses: measured"] if any(p.measured for p in points if p.intensity) else []
    return notes, [f"{label} ({why})" for label, why in reasons] if named else []


def _level_colors(roofs: Sequence[Roofs]) -> dict[str, str]:
    """Return a colour for each level of the only machine, innermost first; none where there are several."""
    if len(roofs) != 1:
        return {}
    names = [slope.level for slope in roofs[0].slopes]
    return {name: LEVEL_COLORS[min(position, len(LEVEL_COLORS) - 1)] for position, name in enumerate(names)}


def _roofline(
    axes: Any,
    roofs: Sequence[Roofs],
    spots: Sequence[Spot],
    lines: Sequence[tuple[Spot, Spot]],
    scale: Scale = FLOPS,
) -> Placer:
    """Return axes, limits, roofs and their labels, which keep off the spots and lines."""
    left, right, bottom, top = limits(roofs, spots)
    axes.set(xscale="log", yscale="log", xlim=(left, right), ylim=(bottom, top))
    axes.set_xlabel(scale.x_label)
    axes.set_ylabel(scale.y_label)
    axes.yaxis.set_major_formatter(lambda value, _: format_rate(value, ""))
    axes.xaxis.set_major_formatter(lambda value, _: decimal_text(value) if value >= 1e-4 else f"{value:.0e}")
    axes.grid(visible=True, which="major", color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    frame = axes.get_window_extent()
    placer = Placer((frame.x0, frame.y0, frame.x1, frame.y1), DPI / 72)
    for x, y in spots:
        placer.block(*pixels(axes, x, y), 6)
    for machine in roofs:
        _block(axes, placer, machine, left, right)
    for begin, end in lines:
        placer.block_line(pixels(axes, *begin), pixels(axes, *end))
    colors = _level_colors(roofs)
    for machine in roofs:
        _roofs(axes, placer, machine, colors, (left, right, bottom))
    if len(roofs) > 1:
        write_legend(axes.figure, roofs)
    elif roofs:
        axes.set_title(roofs[0].machine, fontsize=11, loc="left")
        _ridge(axes, placer, roofs[0])
    return placer


def _block(axes: Any, placer: Placer, machine: Roofs, left: float, right: float) -> None:
    """Keep the labels of points and of other roofs off the roofs."""
    for slope in machine.slopes:
        ridge = machine.peak / slope.bytes_per_s
        placer.block_line(pixels(axes, left, left * slope.bytes_per_s), pixels(axes, ridge, machine.peak))
    for flat in machine.flats:
        start = max(left, flat.flop_per_s / machine.slopes[0].bytes_per_s)
        placer.block_line(pixels(axes, start, flat.flop_per_s), pixels(axes, right, flat.flop_per_s))


def _roofs(
    axes: Any, placer: Placer, machine: Roofs, level_colors: Mapping[str, str], limits: tuple[float, float, float]
) -> None:
    left, right, bottom = limits
    own = COLORS[machine.number % len(COLORS)]
    widest = machine.slopes[0].bytes_per_s
    for slope in machine.slopes:
        color = level_colors.get(slope.level, own)
        start, ridge = max(left, bottom / slope.bytes_per_s), machine.peak / slope.bytes_per_s
        outer = slope is machine.outer
        axes.plot(
            [start, ridge], [start * slope.bytes_per_s, machine.peak], color=color, lw=1.8 if outer else 1.0, zorder=2
        )
        _along(axes, placer, slope.label, color, (start, start * slope.bytes_per_s), (ridge, machine.peak))
    precisions = list(dict.fromkeys(name for flat in machine.flats for name in flat.precisions))
    for flat in machine.flats:
        start = max(left, flat.flop_per_s / widest)
        top = flat is machine.flats[0]
        color = CEILING_COLORS[precisions.index(flat.precisions[-1]) % len(CEILING_COLORS)] if level_colors else own
        style = "-" if top else "--"
        axes.plot([start, right], [flat.flop_per_s] * 2, color=color, lw=1.8 if top else 1.0, linestyle=style, zorder=2)
        end, height = pixels(axes, right, flat.flop_per_s)
        begin, _ = pixels(axes, start, flat.flop_per_s)
        shifts = (0, 0.1, 0.2, 0.3, 0.4, 0.6)
        anchors = [
            Anchor(end - 6 - shift * (end - begin), height + lift, "right") for lift in _LIFTS for shift in shifts
        ]
        draw(axes, placer, flat.label, anchors, size=SIZE, color=color, zorder=5)


def _ridge(axes: Any, placer: Placer, machine: Roofs) -> None:
    """Name the ridge of the outermost level next to its corner."""
    x, y = pixels(axes, machine.ridge, machine.peak)
    placer.block(x, y, 4)
    color = _level_colors([machine])[machine.outer.level]
    axes.plot([machine.ridge], [machine.peak], "d", color=color, ms=5, zorder=4)
    positions = [Anchor(x, y + 13, "center"), Anchor(x - 4, y + 13, "right"), Anchor(x + 10, y - 12), Anchor(x, y + 28)]
    draw(axes, placer, f"ridge {decimal_text(machine.ridge)}", positions, size=SIZE, color=color, zorder=5)


def _along(
    axes: Any, placer: Placer, text: str, color: str, begin: tuple[float, float], end: tuple[float, float]
) -> None:
    """Label a sloping line above itself, near its lower end if that is free."""
    (x0, y0), (x1, y1) = pixels(axes, *begin), pixels(axes, *end)
    angle = math.degrees(math.atan2(y1 - y0, x1 - x0))
    off = 10.0
    dx, dy = -off * math.sin(math.radians(angle)), off * math.cos(math.radians(angle))
    shares = (0.04, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6)
    anchors = [Anchor(x0 + (x1 - x0) * share + dx, y0 + (y1 - y0) * share + dy) for share in shares]
    anchors += [Anchor(anchor.x - 2 * dx, anchor.y - 2 * dy) for anchor in anchors]
    draw(axes, placer, text, anchors, size=SIZE, angle=angle, color=color, zorder=5)


def _labels(axes: Any, placer: Placer, placed: Sequence[Point], *, named: bool) -> bool:
    """Write one label for all points that lie on one another; whether all names fit."""
    several = len({p.machine for p in placed}) > 1
    fits = True
    for group in clusters(axes, placed):
        first = group[0]
        assert first.intensity is not None
        assert first.flop_per_s is not None
        names = dict.fromkeys(p.label for p in group if p.machine == first.machine)
        text = ", ".join(names) if named else _numbers_text(sorted({p.number for p in group}))
        fits = fits and (len(text) <= _LONGEST_LABEL or len(names) == 1 or not named)
        color = COLORS[first.machine % len(COLORS)]
        text_color = color if several else "#222222"
        x, y = pixels(axes, first.intensity, first.flop_per_s)
        chosen = draw(axes, placer, text, around(x, y), size=SIZE, color=text_color, zorder=7)
        if math.hypot(chosen.x - x, chosen.y - y) > 24:
            to = axes.transData.inverted().transform((chosen.x, chosen.y))
            axes.plot([first.intensity, to[0]], [first.flop_per_s, to[1]], color=color, lw=0.5, zorder=3)
    return fits


def _numbers_text(numbers: Sequence[int]) -> str:
    """Return the numbers of points that lie on one another, the first few of many."""
    text = ranges_text(numbers)
    if len(text) <= _LONGEST_NUMBERS:
        return text
    return f"{ranges_text(numbers[:_MOST_NUMBERS])} and {len(numbers) - _MOST_NUMBERS} more"


def _paths(
    axes: Any, placer: Placer, paths: Sequence[Path], parameter: str, numbers: dict[str, int], *, named: bool
) -> bool:
    """Draw the paths with a label at both ends; whether all names fit."""
    marks: list[Point] = []
    for path in paths:
        color = COLORS[path.machine % len(COLORS)]
        xs, ys = [s.intensity for s in path.steps], [s.flop_per_s for s in path.steps]
        spots = [pixels(axes, x, y) for x, y in zip(xs, ys, strict=True)]
        still = max(math.dist(spot, spots[0]) for spot in spots) < 12
        size = 7.5 if still else 4.5
        axes.plot(xs, ys, "-", color=color, lw=1.2, marker=MARKERS[path.machine % len(MARKERS)], ms=size, mec="white")
        for step in path.steps[-1:] if still or not named else (path.steps[0], path.steps[-1]):
            text = path.label if still else f"{path.label}, {parameter} = {step.value}"
            number = numbers[path.label]
            marks.append(Point(number, text, path.machine, step.intensity, step.flop_per_s, (), ""))
    return _labels(axes, placer, marks, named=named)


def _over_size(
    axes: Any, paths: Sequence[Path], parameter: str, numbers: dict[str, int], *, rates: bool, named: bool
) -> None:
    """Draw the attainable rate over the size; without a machine the intensity. Colours are machines, dashes regions."""
    axes.set_xlabel(parameter)
    axes.set_ylabel("attainable [FLOP/s]" if rates else "arithmetic intensity [FLOP/byte]")
    axes.grid(visible=True, color="#DDDDDD", linewidth=0.6)
    ends: list[Point] = []
    for path in paths:
        xs = [step.value for step in path.steps]
        ys = [step.flop_per_s if rates else step.intensity for step in path.steps]
        color, dash = COLORS[path.machine % len(COLORS)], _DASHES[(numbers[path.label] - 1) % len(_DASHES)]
        axes.plot(xs, ys, color=color, linestyle=dash, marker="o", ms=2.5, lw=1.2)
        ends.append(Point(numbers[path.label], path.label, path.machine, xs[-1], ys[-1], (), ""))
    if not paths:
        return
    set_scales(axes, paths, rates=rates)
    if not named:
        for group in clusters(axes, ends, SIZE * DPI / 72):
            text = ranges_text(sorted({end.number for end in group}))
            position = (group[0].intensity, group[0].flop_per_s)
            axes.annotate(text, position, (6, 0), textcoords="offset points", fontsize=SIZE, va="center_baseline")
        return
    handles = [
        Line2D([], [], color="#444444", linestyle=_DASHES[(number - 1) % len(_DASHES)], label=label)
        for label, number in numbers.items()
    ]
    axes.legend(
        handles=handles, fontsize=SIZE, frameon=False, loc="lower left", bbox_to_anchor=(0, 1.0), handlelength=4
    )


def _bytes(figure: Figure, suffix: str) -> bytes:
    for text in figure.findobj(Text):
        if text.get_text():  # those of ticks, which have none yet, are ours
            text.set(text=visible(text.get_text()).replace("\t", " "), parse_math=False)
    stream = BytesIO()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(suffix, {})
    figure.savefig(stream, format=suffix, metadata=metadata, facecolor="white")
    return stream.getvalue()
