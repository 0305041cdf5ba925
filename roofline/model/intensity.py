"""Quotients of counts: exact for known sizes, else the limit or the growth for large symbols."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from analyzer.ir.index import Number
from analyzer.profile import RegionProfile
from analyzer.quantities.growth import growth, largest_quotient, multiple
from analyzer.quantities.quantity import Quantity
from analyzer.quantities.quasipolynomial import Count

_REMEMBERED = 256  # quotients: the figures of a few regions, which several models ask for


class Ratio(Struct, frozen=True):
    """A quotient of two counts: exact, or its limit for large symbols, or how it grows.

    ``value`` is the number where it is known (``exact`` says whether for the given sizes, or as a limit).  Where it
    depends on the sizes there is a ``formula`` of ``symbols`` for large ones, and ``value`` is the factor with which it
    grows by ``power`` of them where all grow alike.  Bounds come from intervals, and from limits that depend on
    which symbol grows.  ``most`` is what the quotient is at most for all sizes, None where that is not known.
    """

    value: Fraction | None
    power: int = 0
    exact: bool = False
    lower: Fraction | None = None
    upper: Fraction | None = None
    formula: str = ""
    symbols: tuple[str, ...] = ()
    most: Fraction | None = None

    @property
    def number(self) -> Fraction | None:
        """Return the value where it is a plain number."""
        return None if self.formula else self.value

    @property
    def holds_for_all(self) -> bool:
        """Return whether the number is at least the quotient for all sizes, not for large ones alone."""
        ends = [end for end in (self.number, self.upper) if end is not None]
        return self.most is not None and bool(ends) and self.most <= max(ends)


def ratio(profile: RegionProfile, numerator: Quantity, denominator: Quantity) -> Ratio:
    """Return the quotient of two quantities at a region's sizes, else its behaviour for large symbols."""
    return _ratio(numerator, denominator, frozenset(profile.values.items()))


@lru_cache(maxsize=_REMEMBERED)
def _ratio(numerator: Quantity, denominator: Quantity, given: frozenset[tuple[str, int]]) -> Ratio:
    values = dict(given)
    top, bottom = numerator.estimate.bind(values), denominator.estimate.bind(values)
    value, both_exact = _quotient(top, bottom), numerator.is_exact and denominator.is_exact
    if value is None:
        found = _behaviour(top, bottom, _most(values, numerator, denominator))
        if found.number is None or both_exact or numerator.is_zero:
            return found
        return _between(found, numerator, denominator, values)
    exact = not top.symbols and not bottom.symbols
    if both_exact or numerator.is_zero:
        return Ratio(value, exact=exact, most=value if exact else largest_quotient(top, bottom))
    least, most = denominator.lower.bind(values), None if denominator.upper is None else denominator.upper.bind(values)
    lower = Fraction(0) if most is None else _quotient(numerator.lower.bind(values), most)
    upper = None if numerator.upper is None else _quotient(numerator.upper.bind(values), least)
    return Ratio(value, exact=False, lower=lower, upper=upper)


def limit_of(profile: RegionProfile, numerator: Quantity, denominator: Quantity) -> Fraction | None:
    """Return the number that :func:`ratio` has, without its bounds, which take longer."""
    return _limit(numerator, denominator, frozenset(profile.values.items())).number


def share_of(profile: RegionProfile, part: Quantity, whole: Quantity) -> Fraction | None:
    """Return the quotient for large sizes, 0 where the whole grows faster; None where the sizes decide."""
    found = _limit(part, whole, frozenset(profile.values.items()))
    return Fraction(0) if found.formula and found.power < 0 else found.number


@lru_cache(maxsize=_REMEMBERED)
def _limit(numerator: Quantity, denominator: Quantity, given: frozenset[tuple[str, int]]) -> Ratio:
    values = dict(given)
    top, bottom = numerator.estimate.bind(values), denominator.estimate.bind(values)
    value = _quotient(top, bottom)
    return _behaviour(top, bottom, None) if value is None else Ratio(value)


def intensity_of(profile: RegionProfile, size: Quantity, *, follows_convention: bool) -> Ratio:
    """Return FLOPs for each byte; caches that hold data from before the region leave fewer bytes for small sizes."""
    found = ratio(profile, profile.work.flops, size)
    return replace(found, most=None) if profile.finds_data and not found.exact and not follows_convention else found


def _most(values: Mapping[str, int], numerator: Quantity, denominator: Quantity) -> Fraction | None:
    """Return what the quotient of two quantities, wherever they are between their bounds, is at most for all sizes."""
    if numerator.upper is None:
        return None
    return largest_quotient(numerator.upper.bind(values), denominator.lower.bind(values))


def _behaviour(top: Count, bottom: Count, largest: Fraction | None) -> Ratio:
    """Return how a quotient behaves whose sizes are not all known; ``largest`` is what it is at most for all sizes."""
    found = growth(top, bottom)
    if found is None:
        return Ratio(None)
    if found.formula:
        return Ratio(found.factor, found.power, formula=found.formula, symbols=found.symbols)
    return Ratio(found.factor, lower=found.least, upper=found.most, symbols=found.symbols, most=largest)


def _between(found: Ratio, numerator: Quantity, denominator: Quantity, values: Mapping[str, int]) -> Ratio:
    """Return the limit of a quotient of estimates, with the limits of the quotients of their bounds."""
    least, most = Fraction(0), None
    if denominator.upper is not None:
        end = _behaviour(numerator.lower.bind(values), denominator.upper.bind(values), None)
        least = _first_known(end.number if end.lower is None else end.lower, Fraction(0))
    if numerator.upper is not None:
        end = _behaviour(numerator.upper.bind(values), denominator.lower.bind(values), None)
        most = end.number if end.upper is None else end.upper
    lower = min(least, _first_known(found.lower, least))
    upper = None if most is None else max(most, _first_known(found.upper, most))
    return replace(found, lower=lower, upper=upper)


def _first_known(value: Fraction | None, otherwise: Fraction) -> Fraction:
    return otherwise if value is None else value


def _quotient(top: Count, bottom: Count) -> Fraction | None:
    """Return the quotient; None where a size is missing or the denominator is zero.

    A quotient that is the same for all large sizes needs none.
    """
    if not top.symbols and not bottom.symbols:
        below = bottom.evaluate({})
        return Fraction(top.evaluate({})) / Fraction(below) if below else None
    return multiple(top.large, bottom.large)


def number(count: Count, values: Mapping[str, int]) -> int | float | None:
    """Return the value at the known sizes, None where one is missing."""
    return plain(count.evaluate(values)) if count.symbols <= values.keys() else None


def value_of(count: Count, values: Mapping[str, int]) -> float | None:
    """Return the value at the known sizes as a float; None where a size is missing."""
    return float(count.evaluate(values)) if count.symbols <= values.keys() else None


def plain(value: Number) -> int | float:
    """Return a number as an integer where it is whole, else as a float."""
    return value if isinstance(value, int) else int(value) if value.denominator == 1 else float(value)
