"""The reasons that a difference may have, by name."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """Every reason that a rule can give."""

    REPETITIONS = "repetitions"
    OTHER_SIZE = "other size"
    FMA_COUNTED_ONCE = "FMA counted once"
    FMA_COUNTED_TWICE = "FMA counted twice"
    EXPANSION = "expansion"
    OTHER_POLICY = "other policy"
    OTHER_PRECISION = "other precision"
    NOT_COUNTED = "not counted"
    NO_WRITE_ALLOCATE = "no write-allocate"
    WRITE_ALLOCATE = "write-allocate"
    SOME_CHANNELS = "some channels"
    SPILLS = "spills"
    GRANULARITY = "granularity"
    EVERY_REFERENCE = "every reference"
    WARM_CACHES = "warm caches"
    CACHE_REUSE = "cache reuse"
    LESS_CACHE_REUSE = "less cache reuse"
    NO_CACHES = "no caches"
    REORDERED_SUMS = "reordered sums"
    ABOVE_THE_ROOF = "above the roof"
    NOT_VECTORISED = "not vectorised"
    PART_OF_THE_MACHINE = "part of the machine"
