"""Numbers of iterations that the author states, put into a region in place of those that the source gives.

``trip(i)=T`` makes the loops over ``i`` run ``T`` times from where they start: their range becomes
``start .. start + step*T``, and exits from them go, for ``T`` already says how far they get.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from ...source import Span
from ..conditions import negated
from ..index import ZERO, Number, Poly, const, var
from ..names import source_name
from ..nodes import Assumption, Exit, Geometric, Guard, Loop, Node, Region, Strided, Symbol, SymbolOrigin, Uncounted
from ..traverse import all_nodes, map_bodies
from ..walk import walk_nodes
from ..written.text import range_text
from .substitute import bind, is_left


class StatedTrip(Struct, frozen=True, kw_only=True):
    """``iterator`` takes ``trip`` values; of loops at ``within`` (first and last line) only, where there are such.

    One that ``is_noted`` is stated by the author, which a note says.
    """

    iterator: str
    trip: Poly
    text: str
    within: tuple[int, int] | None
    span: Span
    is_noted: bool = True


class Stated(Struct, frozen=True):
    """A region with a stated trip count, and the first lines of the loops that have it."""

    region: Region
    lines: frozenset[int]


def state_trip(region: Region, stated: StatedTrip, values: Mapping[str, int]) -> Stated | None:
    """Return the region with the number of iterations, new sizes taking their ``values``.

    None where no loop is meant.
    """
    paths = list(_paths(region.body))
    named = [path for path in paths if source_name(path[-1].iterator) == stated.iterator]
    meant = [path for path in named if _is_within(path[-1], stated.within)] or named
    if not meant:
        return None
    trips = {path[-1].iterator: _named_outside(stated.trip, path[:-1]) for path in meant}
    loops = [path[-1] for path in meant]
    notes = tuple(_note(loop, stated) for loop in loops) if stated.is_noted else ()
    changed = replace(region, body=_nodes(region.body, trips), assumptions=(*region.assumptions, *notes))
    iterators = frozenset(path[-1].iterator for path in paths)
    symbols = {name: trips[loop.iterator] for loop in loops for name in _symbol_of(loop)}
    whole = _with_symbols(changed, symbols, frozenset().union(*(t.names() for t in trips.values())) - iterators, values)
    free = {name: trip for name, trip in symbols.items() if trip.names().isdisjoint(iterators)}
    return Stated(bind(whole, free) if free else whole, frozenset(loop.span.line for loop in loops))


def with_mean(region: Region, loop: Loop, name: str, mean: Number) -> Region:
    """Return the region in which a loop of it has so many iterations on average, as a symbol of this name."""
    lines = (loop.span.line, loop.span.end_line)
    trip = StatedTrip(
        iterator=source_name(loop.iterator),
        trip=var(name),
        text=name,
        within=lines,
        span=loop.span,
        is_noted=False,
    )
    values = {name: int(mean)} if mean.denominator == 1 else {}
    found = state_trip(region, trip, values)
    if found is None:
        return region
    averages = {**dict(region.averages), **({} if values else {name: Fraction(mean)})}
    return replace(found.region, averages=tuple(averages.items()))


def ending_early(body: Sequence[Node]) -> Iterator[tuple[Loop, frozenset[int]]]:
    """Yield the loops that something in them may end, with the lines of what ends them."""
    nodes = all_nodes(body)
    lines: dict[str, set[int]] = {}
    for node in nodes:
        if isinstance(node, Exit) and node.loop is not None:
            lines.setdefault(node.loop, set()).add(node.span.line)
    yield from (
        (node, frozenset(lines[node.iterator])) for node in nodes if isinstance(node, Loop) and node.iterator in lines
    )


def _note(loop: Loop, stated: StatedTrip) -> Assumption:
    return Assumption.of("AI309", stated.span, "trip", loop.iterator, trip=stated.text, range=range_text(loop.range))


def _with_symbols(
    region: Region, gone: Mapping[str, Poly], needed: frozenset[str], values: Mapping[str, int]
) -> Region:
    """Return the region without the symbols of trip counts that are stated now, and with those that these bring."""
    kept = tuple(symbol for symbol in region.symbols if symbol.name not in gone)
    brought = sorted(needed - {symbol.name for symbol in kept})
    added = (Symbol(name, values.get(name), SymbolOrigin.VARIABLE) for name in brought)
    return replace(region, symbols=(*kept, *added))


def _paths(nodes: Sequence[Node]) -> Iterator[tuple[Loop, ...]]:
    """Yield every loop with those around it, outermost first and itself last."""
    for visit in walk_nodes(tuple(nodes)):
        if isinstance(visit.node, Loop):
            yield (*visit.loops, visit.node)


def _is_within(loop: Loop, lines: tuple[int, int] | None) -> bool:
    return lines is not None and lines[0] <= loop.span.line and loop.span.end_line <= lines[1]


def _named_outside(trip: Poly, outer: Sequence[Loop]) -> Poly:
    """Return the statement with the iterators of the loops around it as the region names them."""
    return trip.substitute({source_name(loop.iterator): var(loop.iterator) for loop in outer})


def _symbol_of(loop: Loop) -> tuple[str, ...]:
    return (loop.range.trip,) if isinstance(loop.range, Uncounted | Geometric) else ()


def _nodes(nodes: Sequence[Node], trips: Mapping[str, Poly]) -> tuple[Node, ...]:
    return tuple(kept for node in nodes for kept in _node(node, trips))


def _node(node: Node, trips: Mapping[str, Poly]) -> tuple[Node, ...]:
    """Return what takes the place of a node; a conditional of which nothing is left goes with its exit.

    Exits of these loops go.
    """
    changed = map_bodies(node, lambda body: _nodes(body, trips))
    match changed:
        case Loop(iterator=iterator) if iterator in trips:
            early = isinstance(node, Loop) and is_left(node)
            return (replace(changed, range=_counted(changed, trips[iterator]), ends_early=early),)
        case Exit(loop=loop) if loop in trips:
            return ()
        case Guard(condition, (), orelse):
            return (replace(changed, condition=negated(condition), body=orelse, orelse=()),) if orelse else ()
        case _:
            return (changed,)


def _counted(loop: Loop, trip: Poly) -> Strided:
    match loop.range:
        case Strided(start, _, step):
            return Strided(start, start + trip * const(step), step)
        case _:
            return Strided(ZERO, trip)
