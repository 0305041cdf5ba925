"""Sectors of the memory of threads (arrays that registers cannot hold) behind L1 and L2.

Every thread has memory of its own, which all that run together need at once: a multiprocessor ``W = bytes of a
thread x threads that it holds``, the GPU that times its multiprocessors.  L1 keeps its stores, unlike those
to global memory, and threads that end leave their memory to the next ones.  Of what is more than a cache of capacity
``C`` holds, the share ``1 - C / W`` of the requests misses it; which of them is not known, so that none is certain.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from ...ir.nodes import MemorySpace
from ..hierarchy import CacheLevel, Hierarchy
from ..program.program import Program
from ..results import Occupancy, Request
from ..reuse.irregular import Floats


class LocalSectors(Struct, frozen=True):
    """Sectors by level behind the first cache: estimates, and the most."""

    read: Floats
    written: Floats
    most_read: Floats
    most_written: Floats


def local_sectors(
    program: Program,
    requests: Sequence[Request],
    caches: Sequence[CacheLevel],
    occupancy: Occupancy,
    hierarchy: Hierarchy,
) -> LocalSectors:
    """Return the sectors of thread memory; ``caches`` have sectors as lines, the first the share of one block."""
    each = sum(array.size_bytes for array in program.arrays.values() if array.space is MemorySpace.LOCAL)
    warp_threads = 1 if hierarchy.gpu is None else hierarchy.gpu.warp_threads
    needed = float(each * occupancy.warps_per_unit * warp_threads)
    blocks = occupancy.blocks_per_unit
    shares, share = [], 1.0
    for cache in caches:
        here, capacity = (needed, cache.capacity_bytes * blocks)
        if not cache.per_block:
            here, capacity = needed * hierarchy.units * min(1.0, occupancy.waves), cache.capacity_bytes
        share *= max(0.0, 1.0 - capacity / here) if here else 0.0
        shares.append(share)
    moved = np.array(shares)
    asked = [
        sum(one.sectors for one in requests if one.space is MemorySpace.LOCAL and one.write is write)
        for write in (False, True)
    ]
    all_ = np.ones(len(caches))
    return LocalSectors(asked[0] * moved, asked[1] * moved, asked[0] * all_, asked[1] * all_)
