"""How long parts of a reference stream are: subtree, counters -> a weight per execution of its statements, added up.

Loops whose bodies do not depend on their counter are multiplied; others are added up at ``_POINTS`` counters, each in
the middle of a block of equally many (at a random place of it below conditions).  That is exact for short loops and for
bounds linear in one counter, else accurate to some 1e-4, at a cost that does not depend on the sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..program.program import Child, CountedLoop, Leaf, Program

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Start = tuple[tuple[int, int], ...]

WHOLE = -(1 << 62)  # no value of a counter

_POINTS, _ROWS = 64, 1 << 15  # blocks of one loop, and of nested loops together, of which one iteration is counted
_GIVEN_POINTS = 1 << 20  # the same where given arrays decide lengths, which do not change evenly
_SEED = 7  # any number: what is drawn is drawn again


class ReferenceCounts:
    """Lengths of parts of a program when each execution of a statement counts ``weight``."""

    def __init__(self, program: Program, weight: Callable[[Leaf], float]) -> None:
        self._program = program
        self._weight = weight
        self._bound: dict[int, bool] = {}

    def of(self, child: Child, counters: Sequence[int] = ()) -> float:
        """Return length of one execution of a node."""
        columns = [np.array([value], dtype=np.int64) for value in counters]
        return float(self._child(child, columns, 1)[0])

    def longest_iteration(self, loop: CountedLoop, counters: Sequence[int], low: int, high: int) -> float:
        """Return about the largest length of one iteration between two counters."""
        return float(self._profile(loop, counters, low, high)[2].max(initial=0.0))

    def locate(self, position: int, offset: float, grain: float) -> Start:
        """Return position and counter at each depth near ``offset`` in a child of the program, to within ``grain``."""
        found: list[tuple[int, int]] = []
        child, counters = self._program.children[position], list[int]()
        while isinstance(child, CountedLoop):
            low, high = (int(bound) for bound in child.range(counters))
            if low > high:
                break
            first, many, each = self._profile(child, counters, low, high)
            ends = np.cumsum(many * each)
            block = min(int(np.searchsorted(ends, offset, side="right")), len(ends) - 1)
            offset -= float(ends[block] - many[block] * each[block])
            iterations = min(int(offset / max(each[block], 1e-9)), int(many[block]) - 1)
            offset -= iterations * float(each[block])
            found.append((position, int(first[block]) + iterations))
            counters.append(found[-1][1])
            if each[block] <= grain:
                return tuple(found)
            position, offset = self._position(child, counters, offset)
            child = child.children[position]
        return (*found, (position, WHOLE))

    def _position(self, loop: CountedLoop, counters: Sequence[int], offset: float) -> tuple[int, float]:
        """Return which child of a body an offset falls into, and the offset within it."""
        last = len(loop.children) - 1
        for position, child in enumerate(loop.children):
            length = self.of(child, counters)
            if offset < length or position == last:
                return position, offset
            offset -= length
        return last, offset

    def _profile(self, loop: CountedLoop, counters: Sequence[int], low: int, high: int) -> tuple[Ints, Ints, Floats]:
        """Return blocks of iterations: first counter, how many, and the length of one in the middle."""
        if low > high:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        points = _GIVEN_POINTS if self._program.has_given else _POINTS
        blocks = min(points, high - low + 1) if self._depends(loop) else 1
        edges = low + (high - low + 1) * np.arange(blocks + 1, dtype=np.int64) // blocks
        first, many = edges[:-1], np.diff(edges)
        middle = first + (many - 1 + np.arange(blocks) % 2) // 2
        columns = [np.full(blocks, value, dtype=np.int64) for value in counters]
        return first, many, self._body(loop, [*columns, middle], blocks)

    def _child(self, child: Child, counters: Sequence[Ints], rows: int) -> Floats:
        if isinstance(child, Leaf):
            return np.asarray(_allowed(child, counters, rows) * self._weight(child))
        low, high = (np.broadcast_to(np.asarray(bound, np.int64), (rows,)) for bound in child.range(counters))
        trips = np.maximum(high - low + 1, 0) * _allowed(child, counters, rows)
        if not self._depends(child):
            return np.asarray(trips * self._body(child, [*counters, low], rows))
        return self._sampled(child, counters, low, trips.astype(np.int64))

    def _sampled(self, loop: CountedLoop, counters: Sequence[Ints], low: Ints, trips: Ints) -> Floats:
        rows = len(low)
        if not rows:  # inside of a loop that never runs
            return np.zeros(0)
        most = _GIVEN_POINTS // rows if self._program.has_given else min(_POINTS, _ROWS // rows)
        points = int(min(trips.max(initial=1), max(4, most)))
        edges = trips[:, None] * np.arange(points + 1, dtype=np.int64) // max(points, 1)
        many = np.diff(edges, axis=1)
        owner, block = np.nonzero(many)
        length, begin = many[owner, block], edges[owner, block]
        if any(len(leaf.tests) > len(loop.tests) for leaf in loop.leaves):
            middle = begin + np.random.default_rng(_SEED).integers(0, length)
        else:
            middle = begin + (length - 1 + block % 2) // 2
        inner = [*(column[owner] for column in counters), low[owner] + middle]
        each = self._body(loop, inner, len(owner))
        return np.asarray(np.bincount(owner, weights=each * length, minlength=rows), dtype=np.float64)

    def _body(self, loop: CountedLoop, counters: Sequence[Ints], rows: int) -> Floats:
        total = np.zeros(rows)
        for child in loop.children:
            total += self._child(child, counters, rows)
        return total

    def _depends(self, loop: CountedLoop) -> bool:
        """Return whether the iterations of a loop may have different lengths."""
        if id(loop) not in self._bound:
            inner = [child for child in _below(loop) if child is not loop]
            self._bound[id(loop)] = any(len(child.tests) > len(loop.tests) for child in inner) or any(
                bound.limit.coefficient(loop.depth)
                for child in inner
                if isinstance(child, CountedLoop)
                for bound in (*child.lows, *child.highs)
            )
            self._bound[id(loop)] |= any(
                isinstance(child, CountedLoop) and loop.depth in child.length_depends for child in inner
            )
        return self._bound[id(loop)]


def _below(child: Child) -> Iterator[Child]:
    yield child
    if isinstance(child, CountedLoop):
        for inner in child.children:
            yield from _below(inner)


def _allowed(child: Child, counters: Sequence[Ints], rows: int) -> Any:
    """Return 1 for rows on which all conditions hold, else 0."""
    allowed = np.ones(rows)
    for test in child.tests:
        allowed *= np.broadcast_to(np.asarray(test.holds(counters), dtype=bool), (rows,))
    return allowed
