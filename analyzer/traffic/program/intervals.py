"""Least and greatest values of index expressions, by interval arithmetic, and what follows from them.

Each atom is looked at by itself, so that an interval is never too narrow.  A division is simplified where its values
are those of an affine expression: what the divisor divides comes out of it, a quotient that is the same everywhere is
that number, and one over a single counter of few values may rise evenly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from math import prod

from msgspec.structs import replace

from ...ir.index import (
    Atom,
    Extremum,
    FloorDiv,
    Number,
    Poly,
    Power,
    TruncDiv,
    const,
    extremum,
    floor_div,
    trunc_div,
    var,
)
from .program import CounterName

_LONGEST_SHIFT = 64  # of a number whose powers are followed

Interval = tuple[int, int]

_MOST_VALUES = 64  # of a counter that are compared one by one
_TRIED, _NEARLY_ALL = (
    16,
    0.9,
)  # values of each counter, and the part of them for which a quotient goes on without wrapping


def bounds_of(poly: Poly, ranges: Mapping[str, Interval]) -> Interval | None:
    """Return least and greatest value for names in some ranges; None where a name, a divisor or a value is not known.

    >>> from analyzer.ir.index import floor_div, var
    >>> bounds_of(var("x") - 4 * floor_div(var("x"), 4), {"x": (8, 11)})
    (0, 3)
    """
    low: Number = 0
    high: Number = 0
    for monomial, number in poly.terms.items():
        found = [_atom(atom, ranges) for atom in monomial]
        least, most = 1, 1
        for each in found:
            if each is None:
                return None
            ends = [prod(pair) for pair in ((least, each[0]), (least, each[1]), (most, each[0]), (most, each[1]))]
            least, most = min(ends), max(ends)
        low += min(number * least, number * most)
        high += max(number * least, number * most)
    return (int(low // 1), int(-(-high // 1)))


def _atom(atom: Atom, ranges: Mapping[str, Interval]) -> Interval | None:
    match atom:
        case str():
            return ranges.get(atom)
        case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator):
            top, bottom = bounds_of(numerator, ranges), denominator.constant
            if top is None or not bottom:
                return None
            ends = [_quotient(each, bottom, truncate=isinstance(atom, TruncDiv)) for each in top]
            return (min(ends), max(ends))
        case Extremum(largest, operands):
            known = [bounds_of(operand, ranges) for operand in operands]
            spans = [each for each in known if each is not None]
            if len(spans) < len(known):
                return None
            choose = max if largest else min
            return (choose(low for low, _ in spans), choose(high for _, high in spans))
        case Power(base, exponent):
            shifts = bounds_of(exponent, ranges)
            is_short = shifts is not None and 0 <= shifts[0] <= shifts[1] < _LONGEST_SHIFT
            return (base ** shifts[0], base ** shifts[1]) if shifts is not None and is_short else None
        case _:
            return None


def _quotient(top: int, bottom: int, *, truncate: bool) -> int:
    floor = top // bottom
    return floor + 1 if truncate and floor < 0 and floor * bottom != top else floor


def simplified(poly: Poly, ranges: Sequence[Interval]) -> Poly:
    """Return an expression over counters in some ranges, with fewer divisions and extrema."""
    named: dict[str, Interval] = {CounterName(depth): range_ for depth, range_ in enumerate(ranges)}

    def simpler(atom: Atom) -> Poly:
        match atom:
            case TruncDiv(numerator, denominator) | FloorDiv(numerator, denominator):
                top, divisor = simplified(numerator, ranges), denominator.constant
                least = bounds_of(top, named)
                if isinstance(atom, TruncDiv) and (least is None or least[0] < 0):
                    return trunc_div(top, denominator)
                return floor_div(top, denominator) if not divisor or divisor < 0 else _floor(top, divisor, named)
            case Extremum(largest, operands):
                return _extremum(largest, [simplified(operand, ranges) for operand in operands], named)
            case _:
                return Poly({(atom,): 1})

    return poly.map_atoms(simpler)


def _floor(top: Poly, divisor: int, ranges: Mapping[str, Interval]) -> Poly:
    """Return ``floor(top / divisor)``."""
    whole = {m: number // divisor for m, number in top.terms.items() if m and not number % divisor}
    rest = Poly({m: number for m, number in top.terms.items() if m not in whole})
    found = bounds_of(rest, ranges)
    if found is not None and found[0] // divisor == found[1] // divisor:
        return Poly(whole) + found[0] // divisor
    names = rest.names()
    if found is not None and len(names) == 1:
        (name,) = names
        even = _even(rest, divisor, name, ranges.get(name))
        if even is not None:
            return Poly(whole) + even
    return Poly(whole) + floor_div(rest, divisor)


def _even(top: Poly, divisor: int, name: str, range_: Interval | None) -> Poly | None:
    """Return a quotient over one counter that rises by the same number at every step."""
    if range_ is None or not 1 <= range_[1] - range_[0] <= _MOST_VALUES:
        return None
    values = [top.evaluate({name: number}) // divisor for number in range(range_[0], range_[1] + 1)]
    rise = values[1] - values[0]
    if any(after - before != rise for before, after in pairwise(values)):
        return None
    return (var(name) - range_[0]) * rise + values[0]


def _extremum(largest: bool, operands: Sequence[Poly], ranges: Mapping[str, Interval]) -> Poly:
    """Return the operands without those that never win."""
    kept = list(dict.fromkeys(operands))
    for operand in list(kept):
        for other in kept:
            ahead = None if other is operand else bounds_of(other - operand if largest else operand - other, ranges)
            if ahead is not None and ahead[0] >= 0:
                kept.remove(operand)
                break
    return extremum(largest, kept)


def without_wraps(poly: Poly, ranges: Sequence[Interval]) -> Poly:
    """Return an expression over counters with divisions that are nearly everywhere the same number as that number.

    ``(x + 1) % N`` is ``x + 1`` but at the rim.  Every counter takes up to :data:`_TRIED` values, evenly spread.
    """
    named: dict[str, Interval] = {CounterName(depth): range_ for depth, range_ in enumerate(ranges)}

    def mostly(atom: Atom) -> Poly:
        if not isinstance(atom, TruncDiv | FloorDiv):
            return Poly({(atom,): 1})
        inner = replace(atom, numerator=without_wraps(atom.numerator, ranges))
        whole = simplified(Poly({(inner,): 1}), ranges)
        divisions = [each for each in whole.atoms() if isinstance(each, TruncDiv | FloorDiv)]
        return whole if len(divisions) != 1 else whole.map_atoms(lambda each: _usual(each, named))

    return poly.map_atoms(mostly)


def _usual(atom: Atom, ranges: Mapping[str, Interval]) -> Poly:
    """Return the value that a division has nearly everywhere, itself where there is none."""
    single = Poly({(atom,): 1})
    if not isinstance(atom, TruncDiv | FloorDiv) or not single.names() <= ranges.keys() or single.unknowns():
        return single
    names = sorted(single.names())
    values = [_values(ranges[name], _TRIED if len(names) < 3 else 5) for name in names]
    if prod(map(len, values)) > _TRIED**3:
        return single
    found = Counter(single.evaluate(dict(zip(names, point, strict=True))) for point in product(*values))
    number, times = found.most_common(1)[0]
    return const(number) if times >= _NEARLY_ALL * found.total() else single


def _values(range_: Interval, number: int) -> list[int]:
    """Return some values inside a range, evenly spread over its parts."""
    low, high = range_
    width = high - low + 1
    if width <= number:
        return list(range(low, high + 1))
    return [low + (2 * part + 1) * width // (2 * number) for part in range(number)]
