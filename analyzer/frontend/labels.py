"""Labels and gotos -> blocks that a goto leaves or repeats (statements to statements).

A goto forward to a label among the statements around it skips what stands in between; one backward repeats it.  Every
other goto, into a block or between crossing repetitions, stays without a target, which the lowering tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .syntax import Block, For, Goto, If, Label, Repeated, Skippable, Statement, Switch, While

Statements = tuple[Statement, ...]


def structured(body: Block) -> Block:
    """The body of a function with labels: no :class:`Label` is left."""
    return replace(body, statements=_arranged(body.statements))


def _arranged(statements: Sequence[Statement]) -> Statements:
    return _skippable(_repeated(tuple(_within(statement) for statement in statements)))


def _within(statement: Statement) -> Statement:
    """A statement with its blocks structured."""
    match statement:
        case Block():
            return structured(statement)
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
    match statement:
        case Goto():
            return statement.label == label
        case Block():
            inner: Sequence[Statement | None] = statement.statements
        case If():
            inner = (statement.then, statement.orelse)
        case For() | While() | Skippable() | Repeated():
            inner = (statement.body,)
        case Switch():
            inner = tuple(part for case in statement.cases for part in case.statements)
        case _:
            return False
    return any(part is not None and _leads_to(part, label) for part in inner)
