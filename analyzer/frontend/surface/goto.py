"""Blocks that a goto leaves or repeats, from labels and gotos (statements to statements).

A goto forward to a label among the statements around it skips those in between; one backward repeats them.  One that
enters such a repetition at the test that ends it makes it a ``while`` loop.  Every other goto, into a block or among
more than fifty labels, has no target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from .constructs import construct
from .nodes import (
    INT,
    Block,
    Case,
    Declare,
    Goto,
    If,
    Label,
    OpaqueExpression,
    Repeated,
    Skippable,
    Statement,
    Switch,
    While,
)
from .traverse import STATEMENTS, children, map_children, statements_in

Statements = tuple[Statement, ...]

_MOST_LABELS = 50  # blocks nest as deep as there are labels: more would nest too deep to lower


def structured(body: Block) -> Block:
    """Return the body of a function with blocks in place of labels: no :class:`Label` is left.

    Where a goto has no target, any statement may run any number of times.
    """
    arranged = _block(body)
    return arranged if _all_lead(arranged, frozenset()) else _in_any_order(arranged)


def _block(body: Block) -> Block:
    return replace(body, statements=_arranged(body.statements))


def _in_any_order(body: Block) -> Block:
    unknown = OpaqueExpression(construct("goto-statement"), (), INT, body.span)
    statements = tuple(
        statement if isinstance(statement, Declare) else If(unknown, statement, None, statement.span)
        for statement in body.statements
    )
    return replace(body, statements=(While(unknown, Block(statements, body.span), False, body.span),))


def _all_lead(statement: Statement, labels: frozenset[str]) -> bool:
    """Return whether every goto has a target among these labels or in the statement."""
    if isinstance(statement, Goto):
        return statement.label in labels
    if isinstance(statement, Skippable | Repeated):
        labels |= {statement.label}
    return all(_all_lead(part, labels) for part in children(statement) if isinstance(part, STATEMENTS))


def _arranged(statements: Sequence[Statement]) -> Statements:
    inner = tuple(_within(statement) for statement in statements)
    if sum(isinstance(statement, Label) for statement in inner) > _MOST_LABELS:
        return tuple(_without_labels(inner))
    return _skippable(_repeated(_tested_first(inner)))


def _tested_first(statements: Statements) -> Statements:
    """Return statements with ``while (c) { ... }`` for ``goto test; body: ... test: if (c) goto body;``."""
    for start, (jump, body) in enumerate(pairwise(statements)):
        if not (isinstance(jump, Goto) and isinstance(body, Label)):
            continue
        rest = enumerate(statements[start + 2 :], start + 2)
        test = next((at for at, one in rest if isinstance(one, Label) and one.label == jump.label), None)
        again = None if test is None or test + 1 == len(statements) else statements[test + 1]
        if test is None or not isinstance(again, If) or again.orelse is not None or not _is_jump(again.then, body):
            continue
        inside = _skippable(_repeated(_tested_first(statements[start + 2 : test + 1])))
        loop = While(again.condition, Block(inside, body.span), False, body.span)
        return (*statements[:start], loop, *_tested_first(statements[test + 2 :]))
    return statements


def _is_jump(statement: Statement, label: Label) -> bool:
    """Return whether a statement does nothing but jump to a label."""
    inner = statement.statements if isinstance(statement, Block) else (statement,)
    return len(inner) == 1 and isinstance(inner[0], Goto) and inner[0].label == label.label


def _within(statement: Statement) -> Statement:
    """Return a statement with its blocks structured."""
    match statement:
        case Block():
            return _block(statement)
        case Switch():
            return replace(statement, cases=tuple(map(_case, statement.cases)))
        case _:
            return map_children(statement, lambda part: _within(part) if isinstance(part, STATEMENTS) else part)


def _case(case: Case) -> Case:
    return replace(case, statements=_arranged(case.statements))


def _repeated(statements: Statements) -> Statements:
    """Return statements with a block for each label that a goto leads back to; blocks nest and do not overlap."""
    for start, label in enumerate(statements):
        end = _last_jump_back(statements, start)
        if not isinstance(label, Label) or end is None:
            continue
        for inner in range(start + 1, len(statements)):
            later = _last_jump_back(statements, inner) if inner <= end else None
            end = max(end, later or end)
        inside = _skippable(_repeated(statements[start + 1 : end + 1]))
        repeated = Repeated(label.label, Block(inside, label.span), label.span)
        return (*statements[: start + 1], repeated, *_repeated(statements[end + 1 :]))
    return statements


def _last_jump_back(statements: Statements, position: int) -> int | None:
    label = statements[position]
    if not isinstance(label, Label):
        return None
    later = range(len(statements) - 1, position, -1)
    return next((number for number in later if _leads_to(statements[number], label.label)), None)


def _skippable(statements: Statements) -> Statements:
    """Return statements with a block in front of each label that a goto leads forward to, the last label outermost."""
    for position in reversed(range(len(statements))):
        label, before = statements[position], statements[:position]
        if isinstance(label, Label) and any(_leads_to(statement, label.label) for statement in before):
            body = Block(_skippable(before), label.span)
            return (Skippable(label.label, body, label.span), *_without_labels(statements[position:]))
    return tuple(_without_labels(statements))


def _without_labels(statements: Sequence[Statement]) -> Iterator[Statement]:
    return (statement for statement in statements if not isinstance(statement, Label))


def _leads_to(statement: Statement, label: str) -> bool:
    """Return whether a goto to a label is in a statement."""
    return any(isinstance(inner, Goto) and inner.label == label for inner in statements_in(statement))
