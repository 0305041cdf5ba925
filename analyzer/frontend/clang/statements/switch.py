"""``switch``: labels and statements in sequence -> arms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...surface.constructs import construct
from ...surface.nodes import INT, Expression, Number, OpaqueExpression, Statement, Switch, While
from ...surface.switch import Section, arm, entered
from ..binding import Cursor
from ..kinds import CursorKind
from ..scope import Scope

_LABELS = frozenset({CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT})

_OF_A_RANGE = 3  # children: both ends, and the statement
_MOST_CASES = 256

Read = Callable[[Cursor], list[Statement]]
Label = Expression | None


def lower_switch(scope: Scope, read: Read, subject: Expression, body: Cursor) -> Switch:
    """Group the statements of a switch under their labels."""
    arms = _sections(scope, read, scope.unit.children(body) if body.kind == CursorKind.COMPOUND_STMT else [body])
    return Switch(subject, tuple(arm(labels, statements) for labels, statements in arms if labels), scope.span)


def _sections(scope: Scope, read: Read, children: Sequence[Cursor]) -> list[Section]:
    """Return labels and statements in sequence; what is in front of the first label has none."""
    arms: list[Section] = []
    for child in children:
        labels, rest = _labels(scope, child)
        if rest is not None and (loop := _entered(scope, read, labels, rest)) is not None:
            arms += loop
            continue
        if labels:
            if arms and not arms[-1][1]:
                arms[-1][0].extend(labels)
            else:
                arms.append((labels, []))
        if rest is not None:
            arms = arms or [([], [])]
            arms[-1][1].extend(read(rest))
    return arms


def _entered(scope: Scope, read: Read, labels: list[Label], cursor: Cursor) -> list[Section] | None:
    """Return the arms of a ``do`` loop in whose body there are cases; None for any other statement."""
    if cursor.kind != CursorKind.DO_STMT:
        return None
    children = scope.unit.children(scope.unit.children(cursor)[0])
    if not any(child.kind in _LABELS for child in children):
        return None
    (loop,) = read(cursor)
    return entered(labels, _sections(scope, read, children), loop) if isinstance(loop, While) else None


def declared_in_header(scope: Scope, cursor: Cursor, subject: Cursor, body: Cursor) -> list[Cursor] | None:
    """Return the variables that the header declares, which libclang's tree shows where they are used alone.

    None where the header has a first statement of which nothing shows.
    """
    start, inside = scope.unit.extent(cursor)[0], scope.unit.extent(body)[0]
    waiting, declared = [subject, body], dict[int, Cursor]()
    while waiting:
        used = waiting.pop()
        found = scope.library.referenced(used) if used.kind == CursorKind.DECL_REF_EXPR else used
        if found.kind == CursorKind.VAR_DECL:
            at = scope.unit.extent(found)[0]
            if at.path == start.path and start.offset < at.offset < inside.offset:
                declared[at.offset] = found
        waiting += scope.unit.children(used)
    header = scope.unit.contents(start.path)[start.offset : scope.unit.extent(subject)[0].offset]
    return [declared[offset] for offset in sorted(declared)] if declared or b";" not in header else None


def _labels(scope: Scope, cursor: Cursor) -> tuple[list[Label], Cursor | None]:
    labels: list[Label] = []
    while cursor.kind in _LABELS:
        children = scope.unit.children(cursor)
        is_default = cursor.kind == CursorKind.DEFAULT_STMT
        if is_default:
            labels.append(None)
        else:
            labels += _cases(scope, children)
        if len(children) < (1 if is_default else 2):
            return labels, None
        cursor = children[-1]
    return labels, cursor


def _cases(scope: Scope, children: list[Cursor]) -> list[Label]:
    """Return the label of ``case first:``, or all numbers of GNU's ``case first ... last:``, which may be none."""
    first = scope.expression(children[0])
    last = scope.expression(children[1]) if len(children) == _OF_A_RANGE else first
    if last is first:
        return [first]
    if not (isinstance(first, Number) and isinstance(last, Number)) or last.value - first.value >= _MOST_CASES:
        return [OpaqueExpression(construct("range-of-cases"), (first, last), INT, scope.span)]
    return [Number(value, first.type, scope.span) for value in range(int(first.value), int(last.value) + 1)]
