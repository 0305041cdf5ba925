"""The interactive roofline of the HTML report, as data of plotly.js (traces and layout in its JSON form).

Colours are written as ``var(--name)``; the page puts those of its theme in.  The ``meta`` of a trace says what it is,
so that the page can show and hide machines, precisions and inner levels; its ``customdata`` has the locations to go to.
"""

from __future__ import annotations

import base64
import math
import textwrap
import zlib
from collections.abc import Iterator, Mapping, Sequence, Set
from html import escape
from typing import Any

from msgspec import Struct

from roofline.machine.units import format_rate, format_share
from roofline.report.report import Report
from roofline.report.sentences import reason_text
from roofline.report.sweep import Sweep

from ..hotspots.roles import Location
from ..plot_data.paths import Path, paths_of
from ..plot_data.roofline import Measured, Point, Roofs, limits, points_of, ranges_text, roofs_of
from ..words.numbers import decimal_text
from .anchors import Anchor
from .roofs import AREA, DASHES, NEAR, Box, Trace, color_of, layout_of, level_colors_of, precisions_of, roof_traces

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x", "star")
_HOVER = 60
_COVERED = (4.0, 4.0)
_MOST_NUMBERS = 3
_MOST_MARKS, _FEW = 24, 4  # listed at once, and how many more are not worth a fold
_SIZE_OF_FAINT = 8  # of the markers of the others


class Mark(Struct, frozen=True):
    """A point in the list below the plot: its trace and the position in it, and where it leads."""

    number: int
    label: str
    text: str
    link: str
    curve: int
    position: int


class Marks(Struct, frozen=True):
    """The points on one machine: the ``hottest`` of many, the others, and the regions without a point."""

    machine: str
    hottest: tuple[Mark, ...]
    others: tuple[Mark, ...]
    without: tuple[Mark, ...]


class Plot(Struct, frozen=True):
    """Traces and layout, the points by region, and what can be chosen."""

    traces: tuple[Trace, ...]
    layout: Mapping[str, Any]
    marks: tuple[Marks, ...]
    machines: tuple[str, ...]
    precisions: tuple[str, ...]
    has_levels: bool
    has_measured: bool


def plotly_source() -> tuple[str, str]:
    """Return the text of plotly.js, and the same compressed (zlib) in base 64."""
    from plotly.offline import get_plotlyjs

    text: str = get_plotlyjs()
    return text, base64.b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii")


def plot_of(
    report: Report,
    anchors: Sequence[Anchor],
    sweep: Sweep | None = None,
    measured: Sequence[Measured] = (),
    order: Sequence[Location] = (),
) -> Plot | None:
    """Return the plot, None where no machine has roofs; ``order`` has the locations of hotspots, the hottest first."""
    roofs = roofs_of(report, brief=False)
    if not roofs:
        return None
    points = () if sweep is not None else points_of(report.files, measured)
    paths = paths_of(sweep) if sweep is not None else ()
    box = limits(roofs, _corners(points, paths))
    traces = list(roof_traces(roofs, box))
    regions = {anchor.number: anchor for anchor in anchors}
    colors = level_colors_of(roofs)
    by_machine = [[point for point in points if point.machine == machine.number] for machine in roofs]
    hottest = [_hottest(own, regions, order) for own in by_machine]
    hot = [point for own, numbers in zip(by_machine, hottest, strict=True) for point in own if point.number in numbers]
    traces += _levels(hot, colors)
    traces += _gaps(points)
    marks = []
    for machine, own, numbers in zip(roofs, by_machine, hottest, strict=True):
        drawn = [point for point in own if point.intensity and point.flop_per_s]
        color = colors.get(machine.outer.level, color_of(machine.number))
        traces += _ranges([point for point in drawn if point.number in numbers], color)
        marks.append(_marks(machine.machine, own, regions, len(traces), numbers))
        traces.append(_points(drawn, machine, regions, box, color, numbers))
    parameter = "" if sweep is None else sweep.parameter
    traces += [_path(path, number, parameter, alone=len(roofs) == 1) for number, path in enumerate(paths)]
    return Plot(
        tuple(traces),
        layout_of(box, legend=bool(paths)),
        tuple(found for found in marks if found.hottest or found.without),
        tuple(machine.machine for machine in roofs),
        precisions_of(roofs),
        has_levels=any(point.others for point in points),
        has_measured=any(point.measured for point in points),
    )


