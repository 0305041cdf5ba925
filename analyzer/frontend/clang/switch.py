"""``switch``: labels and statements in sequence -> arms."""

from __future__ import annotations

from collections.abc import Callable

from ..surface.nodes import Expression, Statement, Switch
from ..surface.switch import arm
from .binding import Cursor
from .kinds import CursorKind
from .scope import Scope

_LABELS = frozenset({CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT})

Read = Callable[[Cursor], list[Statement]]
Label = Expression | None


def lower_switch(scope: Scope, read: Read, subject: Expression, body: Cursor) -> Switch:
    """Group the statements of a switch under their labels."""
    arms: list[tuple[list[Label], list[Statement]]] = []
    for child in scope.unit.children(body) if body.kind == CursorKind.COMPOUND_STMT else [body]:
        labels, rest = _labels(scope, child)
        if labels:
            if arms and not arms[-1][1]:
                arms[-1][0].extend(labels)
            else:
                arms.append((labels, []))
        if rest is not None and arms:
            arms[-1][1].extend(read(rest))
    return Switch(subject, tuple(arm(labels, statements) for labels, statements in arms), scope.span)


def _labels(scope: Scope, cursor: Cursor) -> tuple[list[Label], Cursor | None]:
    labels: list[Label] = []
    while cursor.kind in _LABELS:
        children = scope.unit.children(cursor)
        is_default = cursor.kind == CursorKind.DEFAULT_STMT
        labels.append(None if is_default else scope.expression(children[0]))
        if len(children) < (1 if is_default else 2):
            return labels, None
        cursor = children[-1]
    return labels, cursor
