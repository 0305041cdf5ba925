"""Arrays of a kernel that are one: parameters that a launch gives the same address, for what caches see of them.

The compiler does not know of it: it loads ``x[i] + y[i]`` twice, so that operations and references are those of two
arrays.  Distinct data and the bytes behind L1 are those of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ..nodes import Array, Region, Statement
from ..traverse import accesses_in, map_accesses, map_statements
from ..values import Access


def with_joined_arrays(region: Region) -> Region:
    """Return a kernel whose references to one block of memory name one array, where its elements are of one size."""
    names = joined_arrays(region)
    if not names:
        return region

    def joined(access: Access) -> Access:
        return replace(access, array=names.get(access.array, access.array))

    def changed(statement: Statement) -> Statement:
        return map_accesses(statement, joined)

    arrays = tuple(array for array in region.arrays if array.name not in names)
    return replace(region, body=map_statements(region.body, changed), arrays=arrays)


def joined_arrays(region: Region) -> Mapping[str, str]:
    """Return the array that each other one is, of those of a kernel that have references."""
    if region.launch is None or not region.launch.same_memory:
        return {}
    ranks: dict[str, set[tuple[int, int]]] = {}
    for access, _ in accesses_in(region.body):
        ranks.setdefault(access.array, set()).add((len(access.subscripts), access.type.size_bytes))
    arrays = {array.name: array for array in region.arrays}
    return dict(_pairs(region.launch.same_memory, arrays, ranks))


def _pairs(
    same: tuple[tuple[str, ...], ...], arrays: Mapping[str, Array], ranks: Mapping[str, set[tuple[int, int]]]
) -> Iterator[tuple[str, str]]:
    for names in same:
        used = [name for name in names if name in arrays and name in ranks]
        for name in used[1:]:
            if ranks[name] == ranks[used[0]] and _is_alike(arrays[name], arrays[used[0]]):
                yield name, used[0]


def _is_alike(one: Array, other: Array) -> bool:
    return (one.element_bytes, one.extents, one.space) == (other.element_bytes, other.extents, other.space)
