"""Large values that stand for unknown sizes: those at which some counts show the most of their symbols.

Chambers of counts -> a value of each symbol.  Exponents, and what is the length of a sum, stay small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from itertools import accumulate, chain, repeat
from math import lcm
from operator import itemgetter, mul

from ..ir.index import Number, Poly, Power, Sum
from .chambers import Chamber
from .defined import outside_logarithms, where_defined
from .periods import periods_of

Chambers = tuple[Chamber, ...]

_LARGE = 10**9 + 7  # stands for large symbols; a prime, hence no multiple of a small period
_EXPONENT, _DECIDING = 40, 10**6 + 3  # a number of bits, and a size on which the length of a sum depends
_SPACING = 1000  # between symbols that are nearly equal


def large_values(counts: Sequence[Chambers]) -> dict[str, Number]:
    """Return large values for the symbols of some counts: of those tried, the first whose chambers show the most.

    Symbols are tried in several orders, as multiples of the periods that guards ask for, and in the order that the
    guard of the chamber with the most symbols asks for.
    """
    symbols = [frozenset().union(*(chamber.symbols for chamber in count)) for count in counts]
    names = sorted(frozenset().union(*symbols))
    most = sum(map(len, symbols))
    best: tuple[int, dict[str, Number]] = (-1, {})
    polys = [poly for count in counts for chamber in count for poly in polys_of(chamber)]
    small = _small_values(polys)
    for orders in chain(_orders(names, _periods_of_guards(counts)), _order_of_guards(counts, names)):
        values = where_defined(polys, {**orders, **small})
        best = max(best, (sum(_shown_at(count, values) for count in counts), values), key=itemgetter(0))
        if best[0] == most:
            break
    return best[1]


def polys_of(chamber: Chamber) -> tuple[Poly, ...]:
    """Return the value of a chamber, and the expressions of its guard."""
    return (chamber.value, *(item.expression for item in chamber.guard))


def _small_values(polys: Iterable[Poly]) -> dict[str, Number]:
    """Return values of symbols that cannot be large: exponents, and what is the length of a sum or decides it."""
    found: dict[str, Number] = {}
    for poly in polys:
        for atom in poly.nested_atoms() if poly.forms else ():
            if isinstance(atom, Power):
                found.update(dict.fromkeys(outside_logarithms(atom.exponent), _EXPONENT))
            elif isinstance(atom, Sum):
                found.update({name: found.get(name, _DECIDING) for name in atom.count.names()})
                found.update(dict.fromkeys(atom.count.atoms_named(), _EXPONENT))
                found.update(_small_values((atom.body,)))
    return {name: value + rank for rank, (name, value) in enumerate(sorted(found.items()))}


def _orders(names: Sequence[str], period: int) -> Iterator[dict[str, Number]]:
    """Yield large values in several orders; the base is a prime, or a multiple of the period if there is one."""
    bases = [(_LARGE, _SPACING)]
    if 0 < period < _LARGE:
        bases.append((_LARGE // period * period, period))
    orders = (names, names[::-1]) if len(names) > 1 else (names,)
    for base, spacing in bases:
        for some in orders:
            yield _nearly_equal(some, base, spacing)
        for some in orders:
            yield _far_apart(some, base)


def _order_of_guards(counts: Sequence[Chambers], names: Sequence[str]) -> Iterator[dict[str, Number]]:
    """Yield large values of which those are larger that the guard of the chamber with the most symbols asks to be."""
    chambers = chain.from_iterable(counts)
    widest = max(chambers, key=lambda chamber: len(chamber.value.names()), default=None)
    smaller: dict[str, set[str]] = {name: set() for name in names}
    for item in () if widest is None else widest.guard:
        slopes = [(monomial[0], number) for monomial, number in item.expression.terms.items() if len(monomial) == 1]
        for small, slope in slopes:
            if slope < 0 and isinstance(small, str):
                for large, other in slopes:
                    if other > 0 and isinstance(large, str):
                        smaller[large].add(small)
    with suppress(CycleError):
        yield _far_apart(list(TopologicalSorter(smaller).static_order()), _LARGE)


def _periods_of_guards(counts: Sequence[Chambers]) -> int:
    """Return a common multiple of the periods in guards; 0 where there are none."""
    guards = (item for chamber in chain.from_iterable(counts) for item in chamber.guard)
    periods = {number for item in guards for found in periods_of(item.expression).values() for number in found}
    return lcm(*periods, _SPACING) if periods else 0


def _shown_at(count: Chambers, values: Mapping[str, Number]) -> int:
    """Return how many symbols the chambers of a count have at these values."""
    return len(frozenset().union(*(chamber.value.names() for chamber in count if chamber.holds(values))))


def somewhere_large(poly: Poly) -> dict[str, Number]:
    """Return large values of its names at which a polynomial has one."""
    values = {**_nearly_equal(sorted(poly.names()), _LARGE, _SPACING), **_small_values((poly,))}
    return where_defined((poly,), values)


def _nearly_equal(names: Sequence[str], base: int, spacing: int) -> dict[str, Number]:
    """Return large values, each a little larger than the one before."""
    return {name: base + spacing * rank for rank, name in enumerate(names)}


def _far_apart(names: Sequence[str], base: int) -> dict[str, Number]:
    """Return large values, each far larger than the one before."""
    return dict(zip(names, accumulate(repeat(base), mul), strict=False))
