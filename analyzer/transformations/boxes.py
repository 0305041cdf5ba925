"""A nest in boxes of its coordinates: loops over blocks of dimensions around it, its own loops cut to each box.

    for (kk = 0; kk < n; kk += 8) for (i = ...)        for (tt ...) for (ii ...) for (t = tt; t < tt + 16; t++)
      for (k = kk; k < kk + 8; k++) ...                  for (i = max(1, ii - t); i < min(n, ii + 64 - t); i++) ...

A statement without a loop of a dimension runs in the box of its number: a condition on the loop over the blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ..ir.index import Poly, const, maximum, minimum, var
from ..ir.names import source_name
from ..ir.nodes import And, Compare, Comparison, Condition, Guard, Loop, Mapping, Node, Statement, Strided
from .coordinates import Coordinate, Dimension, Loops
from .kinds import Box, Side, tiles_of

_BACKWARDS = "back"  # of the iterator over blocks that the loop runs against


def in_boxes(nest: Loop, sides: Sequence[tuple[Dimension, int]]) -> tuple[Box, Loop]:
    """Return a nest in boxes with these sides, the dimension whose blocks go round the fastest last."""
    (body,) = _Cutter(sides).nodes((nest,), ())
    made = body
    for dimension, side in reversed(sides):
        blocks = Strided(const(dimension.low), const(dimension.high + 1), side)
        loop = dimension.loop
        made = Loop(_over(dimension), blocks, (made,), loop.span, mapping=Mapping.SEQUENTIAL)
    assert isinstance(made, Loop)
    return Box(tuple(_side(nest, *each) for each in sides)), made


def _over(dimension: Dimension) -> str:
    """Return the iterator over the blocks of a dimension."""
    return tiles_of(dimension.loop.iterator) + (_BACKWARDS if dimension.is_backwards else "")


def _side(nest: Loop, dimension: Dimension, side: int) -> Side:
    loop = dimension.loop
    second = next((loops[1] for loops in dimension.of if len(loops) > 1), "")
    return Side(
        source_name(loop.iterator),
        loop.span.line,
        side,
        dimension.skew,
        source_name(nest.iterator),
        dimension.is_backwards,
        dimension.lean,
        source_name(second) if dimension.lean else "",
    )


class _Cutter:
    """Cuts the loops of a nest to one box, and puts conditions around what no loop of a dimension is around."""

    def __init__(self, sides: Sequence[tuple[Dimension, int]]) -> None:
        self._sides = sides

    def nodes(self, nodes: Sequence[Node], outer: Loops, cut: frozenset[str] = frozenset()) -> tuple[Node, ...]:
        """Return the nodes in loops over ``outer`` iterators, cut in all dimensions but those that are already."""
        made: list[Node] = []
        for node in nodes:
            conditions, names = self._conditions(node, outer, cut)
            inside = self._node(node, outer, cut | names)
            if not conditions:
                made.append(inside)
                continue
            condition = conditions[0] if len(conditions) == 1 else And(conditions)
            before = made[-1] if made else None
            if isinstance(before, Guard) and before.condition == condition and before not in nodes:
                made[-1] = replace(before, body=(*before.body, inside))
            else:
                made.append(Guard(condition, (inside,), (), node.span))
        return tuple(made)

    def _node(self, node: Node, outer: Loops, cut: frozenset[str]) -> Node:
        match node:
            case Loop():
                around = (*outer, node.iterator)
                range_, names = self._range(node, outer, cut)
                return replace(node, range=range_, body=self.nodes(node.body, around, cut | names), unroll=None)
            case Guard():
                branches = (self.nodes(body, outer, cut) for body in (node.body, node.orelse))
                return replace(node, body=next(branches), orelse=next(branches))
            case _:
                return node

    def _range(self, loop: Loop, outer: Loops, cut: frozenset[str]) -> tuple[Strided, frozenset[str]]:
        """Return the part of a loop that is in the box, and the dimensions that it is cut in."""
        assert isinstance(loop.range, Strided)
        starts, stops, names = [loop.range.start], [loop.range.stop], set()
        around = (*outer, loop.iterator)
        for dimension, side, coordinate in self._open(loop, outer, cut):
            if coordinate.iterator == loop.iterator:
                rest = _value(coordinate, around) - const(coordinate.sign) * var(loop.iterator)
                start = var(_over(dimension)) - rest
                if coordinate.is_backwards:  # block <= rest - i < block + side
                    start = const(1 - side) - start
                starts.append(start)
                stops.append(start + side)
                names.add(_over(dimension))
        return replace(loop.range, start=maximum(starts), stop=minimum(stops)), frozenset(names)

    def _conditions(
        self, node: Node, outer: Loops, cut: frozenset[str]
    ) -> tuple[tuple[Condition, ...], frozenset[str]]:
        """Return what is in the box of a node that has one coordinate which is a number or that of a loop around."""
        found: list[Condition] = []
        names = set()
        for dimension, side, coordinate in self._open(node, outer, cut):
            if coordinate.iterator is not None and coordinate.iterator not in outer:
                continue
            block, at = var(_over(dimension)), _value(coordinate, outer)
            names.add(_over(dimension))
            if coordinate.iterator is None and coordinate.shift == dimension.low:
                found.append(Compare(Comparison.EQ, block, at))
            else:
                found.append(Compare(Comparison.LE, block, at))
                found.append(Compare(Comparison.GT, block + side, at))
        return tuple(found), frozenset(names)

    def _open(self, node: Node, outer: Loops, cut: frozenset[str]) -> Iterator[tuple[Dimension, int, Coordinate]]:
        """Yield the dimensions that a node is not yet cut in and all of whose statements have one coordinate."""
        for dimension, side in self._sides:
            if _over(dimension) not in cut:
                used = {dimension.of[loops] for loops in _inside(node, outer)}
                if len(used) == 1:
                    yield dimension, side, used.pop()


def _inside(node: Node, outer: Loops) -> frozenset[Loops]:
    """Return the loops around each statement in a node."""
    match node:
        case Loop():
            around = (*outer, node.iterator)
            return frozenset().union(*(_inside(each, around) for each in node.body))
        case Guard():
            return frozenset().union(*(_inside(each, outer) for each in (*node.body, *node.orelse)))
        case Statement():
            return frozenset({outer})
        case _:
            return frozenset()


def _value(coordinate: Coordinate, around: Loops) -> Poly:
    """Return a coordinate as an expression of the iterators around."""
    own = const(coordinate.shift)
    if coordinate.iterator is not None:
        own = own + const(coordinate.sign) * var(coordinate.iterator) + const(coordinate.skew) * var(around[0])
    if coordinate.lean:
        own = own + const(coordinate.lean) * var(around[1])
    return own
