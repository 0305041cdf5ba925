"""The roofline as a picture: log-log, roofs labelled along their lines, regions as points (matplotlib, no display).

Up to eight regions are named beside their points; more are numbered, with a list on the right. Points that would lie on
one another share a marker. A range of one size is drawn as a path, with the attainable rate over the size beside it.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from io import BytesIO
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from roofline.report import Report
from roofline.sweep import Sweep
from roofline.units import format_rate

from .numbers import decimal_text, number_text
from .plot_data import Point, Roofs, points_of, roofs_of
from .plot_labels import Anchor, Placer, draw, pixels
from .plot_paths import Path, paths_of

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C6D00", "#3B3B98")
MARKERS = ("o", "s", "D", "^", "v", "P")
_MOST_NAMED = 8
_MOST_LISTED = 60
_LONGEST_LABEL = 48
_SIZE = 8.0
_DASHES: tuple[Any, ...] = ("-", "--", ":", "-.", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3)))
_DPI = 120
_ROW_HEIGHT = 0.165
_LETTER_WIDTH = 0.062
_CAPTION = 150
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "svg.fonttype": "none",
    "svg.hashsalt": "ai-estimate",
    "axes.linewidth": 0.8,
    "axes.edgecolor": "#444444",
}


def render_plot(report: Report, suffix: str) -> bytes:
    """Render as ``svg``, ``png`` or ``pdf``."""
    with matplotlib.rc_context(_STYLE):
        return _bytes(drawn(report), suffix)


def drawn(report: Report) -> Figure:
    """Draw the figure that :func:`render_plot` renders."""
    points = points_of(report.files)
    numbers = len({point.number for point in points})
    with matplotlib.rc_context(_STYLE):
        listed = _listed(points) if numbers > _MOST_NAMED else []
        room = max((len(text) for _, text in listed), default=0) * _LETTER_WIDTH
        figure, axes = _figure(width=9.6 + room if listed else 9.0, plot_width=8.0, rows=numbers)
        placer = _roofline(axes, report, points, ())
        _points(axes, placer, points, named=not listed)
        if listed:
            _list(figure, axes, listed)
        _notes(figure, report, points, listed=bool(listed))
    return figure


def render_sweep(report: Report, sweep: Sweep, suffix: str) -> bytes:
    """Render a range of one size: paths on the roofline, and what becomes of them over the size."""
    paths = paths_of(sweep)
    with matplotlib.rc_context(_STYLE):
        if report.machines and roofs_of(report):
            figure, axes = _figure(width=14.5, plot_width=7.6, rows=0)
            placer = _roofline(axes, report, (), paths)
            _paths(axes, placer, paths, sweep.parameter)
            beside = figure.add_axes((9.2 / 14.5, 0.75 / 6, 5.0 / 14.5, (4.6 - _ROW_HEIGHT * _regions(paths)) / 6))
        else:
            figure, beside = _figure(width=8.5, plot_width=7.5, rows=0)
        _over_size(beside, paths, sweep.parameter, rates=bool(report.machines))
        return _bytes(figure, suffix)


def _figure(*, width: float, plot_width: float, rows: int) -> tuple[Figure, Any]:
    height = max(6.0, 1.4 + _ROW_HEIGHT * min(rows, _MOST_LISTED)) if rows > _MOST_NAMED else 6.0
    figure = Figure(figsize=(width, height), dpi=_DPI)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.75 / width, 0.75 / height, plot_width / width, (height - 1.2) / height))
    return figure, axes


def _roofline(axes: Any, report: Report, points: Sequence[Point], paths: Sequence[Path]) -> Placer:
    """Axes, limits, roofs and their labels."""
    roofs = roofs_of(report)
    places = [(p.intensity, p.flop_per_s) for p in points if p.intensity and p.flop_per_s]
    places += [(other, p.flop_per_s) for p in points if p.intensity and p.flop_per_s for other in p.others]
    bars = [(p.interval, p.flop_per_s) for p in points if p.interval and p.intensity and p.flop_per_s]
    places += [(end, height) for ends, height in bars for end in ends if 0 < end < math.inf]
    places += [(step.intensity, step.flop_per_s) for path in paths for step in path.steps]
    left, right, bottom, top = _limits(roofs, places)
    axes.set(xscale="log", yscale="log", xlim=(left, right), ylim=(bottom, top))
    axes.set_xlabel("arithmetic intensity [FLOP/byte]")
    axes.set_ylabel("performance [FLOP/s]")
    axes.yaxis.set_major_formatter(lambda value, _: format_rate(value, ""))
    axes.xaxis.set_major_formatter(lambda value, _: decimal_text(value) if value >= 1e-4 else f"{value:.0e}")
    axes.grid(visible=True, which="major", color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    frame = axes.get_window_extent()
    placer = Placer((frame.x0, frame.y0, frame.x1, frame.y1), _DPI / 72)
    for x, y in places:
        placer.block(*pixels(axes, x, y), 6)
    for machine in roofs:
        _block(axes, placer, machine, left, right)
    for (lower, upper), height in bars:
        placer.block_line(pixels(axes, max(lower, left), height), pixels(axes, min(upper, right), height))
    for number, machine in enumerate(roofs):
        _roofs(axes, placer, machine, COLORS[number % len(COLORS)], (left, right, bottom))
    if len(roofs) > 1:
        handles = [
            Line2D([], [], color=COLORS[n % len(COLORS)], marker=MARKERS[n % len(MARKERS)], label=machine.machine)
            for n, machine in enumerate(roofs)
        ]
        axes.figure.legend(handles=handles, loc="upper left", fontsize=_SIZE, ncols=3, frameon=False)
    elif roofs:
        axes.set_title(roofs[0].machine, fontsize=11, loc="left")
    return placer


def _limits(roofs: Sequence[Roofs], places: Sequence[tuple[float, float]]) -> tuple[float, float, float, float]:
    """Limits that hold every point and every ridge, rounded outwards to half decades."""
    ridges = [flat.flop_per_s / slope.bytes_per_s for m in roofs for flat in m.flats[:1] for slope in m.slopes]
    xs = [x for x, _ in places] + ridges or [0.1, 10.0]
    left, right = _outwards(min(xs) / 2.5, -1), _outwards(max(xs) * 4, 1)
    ys = [y for _, y in places] + [m.outermost * left * 1.5 for m in roofs] or [1e9]
    tops = [m.peak for m in roofs] + [y for _, y in places] or [1e12]
    return left, right, _outwards(min(ys) / 2, -1), _outwards(max(tops) * 1.6, 1)


def _outwards(value: float, direction: int) -> float:
    exponent = math.log10(value) * 2
    return float(10 ** ((math.floor(exponent) if direction < 0 else math.ceil(exponent)) / 2))


def _block(axes: Any, placer: Placer, machine: Roofs, left: float, right: float) -> None:
    """Keep the labels of points and of other roofs off the roofs."""
    for slope in machine.slopes:
        ridge = machine.peak / slope.bytes_per_s
        placer.block_line(pixels(axes, left, left * slope.bytes_per_s), pixels(axes, ridge, machine.peak))
    for flat in machine.flats:
        start = max(left, flat.flop_per_s / machine.slopes[0].bytes_per_s)
        placer.block_line(pixels(axes, start, flat.flop_per_s), pixels(axes, right, flat.flop_per_s))


def _roofs(axes: Any, placer: Placer, machine: Roofs, color: str, limits: tuple[float, float, float]) -> None:
    left, right, bottom = limits
    widest = machine.slopes[0].bytes_per_s
    for slope in machine.slopes:
        start, ridge = max(left, bottom / slope.bytes_per_s), machine.peak / slope.bytes_per_s
        outer = slope is machine.slopes[-1]
        axes.plot(
            [start, ridge], [start * slope.bytes_per_s, machine.peak], color=color, lw=1.8 if outer else 1.0, zorder=2
        )
        _along(axes, placer, slope.label, color, (start, start * slope.bytes_per_s), (ridge, machine.peak))
    for flat in machine.flats:
        start = max(left, flat.flop_per_s / widest)
        top = flat is machine.flats[0]
        style = "-" if top else "--"
        axes.plot([start, right], [flat.flop_per_s] * 2, color=color, lw=1.8 if top else 1.0, linestyle=style, zorder=2)
        end, height = pixels(axes, right, flat.flop_per_s)
        begin, _ = pixels(axes, start, flat.flop_per_s)
        lift = 10.0
        anchors = [Anchor(end - 6 - shift * (end - begin), height + lift, "right") for shift in (0, 0.2, 0.4, 0.6)]
        anchors += [Anchor(anchor.x, height - lift, "right") for anchor in anchors]
        draw(axes, placer, flat.label, anchors, size=_SIZE - 0.5, color=color, zorder=5)


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
    draw(axes, placer, text, anchors, size=_SIZE - 0.5, angle=angle, color=color, zorder=5)


def _points(axes: Any, placer: Placer, points: Sequence[Point], *, named: bool) -> None:
    placed = [p for p in points if p.intensity is not None and p.flop_per_s is not None]
    several = len({p.machine for p in placed}) > 1
    for point in placed:
        color = COLORS[point.machine % len(COLORS)]
        assert point.intensity is not None
        if named and not several:
            for other in point.others:
                axes.plot([other, point.intensity], [point.flop_per_s] * 2, color="#999999", lw=0.7, ls=":", zorder=3)
                axes.plot([other], [point.flop_per_s], "o", mfc="white", mec=color, ms=4.5, zorder=4)
        if point.interval is not None:
            left, right = axes.get_xlim()
            ends = [min(max(end, left), right) for end in point.interval]
            axes.plot(ends, [point.flop_per_s] * 2, "|-", color=color, lw=1.2, ms=7, alpha=0.7, zorder=5)
        marker = MARKERS[point.machine % len(MARKERS)]
        axes.plot([point.intensity], [point.flop_per_s], marker, color=color, mec="white", mew=0.6, ms=7, zorder=6)
    for group in _clusters(axes, placed):
        first = group[0]
        assert first.intensity is not None
        assert first.flop_per_s is not None
        numbers = sorted({point.number for point in group})
        names = [p.label for p in group if p.machine == first.machine]
        text = ", ".join(dict.fromkeys(names)) if named else _ranges(numbers)
        text = text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 3]}..."
        color = COLORS[first.machine % len(COLORS)]
        told = color if several else "#222222"
        x, y = pixels(axes, first.intensity, first.flop_per_s)
        chosen = draw(axes, placer, text, _around(x, y), size=_SIZE, color=told, zorder=7)
        if math.hypot(chosen.x - x, chosen.y - y) > 24:
            to = axes.transData.inverted().transform((chosen.x, chosen.y))
            axes.plot([first.intensity, to[0]], [first.flop_per_s, to[1]], color=color, lw=0.5, zorder=3)


def _around(x: float, y: float) -> list[Anchor]:
    """Places for a label beside, above and below a point, then farther off."""
    near = [
        Anchor(x + 13, y - 8),
        Anchor(x - 10, y + 11, "right"),
        Anchor(x + 7, y - 17),
        Anchor(x - 7, y - 17, "right"),
    ]
    near += [Anchor(x - 12, y, "right"), Anchor(x + 12, y), Anchor(x + 7, y + 14), Anchor(x - 7, y + 20, "right")]
    far = [
        Anchor(x + side * shift, y + rise, "left" if side > 0 else "right")
        for rise in (-30, 26, -46, 42, -64, 60, -84, 80)
        for side in (1, -1)
        for shift in (12, 40)
    ]
    return near + far


def _clusters(axes: Any, points: Sequence[Point]) -> list[list[Point]]:
    """Points whose markers would cover one another."""
    groups: list[tuple[tuple[float, float], list[Point]]] = []
    for point in points:
        assert point.intensity is not None
        assert point.flop_per_s is not None
        place = pixels(axes, point.intensity, point.flop_per_s)
        for at, group in groups:
            if math.dist(at, place) < 9:
                group.append(point)
                break
        else:
            groups.append((place, [point]))
    return [group for _, group in groups]


def _ranges(numbers: Sequence[int]) -> str:
    """Render numbers with runs contracted.

    >>> _ranges([1, 2, 3, 5, 7, 8])
    '1-3, 5, 7, 8'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _listed(points: Sequence[Point]) -> list[tuple[str, str]]:
    """The numbers with their regions: name, intensity, and rate on each machine."""
    by_number: dict[int, list[Point]] = {}
    for point in points:
        by_number.setdefault(point.number, []).append(point)
    rows = []
    for number, group in list(by_number.items())[:_MOST_LISTED]:
        rates = [
            p.why or "-" if p.intensity is None or p.flop_per_s is None else format_rate(p.flop_per_s, digits=3)
            for p in group
        ]
        intensity = "" if group[0].intensity is None else f"{decimal_text(group[0].intensity)} F/B, "
        rows.append((str(number), f"{group[0].label}: {intensity}{' | '.join(rates)}"))
    if len(by_number) > len(rows):
        rows.append(("", f"and {len(by_number) - len(rows)} more (--format csv has all)"))
    return rows


