"""The results of the micro-benchmarks of a CPU, with the conditions that they were taken under."""

from __future__ import annotations

from msgspec import Struct

from ..plateaux import Reach
from ..statistics import Sample, Samples
from .plan import CHAIN_GIVEN, CHAIN_IN_PAGES, CHAIN_PACKED, COLUMN, COLUMN_PACKED, WalkSizes, WorkingSet

PROBE, SYSTEM = "probe", "system"
_NOTICED = 0.05  # of a latency: what repeats of a chain differ by
_WAITS = 1.5  # times as long as with lines side by side, from which on loads wait for walks: sets of caches differ too


class Target(Struct, frozen=True):
    """The target of the compiler."""

    isa: str
    simd_bits: int
    has_fma: bool
    has_nontemporal: bool

    @classmethod
    def parse(cls, text: str) -> Target:
        """Read ``ISA BITS FMA NONTEMPORAL``."""
        isa, bits, fma, nontemporal = text.rsplit(maxsplit=3)
        return cls(isa, int(bits), fma == "1", nontemporal == "1")


class Run(Struct, frozen=True, kw_only=True):
    """The results with their conditions.

    ``memory_factor`` is the working set of memory over the last cache, ``reach`` how much of that cache was to be had,
    ``walks`` the pages that walks were measured with,
    ``stolen`` the part of the time that the host took away (None where the system does not say), ``left_out`` the
    measurements that the ``seconds`` were too short for.
    """

    target: Target
    samples: Samples
    sets: tuple[WorkingSet, ...]
    memory_factor: float
    tool: str
    date: str
    seconds: float = 0.0
    reach: Reach | None = None
    walks: WalkSizes | None = None
    load: float | None = None
    stolen: float | None = None
    failures: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def find(self, kind: str, threads: int = 1, size: int = 0) -> Sample | None:
        """Return the sample of a measurement, None where it was not made."""
        return self.samples.find(kind, threads, size)

    def chain(self, position: int) -> Sample | None:
        """Return the loads per second of a chain of loads that a level serves."""
        return self.find("chase", 1, self.sets[position].chain_bytes)

    @property
    def page_walk_s(self) -> float | None:
        """Return the seconds that a load waits longer in the pages that programs are given; None where few.

        The more of two: in memory over large pages, and of one line in each of many pages over lines side by side.  A
        virtual machine whose host has small pages shows no difference in memory.
        """
        large, given = self.chain(-1), self.find(CHAIN_GIVEN, 1, self.sets[-1].chain_bytes)
        found = [self._waited(CHAIN_IN_PAGES, CHAIN_PACKED)]
        if large is not None and given is not None:
            longer = 1 / given.best - 1 / large.best
            found.append(longer if longer > _NOTICED / large.best else None)
        return _rounded(max((each for each in found if each is not None), default=None))

    @property
    def column_walk_s(self) -> float | None:
        """Return the seconds that a load of a column waits longer with each row in a page of its own; None as above."""
        return _rounded(self._waited(COLUMN, COLUMN_PACKED))

    @property
    def tlb_pages(self) -> int | None:
        """Return the most pages of a column that the next column finds known; None where walks are not measured."""
        if self.walks is None or self.column_walk_s is None:
            return None
        packed, walked = self._load_s(COLUMN_PACKED), self._load_s(COLUMN)
        found = {pages: self._load_s(COLUMN, pages) for pages in self.walks.fewer}
        return max((pages for pages, taken in found.items() if taken and taken < (packed + walked) / 2), default=None)

    def _waited(self, kind: str, packed: str) -> float | None:
        together, apart = self._load_s(packed), self._load_s(kind)
        return apart - together if together and apart > _WAITS * together else None

    def _load_s(self, kind: str, pages: int | None = None) -> float:
        """Return the seconds of a load of one line in each page, 0 where they were not measured."""
        sizes = self.walks
        found = sizes and self.find(kind, 1, sizes.bytes_of(pages or sizes.most))
        return 1 / found.best if found else 0.0


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else float(f"{seconds:.2g}")
