"""A sheet: a title, rows under headings, and notes; as plain aligned text, Markdown, or a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ...visible import visible

_NOT_WRAPPED = 16
_LEAST_WIDTH = 14


class Sheet(Struct, frozen=True):
    """Cells as text; ``numeric`` are the positions of columns that are aligned to the right."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()


def render_plain(sheets: Iterable[Sheet]) -> str:
    """Render as aligned columns.

    >>> print(render_plain([Sheet("Sizes", ("name", "bytes"), (("a", "64"), ("bc", "8")), frozenset({1}))]), end="")
    Sizes
    <BLANKLINE>
    name  bytes
    ----  -----
    a        64
    bc        8
    """
    return "\n".join(_plain(sheet) for sheet in map(_shown, sheets))


def render_markdown_sheet(sheet: Sheet) -> str:
    """Render as a Markdown table under its title."""
    marks = ["---:" if column in sheet.numeric else "---" for column in range(len(sheet.headings))]
    table = (sheet.headings, marks, *sheet.rows) if sheet.headings else ()
    notes = [f"- {note}" for note in sheet.notes]
    return "\n".join([f"**{sheet.title}**", "", *map(_markdown_row, table), *(["", *notes] if notes else [])]) + "\n"


def render_rich(sheets: Iterable[Sheet], *, color: bool) -> str:
    """Render for a terminal."""
    from io import StringIO

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    stream = StringIO()
    console = Console(file=stream, force_terminal=color, no_color=not color, highlight=False)
    for sheet in map(_shown, sheets):
        table = Table(
            title=Text(sheet.title),
            title_justify="left",
            box=SIMPLE_HEAD,
            pad_edge=False,
            padding=(0, 1, 0, 0),
            header_style="bold",
        )
        widths = _widths(sheet)
        # where even the short columns do not fit, every cell is wrapped, for none may lose a digit
        fits = (
            sum(wide if wide <= _NOT_WRAPPED else _LEAST_WIDTH for wide in widths) + 2 * len(widths) + 2
            <= console.width
        )
        for column, heading in enumerate(sheet.headings):
            short = fits and widths[column] <= _NOT_WRAPPED
            side: Literal["left", "right"] = "right" if column in sheet.numeric else "left"
            least = _LEAST_WIDTH if fits and not short else None
            table.add_column(Text(heading), justify=side, overflow="fold", no_wrap=short, min_width=least)
        for row in sheet.rows:
            table.add_row(*map(Text, row))
        console.print(table)
        for note in sheet.notes:
            console.print(Text(f"note: {note}"))
    return stream.getvalue()


def _shown(sheet: Sheet) -> Sheet:
    """Return the sheet with every character visible, so that its columns have their true widths."""
    rows = tuple(tuple(map(visible, row)) for row in sheet.rows)
    headings, notes = tuple(map(visible, sheet.headings)), tuple(map(visible, sheet.notes))
    return replace(sheet, title=visible(sheet.title), headings=headings, rows=rows, notes=notes)


def _plain(sheet: Sheet) -> str:
    widths = _widths(sheet)
    rules = tuple("-" * width for width in widths)
    table = (sheet.headings, rules, *sheet.rows) if sheet.headings else ()
    lines = ["", *(_plain_row(row, widths, sheet.numeric) for row in table)] if table else []
    return "\n".join([sheet.title, *lines, *(f"note: {note}" for note in sheet.notes)]) + "\n"


def _widths(sheet: Sheet) -> list[int]:
    """Return the longest cell of each column, heading included."""
    table = (sheet.headings, *sheet.rows)
    return [max(len(row[column]) for row in table) for column in range(len(sheet.headings))]


def _plain_row(row: Sequence[str], widths: Sequence[int], numeric: frozenset[int]) -> str:
    cells = (
        cell.rjust(width) if column in numeric else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "\\<") for cell in cells) + " |"
