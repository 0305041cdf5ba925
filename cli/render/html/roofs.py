"""The roofs and the frame of the interactive roofline, as data of plotly.js.

Colours are written as ``var(--name)``; the page puts those of its theme in.  The ``meta`` of a trace says what it is,
so that the page can show and hide machines, precisions and inner levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from ..plot_data.roofline import Flat, Roofs
from ..words.numbers import decimal_text

Trace = dict[str, Any]
Box = tuple[float, float, float, float]
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
AREA = (1100.0, 450.0)
NEAR = (48.0, 14.0)
_COLORS, _LEVELS = 8, 5
_LABEL_START, _LABEL_STEP = 0.01, 0.17


def color_of(machine: int) -> str:
    """Return the colour of the machine at this position of the report."""
    return f"var(--machine-{machine % _COLORS + 1})"


def level_colors_of(roofs: Sequence[Roofs]) -> dict[str, str]:
    """Return a colour for each level of the only machine, innermost first; none where there are several."""
    if len(roofs) != 1:
        return {}
    return {slope.level: f"var(--level-{min(number, _LEVELS)})" for number, slope in enumerate(roofs[0].slopes, 1)}


def precisions_of(roofs: Sequence[Roofs]) -> tuple[str, ...]:
    """Return the precisions that have compute roofs."""
    return tuple(dict.fromkeys(name for machine in roofs for flat in machine.flats for name in flat.precisions))


def roof_traces(roofs: Sequence[Roofs], box: Box) -> Iterator[Trace]:
    """Yield the roofs of every machine within the limits (left, right, bottom, top)."""
    lanes = _lanes(roofs, box)
    for machine in roofs:
        yield from _slopes(machine, box, level_colors_of(roofs))
        yield from _flats(machine, box, lanes, alone=len(roofs) == 1)


def _lanes(roofs: Sequence[Roofs], box: Box) -> Mapping[tuple[int, Flat], int]:
    """Return how many labels of other compute roofs of about the same height stand right of that of each."""
    up = AREA[1] / math.log10(box[3] / box[2])
    flats = [(machine.number, flat) for machine in roofs for flat in machine.flats]
    heights = [math.log10(flat.flop_per_s) * up for _, flat in flats]
    return {
        each: sum(abs(other - height) < NEAR[1] for other in heights[:position])
        for position, (each, height) in enumerate(zip(flats, heights, strict=True))
    }


def _slopes(machine: Roofs, box: Box, colors: Mapping[str, str]) -> Iterator[Trace]:
    """Yield memory roofs up to the highest peak, which the page labels along themselves."""
    left, _, bottom, _ = box
    for slope in machine.slopes:
        start, ridge = max(left, bottom / slope.bytes_per_s), machine.peak / slope.bytes_per_s
        outer = slope is machine.outer
        xs = _between(start, ridge)
        hover = f"{machine.machine}: {slope.label}, ridge {decimal_text(ridge)} FLOP/byte"
        line = {"color": colors.get(slope.level, color_of(machine.number)), "width": 2.5 if outer else 1.3}
        meta = {"machine": machine.number, "inner": not colors and not outer, "slope": escape(slope.label)}
        yield _roof(xs, [x * slope.bytes_per_s for x in xs], ("", 0), hover, line, meta)


def _flats(machine: Roofs, box: Box, lanes: Mapping[tuple[int, Flat], int], *, alone: bool) -> Iterator[Trace]:
    """Compute roofs with their labels near the right end; dashes are precisions."""
    left, right, _, _ = box
    precisions = precisions_of([machine])
    color = "var(--text)" if alone else color_of(machine.number)
    for flat in machine.flats:
        dash = DASHES[precisions.index(flat.precisions[-1]) % len(DASHES)]
        best = any(flat is _best(machine, name) for name in flat.precisions)
        xs = _between(max(left, flat.flop_per_s / machine.slopes[0].bytes_per_s), right)
        end = right / (right / left) ** (_LABEL_START + _LABEL_STEP * lanes[machine.number, flat])
        line = {"color": color, "width": 2.5 if flat is machine.flats[0] else 1.3, "dash": dash}
        meta = {"machine": machine.number, "precisions": flat.precisions, "inner": not alone and not best}
        label = (flat.label, _nearest(xs, end))
        yield _roof(xs, [flat.flop_per_s] * len(xs), label, f"{machine.machine}: {flat.label}", line, meta)


def _best(machine: Roofs, precision: str) -> Flat:
    return next(flat for flat in machine.flats if precision in flat.precisions)


def _nearest(values: Sequence[float], wanted: float) -> int:
    return min(range(len(values)), key=lambda index: abs(math.log(values[index] / wanted)))


def _between(left: float, right: float, steps: int = 40) -> list[float]:
    """Return intensities evenly apart on a logarithmic axis, close enough to be hit by a pointer."""
    ratio = right / left if right > left else 1.0
    return [left * ratio ** (step / steps) for step in range(steps + 1)]


def _roof(
    xs: list[float],
    ys: list[float],
    label: tuple[str, int],
    hover: str,
    line: Mapping[str, Any],
    meta: Mapping[str, Any],
) -> Trace:
    text, position = label
    return {
        "type": "scatter",
        "showlegend": False,
        "mode": "lines+text",
        "x": xs,
        "y": ys,
        "text": ["" if index != position else escape(text) for index in range(len(xs))],
        "textposition": "top left",
        "textfont": {"color": line["color"], "size": 11},
        "line": dict(line),
        "hovertext": escape(hover),
        "hoverinfo": "text",
        "meta": {"role": "roof", **meta},
    }


def layout_of(box: Box, *, legend: bool) -> Mapping[str, Any]:
    """Return the axes and the frame."""
    left, right, bottom, top = box

    def axis(title: str, least: float, most: float, form: str) -> Mapping[str, Any]:
        return {
            "type": "log",
            "range": [math.log10(least), math.log10(most)],
            "title": {"text": title},
            "dtick": 1,
            "tickangle": 0,
            "tickformat": form,
            "gridcolor": "var(--grid)",
            "linecolor": "var(--faint)",
            "zeroline": False,
            "showline": True,
            "mirror": True,
            "ticks": "outside",
        }

    return {
        "xaxis": axis("arithmetic intensity [FLOP/byte]", left, right, "~g"),
        "yaxis": axis("performance [FLOP/s]", bottom, top, "~s"),
        "font": {"color": "var(--text)", "family": "system-ui, sans-serif", "size": 12},
        "paper_bgcolor": "var(--surface)",
        "plot_bgcolor": "var(--surface)",
        "hoverlabel": {
            "align": "left",
            "bgcolor": "var(--raised)",
            "bordercolor": "var(--faint)",
            "font": {"color": "var(--text)"},
        },
        "hovermode": "closest",
        "showlegend": legend,
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        "margin": {"l": 64, "r": 16, "t": 16, "b": 48},
    }
