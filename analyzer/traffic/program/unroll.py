"""Loops over whole periods, so that divisions and remainders of their counters are affine.

``a[t % 2][i]`` and ``b[i / 2]`` are not affine in ``t`` and ``i``.  With two turns of the loop as one turn of a loop
of twice the step, and the counter of each written out, they are: ``(2 q + 1) / 2 = q``.  The references are made in
the same order as before.  Loops with a period of more than :data:`_LONGEST`, and those of a GPU, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd, lcm

from msgspec.structs import replace

from ...ir.index import Extremum, FloorDiv, Poly, TruncDiv, const, var
from ...ir.nodes import Compare, Comparison, Exit, Guard, Loop, Mapping, Node, Region, Statement, Strided
from ...ir.substitute import bind_nodes
from ...ir.values import Access, loads_of

_LONGEST, _MOST_COPIES = 8, 32
_UNROLLED = frozenset({Mapping.SEQUENTIAL, Mapping.SIMD})


def with_whole_periods(region: Region) -> Region:
    """The region with every loop unrolled over the period of the divisions of its counter in subscripts and bounds."""
    return replace(region, body=_nodes(region.body, 1))


def _nodes(nodes: Sequence[Node], copies: int) -> tuple[Node, ...]:
    return tuple(_node(node, copies) for node in nodes)


def _node(node: Node, copies: int) -> Node:
    match node:
        case Loop():
            return _loop(node, copies)
        case Guard():
            return replace(node, body=_nodes(node.body, copies), orelse=_nodes(node.orelse, copies))
        case _:
            return node


def _loop(loop: Loop, copies: int) -> Loop:
    if not isinstance(loop.range, Strided) or loop.mapping not in _UNROLLED or _begins_at_extremum(loop.range):
        return replace(loop, body=_nodes(loop.body, copies))
    range_, step = loop.range, loop.range.step
    period = _period(loop, step)
    if period == 1 or period > _LONGEST or copies * period > _MOST_COPIES:
        return replace(loop, body=_nodes(loop.body, copies))
    ahead, last = var(loop.iterator), range_.stop - range_.start
    inside = Comparison.LT if step > 0 else Comparison.GT
    turns: list[Node] = []
    for turn in range(period):
        offset = ahead + turn * step
        body = bind_nodes((*loop.header, *loop.body), {loop.iterator: range_.start + offset})
        whole = last.constant is not None and -(-last.constant // step) % period == 0
        if turn and not whole:
            body = (Guard(Compare(inside, offset, last), body, (), loop.span),)
        turns.extend(body)
    wide = Strided(const(0), last, step * period)
    return replace(loop, range=wide, header=(), body=_nodes(turns, copies * period))


def _begins_at_extremum(range_: Strided) -> bool:
    return any(isinstance(atom, Extremum) for monomial in range_.start.terms for atom in monomial)


def _period(loop: Loop, step: int) -> int:
    """After how many turns all divisions of the loop's counter repeat, apart from what grows steadily."""
    found = 1
    for poly in _expressions(loop.body):
        for atom in _divisions(poly):
            divisor, factor = atom.denominator.constant, atom.numerator.coefficient(loop.iterator).constant
            if divisor and factor:
                found = lcm(found, abs(divisor) // gcd(divisor, factor * step))
    return found


def _expressions(nodes: Sequence[Node]) -> Iterator[Poly]:
    """Subscripts, and bounds of loops."""
    for node in nodes:
        match node:
            case Statement():
                accesses = [*loads_of(node.value), *([node.target] if isinstance(node.target, Access) else [])]
                for access in accesses:
                    yield from access.subscripts
            case Loop():
                if isinstance(node.range, Strided):
                    yield from (node.range.start, node.range.stop)
                yield from _expressions((*node.header, *node.body))
            case Guard():
                yield from _expressions((*node.body, *node.orelse))
            case Exit():
                pass


def _divisions(poly: Poly) -> Iterator[FloorDiv | TruncDiv]:
    for atom in poly.atoms():
        if isinstance(atom, FloorDiv | TruncDiv):
            yield atom
            yield from _divisions(atom.numerator)
