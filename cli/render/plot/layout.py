"""How a plot is laid out: limits and scales, what lies close together, and what stands around the axes: the frame with
room for it, the legend of machines, the list, the caption.

Room is measured in inches, so that the axes keep their size whatever stands around them.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from msgspec import Struct

from roofline.machine.units import format_rate

from ..plot_data.paths import Path
from ..plot_data.roofline import Point, Roofs, outwards
from ..words.numbers import decimal_text, number_text
from .labels import Anchor, pixels

COLORS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#8C6D00",
    "#3B3B98",
    "#56B4E9",
    "#882255",
    "#44AA99",
    "#E69F00",
    "#555555",
    "#000000",
)
# One machine has a colour for each level and each precision instead; dark enough for small text on white.
LEVEL_COLORS = ("#0072B2", "#007A59", "#B36200", "#882255", "#555555")
CEILING_COLORS = ("#222222", "#5A4FCF", "#7A6000", "#B0307A")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "<", ">", "p", "h", "*")
SIZE = 8.0
DPI = 120
MOST_LISTED = 60
MOST_NAMED = 30  # of the points of more regions
Row = tuple[str, str]

_LEFT = 0.75
_ROW_HEIGHT = 0.165
_LINE_HEIGHT = 0.15
_LETTER_WIDTH = 0.064
_CAPTION = 140
_LEGEND_WIDTH = 8.4
_LEGEND_HANDLE = 0.55
_LEGEND_LETTER = 0.056
_MOST_RATES = 4


class Scale(Struct, frozen=True, kw_only=True):
    """What the axes of a roofline show: their labels, the units of a list, and what levels move."""

    x_label: str
    y_label: str
    intensity: str
    rate: str
    moved: str


FLOPS = Scale(
    x_label="arithmetic intensity [FLOP/byte]",
    y_label="performance [FLOP/s]",
    intensity="FLOP/byte",
    rate="FLOP/s",
    moved="bytes",
)
INSTRUCTIONS = Scale(
    x_label="instruction intensity [instructions per transaction; of warps on a GPU]",
    y_label="performance [instructions/s]",
    intensity="per transaction",
    rate="IPS",
    moved="transactions",
)


class _Picture(Figure):
    """A figure that notebooks show by itself, without ``%matplotlib inline``."""

    def _repr_png_(self) -> bytes:
        stream = BytesIO()
        self.savefig(stream, format="png")
        return stream.getvalue()


class Frame(Struct, frozen=True):
    """A figure in inches: one plot or two of a height, with room above, below and on the right."""

    plots: tuple[float, ...]
    height: float
    top: float
    bottom: float
    list_width: float

    def figure(self) -> tuple[Figure, list[Any]]:
        """Return an empty figure with its axes, from left to right."""
        gap = _LEFT + 0.1
        width = sum(self.plots) + gap * len(self.plots) + 0.15 + self.list_width
        height = self.bottom + self.height + self.top
        figure = _Picture(figsize=(width, height), dpi=DPI)
        FigureCanvasAgg(figure)
        found, left = [], _LEFT
        for plot in self.plots:
            found.append(figure.add_axes((left / width, self.bottom / height, plot / width, self.height / height)))
            left += plot + gap
        return figure, found


def frame(
    plots: tuple[float, ...], *, above: int, rows: Sequence[Row], caption: Sequence[str], height: float = 4.8
) -> Frame:
    """Return the frame for so many rows of a legend above, a list, and a caption; plots of at least a height."""
    list_width = max((len(text) for _, text in rows), default=0) * _LETTER_WIDTH + (0.5 if rows else 0)
    top = max(0.45, 0.2 + 0.2 * above)
    bottom = max(0.75, 0.6 + _LINE_HEIGHT * len(caption))
    return Frame(plots, max(height, _ROW_HEIGHT * (len(rows) + 1)), top, bottom, list_width)


def legend_rows(roofs: Sequence[Roofs]) -> int:
    """Return rows of the legend of machines; one machine needs none."""
    return math.ceil(len(roofs) / _columns(roofs)) if len(roofs) > 1 else 0


def _columns(roofs: Sequence[Roofs]) -> int:
    widest = max(len(_legend_text(machine)) for machine in roofs) * _LEGEND_LETTER + _LEGEND_HANDLE
    return max(1, min(3, int(_LEGEND_WIDTH / widest)))


def _legend_text(machine: Roofs) -> str:
    return f"{machine.machine}, ridge {decimal_text(machine.ridge)}"


def write_legend(figure: Figure, roofs: Sequence[Roofs]) -> None:
    """Write the machines with their colours and ridges above the axes."""
    handles = [
        Line2D(
            [],
            [],
            color=COLORS[machine.number % len(COLORS)],
            marker=MARKERS[machine.number % len(MARKERS)],
            label=_legend_text(machine),
        )
        for machine in roofs
    ]
    position = (_LEFT / figure.get_size_inches()[0], 1.0)
    figure.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=position,
        fontsize=SIZE,
        ncols=_columns(roofs),
        frameon=False,
        borderaxespad=0.2,
    )


def write_list(figure: Figure, axes: Any, rows: Sequence[Row]) -> None:
    """Write the list right of the axes."""
    width, height = figure.get_size_inches()
    left = axes.get_position().x1 + 0.2 / width
    for row, (number, text) in enumerate(rows):
        position = axes.get_position().y1 - (row + 0.6) * _ROW_HEIGHT / height
        figure.text(left, position, number, fontsize=SIZE, weight="bold")
        figure.text(left + 0.28 / width, position, text, fontsize=SIZE, parse_math=False)


def write_caption(figure: Figure, lines: Sequence[str]) -> None:
    """Write the caption below everything."""
    width, height = figure.get_size_inches()
    for row, line in enumerate(reversed(lines)):
        position = (0.08 + _LINE_HEIGHT * row) / height
        figure.text(_LEFT / width, position, line, fontsize=SIZE, color="#555555", parse_math=False)


def caption_of(notes: Iterable[str], missing: Iterable[str]) -> list[str]:
    """Return the lines of a caption: the notes, then every region that is not on the plot; none is broken or left out.

    >>> caption_of(["bars: data"], ["copy:1 (no FLOPs)"])
    ['bars: data. not shown: copy:1 (no FLOPs)']
    """
    names = [name.replace(" ", "\u00a0") for name in dict.fromkeys(missing)]
    parts = [*notes, *([f"not shown: {'; '.join(names)}"] if names else [])]
    lines = textwrap.wrap(". ".join(parts), _CAPTION, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\u00a0", " ") for line in lines]


def listed_points(points: Sequence[Point], scale: Scale = FLOPS) -> list[Row]:
    """Return the numbers with their regions: name, and intensity and rate on each machine."""
    by_number: dict[int, list[Point]] = {}
    unnamed = set()
    for point in points:
        if point.number:
            by_number.setdefault(point.number, []).append(point)
        else:
            unnamed.add(point.label)
    rows = []
    for number, group in by_number.items():
        bound = f", {group[0].bound}" if len(group) == 1 and group[0].flop_per_s and group[0].bound else ""
        rows.append((str(number), f"{group[0].label}: {_figures(group, scale)}{bound}"))
    return [*rows, ("", f"and {len(unnamed)} more, faint (--format csv has all)")] if unnamed else _cut(rows)


def _figures(group: Sequence[Point], scale: Scale) -> str:
    """Return intensity and rate on each machine, or why there are none; the least and the greatest of many.

    An intensity that all machines share is said once: that of their memories differs with what stores load there.
    """
    placed = [(p.intensity, p.flop_per_s) for p in group if p.intensity is not None and p.flop_per_s is not None]
    if not placed:
        reasons = [(p.why if len(group) == 1 else p.why_short) or "-" for p in group]
        return " | ".join(dict.fromkeys(reasons))
    intensities = sorted(intensity for intensity, _ in placed)
    shared = _span([decimal_text(intensities[0]), decimal_text(intensities[-1])])
    if len(placed) > _MOST_RATES and len(placed) == len(group):
        rates = sorted(rate for _, rate in placed)
        ends = _span([format_rate(rate, scale.rate, digits=3) for rate in (rates[0], rates[-1])])
        return f"{shared} {scale.intensity}, {ends}"
    is_shared = len({decimal_text(intensity) for intensity in intensities}) == 1
    each = [_figure(point, scale, with_intensity=not is_shared) for point in group]
    return f"{shared} {scale.intensity}, {' | '.join(each)}" if is_shared else " | ".join(each)


def _figure(point: Point, scale: Scale, *, with_intensity: bool) -> str:
    if point.intensity is None or point.flop_per_s is None:
        return point.why or "-"
    intensity = f"{decimal_text(point.intensity)} {scale.intensity}, " if with_intensity else ""
    return f"{intensity}{format_rate(point.flop_per_s, scale.rate, digits=3)}"


def _span(ends: Sequence[str]) -> str:
    return " to ".join(dict.fromkeys(ends))


def listed_paths(paths: Sequence[Path]) -> list[Row]:
    """Return the numbers with their regions: name and intensities from the first to the last size."""
    rows: dict[str, str] = {}
    for path in paths:
        ends = _span([decimal_text(step.intensity) for step in (path.steps[0], path.steps[-1])])
        rows.setdefault(path.label, f"{path.label}: {ends} FLOP/byte")
    return _cut([(str(number), text) for number, text in enumerate(rows.values(), 1)])


def _cut(rows: list[Row]) -> list[Row]:
    if len(rows) <= MOST_LISTED:
        return rows
    return [*rows[:MOST_LISTED], ("", f"and {len(rows) - MOST_LISTED} more (--format csv has all)")]


def around(x: float, y: float) -> list[Anchor]:
    """Return positions for a label next to, above and below a point, then farther off."""
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


def clusters(axes: Any, points: Sequence[Point], nearest: float = 9) -> list[list[Point]]:
    """Return points that lie closer together than so many pixels, as markers do that would cover one another."""
    groups: list[tuple[tuple[float, float], list[Point]]] = []
    for point in points:
        assert point.intensity is not None
        assert point.flop_per_s is not None
        position = pixels(axes, point.intensity, point.flop_per_s)
        for at, group in groups:
            if math.dist(at, position) < nearest:
                group.append(point)
                break
        else:
            groups.append((position, [point]))
    return [group for _, group in groups]


def set_scales(axes: Any, paths: Sequence[Path], *, rates: bool) -> None:
    """Set logarithmic axes with at least one labelled line; a narrow range of sizes is linear."""
    values = [step.value for path in paths for step in path.steps]
    ys = [step.flop_per_s if rates else step.intensity for path in paths for step in path.steps]
    bottom, top = outwards(min(ys) / 1.2, -1), outwards(max(ys) * 1.2, 1)
    axes.set(yscale="log", ylim=(bottom, top))
    least, most = min(values), max(values)
    # On the right there is room for the numbers of the regions.
    if least > 0 and most >= 10 * least:
        axes.set(xscale="log", xlim=(least / 1.3, most * 2))
        axes.xaxis.set_minor_formatter(lambda value, _: "")
    else:
        apart = most - least or 1
        axes.set(xlim=(least - 0.05 * apart, most + 0.13 * apart))
    axes.xaxis.set_major_formatter(lambda value, _: number_text(value, short=True))
    axes.yaxis.set_major_formatter(lambda value, _: format_rate(value, "") if rates else decimal_text(value))
    narrow = top < 20 * bottom

    def minor(value: float, _: Any) -> str:
        leading = round(value / 10 ** math.floor(math.log10(value) + 1e-9)) if value > 0 else 0
        if not narrow or leading not in (2, 5):
            return ""
        return format_rate(value, "", digits=3) if rates else decimal_text(value)

    axes.yaxis.set_minor_formatter(minor)
    axes.tick_params(axis="y", which="minor", labelsize=SIZE)