def _corners(points: Sequence[Point], paths: Sequence[Path]) -> list[tuple[float, float]]:
    found = [(p.intensity, p.flop_per_s) for p in points if p.intensity and p.flop_per_s]
    found += [(value, p.flop_per_s) for p in points if p.intensity and p.flop_per_s for value in p.others]
    for point in points:
        if point.intensity and point.flop_per_s:
            found += [(end, point.flop_per_s) for end in point.interval or () if 0 < end < math.inf]
            found += [(point.intensity, rate) for rate in point.rates or () if rate > 0]
    found += [(p.measured.intensity, p.measured.flop_per_s) for p in points if p.measured]
    return found + [(step.intensity, step.flop_per_s) for path in paths for step in path.steps]


def _points(
    points: Sequence[Point],
    machine: Roofs,
    anchors: Mapping[int, Anchor],
    box: Box,
    color: str,
    hottest: Set[int],
) -> Trace:
    """Return the regions on one machine, by the bytes of memory; all but the ``hottest`` are faint."""
    covered = {position: group for group in _together(points, box, _COVERED) for position in group}
    return {
        "type": "scatter",
        "showlegend": False,
        "mode": "markers+text",
        "x": [point.intensity for point in points],
        "y": [point.flop_per_s for point in points],
        "text": _numbers(points, box, hottest),
        "textposition": "bottom right",
        "textfont": {"color": "var(--text)", "size": 12},
        "cliponaxis": False,
        "marker": {
            "color": [color if point.number in hottest else "var(--faint)" for point in points],
            "size": [11 if point.number in hottest else _SIZE_OF_FAINT for point in points],
            "symbol": SYMBOLS[machine.number % len(SYMBOLS)],
            "line": {"color": "var(--surface)", "width": 1},
        },
        "hovertext": [
            _told(point, anchors[point.number], machine, [points[other].label for other in covered[position]])
            for position, point in enumerate(points)
        ],
        "hoverinfo": "text",
        "customdata": [anchors[point.number].source for point in points],
        "meta": {"role": "point", "machine": machine.number, "inner": False},
    }


def _ranges(points: Sequence[Point], color: str) -> Iterator[Trace]:
    """Yield the ranges of points on a machine as bars; a point without one would have the ends of a bar, too."""
    for axis in ("x", "y"):
        found = [point for point in points if (point.interval if axis == "x" else point.rates)]
        if not found:
            continue
        ends = [(p.intensity, p.interval) if axis == "x" else (p.flop_per_s, p.rates) for p in found]
        yield {
            "type": "scatter",
            "showlegend": False,
            "mode": "markers",
            "x": [point.intensity for point in found],
            "y": [point.flop_per_s for point in found],
            "marker": {"opacity": 0},
            f"error_{axis}": _bars(ends, color),
            "hoverinfo": "skip",
            "meta": {"role": "range", "machine": found[0].machine, "inner": False},
        }


def _bars(ends: Sequence[tuple[float | None, tuple[float, float] | None]], color: str) -> Mapping[str, Any]:
    """Return error bars from the values to both ends; one that is not finite is left at the value."""
    above = [pair[1] - value if pair and value and math.isfinite(pair[1]) else 0.0 for value, pair in ends]
    below = [value - pair[0] if pair and value and pair[0] > 0 else 0.0 for value, pair in ends]
    return {
        "type": "data",
        "symmetric": False,
        "array": above,
        "arrayminus": below,
        "color": color,
        "thickness": 1.3,
        "width": 5,
    }