def _list(figure: Figure, axes: Any, rows: Sequence[tuple[str, str]]) -> None:
    """The list, right of the plot."""
    width, height = figure.get_size_inches()
    left = axes.get_position().x1 + 0.2 / width
    for row, (number, text) in enumerate(rows):
        place = axes.get_position().y1 - (row + 0.6) * _ROW_HEIGHT / height
        figure.text(left, place, number, fontsize=7.5, weight="bold")
        figure.text(left + 0.25 / width, place, text, fontsize=7.5, parse_math=False)


def _notes(figure: Figure, report: Report, points: Sequence[Point], *, listed: bool) -> None:
    """What is not on the plot, and why."""
    width, height = figure.get_size_inches()
    if not report.machines:
        text = "no machine: name one with --machine to see its roofs"
    elif listed:
        return
    else:
        one = len(report.machines) == 1
        reasons = [(p.label, p.why if one else p.why.partition(":")[0]) for p in points if p.intensity is None]
        missing = dict.fromkeys(f"{label} ({why})" for label, why in reasons)
        hollow = one and any(p.others for p in points)
        notes = ["filled: intensity by the bytes of memory; hollow: by those of inner levels"] if hollow else []
        notes += ["bars: intensities that depend on data"] if any(p.interval for p in points if p.intensity) else []
        notes += [f"not shown: {'; '.join(missing)}"] if missing else []
        text = ". ".join(notes)
    lines = textwrap.wrap(text, _CAPTION, max_lines=2, placeholder=" ...")
    figure.text(0.75 / width, 0.05 / height, "\n".join(lines), fontsize=7, color="#555555", parse_math=False)


