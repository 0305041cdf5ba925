"""What caches do over the size, beside a range: the intensity of each level, the level that binds, and breakpoints.

The axes of the attainable rate give their lower half to the intensities.  A breakpoint, the largest size at which a
cache keeps something, is a dotted line with its number and level between the two; the caption has its sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from roofline.sweep import Breakpoint

from .hierarchy import spelled
from .numbers import decimal_text, number_text
from .plot_labels import pixels
from .plot_layout import COLORS, DPI, SIZE
from .plot_paths import Path

HEIGHT = 6.6
_GAP = 0.085
_MOST_PATHS = 4
_MOST_MARKED = 9
_NEAREST = 42.0
_LABEL_ROW = 10.0
_DASHES: tuple[Any, ...] = ("-", "--", ":", "-.")
_LEVEL_COLORS = ("#56B4E9", "#009E73", "#E69F00", "#882255", "#555555")


def has_levels(paths: Sequence[Path]) -> bool:
    """Whether some region has the intensities of a hierarchy."""
    return any(step.levels for path in paths for step in path.steps)


def halved(axes: Any) -> Any:
    """Axes in the lower half of the given ones, which keep the upper half and lose the names of the sizes."""
    place = axes.get_position()
    half = (place.height - _GAP) / 2
    axes.set_position((place.x0, place.y0 + half + _GAP, place.width, half))
    lower = axes.figure.add_axes((place.x0, place.y0, place.width, half), sharex=axes)
    lower.set_xlabel(axes.get_xlabel())
    lower.grid(visible=True, color="#DDDDDD", linewidth=0.6)
    axes.set_xlabel("")
    axes.tick_params(axis="x", which="both", labelbottom=False)
    return lower


def draw_levels(axes: Any, paths: Sequence[Path]) -> None:
    """The intensity of each level on the first machine: colours are levels, dashes regions."""
    first = [path for path in paths if path.machine == paths[0].machine and has_levels([path])][:_MOST_PATHS]
    names = list(dict.fromkeys(name for path in first for step in path.steps for name, _ in step.levels))
    ends: list[tuple[float, float, str, str]] = []
    for number, path in enumerate(first):
        for place, name in enumerate(names):
            known = [(step.value, dict(step.levels).get(name)) for step in path.steps]
            points = [(value, intensity) for value, intensity in known if intensity]
            if points:
                color = _LEVEL_COLORS[place % len(_LEVEL_COLORS)]
                axes.plot(*zip(*points, strict=True), color=color, linestyle=_DASHES[number], lw=1.3, marker="o", ms=2)
                ends.append((*points[-1], name, color))
    numbers = [float(line.get_ydata().min()) for line in axes.lines] + [
        float(line.get_ydata().max()) for line in axes.lines
    ]
    axes.set(yscale="log", ylim=(min(numbers) / 1.5, max(numbers) * 1.5))
    axes.set_ylabel("intensity by level [FLOP/byte]")
    axes.yaxis.set_major_formatter(lambda value, _: decimal_text(value) if value >= 1e-4 else f"{value:.0e}")
    axes.yaxis.set_minor_formatter(_minor_labels(narrow=max(numbers) < 20 * min(numbers)))
    axes.tick_params(axis="y", which="minor", labelsize=SIZE)
    for x, y, text, color in _joined(axes, ends):
        axes.annotate(
            text, (x, y), (5, 0), textcoords="offset points", fontsize=SIZE, va="center_baseline", color=color
        )


def _minor_labels(*, narrow: bool) -> Callable[[float, object], str]:
    """Labels of the twos and fives where there are few decades."""

    def label(value: float, _: object) -> str:
        leading = round(value / 10 ** math.floor(math.log10(value) + 1e-9)) if value > 0 else 0
        return decimal_text(value) if narrow and leading in (2, 5) else ""

    return label


def _joined(axes: Any, ends: Sequence[tuple[float, float, str, str]]) -> Iterator[tuple[float, float, str, str]]:
    """The ends of the curves with the names of the levels; those at one height share a label."""
    groups: list[list[tuple[float, float, str, str]]] = []
    for end in sorted(ends, key=lambda end: end[1]):
        near = groups and abs(pixels(axes, *end[:2])[1] - pixels(axes, *groups[-1][0][:2])[1]) < SIZE * DPI / 72
        if near:
            groups[-1].append(end)
        else:
            groups.append([end])
    for group in groups:
        names = sorted(
            dict.fromkeys(name for _, _, name, _ in group), key=lambda name: (not name.startswith("L"), name)
        )
        yield group[0][0], group[0][1], ", ".join(names), group[0][3] if len(names) == 1 else "#222222"


def mark_bounds(axes: Any, paths: Sequence[Path]) -> None:
    """Name what binds at the first size of each stretch of sizes, below the attainable rate; of a few paths."""
    if len(paths) > _MOST_PATHS:
        return
    for path in paths:
        for bound, steps in groupby(path.steps, key=lambda step: step.bound):
            first = next(steps)
            color = COLORS[path.machine % len(COLORS)]
            axes.annotate(
                bound, (first.value, first.flop_per_s), (0, -11), textcoords="offset points", fontsize=SIZE, color=color
            )


def mark_breakpoints(upper: Any, lower: Any, breakpoints: Sequence[Breakpoint]) -> None:
    """A dotted line at each breakpoint in both axes, with number and level between them, in two rows where close."""
    rows = [-math.inf, -math.inf]
    for number, each in enumerate(breakpoints[:_MOST_MARKED], 1):
        for axes in (upper, lower):
            axes.axvline(each.value, color="#777777", linestyle=":", lw=1.0, zorder=1)
        x, _ = pixels(lower, each.value, lower.get_ylim()[0])
        row = next((row for row, end in enumerate(rows) if x - end >= _NEAREST), rows.index(min(rows)))
        rows[row] = x
        lower.annotate(
            f"[{number}] {each.level}",
            (each.value, 1.0),
            (0, 3 + _LABEL_ROW * row),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            fontsize=SIZE,
            ha="center",
            color="#444444",
        )


def notes_on(breakpoints: Sequence[Breakpoint]) -> list[str]:
    """The sentence of each breakpoint, with its number, for the caption."""
    several = len({(each.path, each.region) for each in breakpoints}) > 1
    told = [
        f"[{number}] {f'{each.region}: ' if several else ''}{spelled(each.text)}"
        for number, each in enumerate(breakpoints[:_MOST_MARKED], 1)
    ]
    more = len(breakpoints) - _MOST_MARKED
    return [*told, *([f"{number_text(more)} more breakpoints are in the table"] if more > 0 else [])]
