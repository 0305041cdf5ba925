"""What happened to a cache line before: the use that precedes a given one, and the longest rest between two uses.

A dirty line stays in the cache from one store to the next if every use in between finds it there.  So the distance
that decides about its write-back is the largest of the stack distances between consecutive uses.  Uses within a span
of time in which no cache loses a line always find it, and are passed over at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...hierarchy import CacheLevel
from ...program.program import Child, Leaf, Program, leaves_of
from ...program.ranges import Ints
from ..distances.stack_distance import Moments, StackDistances
from .alike import Uses, uses_of
from .search import Finder, Found, Limits, kinds, taken

# Work against error: ``python -m tests.bench.traffic`` prints both, against exact simulations.
_LONGEST_CHAIN = 12  # uses followed backwards from a store
_PROBES = 8  # samples that tell how many lines a span touches
_MOST_ITERATIONS = 1024  # of one span


class _Span(Struct, frozen=True):
    """Children of a body with ``depth`` outer counters fixed; with ``iterations`` only the last ones of their loop."""

    children: tuple[Child, ...]
    depth: int
    iterations: int = 0

    def iterations_until(self, counters: Ints) -> tuple[Ints, Ints] | None:
        """Return the range of iterations up to the one that is under way."""
        if not self.iterations:
            return None
        now = counters[self.depth]
        return now - self.iterations + 1, now


class Lifetimes:
    """All uses of one array in a program."""

    def __init__(
        self, program: Program, array: str, stack_distances: StackDistances, caches: Sequence[CacheLevel]
    ) -> None:
        self._program = program
        self._stack_distances = stack_distances
        self.uses: list[Uses] = [uses for child in program.children for uses in uses_of(child, array, writes=False)]
        self.levels = max(len(uses.leaf.loops) for uses in self.uses)
        self._finder = Finder(self.uses, caches[0].line_bytes, self.levels)
        self._caches = tuple(caches)
        self._fewest_lines = min(cache.lines for cache in caches)
        self._short: dict[int, _Span | None] = {}

    def position_of(self, uses: Uses, reference: int) -> tuple[int, int]:
        """Return where a reference stands among all uses: the uses and the reference in them."""
        for position, own in enumerate(self.uses):
            if own.leaf is uses.leaf and own.terms == uses.terms:
                wanted = uses.references[reference]
                return position, own.references.index(wanted)
        raise ValueError("the reference is not one of the array")

    def longest_rest(self, start: Found, end: Found, line: Ints, sets: Sequence[int]) -> tuple[Ints, list[Ints]]:
        """Return the largest distance between consecutive uses from ``start`` to ``end``, and the same within a set.

        After :data:`_LONGEST_CHAIN` uses the rest counts as one interval.
        """
        samples = len(line)
        distance, in_set = np.zeros(samples, np.int64), [np.zeros(samples, np.int64) for _ in sets]
        pending, current = np.arange(samples), end
        for step in range(_LONGEST_CHAIN):
            if not len(pending):
                break
            last = step == _LONGEST_CHAIN - 1
            origin = taken(start, pending)
            earlier = origin if last else self._previous(current, line[pending])
            found, same = self.distances(earlier, current, line[pending], sets)
            distance[pending] = np.maximum(distance[pending], found)
            for total, part in zip(in_set, same, strict=True):
                total[pending] = np.maximum(total[pending], part)
            on = np.nonzero(~_equal(earlier, origin) & earlier.found)[0]
            pending = pending[on]
            current, arrived = self._start_of_span(taken(earlier, on), taken(origin, on), line[pending])
            pending, current = pending[~arrived], taken(current, np.nonzero(~arrived)[0])
        return distance, in_set

    def _start_of_span(self, found: Found, origin: Found, line: Ints) -> tuple[Found, NDArray[np.bool_]]:
        """Return the first use of the line in the same short span of time, and whether ``origin`` is in that span."""
        result, arrived = Found.none(len(line), self.levels), np.zeros(len(line), bool)
        for position in np.nonzero(np.bincount(found.uses))[0].tolist():
            index = np.nonzero(found.uses == position)[0]
            leaf = self.uses[position].leaf
            short = self._short_span(leaf, found.counters[:, index], line[index])
            if short is None:
                result.put(index, taken(found, index))
                continue
            inside = self._inside(short.children)
            fixed = found.counters[: short.depth, index]
            limits = short.iterations_until(found.counters[:, index])
            first = self._finder.search(inside, fixed, line[index], limits, latest=False)[0]
            result.put(index, first)
            here = np.isin(origin.uses[index], inside)
            here &= (origin.counters[: short.depth, index] == fixed).all(axis=0)
            if limits is not None:
                here &= origin.counters[short.depth, index] >= limits[0]
            arrived[index] = here
        return result, arrived

    def _short_span(self, leaf: Leaf, counters: Ints, line: Ints) -> _Span | None:
        """Return the longest span around a statement in which no cache loses a line.

        None where even one iteration is too long.
        """
        if id(leaf) not in self._short:
            step = max(1, counters.shape[1] // _PROBES)
            spans = self._spans(leaf, counters[:, ::step], line[::step])
            self._short[id(leaf)] = next((span for span in spans if self._keeps(span, counters, line, step)), None)
        return self._short[id(leaf)]

    def _spans(self, leaf: Leaf, counters: Ints, line: Ints) -> Iterator[_Span]:
        """Yield, outermost first, bodies around a statement, the child that holds it, some of its iterations."""
        for depth, position in enumerate(leaf.positions):
            body = leaf.loops[depth - 1].children if depth else self._program.children
            yield _Span(tuple(body), depth)
            if len(body) > 1:
                yield _Span((body[position],), depth)
            if depth < len(leaf.loops):
                inner = leaf.loops[depth].children
                fixed = list(counters[: depth + 1])
                lines = int(self._stack_distances.touched(inner, fixed, self._fewest_lines).max())
                iterations = min(self._fewest_lines // max(lines, 1), _MOST_ITERATIONS)
                while iterations > 1:
                    yield _Span((body[position],), depth, iterations)
                    iterations //= 4

    def _keeps(self, span: _Span, counters: Ints, line: Ints, step: int) -> bool:
        """Return whether no cache loses a line in a span, judged by some samples.

        A span with more lines than the smallest cache has does not, whatever their sets.
        """
        if not span.depth and not span.iterations and self._is_beyond(span.children):
            return False
        some = counters[:, ::step]
        target = line[::step] // self._finder.line_bytes
        sets = sorted({cache.sets for cache in self._caches if cache.sets > 1})
        lines, in_set = self._stack_distances.touched_near(
            span.children, list(some[: span.depth]), span.iterations_until(some), target, sets, self._fewest_lines
        )
        for cache in self._caches:
            found, room = (lines, cache.lines) if cache.sets == 1 else (in_set[sets.index(cache.sets)], cache.ways or 1)
            if int(found.max()) > room:
                return False
        return True

    def _is_beyond(self, children: tuple[Child, ...]) -> bool:
        """Return whether whole nests touch more lines than the smallest cache has: the same for each sample."""
        return int(self._stack_distances.touched(children, (), self._fewest_lines)[0]) > self._fewest_lines

    def distances(self, start: Found, end: Found, line: Ints, sets: Sequence[int]) -> tuple[Ints, list[Ints]]:
        """Stack distances of pairs of any kind."""
        samples = len(line)
        distance, in_set = np.zeros(samples, np.int64), [np.zeros(samples, np.int64) for _ in sets]
        level, carried = self._parting(start, end)
        code = np.stack([start.uses, start.reference, end.uses, end.reference, level, carried.astype(np.int64)])
        known = np.nonzero(start.found)[0]
        alike, kind = kinds(code[:, known])
        for position in range(alike.shape[1]):
            index = known[kind == position]
            found, same = self._stack_distances.distinct(
                self._moments(start, index),
                self._moments(end, index),
                int(alike[4, position]),
                carried=bool(alike[5, position]),
                target=line[index] // self._finder.line_bytes,
                sets=sets,
            )
            distance[index] = found
            for total, part in zip(in_set, same, strict=True):
                total[index] = part
        return distance, in_set

    def _parting(self, start: Found, end: Found) -> tuple[Ints, NDArray[np.bool_]]:
        """Return depth at which two moments part, and whether in iterations of a loop (else in children of a body)."""
        samples = len(start.uses)
        level, carried = np.full(samples, -1, np.int64), np.zeros(samples, bool)
        for depth in range(self.levels + 1):
            there = np.array([_at(uses.leaf.positions, depth) for uses in self.uses])
            apart = (there[start.uses] != there[end.uses]) & (level < 0)
            level[apart] = depth
            if depth < self.levels:
                turned = (start.counters[depth] != end.counters[depth]) & (level < 0)
                level[turned], carried[turned] = depth, True
        same = level < 0
        depths = np.array([len(uses.leaf.loops) for uses in self.uses])
        level[same] = depths[start.uses[same]]
        return level, carried

    def _moments(self, found: Found, index: Ints) -> Moments:
        uses = self.uses[found.uses[index[0]]]
        counters = tuple(found.counters[depth, index] for depth in range(len(uses.leaf.loops)))
        return Moments(uses.leaf, counters, uses.references[found.reference[index[0]]].order)

    def _previous(self, found: Found, line: Ints) -> Found:
        """Return the use of the line before the given ones."""
        result = Found.none(len(line), self.levels)
        for position in np.nonzero(np.bincount(found.uses))[0].tolist():
            uses = self.uses[position]
            pending = np.nonzero(found.uses == position)[0]
            order = np.zeros(len(line), np.int64)
            order[pending] = np.array([item.order for item in uses.references])[found.reference[pending]]
            for children, depth, turned in self._backwards(uses):
                if not len(pending):
                    break
                inside = self._inside(children)
                limits = None
                if turned:
                    before = found.counters[depth, pending] - 1
                    limits = (np.full_like(before, -(1 << 50)), before)
                own = None if children else Limits(position, order[pending])
                some = self._finder.search(
                    [position] if own else inside,
                    found.counters[:depth, pending],
                    line[pending],
                    limits,
                    latest=True,
                    before=own,
                )[0]
                hit = np.nonzero(some.found)[0]
                result.put(pending[hit], taken(some, hit))
                pending = pending[~some.found]
        return result

    def _backwards(self, uses: Uses) -> Iterator[tuple[Sequence[Child], int, bool]]:
        """Yield what comes before a statement, nearest first: children, fixed counters, and whether earlier iterations.

        No children stand for the statement itself.
        """
        leaf = uses.leaf
        for level in range(len(leaf.loops), -1, -1):
            body = self._program.children if level == 0 else leaf.loops[level - 1].children
            if level == len(leaf.loops):
                yield (), level, False
            for child in reversed(body[: leaf.positions[level]]):
                yield (child,), level, False
            if level:
                yield tuple(body), level - 1, True

    def _inside(self, children: Sequence[Child]) -> list[int]:
        leaves = {id(leaf) for child in children for leaf in leaves_of(child)}
        return [position for position, uses in enumerate(self.uses) if id(uses.leaf) in leaves]


def _at(positions: Sequence[int], depth: int) -> int:
    return positions[depth] if depth < len(positions) else -1


def _equal(left: Found, right: Found) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = (left.uses == right.uses) & (left.reference == right.reference)
    same &= (left.counters == right.counters).all(axis=0)
    return same
