"""Text of C to tokens; comments and continued lines go, line numbers stay.

The scans here are cheap (one regular expression) and never fail: what is no token of C becomes a one-character
``punctuation`` token and is left to the parser to complain about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec import Struct

from ...python.regex import regex


class TokenKind(Enum):
    """What a token is."""

    NAME = "name"
    NUMBER = "number"
    TEXT = "text"
    PUNCTUATION = "punctuation"


class Token(Struct, frozen=True):
    """One token: its text, offset in the scanned text, and position there (lines and columns count from 1)."""

    kind: TokenKind
    text: str
    start: int
    line: int
    column: int

    @property
    def end(self) -> int:
        """Return the offset of the first character after it."""
        return self.start + len(self.text)


COMMENT = r"//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)"
"""Pattern of a comment; needs ``re.DOTALL``."""
QUOTED = r"""\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"""
"""Pattern of a string or a character literal on one line."""
_COMMENT_OR_TEXT = regex(rf"(?P<comment>{COMMENT})|{QUOTED}", re.DOTALL)
_TOKEN = regex(
    rf"""(?P<space>\s+)
      | (?P<name>[A-Za-z_$][\w$]*)
      | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)
      | (?P<text>{QUOTED})
      | (?P<punctuation>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|\#\#|.)
    """,
    re.VERBOSE | re.DOTALL,
)


_KINDS = {kind.value: kind for kind in TokenKind}


def without_comments(text: str) -> str:
    """Replace every comment by spaces, keeping newlines and therefore all offsets and lines."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0]) if match["comment"] is not None else match[0]

    return _COMMENT_OR_TEXT.sub(blank, text)


def comments_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield every comment with its delimiters, and its offset."""
    for match in _COMMENT_OR_TEXT.finditer(text):
        if match["comment"] is not None:
            yield match.start(), match["comment"]


def with_joined_lines(text: str) -> str:
    r"""Join lines that end in a backslash; as many empty lines follow, so later lines keep their numbers.

    >>> with_joined_lines("a \\\nb\nc")
    'a  b\n\nc'
    """
    if "\\" not in text:
        return text
    joined: list[str] = []
    pending: list[str] = []
    for line in text.split("\n"):
        stripped = line.rstrip()
        if stripped.endswith("\\"):
            pending.append(stripped[:-1])
            continue
        joined.append(" ".join([*pending, line]))
        joined.extend([""] * len(pending))
        pending = []
    if pending:
        joined.append(" ".join(pending))
        joined.extend([""] * (len(pending) - 1))
    return "\n".join(joined)


def text_at(tokens: Sequence[Token], index: int) -> str:
    """Return the text of a token; empty before the first and behind the last one."""
    return tokens[index].text if 0 <= index < len(tokens) else ""


def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the tokens of a text without comments."""
    found: list[Token] = []
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        if group == "space":
            newlines = match[0].count("\n")
            if newlines:
                line += newlines
                line_start = match.start() + match[0].rindex("\n") + 1
            continue
        assert group is not None
        found.append(Token(_KINDS[group], match[0], match.start(), line, match.start() - line_start + 1))
    return tuple(found)
