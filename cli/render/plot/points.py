"""The points of a roofline plot: the region by the bytes of memory and of each level, bars, and measured partners.

The filled marker is the region by the bytes of memory, hollow ones in the colours of the levels are by their bytes,
joined by dots: they share the rate that is attainable.  Bars reach from end to end of an intensity that depends on data
and of the rate that it allows.  What was measured is a cross, joined to its prediction by a line: the gap.  A pale bar
goes from the intensity at the level that limits to the one that no order of the operations is above.  A short dashed
line through a point is a roof of its own, that of latency, integer operations or issue.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..plot_data.roofline import Point
from .layout import COLORS, MARKERS

Spot = tuple[float, float]
_UNNAMED = "#555555"
_FAINT = 0.25
_ROOF = 1.7  # how far a piece of a roof goes to each side
_MEASURED = "#000000"
_SAME = 0.01  # relative: intensities that are one in a picture


def spots_of(points: Sequence[Point], *, levels: bool) -> Iterator[Spot]:
    """Yield everything that has to lie within the axes."""
    for point, (x, y) in _placed(points):
        yield x, y
        if levels:
            yield from ((other, y) for other in point.others)
        if point.measured is not None:
            yield point.measured.intensity, point.measured.flop_per_s
    for begin, end in (*bars_of(points), *reaches_of(points, levels=levels)):
        yield from (begin, end)


def bars_of(points: Sequence[Point]) -> Iterator[tuple[Spot, Spot]]:
    """Yield the bars with finite ends above zero, else with the point itself at that end."""
    for point, (x, y) in _placed(points):
        if point.interval is not None:
            left, right = (end if 0 < end < math.inf else x for end in point.interval)
            yield (left, y), (right, y)
        if point.rates is not None:
            bottom, top = (rate if rate > 0 else y for rate in point.rates)
            yield (x, bottom), (x, top)


def gaps_of(points: Sequence[Point]) -> Iterator[tuple[Spot, Spot]]:
    """Yield the lines from each prediction to its measurement."""
    for point, spot in _placed(points):
        if point.measured is not None:
            yield spot, (point.measured.intensity, point.measured.flop_per_s)


def reaches_of(points: Sequence[Point], *, levels: bool) -> Iterator[tuple[Spot, Spot]]:
    """Yield the bars from each point to what it could be at best in another order.

    Without ``levels`` there are those of memory alone: others would start at markers that are not drawn.
    """
    for point, (x, y) in _placed(points):
        best = point.best
        if best is not None and best.most > best.now and (levels or math.isclose(best.now, x, rel_tol=_SAME)):
            yield (best.now, y), (best.most, y)


def own_roofs_of(points: Sequence[Point]) -> Iterator[tuple[Spot, Spot]]:
    """Yield a piece of the roof of each point that no memory limits: of latency, integer operations or issue."""
    for point, (x, y) in _placed(points):
        if point.number and point.bound and not point.bound.startswith("memory"):
            yield (x / _ROOF, y), (x * _ROOF, y)


def draw_points(axes: Any, points: Sequence[Point], level_colors: Mapping[str, str], *, levels: bool) -> None:
    """Draw all points, and with ``levels`` those of the levels; without colours for these in that of the machine."""
    for point, (x, y) in sorted(_placed(points), key=lambda placed: placed[0].number > 0):
        if not point.number:
            axes.plot([x], [y], "o", color=_UNNAMED, mec="none", ms=4.5, alpha=_FAINT, zorder=4)
            continue
        color = level_colors.get(_own_level(point), COLORS[point.machine % len(COLORS)])
        if levels and point.others:
            _draw_levels(axes, point, (x, y), level_colors)
        for (left, bottom), (right, top) in bars_of([point]):
            cap = "|-" if bottom == top else "_-"
            axes.plot([left, right], [bottom, top], cap, color=color, lw=1.2, ms=7, alpha=0.7, zorder=5)
        for (left, bottom), (right, top) in own_roofs_of([point]):
            axes.plot([left, right], [bottom, top], "--", color=color, lw=1.6, zorder=3)
        for (left, bottom), (right, top) in reaches_of([point], levels=levels):
            own = level_colors.get(point.best.level, color) if point.best is not None else color
            axes.plot([left, right], [bottom, top], "-", color=own, lw=6, alpha=0.25, solid_capstyle="butt", zorder=2)
        for (_, _), (across, up) in gaps_of([point]):
            axes.plot([x, across], [y, up], "-", color=_MEASURED, lw=1.0, zorder=5)
            axes.plot([across], [up], "X", color=_MEASURED, mec="white", mew=0.7, ms=7.5, zorder=8)
        marker = MARKERS[point.machine % len(MARKERS)]
        axes.plot([x], [y], marker, color=color, mec="white", mew=0.6, ms=7.5, zorder=6)


def _draw_levels(axes: Any, point: Point, spot: Spot, colors: Mapping[str, str]) -> None:
    x, y = spot
    others = [(name, intensity) for name, intensity in point.levels if intensity != x]
    ends = [x, *(intensity for _, intensity in others)]
    axes.plot([min(ends), max(ends)], [y, y], color="#777777", lw=0.9, ls=":", zorder=3)
    # Levels that pass the same bytes lie on one another: the innermost is the widest ring.
    for number, (name, intensity) in enumerate(others):
        size = 5.0 + 3.0 * sum(1 for _, later in others[number + 1 :] if math.isclose(later, intensity, rel_tol=0.02))
        axes.plot([intensity], [y], "o", mfc="white", mec=colors.get(name, _UNNAMED), mew=1.4, ms=size, zorder=4)


def _own_level(point: Point) -> str:
    """Return the outermost level at which the point has its intensity: the memory of the machine."""
    return next((name for name, intensity in reversed(point.levels) if intensity == point.intensity), "")


def _placed(points: Sequence[Point]) -> Iterator[tuple[Point, Spot]]:
    for point in points:
        if point.intensity is not None and point.flop_per_s is not None:
            yield point, (point.intensity, point.flop_per_s)
