"""Traffic without a cache model: every reference (register level), and every byte once (compulsory)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from ..counts.references import Direction, RegisterReference, register_bytes
from ..quantities.large_values import large_values
from ..quantities.quantity import ZERO, Exactness, Quantity, add
from ..quantities.quasipolynomial import NOTHING
from .results import ArrayFootprint, Footprint, LevelTraffic
from .unknown_strides import UnknownStride


def register_traffic(references: Sequence[RegisterReference], past: frozenset[str] = frozenset()) -> LevelTraffic:
    """Return the bytes of the register-level references of every iteration, without any cache.

    Stores to the arrays in ``past`` go past all caches.
    """
    loads, stores = (register_bytes(references, direction) for direction in Direction)
    streamed = register_bytes([found for found in references if found.access.array in past], Direction.STORE)
    return LevelTraffic("register", "references", 1, loads, ZERO, stores, past_caches=streamed)


def compulsory_traffic(
    footprint: Footprint,
    past: frozenset[str] = frozenset(),
    strides: Mapping[str, UnknownStride] = MappingProxyType({}),
) -> LevelTraffic:
    """Return the bytes of an ideal cache in elements; write-allocate are elements written without being read first.

    Stores to the arrays in ``past`` go past the caches, and allocate nothing.  Of arrays with unknown ``strides`` there
    may be lines for each element.
    """
    found = LevelTraffic(
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
    apart = [(array, strides[array.array].more_bytes) for array in footprint.arrays if array.array in strides]
    if not apart:
        return found
    unread = (
        _more(_unread(array, array.touched.elements, array.read.elements), more)
        for array, more in apart
        if array.array not in past
    )
    return replace(
        found,
        read_bytes=add((found.read_bytes, *(_more(array.read.elements, more) for array, more in apart))),
        write_allocate_bytes=add((found.write_allocate_bytes, *unread)),
        write_bytes=add((found.write_bytes, *(_more(array.written.elements, more) for array, more in apart))),
    )


def _more(elements: Quantity, more_bytes: int) -> Quantity:
    """Return up to so many bytes more for each of some elements."""
    most = elements * more_bytes
    return Quantity(NOTHING, NOTHING, most.upper, Exactness.INTERVAL) if not most.is_zero else ZERO


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
