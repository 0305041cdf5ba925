"""Counts of lines in a table with the columns ``line``, ``count`` and, for several source files, ``file``."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from ..errors import OptionError
from .counts import FileCounts, FunctionCounts, whole_number

_HINT = "write a first row of column names: file,line,count"


def read_lines_csv(text: str, path: str) -> Iterator[FileCounts]:
    """Yield the counts of each source file; raises ``OptionError``."""
    try:
        rows = list(csv.reader(text.splitlines()))
    except csv.Error as error:
        raise OptionError(f"is not a table: {error}", path=path, hint=_HINT) from None
    names = [name.strip().lower() for name in rows[0]] if rows else []
    if not {"file", "line", "count"} <= set(names):
        raise OptionError("is not understood as counts of a run", path=path, hint=f"{_HINT}, or use gcov's JSON")
    columns = [names.index(name) for name in ("file", "line", "count")]
    files: dict[str, dict[int, int]] = {}
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        try:
            file, line, count = (row[column].strip() for column in columns)
            lines = files.setdefault(file, {})
            lines[int(line)] = lines.get(int(line), 0) + whole_number(count)
        except (ValueError, IndexError):
            raise OptionError(f"{','.join(row)} is not a row of counts", path=path, line=number, hint=_HINT) from None
    for file, lines in files.items():
        yield FileCounts(file, (path,), (FunctionCounts(lines=lines),))
