"""A kernel in the order in which a GPU runs it: all threads of a block take every step together.

The IR of a kernel has its threads outside: each runs its whole body.  Here the loops over threads move inwards, to the
single statements, so that the order of references is that of warps which run in step.  A loop whose bounds depend on
the thread (a grid-stride loop) is counted in its own iterations, and threads that have finished rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from msgspec.structs import replace

from ....ir.index import Poly, const, floor_div, minimum, var
from ....ir.nodes import Compare, Comparison, Guard, Loop, Mapping, Node, Region, Statement, Strided
from ....ir.passes.substitute import bind_nodes
from ..bounds import floored
from ..intervals import bounds_of

BLOCKS = frozenset({Mapping.BLOCK_X, Mapping.BLOCK_Y, Mapping.BLOCK_Z})
THREADS = frozenset({Mapping.THREAD_X, Mapping.THREAD_Y, Mapping.THREAD_Z})


def in_lockstep(region: Region, concurrent: int = 1) -> Region:
    """Return the kernel with its loops over threads innermost; the region itself where nothing is a thread.

    With ``concurrent`` blocks at once, these too take every step together: they form waves, in the order of their
    numbers, and move inwards with the threads.
    """
    body = region.body if concurrent < 2 else tuple(_in_waves(node, concurrent) for node in region.body)
    return replace(region, body=_outer(body))


def inwards(threads: Loop, body: Sequence[Node]) -> tuple[Node, ...]:
    """Return a body with a loop over threads around its statements, inside of its loops."""
    return _Inwards((threads,), ()).nodes(body)


def _in_waves(node: Node, concurrent: int) -> Node:
    """Split loops over blocks: the inner part, about ``concurrent`` blocks, stands directly around the threads."""
    if not isinstance(node, Loop) or node.mapping not in BLOCKS:
        return node
    blocks = [node]
    while len(blocks[-1].body) == 1:
        (inner,) = blocks[-1].body
        if not isinstance(inner, Loop) or inner.mapping not in BLOCKS:
            break
        blocks.append(inner)
    extents = [_extent(loop) for loop in blocks]
    if None in extents:
        return node
    body, left = blocks[-1].body, Fraction(concurrent)
    outer: list[Loop] = []
    for loop, extent in zip(reversed(blocks), reversed(extents), strict=True):
        assert extent is not None
        if left < 2:
            outer.append(loop)
        elif left >= extent:
            body = (replace(loop, body=body, mapping=Mapping.GANG),)
            left /= extent
        else:
            part = _part(extent, left)
            wave = var(f"{loop.iterator}.wave")
            outer.append(replace(loop, iterator=f"{loop.iterator}.wave", range=Strided(const(0), const(extent), part)))
            inside = Strided(wave, minimum([wave + part, const(extent)]))
            body = (replace(loop, body=body, range=inside, mapping=Mapping.GANG),)
            left = Fraction(1)
    for loop in outer:
        body = (replace(loop, body=body),)
    (whole,) = body
    return whole


def _part(extent: int, concurrent: Fraction) -> int:
    """Return the blocks in one part of a row, so that it has as many parts as there are waves of so many blocks."""
    return ceil(Fraction(extent, ceil(extent / concurrent)))


def _extent(loop: Loop) -> int | None:
    if not isinstance(loop.range, Strided) or loop.range.start.constant != 0:
        return None
    stop = loop.range.stop.constant
    return stop if isinstance(stop, int) and loop.range.step == 1 else None


def _outer(nodes: Sequence[Node], blocks: tuple[Loop, ...] = ()) -> tuple[Node, ...]:
    """Descend to the loops over threads."""
    found: list[Node] = []
    for node in nodes:
        if not isinstance(node, Loop):
            found.append(node)
        elif node.mapping not in THREADS and node.mapping is not Mapping.GANG:
            inside = (*blocks, node) if node.mapping in BLOCKS else blocks
            found.append(replace(node, body=_outer(node.body, inside)))
        else:
            threads, body = _threads(node)
            found.extend(_Inwards(threads, blocks).nodes(body))
    return tuple(found)


def _threads(loop: Loop) -> tuple[list[Loop], tuple[Node, ...]]:
    """Return nested loops over threads, and the body of the innermost one."""
    threads = [loop]
    while len(threads[-1].body) == 1:
        (inner,) = threads[-1].body
        if not isinstance(inner, Loop) or (inner.mapping not in THREADS and inner.mapping is not Mapping.GANG):
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
        """Put the loops over threads around statements, and into sequential loops; none around a barrier."""
        found: list[Node] = []
        for node in nodes:
            if isinstance(node, Guard):
                found.extend(self._guard(node))
                continue
            stepped = self._loop(node) if isinstance(node, Loop) else None
            found.append(self._wrapped(node) if stepped is None else stepped)
        return tuple(found)

    def _wrapped(self, node: Node) -> Node:
        if _is_barrier(node):
            return node
        for loop in reversed(self._threads):
            node = replace(loop, body=(node,))
        return node

    def _guard(self, guard: Guard) -> list[Node]:
        """Return the nodes with the condition around every statement."""
        inside = (self._under(node, guard, holds=True) for node in self.nodes(guard.body))
        return [*inside, *(self._under(node, guard, holds=False) for node in self.nodes(guard.orelse))]

    def _under(self, node: Node, guard: Guard, *, holds: bool) -> Node:
        """Return the condition around what is inside the loops; for a barrier it is enough that any thread waits."""
        if isinstance(node, Loop):
            return replace(node, body=tuple(self._under(child, guard, holds=holds) for child in node.body))
        if _is_barrier(node) and guard.condition.names & self._names:
            return node
        return replace(guard, body=(node,) if holds else (), orelse=() if holds else (node,))

    def _loop(self, loop: Loop) -> Node | None:
        """Return a sequential loop with the threads inside.

        None where its bounds depend on the thread in other ways.
        """
        if loop.header or not isinstance(loop.range, Strided):
            return None
        start, stop, step = loop.range.start, loop.range.stop, loop.range.step
        if not (start.names() | stop.names()) & self._names:
            return replace(loop, body=self.nodes(loop.body))
        if step < 0:
            return None
        trips = self._trips(start, stop, step)
        if trips is None:
            return None
        counter = f"{loop.iterator}.iteration"
        value = start + var(counter) * step
        body = bind_nodes(loop.body, {loop.iterator: value})
        runs = Guard(Compare(Comparison.LT, value, stop), body, (), loop.span)
        return replace(loop, iterator=counter, range=Strided(const(0), trips), body=self.nodes((runs,)))

    def _trips(self, start: Poly, stop: Poly, step: int) -> Poly | None:
        """Return the iterations of the thread that runs most; more where its bounds are not affine."""
        blocks = () if stop.names() & frozenset(loop.iterator for loop in self._blocks) else self._blocks
        least = None if stop.names() & self._names else self._least(start, blocks)
        if least is not None:
            trips = floor_div(stop - least + (step - 1), step)
            if _is_one_quotient(trips):
                return trips
        limits = self._limits()
        found = None if limits is None else bounds_of(stop - start, limits)
        return None if found is None else const(max(0, -(-found[1] // step)))

    def _least(self, start: Poly, blocks: Sequence[Loop]) -> Poly | None:
        """Return the start of the thread that starts first.

        The first of the first of these blocks, all factors being positive.
        """
        for loop in reversed((*blocks, *self._threads)):
            factor = start.coefficient(loop.iterator).constant
            if factor is None or factor < 0 or not isinstance(loop.range, Strided):
                return None
            start = start.substitute({loop.iterator: loop.range.start})
        return start

    def _limits(self) -> dict[str, tuple[int, int]] | None:
        """Return the least and greatest number of every block and thread."""
        found: dict[str, tuple[int, int]] = {}
        for loop in (*self._blocks, *self._threads):
            if not isinstance(loop.range, Strided):
                return None
            low, high = (bounds_of(end, found) for end in (loop.range.start, loop.range.stop))
            if low is None or high is None:
                return None
            found[loop.iterator] = (low[0], max(low[0], high[1] - 1))
        return found


def _is_one_quotient(poly: Poly) -> bool:
    """Return whether a bound is one inequality of counters: quotients of quotients are not."""
    numerator, _ = floored(poly)
    return all(isinstance(atom, str) for monomial in numerator.terms for atom in monomial)


def _is_barrier(node: Node) -> bool:
    """Return whether a node is a barrier, maybe under conditions."""
    if isinstance(node, Guard):
        return all(map(_is_barrier, (*node.body, *node.orelse)))
    return isinstance(node, Statement) and node.barrier is not None
