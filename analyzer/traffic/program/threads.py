"""The part of a region that one thread executes: static schedules of loops that a pragma makes parallel.

The iterations of the outermost parallel loop of each nest are split into equal chunks, and the thread in the middle is
taken as typical: in a triangular loop its chunk is the average one.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ...ir.index import const
from ...ir.nodes import Loop, Mapping, Node, Region, Strided
from ...ir.passes.drivers import outermost_loops
from ...ir.traverse import map_bodies
from .program import CountedLoop, Program


def thread_share(region: Region, threads: int) -> tuple[Region, dict[str, int]]:
    """Return the region of one thread, and how many threads run each outermost loop, by its iterator in the source.

    A nest without a parallel loop that could be divided runs on one thread.
    """
    shares = {loop.source_iterator: 1 for loop in outermost_loops(region.body)}
    if threads < 2 or not shares:
        return region, shares
    return replace(region, body=_divided_nests(region.body, threads, shares)), shares


def threads_by_child(program: Program, shares: dict[str, int]) -> NDArray[np.float64]:
    """Return how many threads run each outermost node of a program; statements outside of loops run on one."""
    return np.array(
        [shares[child.nest] if isinstance(child, CountedLoop) else 1 for child in program.children], dtype=float
    )


def _divided_nests(nodes: tuple[Node, ...], threads: int, shares: dict[str, int]) -> tuple[Node, ...]:
    found: list[Node] = []
    for node in nodes:
        match node:
            case Loop():
                divider = _Divider(threads)
                found.extend(divider.nodes((node,)))
                shares[node.source_iterator] = max(shares[node.source_iterator], divider.used)
            case _:
                found.append(map_bodies(node, lambda body: _divided_nests(body, threads, shares)))
    return tuple(found)


class _Divider:
    """Divides the parallel loops of one nest; ``used`` is the largest number of threads that get a part."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self.used = 1

    def nodes(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(self._node(node) for node in nodes)

    def _node(self, node: Node) -> Node:
        match node:
            case Loop(mapping=Mapping.THREADS):
                return self._divided(node)
            case _:
                return map_bodies(node, self.nodes)

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
        return replace(loop, range=Strided(const(begin), const(end), step))
