"""Lines that references touch: intervals of them, and how many are read, filled by stores alone, and written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from .executions import Integers

_DENSE = 8  # lines for each interval, up to which marking all lines is faster than sorting the intervals


class Lines(Struct, frozen=True):
    """Lines that are filled by reads, filled by stores alone, and written."""

    read: float
    allocated: float
    written: float

    def __add__(self, other: Lines) -> Lines:
        """Return the sum."""
        return Lines(self.read + other.read, self.allocated + other.allocated, self.written + other.written)

    def times(self, factor: float) -> Lines:
        """Return so many times as many."""
        return Lines(self.read * factor, self.allocated * factor, self.written * factor)

    @property
    def touched(self) -> float:
        """Return the lines that take room."""
        return self.read + self.allocated


NO_LINES = Lines(0.0, 0.0, 0.0)


class Marks:
    """Intervals of lines, by whether they are written."""

    def __init__(self, line_bytes: int, most: int) -> None:
        self._line = line_bytes
        self._most = most
        self._found: dict[bool, list[tuple[Integers, Integers]]] = {False: [], True: []}
        self.number = 0

    @property
    def left(self) -> int:
        """Return how many points may still be listed."""
        return self._most - self.number

    def spend(self, points: int) -> None:
        """Count points that were listed."""
        self.number += points

    def add(self, low: Integers, high: Integers, write: bool) -> None:
        """Add intervals of bytes."""
        if len(low):
            self._found[write].append((low // self._line, high // self._line))

    def lines(self) -> Lines:
        """Return how many lines are in any of the intervals."""
        read, written, both = self._covered_by_writes()
        sizes = [float((high - low + 1).sum()) for low, high in (read, written, both)]
        return Lines(sizes[0], sizes[2] - sizes[0], sizes[1])

    def crowd(self, sets: int, ways: int) -> bool:
        """Return whether most of the lines fall in sets of a cache that have more of them than ways."""
        low, high = self._covered_by_writes()[2]
        rounds, rest = np.divmod(high - low + 1, sets)
        first = low % sets
        opened = np.bincount(first, minlength=2 * sets + 1) - np.bincount(first + rest, minlength=2 * sets + 1)
        twice = np.cumsum(opened)
        held = twice[:sets] + twice[sets : 2 * sets] + rounds.sum()
        return bool(2 * held[held > ways].sum() > held.sum())

    def _covered_by_writes(self) -> tuple[tuple[Integers, Integers], ...]:
        """Return the intervals of lines that are read, of those that are written, and of both."""
        read, written = (_covered(self._found[write]) for write in (False, True))
        return read, written, _covered([read, written]) if len(written[0]) else read


def _covered(some: Sequence[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    """Return the intervals that some intervals cover together, in order and without a common line."""
    if not some:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    low, high = (np.concatenate([each[side] for each in some]) for side in (0, 1))
    if not len(low):
        return low, high
    base = int(low.min())
    size = int(high.max()) - base + 2
    if size < _DENSE * len(low):
        opened = np.bincount(low - base, minlength=size)
        opened -= np.bincount(high + (1 - base), minlength=size)
        inside = np.cumsum(opened, out=opened) > 0
        edges = np.diff(inside.astype(np.int8), prepend=np.int8(0))
        return np.nonzero(edges > 0)[0] + base, np.nonzero(edges < 0)[0] + base - 1
    order = np.argsort(low, kind="stable")
    low, high = low[order], np.maximum.accumulate(high[order])
    begins = np.append(True, low[1:] > high[:-1])
    return low[begins], high[np.append(begins[1:], True)]
