"""Counts from LCOV's tracefiles (``lcov --capture``, ``llvm-cov export -format=lcov``; man geninfo, FILES).

``SF:`` begins a source file; ``DA:line,count`` is a line, ``BRDA:line,block,branch,taken`` an outcome of a condition
(of llvm-cov, whose files have no ``TN:``, the true one comes first; of others they are gcc's jumps), and
``FN:line,name`` with ``FNDA:count,name`` a function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import OptionError
from .counts import Decision, FileCounts, FunctionCounts, whole_number

_NOT_REACHED = "-"


def read_lcov(text: str, path: str) -> Iterator[FileCounts]:
    """Yield the counts of each source file; raises ``OptionError``."""
    file: _File | None = None
    of_jumps = text.lstrip().startswith("TN:")
    for number, line in enumerate(text.split("\n"), 1):
        key, _, value = line.strip().partition(":")
        if key == "SF":
            file = _File(value, path)
        elif key == "end_of_record" and file is not None:
            yield file.counts(of_jumps=of_jumps)
            file = None
        elif key in _FIELDS and file is not None:
            file.add(key, value, number)
    if file is not None:
        raise OptionError("ends within a source file", path=path, hint="the file is cut off: write it again")


_FIELDS = {"DA": 2, "BRDA": 4, "FN": 2, "FNDA": 2}


class _File:
    """One source file that is being read."""

    def __init__(self, source: str, path: str) -> None:
        self._source, self._path = source, path
        self._lines: dict[int, int] = {}
        self._outcomes: dict[int, list[int]] = {}
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._calls: dict[str, int] = {}

    def add(self, key: str, value: str, number: int) -> None:
        """Read one line; raises ``OptionError``."""
        parts = value.split(",", _FIELDS[key] - 1 if key != "DA" else -1)
        try:
            self._read(key, parts)
        except (ValueError, IndexError):
            hint = "the file is damaged here: write it again"
            raise OptionError(f"{key}:{value} is not understood", path=self._path, line=number, hint=hint) from None

    def _read(self, key: str, parts: Sequence[str]) -> None:
        match key:
            case "DA":
                line = int(parts[0])
                self._lines[line] = self._lines.get(line, 0) + whole_number(parts[1])
            case "BRDA":
                taken = 0 if parts[3] == _NOT_REACHED else whole_number(parts[3])
                self._outcomes.setdefault(int(parts[0]), []).append(taken)
            case "FN":
                end, _, name = parts[1].partition(",")  # LCOV 2 writes the last line too
                name = name if end.isdigit() else parts[1]
                self._first[name], self._last[name] = int(parts[0]), int(end) if end.isdigit() else 0
            case _:
                self._calls[parts[1]] = whole_number(parts[0])

    def counts(self, *, of_jumps: bool) -> FileCounts:
        """Return what was read: the lines as those of no function, as it does not say which are whose."""
        decisions = {
            line: tuple(map(Decision, outcomes[::2], outcomes[1::2]))
            for line, outcomes in self._outcomes.items()
            if len(outcomes) % 2 == 0
        }
        functions = (
            FunctionCounts(
                name=name.rpartition(":")[2],
                symbol=name.rpartition(":")[2],
                line=first,
                end_line=self._last[name],
                calls=self._calls.get(name),
            )
            for name, first in self._first.items()
        )
        lines = FunctionCounts(lines=self._lines, decisions=decisions, of_jumps=of_jumps)
        return FileCounts(self._source, (self._path,), (*functions, lines))
