"""Arrays of a function or a thread that a compiler puts into registers: no reference to them reaches a cache.

Input: a region as its source has it, before sizes are numbers.  Output: the names of these arrays
(:func:`held_in_registers`), or a kernel with them in :attr:`~..ir.nodes.MemorySpace.REGISTER`; those left in ``LOCAL``
are memory of a thread.  Elements of other arrays stay in registers over a loop only where it is unrolled
(:mod:`.gpu.registers`); :func:`with_rolled_loops` says which ones are not.

Registers have no addresses, so each subscript must be a number once loops are unrolled: it names only iterators of
loops whose bounds are numbers in the source, with at most so many iterations (more where a pragma says so).  All of
these arrays together have at most so many bytes or elements; the smallest come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial
from math import ceil

from msgspec import Struct
from msgspec.structs import replace

from ..ir.nodes import (
    Array,
    Geometric,
    Loop,
    MemorySpace,
    Node,
    Region,
    RegionKind,
    Statement,
    Strided,
    elements_of,
    progression,
)
from ..ir.nodes import Mapping as LoopMapping
from ..ir.traverse import accesses, all_nodes, children_of, map_bodies
from ..ir.values import Access, Apply, walk_values
from .program.intervals import Interval, bounds_of


class _Registers(Struct, frozen=True):
    """Loops that are unrolled have at most so many ``iterations``, all arrays so many ``units``: elements, or bytes."""

    iterations: int
    units: int
    by_bytes: bool


_GPU = _Registers(160, 220 * 4, by_bytes=True)
"""nvcc 13.0 -O3 -arch=sm_86 unrolls loops over an array of 160 floats without a pragma, and not those over 176.  Of the
255 registers of a thread it has 220 floats of an array in registers, and spills of 256."""
_MOST_UNROLLED = 350
"""Operations and references of a loop that is unrolled in whole: nvcc 13.0 -O3 -arch=sm_80 unrolls 64 iterations of 5
each, and 16 of 17, but not 72 of 5 nor 24 of 17; it exceeds this in nests (144 of 3)."""
_CPU = _Registers(16, 16, by_bytes=False)
"""gcc unrolls in whole what has at most 16 iterations (``max-completely-peel-times``), clang more; x86-64 before
AVX-512 has 16 registers for floating-point numbers, which are vectors where iterations around run in lanes."""


def with_register_arrays(region: Region) -> Region:
    """Return a kernel with the arrays of a thread that registers hold named as such; other regions as they are."""
    if region.kind is not RegionKind.KERNEL:
        return region
    held = held_in_registers(region)
    arrays = (replace(array, space=MemorySpace.REGISTER) if array.name in held else array for array in region.arrays)
    return replace(region, arrays=tuple(arrays))


def with_rolled_loops(kernel: Region) -> Region:
    """Return a kernel whose loops have ``unroll=1`` where no compiler unrolls them in whole.

    These do too much, or only a launch determines their iterations: what is given later does not unroll them.
    """
    held = frozenset(array.name for array in kernel.arrays if array.space is MemorySpace.REGISTER)
    return replace(kernel, body=_with_rolled(kernel.body, {}, held))


def _with_rolled(nodes: tuple[Node, ...], ranges: Mapping[str, Interval], local: Set[str]) -> tuple[Node, ...]:
    """Return nodes whose loops have ``unroll=1`` where they are not unrolled in whole."""
    found: list[Node] = []
    for node in nodes:
        if not isinstance(node, Loop) or node.mapping is not LoopMapping.SEQUENTIAL:
            found.append(map_bodies(node, partial(_with_rolled, ranges=ranges, local=local)))
            continue
        span = _unrolled(node, ranges, _GPU.iterations)
        inside = ranges if span is None else {**ranges, node.iterator: span}
        loop = replace(node, body=_with_rolled(node.body, inside, local))
        is_short = span is not None and (
            _operations(loop, inside) <= _MOST_UNROLLED or _has_elements(loop, loop.iterator, local)
        )
        found.append(loop if is_short else replace(loop, unroll=1))
    return tuple(found)


def _operations(node: Node, ranges: Mapping[str, Interval]) -> int:
    """Return the arithmetic operations and references of a node once the loops that are not rolled are unrolled."""
    match node:
        case Statement():
            applied = sum(isinstance(part, Apply) for part in walk_values(node.value))
            return applied + sum(1 for _ in accesses(node))
        case Loop(unroll=1):
            return sum(_operations(child, ranges) for child in node.body)
        case Loop():
            span = _unrolled(node, ranges, _GPU.iterations) or (0, 0)
            step = abs(node.range.step) if isinstance(node.range, Strided) else 1
            inside = {**ranges, node.iterator: span}
            return ceil((span[1] - span[0] + 1) / step) * sum(_operations(child, inside) for child in node.body)
        case _:
            return sum(_operations(child, ranges) for child in children_of(node))


def _has_elements(node: Node, iterator: str, arrays: Set[str]) -> bool:
    """Return whether a loop has elements of local ``arrays`` by its iterator: compilers then unroll much more."""
    return any(
        access.array in arrays and any(iterator in subscript.names() for subscript in access.subscripts)
        for statement in all_nodes((node,))
        if isinstance(statement, Statement)
        for access, _ in accesses(statement)
    )


def held_in_registers(region: Region) -> frozenset[str]:
    """Return the local arrays that registers hold."""
    registers = _GPU if region.kind is RegionKind.KERNEL else _CPU
    local = [array for array in region.arrays if _is_local(array, region.kind)]
    if not local:
        return frozenset()
    sizes = {
        array.name: (elements_of(array) or registers.units) * (array.element_bytes if registers.by_bytes else 1)
        for array in local
    }
    references = _references(region.body, {}, registers.iterations)
    addressed = {access.array for access, ranges in references if not _is_constant(access, ranges)}
    held, free = set[str](), registers.units
    for name in sorted(sizes.keys() - addressed, key=lambda name: (sizes[name], name)):
        if sizes[name] <= free:
            held.add(name)
            free -= sizes[name]
    return frozenset(held)


def _is_local(array: Array, kind: RegionKind) -> bool:
    return array.space is MemorySpace.LOCAL if kind is RegionKind.KERNEL else array.local


def _references(
    nodes: Sequence[Node], ranges: Mapping[str, Interval], most: int
) -> Iterator[tuple[Access, Mapping[str, Interval]]]:
    """Yield every reference with the iterators of the unrolled loops around it."""
    for node in nodes:
        inside = ranges
        if isinstance(node, Loop) and node.mapping is LoopMapping.SEQUENTIAL:
            span = _unrolled(node, ranges, most)
            inside = ranges if span is None else {**ranges, node.iterator: span}
        if isinstance(node, Statement):
            for access, _ in accesses(node):
                yield access, ranges
        yield from _references(children_of(node), inside, most)


def _is_constant(access: Access, ranges: Mapping[str, Interval]) -> bool:
    return not any(subscript.unknowns() or subscript.names() - ranges.keys() for subscript in access.subscripts)


def _unrolled(loop: Loop, ranges: Mapping[str, Interval], most: int) -> Interval | None:
    """Return the first and last value of the counter of a loop that is unrolled in whole; None for another."""
    values, unroll = loop.range, loop.unroll
    if loop.at_run_time:
        return None
    if isinstance(values, Geometric):
        found = None if unroll == 1 else progression(values)
        return (min(found), max(found)) if found else None
    if not isinstance(values, Strided) or (values.start.names() | values.stop.names()) - ranges.keys():
        return None
    start, stop = (bounds_of(bound, ranges) for bound in (values.start, values.stop))
    if start is None or stop is None:
        return None
    low, high = (start[0], stop[1] - 1) if values.step > 0 else (stop[0] + 1, start[1])
    most = most if unroll is None else max(unroll, 1)
    return (low, high) if ceil((high - low + 1) / abs(values.step)) <= most else None
