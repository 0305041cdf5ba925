"""A kernel in the order in which a GPU runs it: all threads of a block take every step together.

The IR of a kernel has its threads outside: each runs its whole body.  Here the loops over threads move inwards, to the
single statements, so that the order of references is that of warps which run in step.  A loop whose bounds depend on
the thread (a grid-stride loop) is counted in its own turns, and threads that have finished rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..ir.bind import bind_nodes
from ..ir.index import Poly, const, floor_div, var
from ..ir.nodes import Compare, Comparison, Guard, Loop, Mapping, Node, Region, Strided

BLOCKS = frozenset({Mapping.BLOCK_X, Mapping.BLOCK_Y, Mapping.BLOCK_Z})
THREADS = frozenset({Mapping.THREAD_X, Mapping.THREAD_Y, Mapping.THREAD_Z})


def in_lockstep(region: Region) -> Region:
    """The kernel with its loops over threads innermost; the region itself where nothing is a thread."""
    return replace(region, body=_outer(region.body))


def _outer(nodes: Sequence[Node], blocks: tuple[Loop, ...] = ()) -> tuple[Node, ...]:
    """Down to the loops over threads."""
    found: list[Node] = []
    for node in nodes:
        if not isinstance(node, Loop):
            found.append(node)
        elif node.mapping not in THREADS:
            inside = (*blocks, node) if node.mapping in BLOCKS else blocks
            found.append(replace(node, body=_outer(node.body, inside)))
        else:
            threads, body = _threads(node)
            found.extend(_Inwards(threads, blocks).nodes(body))
    return tuple(found)


def _threads(loop: Loop) -> tuple[list[Loop], tuple[Node, ...]]:
    """Nested loops over threads, and the body of the innermost one."""
    threads = [loop]
    while len(threads[-1].body) == 1:
        (inner,) = threads[-1].body
        if not isinstance(inner, Loop) or inner.mapping not in THREADS:
            break
        threads.append(inner)
    return threads, threads[-1].body


class _Inwards:
    """Moves the loops over threads into a body."""

    def __init__(self, threads: Sequence[Loop], blocks: Sequence[Loop]) -> None:
        self._threads = threads
        self._blocks = blocks
        self._names = frozenset(loop.iterator for loop in threads)

    def nodes(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """Statements get the loops over threads around them, sequential loops inside them."""
        found: list[Node] = []
        for node in nodes:
            if isinstance(node, Guard):
                found.extend(self._guard(node))
                continue
            stepped = self._loop(node) if isinstance(node, Loop) else None
            found.append(self._wrapped(node) if stepped is None else stepped)
        return tuple(found)

    def _wrapped(self, node: Node) -> Node:
        for loop in reversed(self._threads):
            node = replace(loop, body=(node,))
        return node

    def _guard(self, guard: Guard) -> list[Node]:
        """The condition goes in with every statement."""
        inside = (_under(node, guard, holds=True) for node in self.nodes(guard.body))
        return [*inside, *(_under(node, guard, holds=False) for node in self.nodes(guard.orelse))]

    def _loop(self, loop: Loop) -> Node | None:
        """A sequential loop with the threads inside; None where its bounds depend on the thread in other ways."""
        if loop.header or not isinstance(loop.range, Strided):
            return None
        start, stop, step = loop.range.start, loop.range.stop, loop.range.step
        if not (start.names() | stop.names()) & self._names:
            return replace(loop, body=self.nodes(loop.body))
        if stop.names() & self._names or step < 0:
            return None
        least = self._least(start)
        if least is None:
            return None
        turn = f"{loop.iterator}.turn"
        value = start + var(turn) * step
        body = bind_nodes(loop.body, {loop.iterator: value})
        runs = Guard(Compare(Comparison.LT, value, stop), body, (), loop.span)
        turns = floor_div(stop - least + (step - 1), step)
        return replace(loop, iterator=turn, range=Strided(const(0), turns), body=self.nodes((runs,)))

    def _least(self, start: Poly) -> Poly | None:
        """The start of the thread that starts first: the first of the first block, all factors being positive."""
        for loop in (*self._blocks, *self._threads):
            factor = start.coefficient(loop.iterator).constant
            if factor is None or factor < 0 or not isinstance(loop.range, Strided):
                return None
            start = start.substitute({loop.iterator: loop.range.start})
        return start


def _under(node: Node, guard: Guard, *, holds: bool) -> Node:
    """The condition around what is inside the loops."""
    if isinstance(node, Loop):
        return replace(node, body=tuple(_under(child, guard, holds=holds) for child in node.body))
    return replace(guard, body=(node,) if holds else (), orelse=() if holds else (node,))
