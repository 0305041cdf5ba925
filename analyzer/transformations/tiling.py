"""Tiles of a band: one loop cut into tiles, the loop over the tiles outside another one; and copies of an outer loop.

Cutting ``inner`` and moving the loop over its tiles outside ``outer`` is legal where the loops from one to the other
may be cut together (:func:`~.dependences.allows_tiles`).  So is unrolling an outer loop and jamming the copies into the
innermost one: a tile of so many iterations, innermost and unrolled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from msgspec.structs import replace

from ..ir.index import const, minimum, var
from ..ir.names import source_name
from ..ir.nodes import Guard, Loop, Node, Statement, Strided
from ..ir.passes.substitute import bind_nodes
from ..ir.scalars import carried_scalars
from ..ir.traverse import all_nodes, map_statements
from ..ir.values import Register, Value, map_leaves
from .bands import Band, may_move
from .dependences import allows_tiles, signs, vectors_between
from .kinds import Cut, Jam, is_over_tiles, tiles_of, without_tiles

TILES = (64, 16, 256, 1024)
"""Iterations of a tile, in the order in which they are tried."""
"""Ends the name of the iterator over the tiles of a loop."""
_COPIES = 4  # of an outer loop: each has its own registers


def cuts_of(band: Band) -> Iterator[tuple[int, int]]:
    """Yield positions of loops in a band with numbers for bounds: the inner one to cut, outside the outer one."""
    directions = _directions(band)
    if directions is None:
        return
    for last, inner in enumerate(band.loops):
        if is_over_tiles(inner.iterator) or trip_of(inner) is None:
            continue
        for first in range(last):
            if allows_tiles(directions, first, last):
                yield last, first


def with_cut(band: Band, inner: int, outer: int, tile: int) -> tuple[Cut, Band] | None:
    """Return a band with one loop in tiles; None where it has less than two of them."""
    cut, around = band.loops[inner], band.loops[outer]
    trip = trip_of(cut)
    if trip is None or trip < 2 * tile:
        return None
    assert isinstance(cut.range, Strided)
    name = tiles_of(cut.iterator)
    stop = minimum([var(name) + tile, cut.range.stop])
    tiled = replace(cut, range=Strided(var(name), stop))
    blocks = replace(cut, iterator=name, range=Strided(cut.range.start, cut.range.stop, tile), unroll=None)
    loops = [*band.loops[:outer], blocks, *band.loops[outer:]]
    loops[inner + 1] = tiled
    return Cut(cut.iterator, cut.span.line, tile, around.iterator), stacked(band, loops)


def jams_of(band: Band) -> Iterator[tuple[Jam, Band]]:
    """Yield bands with an outer loop unrolled and its copies in the innermost one."""
    directions = _directions(band)
    if directions is None or len(band.loops) < 2:
        return
    for position, outer in enumerate(band.loops[:-1]):
        trip = trip_of(outer)
        inside = band.loops[position + 1 :]
        if trip is None or trip < 2 * _COPIES or not allows_tiles(directions, position, len(band.loops) - 1):
            continue
        assert isinstance(outer.range, Strided)
        if any(outer.iterator in names for names in map(_bound_names, inside)):
            continue
        copies = [node for number in range(_COPIES) for node in _copy(band.loops[-1].body, outer, number)]
        step = outer.range.step * _COPIES
        start = outer.range.start
        unrolled = replace(outer, range=Strided(start, start + trip // _COPIES * step, step))
        loops = [*band.loops[:position], unrolled, *band.loops[position + 1 : -1], band.loops[-1]]
        loops[-1] = replace(loops[-1], body=tuple(copies))
        yield Jam(source_name(outer.iterator), outer.span.line, _COPIES), stacked(band, loops)


def jams_around(nest: Loop) -> Iterator[tuple[Jam, Band]]:
    """Yield a nest with a loop unrolled that holds statements besides an innermost loop, whose copies become one.

    Chains of values that the innermost loop hands on go side by side then (``s`` of ``s += a[i][j] * x[j]``).  Legal
    where no iteration of the unrolled loop needs another one.
    """
    for outer in (node for node in all_nodes((nest,)) if isinstance(node, Loop)):
        inner = [node for node in outer.body if isinstance(node, Loop)]
        trip = trip_of(outer)
        if len(inner) != 1 or len(outer.body) == 1 or trip is None or trip < 2 * _COPIES or not may_move(outer):
            continue
        vectors = vectors_between([outer], outer.body, outer.body)
        if (
            vectors is None
            or any(entry != 0 for (entry,) in vectors)
            or not carried_scalars(inner[0].body)
            or carried_scalars(outer.body)
            or any(isinstance(node, (Loop, Guard)) for node in all_nodes(inner[0].body))
            or outer.iterator in _bound_names(inner[0])
        ):
            continue
        yield _jammed_around(Band(nest, (outer, inner[0])), trip)


def _jammed_around(band: Band, trip: int) -> tuple[Jam, Band]:
    outer, inner = band.loops
    assert isinstance(outer.range, Strided)
    place = next(number for number, node in enumerate(outer.body) if node is inner)
    copies = [_copy(outer.body, outer, number) for number in range(_COPIES)]
    loops = [copy[place] for copy in copies]
    jammed = replace(inner, body=tuple(node for loop in loops if isinstance(loop, Loop) for node in loop.body))
    before = (node for copy in copies for node in copy[:place])
    after = (node for copy in copies for node in copy[place + 1 :])
    step = outer.range.step * _COPIES
    range_ = Strided(outer.range.start, outer.range.start + trip // _COPIES * step, step)
    made = replace(outer, range=range_, body=(*before, jammed, *after))
    return Jam(source_name(outer.iterator), outer.span.line, _COPIES), Band(band.with_loops(made), (made, jammed))


def _directions(band: Band) -> frozenset[tuple[int, ...]] | None:
    """Return the signs of the dependences of a band; of a loop over tiles that of the loop in it, or 0."""
    body = band.loops[-1].body
    points = [loop for loop in band.loops if not is_over_tiles(loop.iterator)]
    vectors = None if carried_scalars(body) else vectors_between(points, body, body)
    found = None if vectors is None else signs(vectors)
    if found is None:
        return None
    names = [loop.iterator for loop in points]
    places = [names.index(without_tiles(loop.iterator)) for loop in band.loops]
    return frozenset(
        chosen
        for each in found
        for chosen in product(
            *(
                {0, each[place]} if is_over_tiles(loop.iterator) else {each[place]}
                for loop, place in zip(band.loops, places, strict=True)
            )
        )
    )


def trip_of(loop: Loop) -> int | None:
    """Return how often a loop of step 1 runs where its bounds are numbers."""
    if not isinstance(loop.range, Strided) or loop.range.step != 1:
        return None
    return (loop.range.stop - loop.range.start).constant if loop.range.start.constant is not None else None


def _bound_names(loop: Loop) -> frozenset[str]:
    assert isinstance(loop.range, Strided)
    return loop.range.start.names() | loop.range.stop.names()


def _copy(nodes: tuple[Node, ...], outer: Loop, number: int) -> tuple[Node, ...]:
    """Return a copy of a body for a later iteration of the outer loop, with registers of its own."""
    if not number:
        return nodes
    assert isinstance(outer.range, Strided)
    own = {
        node.target.name: f"{node.target.name}.copy{number}"
        for node in all_nodes(nodes)
        if isinstance(node, Statement) and isinstance(node.target, Register)
    }
    moved = bind_nodes(nodes, {outer.iterator: var(outer.iterator) + const(number * outer.range.step)})
    return map_statements(moved, lambda statement: _renamed(statement, own))


def _renamed(statement: Statement, own: Mapping[str, str]) -> Statement:
    def leaf(value: Value) -> Value:
        return replace(value, name=own.get(value.name, value.name)) if isinstance(value, Register) else value

    target = statement.target
    if isinstance(target, Register):
        target = replace(target, name=own[target.name])
    return replace(statement, target=target, value=map_leaves(statement.value, leaf))


def stacked(band: Band, loops: list[Loop]) -> Band:
    """Return the band with other loops, the last of which has the body."""
    made = loops[-1]
    found = [made]
    for loop in reversed(loops[:-1]):
        made = replace(loop, body=(made,), header=())
        found.insert(0, made)
    return replace(band, nest=band.with_loops(made), loops=tuple(found))
