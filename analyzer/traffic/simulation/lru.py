"""Caches with least-recently-used replacement: chunks of lines in, lines filled and written back per level out.

Write-back and write-allocate.  Levels are neither inclusive nor exclusive: each sees the fills and the dirty
write-backs of the level inside it, and a write-back that misses allocates without fetching.  A set is a dictionary in
order of use.  The mark of a line is 0 while it is clean, else twice the number of the child that made it dirty (from
1), plus 1 in a stream where the first use is a store; a mark of 1 is clean as far as is known.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import MutableMapping, Sequence

import numpy as np

from ..hierarchy import CacheLevel
from .stream import Chunk

Set = MutableMapping[int, int]

_MANY_WAYS = 64  # beyond, the oldest key of a dict is found slowly, because deleted ones before it are passed over
_OPEN = 1


class Counts:
    """Lines per level and child: filled by loads, filled by stores, written back (by who made them dirty)."""

    def __init__(self, levels: int, children: int) -> None:
        self.read = np.zeros((levels, children), dtype=np.int64)
        self.allocate = np.zeros((levels, children), dtype=np.int64)
        self.written = np.zeros((levels, children), dtype=np.int64)

    def clear(self) -> None:
        """Start again at zero."""
        for lines in (self.read, self.allocate, self.written):
            lines[:] = 0


class Cache:
    """One level and what it holds."""

    def __init__(self, level: CacheLevel, *, whole: bool) -> None:
        self.lines = level.lines
        self.ways = min(level.ways or self.lines, self.lines)
        kind: type[Set] = OrderedDict if self.ways > _MANY_WAYS else dict
        self._sets: list[Set] = [kind() for _ in range(level.sets)]
        self._whole = whole

    def use(self, lines: Sequence[int], marks: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return what the next level sees of some uses.

        Lines, and marks of 0 (load), 1 (a store fetches) or a write-back.
        """
        sets, ways, whole = self._sets, self.ways, self._whole
        number = len(sets)
        seen: list[int] = []
        kinds: list[int] = []
        for line, mark in zip(lines, marks, strict=True):
            held = sets[line % number]
            if line in held:
                old = held.pop(line)
                held[line] = mark if mark > 1 and old < 2 else old
                continue
            if mark < 2 or not whole:
                seen.append(line)
                kinds.append(mark & 1)
            if len(held) >= ways:
                victim = next(iter(held))
                dirty = held.pop(victim)
                if dirty > 1:
                    seen.append(victim)
                    kinds.append(dirty & -2)
            held[line] = mark if mark > 1 else 0
        return seen, kinds

    def dirty(self) -> dict[int, int]:
        """Return dirty lines and their marks."""
        return {line: mark for held in self._sets for line, mark in held.items() if mark > 1}

    def held(self) -> int:
        """Return lines held."""
        return sum(map(len, self._sets))

    def clear(self) -> None:
        """Hold nothing."""
        for held in self._sets:
            held.clear()


class WatchedCache(Cache):
    """A level that gathers what happens to its lines.

    Since the last :meth:`forget`: ``turned_lines`` became dirty, ``turned`` are their marks.  If ``watched``, a miss in
    a set that is not full is open (an earlier use, before the caches were cleared, could make it a hit): ``open`` are
    lines fetched so, ``turned_open`` those that became dirty without a known past.
    """

    def __init__(self, level: CacheLevel, *, whole: bool) -> None:
        super().__init__(level, whole=whole)
        self.watched = False
        self.forget()

    def use(self, lines: Sequence[int], marks: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return what the next level sees of some uses, as :meth:`Cache.use` does, and gather."""
        sets, ways, whole, watched = self._sets, self.ways, self._whole, self.watched
        number = len(sets)
        seen: list[int] = []
        kinds: list[int] = []
        for line, mark in zip(lines, marks, strict=True):
            held = sets[line % number]
            old = held.pop(line, None)
            if old is not None:
                if mark > 1 and old < 2:
                    self._turn(line, mark, known=not old)
                    held[line] = mark
                else:
                    held[line] = old
                continue
            fetched = mark < 2 or not whole
            if fetched:
                seen.append(line)
                kinds.append(mark & 1)
            known = True
            if len(held) >= ways:
                victim = next(iter(held))
                dirty = held.pop(victim)
                if dirty > 1:
                    seen.append(victim)
                    kinds.append(dirty & -2)
            elif watched:
                known = False
                if fetched:
                    self.open.append(line)
            if mark > 1:
                self._turn(line, mark, known=known)
                held[line] = mark
            else:
                held[line] = 0 if known else _OPEN
        return seen, kinds

    def _turn(self, line: int, mark: int, *, known: bool) -> None:
        """Mark a line as dirty, or as one that was so before where that is not known."""
        if known:
            self.turned.append(mark)
            self.turned_lines.append(line)
        else:
            self.turned_open.append(line)

    def forget(self) -> None:
        """Forget what was gathered."""
        self.open: list[int] = []
        self.turned: list[int] = []
        self.turned_lines: list[int] = []
        self.turned_open: list[int] = []

    def clear(self) -> None:
        """Hold nothing."""
        super().clear()
        self.forget()


class Caches:
    """The levels of a hierarchy, each behind the one inside it."""

    levels: Sequence[Cache]

    def __init__(self, levels: Sequence[CacheLevel], children: int, kind: type[Cache] = Cache) -> None:
        self.levels = [kind(level, whole=number > 0) for number, level in enumerate(levels)]
        self.counts = Counts(len(levels), children)

    def use(self, chunk: Chunk) -> None:
        """Pass a chunk through all levels and count."""
        lines = chunk.lines.tolist()
        owner = 2 * (chunk.child + 1)
        marks = np.where(chunk.dirty, owner + chunk.first, 0).tolist()
        for number, cache in enumerate(self.levels):
            lines, marks = cache.use(lines, marks)
            if not lines:
                return
            kinds = np.bincount(np.array(marks, dtype=np.int64))
            self.counts.read[number, chunk.child] += kinds[0]
            self.counts.allocate[number, chunk.child] += kinds[1] if len(kinds) > 1 else 0
            self.counts.written[number, : len(kinds[2::2])] += kinds[2::2]

    def settle(self) -> None:
        """Count all that was used so far: nothing waits here."""

    def flush(self) -> None:
        """Write back what is dirty: at every level what it and the levels inside it hold, once."""
        left: dict[int, int] = {}
        for number, cache in enumerate(self.levels):
            left = left | cache.dirty()
            owners = np.array([mark >> 1 for mark in left.values()], dtype=np.int64)
            np.add.at(self.counts.written[number], owners - 1, 1)

    def clear(self) -> None:
        """Hold nothing."""
        for cache in self.levels:
            cache.clear()


class WatchedCaches(Caches):
    """Levels that gather what happens to their lines."""

    levels: Sequence[WatchedCache]

    def __init__(self, levels: Sequence[CacheLevel], children: int) -> None:
        super().__init__(levels, children, WatchedCache)

    def watch(self, wanted: bool) -> None:
        """Return whether to gather the lines that miss in sets which are not full."""
        for cache in self.levels:
            cache.watched = wanted

    def forget(self) -> None:
        """Forget the lines gathered."""
        for cache in self.levels:
            cache.forget()
