"""Which lines of a file changed: the text of ``git diff -U0`` to ranges of lines of the new version.

>>> changed_lines("@@ -3,2 +4 @@ f\\n-a\\n-b\\n+c\\n@@ -9,3 +8,0 @@\\n").ranges
((4, 4), (8, 9))
"""

from __future__ import annotations

import re

from msgspec import Struct

from analyzer.python.regex import regex

_HUNK = regex(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class ChangedLines(Struct, frozen=True):
    """Ranges of lines, first and last inclusive; where lines were only removed, the ones before and after."""

    ranges: tuple[tuple[int, int], ...]

    def touch(self, first: int, last: int) -> bool:
        """Return whether any line of a range changed."""
        return any(start <= last and end >= first for start, end in self.ranges)


WHOLE = ChangedLines(((0, 2**31),))


def changed_lines(diff: str) -> ChangedLines:
    """Return the changed lines of the diff of one file."""
    found = []
    for hunk in _HUNK.finditer(diff):
        first, count = int(hunk[1]), int(hunk[2] or 1)
        found.append((first, first + count - 1) if count else (first, first + 1))
    return ChangedLines(tuple(found))
