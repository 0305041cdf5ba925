"""How often loops run whose lengths given arrays tell: nodes of a region -> executions and iterations, in numpy.

A nest is expanded from the outside inwards: each loop makes one row for each iteration around it into one row for each
of its own, but for loops that nothing below depends on, which only multiply.  Rows are worked on in pieces, so that
memory is bounded; beyond :data:`MOST_ROWS` rows :class:`TooManyRows` is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ..ir.conditions import leaves
from ..ir.index import Poly, var
from ..ir.nodes import (
    Compare,
    Condition,
    DataDependent,
    Exit,
    Geometric,
    Guard,
    Loop,
    Node,
    Statement,
    Strided,
    Uncounted,
)
from ..ir.traverse import all_nodes, bounds_of, children_of, indices_of, indices_of_steps
from ..traffic.program.predicates import evaluate, holds
from ..traffic.program.program import NotNumeric

Ints = NDArray[np.int64]

MOST_ROWS = 1 << 25
"""Rows of all loops of one region together; a million takes some 50 ms."""
_PIECE = 1 << 20


class TooManyRows(Exception):
    """The loops that lengths depend on run too often to be followed one by one."""


class Rows(Struct, frozen=True, eq=False):
    """Executions of a node: the iterators by name, and how often each row happens.

    Of loops that were not expanded ``spans`` are the least and greatest values of the iterators.  Those below a
    condition, an early exit or a number of iterations that is not known are not ``is_certain``.
    """

    iterators: Mapping[str, Ints]
    weight: Ints
    spans: Mapping[str, tuple[Ints, Ints]]
    is_certain: bool = True

    def value(self, poly: Poly) -> Ints:
        """Return an index expression in each row; raises ``NotNumeric`` where something in it is not known."""
        missing = poly.names() - self.iterators.keys()
        if missing:
            raise NotNumeric("value", name=min(missing))
        return np.broadcast_to(np.asarray(evaluate(poly, self.iterators), dtype=np.int64), self.weight.shape)

    def extremes(self, poly: Poly) -> tuple[int, int] | None:
        """Return the least and greatest value of an index expression in all rows.

        None where something in it is not known, or it is not affine in a loop that was not expanded.
        """
        inner = poly.names() - self.iterators.keys()
        ends = [poly, poly]
        for name in inner & self.spans.keys():
            factor = poly.coefficient(name).constant
            if factor is None or name in (poly - var(name) * factor).names():
                return None
            low, high = (f"{name}:least", f"{name}:most")[:: 1 if factor >= 0 else -1]
            ends = [end.substitute({name: var(each)}) for end, each in zip(ends, (low, high), strict=True)]
        named = {f"{name}:least": span[0] for name, span in self.spans.items()}
        named |= {f"{name}:most": span[1] for name, span in self.spans.items()}
        try:
            rows = Rows({**self.iterators, **named}, self.weight, {})
            least, most = rows.value(ends[0]), rows.value(ends[1])
        except NotNumeric:
            return None
        return (int(least.min()), int(most.max())) if len(least) else None

    def where(self, chosen: NDArray[Any]) -> Rows:
        """Return some of the rows, by a mask or by their numbers."""
        return Rows(
            {name: column[chosen] for name, column in self.iterators.items()},
            self.weight[chosen],
            {name: (low[chosen], high[chosen]) for name, (low, high) in self.spans.items()},
            self.is_certain,
        )


Visit = Callable[[Node, Rows], None]
Needed = Callable[[Statement], Iterable[Poly]]


def _nothing(_: Statement) -> Iterable[Poly]:
    return ()


def visit_executions(nodes: Sequence[Node], visit: Visit, needed: Needed = _nothing) -> None:
    """Call ``visit`` with each loop and statement and the rows in which it is executed, a piece at a time.

    The symbols of the nodes must have numbers.  What depends on values that are not known is left out: a condition on
    these is assumed to hold, both ways.  ``needed`` are the expressions of a statement whose values the visit asks for.
    Raises :class:`TooManyRows`.
    """
    _Walk(visit, needed).nodes(nodes, Rows({}, np.ones(1, dtype=np.int64), {}))


class _Walk:
    def __init__(self, visit: Visit, needed: Needed) -> None:
        self._visit = visit
        self._needed = needed
        self._left = MOST_ROWS
        self._wanted: dict[int, frozenset[str]] = {}

    def nodes(self, nodes: Sequence[Node], rows: Rows) -> None:
        for node in nodes:
            match node:
                case Loop():
                    self._visit(node, rows)
                    for statement in node.header:
                        self._visit(statement, rows)
                    for inside in self._inside(node, rows):
                        self.nodes(node.body, inside)
                case Guard():
                    for body, inside in self._arms(node, rows):
                        self.nodes(body, inside)
                case Statement():
                    self._visit(node, rows)
                case Exit():
                    pass

    def _arms(self, guard: Guard, rows: Rows) -> Iterator[tuple[tuple[Node, ...], Rows]]:
        mask = _mask(guard.condition, rows)
        either = replace(rows, is_certain=False)
        if guard.body:
            yield guard.body, either if mask is None else rows.where(mask)
        if guard.orelse:
            yield guard.orelse, either if mask is None else rows.where(~mask)

    def _inside(self, loop: Loop, rows: Rows) -> Iterator[Rows]:
        """Yield the rows of the iterations of a loop."""
        if not len(rows.weight):
            return
        start, trips = _range_of(loop, rows)
        if trips is None or _ends_early(loop):
            rows = replace(rows, is_certain=False)
        step = loop.range.step if isinstance(loop.range, Strided) else 1
        if loop.iterator not in self._names_below(loop):
            if start is None or trips is None:
                yield rows
                return
            runs = trips > 0
            inside = rows.where(runs)
            ends = start[runs], start[runs] + (trips[runs] - 1) * step
            span = (np.minimum(*ends), np.maximum(*ends))
            spans = {**inside.spans, loop.iterator: span}
            yield replace(inside, weight=inside.weight * trips[runs], spans=spans)
            return
        if start is None or trips is None:
            raise NotNumeric("value", name=loop.iterator)
        trips = np.maximum(trips, 0)
        self._left -= int(trips.sum())
        if self._left < 0:
            raise TooManyRows
        for first, last in _pieces(trips):
            many = trips[first:last]
            owner = np.repeat(np.arange(first, last), many)
            number = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
            inside = rows.where(owner)
            iterators = {**inside.iterators, loop.iterator: start[owner] + number * step}
            yield replace(inside, iterators=iterators)

    def _names_below(self, loop: Loop) -> frozenset[str]:
        """Return the names on which lengths, given elements and conditions inside of a loop depend."""
        if id(loop) not in self._wanted:
            below = all_nodes(children_of(loop))
            polys = [poly for node in below for poly in _decisive(node)]
            polys += [poly for node in below if isinstance(node, Statement) for poly in self._needed(node)]
            self._wanted[id(loop)] = frozenset[str]().union(*(poly.names() for poly in polys))
        return self._wanted[id(loop)]


def _ends_early(loop: Loop) -> bool:
    """Return whether something in a loop leaves it, and maybe those around it or the function."""
    nodes = all_nodes(loop.body)
    inside = {node.iterator for node in nodes if isinstance(node, Loop)}
    return any(isinstance(node, Exit) and node.loop not in inside for node in nodes)


def _decisive(node: Node) -> Iterator[Poly]:
    if isinstance(node, Loop) and isinstance(node.range, Uncounted) and node.range.length is not None:
        yield node.range.length
    elif isinstance(node, Loop) and isinstance(node.range, Uncounted) and node.range.steps is not None:
        yield from indices_of_steps(node.range.steps)
    elif isinstance(node, Loop):
        yield from bounds_of(node.range)
    elif isinstance(node, Guard):
        yield from indices_of(node)


def _range_of(loop: Loop, rows: Rows) -> tuple[Ints | None, Ints | None]:
    """Return the first value of the counter and the number of iterations in each row; None where not known."""
    zero = np.zeros_like(rows.weight)
    try:
        match loop.range:
            case Strided(start, stop, step):
                low, high = rows.value(start), rows.value(stop)
                distance = high - low if step > 0 else low - high
                return low, -(-distance // abs(step))
            case Uncounted(length=Poly() as length):
                return zero, rows.value(length)
            case Uncounted() | Geometric():
                return None, None
    except NotNumeric:
        return None, None


def _mask(condition: Condition, rows: Rows) -> NDArray[np.bool_] | None:
    """Return in which rows a condition holds; None where that is not known."""
    for leaf in leaves(condition):
        if isinstance(leaf, DataDependent):
            return None
        if isinstance(leaf, Compare) and not (leaf.left.names() | leaf.right.names()) <= rows.iterators.keys():
            return None
    try:
        found: Any = holds(condition, rows.iterators)
    except NotNumeric:
        return None
    return np.broadcast_to(np.asarray(found, dtype=bool), rows.weight.shape)


def _pieces(trips: Ints) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows with about as many iterations as a piece has, and at least one row."""
    ends = np.cumsum(trips)
    first = 0
    while first < len(trips):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + _PIECE, side="right")))
        yield first, last
        first = last
