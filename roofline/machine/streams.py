"""Patterns of a bandwidth: the stream of loads and stores that it was measured with.

Input: the name of a pattern, or the bytes that a loop moves.  Output: the bytes on the bus for each useful byte, and
how far a pattern is from a loop.

A benchmark of ``a[i] = b[i] + s*c[i]`` divides 24 useful bytes by the time.  Where a store that misses reads its line
first, 32 bytes moved.  With ``r`` arrays that are only read, ``u`` that are updated and ``w`` that are only written,
the factor is ``(r + 2 u + 2 w) / (r + 2 u + w)``.  A victim cache takes in again each line that the level inside it
gets, clean ones as well: there it is ``2 (r + u + w) / (r + 2 u + w)``.  (likwid-bench of one core from the L3 of a
Xeon Gold 6148: load 24.4, copy 24.3, update 48.1, vector triad 24.5, daxpy 36.5 GB/s; with the factors 2, 2, 1, 2 and
4/3 they all are 48 to 49.)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from analyzer.python.regex import regex


class Streams(Struct, frozen=True):
    """How many arrays one iteration of a benchmark only reads, updates, and only writes."""

    read: int
    updated: int
    written: int

    @property
    def bus_bytes_per_useful_byte(self) -> float:
        """Return what moves where stores that miss read their line first, over what the benchmark counts."""
        return (self.read + 2 * self.updated + 2 * self.written) / (self.read + 2 * self.updated + self.written)

    @property
    def victim_bytes_per_useful_byte(self) -> float:
        """Return what moves to and from a victim cache, over what the benchmark counts."""
        return 2 * (self.read + self.updated + self.written) / (self.read + 2 * self.updated + self.written)

    def mix(self, *, victim: bool = False) -> tuple[float, float, float]:
        """Return the shares of reads, of lines read because of stores, and of writes in what moves."""
        filled = self.read + self.updated + self.written
        out = filled if victim else self.updated + self.written
        total = filled + out
        return (self.read + self.updated) / total, self.written / total, out / total

    @property
    def mix_past_caches(self) -> tuple[float, float, float]:
        """Return the same of stores that read no line."""
        total = self.read + 2 * self.updated + self.written
        return (self.read + self.updated) / total, 0.0, (self.updated + self.written) / total


PATTERNS: Mapping[str, Streams] = MappingProxyType(
    {
        "load": Streams(1, 0, 0),
        "read": Streams(1, 0, 0),
        "dot": Streams(2, 0, 0),
        "store": Streams(0, 0, 1),
        "store-nt": Streams(0, 0, 1),
        "copy": Streams(1, 0, 1),
        "copy-nt": Streams(1, 0, 1),
        "scale": Streams(1, 0, 1),
        "add": Streams(2, 0, 1),
        "triad": Streams(2, 0, 1),
        "triad-nt": Streams(2, 0, 1),
        "vector triad": Streams(3, 0, 1),
        "update": Streams(0, 1, 0),
        "daxpy": Streams(1, 1, 0),
    }
)
"""``triad`` is that of STREAM, ``a = b + s*c``; ``vector triad`` is ``a = b + c*d``; ``-nt`` stores past the caches."""


_COUNTED = regex(r"(\d{1,3}) loads, (\d{1,3}) stores")


def streams_of(pattern: str | None) -> Streams | None:
    """Return the arrays of a pattern, which is a name of :data:`PATTERNS` or says how many it loads and stores.

    >>> streams_of("2 loads, 1 stores") == streams_of("triad"), streams_of("zigzag")
    (True, None)
    """
    counted = _COUNTED.fullmatch(pattern or "")
    if counted is None:
        return PATTERNS.get(pattern or "")
    loads, stores = (int(number) for number in counted.groups())
    return Streams(loads, 0, stores) if loads or stores else None


def bus_bytes_per_s(value: float, pattern: str | None, *, counts_all: bool | None, victim: bool = False) -> float:
    """Return the byte/s that move at a measured figure.

    ``counts_all``: it has also the lines that stores read first (None: as far as the question arises); ``victim``: it
    is of a victim cache.

    >>> round(bus_bytes_per_s(24.0, "triad", counts_all=False), 9)
    32.0
    >>> [bus_bytes_per_s(24.0, each, counts_all=None, victim=True) for each in ("load", "update")]
    [48.0, 24.0]
    """
    streams = streams_of(pattern)
    if streams is None:
        return value
    if victim:
        useful = value / streams.bus_bytes_per_useful_byte if counts_all else value
        return useful * streams.victim_bytes_per_useful_byte
    return value * streams.bus_bytes_per_useful_byte if counts_all is False else value


def distance(pattern: str | None, read: float, allocated: float, written: float, *, victim: bool = False) -> float:
    """Return how far the mix of a pattern is from that of the bytes that a loop moves: 0 the same, 2 nothing alike.

    ``victim``: to and from a victim cache.

    >>> distance("copy", 8, 8, 8), distance("load", 0, 0, 8), distance("load", 8, 0, 8, victim=True)
    (0.0, 2.0, 0.0)
    """
    streams, total = streams_of(pattern), read + allocated + written
    if streams is None or not total:
        return 2.0
    shares = (read / total, allocated / total, written / total)
    mix = streams.mix_past_caches if is_past_caches(pattern) else streams.mix(victim=victim)
    return sum(abs(ours - theirs) for ours, theirs in zip(shares, mix, strict=True))


def is_past_caches(pattern: str | None) -> bool:
    """Return whether the stores of a pattern go past the caches."""
    return (pattern or "").endswith("-nt")
