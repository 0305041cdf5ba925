"""Which arrays a nest streams to memory: its statements to :class:`~..profile.StoredStream`, for non-temporal stores.

An array streams where nothing in the nest reads it, every iteration of the innermost loop stores the elements next to
those of the iteration before (or all members of a structure), no condition skips some, no long loop runs between two
of them, and no loop comes back to the same elements: a store past the caches then fills whole lines, and no cache could
have merged two stores to one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..ir.nodes import Array, Loop, MemorySpace, Node, Region, Statement
from ..ir.passes.steps import step_bytes, trip_of
from ..ir.traverse import accesses, all_nodes
from ..ir.values import Access
from ..ir.walk import Visit, walk_nodes
from ..profile import StoredStream

_FEWEST = 16  # iterations of an innermost loop that fill lines by themselves


def stored_streams(nest: Loop, region: Region) -> tuple[StoredStream, ...]:
    """Return the arrays that a nest of a region only stores, in streams."""
    found = tuple(_streamed((nest,), region.arrays))
    if not found:
        return ()
    elsewhere = _read(region.body) if len(region.body) > 1 or region.body[0] is not nest else frozenset()
    return tuple(StoredStream(array, is_read_elsewhere=array in elsewhere) for array in found)


def _read(nodes: Sequence[Node]) -> frozenset[str]:
    """Return the arrays that statements read."""
    statements = (node for node in all_nodes(nodes) if isinstance(node, Statement))
    return frozenset(access.array for statement in statements for access, write in accesses(statement) if not write)


def _streamed(nodes: Sequence[Node], arrays: Sequence[Array]) -> Iterator[str]:
    by_name = {array.name: array for array in arrays}
    stores: dict[str, dict[Access, Visit]] = {}
    others: set[str] = set()
    for visit in walk_nodes(tuple(nodes)):
        if not isinstance(visit.node, Statement):
            continue
        for access, write in accesses(visit.node):
            if write and not access.atomic and not visit.node.nontemporal and not visit.branches:
                stores.setdefault(access.array, {})[access] = visit
            else:
                others.add(access.array)
    for name, found in stores.items():
        if name not in others and _in_main_memory(by_name.get(name)) and _is_stream(found):
            yield name


def _in_main_memory(array: Array | None) -> bool:
    return array is None or array.space is MemorySpace.GLOBAL


def _is_stream(stores: Mapping[Access, Visit]) -> bool:
    """Return whether stores to one array, all in the same loops, fill it from one end to the other."""
    (first, visit), *_ = stores.items()
    loops = visit.loops
    alike = all(
        other.loops == loops and access.strides_bytes == first.strides_bytes for access, other in stores.items()
    )
    if not loops or not alike or any(loop.mapping.is_of_grid for loop in loops):
        return False
    stored = sum(access.type.size_bytes for access in stores)
    return all(_fills(access, loops, stored) for access in stores)


def _fills(access: Access, loops: Sequence[Loop], stored_bytes: int) -> bool:
    """Return whether the loops, from the inside, each go on where the iterations inside it end, or move rows on."""
    *outer, inner = loops
    if any(_goes_elsewhere(node) for node in all_nodes(inner.body)):
        return False
    step = step_bytes(access, inner)
    if step is None or step.constant is None or abs(step.constant) != stored_bytes:
        return False
    trip = trip_of(inner)
    trips = None if trip is None else trip.constant
    if trips is not None and trips < _FEWEST:
        row = step_bytes(access, outer[-1]) if outer else None
        if row is None or row.constant is None or abs(row.constant) != trips * stored_bytes:
            return False
    return all((moved := step_bytes(access, loop)) is not None and bool(moved.terms) for loop in outer)


def _goes_elsewhere(node: Node) -> bool:
    """Return whether a loop may move many lines before the next store: the part of a line that was stored leaves."""
    trip = trip_of(node) if isinstance(node, Loop) else None
    return isinstance(node, Loop) and (trip is None or trip.constant is None or trip.constant >= _FEWEST)
