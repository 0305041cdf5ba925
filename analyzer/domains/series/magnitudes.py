"""What is known of the counters of loops without their sizes: that they are positive, powers of two, and which is less.

A counter that is multiplied by a power of two from a power of two on is one itself; so is one that is divided, down to
more than 0.  Of two powers of two the larger is a multiple of the smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ...ir.index import Atom, FloorDiv, Number, Poly, Power, TruncDiv, const, is_power_of_two, power, single_atom, var
from ...ir.nodes import Geometric, Loop, Strided
from ...quantities.exponential import merged

_MOST_REPLACED = 6  # counters by what is above them, one after the other


class Magnitudes:
    """The counters of some loops, each around those that follow it, and symbols of which all ``values`` are known."""

    def __init__(self, loops: Iterable[Loop], values: Sequence[Mapping[str, int]] = ()) -> None:
        self._ranges = {loop.iterator: loop.range for loop in loops}
        self._values = values

    def _all(self, *polys: Poly) -> list[tuple[Number, ...]]:
        """Return what expressions of symbols are for all values of these; none where one of them is open."""
        names = frozenset().union(*(poly.names() for poly in polys))
        if not names or not all(names <= values.keys() for values in self._values):
            return []
        return [tuple(poly.evaluate(values) for poly in polys) for values in self._values]

    def least(self, poly: Poly) -> Number | None:
        """Return a number that is not above a product of positive factors; None for what may be negative."""
        if found := self._all(poly):
            return min(number for (number,) in found)
        product = _product(poly)
        if product is None:
            return None
        number, atoms = product
        if number <= 0:
            return number if not atoms else None
        for atom in atoms:
            factor = self._least_of(atom)
            if factor is None or factor < 1:
                return None
            number *= factor
        return number

    def is_positive(self, poly: Poly) -> bool:
        """Return whether an expression is known to be above 0."""
        return (self.least(poly) or 0) > 0

    def is_power_of_two(self, poly: Poly) -> bool:
        """Return whether an expression is known to be a power of two, 1 or more."""
        if found := self._all(poly):
            return all(is_power_of_two(number) for (number,) in found)
        product = _product(poly)
        return product is not None and is_power_of_two(product[0]) and all(map(self._is_power_of_two, product[1]))

    def is_multiple(self, large: Poly, small: Poly) -> bool:
        """Return whether one positive expression is known to be a multiple of another one."""
        if found := self._all(large, small):
            return all(divisor > 0 and number % divisor == 0 for number, divisor in found)
        ratio = _ratio(large, small)
        if ratio is not None:
            return ratio.denominator == 1 and ratio > 0
        return self.is_power_of_two(large) and self.is_power_of_two(small) and self.is_at_least(large, small)

    def is_at_least(self, large: Poly, small: Poly) -> bool:
        """Return whether one positive expression is known not to be below another one."""
        if found := self._all(large, small):
            return all(one >= other for one, other in found)
        for _ in range(_MOST_REPLACED):
            ratio = _ratio(large, small)
            if ratio is not None:
                return ratio >= 1
            most = small.constant
            if most is not None:
                return (self.least(large) or 0) >= most
            above = self._above(small)
            if above is None:
                return False
            small = above
        return False

    def is_natural(self, poly: Poly) -> bool:
        """Return whether what is linear in counters is known not to be negative."""
        for _ in range(_MOST_REPLACED):
            name = next((name for name in reversed(self._ranges) if name in poly.names()), None)
            slope = None if name is None else poly.coefficient(name).constant
            if name is None or not slope or name in (poly - var(name) * slope).names():
                break
            end = self._most_of(name) if slope < 0 else self._least_end(name)
            if end is None:
                break
            poly = poly.substitute({name: end})
        number = poly.constant
        return self.is_positive(poly) if number is None else number >= 0

    def quotient(self, name: str, factor: Poly) -> Poly | None:
        """Return a counter that is divided as a power of two without rounding; None where it is no power of two.

        ``factor`` is by how much it was divided.
        """
        range_ = self._ranges[name]
        if not isinstance(range_, Geometric) or not range_.shrinking or not self._is_power_of_two(name):
            return None
        ((monomial, number),) = factor.terms.items()
        inverse = const(Fraction(1, number)) if isinstance(number, int) else const(1 / number)
        for atom in monomial:
            if not isinstance(atom, Power):
                return None
            inverse = inverse * power(atom.base, -atom.exponent)
        return _exact(range_.start) * inverse

    def _least_of(self, atom: Atom) -> Number | None:
        match atom:
            case str():
                range_ = self._ranges.get(atom)
                if isinstance(range_, Geometric):
                    lowest = range_.stop + 1 if range_.shrinking else range_.start
                    return lowest.constant if lowest.constant is not None else self.least(lowest)
                if isinstance(range_, Strided):
                    return (range_.start if range_.step > 0 else range_.stop + 1).constant
                return None
            case Power(exponent=exponent):
                return 1 if all(self._is_natural(name) for name in exponent.names()) and _rises(exponent) else None
            case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator):
                least, divisor = self.least(numerator), denominator.constant
                return None if least is None or not divisor or divisor < 0 else least // divisor
            case _:
                return None

    def _is_natural(self, name: str) -> bool:
        least = self._least_of(name)
        return least is not None and least >= 0

    def _is_power_of_two(self, atom: Atom) -> bool:
        match atom:
            case str():
                range_ = self._ranges.get(atom)
                if not isinstance(range_, Geometric) or range_.shift or not is_power_of_two(range_.factor):
                    return False
                if not range_.shrinking:
                    return self.is_power_of_two(range_.start)
                last = range_.stop.constant
                return last is not None and last >= 0 and self.is_power_of_two(_undivided(range_.start))
            case Power(base=base):
                return is_power_of_two(base) and self._least_of(atom) is not None
            case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator):
                return (
                    self.is_power_of_two(numerator)
                    and is_power_of_two(denominator.constant)
                    and (self.least(numerator) or 0) >= (denominator.constant or 0)
                )
            case _:
                return False

    def _above(self, poly: Poly) -> Poly | None:
        """Return an expression that is not below a product, with the innermost counter in it replaced."""
        whole = poly.map_atoms(lambda atom: _exact(Poly({(atom,): 1})))
        if whole != poly:
            return whole
        for name in (name for name in reversed(self._ranges) if name in poly.names()):
            most = self._most_of(name)
            if most is not None:
                return merged(poly.substitute({name: most}))
        return None

    def _most_of(self, name: str) -> Poly | None:
        """Return what a counter is not above."""
        match self._ranges[name]:
            case Geometric(start=start, stop=stop, shrinking=shrinking):
                if shrinking:
                    return start
                if self._is_power_of_two(name) and self.is_power_of_two(stop):
                    return stop * Fraction(1, 2)
                return stop - 1
            case Strided(start=start, stop=stop, step=step):
                return stop - 1 if step > 0 else start
            case _:
                return None

    def _least_end(self, name: str) -> Poly | None:
        """Return what a counter is not below."""
        match self._ranges[name]:
            case Geometric(start=start, stop=stop, shrinking=shrinking):
                return stop + 1 if shrinking else start
            case Strided(start=start, stop=stop, step=step):
                return start if step > 0 else stop + 1
            case _:
                return None


def _product(poly: Poly) -> tuple[Number, tuple[Atom, ...]] | None:
    """Return the number and the other factors of a product, else None."""
    if not poly.terms:
        return 0, ()
    if len(poly.terms) > 1:
        return None
    ((monomial, number),) = poly.terms.items()
    return number, monomial


def _ratio(large: Poly, small: Poly) -> Fraction | None:
    """Return the quotient of two products that is a number, else None."""
    over, under = _product(merged(large)), _product(merged(small))
    if over is None or under is None or not under[0]:
        return None
    found = const(Fraction(over[0]) / Fraction(under[0]))
    left = [*over[1]]
    for atom in under[1]:
        if atom in left:
            left.remove(atom)
        elif isinstance(atom, Power):
            found = found * power(atom.base, -atom.exponent)
        else:
            return None
    for atom in left:
        if not isinstance(atom, Power):
            return None
        found = found * power(atom.base, atom.exponent)
    number = merged(found).terms.get((), 0)
    return Fraction(number) if merged(found) == const(number) else None


def _undivided(poly: Poly) -> Poly:
    """Return the numerator of a quotient by a power of two, else the expression."""
    atom = single_atom(poly)
    if isinstance(atom, FloorDiv | TruncDiv) and is_power_of_two(atom.denominator.constant):
        return atom.numerator
    return poly


def _exact(poly: Poly) -> Poly:
    """Return a quotient of powers of two as a product."""
    match single_atom(poly):
        case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator) if denominator.constant:
            return numerator * Fraction(1, denominator.constant)
    return poly


def _rises(exponent: Poly) -> bool:
    return all(number >= 0 for number in exponent.terms.values())
