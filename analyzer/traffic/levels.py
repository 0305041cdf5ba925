"""Traffic without a cache model: every reference (register level), and every byte once (compulsory)."""

from __future__ import annotations

from collections.abc import Sequence

from ..counts.references import Direction, RegisterReference, register_bytes
from ..poly.quantity import ZERO, Exactness, Quantity
from .shapes import Footprint, LevelTraffic


def register_traffic(references: Sequence[RegisterReference]) -> LevelTraffic:
    """No cache at all: the register-level references of every iteration."""
    loads, stores = (register_bytes(references, direction) for direction in Direction)
    return LevelTraffic("register", "references", 1, loads, ZERO, stores)


def compulsory_traffic(footprint: Footprint) -> LevelTraffic:
    """An ideal cache at element granularity; write-allocate is what is written without being read first."""
    return LevelTraffic(
        "DRAM",
        "compulsory",
        1,
        footprint.read.bytes,
        difference(footprint.touched.bytes, footprint.read.bytes),
        footprint.written.bytes,
    )


def compulsory_line_traffic(footprint: Footprint) -> LevelTraffic:
    """The same in whole cache lines."""
    size = footprint.line_bytes
    return LevelTraffic(
        "DRAM",
        "compulsory",
        size,
        footprint.read.lines * size,
        difference(footprint.touched.lines, footprint.read.lines) * size,
        footprint.written.lines * size,
    )


def difference(whole: Quantity, part: Quantity) -> Quantity:
    """``whole - part`` for a part of the whole; bounds cross over."""
    if whole.is_exact and part.is_exact:
        left = whole.estimate - part.estimate
        return Quantity(left, left, left)
    return Quantity(
        whole.estimate - part.estimate, whole.lower - part.upper, whole.upper - part.lower, Exactness.ESTIMATE
    )
