"""Bounds of the lines that one execution of a part of a program can touch, from its loop bounds alone.

Of nodes that touch fewer lines than a cache holds, in any set fewer than it has ways, nothing is lost between two uses,
whatever happens in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, prod

from msgspec import Struct

from ..hierarchy import CacheLevel
from ..program.program import Bound, Child, CountedLoop, Program

_SMALL = 0.7  # of a cache: with fewer lines no distance comes near its capacity


Range = tuple[float, float]


class Extents:
    """Lines of one size that nodes of a program touch at most, each worked out once."""

    def __init__(self, program: Program, line_bytes: int) -> None:
        """Work out between which values the counter of each loop is in any of its executions."""
        self._line = line_bytes
        self._known: dict[tuple[int, ...], list[tuple[float, float]]] = {}
        self._ranges: dict[int, Range] = {}
        for child in program.children:
            self._note(child, {})

    def _note(self, child: Child, ranges: Mapping[int, Range]) -> None:
        if isinstance(child, CountedLoop):
            own = self._ranges[id(child)] = _range(child, ranges)
            for node in child.children:
                self._note(node, {**ranges, child.depth: own})

    def at_most(self, children: Sequence[Child]) -> float:
        """Return how many lines one execution of these nodes touches at most; infinite where nothing bounds a loop."""
        return sum(min(lines, whole) for lines, whole in self._areas_of(children))

    def at_most_in_set(self, children: Sequence[Child], sets: int) -> float:
        """Return how many of them are in one of so many sets at most: lines in a row are in one after the other."""
        return sum(
            min(lines, (whole + sets - 1) // sets if whole < inf else inf) for lines, whole in self._areas_of(children)
        )

    def fits_well(self, children: Sequence[Child], cache: CacheLevel) -> bool:
        """Return whether no reuse within one execution of these nodes can miss in a cache, nor nearly."""
        in_one_set = self.at_most_in_set(children, cache.sets) if cache.sets > 1 else 0.0
        return fits_well(self.at_most(children), in_one_set, cache)

    def _areas_of(self, children: Sequence[Child]) -> list[tuple[float, float]]:
        """Return the most lines of references whose bytes follow each other: one for each execution, or all of them."""
        key = tuple(map(id, children))
        if key not in self._known:
            intervals: dict[tuple[tuple[int, int], ...], list[_Interval]] = {}
            for child in children:
                for outer, interval in self._within(child, {}):
                    intervals.setdefault(outer, []).append(interval)
            self._known[key] = [area for found in intervals.values() for area in self._areas(found)]
        return self._known[key]

    def _within(
        self, child: Child, inner: Mapping[int, Range]
    ) -> Iterator[tuple[tuple[tuple[int, int], ...], _Interval]]:
        """Yield the bytes of each reference, relative to what the counters of outer loops add: ``inner`` are others."""
        if isinstance(child, CountedLoop):
            for node in child.children:
                yield from self._within(node, {**inner, child.depth: self._ranges[id(child)]})
            return
        executions = prod((max(0.0, high - low + 1) for low, high in inner.values()), start=1.0)
        for reference in child.references if executions else ():
            first = last = float(reference.address.constant)
            for depth, factor in reference.address.terms:
                if depth in inner:
                    ends = factor * inner[depth][0], factor * inner[depth][1]
                    first, last = first + min(ends), last + max(ends)
            outer = tuple(term for term in reference.address.terms if term[0] not in inner)
            yield outer, _Interval(first, last + reference.size_bytes, executions)

    def _areas(self, intervals: Sequence[_Interval]) -> Iterator[tuple[float, float]]:
        lines, begin, end = 0.0, -inf, -inf
        for interval in sorted(intervals, key=lambda each: each.first):
            if lines and interval.first >= end + self._line:
                yield lines, self._between(begin, end)
                lines = 0.0
            if not lines:
                begin = interval.first
            lines += min(interval.executions, self._between(interval.first, interval.last))
            end = max(end, interval.last)
        yield lines, self._between(begin, end)

    def _between(self, begin: float, end: float) -> float:
        return (end - begin - 2) // self._line + 2 if end - begin < inf else inf


class _Interval(Struct, frozen=True):
    """The first byte of a reference and the one after its last one, and how often it executes at most."""

    first: float
    last: float
    executions: float


def fits_well(lines: float, in_one_set: float, cache: CacheLevel) -> bool:
    """Return whether no reuse among so many lines, so many of them in one set, can miss in a cache, nor nearly."""
    if cache.sets > 1:
        return in_one_set <= (cache.ways or 1) - 2
    return lines < _SMALL * cache.lines


def _range(loop: CountedLoop, ranges: Mapping[int, Range]) -> Range:
    """Return the least and the greatest value of a counter in any execution, given those of the outer ones."""
    lows = [_extreme(bound, ranges, largest=False) for bound in loop.lows]
    highs = [_extreme(bound, ranges, largest=True) for bound in loop.highs]
    return max(lows, default=-inf), min(highs, default=inf)


def _extreme(bound: Bound, ranges: Mapping[int, Range], *, largest: bool) -> float:
    total: float = bound.limit.constant
    for depth, factor in bound.limit.terms:
        total += factor * ranges[depth][(factor > 0) == largest]
    return total / bound.divisor
