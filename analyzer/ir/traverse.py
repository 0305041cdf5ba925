"""Iteration over the nodes of a region with the way down to each: loops, guards with polarity, exits passed before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from msgspec import Struct

from .nodes import Condition, Exit, Guard, Loop, Node, Region, Statement
from .values import Access, loads_of


class Branch(Struct, frozen=True):
    """A guard on the way down: its condition holds (``taken``) or does not."""

    guard: Guard
    taken: bool

    @property
    def condition(self) -> Condition:
        """The condition of the guard, without polarity."""
        return self.guard.condition


class Passed(Struct, frozen=True):
    """An exit that comes earlier in the same iteration of the loops above, with its own way down from ``depth`` on.

    ``path`` are the branches and loops between the common ancestor and the exit: what follows is reached only if the
    exit was not.
    """

    exit: Exit
    path: tuple[Step, ...]
    depth: int


Step = Loop | Branch


class Visit(Struct, frozen=True):
    """A node, the loops and branches above it (outermost first), its position, and the exits passed before it.

    ``position`` is the index in each body from the region down (arms of a guard: body 0.., orelse after it);
    ``in_header`` marks statements that a loop evaluates trip + 1 times; that loop is then the last of ``path``.
    """

    node: Node
    path: tuple[Step, ...]
    position: tuple[int, ...]
    exits: tuple[Passed, ...] = ()
    in_header: bool = False

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Enclosing loops, outermost first."""
        return tuple(step for step in self.path if isinstance(step, Loop))

    @property
    def branches(self) -> tuple[Branch, ...]:
        """Enclosing guards, outermost first."""
        return tuple(step for step in self.path if isinstance(step, Branch))


def walk(region: Region) -> Iterator[Visit]:
    """Every node of a region in source order, a parent before its children."""
    yield from walk_nodes(region.body)


def walk_nodes(nodes: tuple[Node, ...]) -> Iterator[Visit]:
    """Every node of a sequence and below, in source order."""
    # A frame is: nodes left to visit with their index, path, position prefix, exits passed so far.
    stack = [(iter(list(enumerate(nodes))), (), (), [])]  # type: list[_Frame]
    while stack:
        left, path, prefix, exits = stack[-1]
        item = next(left, None)
        if item is None:
            stack.pop()
            continue
        index, node = item
        position = (*prefix, index)
        passed = tuple(exits)
        yield Visit(node, path, position, passed)
        match node:
            case Statement() | Exit():
                pass
            case Loop():
                inside = (*path, node)
                for number, statement in enumerate(node.header):
                    yield Visit(statement, inside, (*position, -1 - number), passed, in_header=True)
                stack.append((iter(list(enumerate(node.body))), inside, position, list(exits)))
            case Guard():
                count = len(node.body)
                orelse = [(count + number, child) for number, child in enumerate(node.orelse)]
                stack.append((iter(orelse), (*path, Branch(node, False)), position, list(exits)))
                stack.append((iter(list(enumerate(node.body))), (*path, Branch(node, True)), position, list(exits)))
            case _:
                assert_never(node)
        exits.extend(Passed(found, steps, len(path)) for found, steps in exits_in(node))


_Frame = tuple[Iterator[tuple[int, Node]], tuple[Step, ...], tuple[int, ...], list[Passed]]


def exits_in(node: Node) -> Iterator[tuple[Exit, tuple[Step, ...]]]:
    """Exits in or below a node that leave more than the node itself, each with the steps from the node down to it."""
    stack: list[tuple[Node, tuple[Step, ...]]] = [(node, ())]
    while stack:
        current, path = stack.pop()
        match current:
            case Exit():
                inner = {step.iterator for step in path if isinstance(step, Loop)}
                if current.loop not in inner:
                    yield current, path
            case Loop():
                stack.extend((child, (*path, current)) for child in reversed(current.body))
            case Guard():
                stack.extend((child, (*path, Branch(current, False))) for child in reversed(current.orelse))
                stack.extend((child, (*path, Branch(current, True))) for child in reversed(current.body))
            case Statement():
                pass
            case _:
                assert_never(current)


def statements(region: Region) -> Iterator[Visit]:
    """Visits of the statements only, those of loop headers included."""
    return (visit for visit in walk(region) if isinstance(visit.node, Statement))


def accesses(statement: Statement) -> Iterator[tuple[Access, bool]]:
    """Memory references of a statement in execution order, each with True where it writes."""
    for access in loads_of(statement.value):
        yield access, False
    if isinstance(statement.target, Access):
        yield statement.target, True
