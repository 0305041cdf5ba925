"""Closed forms for sizes that are powers of two: logarithms, quotients and trees of such sizes.

A sum over ``t`` with ``b^t`` in it, a quotient by a power, and a tree of calls have a polynomial in the sizes and their
logarithms there, which is held against the sum at some sizes (:func:`for_powers_of_two`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..ir.index import (
    ONE,
    ZERO,
    Atom,
    Extremum,
    FloorDiv,
    Log,
    Number,
    Poly,
    Power,
    Sum,
    Tree,
    TruncDiv,
    const,
    logarithm,
    power,
    sum_of,
    var,
)
from .exponential import merged, single, summed, to_the

_EXPONENT = "log2 "  # before the name of a symbol: its logarithm
_LEVEL = "level"
_LEVELS = 24  # sizes of calls at which conditions are tried
_SMALL = 2
Ranges = tuple[tuple[str, Poly], ...]  # the indices of sums, each with the number of its terms, from the outside
_CHECKED = (3, 4, 7, 10)  # exponents of the sizes at which a form for powers of two is held against the sum


def for_powers_of_two(poly: Poly) -> Poly | None:
    """Return what a polynomial with sums or logarithms is where all sizes in these are powers of two.

    None where there is nothing of the kind, or no form.

    >>> from analyzer.ir.index import floor_div, logarithm
    >>> t, n = var("t"), var("n")
    >>> str(for_powers_of_two(sum_of("t", logarithm(2, n), power(2, t) * floor_div(n, power(2, t) * 2))))
    '1/2*n*log2(n)'
    """
    deciding = [atom for atom in poly.atoms() if isinstance(atom, Sum | Log | Power | Tree)]
    sizes = sorted({name for atom in deciding for name in _names(atom)})
    if not sizes:
        return None
    exponents = {size: var(_EXPONENT + size) for size in sizes}
    found = _simplified(poly.substitute({size: power(2, exponent) for size, exponent in exponents.items()}))
    if found is None:
        return None
    back = {_EXPONENT + size: size for size in sizes}
    sizes_back = _with_sizes(found, back)
    if sizes_back is None or not all(_agrees(poly, sizes_back, sizes, exponent) for exponent in _CHECKED):
        return None
    return sizes_back


def is_of_small_powers(poly: Poly, form: Poly) -> bool:
    """Return whether a form for powers of two is that of the smallest ones above 2 too, not from 8 on."""
    return _agrees(poly, form, sorted(form.names()), _SMALL)


def _names(atom: Sum | Log | Power | Tree) -> frozenset[str]:
    return Poly({(atom,): 1}).names()


def _simplified(poly: Poly) -> Poly | None:
    """Return a polynomial in powers of two with all sums closed; None where one is not, or a division is left."""
    divided = _divided(poly, ())
    if divided is None:
        return None
    total = ZERO
    for monomial, number in divided.terms.items():
        product = const(number)
        for atom in monomial:
            if isinstance(atom, Sum | Tree):
                closed = _closed(atom, ()) if isinstance(atom, Sum) else _closed_tree(atom)
                if closed is None:
                    return None
                product = product * closed
            elif isinstance(atom, FloorDiv | Log):
                return None
            else:
                product = product * Poly({(atom,): 1})
        total += product
    return merged(total)


def _closed(found: Sum, around: Ranges) -> Poly | None:
    """Return a sum in closed form, those in it first, inside of ``around``; None where there is no such."""
    ranges = (*around, (found.index, found.count))
    body = _divided(found.body, ranges)
    total = ZERO
    for monomial, number in ({} if body is None else body.terms).items():
        product = const(number)
        for atom in monomial:
            inner = _closed(atom, ranges) if isinstance(atom, Sum) else single(atom)
            if inner is None:
                return None
            product = product * inner
        total += product
    closed = None if body is None else summed(found.index, found.count, merged(total))
    return None if closed is None or any(isinstance(atom, Sum) for atom in closed.atoms()) else closed


def _closed_tree(tree: Tree) -> Poly | None:
    """Return a sum over calls that halve a power of two, level by level; None for any other.

    From some size on each call makes as many of half of it; the calls that make none have one size.
    """
    exponent, name = _exponent_of(tree.start), tree.index
    if exponent is None or not all(part.names() <= {name} for call in tree.calls for part in call):
        return None
    made = [sum(often.evaluate({name: 1 << bits}) for often, _ in tree.calls) for bits in range(_LEVELS)]
    least = next((bits for bits, number in enumerate(made) if number), 0)
    branches = _exponent(Fraction(made[-1])) if made[-1] else None
    body = _above(tree.body, name, least)
    halves = all(
        size.evaluate({name: 1 << bits}) == (1 << bits) // 2
        for bits in range(least, _LEVELS)
        for often, size in tree.calls
        if often.evaluate({name: 1 << bits})
    )
    if branches is None or body is None or not halves or len({*made[least:]}) > 1:
        return None
    levels = exponent - (least - 1)
    each = _divided(body.substitute({name: power(2, exponent - var(_LEVEL))}), ((_LEVEL, levels),))
    if each is None:
        return None
    inner = summed(_LEVEL, levels, merged(power(2, var(_LEVEL) * branches) * each))
    return inner + power(2, levels * branches) * tree.body.substitute({name: (1 << least) // 2})


def _above(poly: Poly, name: str, least: int) -> Poly | None:
    """Return a polynomial with the value that each minimum and maximum in it has at large powers of two."""

    def settled(atom: Atom) -> Poly:
        if not isinstance(atom, Extremum):
            return single(atom)
        value, *others = {_at(atom, name, bits).constant for bits in range(least, _LEVELS)}
        if others or value is None:
            raise _Uneven
        return const(value)

    try:
        return poly.map_atoms(settled)
    except _Uneven:
        return None


def _at(atom: Atom, name: str, bits: int) -> Poly:
    return single(atom).substitute({name: 1 << bits})


def _divided(poly: Poly, ranges: Ranges) -> Poly | None:
    """Return the terms of sums with divisions of powers of two worked out; None where one does not come out even."""

    def plain(atom: Atom) -> Poly:
        if isinstance(atom, FloorDiv | TruncDiv):
            found = _quotient(_divided(atom.numerator, ranges), merged(atom.denominator), ranges)
            if found is None:
                raise _Uneven
            return found
        if isinstance(atom, Extremum):
            operands = [merged(each) for each in (_divided(one, ranges) for one in atom.operands) if each is not None]
            found = _settled(atom.largest, operands) if len(operands) == len(atom.operands) else None
            if found is None:
                raise _Uneven
            return found
        if isinstance(atom, Log):
            argument = _divided(atom.argument, ranges)
            return single(atom) if argument is None else _logarithm(atom, merged(argument))
        if isinstance(atom, Sum):
            terms = _divided(atom.count, ranges)
            return single(atom) if terms is None else sum_of(atom.index, terms, atom.body)
        if isinstance(atom, Power):
            exponent = _divided(atom.exponent, ranges)
            return single(atom) if exponent is None else power(atom.base, exponent)
        return single(atom)

    try:
        return poly.map_atoms(plain)
    except _Uneven:
        return None


def _settled(largest: bool, operands: Sequence[Poly]) -> Poly | None:
    """Return the largest or the smallest of 0 and of multiples of one power of two; None for others."""
    ratios: dict[Fraction, Poly] = {}
    unit = next((operand for operand in operands if operand.terms), ONE)
    inverse = _exponent_of(unit)
    for operand in operands:
        quotient = ONE if inverse is None else merged(operand * power(2, -inverse))
        if inverse is None or quotient.terms.keys() - {()}:
            return None
        ratios[Fraction(quotient.terms.get((), 0))] = operand
    return ratios[max(ratios) if largest else min(ratios)]


def _logarithm(atom: Log, argument: Poly) -> Poly:
    """Return a logarithm of a power of two, also of one plus or minus a small number."""
    offset = argument.terms.get((), 0)
    exponent = _exponent_of(argument - offset) if atom.base == 2 else None
    if exponent is None or not exponent.names():
        return logarithm(atom.base, argument, up=atom.up)
    return exponent + (offset > 0 if atom.up else -1 if offset < 0 else 0)


class _Uneven(Exception):
    """A division of powers of two has a rest that depends on them."""


def _quotient(numerator: Poly | None, denominator: Poly, ranges: Ranges) -> Poly | None:
    """Return the quotient by a power of two: what it divides, and 0 or -1 for a number that is smaller than it."""
    divisor = _exponent_of(denominator)
    if numerator is None or divisor is None:
        return None
    found, rest, part = ZERO, 0, Fraction(0)
    for monomial, number in merged(numerator).terms.items():
        if not monomial and isinstance(number, int) and divisor.names():
            rest = number
            continue
        exponent = _exponent_of(Poly({monomial: abs(Fraction(number))}))
        quotient = None if exponent is None else merged(power(2, exponent - divisor)) * (1 if number > 0 else -1)
        if exponent is None or quotient is None:
            return None
        if _is_natural(exponent - divisor, ranges):
            found += quotient
        elif quotient.terms.keys() == {()}:
            part += Fraction(quotient.terms[()])
        else:
            return None
    if part:
        return None if rest else found + part // 1
    if rest > 0 and not _is_natural(divisor - rest.bit_length(), ranges):
        return None
    if rest < -1 and not _is_natural(divisor - (-rest - 1).bit_length(), ranges):
        return None
    return found - 1 if rest < 0 else found


def _exponent_of(poly: Poly) -> Poly | None:
    """Return the exponent of a power of two, else None."""
    if len(poly.terms) != 1:
        return None
    ((monomial, number),) = poly.terms.items()
    exponent = _exponent(Fraction(number))
    if exponent is None or not all(isinstance(atom, Power) and atom.base == 2 for atom in monomial):
        return None
    return sum((atom.exponent for atom in monomial if isinstance(atom, Power)), const(exponent))


def _exponent(number: Fraction) -> int | None:
    for value, sign in ((number, 1), (1 / number, -1)):
        if value.denominator == 1 and value > 0 and not value.numerator & (value.numerator - 1):
            return sign * (value.numerator.bit_length() - 1)
    return None


def _is_natural(exponent: Poly, ranges: Ranges) -> bool:
    """Return whether what is linear in the indices is not negative for any terms, for large sizes."""
    for index, count in reversed(ranges):
        slope = exponent.coefficient(index).constant
        if slope is None or index in (exponent - var(index) * slope).names():
            return False
        exponent = exponent.substitute({index: ZERO if slope >= 0 else count - 1})
    return _is_large_enough(exponent)


def _is_large_enough(poly: Poly) -> bool:
    slopes = [number for monomial, number in poly.terms.items() if monomial]
    return all(number > 0 for number in slopes) and (bool(slopes) or poly.terms.get((), 0) >= 0)


def _with_sizes(poly: Poly, sizes: Mapping[str, str]) -> Poly | None:
    """Return powers of two as products of sizes, and their exponents as logarithms; None where there is no such."""
    found = ZERO
    for monomial, number in poly.terms.items():
        term = const(number)
        for atom in monomial:
            if isinstance(atom, Power):
                factors = _sizes_of(atom.exponent, sizes) if atom.base == 2 else None
                if factors is None:
                    return None
                term = term * factors
            elif isinstance(atom, str) and atom in sizes:
                term = term * single(Log(2, var(sizes[atom]), whole=True))
            elif not isinstance(atom, str):
                return None
            else:
                term = term * var(atom)
        found += term
    return found


def _sizes_of(exponent: Poly, sizes: Mapping[str, str]) -> Poly | None:
    found = ONE
    for monomial, number in exponent.terms.items():
        match monomial, number:
            case (str() as name,), int() if name in sizes and number >= 1:
                found = found * to_the(var(sizes[name]), number)
            case _:
                return None
    return found


def _agrees(poly: Poly, form: Poly, sizes: Sequence[str], exponent: int) -> bool:
    """Return whether a form for powers of two has the value of the polynomial at those from an exponent on."""
    others = (poly.names() | form.names()) - {*sizes}
    values: dict[str, Number] = {name: 5 + position for position, name in enumerate(sorted(others))}
    values |= {size: 1 << exponent + position for position, size in enumerate(sizes)}
    return poly.evaluate(values) == form.evaluate(values)
