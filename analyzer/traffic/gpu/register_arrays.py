"""Arrays of a thread that a compiler puts into registers: no reference to them reaches a cache.

Input: a kernel as its source has it, before sizes are numbers.  Output: the kernel with these arrays in
:attr:`~...ir.nodes.MemorySpace.REGISTER`; those left in ``LOCAL`` are memory of a thread.

Registers have no addresses, so each subscript must be a number once loops are unrolled: it names only iterators of
loops whose bounds are numbers in the source, with at most :data:`_MOST_ITERATIONS` iterations (more where a pragma says
so).  All of these arrays together have at most :data:`_MOST_BYTES`; the smallest come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from msgspec.structs import replace

from ...ir.nodes import (
    Geometric,
    Loop,
    MemorySpace,
    Node,
    Range,
    Region,
    RegionKind,
    Statement,
    Strided,
    elements_of,
    progression,
)
from ...ir.nodes import Mapping as LoopMapping
from ...ir.traverse import accesses, children_of
from ...ir.values import Access
from ..program.intervals import Interval, bounds_of

_MOST_ITERATIONS = 160
"""nvcc 13.0 -O3 -arch=sm_86 unrolls loops over an array of 160 floats without a pragma, and not those over 176."""
_MOST_BYTES = 220 * 4
"""Of the 255 registers of a thread: the same compiler has 220 floats of an array in registers, and spills of 256."""


def with_register_arrays(region: Region) -> Region:
    """Return a kernel with the arrays of a thread that registers hold named as such; other regions as they are."""
    sizes = {
        array.name: (elements_of(array) or _MOST_BYTES) * array.element_bytes
        for array in region.arrays
        if array.space is MemorySpace.LOCAL
    }
    if region.kind is not RegionKind.KERNEL or not sizes:
        return region
    addressed = {access.array for access, ranges in _references(region.body, {}) if not _is_constant(access, ranges)}
    held, free = set(), _MOST_BYTES
    for name in sorted(sizes.keys() - addressed, key=lambda name: (sizes[name], name)):
        if sizes[name] <= free:
            held.add(name)
            free -= sizes[name]
    arrays = (replace(array, space=MemorySpace.REGISTER) if array.name in held else array for array in region.arrays)
    return replace(region, arrays=tuple(arrays))


def _references(
    nodes: Sequence[Node], ranges: Mapping[str, Interval]
) -> Iterator[tuple[Access, Mapping[str, Interval]]]:
    """Yield every reference with the iterators of the unrolled loops around it."""
    for node in nodes:
        inside = ranges
        if isinstance(node, Loop) and node.mapping is LoopMapping.SEQUENTIAL:
            span = _unrolled(node.range, node.unroll, ranges)
            inside = ranges if span is None else {**ranges, node.iterator: span}
        if isinstance(node, Statement):
            for access, _ in accesses(node):
                yield access, ranges
        yield from _references(children_of(node), inside)


def _is_constant(access: Access, ranges: Mapping[str, Interval]) -> bool:
    return not any(subscript.unknowns() or subscript.names() - ranges.keys() for subscript in access.subscripts)


def _unrolled(values: Range, unroll: int | None, ranges: Mapping[str, Interval]) -> Interval | None:
    """Return the first and last value of the counter of a loop that is unrolled in whole; None for another."""
    if isinstance(values, Geometric):
        found = None if unroll == 1 else progression(values)
        return (min(found), max(found)) if found else None
    if not isinstance(values, Strided) or (values.start.names() | values.stop.names()) - ranges.keys():
        return None
    start, stop = (bounds_of(bound, ranges) for bound in (values.start, values.stop))
    if start is None or stop is None:
        return None
    low, high = (start[0], stop[1] - 1) if values.step > 0 else (stop[0] + 1, start[1])
    most = _MOST_ITERATIONS if unroll is None else max(unroll, 1)
    return (low, high) if ceil((high - low + 1) / abs(values.step)) <= most else None
