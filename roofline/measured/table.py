"""Rows of comma-separated files, found below whatever a tool or a program printed before the header.

Every row has its line; a row that does not fit its header is an error, for that is how a file ends that was cut off.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from .errors import MeasurementError

_DELIMITERS = (",", ";", "\t")
_HEADER_WITHIN = 1 << 19  # characters: a program may print before its measurements
_LONGEST_LINE = 1 << 19
_MOST_COLUMNS = 10_000


class Row(Struct, frozen=True):
    """One row below a header: cells by their column, without blanks around them."""

    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        """Return the cell of a column, empty where there is no such column."""
        return self.cells.get(column, "")


class Table(Struct, frozen=True):
    """A header and the rows below it."""

    path: str
    line: int
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def require(self, columns: Sequence[str], hint: str) -> None:
        """Raise ``MeasurementError`` where a column is missing."""
        missing = [column for column in columns if column not in self.columns]
        if missing:
            raise MeasurementError(
                f"the header lacks the column {missing[0]!r}", path=self.path, line=self.line, hint=hint
            )


def split_line(text: str, delimiter: str = ",") -> list[str] | None:
    """Return the cells of one line, None where a quotation is left open or the line is too long for a table."""
    if len(text) > _LONGEST_LINE or text.count(delimiter) > _MOST_COLUMNS:
        return None
    try:
        return [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter, strict=True), [])]
    except csv.Error:
        return None


def _unusable(text: str, delimiter: str) -> str:
    """Return why a line has no cells."""
    if len(text) > _LONGEST_LINE:
        return f"the line has more than {_LONGEST_LINE} characters"
    if text.count(delimiter) > _MOST_COLUMNS:
        return f"the line has more than {_MOST_COLUMNS} cells"
    return "a quotation is left open, or a cell is too long"


def header_of(text: str, is_header: Callable[[list[str]], bool]) -> tuple[int, str] | None:
    """Return the number (from 1) and delimiter of the first line that is a header."""
    return next(((line, delimiter) for line, delimiter, cells in _beginning(text) if is_header(cells)), None)


@lru_cache(maxsize=1)
def _beginning(text: str) -> tuple[tuple[int, str, list[str]], ...]:
    """Return number, delimiter and cells of the first lines, split once for all formats that look for their header."""
    return tuple(
        (position, delimiter, cells)
        for position, line in enumerate(text[:_HEADER_WITHIN].split("\n"), start=1)
        for delimiter in _DELIMITERS
        if delimiter in line and (cells := split_line(line, delimiter)) is not None
    )


def read_table(text: str, path: str, is_header: Callable[[list[str]], bool], expected: str) -> Table:
    """Return the table below the first header; raises ``MeasurementError`` where there is none or a row does not fit.

    A later line that equals the header (files put together) is passed over, and so are lines of a tool (``==PROF==``)
    and, where the header is quoted, lines that are not: what the program printed.
    """
    found = header_of(text, is_header)
    if found is None:
        raise MeasurementError(
            f"has no header of {expected}", path=path, line=1, hint="is it cut off, or another format?"
        )
    position, delimiter = found
    lines = text.split("\n")
    columns = tuple(split_line(lines[position - 1], delimiter) or ())
    rows = tuple(_rows(lines, position, delimiter, columns, path))
    return Table(path, position, columns, rows)


def _rows(lines: Sequence[str], position: int, delimiter: str, columns: tuple[str, ...], path: str) -> Iterator[Row]:
    quoted = lines[position - 1].startswith('"')
    for line, text in enumerate(lines[position:], start=position + 1):
        if not text.strip() or text.startswith(("==", "#")) or (quoted and not text.startswith(('"', delimiter))):
            continue
        cells = split_line(text, delimiter)
        if cells is None:
            raise MeasurementError(
                _unusable(text, delimiter), path=path, line=line, hint="the file is cut off or damaged here"
            )
        if tuple(cells) == columns:
            continue
        while len(cells) > len(columns) and not cells[-1]:
            cells.pop()
        if len(cells) != len(columns):
            raise MeasurementError(
                f"the row has {len(cells)} cells, its header {len(columns)}",
                path=path,
                line=line,
                hint="the file is cut off or damaged here, or was written with decimal commas (LC_ALL=C avoids them)",
            )
        yield Row(line, dict(zip(columns, cells, strict=True)))