def _together(points: Sequence[Point], box: Box, nearest: tuple[float, float]) -> list[list[int]]:
    """Return the positions of points closer together than so many pixels across and up a plot of usual size."""
    left, right, bottom, top = map(math.log10, box)
    across, up = AREA[0] / (right - left) / nearest[0], AREA[1] / (top - bottom) / nearest[1]
    groups: list[tuple[tuple[float, float], list[int]]] = []
    for position, point in enumerate(points):
        assert point.intensity is not None
        assert point.flop_per_s is not None
        at = (math.log10(point.intensity) * across, math.log10(point.flop_per_s) * up)
        near = next((members for (x, y), members in groups if max(abs(at[0] - x), abs(at[1] - y)) < 1), None)
        if near is None:
            groups.append((at, [position]))
        else:
            near.append(position)
    return [members for _, members in groups]


def _numbers(points: Sequence[Point], box: Box, hottest: Set[int]) -> list[str]:
    """Return the number next to each of the hottest; of markers that would cover one another the first has all."""
    texts = [""] * len(points)
    shown = [position for position, point in enumerate(points) if point.number in hottest]
    for group in _together([points[position] for position in shown], box, NEAR):
        members = [shown[position] for position in group]
        numbers = sorted(points[position].number for position in members)
        more = ", …" if len(numbers) > _MOST_NUMBERS else ""
        texts[members[0]] = ranges_text(numbers[:_MOST_NUMBERS]) + more
    return texts


def _told(point: Point, anchor: Anchor, machine: Roofs, together: Sequence[str]) -> str:
    """Return the text of a point: region, location, intensity, rate, bound and reason; and what else is there."""
    assert point.intensity is not None
    assert point.flop_per_s is not None
    reason = reason_text(anchor.region.projections[machine.number].reason)
    lines = [
        f"<b>{escape(point.label)}</b>",
        escape(anchor.position),
        f"AI {decimal_text(point.intensity)} FLOP/byte",
        f"at most {format_rate(point.flop_per_s)}",
        f"bound: {escape(point.bound)}",
        *map(escape, textwrap.wrap(reason, _HOVER)),
        f"<i>{escape(machine.machine)}</i>",
    ]
    others = [label for label in together if label != point.label]
    lines += [f"here too: {line}" for line in map(escape, others[:_MOST_NUMBERS])]
    lines += [f"and {len(others) - _MOST_NUMBERS} more"] if len(others) > _MOST_NUMBERS else []
    return "<br>".join(lines)


def _levels(points: Sequence[Point], colors: Mapping[str, str]) -> Iterator[Trace]:
    """Yield for each machine the intensities of its regions by the bytes of each level, those of a region joined.

    They are hollow, for the filled one is of memory.  One trace has all, for hundreds of traces are slow.
    """
    for machine in dict.fromkeys(point.machine for point in points):
        spots: list[tuple[float | None, float | None, str, str]] = []
        for point in points:
            if point.machine == machine and point.others and point.intensity and point.flop_per_s:
                spots += [(None, None, color_of(machine), "")] if spots else []
                spots += _rungs(point, point.intensity, point.flop_per_s, colors)
        if spots:
            xs, ys, rings, texts = map(list, zip(*spots, strict=True))
            yield {
                "type": "scatter",
                "showlegend": False,
                "mode": "lines+markers",
                "x": xs,
                "y": ys,
                "line": {"color": "var(--faint)", "width": 1, "dash": "dot"},
                "marker": {"color": "var(--surface)", "size": 8, "line": {"color": rings, "width": 1.8}},
                "hovertext": texts,
                "hoverinfo": "text",
                "meta": {"role": "levels", "machine": machine, "inner": True},
            }


def _rungs(
    point: Point, own: float, rate: float, colors: Mapping[str, str]
) -> Iterator[tuple[float | None, float | None, str, str]]:
    """Yield intensity, rate, colour and text of each level of a point and of itself, from left to right."""
    names: dict[float, list[str]] = {}
    for name, intensity in point.levels:
        names.setdefault(intensity, []).append(name)
    for x in sorted({*names, own}):
        text = f"<b>{escape(point.label)}</b><br>{', '.join(names.get(x, ()))}: AI {decimal_text(x)} FLOP/byte"
        yield x, rate, colors.get(names[x][0] if x in names else "", color_of(point.machine)), text


