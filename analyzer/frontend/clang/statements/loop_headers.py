"""The headers of ``for`` statements, of which libclang leaves absent parts out."""

from __future__ import annotations

import re

from ....python.regex import regex
from ...text.lexical import COMMENT, QUOTED
from ..binding import Cursor
from ..kinds import STATEMENTS, BinaryOperator, CursorKind, UnaryOperator
from ..scope import Scope
from ..unit import Position

_STEPS = frozenset({UnaryOperator.POST_INC, UnaryOperator.POST_DEC, UnaryOperator.PRE_INC, UnaryOperator.PRE_DEC})
_HEADER = regex(rf"{COMMENT}|{QUOTED}|[()\[\]{{}};]".encode(), re.DOTALL)


def header_parts(
    scope: Scope, header: list[Cursor], start: Position, end: Position
) -> tuple[Cursor | None, Cursor | None, Cursor | None]:
    """Return the three parts of a ``for`` header, None for absent ones, which libclang leaves out."""
    if len(header) == 3:
        return header[0], header[1], header[2]
    parts: list[Cursor | None] = [None, None, None]
    semicolons = _semicolons(scope.unit.contents(start.path), start.offset, end.offset)
    for child in header:
        if semicolons is None:
            parts[_likely_part(scope, child)] = child
        else:
            offset = scope.unit.extent(child)[0].offset
            parts[(offset > semicolons[0]) + (offset > semicolons[1])] = child
    return parts[0], parts[1], parts[2]


def _semicolons(text: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Return the offsets of the two semicolons of a ``for`` header, None where the header is inside a macro."""
    if not text.startswith(b"for", start):
        return None
    depth, found = 0, []
    for match in _HEADER.finditer(text, start, max(end, start)):
        token = match[0]
        if token in b"([{":
            depth += 1
        elif token in b")]}":
            depth -= 1
            if depth == 0:
                break
        elif token == b";" and depth == 1:
            found.append(match.start())
    return (found[0], found[1]) if len(found) == 2 else None


def _likely_part(scope: Scope, cursor: Cursor) -> int:
    if cursor.kind == CursorKind.COMPOUND_ASSIGNMENT_OPERATOR:
        return 2
    if cursor.kind == CursorKind.UNARY_OPERATOR and scope.library.unary_operator(cursor) in _STEPS:
        return 2
    is_binary = cursor.kind == CursorKind.BINARY_OPERATOR
    is_assignment = is_binary and scope.library.binary_operator(cursor) == BinaryOperator.ASSIGN
    return 0 if is_assignment or cursor.kind in STATEMENTS else 1
