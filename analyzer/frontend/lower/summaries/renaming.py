"""The nodes of a summary with other names: each call has iterators, trip counts and conditions of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from ....ir.index import Poly, var
from ....ir.nodes import (
    And,
    Compare,
    Condition,
    DataDependent,
    Exit,
    Geometric,
    Guard,
    Loop,
    Node,
    Not,
    Or,
    Range,
    Statement,
    Strided,
    Truth,
    Uncounted,
)


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
        match node:
            case Statement():
                return node
            case Exit(loop=loop):
                return node if loop is None else replace(node, loop=self._names.iterators.get(loop, loop))
            case Guard():
                return replace(
                    node,
                    condition=self._condition(node.condition),
                    body=tuple(map(self.node, node.body)),
                    orelse=tuple(map(self.node, node.orelse)),
                )
            case Loop():
                outer = node.unrolled_from
                return replace(
                    node,
                    iterator=self._names.iterators.get(node.iterator, node.iterator),
                    range=self._range(node.range),
                    body=tuple(map(self.node, node.body)),
                    unrolled_from=None if outer is None else self._names.iterators.get(outer, outer),
                )
        assert_never(node)

    def _range(self, bounds: Range) -> Range:
        match bounds:
            case Strided():
                return replace(bounds, start=self._poly(bounds.start), stop=self._poly(bounds.stop))
            case Geometric():
                start, stop = self._poly(bounds.start), self._poly(bounds.stop)
                return replace(bounds, start=start, stop=stop, trip=self._names.trips.get(bounds.trip, bounds.trip))
            case Uncounted():
                return Uncounted(self._names.trips.get(bounds.trip, bounds.trip))
        assert_never(bounds)

    def _condition(self, condition: Condition) -> Condition:
        match condition:
            case Compare():
                return replace(condition, left=self._poly(condition.left), right=self._poly(condition.right))
            case And() | Or():
                return replace(condition, operands=tuple(map(self._condition, condition.operands)))
            case Not():
                return Not(self._condition(condition.operand))
            case DataDependent():
                new = self._names.conditions
                name, subject = new.get(condition.name, condition.name), new.get(condition.subject, condition.subject)
                return replace(condition, name=name, subject=subject)
            case Truth():
                return condition
        assert_never(condition)

    def _poly(self, poly: Poly) -> Poly:
        return poly.substitute(self._values)