def _paths(axes: Any, placer: Placer, paths: Sequence[Path], parameter: str) -> None:
    for path in paths:
        color = COLORS[path.machine % len(COLORS)]
        xs, ys = [s.intensity for s in path.steps], [s.flop_per_s for s in path.steps]
        axes.plot(xs, ys, "-", color=color, lw=1.2, marker=MARKERS[path.machine % len(MARKERS)], ms=4, mec="white")
        ends = path.steps if len(path.steps) == 1 else (path.steps[0], path.steps[-1])
        for step in dict.fromkeys(ends):
            x, y = pixels(axes, step.intensity, step.flop_per_s)
            same = len(path.steps) > 1 and math.dist(pixels(axes, xs[0], ys[0]), pixels(axes, xs[-1], ys[-1])) < 12
            if same and step is not ends[0]:
                continue
            text = path.label if same else f"{path.label}, {parameter} = {step.value}"
            draw(axes, placer, text, _around(x, y), size=_SIZE - 0.5, color="#222222", zorder=7)


def _regions(paths: Sequence[Path]) -> int:
    return len({path.label for path in paths})


def _over_size(axes: Any, paths: Sequence[Path], parameter: str, *, rates: bool) -> None:
    """The attainable rate over the size; without a machine the intensity. Colours are machines, dashes regions."""
    regions = list(dict.fromkeys(path.label for path in paths))
    for path in paths:
        xs = [step.value for step in path.steps]
        ys = [step.flop_per_s if rates else step.intensity for step in path.steps]
        color, dash = COLORS[path.machine % len(COLORS)], _DASHES[regions.index(path.label) % len(_DASHES)]
        axes.plot(xs, ys, color=color, linestyle=dash, marker="o", ms=2.5, lw=1.2)
    axes.set_xlabel(parameter)
    axes.set_ylabel("attainable [FLOP/s]" if rates else "arithmetic intensity [FLOP/byte]")
    axes.grid(visible=True, color="#DDDDDD", linewidth=0.6)
    if not paths:
        return
    axes.set(xscale="log", yscale="log")
    axes.xaxis.set_major_formatter(lambda value, _: number_text(value, short=True))
    axes.yaxis.set_major_formatter(lambda value, _: format_rate(value, "") if rates else decimal_text(value))
    axes.yaxis.set_minor_formatter(lambda value, _: "")
    axes.xaxis.set_minor_formatter(lambda value, _: "")
    handles = [
        Line2D([], [], color="#444444", linestyle=_DASHES[index % len(_DASHES)], label=label)
        for index, label in enumerate(regions)
    ]
    axes.legend(handles=handles, fontsize=7.5, frameon=False, loc="lower left", bbox_to_anchor=(0, 1.0), handlelength=4)


def _bytes(figure: Figure, suffix: str) -> bytes:
    stream = BytesIO()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(suffix, {})
    figure.savefig(stream, format=suffix, metadata=metadata, facecolor="white")
    return stream.getvalue()
