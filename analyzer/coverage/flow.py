"""How control flows through the statements of a function, as far as counts of lines and regions need it."""

from __future__ import annotations

from collections.abc import Iterator

from ..frontend.surface.nodes import (
    Block,
    Break,
    Call,
    Conditional,
    Continue,
    Declare,
    Evaluate,
    For,
    Function,
    Goto,
    If,
    Number,
    Repeated,
    Return,
    Skippable,
    Statement,
    Switch,
    While,
)
from ..frontend.surface.traverse import STATEMENTS, children, statements_in, walk
from .outcomes import joint_of

Loop = For | While
LOOPS = (For, While)
Location = tuple[int, int]
"""The line and the column at which a loop or a statement with a condition begins."""


def location_of(node: Statement | Conditional | Function) -> Location:
    """Return where a statement begins."""
    return node.span.line, node.span.column


def contexts(function: Function) -> Iterator[tuple[int, Function | If | Loop]]:
    """Yield the statements that run each time that what is around them does, by identity, with what that is."""
    waiting: list[tuple[Statement, Function | If | Loop]] = [(function.body, function)]
    while waiting:
        tree, around = waiting.pop()
        if isinstance(tree, Block):
            for statement in tree.statements:
                waiting.append((statement, around))
                if may_leave(statement) or continues(statement):
                    break
            continue
        yield id(tree), around
        if isinstance(tree, If):
            waiting.append((tree.then, tree))
        elif isinstance(tree, LOOPS):
            waiting.append((tree.body, tree))


def calls_of(function: Function, statement: Statement) -> int | None:
    """Return how often a plain statement calls a function each time that it runs; None where a condition decides it."""
    parts = [part for part in children(statement) if not isinstance(part, STATEMENTS)]
    made = sum(isinstance(node, Call) and node.function == function.key for node in walk(*parts))
    nodes = [node for part in parts for node in walk(part)]
    chosen = any(isinstance(node, Conditional) or joint_of(node) for node in nodes)
    return None if made and (chosen or not is_code(statement)) else made


def runs_once(node: Loop | If | Conditional) -> bool:
    """Return whether this is ``do { ... } while (0)``."""
    last = isinstance(node, While) and node.test_last
    return last and isinstance(node.condition, Number) and not node.condition.value


def is_of_macro(node: Loop | If | Conditional) -> bool:
    """Return whether a statement begins where its body does: its text is that of a macro."""
    match node:
        case For(body=body) | While(body=body) | If(then=body):
            return location_of(node) == location_of(body)
        case _:
            return False


def lines_of(loop: Loop) -> set[int]:
    """Return the lines on which a loop has something to count."""
    return {loop.span.line, *(node.span.line for node in walk(loop.body) if is_code(node))}


def is_empty(statement: Statement) -> bool:
    """Return whether a body has nothing in it."""
    return isinstance(statement, Block) and not statement.statements


def is_code(node: object) -> bool:
    """Return whether a node is a plain statement that computes something: its line is counted."""
    return isinstance(node, Evaluate | Return) or (isinstance(node, Declare) and node.initial is not None)


def tests_last(loop: Loop) -> bool:
    """Return whether a loop tests its condition behind its body."""
    return isinstance(loop, While) and loop.test_last


def may_leave(statement: Statement) -> bool:
    """Return whether a statement may end the loop around it, or the function."""
    match statement:
        case Return() | Goto() | Break():
            return True
        case For() | While() | Switch():
            return any(isinstance(node, Return | Goto) for node in statements_in(statement))
        case _:
            return any(may_leave(child) for child in children(statement) if isinstance(child, STATEMENTS))


def leaves(statement: Statement, loop: Loop) -> bool:
    """Return whether a statement leads out of a loop, as all do but a ``goto`` within its body."""
    if not isinstance(statement, Goto):
        return True
    labels = (one.label for one in statements_in(loop.body) if isinstance(one, Skippable | Repeated))
    return statement.label not in labels


def leaving(statement: Statement, choice: If | None, *, inner: bool = False) -> Iterator[tuple[Statement, If | None]]:
    """Yield what may end the loop around a statement, each with the condition of which it is the first of the arm.

    In an ``inner`` loop that is what ends the function.
    """
    match statement:
        case Break() if inner:
            pass
        case Return() | Goto() | Break():
            yield statement, choice
        case If():
            yield from leaving(statement.then, statement, inner=inner)
            if statement.orelse is not None:
                yield from leaving(statement.orelse, None, inner=inner)
        case Block():
            for position, one in enumerate(statement.statements):
                yield from leaving(one, None if position else choice, inner=inner)
        case _:
            within = inner or isinstance(statement, For | While | Switch)
            for part in children(statement):
                if isinstance(part, STATEMENTS):
                    yield from leaving(part, None, inner=within)


def is_endless(loop: Loop) -> bool:
    """Return whether nothing but its body ends a loop."""
    return loop.condition is None or (isinstance(loop.condition, Number) and loop.condition.value != 0)


def continues(statement: Statement) -> bool:
    """Return whether a statement may go on with the next iteration of a loop around it."""
    return any(isinstance(node, Continue) for node in statements_in(statement))
