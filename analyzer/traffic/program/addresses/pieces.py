"""Addresses that are affine piece by piece: indices modulo a size, and minima and maxima.

``a[(i + 1) % n]`` is ``a[i + 1]`` where ``i + 1 < n``, and ``a[i + 1 - n]`` elsewhere.  An address with divisions by
constants and with extrema becomes a few affine ones, each with the conditions on counters under which it holds; these
are disjoint, and one of them holds wherever the statement runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ....ir.index import (
    ONE,
    ZERO,
    Atom,
    Extremum,
    FloorDiv,
    Poly,
    TruncDiv,
    const,
    extremum,
    floor_div,
    indicated,
    trunc_div,
)
from ....ir.nodes import Compare, Comparison
from ..intervals import Interval, bounds_of
from ..program import Affine, CounterName, affine

_MOST_PIECES = 12  # of one address: each is a statement of its own for the models


class Piece(Struct, frozen=True):
    """An affine address, and the conditions on counters under which it holds."""

    conditions: tuple[Compare, ...]
    address: Affine


class _TooMany(Exception):
    """The address has more pieces than are worth their cost."""


def pieces_of(address: Poly, ranges: Sequence[Interval]) -> tuple[Piece, ...]:
    """Return the pieces of an address over counters in some ranges; () where it is not affine in few pieces."""
    named: dict[str, Interval] = {CounterName(depth): range_ for depth, range_ in enumerate(ranges)}
    found: list[Piece] = []
    try:
        for conditions, poly in _split((), address, named):
            linear = affine(poly)
            if linear is None or len(found) == _MOST_PIECES:
                return ()
            found.append(Piece(conditions, linear))
    except _TooMany:
        return ()
    return tuple(found)


def _split(
    conditions: tuple[Compare, ...], address: Poly, ranges: Mapping[str, Interval]
) -> Iterator[tuple[tuple[Compare, ...], Poly]]:
    """Yield conditions and address without atoms that have pieces, the innermost of these first."""
    atoms = [each for each in address.nested_atoms() if _is_simple(each)]
    atom = next((each for each in atoms if indicated(each)), atoms[0] if atoms else None)
    if atom is None:
        yield conditions, address
        return
    for more, value in _values(atom, ranges):
        if all(_may_hold(condition, ranges) for condition in more):
            yield from _split((*conditions, *more), _replaced(address, atom, value), ranges)


def _is_simple(atom: Atom) -> bool:
    """Return whether an atom is a division of an affine expression by a number, or an extremum of affine ones."""
    match atom:
        case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator):
            return affine(numerator) is not None and (denominator.constant or 0) > 0
        case Extremum(_, operands):
            found = indicated(atom)
            return all(affine(operand) is not None for operand in (operands if found is None else found[:1]))
        case _:
            return False


def _values(atom: Atom, ranges: Mapping[str, Interval]) -> Iterator[tuple[tuple[Compare, ...], Poly]]:
    """Yield the values of an atom, each with the conditions under which it has it."""
    match atom:
        case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator):
            divisor, span = denominator.constant, bounds_of(numerator, ranges)
            if span is None or not divisor:
                raise _TooMany
            first, last = span[0] // divisor, span[1] // divisor
            if last - first >= _MOST_PIECES:
                raise _TooMany
            for floor in range(first, last + 1):
                yield from _quotients(numerator, divisor, floor, truncate=isinstance(atom, TruncDiv))
        case Extremum() if (found := indicated(atom)) is not None:
            relation, sign = found
            above, below = Compare(Comparison.GT, relation, ZERO), Compare(Comparison.LT, relation, ZERO)
            equal = Compare(Comparison.EQ, relation, ZERO)
            yield (above,), ZERO if sign == "=" else ONE
            yield (equal,), ONE if sign == "=" else ZERO
            yield (below,), ONE if sign == "!=" else ZERO
        case Extremum(largest, operands):
            for position, chosen in enumerate(operands):
                yield (
                    tuple(_wins(largest, chosen, other, position, rank) for rank, other in _others(operands, position)),
                    chosen,
                )
        case _:
            raise _TooMany


def _quotients(
    numerator: Poly, divisor: int, floor: int, *, truncate: bool
) -> Iterator[tuple[tuple[Compare, ...], Poly]]:
    """Yield the quotient of numerators whose quotient rounds down to ``floor``: in C one more for negative ones."""
    low, high = const(floor * divisor), const(floor * divisor + divisor - 1)
    if not truncate or floor >= 0:
        yield (Compare(Comparison.GE, numerator, low), Compare(Comparison.LE, numerator, high)), const(floor)
        return
    yield (Compare(Comparison.EQ, numerator, low),), const(floor)
    if divisor > 1:
        yield (Compare(Comparison.GT, numerator, low), Compare(Comparison.LE, numerator, high)), const(floor + 1)


def _others(operands: Sequence[Poly], position: int) -> Iterator[tuple[int, Poly]]:
    return ((rank, operand) for rank, operand in enumerate(operands) if rank != position)


def _wins(largest: bool, chosen: Poly, other: Poly, position: int, rank: int) -> Compare:
    """Return the condition under which an operand is chosen; of equal ones the first is."""
    ahead = Comparison.GE if position < rank else Comparison.GT
    return Compare(ahead, chosen, other) if largest else Compare(ahead, other, chosen)


def _may_hold(condition: Compare, ranges: Mapping[str, Interval]) -> bool:
    span = bounds_of(condition.left - condition.right, ranges)
    if span is None:
        return True
    match condition.comparison:
        case Comparison.GE:
            return span[1] >= 0
        case Comparison.GT:
            return span[1] > 0
        case Comparison.LE:
            return span[0] <= 0
        case Comparison.LT:
            return span[0] < 0
        case _:
            return span[0] <= 0 <= span[1]


def _replaced(poly: Poly, atom: Atom, value: Poly) -> Poly:
    """Return a polynomial with a value for an atom, wherever it occurs."""

    def change(each: Atom) -> Poly:
        if each == atom:
            return value
        match each:
            case FloorDiv(numerator, denominator):
                return floor_div(_replaced(numerator, atom, value), denominator)
            case TruncDiv(numerator, denominator):
                return trunc_div(_replaced(numerator, atom, value), denominator)
            case Extremum(largest, operands):
                return extremum(largest, [_replaced(operand, atom, value) for operand in operands])
            case _:
                return Poly({(each,): 1})

    return poly.map_atoms(change)
