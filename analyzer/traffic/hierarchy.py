"""A cache hierarchy as the traffic models see it: capacities, ways, sharing, and the way dirty and clean lines move.

A hierarchy comes from a machine or from a description such as ``L1:32KiB,L2:1MiB/16,L3:27.5MiB/11`` (size, then
``/ways``; fully associative without ways; lines of :data:`~analyzer.cache_lines.DEFAULT_LINE_BYTES`).
"""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from ..cache_lines import DEFAULT_LINE_BYTES
from ..errors import OptionError
from ..python.cached_property import cached_property
from ..python.regex import regex

_LEVEL = regex(
    r"(?P<name>[A-Za-z]\w*)\s*:\s*(?P<size>[0-9]{1,15}(?:\.[0-9]{1,15})?)\s*(?P<unit>[kKMG]?B|[KMG]iB)?\s*(?:/\s*(?P<ways>[0-9]{1,6}))?$"
)
# Bytes of the units of sizes (IEC 80000-13).
_UNITS = {
    "": 1,
    "B": 1,
    "KB": 1000,
    "kB": 1000,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
}


REGISTERS_TOGETHER = 8
"""Registers of a thread come in portions of so many.

256 for a warp of NVIDIA (*CUDA C++ Programming Guide*, from compute capability 3.0 on), 512 for a wavefront of AMD
(LLVM, *User Guide for AMDGPU Backend*, from gfx90a on).
"""

_WARP_OF_NVIDIA = 32  # threads (CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability")


class Inclusion(StrEnum):
    """Which of the lines of the levels inside it a level holds.

    ``INCLUSIVE`` also stands for caches that are filled on every miss without forcing inclusion.  A ``VICTIM`` cache
    is filled with the evictions of the level inside it, so that the two together hold distinct lines.
    """

    INCLUSIVE = "inclusive"
    VICTIM = "victim"


class CacheLevel(Struct, frozen=True, dict=True):
    """One cache: ``ways`` None is fully associative, ``shared_by`` units (cores) fill it together.

    ``effective`` is the fraction of the capacity that is expected to hold our data; 1 unless the machine states another
    with its justification.  No more is certain than that the whole capacity may hold them.  ``per_block``: the L1 of a
    GPU, where a thread block hits only on its own loads.
    """

    name: str
    capacity_bytes: int
    ways: int | None = None
    line_bytes: int = DEFAULT_LINE_BYTES
    inclusion: Inclusion = Inclusion.INCLUSIVE
    shared_by: int = 1
    effective: float = 1.0
    per_block: bool = False

    @cached_property
    def lines(self) -> int:
        """Return the lines that fit."""
        return int(self.capacity_bytes * self.effective) // self.line_bytes

    @cached_property
    def sets(self) -> int:
        """Return the number of sets: 1 for a fully associative cache."""
        return max(1, self.lines // self.ways) if self.ways else 1


class GpuShape(Struct, frozen=True):
    """The limits of a GPU's multiprocessor (SM, CU), and how a warp accesses memory.

    ``shared_bytes`` is the shared memory of one multiprocessor; where ``shared_in_l1``, the L1 has the rest of it.
    Memory sends ``fetch_bytes`` at a time: sectors that lie together, of which one may be wanted.  The last cache has
    ``partitions``, each of which holds what the multiprocessors near to it read.
    """

    warp_threads: int = 32
    sector_bytes: int = 32
    banks: int = 32
    most_threads: int = 2048
    most_blocks: int = 32
    shared_bytes: int = 0
    shared_in_l1: bool = True
    registers: int | None = None
    fetch_bytes: int = 32
    partitions: int = 1

    @property
    def free_registers(self) -> int | None:
        """Return the most registers that every thread may have with all threads resident, in whole portions.

        None where the registers of a multiprocessor are not stated, and for wavefronts, whose compiler is another.
        """
        if self.registers is None or self.warp_threads != _WARP_OF_NVIDIA:
            return None
        return self.registers // self.most_threads // REGISTERS_TOGETHER * REGISTERS_TOGETHER

    @property
    def sectors_together(self) -> int:
        """Return the sectors that memory sends at a time."""
        return max(1, self.fetch_bytes // self.sector_bytes)


class Hierarchy(Struct, frozen=True):
    """Cache levels from the core outwards, the name of the memory behind them, and the units (cores, SMs) in use."""

    levels: tuple[CacheLevel, ...]
    memory: str = "DRAM"
    units: int = 1
    gpu: GpuShape | None = None

    @property
    def serving(self) -> tuple[str, ...]:
        """Return the names of the levels that serve the misses of the levels inside them: L2, L3, DRAM."""
        return (*(level.name for level in self.levels[1:]), self.memory)

    @property
    def whole(self) -> Hierarchy:
        """Return the same caches where all of each is ours; itself where that is so."""
        if all(level.effective == 1.0 for level in self.levels):
            return self
        return replace(self, levels=tuple(replace(level, effective=1.0) for level in self.levels))

    def joined(self, position: int, sharing: int) -> CacheLevel:
        """Return the cache that decides what leaves a level which so many threads share.

        A victim cache holds other lines than the levels inside it: together they are as one cache.
        """
        level = self.levels[position]
        capacity, inner = int(level.capacity_bytes * level.effective), position
        while inner and self.levels[inner].inclusion is Inclusion.VICTIM:
            inner -= 1
            held = self.levels[inner]
            capacity += held.capacity_bytes * max(1, sharing // held.shared_by)
        if inner == position:
            return level
        ways = level.ways and max(1, round(capacity / level.line_bytes / level.sets))
        return replace(level, capacity_bytes=capacity, ways=ways, inclusion=Inclusion.INCLUSIVE, effective=1.0)


def parse_hierarchy(text: str) -> Hierarchy:
    """Read ``L1:32KiB,L2:1MiB/16``; raises :class:`OptionError` for anything else."""
    levels: list[CacheLevel] = []
    for part in text.split(","):
        match = _LEVEL.match(part.strip())
        if match is None:
            raise OptionError(
                f"--hierarchy: cannot read {part.strip()!r}", hint="write NAME:SIZE[/WAYS], as L1:32KiB/8,L2:1MiB/16"
            )
        size = int(float(match["size"]) * _UNITS[match["unit"] or ""])
        ways = int(match["ways"]) if match["ways"] else None
        if size < DEFAULT_LINE_BYTES * (ways or 1):
            problem = f"{match['name']} of {size} bytes does not hold one set of {DEFAULT_LINE_BYTES}-byte lines"
            raise OptionError(
                f"--hierarchy: {problem}",
                hint="sizes are in bytes: write 32KiB for 32 kilobytes",
            )
        if ways is not None and size % (DEFAULT_LINE_BYTES * ways):
            problem = f"{match['name']} of {size} bytes is no whole number of sets of {ways} lines"
            raise OptionError(f"--hierarchy: {problem}", hint="1 KiB is 1024 bytes, 1 kB is 1000")
        levels.append(CacheLevel(match["name"], size, ways))
    _check(levels)
    return Hierarchy(tuple(levels))


def _check(levels: list[CacheLevel]) -> None:
    names = [level.name for level in levels]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"--hierarchy: {name} is given twice")
    for inner, outer in pairwise(levels):
        if outer.capacity_bytes <= inner.capacity_bytes:
            raise OptionError(
                f"--hierarchy: {outer.name} is not larger than {inner.name}",
                hint="list the levels from the core outwards",
            )
