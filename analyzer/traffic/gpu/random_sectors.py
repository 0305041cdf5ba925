"""Sectors that random references of a kernel move: every element of their array is equally likely.

* Of L1 each multiprocessor has one, which holds what its blocks have in common.
* Memory sends some sectors together (:attr:`..hierarchy.GpuShape.fetch_bytes`), so that lines of so many bytes are what
  the last cache misses; of a line that is written it writes back the sectors that were chosen while it was there.
* What several partitions of a cache read each of them holds (an H100 reads 2.53 GB for 40 M gathers from 240 MB, which
  is a cache of half of its 50 MB); atomic updates are made in one place.

How often they miss is :func:`..reuse.irregular.expected_fills`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..hierarchy import CacheLevel, GpuShape
from ..results import Occupancy, Request
from ..reuse.irregular import expected_fills


class Sharing(Struct, frozen=True):
    """How the blocks of a kernel are on a GPU: its shape, their occupancy, and how many multiprocessors there are."""

    shape: GpuShape
    occupancy: Occupancy
    units: int


class RandomAccesses(Struct, frozen=True, kw_only=True):
    """Accesses of all threads to an array of so many bytes, which choose so many ``lines`` that memory sends."""

    accesses: float
    lines: float
    extent_bytes: float
    reads: bool
    writes: bool
    is_atomic: bool


def random_sectors(
    found: RandomAccesses,
    caches: Sequence[CacheLevel],
    position: int,
    others: float,
    sharing: Sharing,
) -> tuple[float, float]:
    """Return the sectors that L1 (position 0) or the last cache reads and writes back; ``others`` pass through."""
    cache, shape, occupancy, units = caches[position], sharing.shape, sharing.occupancy, sharing.units
    accesses, lines = found.accesses, max(1.0, found.extent_bytes / shape.sector_bytes)
    if position == 0:
        copies = min(float(units), max(1.0, occupancy.waves * units * occupancy.blocks_per_unit))
        held: float = cache.lines * occupancy.blocks_at_once
        fills = copies * expected_fills(max(1.0, accesses / copies), lines, held, others / copies)
        return fills * (found.reads and not found.is_atomic), accesses * found.writes
    together = shape.sectors_together
    partitions = 1 if found.writes else shape.partitions
    room = cache.lines / together / partitions
    missed = expected_fills(found.lines, max(1.0, lines / together), room, others / together)
    dirty = together * (1 - (1 - 1 / together) ** (accesses / missed))
    return min(accesses, missed) * found.reads, min(accesses, missed * dirty) * found.writes


def with_distinct_sectors(requests: Sequence[Request], allocated: Mapping[str, int]) -> tuple[Request, ...]:
    """Return requests with the sectors that the threads of a warp are expected to choose, of those of the array."""
    return tuple(
        replace(each, sectors=min(each.sectors, each.requests * _distinct(each, allocated[each.array])))
        if each.is_random and each.requests and each.array in allocated
        else each
        for each in requests
    )


def _distinct(request: Request, extent_bytes: int) -> float:
    """Return how many sectors the threads of one request choose, on average."""
    sectors = max(1.0, extent_bytes / request.sector_bytes)
    missed: float = (1 - 1 / sectors) ** (request.accesses / request.requests)
    return sectors * (1 - missed)
