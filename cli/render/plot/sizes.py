"""What caches do over the size, for a range: the intensity of each level, the level that binds, and breakpoints.

The axes of the attainable rate give their lower half to the intensities.  A breakpoint, the largest size at which a
cache holds something, is a dotted line with its number and level between the two; the caption has its sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from matplotlib.lines import Line2D

from roofline.report.sentences import condition_text
from roofline.report.sweep import Breakpoint, Sweep

from ..plot_data.paths import Path
from ..words.levels import kept_on
from ..words.numbers import decimal_text, number_text
from .labels import pixels
from .layout import COLORS, LEVEL_COLORS, SIZE

HEIGHT = 6.6
_GAP = 0.085
_MOST_PATHS = 4
_MOST_MARKED = 9
_NEAREST = 66.0
_DASHES: tuple[Any, ...] = ("-", "--", ":", "-.")


def has_levels(paths: Sequence[Path]) -> bool:
    """Return whether some region has the intensities of a hierarchy."""
    return any(step.levels for path in paths for step in path.steps)


def halved(axes: Any) -> Any:
    """Return axes in the lower half of the given ones, which keep the upper half and lose the names of the sizes."""
    position = axes.get_position()
    half = (position.height - _GAP) / 2
    axes.set_position((position.x0, position.y0 + half + _GAP, position.width, half))
    lower = axes.figure.add_axes((position.x0, position.y0, position.width, half), sharex=axes)
    lower.set_xlabel(axes.get_xlabel())
    lower.grid(visible=True, color="#DDDDDD", linewidth=0.6)
    axes.set_xlabel("")
    axes.tick_params(axis="x", which="both", labelbottom=False)
    return lower


def draw_levels(axes: Any, paths: Sequence[Path]) -> None:
    """Draw the intensity of each level on the first machine: colours are levels, dashes regions.

    Inner levels have wider lines, for where levels pass the same bytes their curves lie on one another.
    """
    first = [path for path in paths if path.machine == paths[0].machine and has_levels([path])][:_MOST_PATHS]
    names = list(dict.fromkeys(name for path in first for step in path.steps for name, _ in step.levels))
    numbers = []
    for dash, path in zip(_DASHES, first, strict=False):
        for position, name in enumerate(names):
            known = [(step.value, dict(step.levels).get(name)) for step in path.steps]
            points = [(value, intensity) for value, intensity in known if intensity]
            numbers += [intensity for _, intensity in points]
            style: Any = {
                "color": LEVEL_COLORS[position % len(LEVEL_COLORS)],
                "lw": 1.3 + 1.2 * (len(names) - 1 - position),
            }
            axes.plot([value for value, _ in points], [number for _, number in points], linestyle=dash, **style)
    handles = [
        Line2D([], [], color=LEVEL_COLORS[position % len(LEVEL_COLORS)], lw=2, label=name)
        for position, name in enumerate(names)
    ]
    axes.set(yscale="log", ylim=(min(numbers) / 1.5, max(numbers) * 2.5))
    axes.legend(handles=handles, fontsize=SIZE, frameon=False, loc="upper right", ncols=len(names), handlelength=1.5)
    axes.set_ylabel("intensity by level [FLOP/byte]")
    axes.yaxis.set_major_formatter(lambda value, _: decimal_text(value) if value >= 1e-4 else f"{value:.0e}")
    axes.yaxis.set_minor_formatter(_minor_labels(narrow=max(numbers) < 20 * min(numbers)))
    axes.tick_params(axis="y", which="minor", labelsize=SIZE)


def _minor_labels(*, narrow: bool) -> Callable[[float, object], str]:
    """Return labels of the twos and fives where there are few decades."""

    def label(value: float, _: object) -> str:
        leading = round(value / 10 ** math.floor(math.log10(value) + 1e-9)) if value > 0 else 0
        return decimal_text(value) if narrow and leading in (2, 5) else ""

    return label


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
    """Draw a dotted line at each breakpoint in both axes, with numbers and levels between, together where close."""
    groups: list[list[tuple[int, Breakpoint]]] = []
    for number, each in enumerate(breakpoints[:_MOST_MARKED], 1):
        for axes in (upper, lower):
            axes.axvline(each.value, color="#777777", linestyle=":", lw=1.0, zorder=1)
        if groups and _apart(lower, groups[-1][0][1].value, each.value) < _NEAREST:
            groups[-1].append((number, each))
        else:
            groups.append([(number, each)])
    for group in groups:
        first, last = group[0][0], group[-1][0]
        levels = ", ".join(dict.fromkeys(each.level for _, each in group))
        lower.annotate(
            f"[{first}] {levels}" if first == last else f"[{first}-{last}] {levels}",
            (group[0][1].value, 1.0),
            (0, 3),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            fontsize=SIZE,
            ha="left" if len(group) > 1 else "center",
            color="#444444",
        )


def _apart(axes: Any, left: int, right: int) -> float:
    """Return pixels between two sizes."""
    height = axes.get_ylim()[0]
    return pixels(axes, right, height)[0] - pixels(axes, left, height)[0]


def notes_on(sweep: Sweep) -> list[str]:
    """Return the sentence of each breakpoint, with its number, for the caption."""
    breakpoints = sweep.breakpoints
    several = len({(each.path, each.region) for each in breakpoints}) > 1
    sentences = [
        f"[{number}] {f'{each.region}: ' if several else ''}{condition_text(each.condition, each.arrays)}"
        for number, each in enumerate(breakpoints[:_MOST_MARKED], 1)
    ]
    regions = [region for file in sweep.points[0].files for region in file.regions]
    where = next((f"on {name}" for name in map(kept_on, regions) if name), "")
    sentences[:1] = [f"{where}: {text}" if where else text for text in sentences[:1]]
    more = len(breakpoints) - _MOST_MARKED
    return [*sentences, *([f"{number_text(more)} more breakpoints are in the table"] if more > 0 else [])]
