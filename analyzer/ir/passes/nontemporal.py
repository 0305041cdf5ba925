"""Non-temporal stores: they go to memory past the caches, and read no line for what they write.

Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 10.4.6.2: caching of temporal vs. non-temporal
data.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from ..nodes import Node, Region, Statement
from ..traverse import accesses, all_nodes, map_bodies


def past_caches(nodes: Iterable[Node]) -> frozenset[str]:
    """Return the arrays that nothing but non-temporal stores touches: none of their lines is in a cache."""
    statements = [node for node in all_nodes(nodes) if isinstance(node, Statement)]
    streamed = {array for node in statements if node.nontemporal for array in _written(node)}
    if not streamed:
        return frozenset()
    others = {
        access.array
        for node in statements
        for access, is_store in accesses(node)
        if not (is_store and node.nontemporal)
    }
    return frozenset(streamed - others)


def also_through_caches(nodes: Iterable[Node]) -> bool:
    """Return whether there are non-temporal stores to arrays that are read, or written by other stores, too."""
    found = tuple(nodes)
    past = past_caches(found)
    return any(
        isinstance(node, Statement) and node.nontemporal and not past.issuperset(array for array in _written(node))
        for node in all_nodes(found)
    )


def without_past_caches(region: Region) -> Region:
    """Return the region without the stores that go past the caches; what they store is still read."""
    past = past_caches(region.body)
    return replace(region, body=tuple(_without(node, past) for node in region.body)) if past else region


def _without(node: Node, arrays: frozenset[str]) -> Node:
    if isinstance(node, Statement):
        return replace(node, target=None) if node.nontemporal and not arrays.isdisjoint(_written(node)) else node
    return map_bodies(node, lambda body: tuple(_without(inner, arrays) for inner in body))


def _written(statement: Statement) -> list[str]:
    return [access.array for access, is_store in accesses(statement) if is_store]
