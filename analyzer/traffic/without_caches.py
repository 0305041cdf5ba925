"""Traffic without a cache model: every reference (register level), and every byte once (compulsory)."""

from __future__ import annotations

from collections.abc import Sequence

from ..counts.references import Direction, RegisterReference, register_bytes
from ..quantities.large_values import large_values
from ..quantities.quantity import ZERO, Exactness, Quantity, add
from ..quantities.quasipolynomial import NOTHING
from .results import ArrayFootprint, Footprint, LevelTraffic


def register_traffic(references: Sequence[RegisterReference], past: frozenset[str] = frozenset()) -> LevelTraffic:
    """Return the bytes of the register-level references of every iteration, without any cache.

    Stores to the arrays in ``past`` go past all caches.
    """
    loads, stores = (register_bytes(references, direction) for direction in Direction)
    streamed = register_bytes([found for found in references if found.access.array in past], Direction.STORE)
    return LevelTraffic("register", "references", 1, loads, ZERO, stores, past_caches=streamed)


def compulsory_traffic(footprint: Footprint, past: frozenset[str] = frozenset()) -> LevelTraffic:
    """Return the bytes of an ideal cache in elements; write-allocate are elements written without being read first.

    Stores to the arrays in ``past`` go past the caches, and allocate nothing.
    """
    return LevelTraffic(
        "DRAM",
        "compulsory",
        1,
        footprint.read.bytes,
        add(
            _unread(array, array.touched.bytes, array.read.bytes)
            for array in footprint.arrays
            if array.array not in past
        ),
        footprint.written.bytes,
    )


def compulsory_line_traffic(footprint: Footprint, past: frozenset[str] = frozenset()) -> LevelTraffic:
    """Return the same in whole cache lines."""
    size = footprint.line_bytes
    return LevelTraffic(
        "DRAM",
        "compulsory",
        size,
        footprint.read.lines * size,
        add(
            _unread(array, array.touched.lines, array.read.lines)
            for array in footprint.arrays
            if array.array not in past
        )
        * size,
        footprint.written.lines * size,
    )


def _unread(array: ArrayFootprint, touched: Quantity, read: Quantity) -> Quantity:
    """Return the part of an array that is written without being read first: touched less read."""
    if array.written.elements.is_zero:
        return ZERO
    if array.read.elements.is_zero:
        return touched
    left = touched.estimate - read.estimate
    if touched.is_exact and read.is_exact:
        return Quantity(left, left, left)
    is_negative = left.evaluate(large_values((left.chambers,))) < 0  # both are estimates, which need not agree
    return Quantity(NOTHING if is_negative else left, NOTHING, touched.upper, Exactness.INTERVAL)
