"""Footprints, reuses and traffic of a region: the results of the traffic stage, and the conventions of intensity."""

from __future__ import annotations

from enum import Enum
from math import ceil

from msgspec import Struct

from ..ir.index import Poly
from ..ir.launches import Registers
from ..ir.nodes import Assumption, MemorySpace
from ..quantities.quantity import ZERO, Quantity
from .hierarchy import Hierarchy

_POOR_EFFICIENCY = 0.5  # advice is for requests that use less of their sectors; no number depends on it
_ON_CHIP = (MemorySpace.SHARED, MemorySpace.LOCAL)


class Convention(Enum):
    """How bytes are counted where a report names a single intensity.

    ``REGISTER``: distinct elements per innermost iteration, summed (no cache at all).
    ``COMPULSORY``: every element read before it is written is loaded once, every written one is stored once.
    ``WRITE_ALLOCATE``: the same, and a written element that is not read first costs a load as well.
    ``TOUCHED_ONCE``: every distinct element counts once, whether read, written or both.
    ``CACHED``: the traffic between the last cache of a hierarchy and memory, in whole lines.
    """

    REGISTER = "register"
    COMPULSORY = "compulsory"
    WRITE_ALLOCATE = "write-allocate"
    TOUCHED_ONCE = "touched-once"
    CACHED = "cached"


class Extent(Struct, frozen=True):
    """Distinct data at two granularities: elements with their bytes, and cache lines."""

    elements: Quantity
    bytes: Quantity
    lines: Quantity


class ArrayFootprint(Struct, frozen=True):
    """The footprint of a region in one array. ``read`` are elements whose first use is a read."""

    array: str
    read: Extent
    written: Extent
    touched: Extent


class Footprint(Struct, frozen=True):
    """The footprint of a region, summed over arrays; ``line_bytes`` is the line size of the line counts."""

    line_bytes: int
    read: Extent
    written: Extent
    touched: Extent
    arrays: tuple[ArrayFootprint, ...]


class Condition(Struct, frozen=True, kw_only=True):
    """A capacity condition: cache ``level`` holds ``array`` until its next use up to these sizes.

    The next use is in the next iteration (``carried``) or the next part of the loop with iterator ``loop``, or, where
    that is empty, in the next nest.  ``working_set``, in bytes, is touched until then; the level holds up to
    ``capacity_bytes`` of it.  With one of the ``parameters`` that is while it is at most ``threshold``, which is None
    with several.
    """

    level: str
    array: str
    loop: str
    carried: bool
    working_set: Poly
    parameters: tuple[str, ...]
    threshold: int | None
    capacity_bytes: int

    @property
    def parameter(self) -> str:
        """Return the parameters as one text."""
        return ", ".join(self.parameters)


class Reuse(Struct, frozen=True):
    """A reuse of an array; ``working_set``, in bytes, is touched between the uses.

    Caches hold the array under the ``conditions``.

    ``loop`` is the iterator of the loop (at ``line``) in whose next iteration (``carried``) or next part ``array`` is
    used again; empty between nests.
    """

    array: str
    loop: str
    line: int
    carried: bool
    working_set: Poly
    conditions: tuple[Condition, ...]


class LevelTraffic(Struct, frozen=True):
    """Bytes that one level serves, by direction; ``model`` says how they were found.

    ``level`` is ``register`` (every per-iteration reference) or the name of a memory level; the compulsory model gives
    one level, ``DRAM``.  ``past_caches`` are those of the written bytes that go to memory past all caches.
    """

    level: str
    model: str
    block_bytes: int
    read_bytes: Quantity
    write_allocate_bytes: Quantity
    write_bytes: Quantity
    conditions: tuple[Condition, ...] = ()
    past_caches: Quantity = ZERO


class CacheTraffic(Struct, frozen=True):
    """Bytes at every level of one hierarchy, all sizes known.

    ``levels`` are named after the level that serves the bytes: the first one serves every reference, the next ones
    the misses (read and write-allocate) and write-backs of the level before; the last is the memory.  Estimates carry
    an interval of twice their standard error.  ``notes`` are the assumptions of the model, and where it is undecided.
    Kernels have the ``requests`` of their warps and their ``occupancy``, which differ from one GPU to the next.
    ``warm`` caches hold what an earlier run left there.
    """

    hierarchy: Hierarchy
    model: str
    levels: tuple[LevelTraffic, ...]
    notes: tuple[Assumption, ...] = ()
    requests: tuple[Request, ...] = ()
    occupancy: Occupancy | None = None
    warm: bool = False