def _gaps(points: Sequence[Point]) -> Iterator[Trace]:
    """Yield the measured partner of a point, joined to it."""
    for point in points:
        found = point.measured
        if found is None or not point.intensity or not point.flop_per_s:
            continue
        reached = format_share(found.flop_per_s / point.flop_per_s)
        text = (
            f"<b>{escape(point.label)}, measured</b><br>AI {decimal_text(found.intensity)} FLOP/byte"
            f"<br>{format_rate(found.flop_per_s)}, {reached} of what is attainable"
        )
        yield {
            "type": "scatter",
            "showlegend": False,
            "mode": "lines+markers",
            "x": [point.intensity, found.intensity],
            "y": [point.flop_per_s, found.flop_per_s],
            "line": {"color": "var(--text)", "width": 1.2},
            "marker": {"color": "var(--text)", "size": [0, 10], "symbol": "x-thin-open", "line": {"width": 2}},
            "hovertext": ["", text],
            "hoverinfo": "text",
            "meta": {"role": "measured", "machine": point.machine, "inner": False},
        }


def _path(path: Path, number: int, name: str, *, alone: bool) -> Trace:
    """Return a region over a range of the size of this name; ``alone`` on the only machine."""
    color = color_of(path.machine)
    texts = [
        f"<b>{escape(path.label)}</b><br>{escape(name)} = {step.value:,}<br>AI {decimal_text(step.intensity)} FLOP/byte"
        f"<br>at most {format_rate(step.flop_per_s)}<br>bound: {escape(step.bound)}"
        f"<br><i>{escape(path.machine_name)}</i>"
        for step in path.steps
    ]
    ends = {0: path.steps[0], len(path.steps) - 1: path.steps[-1]}
    return {
        "type": "scatter",
        "mode": "lines+markers+text",
        "x": [step.intensity for step in path.steps],
        "y": [step.flop_per_s for step in path.steps],
        "text": [f"{escape(name)}={ends[index].value:,}" if index in ends else "" for index in range(len(path.steps))],
        "textposition": "bottom right",
        "textfont": {"color": "var(--text)", "size": 11},
        "line": {"color": color, "width": 1.6, "dash": DASHES[number % len(DASHES)]},
        "marker": {"color": color, "size": 6, "symbol": SYMBOLS[number % len(SYMBOLS)]},
        "hovertext": texts,
        "hoverinfo": "text",
        "name": escape(path.label if alone else f"{path.label}, {path.machine_name}"),
        "showlegend": True,
        "meta": {"role": "path", "machine": path.machine, "inner": False},
    }


def _hottest(points: Sequence[Point], anchors: Mapping[int, Anchor], order: Sequence[Location]) -> frozenset[int]:
    """Return the numbers of the points that cost most, or of all that are drawn where these are few."""
    drawn = [point.number for point in points if point.intensity and point.flop_per_s]
    ranks = {location: rank for rank, location in enumerate(order)}
    by_heat = sorted(drawn, key=lambda number: ranks.get(anchors[number].location, len(ranks)))
    return frozenset(by_heat if len(by_heat) <= _MOST_MARKS + _FEW else by_heat[:_MOST_MARKS])


def _marks(
    machine: str, points: Sequence[Point], anchors: Mapping[int, Anchor], curve: int, hottest: Set[int]
) -> Marks:
    """Return the list of the points on a machine, each part by number, as the plot has them."""
    drawn = [point for point in points if point.intensity and point.flop_per_s]
    marks = {point.number: _mark(point, anchors[point.number], curve, location) for location, point in enumerate(drawn)}
    return Marks(
        machine,
        hottest=tuple(mark for number, mark in marks.items() if number in hottest),
        others=tuple(mark for number, mark in marks.items() if number not in hottest),
        without=tuple(_mark(point, anchors[point.number], curve, -1) for point in points if point.number not in marks),
    )


def _mark(point: Point, anchor: Anchor, curve: int, position: int) -> Mark:
    if point.intensity is None or point.flop_per_s is None:
        text = point.why or "not drawn"
    else:
        text = f"{decimal_text(point.intensity)} FLOP/byte, {format_rate(point.flop_per_s, digits=3)}, {point.bound}"
    return Mark(point.number, point.label, text, anchor.source, curve, position)
