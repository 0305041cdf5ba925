"""``for`` statements in the text of a source: headers that count up by one, and nests of nothing but them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from analyzer.python.regex import regex

FOR = regex(r"\bfor\s*\(")
INNER = regex(r"[\s{]*\bfor\s*\(")
WORD = regex(r"[A-Za-z_]\w*")
_COUNTING = regex(
    r"\s*(?P<kind>(?:const\s+)?[A-Za-z_][\w\s:]*?)\s+(?P<name>\w+)\s*=\s*(?P<first>[^;=]+?)\s*;"
    r"\s*(?P=name)\s*(?P<relation><=?)\s*(?P<bound>[^;=]+?)\s*;\s*(?:(?P=name)\s*\+\+|\+\+\s*(?P=name))\s*"
)
_CHANGES = regex(r"\+\+|--|&&|\|\||[?,]")


class Header(Struct, frozen=True, kw_only=True):
    """``for (kind name = first; name relation bound; name++)``; the keyword is at ``at``, the text in the brackets from
    ``start`` to ``end``."""

    at: int
    start: int
    end: int
    kind: str
    name: str
    first: str
    relation: str
    bound: str

    @property
    def words(self) -> frozenset[str]:
        """Return the names that its bounds depend on."""
        return frozenset(WORD.findall(f"{self.first} {self.bound}"))


def closing(text: str, position: int, brackets: str = "()") -> int | None:
    """Return the position of the bracket that closes the one before a position."""
    depth = 1
    for found in re.finditer(f"[{re.escape(brackets)}]", text[position:]):
        depth += 1 if found[0] == brackets[0] else -1
        if not depth:
            return position + found.start()
    return None


def header_at(text: str, position: int, pattern: re.Pattern[str] = FOR) -> Header | None:
    """Return the header of the next ``for``, None where it does not count up by one."""
    found = pattern.search(text, position) if pattern is FOR else pattern.match(text, position)
    end = None if found is None else closing(text, found.end())
    if found is None or end is None:
        return None
    spelled = _COUNTING.fullmatch(text, found.end(), end)
    if spelled is None or _CHANGES.search(f"{spelled['first']} {spelled['bound']}"):
        return None
    at = text.rindex("for", found.start(), found.end())
    return Header(at=at, start=found.end(), end=end, **spelled.groupdict())


def nest_at(text: str, position: int, innermost: str = "") -> Sequence[Header]:
    """Return the headers of perfectly nested loops from a position on, down to the loop over ``innermost`` if given."""
    headers: list[Header] = []
    header = header_at(text, position)
    while header is not None:
        headers.append(header)
        if header.name == innermost:
            break
        header = header_at(text, header.end + 1, INNER)
    return headers


def body_of(text: str, headers: Sequence[Header]) -> tuple[int, int, int] | None:
    """Return where the body of the innermost loop begins and ends, and where the nest does; None if more is in it."""
    inner = headers[-1]
    start = inner.end + 1 + len(text[inner.end + 1 :]) - len(text[inner.end + 1 :].lstrip())
    if text[start : start + 1] == "{":
        closed = closing(text, start + 1, "{}")
        end = None if closed is None else closed + 1
    else:
        found = text.find(";", start)
        end = found + 1 if found >= 0 else None
    if end is None:
        return None
    opened = sum(text.count("{", before.end, after.at) for before, after in pairwise(headers))
    closed_by = re.compile(r"\s*\}" * opened).match(text, end)
    return None if closed_by is None else (start, end, closed_by.end())
