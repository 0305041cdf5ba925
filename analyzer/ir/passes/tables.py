"""Loops over tables of constants, as compilers treat them: each iteration with the elements that it takes.

``for (q = 0; q < 9; q++) ... f[q][y - cy[q]][x - cx[q]]`` has subscripts that are affine once ``q`` is a number.  A
short inner loop whose iterator is the index of a table is replaced by its iterations, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ..index import Element, Power
from ..nodes import Loop, Mapping, Node, Region, Strided
from ..traverse import all_nodes, indices_of, map_bodies
from .substitute import is_left, iteration_of

_LONGEST = 64  # iterations
_LARGEST = 4096  # nodes of all iterations


def with_elements(region: Region) -> Region:
    """Return the region with the iterations of short inner loops over tables in place of these."""
    return replace(region, body=tuple(map_bodies(node, _unrolled) for node in region.body))


def with_outer_elements(region: Region) -> Region:
    """Return the region with single iterations in place of short outermost loops over tables too."""
    if not any(_indexed_by(node) for node in all_nodes(region.body)):
        return region
    return replace(region, body=tuple(found for node in region.body for found in _apart(node)))


def _apart(node: Node) -> Iterator[Node]:
    counters = _counters(node) if isinstance(node, Loop) else None
    if isinstance(node, Loop):
        yield from (node,) if counters is None else (iteration_of(node, counter, {}) for counter in counters)
    else:
        yield map_bodies(node, lambda body: tuple(found for inner in body for found in _apart(inner)))


def _unrolled(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return nodes inside of a loop or a condition, loops over tables unrolled at every depth."""
    return tuple(found for node in nodes for found in _iterations(node))


def _iterations(node: Node) -> Iterator[Node]:
    counters = _counters(node) if isinstance(node, Loop) else None
    if counters is None or not isinstance(node, Loop):
        yield map_bodies(node, _unrolled)
        return
    for counter in counters:
        yield from _unrolled(iteration_of(node, counter, {}).body)


def _counters(loop: Loop) -> range | None:
    """Return the values of the counter of a loop that is to be unrolled."""
    if loop.mapping not in (Mapping.SEQUENTIAL, Mapping.SIMD) or loop.header or is_left(loop):
        return None
    if not isinstance(loop.range, Strided):
        return None
    start, stop = loop.range.start.constant, loop.range.stop.constant
    if start is None or stop is None:
        return None
    counters = range(start, stop, loop.range.step)
    nodes = [*all_nodes(loop.body)]
    if len(counters) > _LONGEST or len(counters) * len(nodes) > _LARGEST:
        return None
    return counters if any(loop.iterator in _indexed_by(node) for node in nodes) else None


def _indexed_by(node: Node) -> Sequence[str]:
    """Return the names that index tables, or are exponents, in the subscripts, bounds and conditions of a node."""
    found: list[str] = []
    for atom in (atom for poly in indices_of(node) for atom in poly.nested_atoms()):
        if isinstance(atom, Element) and isinstance(atom.table, tuple):
            found += atom.index.names()
        elif isinstance(atom, Power):
            found += atom.exponent.names()
    return found
