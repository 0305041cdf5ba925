"""The values of a loop's iterator as the terms of a series: ``value(t)`` for ``t = 0 .. terms - 1``.

A counter that is multiplied takes ``(start - c)*f^t + c`` while it is below its stop, one that is divided takes
``floor((start - c)/f^t) + c`` while it is above: iterated divisions are one (Graham, Knuth, Patashnik, *Concrete
Mathematics*, equation 3.11).  The numbers of terms are logarithms.  Where a bound depends on an iterator that stays one
of isl's dimensions, the series has the terms of the largest range, and a constraint says which of them run.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ...ir.index import (
    FloorDiv,
    Poly,
    Root,
    TruncDiv,
    floor_div,
    logarithm,
    power,
    root,
    single_atom,
    trunc_div,
    var,
)
from ...ir.nodes import Geometric, Loop, Strided
from ...quantities.chambers import Constraint
from ..formula import NotAffine
from .magnitudes import Magnitudes

_INDICES = "tuvwxyz"


class Series(Struct, frozen=True, kw_only=True):
    """The values of ``parameter``, a name in the counts of isl's sets, over the terms of a loop.

    ``terms`` is how many there are where ``guard`` holds, and there are none elsewhere; ``index`` is the name of the
    number of a term, ``value`` the parameter in that term.  ``holds`` of every term, ``running`` (expressions that are
    not negative) are constraints on the iterators of loops around it.  ``is_iterator``: the parameter is the iterator.
    """

    parameter: str
    index: str
    value: Poly
    terms: Poly
    guard: tuple[Constraint, ...] = ()
    holds: tuple[Constraint, ...] = ()
    running: tuple[Poly, ...] = ()
    is_iterator: bool = True


def index_at(depth: int) -> str:
    """Return the name of the number of a term of the loop at a depth."""
    return _INDICES[depth] if depth < len(_INDICES) else f"t{depth}"


def series_of(loop: Loop, depth: int, outer: Sequence[Loop], known: Magnitudes) -> Series:
    """Return the terms of a loop below the ``outer`` loops whose iterators stay dimensions, given what is known of all.

    Raises ``NotAffine`` where they are not known.
    """
    match loop.range:
        case Geometric() as counted if counted.start.unknowns() or counted.stop.unknowns():
            raise NotAffine(loop.iterator)
        case Geometric(shrinking=True) as counted:
            return _divided(loop.iterator, counted, index_at(depth), outer, known)
        case Geometric() as counted:
            return _multiplied(loop.iterator, counted, index_at(depth), outer)
        case Strided() as strided:
            return _strided(loop.iterator, strided, index_at(depth), outer)
        case _:
            raise NotAffine(loop.iterator)


def _multiplied(iterator: str, counted: Geometric, index: str, outer: Sequence[Loop]) -> Series:
    start, stop = counted.start - counted.shift, counted.stop - counted.shift
    factor, inside = power(counted.factor, var(index)), _names(outer)
    moves, ends = not start.names().isdisjoint(inside), not stop.names().isdisjoint(inside)
    if moves and ends:
        raise NotAffine(iterator)
    lowest = extreme(start, outer, largest=False)
    highest = extreme(stop, outer, largest=True)
    terms, guard = _below(counted.factor, lowest, highest)
    if moves:
        name = f"{iterator}@"
        last = floor_div(stop - 1, var(name))
        return Series(
            parameter=name,
            index=index,
            value=factor,
            terms=terms,
            guard=guard,
            holds=(Constraint(var(name) - 1), Constraint(stop - 1 - lowest * var(name)), Constraint(stop - 1 - last)),
            running=(last - start, stop - 1 - last),
            is_iterator=False,
        )
    above, below = var(iterator) - counted.start, counted.stop - 1 - var(iterator)
    return Series(
        parameter=iterator,
        index=index,
        value=start * factor + counted.shift,
        terms=terms,
        guard=guard,
        holds=(Constraint(above),) if ends else (Constraint(above), Constraint(below)),
        running=(below,) if ends else (),
    )


def _below(factor: int, start: Poly, stop: Poly) -> tuple[Poly, tuple[Constraint, ...]]:
    """Return how many ``t >= 0`` have ``start * factor^t < stop``, and under which conditions."""
    exponent = _exponent(factor, start)
    last = stop - 1
    if exponent is None:
        positive = (Constraint(start - 1),) if start.constant is None else ()
        if start.constant is not None and start.constant < 1:
            raise NotAffine(str(start))
        return logarithm(factor, floor_div(last, start)) + 1, (*positive, Constraint(last - start))
    if len(last.terms) < len(stop.terms):
        least = Constraint(last - factor ** max(exponent - 1, 0))
        return logarithm(factor, last) - exponent + 1, (least,) if exponent else (Constraint(last),)
    return logarithm(factor, stop, up=True) - exponent, (Constraint(stop - factor**exponent),)


def _divided(iterator: str, counted: Geometric, index: str, outer: Sequence[Loop], known: Magnitudes) -> Series:
    start, stop = counted.start - counted.shift, counted.stop - counted.shift
    number, inside = stop.constant, _names(outer)
    if (number is not None and number < 0) or not stop.names().isdisjoint(inside):
        raise NotAffine(iterator)
    highest = extreme(start, outer, largest=True)
    terms, guard = _above(counted.factor, highest, stop)
    factor = power(counted.factor, var(index))
    if start.names().isdisjoint(inside):
        value = known.quotient(iterator, factor)
        value = floor_div(start, factor) + counted.shift if value is None else value
        holds = (Constraint(var(iterator) - counted.stop - 1), Constraint(counted.start - var(iterator)))
        return Series(parameter=iterator, index=index, value=value, terms=terms, guard=guard, holds=holds)
    name = f"{iterator}@"
    return Series(
        parameter=name,
        index=index,
        value=factor,
        terms=terms,
        guard=guard,
        holds=(Constraint(var(name) - 1), Constraint(highest - (stop + 1) * var(name))),
        running=(start - (stop + 1) * var(name),),
        is_iterator=False,
    )


def _above(factor: int, start: Poly, stop: Poly) -> tuple[Poly, tuple[Constraint, ...]]:
    """Return how many ``t >= 0`` have ``floor(start/factor^t) > stop``, and under which conditions."""
    exponent = _exponent(factor, stop + 1)
    natural = (Constraint(stop),) if stop.constant is None else ()
    if exponent is None:
        return logarithm(factor, floor_div(start, stop + 1)) + 1, (*natural, Constraint(start - stop - 1))
    match single_atom(start):
        case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator):
            more = _exponent(factor, denominator)
            start, exponent = (start, exponent) if more is None else (numerator, exponent + more)
    return logarithm(factor, start) - exponent + 1, (Constraint(start - factor**exponent),)


def _strided(iterator: str, strided: Strided, index: str, outer: Sequence[Loop]) -> Series:
    start, stop, step = strided.start, strided.stop, strided.step
    if start.unknowns() or stop.unknowns():
        raise NotAffine(iterator)
    inside = _names(outer)
    moves, ends = not start.names().isdisjoint(inside), not stop.names().isdisjoint(inside)
    if moves and abs(step) != 1:
        raise NotAffine(iterator)
    if step > 0:
        first, last = extreme(start, outer, largest=False), extreme(stop, outer, largest=True) - 1
        length = last - first
        holds = (Constraint(var(iterator) - first), Constraint(last - var(iterator)))
    else:
        first, last = extreme(start, outer, largest=True), extreme(stop, outer, largest=False) + 1
        length = first - last
        holds = (Constraint(first - var(iterator)), Constraint(var(iterator) - last))
    running: list[Poly] = []
    if moves:
        running.append((var(iterator) - start) if step > 0 else start - var(iterator))
    if ends:
        running += _running(var(iterator), start, stop) if step > 0 else [var(iterator) - stop - 1]
    return Series(
        parameter=iterator,
        index=index,
        value=first + var(index) * step,
        terms=floor_div(length, abs(step)) + 1,
        guard=(Constraint(length),),
        holds=holds,
        running=tuple(running),
    )


def _running(iterator: Poly, start: Poly, stop: Poly) -> list[Poly]:
    """Return what is not negative while an iterator is below its stop; one below a root has a smaller square."""
    for monomial, number in stop.terms.items():
        match monomial:
            case (Root(radicand),) if number == 1:
                lowest = (start - (stop - Poly({monomial: 1})) + 1).constant
                if lowest is None or lowest < 0:
                    raise NotAffine(str(stop))
                squared = iterator - (stop - Poly({monomial: 1})) + 1
                return [radicand - squared * squared]
    return [stop - 1 - iterator]


def extreme(poly: Poly, outer: Sequence[Loop], *, largest: bool) -> Poly:
    """Return an expression that is at least (``largest``) or at most as large, without iterators of these loops.

    Raises ``NotAffine`` where it is not monotonic in one of them.
    """
    for loop in reversed(outer):
        if loop.iterator not in poly.names():
            continue
        offset = poly.terms.get((), 0)
        match single_atom(poly - offset):
            case Root(radicand):
                poly = root(extreme(radicand, outer, largest=largest)) + offset
                continue
            case FloorDiv(numerator, denominator) if (denominator.constant or 0) > 0:
                poly = floor_div(extreme(numerator, outer, largest=largest), denominator) + offset
                continue
            case TruncDiv(numerator, denominator) if (denominator.constant or 0) > 0:
                poly = trunc_div(extreme(numerator, outer, largest=largest), denominator) + offset
                continue
        slope = poly.coefficient(loop.iterator).constant
        if not slope or not isinstance(loop.range, Strided):
            raise NotAffine(str(poly))
        rest = poly - var(loop.iterator) * slope
        if loop.iterator in rest.names():
            raise NotAffine(str(poly))
        ends = _ends(loop.range)
        poly = rest + ends[largest is (slope > 0)] * slope
    return poly


def _ends(strided: Strided) -> tuple[Poly, Poly]:
    """Return the least and the largest value of an iterator, or what is below and above them."""
    if strided.step > 0:
        return strided.start, strided.stop - 1
    return strided.stop + 1, strided.start


def _names(loops: Sequence[Loop]) -> frozenset[str]:
    return frozenset(loop.iterator for loop in loops)


def _exponent(base: int, poly: Poly) -> int | None:
    """Return the exponent where an expression is a power of the base, else None."""
    number, exponent = poly.constant, 0
    if number is None or number < 1:
        return None
    while number % base == 0:
        number, exponent = number // base, exponent + 1
    return exponent if number == 1 else None
