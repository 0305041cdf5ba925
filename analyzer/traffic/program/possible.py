"""Whether conditions may hold where counters have ranges: interval arithmetic, for many samples at once.

Quotients and remainders by numbers are taken apart before: of ``(64*i + j) mod 8`` only ``j`` is left, and what is
divided evenly moves out of the quotient, so that the intervals are tight.  What is not understood may hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, assert_never

import numpy as np
from msgspec import Struct

from ...ir.index import Atom, FloorDiv, Poly, TruncDiv, const
from ...ir.nodes import And, Compare, Comparison, Condition, DataDependent, Not, Or, Truth
from .program import CountedLoop, CounterName
from .ranges import Ranges

_Interval = tuple[Any, Any]
Possible = Callable[[Ranges], Any]
"""From the ranges of all counters to whether there may be values among them for which a condition holds."""


class _NotBounded(Exception):
    """No bounds are known of an expression."""


class _Quotient(Struct, frozen=True):
    """``floor(whole / divisor)``, or rounded towards zero where it ``truncates``."""

    whole: _Sum
    divisor: int
    truncates: bool


class _Remainder(Struct, frozen=True):
    """``whole mod modulus``, never negative."""

    whole: _Sum
    modulus: int


class _Sum(Struct, frozen=True):
    """A constant, and products of a number with counters (by depth), quotients and remainders."""

    constant: int
    terms: tuple[tuple[int, tuple[int | _Quotient | _Remainder, ...]], ...]


def possible(condition: Condition, loops: Sequence[CountedLoop]) -> Possible | None:
    """Return the test whether a condition on the counters of some loops may hold; None where there is none."""
    return _prepared(condition, frozenset(loop.depth for loop in loops if _begins_at_zero_or_later(loop)))


@lru_cache(maxsize=256)
def _prepared(condition: Condition, natural: frozenset[int]) -> Possible | None:
    try:
        may_be = _Prepared(natural).truth(condition)
    except _NotBounded:
        return None
    return lambda ranges: may_be(ranges)[0]


def _begins_at_zero_or_later(loop: CountedLoop) -> bool:
    return any(not bound.limit.terms and bound.limit.constant >= 0 for bound in loop.lows)


class _Prepared(Struct, frozen=True):
    """Prepares conditions; counters at the depths ``natural`` are never negative."""

    natural: AbstractSet[int]

    def truth(self, condition: Condition) -> Callable[[Ranges], _Interval]:
        """Return the tests whether a condition may hold, and whether it may not; raises ``_NotBounded``."""
        match condition:
            case Compare(comparison, left, right):
                return _compared(comparison, self.sum_of(right - left))
            case And(operands):
                return _joined([self.truth(each) for each in operands], np.logical_and, np.logical_or)
            case Or(operands):
                return _joined([self.truth(each) for each in operands], np.logical_or, np.logical_and)
            case Not(operand):
                inner = self.truth(operand)
                return lambda ranges: inner(ranges)[::-1]
            case Truth(holds):
                return lambda _ranges: (holds, not holds)
            case DataDependent():
                raise _NotBounded
            case _:
                assert_never(condition)

    def sum_of(self, poly: Poly) -> _Sum:
        """Return an expression as a sum; raises ``_NotBounded``."""
        poly = self._spread(poly)
        terms: list[tuple[int, tuple[int | _Quotient | _Remainder, ...]]] = []
        for remainder, factor, divided in _remainders(poly):
            poly = remainder
            terms.append((factor, (self._remainder(divided),)))
        constant = 0
        for monomial, number in poly.terms.items():
            if not isinstance(number, int):
                raise _NotBounded
            if monomial:
                terms.append((number, tuple(map(self._part, monomial))))
            else:
                constant = number
        return _Sum(constant, tuple(terms))

    def _spread(self, poly: Poly) -> Poly:
        """Return an expression in which quotients hold nothing that their divisors divide."""
        return poly.map_atoms(self._pulled_out)

    def _pulled_out(self, atom: Atom) -> Poly:
        if isinstance(atom, str) or not isinstance(atom, (FloorDiv, TruncDiv)):
            return Poly({(atom,): 1})
        divisor, numerator = atom.denominator.constant, self._spread(atom.numerator)
        if not divisor or divisor < 0 or (isinstance(atom, TruncDiv) and not self._is_natural(numerator)):
            return Poly({(atom,): 1})
        whole = Poly({m: n for m, n in numerator.terms.items() if isinstance(n, int) and n % divisor == 0})
        rest = numerator - whole
        moved = Poly(
            {monomial: number // divisor for monomial, number in whole.terms.items() if isinstance(number, int)}
        )
        return moved + (Poly({(FloorDiv(rest, const(divisor)),): 1}) if rest.terms else 0)

    def _is_natural(self, poly: Poly) -> bool:
        """Return whether an expression is never negative, as no part of it is."""
        return all(number > 0 and all(map(self._is_natural_atom, m)) for m, number in poly.terms.items())

    def _is_natural_atom(self, atom: Atom) -> bool:
        if isinstance(atom, CounterName):
            return atom.depth in self.natural
        return isinstance(atom, (FloorDiv, TruncDiv)) and self._is_natural(atom.numerator)

    def _part(self, atom: Atom) -> int | _Quotient:
        if isinstance(atom, CounterName):
            return atom.depth
        if isinstance(atom, (FloorDiv, TruncDiv)) and (divisor := atom.denominator.constant) and divisor > 0:
            return _Quotient(self.sum_of(atom.numerator), divisor, isinstance(atom, TruncDiv))
        raise _NotBounded

    def _remainder(self, atom: FloorDiv) -> _Remainder:
        modulus = atom.denominator.constant or 1
        kept = {m: n for m, n in atom.numerator.terms.items() if not isinstance(n, int) or n % modulus}
        return _Remainder(self.sum_of(Poly(kept)), modulus)


def _remainders(poly: Poly) -> Iterator[tuple[Poly, int, FloorDiv]]:
    """Yield what is left of an expression without a remainder, its factor, and the quotient that it belongs to.

    ``k*x - k*m*floor(x/m)`` is ``k*(x mod m)``: taken out where fewer terms are left.
    """
    found = True
    while found:
        found = False
        for atom in poly.forms:
            number = poly.terms.get((atom,))
            divisor = atom.denominator.constant if isinstance(atom, FloorDiv) else None
            if not isinstance(atom, FloorDiv) or not isinstance(number, int) or not divisor or number % divisor:
                continue
            factor = -number // divisor
            left = poly - factor * atom.numerator - Poly({(atom,): number})
            if len(left.terms) < len(poly.terms):
                found, poly = True, left
                yield poly, factor, atom
                break


def _compared(comparison: Comparison, rise: _Sum) -> Callable[[Ranges], _Interval]:
    """Return the tests whether ``left ? right`` may hold, and may not, ``rise`` being right less left."""

    def answer(ranges: Ranges) -> _Interval:
        low, high = _bounds(rise, ranges)
        match comparison:
            case Comparison.LT:
                return high > 0, low <= 0
            case Comparison.LE:
                return high >= 0, low < 0
            case Comparison.GT:
                return low < 0, high >= 0
            case Comparison.GE:
                return low <= 0, high > 0
            case Comparison.EQ:
                return (low <= 0) & (high >= 0), (low != 0) | (high != 0)
            case Comparison.NE:
                return (low != 0) | (high != 0), (low <= 0) & (high >= 0)
            case _:
                assert_never(comparison)

    return answer


def _joined(
    parts: Sequence[Callable[[Ranges], _Interval]], holds: Callable[..., Any], fails: Callable[..., Any]
) -> Callable[[Ranges], _Interval]:
    def answer(ranges: Ranges) -> _Interval:
        found = [part(ranges) for part in parts]
        may_hold, may_fail = found[0]
        for more, other in found[1:]:
            may_hold, may_fail = holds(may_hold, more), fails(may_fail, other)
        return may_hold, may_fail

    return answer


def _bounds(found: _Sum, ranges: Ranges) -> _Interval:
    """Return the least and the largest value that a sum may have."""
    low: Any = found.constant
    high: Any = found.constant
    for factor, parts in found.terms:
        least, most = _of_part(parts[0], ranges)
        for part in parts[1:]:
            first, last = _of_part(part, ranges)
            corners = (least * first, least * last, most * first, most * last)
            least = np.minimum(np.minimum(corners[0], corners[1]), np.minimum(corners[2], corners[3]))
            most = np.maximum(np.maximum(corners[0], corners[1]), np.maximum(corners[2], corners[3]))
        if factor < 0:
            least, most = most, least
        low, high = low + factor * least, high + factor * most
    return low, high


def _of_part(part: int | _Quotient | _Remainder, ranges: Ranges) -> _Interval:
    if isinstance(part, int):
        return ranges[part]
    low, high = _bounds(part.whole, ranges)
    if isinstance(part, _Remainder):
        same = low // part.modulus == high // part.modulus
        return np.where(same, low % part.modulus, 0), np.where(same, high % part.modulus, part.modulus - 1)
    if part.truncates:
        return _truncated(low, part.divisor), _truncated(high, part.divisor)
    return low // part.divisor, high // part.divisor


def _truncated(value: Any, divisor: int) -> Any:
    return np.sign(value) * (abs(value) // divisor)
