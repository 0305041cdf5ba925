"""Line numbers of the keys of a TOML document, which ``tomllib`` does not give.

Input: text that ``tomllib`` has already accepted, so this scanner only has to *find* things and need not reject any.
Output: a mapping from a path (table names, keys, positions in arrays) to a line number, counted from 1. Inline tables
and arrays are entered, so that the line of ``levels[1].bandwidth_gbs[0].kind`` is known even in a multi-line array.

>>> key_lines('a = 1\\n[[levels]]\\nsizes = [\\n  { kib = 32 },\\n]\\n')[("levels", 0, "sizes", 0, "kib")]
4
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from ..python.regex import regex

KeyPath: TypeAlias = tuple[str | int, ...]

_BLANK = regex(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_KEY = regex(r"""[ \t]*(?:"((?:[^"\\]++|\\.)*+)"|'([^']*)'|([A-Za-z0-9_-]+))[ \t]*""")
# A possessive group with a look-ahead matches too little in Python 3.11.2; this one is linear all the same.
_STRING = regex(
    r'"""(?:[^"\\]++|\\.|"(?!""))*"{3,5}'
    r"|'''(?:[^']++|'(?!''))*'{3,5}"
    r'|"(?:[^"\\]++|\\.)*+"'
    r"|'[^']*+'",
    re.DOTALL,
)
_SCALAR = regex(r"[^,\]}\n#]+")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line of every table header, key and array element of a valid TOML document."""
    scanner = _Scanner(text)
    scanner.document()
    return scanner.lines


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a path, or of its nearest enclosing table that the text spells out (line 1 for the root)."""
    for end in range(len(path), 0, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return lines.get((), 1)


class _Scanner:
    """A cursor over the text that records where it met each path."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.lines: dict[KeyPath, int] = {}
        self.counts: dict[KeyPath, int] = {}

    def document(self) -> None:
        """Walk the whole text."""
        table: KeyPath = ()
        self.blank()
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.blank()

    def header(self) -> KeyPath:
        """Read ``[a.b]`` or ``[[a.b]]`` and return the path of the table it opens."""
        array = self.text.startswith("[[", self.at)
        self.move(2 if array else 1)
        names = self.key()
        self.move(2 if array else 1)
        path = self.resolve(names[:-1])
        path = (*path, names[-1])
        if array:
            position = self.counts.get(path, 0)
            self.counts[path] = position + 1
            self.note(path)
            path = (*path, position)
        elif path in self.counts:
            path = (*path, self.counts[path] - 1)
        self.note(path)
        return path

    def resolve(self, names: tuple[str, ...]) -> KeyPath:
        """Insert the current position after every name that is an array of tables; note tables opened implicitly."""
        path: KeyPath = ()
        for name in names:
            path = (*path, name)
            self.note(path)
            if path in self.counts:
                path = (*path, self.counts[path] - 1)
        return path

    def pair(self, table: KeyPath) -> None:
        """Read ``key = value``."""
        path: KeyPath = table
        for name in self.key():
            path = (*path, name)
            self.note(path)
        self.move(1)
        self.value(path)

    def key(self) -> tuple[str, ...]:
        """Read a key, dotted or not."""
        names: list[str] = []
        while match := _KEY.match(self.text, self.at):
            names.append(next(group for group in match.groups() if group is not None))
            self.move(match.end() - self.at)
            if self.at >= len(self.text) or self.text[self.at] != ".":
                break
            self.move(1)
        return tuple(names)

    def value(self, path: KeyPath) -> None:
        """Read a value and enter arrays and inline tables."""
        self.blank()
        opener = self.text[self.at : self.at + 1]
        if opener in ("[", "{"):
            self.move(1)
            self.members(path, "]" if opener == "[" else "}")
        elif match := (_STRING if opener in ("'", '"') else _SCALAR).match(self.text, self.at):
            self.move(match.end() - self.at)

    def members(self, path: KeyPath, closer: str) -> None:
        """Read the elements of an array or the pairs of an inline table up to its closing bracket."""
        position = 0
        self.blank()
        while self.at < len(self.text) and self.text[self.at] != closer:
            if closer == "]":
                self.note((*path, position))
                self.value((*path, position))
            else:
                self.pair(path)
            position += 1
            self.blank()
            if self.text.startswith(",", self.at):
                self.move(1)
                self.blank()
        self.move(1)

    def blank(self) -> None:
        """Skip white space, newlines and comments."""
        match = _BLANK.match(self.text, self.at)
        if match:
            self.move(match.end() - self.at)

    def move(self, count: int) -> None:
        """Advance and count the lines passed."""
        self.line += self.text.count("\n", self.at, self.at + count)
        self.at += count

    def note(self, path: KeyPath) -> None:
        """Record the first line at which a path is met."""
        self.lines.setdefault(path, self.line)
