"""Blocks of sums that stay in a cache: the loop that only sums outside, the others in tiles around it.

Of ``C[i][j] += A[i][k]*B[k][j]`` a tile of C of b times b elements stays while k runs: 2 n^3 / b loads, and
``2 n^3 / sqrt(S)`` with b^2 near the S elements that the cache holds (:mod:`..bounds`): what no order is far below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isqrt

from msgspec.structs import replace

from ..ir.index import Poly, const, maximum, minimum, var
from ..ir.names import source_name
from ..ir.nodes import Loop, Statement, Strided
from ..ir.scalars import carried_scalars
from ..ir.traverse import all_nodes
from ..ir.values import Access
from .bands import Band
from .dependences import allows_order, allows_tiles, signs, vectors_between
from .interchange import holds_bounds, reordered
from .kinds import Cut, Interchange, Transformation
from .tiling import TILES_OF, stacked

_SHARES = (7, 5)  # eighths of the cache that a tile takes: what streams past it needs the rest
_LINE_ELEMENTS = 8
_Range = tuple[int, int]


def resident_blocks(band: Band, capacity_bytes: int) -> Iterator[tuple[tuple[Transformation, ...], Band]]:
    """Yield a band of three loops with numbers for bounds in tiles of what it stores, for a cache of so many bytes."""
    body = band.loops[-1].body
    targets = [node.target for node in all_nodes(body) if isinstance(node, Statement)]
    stored = [target for target in targets if isinstance(target, Access)]
    if len(band.loops) != 3 or carried_scalars(body) or not stored or len(stored) < len(targets):
        return
    names = {name for each in stored for index in each.subscripts for name in index.names()}
    elements = capacity_bytes // max(each.type.size_bytes for each in stored)
    vectors = vectors_between(band.loops, body, body)
    directions = None if vectors is None else signs(vectors)
    summing = [position for position, loop in enumerate(band.loops) if loop.iterator not in names]
    if directions is None or len(summing) != 1:
        return
    (position,) = summing
    order = (position, *(other for other in range(len(band.loops)) if other != position))
    moved = frozenset(tuple(each[number] for number in order) for each in directions)
    if not (holds_bounds(band.loops, order) and allows_order(directions, order)):
        return
    if not allows_tiles(moved, 0, len(order) - 1):
        return
    chosen = [band.loops[number] for number in order]
    steps: tuple[Transformation, ...] = ()
    if position:
        before, after = (tuple(source_name(loop.iterator) for loop in loops) for loops in (band.loops, chosen))
        steps = (Interchange(after, before, band.loops[0].span.line),)
    for share in _SHARES:
        tile = isqrt(elements * share // 8) // _LINE_ELEMENTS * _LINE_ELEMENTS
        found = _in_tiles(reordered(band, chosen), tile)
        if found is not None:
            yield (*steps, *found[0]), found[1]


def _in_tiles(band: Band, tile: int) -> tuple[tuple[Cut, ...], Band] | None:
    """Return a band with every loop but the first in tiles outside of it; None where one has less than two of them."""
    ranges: dict[str, _Range] = {}
    for loop in band.loops:
        hull = _hull(loop, ranges)
        if hull is None:
            return None
        ranges[loop.iterator] = hull
    outermost, *others = band.loops
    blocks, inner, cuts = [], [outermost], []
    around = outermost.iterator
    for loop in others:
        low, high = ranges[loop.iterator]
        if not 0 < 2 * tile <= high - low:
            return None
        assert isinstance(loop.range, Strided)
        name = loop.iterator + TILES_OF
        start = maximum([var(name), loop.range.start])
        stop = minimum([var(name) + tile, loop.range.stop])
        inner.append(replace(loop, range=Strided(start, stop)))
        blocks.append(replace(loop, iterator=name, range=Strided(const(low), const(high), tile), unroll=None))
        cuts.append(Cut(loop.iterator, loop.span.line, tile, around))
    return tuple(cuts), stacked(band, [*blocks, *inner])


def _hull(loop: Loop, around: Mapping[str, _Range]) -> _Range | None:
    """Return the least start and the largest stop of a loop of step 1; None where they are no sums of outer ones."""
    if not isinstance(loop.range, Strided) or loop.range.step != 1:
        return None
    ends = (_end(loop.range.start, around, largest=False), _end(loop.range.stop, around, largest=True))
    return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])


def _end(bound: Poly, around: Mapping[str, _Range], *, largest: bool) -> int | None:
    """Return the least or the largest value of a bound."""
    total = 0
    for monomial, number in bound.terms.items():
        if not monomial:
            total += int(number)
            continue
        atom = monomial[0]
        if len(monomial) > 1 or not isinstance(atom, str) or atom not in around or not isinstance(number, int):
            return None
        low, high = around[atom]
        total += number * (high - 1 if (number > 0) is largest else low)
    return total
