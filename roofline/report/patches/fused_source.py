"""Nests of a source as one: the first one gets the bodies of all, and the others go.

Left to people where something stands between the nests, a pragma is above one of them, a body leaves an iteration early
or is an ``if`` without braces, or the first nest's iterators mean something else in a later one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from analyzer.frontend.text.lexical import without_comments
from analyzer.transformations.kinds import Fuse

from .edits import Edit, edit_at, has_pragma, line_of
from .source_loops import WORD, Header, body_of, nest_at

_LEAVES = frozenset({"break", "continue", "goto", "return"})
_HOLDS_OTHERS = frozenset({"for", "while", "do", "if", "else", "switch"})


class _Nest(Struct, frozen=True):
    """Loops that become one with those of other nests, their body, and where the nest ends."""

    headers: Sequence[Header]
    start: int
    end: int
    last: int

    @property
    def names(self) -> tuple[str, ...]:
        """Return the iterators, outermost first."""
        return tuple(header.name for header in self.headers)


def fused(source: str, first_line: int, step: Fuse) -> tuple[Edit, ...]:
    """Return the edits that make several nests one; () where the source does not allow it."""
    text = without_comments(source)
    found = [_nest(text, line - first_line, len(step.loops)) for line in step.lines]
    nests = [nest for nest in found if nest is not None]
    if len(nests) < len(found) or any(text[one.last : two.headers[0].at].strip() for one, two in pairwise(nests)):
        return ()
    first, *others = nests
    bodies = [source[first.start : first.end]]
    for nest in others:
        body = source[nest.start : nest.end]
        if not set(first.names).isdisjoint(set(WORD.findall(body)) - set(nest.names)):
            return ()
        bodies.append(_renamed(body, dict(zip(nest.names, first.names, strict=True))))
    margin = _margin(text, first.headers[-1].at)
    inside = "".join(f"{margin}  {body}\n" for body in bodies)
    begin = first.headers[-1].end + 1
    between = source[begin : first.start]
    opened = f"{between}{{" if between.strip() else " {"
    edits = [edit_at(text, first_line, begin, first.end, f"{opened}\n{inside}{margin}}}")]
    edits += [edit_at(text, first_line, one.last, two.last, "") for one, two in pairwise(nests)]
    return tuple(edits)


def _nest(text: str, above: int, depth: int) -> _Nest | None:
    """Return the nest whose outermost loop is behind so many lines."""
    lines = text.split("\n")
    if not 0 <= above < len(lines) or has_pragma(lines, above):
        return None
    headers = nest_at(text, sum(len(line) + 1 for line in lines[:above]))[:depth]
    place = body_of(text, headers) if len(headers) == depth and line_of(text, headers[0].at) == above else None
    if place is None:
        return None
    words = WORD.findall(text[place[0] : place[1]])
    is_block = text[place[0]] == "{"
    if not _LEAVES.isdisjoint(words) or (not is_block and not _HOLDS_OTHERS.isdisjoint(words[:1])):
        return None
    return _Nest(headers, *place)


def _renamed(body: str, names: dict[str, str]) -> str:
    """Return a body with other iterators."""
    spelled = "|".join(map(re.escape, names))
    return re.sub(rf"(?<![\w.])(?<!->)(?:{spelled})\b", lambda found: names[found[0]], body)


def _margin(text: str, position: int) -> str:
    """Return the blanks before the line of a position."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip())]
