"""Loops of a band in the order of memory: the loop whose neighbouring iterations share most lines innermost.

The cost of a loop as the innermost one is the lines that an iteration of it moves on to: none where a reference stays,
a part of a line by a short step, else one for each reference (McKinley, Carr, Tseng, *Improving data locality with loop
transformations*, TOPLAS 18(4), 1996).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec.structs import replace

from ..cache_lines import DEFAULT_LINE_BYTES
from ..ir.names import source_name
from ..ir.nodes import Loop, Statement, Strided
from ..ir.passes.steps import step_bytes
from ..ir.scalars import carried_scalars
from ..ir.traverse import accesses, all_nodes
from ..ir.values import Access
from .bands import Band
from .dependences import allows_order, signs, vectors_between
from .kinds import Interchange


def interchanges(band: Band) -> Iterator[tuple[Interchange, Band]]:
    """Yield legal orders of a band in which the innermost loop costs less than now; the best first."""
    loops = band.loops
    found = vectors_between(loops, loops[-1].body, loops[-1].body)
    directions = None if found is None else signs(found)
    if directions is None or carried_scalars(loops[-1].body):
        return
    costs = [_cost(loops[-1], loop) for loop in loops]
    for order in _orders(costs):
        if costs[order[-1]] < costs[-1] and holds_bounds(loops, order) and allows_order(directions, order):
            chosen = [loops[position] for position in order]
            yield _named(band, chosen), reordered(band, chosen)


def _named(band: Band, chosen: Sequence[Loop]) -> Interchange:
    return Interchange(
        tuple(source_name(loop.iterator) for loop in chosen),
        tuple(source_name(loop.iterator) for loop in band.loops),
        band.loops[0].span.line,
    )


def _orders(costs: Sequence[Fraction]) -> list[tuple[int, ...]]:
    """Return orders to try: by falling cost, and with nothing but the cheapest loop moved inwards."""
    positions = range(len(costs))
    by_cost = tuple(sorted(positions, key=lambda position: -costs[position]))
    cheapest = min(positions, key=lambda position: (costs[position], -position))
    moved = (*(position for position in positions if position != cheapest), cheapest)
    return list(dict.fromkeys((moved, by_cost)))


def _cost(innermost: Loop, loop: Loop) -> Fraction:
    statements = (node for node in all_nodes(innermost.body) if isinstance(node, Statement))
    references = dict.fromkeys(access for statement in statements for access, _ in accesses(statement))
    return sum((_lines(access, loop) for access in references), Fraction(0))


def _lines(access: Access, loop: Loop) -> Fraction:
    step = step_bytes(access, loop)
    if step is None or step.constant is None:
        return Fraction(1)
    return min(Fraction(1), Fraction(abs(step.constant)) / DEFAULT_LINE_BYTES)


def holds_bounds(loops: Sequence[Loop], order: Sequence[int]) -> bool:
    """Return whether the bounds of each loop still depend on loops outside of it alone."""
    inside = {loop.iterator for loop in loops}
    for position in order:
        range_ = loops[position].range
        assert isinstance(range_, Strided)
        inside.discard(loops[position].iterator)
        if (range_.start.names() | range_.stop.names()) & inside:
            return False
    return True


def reordered(band: Band, chosen: Sequence[Loop]) -> Band:
    """Return the band with its loops in another order."""
    made = chosen[-1]
    body = band.loops[-1].body
    made = replace(made, body=body)
    loops = [made]
    for loop in reversed(chosen[:-1]):
        made = replace(loop, body=(made,))
        loops.insert(0, made)
    return replace(band, nest=band.with_loops(made), loops=tuple(loops))
