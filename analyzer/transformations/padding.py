"""Rows of arrays padded: a nest whose rows lie apart by other distances than multiples of most of a way of a cache.

A way of a cache has ``sets * line_bytes`` bytes; lines of a column that are apart by s bytes fall into
``way / gcd(s, way)`` of its sets at most (Hennessy, Patterson, *Computer Architecture*, 6th edition, appendix B.3).
A row that is longer by one line moves each row on by a set (Rivera, Tseng, *Data transformations for eliminating
conflict misses*, PLDI 1998).  It is no question of dependences: the elements are the same.

Left as they are: arrays that only the outermost loop goes through row by row, those whose rows have no known length,
that are indexed by one number alone (``a[i*n + j]``), and those of structures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import gcd

from msgspec.structs import replace

from ..ir.index import const
from ..ir.nodes import Array, Loop
from ..ir.traverse import accesses_in, all_nodes, map_accesses, map_statements
from ..ir.values import Access
from ..traffic.hierarchy import CacheLevel
from .bands import Band
from .kinds import Pad, Padded

_FEW = 8
"""Sets of a cache that the lines of a column fall into at most: with eight ways some sixty lines, a short column."""


def paddings(nest: Loop, arrays: Sequence[Array], caches: Sequence[CacheLevel]) -> Iterator[tuple[Pad, Band]]:
    """Yield the nest with all arrays padded whose rows fall into few sets of one of the ``caches``; nothing else."""
    ways = [(cache.sets * cache.line_bytes, cache.line_bytes) for cache in caches if cache.sets > _FEW]
    if not ways:
        return
    made = {array.name: found for array in arrays if (found := _padded(nest, array, ways)) is not None}
    if not made:
        return
    changed = {access: other for _, accesses, _ in made.values() for access, other in accesses.items()}
    (loop,) = map_statements((nest,), lambda each: map_accesses(each, lambda access: changed.get(access, access)))
    assert isinstance(loop, Loop)
    padded = tuple(step for step, _, _ in made.values())
    yield Pad(padded, nest.span.line), Band(loop, (loop,), tuple(array for _, _, array in made.values()))


def _padded(
    nest: Loop, array: Array, ways: Sequence[tuple[int, int]]
) -> tuple[Padded, Mapping[Access, Access], Array] | None:
    """Return what an array is padded by, its accesses before and after, and the padded one; None where it stays."""
    used = {access for access, _ in accesses_in((nest,)) if access.array == array.name}
    if not _goes_down_columns(nest, used):
        return None
    strides = {tuple(None if each is None else each.constant for each in access.strides_bytes) for access in used}
    if len(strides) != 1 or any(access.member for access in used):
        return None
    before = [stride for stride in next(iter(strides)) if stride]
    if len(before) < max(2, len(array.extents)) or before[-1] != array.element_bytes:
        return None
    after = _strides(before, ways)
    if after is None or after == before:
        return None
    name = f"{array.name}.padded"
    distances = tuple(map(const, after))
    accesses = {access: replace(access, array=name, strides_bytes=distances) for access in used}
    by = tuple(after[number] // after[number + 1] - before[number] // before[number + 1] for number in _rows(before))
    extents = tuple(
        extent if number == 0 or extent is None else extent + by[number - 1]
        for number, extent in enumerate(array.extents)
    )
    rows = before[-2] // before[-1]
    return Padded(array.name, rows, by), accesses, replace(array, name=name, extents=extents)


def _goes_down_columns(nest: Loop, used: Collection[Access]) -> bool:
    """Return whether an inner loop of the nest goes from row to row."""
    inner = {node.iterator for node in all_nodes(nest.body) if isinstance(node, Loop)}
    return any(subscript.names() & inner for access in used for subscript in access.subscripts[:-1])


def _rows(strides: Sequence[int]) -> range:
    return range(len(strides) - 1)


def _strides(before: Sequence[int], ways: Sequence[tuple[int, int]]) -> list[int] | None:
    """Return the strides with all rows longer that fall into few sets; None where they are not those of whole rows."""
    found = [before[-1]]
    for number in reversed(_rows(before)):
        extent, rest = divmod(before[number], before[number + 1])
        if rest or extent < 1:
            return None
        stride = extent * found[0]
        if any(_falls_into_few(stride, way) for way, _ in ways):
            line = max(line for way, line in ways if _falls_into_few(stride, way))
            stride += -(-line // found[0]) * found[0]
        found.insert(0, stride)
    return found


def _falls_into_few(stride: int, way: int) -> bool:
    """Return whether lines that are apart by a stride fall into few sets, of a cache with ways of so many bytes."""
    return way // gcd(stride, way) <= _FEW
