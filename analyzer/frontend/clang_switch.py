"""``switch``: labels and statements in sequence -> arms.

``break`` ends an arm; one in a branch at the end of which the arm goes on turns the rest of the arm into the other
branch.  What cannot be said that way becomes an opaque statement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .clang_binding import Cursor
from .clang_scope import Scope
from .syntax import (
    Block,
    Break,
    Case,
    Continue,
    Expression,
    Goto,
    If,
    Return,
    Statement,
    Switch,
)

_COMPOUND, _CASE, _DEFAULT = 202, 203, 204

Read = Callable[[Cursor], list[Statement]]
Label = Expression | None


def lower_switch(scope: Scope, read: Read, subject: Expression, body: Cursor) -> Switch:
    """Group the statements of a switch under their labels."""
    arms: list[tuple[list[Label], list[Statement]]] = []
    for child in scope.unit.children(body) if body.kind == _COMPOUND else [body]:
        labels, rest = _labels(scope, child)
        if labels:
            if arms and not arms[-1][1]:
                arms[-1][0].extend(labels)
            else:
                arms.append((labels, []))
        if rest is not None and arms:
            arms[-1][1].extend(read(rest))
    return Switch(subject, tuple(_arm(labels, statements) for labels, statements in arms), scope.span)


def _labels(scope: Scope, cursor: Cursor) -> tuple[list[Label], Cursor | None]:
    labels: list[Label] = []
    while cursor.kind in (_CASE, _DEFAULT):
        children = scope.unit.children(cursor)
        labels.append(None if cursor.kind == _DEFAULT else scope.expression(children[0]))
        if len(children) < (1 if cursor.kind == _DEFAULT else 2):
            return labels, None
        cursor = children[-1]
    return labels, cursor


def _arm(labels: list[Label], statements: list[Statement]) -> Case:
    kept, ends = _until_break(tuple(statements))
    return Case(tuple(labels), kept, not ends)


def _until_break(statements: tuple[Statement, ...]) -> tuple[tuple[Statement, ...], bool]:
    """The statements without their breaks, and whether control leaves the switch (or function) at the end."""
    kept: list[Statement] = []
    for position, statement in enumerate(statements):
        rest = statements[position + 1 :]
        match statement:
            case Break():
                return tuple(kept), True
            case Return() | Continue() | Goto():
                return (*kept, statement), True
            case Block():
                inner, ends = _until_break(statement.statements)
                kept.append(replace(statement, statements=inner))
                if ends:
                    return tuple(kept), True
            case If() if _breaks(statement):
                branch, ends = _branch(statement, rest)
                return (*kept, branch), ends
            case _:
                kept.append(statement)
    return tuple(kept), False


def _branch(branch: If, rest: tuple[Statement, ...]) -> tuple[If, bool]:
    """``if (c) break; rest`` as ``if (c) ; else rest``."""
    then, then_ends = _until_break(_statements(branch.then))
    orelse, orelse_ends = _until_break(_statements(branch.orelse))
    after, ends = _until_break(rest)
    if not then_ends:
        then = (*then, *after)
    if not orelse_ends:
        orelse = (*orelse, *after)
    return replace(branch, then=Block(then, branch.span), orelse=Block(orelse, branch.span)), (
        (then_ends or ends) and (orelse_ends or ends)
    )


def _statements(statement: Statement | None) -> tuple[Statement, ...]:
    match statement:
        case None:
            return ()
        case Block():
            return statement.statements
        case _:
            return (statement,)


def _breaks(statement: Statement | None) -> bool:
    match statement:
        case Break():
            return True
        case Block():
            return any(_breaks(inner) for inner in statement.statements)
        case If():
            return _breaks(statement.then) or _breaks(statement.orelse)
        case _:
            return False
