"""The report for a terminal: one table for each file, one row for each nest, and below it why and what would help.

The table takes the most detailed form that fits the width; numbers are never wrapped, long formulas are cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from msgspec.structs import replace

from roofline.model.projection import Bound
from roofline.report.report import FileReport, Report

from ...visible import visible
from ..typesetting.grid import Column, columns_of, cut, grid, styled
from ..typesetting.wrapping import wrapped
from ..words.listing import annotated_source
from ..words.names import heading_of
from .nest_rows import DETAILS, Detail, Row, rows_of
from .notes import notes_of

_WIDTH = 120
_FEW = 2
_MORE = (24, 12, 8, 5, 3)
_NARROWEST, _SOURCE_COLUMNS = 12, 44
_STYLES = {
    Bound.MEMORY: "yellow",
    Bound.COMPUTE: "green",
    Bound.LATENCY: "magenta",
    Bound.ISSUE: "cyan",
    Bound.NOTHING: "dim",
    Bound.UNKNOWN: "red",
}


def render_table(report: Report, *, width: int | None = None, color: bool = False, by_line: bool = False) -> str:
    """Render for a terminal of ``width`` columns, with ``by_line`` the annotated source of each file below it."""
    lines: list[str] = []
    for number, file in enumerate(report.files):
        lines += [""] if number else []
        lines += _file(report, file, width or _WIDTH, color=color, by_line=by_line)
    return "\n".join(line for line, before in zip(lines, ["", *lines], strict=False) if line or before) + "\n"


def _file(report: Report, file: FileReport, width: int, *, color: bool, by_line: bool) -> Iterator[str]:
    """Yield the lines on a file, none with blanks at its end."""
    heading = visible(heading_of(file))
    for line in [heading] if columns_of(heading) <= width else wrapped(heading, width):
        yield styled(line, "bold", color=color)
    if not file.regions:
        yield styled("  no loop found", "dim", color=color)
        return
    yield from _table(file, width, len(report.machines), color=color)
    for note in notes_of(report, file):
        style = "dim" if note.kind is None else _STYLES[note.kind]
        first, *others = wrapped(visible(f"{note.label}: {note.text}"), width - 1, first=" ", rest="   ")
        end = 2 + len(note.label)
        yield (first[:1] + styled(first[1:end], style, color=color) + first[end:]).rstrip()
        yield from others
    if by_line:
        yield ""
        widest = max(_NARROWEST, (width - _SOURCE_COLUMNS) // 4)
        yield from (cut(line, width).rstrip() for line in visible(annotated_source(file, widest=widest)).split("\n"))


def _table(file: FileReport, width: int, machines: int, *, color: bool) -> Iterator[str]:
    rows_in = cache(partial(rows_of, file))
    detail = _fitting(file, rows_in, width, machines)
    rows = rows_in(detail)
    columns = [
        Column(heading, cells, [_style(heading, row) for row in rows], right)
        for heading, cells, right in _columns(detail, rows, machines)
    ]
    yield from grid(columns, gap=detail.gap, width=width, color=color)


def _fitting(file: FileReport, rows_in: Callable[[Detail], tuple[Row, ...]], width: int, machines: int) -> Detail:
    """Return the first of the details at which every cell fits, with longer formulas where there is room.

    Where the first few regions are too wide already, the others are not looked at.
    """
    few = replace(file, regions=file.regions[:_FEW])

    def fits(detail: Detail) -> bool:
        return all(_needed(rows(detail), detail, machines) <= width for rows in (partial(rows_of, few), rows_in))

    chosen = next(filter(fits, DETAILS), DETAILS[-1])
    longer = (replace(chosen, formula=chosen.formula + more) for more in _MORE)
    return next(filter(fits, longer), chosen)


def _needed(rows: tuple[Row, ...], detail: Detail, machines: int) -> int:
    """Return characters of the widest row."""
    columns = _columns(detail, rows, machines)
    return 2 + sum(max(map(len, (heading, *cells))) + detail.gap for heading, cells, _ in columns)


def _style(heading: str, row: Row) -> str:
    if row.faint:
        return "dim"
    return _STYLES[row.kind] if heading == "bound" and row.kind is not None else ""


def _columns(detail: Detail, rows: tuple[Row, ...], machines: int) -> Iterator[tuple[str, list[str], bool]]:
    """Yield heading, cells as they show, and whether they are aligned to the right; a column of nothing is left out."""
    for heading, cells, right in _filled(detail, rows, machines):
        yield heading, [visible(cell) for cell in cells], right


def _filled(detail: Detail, rows: tuple[Row, ...], machines: int) -> Iterator[tuple[str, list[str], bool]]:
    yield "loop nest", [row.label for row in rows], False
    if detail.flops:
        yield "FLOPs", [row.flops for row in rows], True
    if detail.directions:
        yield "read", [row.read for row in rows], True
        if any(row.write_allocate not in ("", "0") for row in rows):
            yield "write-alloc", [row.write_allocate for row in rows], True
        yield "written", [row.written for row in rows], True
    if detail.bytes:
        yield "bytes", [row.bytes for row in rows], True
    yield "FLOP/byte", [row.intensity for row in rows], False
    if detail.iteration or not machines:
        yield "per iteration", [row.iteration for row in rows], False
    if machines:
        yield "bound", [row.bound for row in rows], False
        yield "attainable", [row.rate for row in rows], True
        if detail.time and any(row.time for row in rows):
            yield "time >=", [row.time for row in rows], True