class Request(Struct, frozen=True):
    """All executions of one reference of a kernel; ``text`` is the reference as the source has it, more or less.

    ``accesses`` of single threads make ``requests`` of warps, each for ``useful_bytes`` that are distinct. For global
    memory ``sectors`` are moved; for shared memory ``passes`` are cycles of the banks, ``least_passes`` those without
    conflicts.
    Rows of the array that are ``padding`` elements longer have ``padded_passes``, the fewest (None: hardly fewer).
    ``step_bytes`` is how far apart most neighbouring threads are, None where there is one thread or no such distance.
    ``is_guess``: the choice of elements depends on data, of each thread by itself where it ``is_scattered``;
    ``is_certain`` is False where the execution itself does.  One request may serve so many ``iterations`` of an
    unrolled loop.  Atomic updates are a load and a store, of which both are ``is_atomic``.
    Requests between the same barriers of a block have one ``phase``; ``waits`` says whether the innermost loop around
    one has a barrier in it.  Where ``is_random``, all elements are equally likely.
    Sectors that were scaled from a sample, and those of an array that has several starts, are off by the share
    ``sectors_error``, seldom by more.  What ``is_scaled`` was counted on some threads, or for some launches, alone.
    """

    text: str
    array: str
    line: int
    write: bool
    size_bytes: int
    space: MemorySpace
    accesses: float
    requests: float
    sectors: float
    useful_bytes: float
    passes: float
    least_passes: float
    step_bytes: int | None
    sector_bytes: int
    is_guess: bool = False
    is_certain: bool = True
    iterations: int = 1
    is_atomic: bool = False
    is_scattered: bool = False
    is_random: bool = False
    phase: int = 0
    waits: bool = False
    padding: int | None = None
    padded_passes: float = 0.0
    sectors_error: float = 0.0
    is_scaled: bool = False

    @property
    def is_exact(self) -> bool:
        """Return whether all threads were enumerated, and neither data nor the start of an array decide anything."""
        return self.is_certain and not (self.is_guess or self.is_random or self.is_scaled or self.sectors_error)

    @property
    def least_sectors(self) -> float:
        """Return a lower bound of the sectors."""
        least = self.requests if self.is_guess else self.sectors
        return least * (1 - self.sectors_error) if self.is_certain else 0.0

    @property
    def most_sectors(self) -> float:
        """Return an upper bound of the sectors: at most one for each access where data choose the elements."""
        return (self.accesses if self.is_guess else self.sectors) * (1 + self.sectors_error)

    @property
    def certain_passes(self) -> float:
        """Return a lower bound of the cycles of the banks: a wide load has those of the busiest word that it loads."""
        return self.passes / self.iterations if self.is_certain else 0.0

    @property
    def sectors_per_request(self) -> float:
        """Return the sectors that one warp instruction moves."""
        return self.sectors / self.requests if self.requests else 0.0

    @property
    def efficiency(self) -> float:
        """Return the share of the moved bytes that is used by the request."""
        return self.useful_bytes / (self.sectors * self.sector_bytes) if self.sectors else 1.0

    @property
    def is_uncoalesced(self) -> bool:
        """Return whether neighbouring threads are so far apart that less than half of the bytes moved is used."""
        apart = self.step_bytes is not None and abs(self.step_bytes) > self.size_bytes
        return apart and self.space not in _ON_CHIP and self.efficiency < _POOR_EFFICIENCY

    @property
    def conflict_ways(self) -> float:
        """Return how many times longer bank conflicts make the request."""
        return self.passes / self.least_passes if self.least_passes else 1.0


class Occupancy(Struct, frozen=True):
    """Blocks and warps that one multiprocessor holds at once, their limit, and the waves of the grid.

    Each block waits at so many ``barriers`` for all of its threads.  Of the lanes of a warp that computes, a share is
    on (``active_lanes``).  ``registers`` are those of a thread, None where nothing is known of them.
    """

    blocks_per_unit: int
    warps_per_unit: int
    limit: str
    waves: float
    barriers: float = 0.0
    active_lanes: float = 1.0
    registers: Registers | None = None
    registers_are_predicted: bool = False

    @property
    def blocks_at_once(self) -> int:
        """Return the blocks that one multiprocessor runs at once: fewer than it holds where the grid has no more."""
        return min(self.blocks_per_unit, max(1, ceil(round(self.waves * self.blocks_per_unit, 6))))


class RegionTraffic(Struct, frozen=True):
    """The traffic between the levels of every requested cache hierarchy, in the shape of the region's profile.

    ``models`` has an entry for each hierarchy, and for each model where several are compared; it is empty where nothing
    can be modelled, for which ``notes`` give the reason.  ``reuses`` are those of the whole region.  ``nests``,
    ``outside`` and ``launches`` belong to those of the profile, in the same order.
    """

    models: tuple[CacheTraffic, ...] = ()
    reuses: tuple[Reuse, ...] = ()
    notes: tuple[Assumption, ...] = ()
    nests: tuple[RegionTraffic, ...] = ()
    outside: RegionTraffic | None = None
    launches: tuple[RegionTraffic, ...] = ()

    @property
    def parts(self) -> tuple[RegionTraffic, ...]:
        """Return the traffic of the parts that run one after the other: the nests, then the statements outside."""
        return self.nests if self.outside is None else (*self.nests, self.outside)

    def on(self, hierarchy: Hierarchy | None) -> CacheTraffic | None:
        """Return the bytes at every level of a hierarchy; None where it is not modelled."""
        return next((found for found in self.models if found.hierarchy == hierarchy), None)
