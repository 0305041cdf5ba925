"""Finding what conditions of a nest ask of the digits of a counter: bits, remainders, and the ends of its range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...ir.index import (
    ONE,
    ZERO,
    BitAnd,
    FloorDiv,
    Number,
    Poly,
    TruncDiv,
    exact_quotient,
    maximum,
    minimum,
    single_atom,
    var,
)
from ...ir.nodes import Compare, Comparison
from .magnitudes import Magnitudes


class Digit(Struct, frozen=True, kw_only=True):
    """``low <= (x mod modulus) < high``, or (not ``inside``) the opposite.

    ``low`` and ``high`` of one that ``is_even`` are multiples of the modulus of the next digit.
    """

    modulus: Poly
    low: Poly
    high: Poly
    inside: bool = True
    is_even: bool = False


def bits_decided(conditions: Sequence[Compare], known: Magnitudes) -> dict[BitAnd, Poly]:
    """Return what conditions on single bits say of these."""
    found: dict[BitAnd, Poly] = {}
    for condition in conditions:
        for atom in _bits_of(condition):
            for bit in (atom.left, atom.right):
                digit = _bit(condition.comparison, condition.left - condition.right, atom, bit, known)
                if digit is not None and digit.high - digit.low == bit:
                    found[atom] = digit.low
    return found


def _bits_of(condition: Compare) -> list[BitAnd]:
    return [atom for atom in (condition.left - condition.right).atoms() if isinstance(atom, BitAnd)]


def with_bits(condition: Compare, bits: Mapping[BitAnd, Poly]) -> Compare:
    """Return a comparison with the values that bits have where the conditions on these hold."""
    for atom, value in bits.items():
        condition = Compare(
            condition.comparison, _with(condition.left, atom, value), _with(condition.right, atom, value)
        )
    return condition


def end_of_both(one: Poly, other: Poly, known: Magnitudes, *, largest: bool) -> Poly:
    """Return the larger or the smaller of two ends, as one of them where that is known."""
    if known.is_positive(one - other) or known.is_positive(other - one):
        return one if known.is_positive(one - other) is largest else other
    return maximum([one, other]) if largest else minimum([one, other])


def ends_of(condition: Compare, x: str) -> tuple[Poly | None, Poly | None] | None:
    """Return the first number for which a comparison holds and the first above for which it does not.

    None where it is not linear in the number.
    """
    difference = condition.left - condition.right
    slope = difference.coefficient(x).constant
    rest = difference - var(x) * (slope or 0)
    if slope not in (1, -1) or x in rest.names():
        return None
    bound = rest * -slope
    match condition.comparison if slope > 0 else condition.comparison.mirrored:
        case Comparison.LT:
            return None, bound
        case Comparison.LE:
            return None, bound + 1
        case Comparison.GT:
            return bound + 1, None
        case Comparison.GE:
            return bound, None
        case Comparison.EQ:
            return bound, bound + 1
        case _:
            return None


def digit_of(condition: Compare, x: str, start: Poly, known: Magnitudes) -> Digit | None:
    """Return a comparison as one of a digit, else None."""
    difference = condition.left - condition.right
    for atom in difference.atoms():
        found: Digit | None = None
        match atom:
            case BitAnd(left, right) if var(x) in (left, right):
                found = _bit(condition.comparison, difference, atom, right if left == var(x) else left, known)
            case FloorDiv(numerator, modulus) | TruncDiv(numerator, modulus) if x in numerator.names():
                if isinstance(atom, FloorDiv) or known.is_natural(start):
                    found = _remainder(
                        condition.comparison, difference, Poly({(atom,): 1}), (numerator, modulus), x, known
                    )
        if found is not None and x not in (found.modulus.names() | found.low.names() | found.high.names()):
            return found
    return None


def _bit(comparison: Comparison, difference: Poly, atom: BitAnd, bit: Poly, known: Magnitudes) -> Digit | None:
    """Return a comparison that depends on one bit, or on all below a power of two."""
    if known.is_power_of_two(bit + 1):
        factor = difference.terms.get((atom,), 0)
        return _interval(comparison, (factor, difference - Poly({(atom,): 1}) * factor), bit + 1, ONE, known)
    if not known.is_power_of_two(bit):
        return None
    cases = [_truth(comparison, _with(difference, atom, value), known) for value in (ZERO, bit)]
    if None in cases or cases[0] is cases[1]:
        return None
    low, high = (ZERO, bit) if cases[0] else (bit, 2 * bit)
    return Digit(modulus=2 * bit, low=low, high=high)


def _with(poly: Poly, atom: BitAnd, value: Poly) -> Poly:
    return poly.map_atoms(lambda each: value if each == atom else Poly({(each,): 1}))


def _truth(comparison: Comparison, poly: Poly, known: Magnitudes) -> bool | None:
    """Return whether a product of positive factors compares so with 0."""
    if poly.terms and not (known.is_positive(poly) or known.is_positive(-poly)):
        return None
    sign = 0 if not poly.terms else 1 if known.is_positive(poly) else -1
    match comparison:
        case Comparison.LT:
            return sign < 0
        case Comparison.LE:
            return sign <= 0
        case Comparison.GT:
            return sign > 0
        case Comparison.GE:
            return sign >= 0
        case Comparison.EQ:
            return sign == 0
        case Comparison.NE:
            return sign != 0


def _remainder(
    comparison: Comparison, difference: Poly, quotient: Poly, parts: tuple[Poly, Poly], x: str, known: Magnitudes
) -> Digit | None:
    """Return a comparison with a remainder, ``x mod m`` or ``floor(x/w) mod m``."""
    numerator, modulus = parts
    weight = ONE
    if numerator != var(x):
        match single_atom(numerator):
            case FloorDiv(whole, divisor) | TruncDiv(whole, divisor) if whole == var(x):
                weight = divisor
            case _:
                return None
    (monomial,) = numerator.terms
    factor = difference.terms.get(monomial, 0)
    rest = difference - (numerator - modulus * quotient) * factor
    return None if x in rest.names() else _interval(comparison, (factor, rest), modulus, weight, known)


def _interval(
    comparison: Comparison, linear: tuple[Number, Poly], modulus: Poly, weight: Poly, known: Magnitudes
) -> Digit | None:
    """Return a comparison of ``factor*d + rest`` with 0 as one of the digit d, of a weight."""
    factor, rest = linear
    if not isinstance(factor, int) or not factor:
        return None
    if factor < 0:
        comparison, rest, factor = comparison.mirrored, -rest, -factor
    bound = exact_quotient(-rest, factor)
    if bound is None:
        return None
    above = bound + (comparison in (Comparison.LE, Comparison.GT, Comparison.EQ, Comparison.NE))
    low = bound if comparison in (Comparison.EQ, Comparison.NE) else ZERO
    inside = comparison in (Comparison.LT, Comparison.LE, Comparison.EQ)
    is_below = above == ONE or known.is_at_least(modulus, above) or known.is_natural(modulus - above)
    is_above = known.is_positive(above) or known.is_natural(above - 1)
    if not (is_below and is_above and known.is_natural(low)):
        return None
    return Digit(modulus=weight * modulus, low=weight * low, high=weight * above, inside=inside)


def in_order(digits: Sequence[Digit], known: Magnitudes) -> tuple[Digit, ...] | None:
    """Return digits with each modulus a multiple of the next; None where there is no such order."""
    left, found = [*digits], list[Digit]()
    while left:
        first = next(
            (one for one in left if all(known.is_multiple(one.modulus, other.modulus) for other in left)), None
        )
        if first is None:
            return None
        left.remove(first)
        if found:
            last = found[-1]
            is_even = all(not end.terms or known.is_multiple(end, first.modulus) for end in (last.low, last.high))
            found[-1] = replace(last, is_even=is_even)
        found.append(first)
    return tuple(found)
