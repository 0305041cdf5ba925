"""The latest or earliest execution of a reference that touches a line, for many lines at once in numpy.

The search runs down the loops of a reference and keeps, for every counter, only values from which the line can be
reached, given the widest ranges of the inner counters; where that was too hopeful it takes the next value, of those
that conditions leave possible for some inner counters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ....domains.limits import check
from ...program.possible import Possible, possible
from ...program.program import Affine, Test
from ...program.ranges import Ints, Ranges, extreme, widest
from .alike import Uses, address_of

Flags = NDArray[np.bool_]

_TRIES = 48  # values tried of one counter before a search is given up: bounds time
_ASKED_AT_ONCE = 100_000  # values with their samples: bounds the size of the arrays
_BRANCHES = 16  # iterations of one loop in which a use is looked for, likewise
_FAR = np.int64(1) << 60  # beyond every iteration


class LineSearch:
    """Finds the latest or earliest execution of a reference that touches a line, the outer counters given."""

    def __init__(self, uses: Uses, line_bytes: int, *, latest: bool) -> None:
        self._uses = uses
        self._loops = uses.leaf.loops
        self._factors = dict(uses.terms)
        self._line = line_bytes
        self._latest = latest
        self._needed = tuple(expression for test in uses.leaf.tests for expression in test.needed)
        self._tests: dict[int, list[Test]] = {}  # by the depth from which all counters that they compare are given
        self._open: dict[int, list[Possible]] = {}  # by each depth outside of the last counter that they compare
        for test in uses.leaf.tests:
            last = max(test.depths, default=-1)
            self._tests.setdefault(last + 1, []).append(test)
            inside = possible(test.condition, uses.leaf.loops) if len(test.depths) > 1 else None
            if inside is not None:
                for depth in range(last):
                    self._open.setdefault(depth, []).append(inside)

    def solve(self, fixed: Ints, target: Ints, limits: tuple[Ints, Ints] | None) -> tuple[Flags, Ints]:
        """Return counters (a row per depth) of an execution whose address less its offset is in the line at ``target``.

        ``limits`` narrow the first counter that is not fixed.  Raises ``OverBudget`` after the deadline.
        """
        check()
        counters = np.zeros((len(self._loops), len(target)), dtype=np.int64)
        counters[: len(fixed)] = fixed
        left = target - address_of([(d, f) for d, f in self._uses.terms if d < len(fixed)], counters)
        if not self._tests:
            return self._level(len(fixed), counters, left, limits), counters
        possible = np.ones(len(target), bool)
        for depth in range(len(fixed) + 1):
            possible &= self._may_run(depth, counters)
        some = np.nonzero(possible)[0]
        part, found = counters[:, some], np.zeros(len(target), bool)
        narrowed = None if limits is None else (limits[0][some], limits[1][some])
        found[some] = self._level(len(fixed), part, left[some], narrowed)
        counters[:, some] = part
        return found, counters

    def _may_run(self, depth: int, counters: Ints) -> Flags:
        """Return whether the conditions hold that compare no counter from ``depth`` on, but the one before it."""
        found = np.ones(counters.shape[1], bool)
        for test in self._tests.get(depth, ()):
            found &= np.asarray(test.holds(counters), dtype=np.bool_)
        return found

    def _level(self, depth: int, counters: Ints, left: Ints, limits: tuple[Ints, Ints] | None) -> Flags:
        """Fill in counters from ``depth`` on; ``left`` is what their part of the address has to reach."""
        if depth == len(self._loops):
            found: Flags = (left <= 0) & (left + self._line - 1 >= 0)
            return found
        if self._loops[depth].length is not None:
            low, high = self._loops[depth].range(counters)
            limits = (low, high) if limits is None else (np.maximum(low, limits[0]), np.minimum(high, limits[1]))
        ranges = widest(self._loops[depth:], counters, len(left), limits)
        if self._needed:
            ranges[depth] = self._narrowed(depth, counters, ranges)
        rows, low, high = self._intervals(depth, left, ranges)
        return self._try(depth, counters, left, _Candidates(rows, low, high, len(left)))

    def _narrowed(self, depth: int, counters: Ints, ranges: Ranges) -> tuple[Ints, Ints]:
        """Return the values of the counter at ``depth`` for which the conditions may hold, given the ranges inside."""
        low, high = ranges[depth]
        inside = {inner: range_ for inner, range_ in ranges.items() if inner > depth}
        for expression in self._needed:
            own = expression.coefficient(depth)
            if own:
                rest = Affine(expression.constant, tuple(term for term in expression.terms if term[0] != depth))
                most = extreme(rest, counters, inside, largest=True)
                low, high = (
                    (np.maximum(low, -(most // own)), high) if own > 0 else (low, np.minimum(high, most // -own))
                )
        return low, high

    def _try(self, depth: int, counters: Ints, left: Ints, candidates: _Candidates) -> Flags:
        """Take the best value of a counter, and the next ones where no inner counters go with it."""
        found = np.zeros(len(left), dtype=bool)
        factor = self._factors.get(depth, 0)
        for value, may_be in self._ranked(depth, counters, left, candidates, found):
            pending = np.nonzero(may_be & ~found)[0]
            if not len(pending):
                continue
            inner = counters[:, pending]
            inner[depth] = value[pending]
            good = self._level(depth + 1, inner, left[pending] - factor * inner[depth], None)
            done = pending[good]
            counters[:, done] = inner[:, good]
            found[done] = True
        return found

    def _ranked(
        self, depth: int, counters: Ints, left: Ints, candidates: _Candidates, found: Flags
    ) -> Iterator[tuple[Ints, Flags]]:
        """Yield values of the counter at ``depth``, the best of each sample first, and for which of them it may be.

        It ends where all samples are ``found`` that have a value left.  Conditions that the counter settles are asked
        for the best value, then for many at once: each may hold nowhere near it.  So are, from the second value on,
        those that inner counters settle: whether they may hold at all.
        """
        tries, together = 1 if self._uses.irrelevant[depth] else _TRIES, 1
        settles, is_first = depth + 1 in self._tests, True
        value: Ints | None = None
        while tries:
            ranks: list[tuple[Ints, Flags]] = []
            while len(ranks) < min(tries, together):
                value, may_be = candidates.best(value, latest=self._latest)
                may_be &= ~found
                if not may_be.any():
                    tries = len(ranks)  # the last
                    break
                ranks.append((value, may_be))
            if not ranks:
                return
            tries -= len(ranks)
            if settles or (depth in self._open and not is_first):
                ranks = self._kept(depth, counters, left, ranks, is_first=is_first)
            if settles or depth in self._open:
                together = max(1, _ASKED_AT_ONCE // len(found))
            is_first = False
            yield from ranks

    def _kept(
        self, depth: int, counters: Ints, left: Ints, ranks: Sequence[tuple[Ints, Flags]], *, is_first: bool
    ) -> list[tuple[Ints, Flags]]:
        """Return the values of the counter at ``depth`` with the samples for which its conditions hold, or may hold."""
        which = [np.nonzero(may_be)[0] for _, may_be in ranks]
        columns = counters[:, np.concatenate(which)]
        columns[depth] = np.concatenate([value[some] for (value, _), some in zip(ranks, which, strict=True)])
        hold = self._may_run(depth + 1, columns)
        if depth in self._open and not is_first:
            rest = left[np.concatenate(which)] - self._factors.get(depth, 0) * columns[depth]
            hold &= self._may_run_inside(depth, columns, rest)
        kept = []
        holds = np.split(hold, np.cumsum([len(some) for some in which])[:-1])
        for (value, before), some, now in zip(ranks, which, holds, strict=True):
            may_be = np.zeros_like(before)
            may_be[some] = now
            if now.any():
                kept.append((value, may_be))
        return kept

    def _may_run_inside(self, depth: int, counters: Ints, left: Ints) -> Flags:
        """Return whether the conditions that inner counters settle may hold for some that reach the line."""
        ranges = widest(self._loops[depth + 1 :], counters, len(left))
        inner = {d: f for d, f in self._uses.terms if d > depth}
        for own, factor in sorted(inner.items(), key=lambda item: -abs(item[1])):
            least, most = _reach({d: f for d, f in inner.items() if d != own}, ranges)
            ranges[own] = _solutions(factor, left - most, left + self._line - 1 - least, ranges[own])
        found = np.ones(len(left), bool)
        for low, high in ranges.values():
            found &= low <= high
        ranges |= {d: (counters[d], counters[d]) for d in range(depth + 1)}
        for may_hold in self._open[depth]:
            found &= may_hold(ranges)
        return found

    def _intervals(self, depth: int, left: Ints, ranges: Ranges) -> tuple[Ints, Ints, Ints]:
        """Return values of the counter at ``depth`` from which the line may be reached.

        Intervals, each with its sample.

        Inner counters with larger factors are settled first: a row of a matrix, before the place in the row.
        """
        own = self._factors.get(depth, 0)
        alive: Any = True
        for first, last in ranges.values():
            alive = alive & (first <= last)
        rows = alive.nonzero()[0]
        left = left[rows]
        open_ = {d: f for d, f in self._uses.terms if d >= depth}
        ranges = {d: (ranges[d][0][rows], ranges[d][1][rows]) for d in {depth, *open_}}
        for inner in sorted((d for d in open_ if d > depth and abs(open_[d]) > abs(own)), key=lambda d: -abs(open_[d])):
            factor = open_[inner]
            least, most = _reach({d: f for d, f in open_.items() if d != inner}, ranges)
            first, last = _solutions(factor, left - most, left + self._line - 1 - least, ranges[inner])
            number = np.maximum(last - first + 1, 0)
            if number.max(initial=0) > _BRANCHES:
                break
            index = np.repeat(np.arange(len(rows)), number)
            values = first[index] + np.arange(len(index)) - (np.cumsum(number) - number)[index]
            rows, left = rows[index], left[index] - factor * values
            del open_[inner]
            ranges = {d: (ranges[d][0][index], ranges[d][1][index]) for d in {depth, *open_}}
        least, most = _reach({d: f for d, f in open_.items() if d != depth}, ranges)
        bottom, top = left - most, left + self._line - 1 - least
        low, high = ranges[depth]
        if own:
            return rows, *_solutions(own, bottom, top, (low, high))
        return rows, low, np.where((bottom <= 0) & (top >= 0), high, low - 1)


class _Candidates(Struct, frozen=True):
    """Intervals of values for samples: ``rows`` names the sample of each interval."""

    rows: Ints
    low: Ints
    high: Ints
    samples: int

    def best(self, after: Ints | None, *, latest: bool) -> tuple[Ints, Flags]:
        """Return the largest (latest) or smallest value of each sample that comes after the given ones."""
        low, high = self.low, self.high
        if after is not None:
            if latest:
                high = np.minimum(high, after[self.rows] - 1)
            else:
                low = np.maximum(low, after[self.rows] + 1)
        good = low <= high
        if latest:
            value = np.full(self.samples, -_FAR)
            np.maximum.at(value, self.rows[good], high[good])
            return value, value > -_FAR
        value = np.full(self.samples, _FAR)
        np.minimum.at(value, self.rows[good], low[good])
        return value, value < _FAR


def _reach(factors: dict[int, int], ranges: Ranges) -> tuple[Any, Any]:
    """Return the least and most that some counters add to the address; meaningless where one has an empty range."""
    least: Any = 0
    most: Any = 0
    for depth, factor in factors.items():
        first, last = ranges[depth] if factor > 0 else ranges[depth][::-1]
        least = least + factor * first
        most = most + factor * last
    return least, most


def _solutions(factor: int, bottom: Ints, top: Ints, range_: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return the first and last value within a range with ``bottom <= factor * value <= top``."""
    if factor < 0:
        factor, bottom, top = -factor, -top, -bottom
    return np.maximum(range_[0], -(-bottom // factor)), np.minimum(range_[1], top // factor)
