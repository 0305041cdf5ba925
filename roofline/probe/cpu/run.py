"""The results of the micro-benchmarks of a CPU, with the conditions that they were taken under."""

from __future__ import annotations

from msgspec import Struct

from ..plateaux import Reach
from ..statistics import Sample, Samples
from .plan import CHAIN_GIVEN, WorkingSet

PROBE, SYSTEM = "probe", "system"
_NOTICED = 0.05  # of a latency: what repeats of a chain differ by


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
        """The seconds that a load waits longer in the pages that programs are given; None where that is not much."""
        large, given = self.chain(-1), self.find(CHAIN_GIVEN, 1, self.sets[-1].chain_bytes)
        if large is None or given is None:
            return None
        longer = 1 / given.best - 1 / large.best
        return float(f"{longer:.2g}") if longer > _NOTICED / large.best else None
