"""Edits of a source: new text for some of its characters, and what keeps one from being made."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class Edit(Struct, frozen=True, kw_only=True):
    """New text for the characters from ``start`` to ``end`` of a source, in lines ``line`` to ``end_line``."""

    start: int
    end: int
    text: str
    line: int
    end_line: int


def edit_at(text: str, first_line: int, start: int, end: int, new: str) -> Edit:
    """Return the edit of the characters from ``start`` to ``end`` of a text that begins at ``first_line``."""
    line, end_line = (first_line + line_of(text, position) for position in (start, end))
    return Edit(start=start, end=end, text=new, line=line, end_line=end_line)


def line_of(text: str, position: int) -> int:
    """Return the number of lines before a position."""
    return text.count("\n", 0, position)


def has_pragma(lines: Sequence[str], above: int) -> bool:
    """Return whether the last line with text above a loop is a pragma."""
    previous = next((line for line in reversed(lines[:above]) if line.strip()), "")
    return previous.lstrip().startswith("#pragma") or "_Pragma" in previous
