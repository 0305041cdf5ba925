"""Operands of ``new``: libclang lists numbers among the arguments of a template that the type names with them."""

from __future__ import annotations

from ....python.regex import regex
from ..binding import Cursor
from ..kinds import CursorKind
from ..scope import Scope

_INSTANCE = regex(rb"new\s+(?:::)?[\w:]+\s*<[^()\[\]{};]*>")


def operands_of_new(scope: Scope, cursor: Cursor) -> list[Cursor]:
    """Return the number of elements, what constructs the object and where it is placed: ``new Block<double, 3>(n)``."""
    children = scope.unit.operands(cursor)
    start, end = scope.unit.extent(cursor)
    kind = _INSTANCE.match(scope.unit.contents(start.path)[start.offset : end.offset])
    if kind is None:
        return children
    last = start.offset + kind.end()
    return [
        child for child in children if child.kind == CursorKind.CALL_EXPR or scope.unit.extent(child)[1].offset > last
    ]
