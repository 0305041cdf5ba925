"""Loop blocking by trial: which loop to cut into tiles, outside which other loop, and which bytes then move.

A loop ``m`` inside a loop ``l`` of a perfect rectangular nest is cut into tiles, and the loop over the tiles goes
outside ``l``: the working set of one iteration of ``l`` shrinks with the tile.  Every such pair and a few tile sizes
are put through the cache model; the best for a level is blocked once more if that helps.  Nothing more is tried after
six seconds of work.  Whether the order of the iterations may be changed is not examined.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

from msgspec import Struct
from msgspec.structs import replace

from ..ir.index import const, minimum, var
from ..ir.nodes import Loop, Node, Region, Strided
from .hierarchy import Hierarchy
from .level_bytes import TrafficBytes
from .program.program import NotNumeric
from .results import Cut
from .reuse.analytic import analytic_traffic

_TILES = (16, 64, 256, 1024)  # iterations of a tile; few, as each is one run of the cache model
_ROUNDS = 2  # loops that are cut at most, one after the other
_WORTH = 0.9  # share of the bytes that a cut must fall below to be advised
_MOST_SECONDS = 6.0  # of CPU time for one nest; advice is an extra, which must not use up the budget of the report


class Trial(Struct, frozen=True):
    """A blocked nest and the bytes that move between its caches."""

    cuts: tuple[Cut, ...]
    moves: TrafficBytes


class Blockings:
    """Blockings of one region with numbers for all sizes; each is put through the model once for all levels."""

    def __init__(self, region: Region, hierarchy: Hierarchy, *, warm: bool) -> None:
        self._region, self._hierarchy, self._warm = region, hierarchy, warm
        self._tried: dict[tuple[Cut, ...], TrafficBytes | None] = {}
        self._until = process_time() + _MOST_SECONDS

    def best(self, level: int) -> Trial | None:
        """Return the blocking that saves most bytes of a level (counted from 0); None if none does."""
        best: Trial | None = None
        current, cuts = self._region, tuple[Cut, ...]()
        unblocked = self._moves(current, cuts)
        least = 0.0 if unblocked is None else _bytes(unblocked, level)
        for _ in range(_ROUNDS):
            step: tuple[float, Region, Trial] | None = None
            for cut, blocked in _variants(current):
                moves = self._moves(blocked, (*cuts, cut))
                if moves is None:
                    continue
                moved = _bytes(moves, level)
                if moved < _WORTH * (least if step is None else step[0]):
                    step = (moved, blocked, Trial((*cuts, cut), moves))
            if step is None:
                break
            least, current, best = step
            cuts = best.cuts
        return best

    def _moves(self, region: Region, cuts: tuple[Cut, ...]) -> TrafficBytes | None:
        """Return the bytes of a nest with these cuts; None where it cannot be laid out, and when time is up."""
        if cuts not in self._tried:
            if cuts and process_time() > self._until:
                return None
            try:
                self._tried[cuts] = analytic_traffic(region, self._hierarchy, warm=self._warm)
            except NotNumeric:
                self._tried[cuts] = None
        return self._tried[cuts]


def _bytes(moves: TrafficBytes, level: int) -> float:
    return float((moves.read + moves.allocate + moves.written)[level].sum())


def _variants(region: Region) -> Iterator[tuple[Cut, Region]]:
    for index, node in enumerate(region.body):
        for cut, blocked in _blocked(node):
            body = (*region.body[:index], blocked, *region.body[index + 1 :])
            yield cut, replace(region, body=body)


def _blocked(node: Node) -> Iterator[tuple[Cut, Node]]:
    """Yield every way to cut one loop under a node."""
    if not isinstance(node, Loop):
        return
    for inner in _perfect(node):
        range_ = inner.range
        if not isinstance(range_, Strided) or range_.step != 1 or "block" in inner.iterator:
            continue
        start, stop = range_.start.constant, range_.stop.constant
        if not isinstance(start, int) or not isinstance(stop, int):
            continue
        for tile in _TILES:
            if 2 * tile <= stop - start:
                yield Cut(inner.iterator, inner.span.line, tile, node.iterator), _cut(node, inner, tile)
    for index, child in enumerate(node.body):
        for cut, blocked in _blocked(child):
            yield cut, replace(node, body=(*node.body[:index], blocked, *node.body[index + 1 :]))


def _perfect(outer: Loop) -> Iterator[Loop]:
    """Yield the loops of the perfect nest inside a loop, from the outermost."""
    current: Node = outer
    while isinstance(current, Loop) and len(current.body) == 1 and not current.header:
        current = current.body[0]
        if isinstance(current, Loop):
            yield current


def _cut(outer: Loop, inner: Loop, tile: int) -> Loop:
    """Return the loop over the tiles of ``inner`` around ``outer``."""
    assert isinstance(inner.range, Strided)
    name = f"{inner.iterator}.block"
    stop = minimum([var(name) + tile, inner.range.stop])
    tiled = replace(inner, range=Strided(var(name), stop))
    span = Strided(const(inner.range.start.constant or 0), inner.range.stop, tile)
    return replace(outer, iterator=name, range=span, body=(_replaced(outer, inner, tiled),), header=(), unroll=None)


def _replaced(node: Loop, old: Loop, new: Loop) -> Loop:
    if node is old:
        return new
    (child,) = node.body
    assert isinstance(child, Loop)
    return replace(node, body=(_replaced(child, old, new),))
