"""Labels and gotos -> blocks that a goto leaves or repeats (statements to statements).

A goto forward to a label among the statements around it skips what stands in between; one backward repeats it.  Every
other goto, into a block or among a great many labels, has no target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from .nodes import (
    INT,
    Block,
    Declare,
    For,
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

Statements = tuple[Statement, ...]

_MOST_LABELS = 50


def structured(body: Block) -> Block:
    """The body of a function with labels: no :class:`Label` is left.

    Where a goto has no target, any statement may run any number of times.
    """
    arranged = _block(body)
    return arranged if _all_lead(arranged, frozenset()) else _in_any_order(arranged)


def _block(body: Block) -> Block:
    return replace(body, statements=_arranged(body.statements))


def _in_any_order(body: Block) -> Block:
    unknown = OpaqueExpression("goto", (), INT, body.span)
    statements = tuple(
        statement if isinstance(statement, Declare) else If(unknown, statement, None, statement.span)
        for statement in body.statements
    )
    return replace(body, statements=(While(unknown, Block(statements, body.span), False, body.span),))


def _all_lead(statement: Statement, labels: frozenset[str]) -> bool:
    """Whether every goto has a target among these labels or in the statement."""
    if isinstance(statement, Goto):
        return statement.label in labels
    if isinstance(statement, Skippable | Repeated):
        labels |= {statement.label}
    return all(_all_lead(part, labels) for part in _parts(statement))


def _arranged(statements: Sequence[Statement]) -> Statements:
    inner = tuple(_within(statement) for statement in statements)
    if sum(isinstance(statement, Label) for statement in inner) > _MOST_LABELS:
        return tuple(_without_labels(inner))
    return _skippable(_repeated(inner))


def _within(statement: Statement) -> Statement:
    """A statement with its blocks structured."""
    match statement:
        case Block():
            return _block(statement)
        case If():
            orelse = None if statement.orelse is None else _within(statement.orelse)
            return replace(statement, then=_within(statement.then), orelse=orelse)
        case For() | While():
            return replace(statement, body=_within(statement.body))
        case Switch():
            cases = tuple(replace(case, statements=_arranged(case.statements)) for case in statement.cases)
            return replace(statement, cases=cases)
        case _:
            return statement


def _repeated(statements: Statements) -> Statements:
    """Blocks for gotos backward; a block holds the repetitions that begin in it as a whole."""
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
    return next((place for place in later if _leads_to(statements[place], label.label)), None)


def _skippable(statements: Statements) -> Statements:
    """Blocks for gotos forward, the one of the last label outermost."""
    for position in reversed(range(len(statements))):
        label, before = statements[position], statements[:position]
        if isinstance(label, Label) and any(_leads_to(statement, label.label) for statement in before):
            body = Block(_skippable(before), label.span)
            return (Skippable(label.label, body, label.span), *_without_labels(statements[position:]))
    return tuple(_without_labels(statements))


def _without_labels(statements: Sequence[Statement]) -> Iterator[Statement]:
    return (statement for statement in statements if not isinstance(statement, Label))


def _leads_to(statement: Statement, label: str) -> bool:
    """Whether a goto to a label stands in a statement."""
    if isinstance(statement, Goto):
        return statement.label == label
    return any(_leads_to(part, label) for part in _parts(statement))


def _parts(statement: Statement) -> Sequence[Statement]:
    """The statements directly in one."""
    match statement:
        case Block():
            return statement.statements
        case If():
            return (statement.then,) if statement.orelse is None else (statement.then, statement.orelse)
        case For() | While() | Skippable() | Repeated():
            return (statement.body,)
        case Switch():
            return tuple(part for case in statement.cases for part in case.statements)
        case _:
            return ()
