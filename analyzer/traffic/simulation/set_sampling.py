"""Long streams that no formula describes: some sets of every cache, simulated from the first reference to the last.

A line always goes to the same set, so that the lines whose number has one remainder modulo ``g`` use sets of their own
at every level whose number of sets ``g`` divides, and none else: their misses are exact, whatever the order of
references is (Puzak, *Analysis of cache replacement algorithms*, 1985).  Of ``g`` groups of sets ``k`` are simulated,
so many that a budget of references is met; the others are assumed to miss as often, with the standard error
``g * s / sqrt(k) * sqrt(1 - k/g)`` of a sample without replacement from the spread ``s`` between groups.  A fully
associative level is a cache of its share of the capacity for each group.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ..hierarchy import CacheLevel
from ..program.program import Program
from .lru import Caches
from .sampling import student
from .stream import Chunk, Stream

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_REFERENCES = 1 << 27
"""References of a stream that are made, of which few are simulated; a million takes some 50 ms."""
MOST_GROUPS = 64  # of sets, or of lines: more make each too small a sample of the others
FEWEST_LINES = 64  # of a group in a fully associative cache: below, groups fill it unevenly
FEWEST_GROUPS = 3  # for a standard error
SEED = 5  # any number: what is drawn is drawn again


class GroupCounts(Struct, frozen=True, eq=False):
    """Lines by group, level and child of the program, and how many references there were."""

    read: Floats
    allocate: Floats
    written: Floats
    groups: int
    references: int

    def total(self, lines: Floats) -> Floats:
        """Return the lines of all groups."""
        return np.asarray(lines.mean(axis=0) * self.groups)

    def error(self, lines: Floats) -> Floats:
        """Return the standard error of :meth:`total`."""
        return group_error(lines, self.groups)


def group_error(lines: Floats, groups: int) -> Floats:
    """Return half of Student's 95 % interval of ``groups`` times the mean of the lines of some groups, the rows."""
    many = len(lines)
    if many == groups:
        return np.zeros(lines.shape[1:])
    spread = lines.std(axis=0, ddof=1) / np.sqrt(many) * student(many - 1)
    return np.asarray(groups * spread * np.sqrt(1 - many / groups))


def group_counts(
    program: Program, levels: Sequence[CacheLevel], stream: Stream, work: float, budget: int, passes: int
) -> GroupCounts:
    """Simulate as many groups of sets as a budget of references allows of a stream of about ``work``."""
    groups = _groups(levels)
    many = int(min(groups, max(FEWEST_GROUPS, budget * groups // max(work * passes, 1))))
    chosen = np.sort(np.random.default_rng(SEED).choice(groups, size=many, replace=False))
    own = [replace(level, capacity_bytes=level.capacity_bytes // groups) for level in levels]
    caches = [Caches(own, len(program.children)) for _ in chosen]
    references = 0
    for _ in range(passes):
        references = 0
        for each in caches:
            each.counts.clear()
        for chunk in stream.chunks():
            references += chunk.references
            group = chunk.lines % groups
            for number, each in zip(chosen, caches, strict=True):
                each.use(_part(chunk, np.flatnonzero(group == number), groups))
    if passes == 1:
        for each in caches:
            each.flush()
    counts = [each.counts for each in caches]
    return GroupCounts(
        np.array([one.read for one in counts], dtype=np.float64),
        np.array([one.allocate for one in counts], dtype=np.float64),
        np.array([one.written for one in counts], dtype=np.float64),
        groups,
        references,
    )


def _groups(levels: Sequence[CacheLevel]) -> int:
    """Return into how many groups the sets of all levels can be divided, and the lines of fully associative ones."""
    common = gcd(*(level.sets for level in levels if level.ways is not None), 0)
    whole = [level.lines for level in levels if level.ways is None]
    most = min([MOST_GROUPS, *(max(1, lines // FEWEST_LINES) for lines in whole)])
    if not common:
        common = gcd(*whole)
    return max(number for number in range(1, most + 1) if common % number == 0)


def _part(chunk: Chunk, kept: Ints, groups: int) -> Chunk:
    """Return the lines of one group, numbered within it."""
    return Chunk(chunk.child, chunk.lines[kept] // groups, chunk.first[kept], chunk.dirty[kept], len(kept))
