"""Exact LRU caches over a stream of line references: the referee for traffic.

Levels are neither inclusive nor exclusive.  Each sees the fetches (loads) and the dirty write-backs (stores of a whole
line) of the level above; a write-back that misses allocates without fetching.  Everything starts cold and clean.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct, field

LINE_BYTES = 64


class Cache(Struct, dict=True):
    """One level; ``ways=None`` is fully associative. Counters count references and lines, ``*_bytes`` bytes."""

    size_bytes: int
    ways: int | None = None
    write_back: bool = True
    write_allocate: bool = True
    below: Cache | None = None
    load_hits: int = 0
    load_misses: int = 0
    store_hits: int = 0
    store_misses: int = 0
    evictions: int = 0
    dirty_evictions: int = 0
    allocations_without_fetch: int = 0
    bytes_from_below: int = 0
    bytes_to_below: int = 0
    flushed_bytes: int = 0
    _sets: list[OrderedDict[int, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        lines = self.size_bytes // LINE_BYTES
        self._ways = self.ways or lines
        if lines % self._ways or self.size_bytes % LINE_BYTES:
            raise ValueError(f"{self.size_bytes} bytes are not a whole number of sets of {self._ways} lines")
        self._sets = [OrderedDict() for _ in range(lines // self._ways)]

    def load(self, line: int) -> None:
        """Read a line."""
        lines = self._set(line)
        if line in lines:
            self.load_hits += 1
            lines.move_to_end(line)
            return
        self.load_misses += 1
        self._fetch(line)
        self._insert(line, dirty=False)

    def store(self, line: int, size_bytes: int = LINE_BYTES, *, whole: bool = False) -> None:
        """Write part of a line, or a ``whole`` one that comes from the level above."""
        lines = self._set(line)
        if line in lines:
            self.store_hits += 1
            lines[line] = lines[line] or self.write_back
            lines.move_to_end(line)
        else:
            self.store_misses += 1
            if self.write_allocate:
                self._allocate(line, whole=whole)
        if not self.write_back or (not self.write_allocate and line not in lines):
            self._pass_down(line, size_bytes, whole=whole)

    def flush(self) -> None:
        """Write every dirty line one level down, from the top; only ``flushed_bytes`` change."""
        for lines in self._sets:
            for line, dirty in lines.items():
                if dirty:
                    lines[line] = False
                    self._flush_line(line)
        if self.below:
            self.below.flush()

    @property
    def bytes_to_below_with_flush(self) -> int:
        """Written back while running and by the final flush."""
        return self.bytes_to_below + self.flushed_bytes

    def _set(self, line: int) -> OrderedDict[int, bool]:
        return self._sets[line % len(self._sets)]

    def _fetch(self, line: int) -> None:
        self.bytes_from_below += LINE_BYTES
        if self.below:
            self.below.load(line)

    def _allocate(self, line: int, *, whole: bool) -> None:
        if whole:
            self.allocations_without_fetch += 1
        else:
            self._fetch(line)
        self._insert(line, dirty=self.write_back)

    def _insert(self, line: int, *, dirty: bool) -> None:
        lines = self._set(line)
        victim = lines.popitem(last=False) if len(lines) == self._ways else None
        lines[line] = dirty
        if victim is None:
            return
        self.evictions += 1
        if victim[1]:
            self.dirty_evictions += 1
            self._pass_down(victim[0], LINE_BYTES, whole=True)

    def _pass_down(self, line: int, size_bytes: int, *, whole: bool) -> None:
        self.bytes_to_below += size_bytes
        if self.below:
            self.below.store(line, size_bytes, whole=whole)

    def _flush_line(self, line: int) -> None:
        self.flushed_bytes += LINE_BYTES
        if self.below is None:
            return
        lines = self.below._set(line)
        if line in lines:
            lines[line] = True
        else:
            self.below._flush_line(line)


def hierarchy(levels: Sequence[Cache]) -> Cache:
    """Chain levels, the first on top; returns the top."""
    for upper, lower in pairwise(levels):
        upper.below = lower
    return levels[0]


def simulate(stream: Iterable[tuple[int, bool, int]], top: Cache, *, flush: bool = True) -> Cache:
    """Feed (line, write, bytes) to the top level, then flush."""
    for line, write, size_bytes in stream:
        if write:
            top.store(line, size_bytes)
        else:
            top.load(line)
    if flush:
        top.flush()
    return top
