"""The part of a region that one thread executes: static schedules of loops that a pragma makes parallel.

The iterations of the outermost parallel loop of each nest are split into equal chunks, and the thread in the middle is
taken as typical: in a triangular loop its chunk is the average one.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.index import Poly, const
from ..ir.nodes import Guard, Loop, Mapping, Node, Region, Strided


def thread_share(region: Region, threads: int) -> tuple[Region, int]:
    """The region of one thread and the number of threads at work: 1 where no loop is parallel or could be divided."""
    if threads < 2:
        return region, 1
    divider = _Divider(threads)
    body = divider.nodes(region.body)
    if not divider.used:
        return region, 1
    return replace(region, body=body), divider.used


class _Divider:
    def __init__(self, threads: int) -> None:
        self._threads = threads
        self.used = 0

    def nodes(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(self._node(node) for node in nodes)

    def _node(self, node: Node) -> Node:
        match node:
            case Loop(mapping=Mapping.THREADS):
                return self._divided(node)
            case Loop():
                return replace(node, body=self.nodes(node.body))
            case Guard():
                return replace(node, body=self.nodes(node.body), orelse=self.nodes(node.orelse))
            case _:
                return node

    def _divided(self, loop: Loop) -> Loop:
        if not isinstance(loop.range, Strided):
            return loop
        start, stop, step = loop.range.start.constant, loop.range.stop.constant, loop.range.step
        if not isinstance(start, int) or not isinstance(stop, int):
            return loop
        trips = max(0, -(-(stop - start) // step))
        chunk = -(-trips // self._threads)
        if not chunk:
            return loop
        working = -(-trips // chunk)
        self.used = max(self.used, working)
        first = (working - 1) // 2 * chunk
        begin = start + first * step
        end = start + min(first + chunk, trips) * step
        return replace(loop, range=Strided(_poly(begin), _poly(end), step))


def _poly(value: int) -> Poly:
    return const(value)
