"""One measured kernel, region or loop in base units (FLOP, byte, second), whatever tool it comes from.

All numbers are of *one* execution where the file says how many there were (``executions``), else of everything that
ran.  Levels have the names ``L1``, ``L2``, ``L3`` and ``DRAM`` (any kind of main memory); bytes at a level are those
that it serves, as in the report: ``L2`` is the traffic between L1 and L2.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

DRAM = "DRAM"
STATED = "stated"


class Fact(StrEnum):
    """What some tools report in addition to work, bytes and time; shares lie between 0 and 1."""

    SCALAR_SHARE = "share of scalar FP instructions"
    LOCAL_BYTES = "bytes of local memory"
    CLOCK_HZ = "clock in Hz"
    THREADS = "threads"


class Remark(Struct, frozen=True):
    """Something about a file that the reader of the numbers should know."""

    line: int
    text: str


class LevelBytes(Struct, frozen=True):
    """Bytes that one level served; ``read`` and ``write`` are None where the tool does not separate them."""

    level: str
    total: float
    source: str
    read: float | None = None
    write: float | None = None


class Location(Struct, frozen=True):
    """Where in the source the measured code is; ``file`` as the tool writes it."""

    file: str
    line: int


class Sample(Struct, frozen=True, kw_only=True):
    """One measured kernel, region or loop.

    ``flops`` is over the precisions in ``flops_by_precision`` (empty: the tool does not separate them).
    ``intensities`` are those that the tool gives without the bytes.  ``arguments`` are sizes that are part of the name.
    ``additive``: figures are of this loop alone, without loops inside it, so that those of one nest add up.
    ``line`` is that of the file of measured data.
    """

    name: str
    line: int
    executions: int | None = None
    seconds: float | None = None
    flops: float | None = None
    flops_source: str = ""
    flops_by_precision: Mapping[str, float] = field(default_factory=dict)
    flop_per_s: float | None = None
    levels: tuple[LevelBytes, ...] = ()
    intensities: Mapping[str, float] = field(default_factory=dict)
    location: Location | None = None
    device: str | None = None
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None
    arguments: tuple[int, ...] = ()
    facts: Mapping[Fact, float] = field(default_factory=dict)
    additive: bool = False

    @property
    def rate(self) -> float | None:
        """Return FLOP/s: as given, else FLOPs over time."""
        if self.flop_per_s is not None:
            return self.flop_per_s
        return self.flops / self.seconds if self.flops is not None and self.seconds else None

    def bytes_at(self, level: str) -> LevelBytes | None:
        """Return the bytes of one level, None where they were not measured."""
        return next((found for found in self.levels if found.level == level), None)

    def intensity_at(self, level: str) -> float | None:
        """Return the FLOP/byte at one level: FLOPs over bytes, else as given."""
        found = self.bytes_at(level)
        if found is not None and found.total and self.flops is not None:
            return self.flops / found.total
        return self.intensities.get(level)

    @property
    def has_numbers(self) -> bool:
        """Return whether anything was measured at all."""
        numbers = (self.seconds, self.flops, self.flop_per_s)
        return bool(self.levels or self.intensities) or any(number is not None for number in numbers)


class Reading(Struct, frozen=True):
    """What one file gave."""

    path: str
    format: str
    samples: tuple[Sample, ...]
    remarks: tuple[Remark, ...] = ()
