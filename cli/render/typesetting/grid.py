"""Styled text in columns, as lines of a terminal: widths, alignment, cuts, and the codes of colors."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from msgspec import Struct

_CODES = {
    "bold": 1,
    "dim": 2,
    "red": 31,
    "green": 32,
    "yellow": 33,
    "magenta": 35,
    "cyan": 36,
}  # ECMA-48, 8.3.117 (SGR)
_CUT = "…"
_TAB = 8


class Column(Struct, frozen=True):
    """A heading over cells, which are aligned to the right or to the left, each with its style."""

    heading: str
    cells: Sequence[str]
    styles: Sequence[str]
    right: bool

    @property
    def width(self) -> int:
        """Return the columns of a terminal that the widest of its texts takes."""
        return max(map(columns_of, (self.heading, *self.cells)))


def styled(text: str, style: str, *, color: bool) -> str:
    r"""Return a text in a style: ``bold``, ``dim``, or the name of a color; an empty style is none.

    >>> styled("DRAM", "yellow", color=True)
    '\x1b[33mDRAM\x1b[0m'
    """
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if color and style and text else text


def cut(text: str, width: int) -> str:
    """Return a line of at most ``width`` columns of a terminal.

    >>> cut("2*m*n - 2*m", 8), cut("2*m*n", 8)
    ('2*m*n -…', '2*m*n')
    """
    text = text.expandtabs(_TAB)
    if columns_of(text) <= width:
        return text
    kept = len(text)
    while kept and columns_of(text[:kept]) >= width:
        kept -= 1
    return text[:kept] + _CUT[:width]


def columns_of(text: str) -> int:
    """Return the columns of a terminal that a text takes: two for each wide letter, none for one that combines."""
    return len(text) if text.isascii() else sum(map(_columns_of_letter, text))


def grid(columns: Sequence[Column], *, gap: int, width: int, color: bool) -> Iterator[str]:
    """Yield the lines of a table: headings, a rule, and rows; cells are cut where the columns are wider together.

    >>> print(*grid([Column("n", ["1", "10"], ["", ""], True)], gap=1, width=80, color=False), sep="|")
    |  n| ──|  1| 10|
    """
    widths = _widths(columns, gap, width)
    yield ""
    yield _line(columns, [column.heading for column in columns], ["bold"] * len(columns), widths, gap, color)
    yield " " + "─" * (sum(widths) + gap * (len(widths) - 1))
    for row in range(len(columns[0].cells)):
        cells, styles = [column.cells[row] for column in columns], [column.styles[row] for column in columns]
        yield _line(columns, cells, styles, widths, gap, color)
    yield ""


def _widths(columns: Sequence[Column], gap: int, width: int) -> list[int]:
    """Return the columns of the terminal for each column of the table, less evenly where they do not fit."""
    wanted = [column.width for column in columns]
    excess = 2 + sum(wanted) + gap * (len(wanted) - 1) - width
    widths = []
    for position, wide in enumerate(wanted):
        less = min(wide, round(excess / (len(wanted) - position))) if excess > 0 else 0
        excess -= less
        widths.append(wide - less)
    return widths


def _line(
    columns: Sequence[Column], cells: Sequence[str], styles: Sequence[str], widths: Sequence[int], gap: int, color: bool
) -> str:
    parts = []
    for column, cell, style, width in zip(columns, cells, styles, widths, strict=True):
        text = cut(cell, width)
        blank = " " * (width - columns_of(text))
        shown = styled(text, style, color=color)
        parts.append(blank + shown if column.right else shown + blank)
    return (" " + (" " * gap).join(parts)).rstrip()


def _columns_of_letter(letter: str) -> int:
    return 0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
