"""The caches of :mod:`.lru` for whole streams, in numpy: many uses of a level at once instead of one by one.

Let the uses of one set be numbered.  A use hits if its line was used before and fewer than ``ways`` distinct lines were
used since; else it starts a *stay* of the line, which ends with the last use before the next miss of that line.  A full
set gives up the line whose last use is the earliest, and those that it keeps were used later: so the stays of a set end
in the order of their last uses, and miss number ``k`` of a set ends stay number ``k - ways``.  The first store of a
stay makes the line dirty.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..hierarchy import CacheLevel
from .lru import Caches, Counts
from .stream import Chunk

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_MOST_WAYS = 64  # beyond, one use after the other takes less time than to look back for so many lines
_AT_ONCE = 1 << 16  # uses, at least: what a level holds is sorted with them each time; this bounds the memory as well
_LOOKED_BACK = 4  # times the ways: so many uses for all at once, then each by itself


class Uses(Struct, frozen=True, eq=False):
    """Uses of lines in their order: ``marks`` are those of :meth:`.lru.Cache.use`, ``children`` whose uses they are."""

    lines: Ints
    marks: Ints
    children: Ints


class ArrayCache:
    """One level, and the lines that it holds with their marks: by set, in the order of their last uses."""

    def __init__(self, level: CacheLevel, *, whole: bool) -> None:
        self._ways = min(level.ways or level.lines, level.lines)
        self._sets = level.sets
        self._whole = whole
        self._waiting: list[Uses] = []
        self.lines: Ints = np.empty(0, np.int64)
        self.marks: Ints = np.empty(0, np.int64)

    def use(self, uses: Uses, *, last: bool) -> Uses | None:
        """Return what the next level sees of all uses so far, None until they are many or the ``last`` ones."""
        self._waiting.append(uses)
        number = sum(len(each.lines) for each in self._waiting)
        if not number or (not last and number < max(_AT_ONCE, len(self.lines))):
            return None
        together, self._waiting = _joined(self._waiting), []
        return self._used(together)

    def _used(self, uses: Uses) -> Uses:
        held = len(self.lines)
        lines, marks = np.concatenate([self.lines, uses.lines]), np.concatenate([self.marks, uses.marks])
        sets = lines & (self._sets - 1) if self._sets & (self._sets - 1) == 0 else lines % self._sets
        order = _order(sets, self._sets)
        lines, marks, sets = lines[order], marks[order], sets[order]
        by_line, again = _by_line(lines)
        misses = ~self._hits(by_line, again)
        left = _ends(by_line, misses, marks)

        starts, ends = misses.nonzero()[0], (left >= 0).nonzero()[0]  # by set, as many of one as of the other
        number = np.arange(len(starts))
        first, behind = _bounds(sets[starts])
        full, kept = number - first >= self._ways, behind - number <= self._ways
        given_up = ends[number[full] - self._ways]
        self.lines, self.marks = lines[ends[kept]], left[ends[kept]]
        written = left[given_up] > 1
        when = order[starts] - held  # negative for what was held before
        write_backs = when[full][written], lines[given_up][written], left[given_up][written]
        return self._passed_on(uses, when[when >= 0], write_backs)

    def _hits(self, by_line: Ints, again: Flags) -> Flags:
        """Return which uses hit: fewer than ``ways`` lines were used since the same one.

        Of the uses since then those of distinct lines are those whose own line was not used since.
        """
        before = np.full(len(by_line), -1)
        before[by_line[1:][again]] = by_line[:-1][again]
        short = np.arange(len(before)) - before <= self._ways
        hits: Flags = short & (before >= 0)
        pending = (~short & (before >= 0)).nonzero()[0]
        since, at, distinct = before[pending], pending.copy(), np.zeros(len(pending), np.int64)
        for number in range(1, _LOOKED_BACK * self._ways + 1):
            at -= 1
            distinct += before[at] < since
            if number >= self._ways:
                fits = distinct < self._ways
                ended = at == since + 1
                hits[pending[fits & ended]] = True
                on = fits & ~ended
                pending, since, at, distinct = pending[on], since[on], at[on], distinct[on]
                if not len(pending):
                    break
        for use, first in zip(pending.tolist(), since.tolist(), strict=True):
            hits[use] = np.count_nonzero(before[first + 1 : use] < first) < self._ways
        return hits

    def _passed_on(self, uses: Uses, missed: Ints, write_backs: tuple[Ints, Ints, Ints]) -> Uses:
        """Return what the next level sees: fetches of what ``missed``, and write-backs (when, line, mark) after them.

        What is written back as a whole line is not fetched.
        """
        fetched, back = np.zeros(len(uses.lines), bool), np.zeros(len(uses.lines), bool)
        fetched[missed[uses.marks[missed] < 2] if self._whole else missed] = True
        back[write_backs[0]] = True
        after = (fetched.astype(np.int64) + back).cumsum()
        of_fetch, of_back = after[fetched] - 1 - back[fetched], after[write_backs[0]] - 1
        lines, marks, children = (np.empty(int(after[-1]), np.int64) for _ in range(3))
        lines[of_fetch], lines[of_back] = uses.lines[fetched], write_backs[1]
        marks[of_fetch], marks[of_back] = uses.marks[fetched] & 1, write_backs[2] & -2
        children[of_fetch], children[of_back] = uses.children[fetched], uses.children[write_backs[0]]
        return Uses(lines, marks, children)


class ArrayCaches:
    """The levels of a hierarchy, each behind the one inside it."""

    def __init__(self, levels: Sequence[CacheLevel], children: int) -> None:
        self.levels = [ArrayCache(level, whole=number > 0) for number, level in enumerate(levels)]
        self.counts = Counts(len(levels), children)
        self._children = children

    def use(self, chunk: Chunk) -> None:
        """Pass a chunk through all levels and count, at the latest in :meth:`settle`."""
        marks = np.where(chunk.dirty, 2 * (chunk.child + 1) + chunk.first, 0)
        self._use(Uses(chunk.lines, marks, np.full(len(chunk.lines), chunk.child)), last=False)

    def settle(self) -> None:
        """Count all that was used so far."""
        nothing = np.empty(0, np.int64)
        self._use(Uses(nothing, nothing, nothing), last=True)

    def flush(self) -> None:
        """Write back what is dirty: at every level what it and the levels inside it hold, once."""
        lines, marks = np.empty(0, np.int64), np.empty(0, np.int64)
        for number, cache in enumerate(self.levels):
            dirty = cache.marks > 1
            lines, first = np.unique(np.concatenate([cache.lines[dirty], lines]), return_index=True)
            marks = np.concatenate([cache.marks[dirty], marks])[first]
            self._written(number, marks)

    def _use(self, uses: Uses, *, last: bool) -> None:
        for number, cache in enumerate(self.levels):
            seen = cache.use(uses, last=last)
            if seen is None and not last:
                return
            uses = Uses(*(np.empty(0, np.int64) for _ in range(3))) if seen is None else seen
            self.counts.read[number] += np.bincount(uses.children[uses.marks == 0], minlength=self._children)
            self.counts.allocate[number] += np.bincount(uses.children[uses.marks == 1], minlength=self._children)
            self._written(number, uses.marks[uses.marks > 1])

    def _written(self, number: int, marks: Ints) -> None:
        self.counts.written[number] += np.bincount((marks >> 1) - 1, minlength=self._children)


def exact_caches(levels: Sequence[CacheLevel], children: int) -> Caches | ArrayCaches:
    """Return empty caches for a whole stream: the faster ones of two kinds that count the same."""
    few = all(min(level.ways or level.lines, level.lines) <= _MOST_WAYS for level in levels)
    return ArrayCaches(levels, children) if few else Caches(levels, children)


def _joined(parts: Sequence[Uses]) -> Uses:
    columns = zip(*((part.lines, part.marks, part.children) for part in parts), strict=True)
    return Uses(*(np.concatenate(column) for column in columns))


def _order(sets: Ints, number: int) -> Ints:
    """Return the order that brings the uses of each set together; numbers of 16 bits are sorted by radix."""
    if number == 1:
        return np.arange(len(sets))
    return np.argsort(sets.astype(np.uint16) if number <= 1 << 16 else sets, kind="stable")


def _bounds(sets: Ints) -> tuple[Ints, Ints]:
    """Return for sorted numbers the position of the first one that is the same, and that behind the last one."""
    begins = np.append(0, (sets[1:] != sets[:-1]).nonzero()[0] + 1)
    ends = np.append(begins[1:], len(sets))
    return begins.repeat(ends - begins), ends.repeat(ends - begins)


def _by_line(lines: Ints) -> tuple[Ints, Flags]:
    """Return the positions of all uses by line, in their order, and whether all but the first are of the line before.

    Numbers that hold line and position are sorted several times as fast as the order of the lines.
    """
    bits, low = len(lines).bit_length(), int(lines.min())
    if int(lines.max()) - low >> (63 - bits):
        order = np.argsort(lines, kind="stable")
    else:
        order = np.sort(((lines - low) << bits) | np.arange(len(lines))) & ((1 << bits) - 1)
    ranked = lines[order]
    return order, ranked[1:] == ranked[:-1]


def _ends(by_line: Ints, misses: Flags, marks: Ints) -> Ints:
    """Return the mark that the line has at the end of each stay, by the use that is its last; -1 for other uses."""
    starts = misses[by_line]
    stay = starts.cumsum() - 1
    mark = np.zeros(int(stay[-1]) + 1, np.int64)
    stores = (marks[by_line] > 1).nonzero()[0][::-1]
    mark[stay[stores]] = marks[by_line[stores]]  # of several the last one stays: the first store
    left = np.full(len(by_line), -1)
    left[by_line[np.append(starts[1:], True)]] = mark
    return left
