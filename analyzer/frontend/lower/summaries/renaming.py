"""The nodes of a summary with other names: each call has iterators, trip counts and conditions of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from ....ir.conditions import Leaf, map_leaves, with_compared
from ....ir.index import Poly, var
from ....ir.nodes import (
    Compare,
    DataDependent,
    Exit,
    Geometric,
    Guard,
    Loop,
    Node,
    Range,
    Statement,
    Truth,
    Uncounted,
)
from ....ir.traverse import map_bodies, map_bounds


class Names(Struct, frozen=True):
    """New names by the old ones: of iterators, of trip counts, and of conditions on data with their subjects."""

    iterators: Mapping[str, str] = field(default_factory=dict)
    trips: Mapping[str, str] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)


def renamed(nodes: Sequence[Node], names: Names) -> tuple[Node, ...]:
    """Return nodes whose statements name nothing with other names."""
    values = {old: var(new) for old, new in (*names.iterators.items(), *names.trips.items())}
    return tuple(_Renamer(names, values).node(node) for node in nodes)


class _Renamer:
    def __init__(self, names: Names, values: Mapping[str, Poly]) -> None:
        self._names = names
        self._values = values

    def node(self, node: Node) -> Node:
        inner = map_bodies(node, lambda body: tuple(map(self.node, body)))
        match inner:
            case Statement():
                return inner
            case Exit():
                return replace(inner, loop=self._iterator(inner.loop))
            case Guard():
                return replace(inner, condition=map_leaves(inner.condition, self._leaf))
            case Loop():
                iterators = self._names.iterators
                return replace(
                    inner,
                    iterator=iterators.get(inner.iterator, inner.iterator),
                    range=self._range(inner.range),
                    unrolled_from=self._iterator(inner.unrolled_from),
                )
        assert_never(inner)

    def _iterator(self, name: str | None) -> str | None:
        return None if name is None else self._names.iterators.get(name, name)

    def _range(self, bounds: Range) -> Range:
        if isinstance(bounds, Uncounted):
            return Uncounted(self._names.trips.get(bounds.trip, bounds.trip))
        if isinstance(bounds, Geometric):
            bounds = replace(bounds, trip=self._names.trips.get(bounds.trip, bounds.trip))
        return map_bounds(bounds, self._poly)

    def _leaf(self, leaf: Leaf) -> Leaf:
        match leaf:
            case Compare():
                return replace(leaf, left=self._poly(leaf.left), right=self._poly(leaf.right))
            case DataDependent():
                new = self._names.conditions
                name, subject = new.get(leaf.name, leaf.name), new.get(leaf.subject, leaf.subject)
                return with_compared(replace(leaf, name=name, subject=subject), self._poly)
            case Truth():
                return leaf
        assert_never(leaf)

    def _poly(self, poly: Poly) -> Poly:
        return poly.substitute(self._values)
