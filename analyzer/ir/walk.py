"""Walking the loop tree: each node with the loops and branches around it, and with what runs before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from msgspec import Struct

from .nodes import Condition, Exit, Guard, Loop, Node, Region, Statement


class Branch(Struct, frozen=True):
    """A guard on the way down: its condition holds (``taken``) or does not."""

    guard: Guard
    taken: bool

    @property
    def condition(self) -> Condition:
        """Return the condition of the guard, without polarity."""
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
_Frame = tuple[Iterator[tuple[int, Node]], tuple[Step, ...], tuple[int, ...], list[Passed]]


class Visit(Struct, frozen=True):
    """A node, the loops and branches above it (outermost first), its position, and the exits passed before it.

    ``position`` is the index in each body from the region down (arms of a guard: body 0.., orelse after it; statements
    of a loop's header, which it evaluates trip + 1 times: -1, -2, ...).
    """

    node: Node
    path: tuple[Step, ...]
    position: tuple[int, ...]
    exits: tuple[Passed, ...] = ()

    @property
    def loops(self) -> tuple[Loop, ...]:
        """Return the enclosing loops, outermost first."""
        return tuple(step for step in self.path if isinstance(step, Loop))

    @property
    def branches(self) -> tuple[Branch, ...]:
        """Return the enclosing guards, outermost first."""
        return tuple(step for step in self.path if isinstance(step, Branch))


def walk(region: Region) -> Iterator[Visit]:
    """Yield every node of a region in source order, a parent before its children."""
    yield from walk_nodes(region.body)


def walk_nodes(nodes: tuple[Node, ...]) -> Iterator[Visit]:
    """Yield every node of a sequence and below, in source order."""
    # A frame is: nodes left to visit with their index, path, position prefix, exits passed so far.
    stack = [(iter(list(enumerate(nodes))), (), (), [])]  # type: list[_Frame]
    with_exits = _with_exits(nodes)
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
                    yield Visit(statement, inside, (*position, -1 - number), passed)
                stack.append((iter(list(enumerate(node.body))), inside, position, list(exits)))
            case Guard():
                count = len(node.body)
                orelse = [(count + number, child) for number, child in enumerate(node.orelse)]
                stack.append((iter(orelse), (*path, Branch(node, False)), position, list(exits)))
                stack.append((iter(list(enumerate(node.body))), (*path, Branch(node, True)), position, list(exits)))
            case _:
                assert_never(node)
        if id(node) in with_exits:
            exits.extend(Passed(found, steps, len(path)) for found, steps in exits_in(node))


def _with_exits(nodes: Sequence[Node]) -> set[int]:
    """Return the identities of the nodes that are exits or hold some."""
    found: set[int] = set()  # indices, as one node may stand in several places
    seen: list[tuple[Node, int]] = [(node, -1) for node in nodes]  # each with the index of its parent
    for index, (node, parent) in enumerate(seen):
        match node:
            case Exit():
                found.add(index)
                while parent >= 0 and parent not in found:
                    found.add(parent)
                    parent = seen[parent][1]
            case Loop():
                seen.extend((child, index) for child in node.body)
            case Guard():
                seen.extend((child, index) for child in (*node.body, *node.orelse))
            case Statement():
                pass
            case _:
                assert_never(node)
    return {id(seen[index][0]) for index in found}


def may_end_early(loop: Loop, inside: Iterable[Node]) -> bool:
    """Return whether data may end a loop before its last iteration; ``inside`` are the nodes at any depth in it."""
    return loop.ends_early or any(isinstance(node, Exit) and node.loop in (None, loop.iterator) for node in inside)


def exits_in(node: Node) -> Iterator[tuple[Exit, tuple[Step, ...]]]:
    """Yield the exits in or below a node that leave more than the node itself, each with the steps down to it."""
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
    """Yield the visits of the statements only, those of loop headers included."""
    return (visit for visit in walk(region) if isinstance(visit.node, Statement))
