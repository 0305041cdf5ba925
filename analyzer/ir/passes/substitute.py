"""Substitution of values for symbols throughout a region."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from msgspec.structs import replace

from ..index import Number, Poly, const, var
from ..names import iteration_name
from ..nodes import Exit, Geometric, Guard, Loop, Node, Region, Statement, Strided, progression
from ..traverse import all_nodes, map_bodies, map_indices

Values = Mapping[str, Poly | Number]


def bind(region: Region, values: Values) -> Region:
    """Return the region with numbers in place of the symbols that have one."""
    arrays = tuple(
        replace(array, extents=tuple(None if extent is None else extent.substitute(values) for extent in array.extents))
        for array in region.arrays
    )
    return replace(region, arrays=arrays, body=bind_nodes(region.body, values))


def bind_nodes(nodes: tuple[Node, ...], values: Values) -> tuple[Node, ...]:
    """Return the nodes with polynomials in place of names."""
    return tuple(bound for node in nodes for bound in _node(node, values))


def _node(node: Node, values: Values) -> tuple[Node, ...]:
    match node:
        case Loop():
            return _loop(node, values)
        case Guard() | Statement():
            return (_bound(node, values),)
        case Exit():
            return (replace(node, loop=None if node.loop is None else _renamed(node.loop, values)),)
        case _:
            assert_never(node)


def _bound(node: Node, values: Values) -> Node:
    """Return a node with its expressions and those of its bodies bound."""
    return map_bodies(map_indices(node, lambda index: index.substitute(values)), lambda body: bind_nodes(body, values))


def _loop(loop: Loop, values: Values) -> tuple[Node, ...]:
    """Return a loop; one with a multiplying or halving counter of known values becomes an iteration for each of them.

    Not where an iteration may be the last: what leaves one does not reach the next.
    """
    range_ = loop.range
    if isinstance(range_, Geometric) and not loop.header and not is_left(loop):
        bounds = range_.start.substitute(values), range_.stop.substitute(values)
        counters = progression(replace(range_, start=bounds[0], stop=bounds[1]))
        if counters is not None:
            return tuple(iteration_of(loop, counter, values) for counter in counters[:-1])
    return (_bound(replace(loop, iterator=_renamed(loop.iterator, values)), values),)


def iteration_of(loop: Loop, number: int, values: Values, counter: Poly | None = None) -> Loop:
    """Return one iteration of a loop, with iterators of its own inside; its counter is ``counter``, or its number."""
    iterators = [node.iterator for node in all_nodes((loop,)) if isinstance(node, Loop)]
    fresh: dict[str, Poly | Number] = {name: var(iteration_name(name, number)) for name in iterators}
    first = const(number) if counter is None else counter
    return replace(
        loop,
        iterator=_renamed(loop.iterator, fresh),
        range=Strided(first, first + 1),
        body=bind_nodes(loop.body, {**values, **fresh, loop.iterator: first}),
        unrolled_from=loop.source_iterator,
    )


def is_left(loop: Loop) -> bool:
    """Return whether an exit of the loop is in it."""
    return any(isinstance(node, Exit) and node.loop == loop.iterator for node in all_nodes(loop.body))


def _renamed(iterator: str, values: Values) -> str:
    """Return the name that an iterator gets: that of the single variable which takes its place, if one does."""
    value = values.get(iterator)
    name = value.as_name if isinstance(value, Poly) else None
    return iterator if name is None else name
