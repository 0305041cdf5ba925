"""Sectors that the caches of a GPU miss where given arrays choose elements: the transactions of all warps, simulated.

L1 is that of a block, write-through, with the block's share of the capacity; the outer caches see what it misses and
all stores, of all blocks in flight, wave by wave, and write back.  A sector that is stored is not read first.  Of a
long stream some groups of sectors are simulated, with their share of each capacity, as in
:mod:`...simulation.set_sampling`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from math import ceil

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ...hierarchy import CacheLevel
from ...simulation.lru import Cache
from ...simulation.set_sampling import FEWEST_GROUPS, FEWEST_LINES, MOST_GROUPS, SEED, group_error
from ...simulation.simulate import NotFollowed
from .threads import Threads, Transactions, sorted_distinct

Floats = NDArray[np.float64]

MOST_EXECUTIONS = 1 << 24
"""Executions of references by threads that are followed, of which a million takes half a second."""
MOST_TRANSACTIONS = 1 << 20
"""Transactions that the caches look at; of more, those of some groups of sectors."""
_STORED = 2  # the mark of a dirty line


class SimulatedLevels(Struct, frozen=True, eq=False):
    """Sectors that each cache reads from the next one and writes to it, with standard errors.

    Of the memory ``least_read`` is certain: distinct sectors, but for those stored as well.
    """

    read: Floats
    written: Floats
    read_error: Floats
    written_error: Floats
    least_read: float


def simulated_levels(
    threads: Threads, concurrent: int, caches: Sequence[CacheLevel], most: int | None = None
) -> SimulatedLevels:
    """Simulate the caches of a kernel, ``concurrent`` blocks at a time.

    Raises ``NotFollowed`` beyond ``most`` executions (None: :data:`MOST_EXECUTIONS`).
    """
    most = MOST_EXECUTIONS if most is None else most
    waves = ceil(threads.blocks / concurrent)
    groups: list[_Group] = []
    number = 1
    loaded = stored = np.zeros(0, dtype=np.int64)
    for wave in range(waves):
        found = threads.transactions(wave * concurrent, min(threads.blocks, (wave + 1) * concurrent))
        executed = sum(tally.accesses for tally in threads.tallies)
        if executed * max(1, waves / (wave + 1)) > most:
            raise NotFollowed(round(executed * waves / (wave + 1)), is_drawn=False)
        if not groups:
            number, chosen = _chosen(caches, len(found.sectors) * waves)
            groups = [_Group(each, number, caches) for each in chosen]
        loaded = sorted_distinct(np.concatenate([loaded, found.sectors[~found.stored]]))
        stored = sorted_distinct(np.concatenate([stored, found.sectors[found.stored]]))
        for group in groups:
            group.use(found)
    for group in groups:
        group.flush()
    read, written = (np.array([getattr(group, kind) for group in groups]) for kind in ("read", "written"))
    return SimulatedLevels(
        number * read.mean(axis=0),
        number * written.mean(axis=0),
        group_error(read, number),
        group_error(written, number),
        float(len(sorted_distinct(np.concatenate([loaded, stored]))) - len(stored)),
    )


def _chosen(caches: Sequence[CacheLevel], transactions: int) -> tuple[int, Sequence[int]]:
    """Return into how many groups the sectors are divided, and the groups to simulate."""
    if transactions <= MOST_TRANSACTIONS:
        return 1, (0,)
    most = min(MOST_GROUPS, *(max(1, cache.lines // FEWEST_LINES) for cache in caches))
    many = int(min(most, max(FEWEST_GROUPS, MOST_TRANSACTIONS * most // transactions)))
    return most, sorted(np.random.default_rng(SEED).choice(most, size=many, replace=False).tolist())


class _Group:
    """The caches for the sectors of one remainder, and what they have missed."""

    def __init__(self, remainder: int, groups: int, caches: Sequence[CacheLevel]) -> None:
        self._remainder = remainder
        self._groups = groups
        first, *outer = (
            replace(cache, capacity_bytes=max(cache.line_bytes, cache.capacity_bytes // groups)) for cache in caches
        )
        self._room = first.lines
        self._outer = [Cache(cache, whole=True) for cache in outer]
        self.read = np.zeros(len(caches))
        self.written = np.zeros(len(caches))

    def use(self, found: Transactions) -> None:
        """Pass the transactions of a wave through all caches."""
        kept = found.sectors % self._groups == self._remainder
        sectors, stored = (found.sectors[kept] // self._groups).tolist(), found.stored[kept].tolist()
        lines, marks = self._missed(sectors, found.blocks[kept].tolist(), stored)
        for row, cache in enumerate((None, *self._outer)):
            if cache is not None:
                lines, marks = cache.use(lines, marks)
            self.read[row] += sum(mark < _STORED for mark in marks)
            self.written[row] += sum(mark >= _STORED for mark in marks)

    def flush(self) -> None:
        """Write back what is dirty, once at each level."""
        left: dict[int, int] = {}
        for row, cache in enumerate(self._outer, 1):
            left = left | cache.dirty()
            self.written[row] += len(left)

    def _missed(self, sectors: list[int], blocks: list[int], stored: list[bool]) -> tuple[list[int], list[int]]:
        """Return the loads that miss in the L1 of their block, and all stores, with their marks."""
        held: dict[int, OrderedDict[int, None]] = {}
        lines: list[int] = []
        marks: list[int] = []
        for sector, block, is_store in zip(sectors, blocks, stored, strict=True):
            own = held.get(block)
            if own is None:
                own = held[block] = OrderedDict()
            if is_store:
                lines.append(sector)
                marks.append(_STORED)
            elif sector in own:
                own.move_to_end(sector)
            else:
                lines.append(sector)
                marks.append(0)
                own[sector] = None
                if len(own) > self._room:
                    own.popitem(last=False)
        return lines, marks
