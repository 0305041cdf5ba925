"""Quotients of counts: exact for known sizes, else the limit or the growth for large symbols."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from analyzer.domains.quantity import Quantity
from analyzer.domains.quasipolynomial import Count, growth, without_periods
from analyzer.ir.index import Number
from analyzer.profile import RegionProfile

_SOME_SIZES = (10_007, 20_021)


class Ratio(Struct, frozen=True):
    """A quotient of two counts: exact, or its limit for large symbols, or how it grows.

    ``value`` is the number where it is known (``exact`` says whether for the given sizes, or as a limit); ``power`` is
    the power of the symbols that it grows with, ``value`` being the factor then; bounds come from intervals.
    """

    value: Fraction | None
    power: int = 0
    exact: bool = False
    lower: Fraction | None = None
    upper: Fraction | None = None

    @property
    def number(self) -> Fraction | None:
        """The value where it is a plain number."""
        return self.value if self.power == 0 else None


def ratio(profile: RegionProfile, numerator: Quantity, denominator: Quantity) -> Ratio:
    """Return the quotient of two quantities at a region's sizes, else its behaviour for large symbols."""
    value = _quotient(numerator.estimate, denominator.estimate, profile.values)
    if value is None:
        found = growth(numerator.estimate, denominator.estimate)
        return Ratio(None) if found is None else Ratio(found.factor, found.power)
    exact = _is_bound(numerator, profile.values) and _is_bound(denominator, profile.values)
    if numerator.is_exact and denominator.is_exact:
        return Ratio(value, exact=exact)
    lower = Fraction(0) if denominator.upper is None else _quotient(numerator.lower, denominator.upper, profile.values)
    upper = None if numerator.upper is None else _quotient(numerator.upper, denominator.lower, profile.values)
    return Ratio(value, exact=False, lower=lower, upper=upper)


def _quotient(top: Count, bottom: Count, values: Mapping[str, int]) -> Fraction | None:
    """Return the quotient at the known sizes; None where a size is missing or the denominator is zero.

    A quotient that is the same for all sizes needs none.
    """
    if top.symbols <= values.keys() and bottom.symbols <= values.keys():
        below = bottom.evaluate(values)
        return Fraction(top.evaluate(values)) / Fraction(below) if below else None
    behaviour = growth(top, bottom)
    if behaviour is None or behaviour.power or not _proportional(top, bottom, behaviour.factor):
        return None
    return behaviour.factor


def _proportional(top: Count, bottom: Count, factor: Fraction) -> bool:
    """Return whether two counts are multiples for large sizes; a few sizes refute most, far cheaper than formulas."""
    difference = top.large - bottom.large * factor
    symbols = sorted(top.symbols | bottom.symbols)
    some = ({symbol: size + 7 * index for index, symbol in enumerate(symbols)} for size in _SOME_SIZES)
    return not any(difference.evaluate(sizes) for sizes in some) and not without_periods(difference).terms


def _is_bound(quantity: Quantity, values: Mapping[str, int]) -> bool:
    return quantity.estimate.symbols <= values.keys()


def number(count: Count, values: Mapping[str, int]) -> int | float | None:
    """Return the value at the known sizes, None where one is missing."""
    return plain(count.evaluate(values)) if count.symbols <= values.keys() else None


def value_of(count: Count, values: Mapping[str, int]) -> float | None:
    """Return the value at the known sizes as a float; None where a size is missing."""
    return float(count.evaluate(values)) if count.symbols <= values.keys() else None


def plain(value: Number) -> int | float:
    """Return a number as an integer where it is whole, else as a float."""
    return value if isinstance(value, int) else int(value) if value.denominator == 1 else float(value)
