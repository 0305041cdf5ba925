"""Quantities over symbols that have one value, which is not known: from the least to the most of all values.

``one_of`` takes away the symbols: exact where every value gives the same, else an interval.  That a count is never
above another one follows from the largest quotient of both.  Only the chambers that a symbol is in are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from .growth import largest_quotient
from .quantity import Exactness, Quantity, add, unbounded
from .quasipolynomial import NOTHING, Count, total, weighted


def one_of(quantity: Quantity, choices: Mapping[str, Sequence[int]]) -> Quantity:
    """Return a quantity with one of the values of each symbol, which are equally likely: one symbol after the other."""
    for name, values in choices.items():
        if name in quantity.estimate.symbols | (quantity.upper or NOTHING).symbols:
            share = Fraction(1, len(values))
            rest, depending = _split(quantity, name)
            quantity = add((rest, among([(depending.bind({name: value}), share) for value in values])))
    return quantity


def _split(quantity: Quantity, name: str) -> tuple[Quantity, Quantity]:
    """Return what is the same for every value of a symbol, and what depends on it; both are the sum."""
    parts = {id(count): count.split(name) for count in _counts(quantity)}

    def part(number: int) -> Quantity:
        upper = None if quantity.upper is None else parts[id(quantity.upper)][number]
        estimate, lower = parts[id(quantity.estimate)][number], parts[id(quantity.lower)][number]
        return Quantity(estimate, lower, upper, quantity.exactness)

    return part(0), part(1)


def _counts(quantity: Quantity) -> list[Count]:
    """Return the counts that make a quantity."""
    return [quantity.estimate, quantity.lower, *([] if quantity.upper is None else [quantity.upper])]


def among(alternatives: Sequence[tuple[Quantity, Fraction]]) -> Quantity:
    """Return what is one of some quantities, each with its probability."""
    cases, shares = [case for case, _ in alternatives], [share for _, share in alternatives]
    if all(case.is_exact for case in cases) and len({_form(case.estimate) for case in cases}) == 1:
        return cases[0]
    estimate = weighted((case.estimate, share) for case, share in zip(cases, shares, strict=True))
    lower = _extreme([case.lower for case in cases], most=False)
    uppers = [case.upper for case in cases if case.upper is not None]
    if len(uppers) < len(cases):
        return unbounded(estimate, lower)
    return Quantity(estimate, lower, _extreme(uppers, most=True), Exactness.INTERVAL)


def _extreme(counts: Iterable[Count], *, most: bool) -> Count:
    """Return the count that is never below (``most``) or never above the others; a bound of all where there is none."""
    distinct = [*{_form(count): count for count in counts}.values()]
    for one in distinct:
        others = [other for other in distinct if other is not one]
        if all(_is_at_most(other, one) if most else _is_at_most(one, other) for other in others):
            return one
    return total(distinct) if most else NOTHING


def _is_at_most(one: Count, other: Count) -> bool:
    """Return whether a count is known to be at most another one."""
    if one.is_zero:
        return True
    largest = largest_quotient(one, other)
    return largest is not None and largest <= 1


def _form(count: Count) -> frozenset[object]:
    return frozenset((chamber.conditions, chamber.value) for chamber in count.chambers)
