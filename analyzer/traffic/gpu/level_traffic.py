"""Sectors that the levels of a GPU serve: estimates with a lower and an upper bound.

Lower bounds leave out

* sectors that memory sends beside a wanted one (an H100 reads 64 bytes for each load of 4 that is 128 apart);
* data-dependent code: it counts as nothing, and the rest of the kernel as every sector once;
* the choice of sectors by a gather: it touches at least one for each request of a warp;
* stores of one warp to the same sectors, one after the other, which L1 may hand on at once (an H100 wrote 41 to 71 %
  of the sectors that stores to the members of a structure ask for);
* what another order of the blocks, or a better replacement, might save of DRAM (:mod:`.waves`);
* write-backs after the end of the kernel: the last cache may still hold as many dirty sectors as fit.  The estimate has
  them written, as measured on outputs of some megabytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from ...ir.index import const
from ...ir.nodes import MemorySpace
from ...quantities.quantity import ZERO, Exactness, Quantity
from ...quantities.quasipolynomial import polynomial
from ..hierarchy import CacheLevel
from ..program.program import Program
from ..results import LevelTraffic, Request
from ..reuse.irregular import Floats
from ..reuse.strata import Misses
from .gathers import gathered_sectors
from .local_memory import LocalSectors
from .random_sectors import Sharing
from .waves import CommonMisses


class ServedSectors(Struct):
    """Sectors that every level but the first serves: estimates, the fewest and the most.

    Memory sends so many sectors ``beside`` those that random references choose.
    """

    read: Floats
    written: Floats
    least_read: Floats
    least_written: Floats
    most_read: Floats
    most_written: Floats
    beside: float

    @classmethod
    def of(
        cls,
        program: Program,
        caches: Sequence[CacheLevel],
        private: Misses,
        common: CommonMisses,
        allocated: Mapping[str, int],
        sharing: Sharing,
    ) -> ServedSectors:
        """Return the misses of the caches, those of irregular references to arrays of ``allocated`` bytes included."""
        read = np.concatenate([private.read.sum(axis=0), common.read])
        written = np.concatenate([private.written.sum(axis=0), common.written])
        least_read, least_written = read.copy(), written.copy()
        least_read[-1] = min(read[-1], common.least_read)
        least_written[-1] = min(written[-1], common.least_written)
        more = gathered_sectors(program, caches, read + written, allocated, sharing)
        return cls(
            read + more.read,
            written + more.written,
            least_read,
            least_written,
            np.concatenate([read[:1], common.most_read]) + more.most_read,
            np.concatenate([written[:1], common.most_written]) + more.most_written,
            more.beside,
        )

    def bound_by(self, innermost: LevelTraffic, updated: float) -> None:
        """Limit each level to the sectors that the level inside it asks for; stores go through the first one.

        Of those that atomic updates came to (``updated``) the last cache reads what nothing inside asks for.
        """
        kinds = (
            (self.read, self.least_read, self.most_read, innermost.read_bytes),
            (self.written, self.least_written, self.most_written, innermost.write_bytes),
        )
        for kind, least, most, asked in kinds:
            counts = [count for count in (asked.estimate, asked.lower, asked.upper) if count is not None]
            ends = [float(count.evaluate({})) / innermost.block_bytes for count in counts]
            for number, end in zip((kind, least, most), ends, strict=False):  # without a bound there is no limit
                number[0] = end if kind is self.written else min(number[0], end)
            more = updated if kind is self.read else 0.0
            for row in range(1, len(kind)):
                for number in (kind, least, most):
                    number[row] = min(number[row], number[row - 1] + more)
            np.minimum(least, kind, out=least)
            np.maximum(most, kind, out=most)

    def fetch_together(self, beside: float, together: int) -> None:
        """Add the sectors that memory sends ``beside`` wanted ones, ``together`` at a time; none of them is certain.

        Of what data choose at most each sector comes with others.
        """
        left_open = self.most_read[-1] - self.read[-1]
        self.read[-1] += min(beside + self.beside, self.read[-1] * (together - 1))
        self.most_read[-1] = self.read[-1] + left_open * together

    def join_stores(self, requests: Sequence[Request]) -> None:
        """Take off the lower bound of what L1 hands on the stores that other ones to the same array may go with."""
        together: dict[tuple[object, ...], list[float]] = {}
        for each in requests:
            if each.write and each.space is MemorySpace.GLOBAL and not each.is_atomic:
                key = (each.array, each.step_bytes, round(each.requests), each.phase)
                together.setdefault(key, []).append(each.least_sectors)
        saved = sum(sum(sectors) - max(sectors) for sectors in together.values())
        self.least_written[0] = max(0.0, self.least_written[0] - saved)

    def add_local(self, local: LocalSectors) -> None:
        """Add the sectors of the memory of threads, none of which is certain."""
        self.read += local.read
        self.written += local.written
        self.most_read += local.most_read
        self.most_written += local.most_written

    def limit_to_certain(self, read: float, written: float) -> None:
        """Limit the lower bounds to the first uses of sectors by the code that does not depend on data."""
        np.minimum(self.least_read, read, out=self.least_read)
        np.minimum(self.least_written, written, out=self.least_written)

    def leave_dirty(self, last: CacheLevel) -> None:
        """Take the dirty sectors that the last cache may hold at the end off the lower bound of its write-backs."""
        self.least_written[-1] = max(0.0, self.least_written[-1] - last.lines)

    def start_warm(self, last: CacheLevel, read: float, written: float) -> None:
        """Take off what the last cache holds of a launch before: all that was ``read`` or ``written``, where it fits.

        Of more than fits, the sectors that come first are the ones that are replaced: the estimate is that of a cold
        cache, and the lower bound leaves out as many as the cache has.
        """
        if read + written <= last.lines:
            self.read[-1] = max(0.0, self.read[-1] - read)
            self.written[-1] = max(0.0, self.written[-1] - written)
        self.least_read[-1] = min(self.read[-1], max(0.0, self.least_read[-1] - last.lines))
        self.least_written[-1] = min(self.written[-1], self.least_written[-1])


def asked_sectors(name: str, requests: Sequence[Request], sector_bytes: int) -> LevelTraffic:
    """Return the bytes of the sectors that requests ask for, as the traffic of the first level.

    A data-dependent request moves at least one sector, and at most one for each thread.  The last cache makes atomic
    updates: they move as stores do.
    """

    def total(*, write: bool) -> Quantity:
        own = [each for each in requests if each.write is write and each.space is not MemorySpace.SHARED]
        counted = [each for each in own if write or not each.is_atomic]
        ends = [
            sum(each.sectors for each in counted),
            sum(each.least_sectors for each in counted),
            sum(each.most_sectors for each in counted),
        ]
        estimate, lower, upper = (polynomial(const(round(end * sector_bytes))) for end in ends)
        return Quantity(estimate, lower, upper, Exactness.INTERVAL) if any(ends) else ZERO

    return LevelTraffic(name, "requests", sector_bytes, total(write=False), ZERO, total(write=True))
