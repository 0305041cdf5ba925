"""Blocks and threads by two or three numbers, so that divisions and remainders of theirs are affine.

A kernel that takes a warp as ``threadIdx.x / 32`` and a lane as ``threadIdx.x % 32`` is not affine in the thread.  With
``threadIdx.x = 32*w + l``, a loop over ``l`` inside one over ``w``, it is; the threads keep their order.  A loop is
split where the period of a division divides its extent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from msgspec.structs import replace

from ...ir.index import Atom, Extremum, FloorDiv, Poly, TruncDiv, const, var
from ...ir.nodes import And, Compare, Condition, Guard, Loop, Mapping, Node, Not, Or, Region, Statement, Strided
from ...ir.substitute import bind_nodes
from ...ir.values import Access, loads_of

_MOST_DIGITS = 3
_AXES = frozenset(mapping for mapping in Mapping if mapping.value.startswith(("block", "thread")))


def in_digits(region: Region) -> Region:
    """The kernel with its loops over blocks and threads split by the divisions of their iterators."""
    divisions = list(dict.fromkeys(_of_nodes(region.body)))
    return replace(region, body=_nodes(region.body, divisions))


def _nodes(nodes: Sequence[Node], divisions: Sequence[FloorDiv | TruncDiv]) -> tuple[Node, ...]:
    return tuple(
        _split(node, divisions) if isinstance(node, Loop) and node.mapping in _AXES else node for node in nodes
    )


def _split(loop: Loop, divisions: Sequence[FloorDiv | TruncDiv]) -> Loop:
    extent = _extent(loop)
    places = _places(loop.iterator, extent, divisions) if extent else []
    if not extent or not places:
        return replace(loop, body=_nodes(loop.body, divisions))
    ends = [*places, extent]
    names = [loop.iterator, *(f"{loop.iterator}.{place}" for place in places)]
    value = var(names[0])
    for name, place in zip(names[1:], places, strict=True):
        value = value + var(name) * place
    body: tuple[Node, ...] = _nodes(bind_nodes(loop.body, {loop.iterator: value}), divisions)
    lower = 1
    for name, end in zip(names, ends, strict=True):
        body = (replace(loop, iterator=name, range=Strided(const(0), const(end // lower)), body=body),)
        lower = end
    (whole,) = body
    assert isinstance(whole, Loop)
    return whole


def _extent(loop: Loop) -> int | None:
    if not isinstance(loop.range, Strided) or loop.range.start.constant != 0 or loop.range.step != 1:
        return None
    return loop.range.stop.constant


def _places(iterator: str, extent: int, divisions: Sequence[FloorDiv | TruncDiv]) -> list[int]:
    """Values of the digits above the lowest one, each a multiple of the one before."""
    periods = set()
    for atom in divisions:
        divisor, factor = atom.denominator.constant, atom.numerator.coefficient(iterator).constant
        if divisor and factor:
            periods.add(abs(divisor) // gcd(divisor, factor))
    found: list[int] = []
    for period in sorted(periods):
        if 1 < period < extent and not extent % period and not period % (found[-1] if found else 1):
            found.append(period)
    return found[: _MOST_DIGITS - 1]


def _of_nodes(nodes: Sequence[Node]) -> Iterator[FloorDiv | TruncDiv]:
    """Divisions in subscripts, bounds and conditions."""
    for node in nodes:
        match node:
            case Statement():
                accesses = [*loads_of(node.value), *([node.target] if isinstance(node.target, Access) else [])]
                for access in accesses:
                    for subscript in access.subscripts:
                        yield from _of_poly(subscript)
            case Loop():
                if isinstance(node.range, Strided):
                    yield from _of_poly(node.range.start)
                    yield from _of_poly(node.range.stop)
                yield from _of_nodes((*node.header, *node.body))
            case Guard():
                yield from _of_condition(node.condition)
                yield from _of_nodes((*node.body, *node.orelse))
            case _:
                pass


def _of_condition(condition: Condition) -> Iterator[FloorDiv | TruncDiv]:
    match condition:
        case Compare(_, left, right):
            yield from _of_poly(left)
            yield from _of_poly(right)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _of_condition(operand)
        case Not(operand):
            yield from _of_condition(operand)
        case _:
            pass


def _of_poly(poly: Poly) -> Iterator[FloorDiv | TruncDiv]:
    for atom in poly.atoms():
        yield from _of_atom(atom)


def _of_atom(atom: Atom) -> Iterator[FloorDiv | TruncDiv]:
    match atom:
        case FloorDiv(numerator, _) | TruncDiv(numerator, _):
            yield atom
            yield from _of_poly(numerator)
        case Extremum(_, operands):
            for operand in operands:
                yield from _of_poly(operand)
        case _:
            pass
