"""The part of a region that threads execute who share a cache: static schedules of loops that are parallel.

The iterations of the outermost parallel loop of each nest are split into equal chunks.  A cache of one core sees the
chunk of one thread: that in the middle, which in a triangular loop is the average one.  A cache that several cores
share sees all of their threads, taken to run in step: a loop over the threads becomes the innermost one, so that what
several of them read at the same time is in the cache once.

>>> from ....ir.index import var
>>> from ....source import Span
>>> copy = Loop("i", Strided(const(0), const(100)), (), Span("a.c", 1, 1), mapping=Mapping.THREADS)
>>> alone = division((copy,), 4, 1)
>>> str(alone.body[0].range.start), str(alone.body[0].range.stop), alone.times
('25', '50', {'i': 4.0})
>>> division((copy,), 4, 4).times
{'i': 1.0}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping as ReadOnly
from typing import assert_never

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ....ir.index import const, maximum, minimum, var
from ....ir.nodes import And, Compare, Comparison, Exit, Guard, Loop, Mapping, Node, Range, Statement, Strided
from ....ir.passes.drivers import outermost_loops
from ....ir.passes.substitute import bind_nodes
from ....ir.traverse import accesses, map_bodies
from ...hierarchy import Hierarchy
from ..intervals import Interval
from ..intervals import bounds_of as interval_of
from ..program import Child, CountedLoop, Program
from .lockstep import inwards


class Division(Struct, frozen=True, kw_only=True):
    """What the threads execute that share a cache, and how many such groups of threads there are.

    ``times`` is their number for each outermost loop, by its iterator in the source, ``threads`` the most threads that
    get a part.  The nests in ``mixed`` also have statements that one thread executes alone.
    """

    body: tuple[Node, ...]
    times: ReadOnly[str, float]
    threads: int
    mixed: frozenset[str]


def division(body: tuple[Node, ...], threads: int, sharing: int) -> Division:
    """Divide the nests of a body among threads, of which ``sharing`` use one cache together.

    A nest without a parallel loop that could be divided runs on one thread.
    """
    times = {loop.source_iterator: 1.0 for loop in outermost_loops(body)}
    if threads < 2 or not times:
        return Division(body=body, times=times, threads=1, mixed=frozenset())
    found = _Nests(threads, sharing, times)
    nodes = found.nodes(body)
    return Division(body=nodes, times=found.times, threads=found.threads, mixed=frozenset(found.mixed))


def by_sharing(body: tuple[Node, ...], hierarchy: Hierarchy) -> list[tuple[Division, int, list[int]]]:
    """Return the division of a body for each number of threads that share a cache, and the levels that it is for.

    Without a loop that could be divided all levels see the same.
    """
    alone = division(body, hierarchy.units, 1)
    found: dict[int, list[int]] = {}
    for row, level in enumerate(hierarchy.levels):
        sharing = 1 if alone.threads == 1 else min(level.shared_by, alone.threads)
        found.setdefault(sharing, []).append(row)
    return [
        (alone if sharing == 1 else division(body, hierarchy.units, sharing), sharing, rows)
        for sharing, rows in found.items()
    ]


def times_by_child(program: Program, times: ReadOnly[str, float]) -> NDArray[np.float64]:
    """Return how often each outermost node of a program is executed; statements outside of loops run once."""
    return np.array([times[child.nest] if isinstance(child, CountedLoop) else 1.0 for child in program.children])


def columns_of(program: Program, whole: Program) -> NDArray[np.int64]:
    """Return for each outermost node of a program the position of what it comes from in the program of one thread."""
    positions: dict[tuple[int, str | None], list[int]] = {}
    for position, (origin, child) in enumerate(zip(whole.origins, whole.children, strict=True)):
        positions.setdefault((origin, nest_of(child)), []).append(position)
    met: Counter[tuple[int, str | None]] = Counter()
    found = []
    for origin, child in zip(program.origins, program.children, strict=True):
        key = (origin, nest_of(child))
        found.append(positions[key][met[key] % len(positions[key])])
        met[key] += 1
    return np.array(found, dtype=np.int64)


def nest_of(child: Child) -> str | None:
    """Return the iterator of an outermost loop, None of a statement."""
    return child.nest if isinstance(child, CountedLoop) else None


class _Nests:
    """Divides the nests of a region one by one."""

    def __init__(self, threads: int, sharing: int, times: dict[str, float]) -> None:
        self._threads = threads
        self._sharing = sharing
        self.times = times
        self.threads = 1
        self.mixed: set[str] = set()

    def nodes(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(self._nest(node) if isinstance(node, Loop) else map_bodies(node, self.nodes) for node in nodes)

    def _nest(self, loop: Loop) -> Node:
        divider = _Divider(self._threads, self._sharing)
        found = divider.node(loop, {})
        name = loop.source_iterator
        self.times[name] = max(self.times[name], divider.times)
        self.threads = max(self.threads, divider.threads)
        if divider.threads > 1 and divider.is_mixed:
            self.mixed.add(name)
        return found


class _Divider:
    """Divides the parallel loops of one nest; ``threads`` is the largest number of threads that get a part."""

    def __init__(self, threads: int, sharing: int) -> None:
        self._threads = threads
        self._sharing = sharing
        self.threads = 1
        self.times = 1.0
        self.is_mixed = False

    def node(self, node: Node, ranges: ReadOnly[str, Interval]) -> Node:
        """Return a node with its parallel loops divided; ``ranges`` are those of the iterators around it."""
        match node:
            case Loop(mapping=Mapping.THREADS):
                return self._divided(node, ranges)
            case Loop():
                inner = _with_range(node, ranges)
                return map_bodies(node, lambda body: tuple(self.node(each, inner) for each in body))
            case Guard():
                return map_bodies(node, lambda body: tuple(self.node(each, ranges) for each in body))
            case Statement():
                self.is_mixed = self.is_mixed or any(accesses(node))
                return node
            case Exit():
                return node
            case _:
                assert_never(node)

    def _divided(self, loop: Loop, ranges: ReadOnly[str, Interval]) -> Loop:
        ascending, threads = _ascending(loop.range), min(self._threads, loop.threads or self._threads)
        hull = None if ascending is None else _hull(ascending, ranges)
        if ascending is None or hull is None or threads < 2:
            return loop
        (low, high), step = hull, ascending.step
        trips = -(-(high - low) // step)
        chunk = -(-trips // threads)
        working = -(-trips // chunk)
        self.threads = max(self.threads, working)
        together = min(self._sharing, working)
        self.times = max(self.times, 1.0 if together == working else trips / (chunk * together))
        first = (working - 1) // 2 if together == 1 else (working // together - 1) // 2 * together
        begin, length = low + first * chunk * step, chunk * step
        if together == 1:
            return _of_one(loop, ascending, begin, length)
        return _of_several(loop, ascending, begin, length, together)


def _of_one(loop: Loop, whole: Strided, begin: int, length: int) -> Loop:
    """Return the iterations of one thread: from ``begin`` on, as many as its chunk has."""
    first, end = const(begin), const(begin + length)
    if whole.start.constant is None:
        first = maximum((whole.start, first))
    return replace(loop, range=Strided(first, minimum((whole.stop, end)), whole.step))


def _of_several(loop: Loop, whole: Strided, begin: int, length: int, together: int) -> Loop:
    """Return the iterations of several threads: those with the same number in their chunks follow each other."""
    iterator, thread = loop.iterator, f"{loop.iterator}.thread"
    own = var(iterator) + var(thread)
    end = begin + together * length
    threads = Strided(const(0), const(together * length), length)
    body = bind_nodes(loop.body, {iterator: own})
    if whole.start.constant is None or whole.stop.constant is None:
        runs = (Compare(Comparison.GE, own, whole.start), Compare(Comparison.LT, own, whole.stop))
        body = (Guard(And(runs), body, (), loop.span),)
    elif whole.stop.constant < end:
        threads = replace(threads, stop=whole.stop - var(iterator))
    inner = replace(loop, iterator=thread, range=threads, body=())
    return replace(
        loop,
        range=Strided(const(begin), const(begin + length), whole.step),
        body=inwards(inner, body),
    )


def _ascending(range_: Range) -> Strided | None:
    """Return the values of an iterator from the least one on; None where they are not known to be so far apart."""
    if not isinstance(range_, Strided) or range_.step > 0:
        return range_ if isinstance(range_, Strided) and _is_regular(range_) else None
    start, stop, step = range_.start, range_.stop, -range_.step
    distance = (start - stop).constant
    if distance is None:
        return Strided(stop + 1, start + 1, 1) if step == 1 else None
    return Strided(start - (max(0, -(-distance // step)) - 1) * step, start + 1, step)


def _is_regular(range_: Strided) -> bool:
    return range_.step == 1 or range_.start.constant is not None


def _hull(range_: Strided, ranges: ReadOnly[str, Interval]) -> Interval | None:
    """Return the least value and the end of a range for iterators in some ranges; None where it is empty."""
    low, high = interval_of(range_.start, ranges), interval_of(range_.stop, ranges)
    return None if low is None or high is None or high[1] <= low[0] else (low[0], high[1])


def _with_range(loop: Loop, ranges: ReadOnly[str, Interval]) -> ReadOnly[str, Interval]:
    ascending = _ascending(loop.range)
    hull = None if ascending is None else _hull(ascending, ranges)
    return ranges if hull is None else {**ranges, loop.iterator: (hull[0], hull[1] - 1)}
