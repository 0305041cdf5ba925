"""How far an address can reach that is not affine: the range of an index whose values data or products decide.

An index modulo ``n``, or held between a minimum and a maximum, stays in its range whatever the data are; ``(j*k) % n``
takes values that counters alone decide, which can be looked at one by one where they are few enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, inf

from ....ir.given_array import GivenArray
from ....ir.index import (
    Atom,
    Climb,
    Element,
    Extremum,
    FloorDiv,
    Poly,
    TruncDiv,
    Unknown,
    var,
)
from ..intervals import Interval
from ..program import CounterName

_Span = tuple[float, float]
_ANYTHING: _Span = (-inf, inf)


def reach_of(poly: Poly, ranges: Sequence[Interval]) -> Interval | None:
    """Return the least and greatest value over counters in some ranges, whatever unknown values are.

    None where there is no least or greatest value.

    >>> from ....ir.index import floor_mod, unknown
    >>> reach_of(floor_mod(unknown("key[i]"), unknown("key[i]") * 0 + 64), [])
    (0, 63)
    >>> inner = floor_mod(unknown("key[i]"), unknown("key[i]") * 0 + 4)
    >>> reach_of(floor_mod(inner + unknown("t"), unknown("t") * 0 + 64), [])
    (0, 63)
    """
    low, high = _span(poly, {CounterName(depth): range_ for depth, range_ in enumerate(ranges)})
    return None if low == -inf or high == inf else (floor(low), ceil(high))


def step_of(poly: Poly, depth: int) -> int | None:
    """Return by how much an expression rises with the counter at a depth; None where that is not the same everywhere.

    >>> from ....ir.index import unknown, var
    >>> step_of(unknown("row[i]", [CounterName(0)]) * 800 + var(CounterName(1)) * 8, 1)
    8
    """
    name = CounterName(depth)
    rise = poly.terms.get((name,), 0)
    rest = poly - var(name) * rise
    return int(rise) if isinstance(rise, int) and name not in rest.names() else None


def climb_of(poly: Poly, depth: int) -> tuple[Climb, int, Poly | None] | None:
    """Return how data move an expression with the counter at a depth, by how much, and what it is at first.

    None of any other; what it is at first may not be known.

    >>> from ....ir.index import ZERO, Climb, unknown
    >>> found = unknown("k", [CounterName(0)], climbs=Climb(CounterName(0), 1, ZERO)) * 8 + 64
    >>> _, step, first = climb_of(found, 0)
    >>> step, str(first)
    (8, '64')
    """
    name = CounterName(depth)
    moved = {monomial: number for monomial, number in poly.terms.items() if name in Poly({monomial: 1}).names()}
    if len(moved) != 1:
        return None
    ((atoms, number),) = moved.items()
    climb = atoms[0].climbs if len(atoms) == 1 and isinstance(atoms[0], Unknown) else None
    if climb is None or climb.iterator != name or not isinstance(number, int):
        return None
    first = None if climb.entry is None else poly - Poly(moved) + climb.entry * number
    return climb, number * climb.step, None if first is None or first.unknowns() else first


def _span(poly: Poly, ranges: Mapping[str, Interval]) -> _Span:
    poly, low, high = _without_remainders(poly, ranges)
    for monomial, number in poly.terms.items():
        least, most = _product([_atom(atom, ranges) for atom in monomial])
        ends = [_times(float(number), end) if end in _ANYTHING else number * end for end in (least, most)]
        low, high = low + min(ends), high + max(ends)
    return low, high


def _without_remainders(poly: Poly, ranges: Mapping[str, Interval]) -> tuple[Poly, float, float]:
    """Return an expression without its remainders ``x - d*(x/d)``, and the sum of their ranges.

    One with another one inside it (``(t + q % 4) % 256``) is taken out whole.
    """
    low: float = 0
    high: float = 0
    quotients = [atom for atom in poly.atoms() if isinstance(atom, FloorDiv | TruncDiv)]
    for atom in sorted(quotients, key=lambda atom: -len(list(atom.numerator.nested_atoms()))):
        divisor, factor = atom.denominator.constant, poly.terms.get((atom,))
        if not divisor or divisor < 0 or not isinstance(factor, int) or factor % divisor:
            continue
        remainder = atom.numerator - Poly({(atom,): divisor})
        times = -factor // divisor
        rest = poly - remainder * times
        if len(rest.terms) >= len(poly.terms):
            continue
        numerator = _span(atom.numerator, ranges)
        first = 0 if isinstance(atom, FloorDiv) or numerator[0] >= 0 else 1 - divisor
        last = divisor - 1 if isinstance(atom, FloorDiv) or numerator[1] >= 0 else 0
        if numerator[0] >= 0 and numerator[1] < divisor:
            first, last = int(numerator[0]), int(numerator[1])
        low, high = low + min(times * first, times * last), high + max(times * first, times * last)
        poly = rest
    return poly, low, high


def _atom(atom: Atom, ranges: Mapping[str, Interval]) -> _Span:
    match atom:
        case str():
            return ranges.get(atom, _ANYTHING)
        case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator):
            divisor = denominator.constant
            if not divisor or divisor < 0:
                return _ANYTHING
            low, high = _span(numerator, ranges)
            return (low if low == -inf else low // divisor, high if high == inf else -(-high // divisor))
        case Extremum(largest, operands):
            spans = [_span(operand, ranges) for operand in operands]
            choose = max if largest else min
            return (choose(low for low, _ in spans), choose(high for _, high in spans))
        case Element(table=GivenArray() as given):
            return given.least, given.most
        case _:
            return _ANYTHING


def _product(factors: Sequence[_Span]) -> _Span:
    least: float = 1
    most: float = 1
    for low, high in factors:
        ends = [_times(one, other) for one in (least, most) for other in (low, high)]
        least, most = min(ends), max(ends)
    return least, most


def _times(one: float, other: float) -> float:
    """Return the product of ends of ranges, 0 where one is 0."""
    return 0 if not one or not other else one * other
