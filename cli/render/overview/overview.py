"""The first screen as text: a table that fits the width, then the notes, folded to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from msgspec.structs import replace

from roofline.model.projection import Bound
from roofline.report.report import Report

from ...visible import visible
from ..hotspots.reasons import Note
from ..hotspots.rows import DETAILS, HEADINGS, NUMERIC, Detail, Row
from ..hotspots.screen import screen_of
from ..hotspots.view import View
from ..typesetting.grid import Column, grid, styled
from ..typesetting.wrapping import wrapped

_WIDTH = 120
_MORE = (12, 8, 4)
_STYLES = {
    Bound.MEMORY: "yellow",
    Bound.COMPUTE: "green",
    Bound.LATENCY: "magenta",
    Bound.ISSUE: "cyan",
    Bound.NOTHING: "dim",
    Bound.UNKNOWN: "red",
}


def render_overview(report: Report, view: View) -> str:
    """Render the first screen of a report."""
    width = view.width or _WIDTH
    screen = screen_of(report, view)
    lines = [styled(line, "bold", color=view.color) for line in wrapped(visible(screen.heading), width)]
    if screen.nothing:
        return "\n".join([*lines, styled(f"  {screen.nothing}", "dim", color=view.color)]) + "\n"
    if not view.is_above_sweep:
        lines += _table(screen.rows, width, color=view.color)
    for note in screen.notes:
        lines += _note(note, width, color=view.color)
    return "\n".join(line for line, before in zip(lines, ["", *lines], strict=False) if line or before) + "\n"


def _table(rows_in: Callable[[Detail], Sequence[Row]], width: int, *, color: bool) -> Iterator[str]:
    """Yield the lines of the table at the first level of detail that fits, with formulas as long as there is room."""

    @cache
    def columns(detail: Detail) -> Sequence[Column]:
        return list(_columns(rows_in(detail)))

    def fits(detail: Detail) -> bool:
        return 2 + sum(each.width + detail.gap for each in columns(detail)) <= width

    chosen = next(filter(fits, DETAILS), DETAILS[-1])
    longer = (replace(chosen, formula=chosen.formula + more) for more in _MORE)
    chosen = next(filter(fits, longer), chosen)
    yield from grid(columns(chosen), gap=chosen.gap, width=width, color=color)


def _columns(rows: Sequence[Row]) -> Iterator[Column]:
    """Yield the columns of which some row has a cell, in the order in which the fullest row has them."""
    for heading in HEADINGS:
        texts = [row.cells.get(heading, "") for row in rows]
        if any(texts):
            cells = [visible(text) if text else "" for text in texts]
            styles = [_style(heading, row) for row in rows]
            yield Column(heading, cells, styles, heading in NUMERIC)


def _style(heading: str, row: Row) -> str:
    if row.is_heading:
        return "dim"
    return _STYLES[row.kind] if heading == "bound" and row.kind is not None else ""


def _note(note: Note, width: int, *, color: bool) -> Iterator[str]:
    """Yield a note in lines, its label in the color of the bound that it explains."""
    style = "dim" if note.kind is None else _STYLES[note.kind]
    blank = len(note.label) - len(note.label.lstrip())
    label = note.label.strip()
    lines = wrapped(visible(f"{label}: {note.text}"), width - 1 - blank, first=" ", rest="   ")
    end = 2 + len(visible(label))
    indent = " " * blank
    yield f"{indent}{lines[0][:1]}{styled(lines[0][1:end], style, color=color)}{lines[0][end:]}".rstrip()
    yield from (indent + line for line in lines[1:])
